/*
 * One trial of a job, in this process: workspace, agent under the recorder, verifier, record. After each phase the
 * record is written anew, so a trial that is killed has said how far it came. The record is not sealed here: whoever
 * runs the job does that when the trial is over.
 */
#ifndef TRIAL_RUN_TRIAL_H
#define TRIAL_RUN_TRIAL_H

#include "transform/price.h"
#include "trial/run/job.h"

struct trial_how {
	const struct job *job;
	struct str id;
	uint64_t slot;
	struct str program;          /* this one's path, for the sandbox */
	const struct prices *prices;
	int parent;                  /* the process that runs the job: without it the trial stops; 0: none */
};

/*
 * Runs it to its end. True also when it failed, whatever failed: the record says so. False and *err when not even the
 * record could be written, or the job is gone: the record that is there, if there is one, is that of a stopped trial.
 */
bool trial_run(struct arena *a, const struct trial_how *how, struct err *err);

/* ---- its parts, for each other and for a regrade ---- */

struct trial_dirs {
	struct str trial, workspace, home, run, artifacts;
	struct str workspace_seen; /* as the agent and the verifier see it */
};

/* Who is asked to judge what is in a workspace. */
struct verifier_ask {
	const struct trial_task *task;
	struct trial_dirs dirs;
	struct str program;
	enum sandbox_level level;
	int parent; /* as in trial_how */
};

/*
 * Runs the verifier of the task in the workspace, with a fresh logs/verifier, and reads what it said. What it found in
 * the way, and why there is no reward, goes into the facts. False and *err when it could not be run, which is nobody's
 * failure, or when we are to stop.
 */
bool verifier_run(struct arena *a, const struct verifier_ask *ask, struct trial_facts *f, struct err *err);

/* Where the parts of a trial in this directory are. */
struct trial_dirs trial_dirs_of(struct arena *a, struct str trial, enum sandbox_level level);

/* The system that it runs on: runtime_image, compute_backend and tool_versions. */
void trial_describe_system(struct arena *a, struct trial_facts *f);

#endif
