/*
 * The trials of a job, several at once, each a process of its own. When one is over its record is sealed. We may be
 * killed at any moment: the records of trials that were running then say so, and going on with the job tells them as
 * infrastructure failures and tries their slots again, under new ids.
 */
#ifndef TRIAL_RUN_CREW_H
#define TRIAL_RUN_CREW_H

#include "trial/run/finish.h"

#define CREW_ENTRY "__trial" /* the hidden command: JOB ID SLOT PARENT */

/* A trial that is over. */
struct crew_trial {
	struct str id, task_dir;
	uint64_t slot, attempt;
	struct finish_facts facts;
	const struct seal_result *sealed; /* what became of its record; findings live for the call */
	bool is_old; /* it had ended before: the job was gone on with */
};

struct crew_tally {
	uint64_t slots, done, running;
	uint64_t by_class[CLASSES];
	uint64_t sealed, already, refused; /* entries; already: they were there */
	double reward_sum;                 /* of those that are no infrastructure failure */
};

struct crew_options {
	const struct job *job;
	struct ledger *ledger;
	const struct prices *prices;
	struct str program;
	unsigned jobs; /* at once; at least 1 */
	/* Once for each trial that is over. False and *err stop the job. */
	bool (*each)(void *context, const struct crew_trial *t, struct err *err);
	void (*tick)(void *context, const struct crew_tally *now); /* some ten times a second; may be NULL */
	void *context;
};

/*
 * Runs what is not done yet. True when all slots are done, or we are to stop: *out says how many are. False and *err
 * when the job or the ledger cannot be used; what was sealed stays.
 */
bool crew_run(struct arena *a, const struct crew_options *o, struct crew_tally *out, struct err *err);

#endif
