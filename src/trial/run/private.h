/* Between the phases of a trial. */
#ifndef TRIAL_RUN_PRIVATE_H
#define TRIAL_RUN_PRIVATE_H

#include "trial/run/trial.h"

#define TRIAL_LOG_MAX ((size_t)1 << 20) /* of what the agent writes to its streams */

struct trial_running {
	struct arena *arena;
	const struct trial_how *how;
	struct trial_task task;
	struct trial_dirs dirs;
	struct trial_facts facts;
	struct calls calls;
	struct tree before, after; /* files of the workspace: as the agent found it, and as it left it */
};

/* The workspace, filled with the files of the task. False and *err (ERR_IO) when it cannot be made. */
bool workspace_fill(struct trial_running *t, struct err *err);

/*
 * What the agent left: copies what is new or changed into the directory of artifacts, and writes down what was there.
 * False and *err when that cannot be done.
 */
bool workspace_collect(struct trial_running *t, struct err *err);

/* The file of this name that the agent made or changed; NULL. */
const struct tree_file *workspace_find_made(const struct trial_running *t, struct str name);

/* Runs the agent under the recorder. False and *err when it could not be run: that is nobody's failure. */
bool agent_run(struct trial_running *t, struct err *err);

/* Makes what is sealed of the recorder's files. False and *err when they are not what they should be. */
bool agent_collect(struct trial_running *t, struct err *err);

/* Where temporary files go: bwrap has an empty /tmp, landlock none, and without a sandbox it is the user's. */
struct str trial_tmp(enum sandbox_level level, struct str home);

/* Whether the process that runs the job is gone, or we are to stop. 0 is nobody's number. */
bool trial_is_orphan(int parent);

/* Whether a ledger can have an artifact of this name. */
bool finish_takes_name(struct str name);

#endif
