/* What `trial run` and `trial lock` share: options to a job; and what is told of trials. */
#ifndef CMD_TRIAL_RUN_H
#define CMD_TRIAL_RUN_H

#include "cmd/frame/command.h"
#include "cmd/ledger/args.h"
#include "trial/run/crew.h"

/* Who tries, and how; a member `asked` of the options struct. */
struct trial_asked {
	struct str agent, model, adapter, revision, advisor, experiment, dataset, prices; /* p NULL when not given */
	struct opt_list upstreams, readable;
	int isolation; /* TRIAL_AUTO first, then as enum sandbox_level */
	unsigned repeat, seed, timeout;
};

#define TRIAL_LEVELS "auto|none|landlock|bwrap|oci"
#define TRIAL_ASKED_DEFAULTS { .repeat = 1 }

#define TRIAL_ASKED_OPTIONS(type) \
	{ OPT_STR, 0, "agent", offsetof(type, asked.agent), "CMD", \
	  "the agent: a command for sh, run in the workspace" }, \
	{ OPT_STR, 0, "model", offsetof(type, asked.model), "NAME", \
	  "the model (default: the one that answers)" }, \
	{ OPT_STR, 0, "experiment", offsetof(type, asked.experiment), "ID", "experiment_id of the records (trials)" }, \
	{ OPT_UINT, 0, "repeat", offsetof(type, asked.repeat), "K", "trials of each task (1)" }, \
	{ OPT_CHOICE, 0, "isolation", offsetof(type, asked.isolation), TRIAL_LEVELS, \
	  "the sandbox of agent and verifier (auto: the strongest that works here, never none)" }, \
	{ OPT_LIST, 0, "allow-read", offsetof(type, asked.readable), "PATH", \
	  "a file or directory that the agent may read: where its packages are" }, \
	{ OPT_UINT, 0, "timeout", offsetof(type, asked.timeout), "SECONDS", \
	  "end the agent after this time, instead of the task's own" }, \
	{ OPT_STR, 0, "adapter", offsetof(type, asked.adapter), "NAME", \
	  "name of the agent (default: its program's)" }, \
	{ OPT_STR, 0, "adapter-revision", offsetof(type, asked.revision), "REV", \
	  "its version (default: a digest of the command and the files it names)" }, \
	{ OPT_STR, 0, "advisor-model", offsetof(type, asked.advisor), "NAME", "count calls of this model apart" }, \
	{ OPT_STR, 0, "dataset", offsetof(type, asked.dataset), "NAME@VERSION", "dataset_id of the records" }, \
	{ OPT_LIST, 0, "upstream", offsetof(type, asked.upstreams), "NAME=URL", \
	  "the address of a service: openai, anthropic, ollama, gemini, or a name of yours" }, \
	{ OPT_STR, 0, "prices", offsetof(type, asked.prices), "FILE", \
	  "your own prices, in the form of doc/prices.md" }, \
	{ OPT_UINT, 0, "seed", offsetof(type, asked.seed), "N", "recorded in the lock of each trial (0)" }

/*
 * The job of these options and tasks; each task is read and checked. Its directory and ledger are the caller's. False
 * and *err: ERR_USAGE for an option, ERR_DATA for a task that cannot be run, ERR_IO where no isolation works.
 */
bool trial_job_make(struct arena *a, const struct trial_asked *o, struct args args, struct job *out, struct err *err);

/* The prices of a job, the user's over the built-in ones. NULL and *err. */
const struct prices *trial_job_prices(struct arena *a, struct str path, struct err *err);

extern const char *const trial_run_fields[];

/*
 * Runs the job and tells of it on standard output: a line for each trial that is over, or one JSON document. The
 * program's exit status, or EXIT_FAIL with *err.
 */
int trial_run_job(struct arena *a, struct args args, const struct job *j, struct ledger *l, unsigned jobs,
		  struct opt_maybe json, struct err *err);

#endif
