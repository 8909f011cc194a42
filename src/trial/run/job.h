/*
 * A job: tasks, how often each is tried, and who tries. It is a directory with job.json, which says what was asked, and
 * a directory for each trial, named by its id; the record in it says how far the trial came. A job can be stopped at
 * any moment and gone on with: what ended stays, what was killed is told apart by its record.
 *
 *	JOB/job.json
 *	JOB/<trial_id>/record.json   the record, partial until the end
 *	JOB/<trial_id>/workspace/    what the agent and then the verifier work in
 *	JOB/<trial_id>/run/          the recorder's files
 *	JOB/<trial_id>/artifacts/    what is sealed with the record
 */
#ifndef TRIAL_RUN_JOB_H
#define TRIAL_RUN_JOB_H

#include "trial/run/record.h"

#define JOB_FILE "job.json"
#define JOB_SCHEMA "trackway.trial-job/1"
#define JOB_TRIALS_MAX 100000
#define JOB_RECORD "record.json"
#define JOB_NO_MODEL "unknown" /* nobody said; the record then names the one that answered */

/* How the agent is run; made of what the user gave by job_agent. */
struct job_agent {
	struct str given;    /* the command as the user wrote it */
	struct str command;  /* for sh -c; names of files that were given are absolute in it */
	struct str adapter, revision;
	struct str model;    /* "unknown" when nobody said */
	struct str advisor;  /* a model; p NULL */
	struct str *readable; /* absolute paths that the user let it read: its packages */
	size_t readable_count;
	struct str *files;   /* absolute, those among them; the sandbox shows them */
	size_t file_count;
	struct str digest;   /* of all that, as it was when the job began; p NULL: nobody knows */
};

struct job {
	struct str dir;      /* absolute */
	struct job_agent agent;
	struct str experiment, dataset; /* dataset p NULL */
	struct str ledger;   /* as given: for the one who goes on */
	struct str prices;   /* a file; p NULL */
	struct str *upstreams; /* NAME=URL */
	size_t upstream_count;
	struct str *tasks;   /* absolute */
	size_t task_count;
	enum sandbox_level isolation;
	uint64_t repeat, seed, timeout_s; /* timeout_s: of the agent, instead of the task's; 0: the task's */
};

/*
 * The agent out of the command that the user gave. A command of plain words (no quotes, no signs of the shell) may name
 * files from where the user stands: they become absolute, unless the workspace has such a name. The revision is a
 * digest of the command and of the files that it names, the program that PATH finds and what is in `readable` among
 * them. The caller sets `readable`, and `revision` where the user named one.
 */
void job_agent_read(struct arena *a, struct str command, const struct tree *environment, struct job_agent *out);

/* The digest of the command, the program that PATH finds and the files, as they are now. */
struct str job_agent_digest(struct arena *a, const struct job_agent *g);

/* Whether it is still that with which the job began: records name that one. False and *err (ERR_DATA). */
bool job_check_agent(struct arena *a, const struct job *j, struct err *err);

/*
 * Nothing that is shown to the agent has tests, solutions, the job itself or the ledger in it; the last two as far as
 * they are set. False and *err (ERR_USAGE).
 */
bool job_check_shown(struct arena *a, const struct job *j, struct err *err);

/* What the agent was started with, as canonical JSON: agent.configuration of each record. */
struct str job_configuration(struct arena *a, const struct job *j);

/* The lock of each trial of the task. */
struct lock job_lock(struct arena *a, const struct job *j, const struct trial_task *t);

/* Makes the directory and job.json. False and *err: ERR_USAGE when there is a job already, else ERR_IO. */
bool job_write(struct arena *a, const struct job *j, struct err *err);

/* Reads the job of a directory. False and *err when there is none (ERR_USAGE), or job.json is not right (ERR_DATA). */
bool job_read(struct arena *a, struct str dir, struct job *out, struct err *err);

/*
 * Only one runs a job. A descriptor that the caller closes; processes that are started meanwhile have it, too, so that
 * a job counts as run until the trials of one that was killed have ended. -1 and *err (ERR_IO) when another one does.
 */
int job_hold(struct arena *a, const struct job *j, struct err *err);

/* What there is of a trial. */
enum job_state { JOB_ABSENT, JOB_STOPPED, JOB_ENDED }; /* stopped: its record is there, and it has not ended */

struct job_trial {
	struct str id;
	uint64_t slot;
	enum job_state state;
	struct str record; /* p NULL: absent */
};

/* The trials of the directory, in the order of their ids, which is that of their beginning. */
bool job_list(struct arena *a, const struct job *j, struct job_trial **out, size_t *count, struct err *err);

/* Which task a slot is of, and which of its attempts, from 1. */
struct str job_task_of(const struct job *j, uint64_t slot, uint64_t *attempt);

static inline uint64_t job_slots(const struct job *j)
{
	return j->task_count * j->repeat;
}

#endif
