/* A trial that is over, sealed into the ledger with all that it left; and one that did not end by itself, concluded. */
#ifndef TRIAL_RUN_FINISH_H
#define TRIAL_RUN_FINISH_H

#include "trial/run/trial.h"
#include "trial/seal.h"

/* What the record of a trial that ended says, for who counts. Texts live in the arena. */
struct finish_facts {
	struct str task_id, model, adapter;
	enum trial_class class;
	double reward, seconds, cost_usd; /* cost_usd NAN: not known */
	bool verifier_completed, is_complete;
	struct str error; /* the first of validity.errors; p NULL */
};

/* False when it is no record of an ended trial. */
bool finish_read(struct arena *a, struct str record, struct finish_facts *out);

/*
 * The record of a trial that was stopped, ended as an infrastructure failure for this reason; in the arena. False and
 * *err when it is no such record.
 */
bool finish_stopped(struct arena *a, struct str record, struct str reason, struct str *out, struct err *err);

/* The record of a trial that could not even write one. False and *err when its task cannot be read. */
bool finish_lost(struct arena *a, const struct trial_how *how, struct str reason, struct str *out, struct err *err);

/*
 * Gives the record with all files of the directory of artifacts to the sealer. What became of it is told by the
 * sealer. False with *err: stop.
 */
bool finish_seal(struct arena *a, struct sealer *s, struct str id, struct str record, struct str artifacts,
		 struct err *err);

#endif
