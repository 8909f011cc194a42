/*
 * A sealed trial judged again, by the verifier of a task that differs in nothing else: the workspace is put together
 * from the task's own files and those that were sealed with the record. What comes of it is a record of its own, which
 * names the first in outputs.agent_result.trackway.regrade_of.
 */
#ifndef TRIAL_RUN_REGRADE_H
#define TRIAL_RUN_REGRADE_H

#include "trial/run/trial.h"

struct regrade_how {
	struct str record;     /* of the first trial, as it was sealed */
	struct str dir;        /* absolute, new: its artifacts are in artifacts/ already */
	struct str task;       /* the task with the new verifier */
	struct str id;         /* of the new trial */
	struct str experiment; /* of the new record; p NULL: the first one's with "-regraded" behind it */
	struct str program;
};

/*
 * Judges and gives the new record, in the arena, with the names of artifacts as the new trial has them. False and *err:
 * ERR_DATA when the record cannot be judged again with this task (the lock tells what differs), or its files are not
 * all there; ERR_IO when the verifier could not be run.
 */
bool regrade_run(struct arena *a, const struct regrade_how *how, struct str *record, struct err *err);

#endif
