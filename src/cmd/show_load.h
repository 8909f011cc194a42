/*
 * From a path to the profile of a run. An agent-trace is read by all cores (flow/profile.h); any other log through the
 * one door for logs (flow/trace_load.h), which also gives a list of the runs it holds, since it may hold several.
 */
#ifndef CMD_SHOW_LOAD_H
#define CMD_SHOW_LOAD_H

#include "cmd/runs_load.h"
#include "flow/profile.h"
#include "flow/profile_fold.h"
#include "trial/signals.h"

struct show_load {
	struct arena *arena;
	const struct frame *frame;
	unsigned jobs;
	bool permissive;
	size_t row_limit;
	const struct dialect *as;
	const struct prices *prices;
	const struct source_io *io; /* NULL: the system's */
	struct str run; /* which of several: its number, its id or six characters of that; p NULL: the first */
	/* out; the profile is to be freed whatever came of it */
	struct profile profile;
	struct signals signals;
	struct run_table table; /* show_load_log: all runs of the log */
	size_t chosen;          /* which of them has the profile; SIZE_MAX: none matches `run` */
	const char *format;
	uint64_t failed;        /* inputs that could not be read; they were told */
	/* while it is read */
	struct profile_fold fold;
	struct arena events; /* of the run at hand */
	struct signals said; /* the same */
	struct signals_fold *said_fold;
	const struct dialect *from;
	bool several; /* more than one run matches */
};

/*
 * Profiles an agent-trace, and its errors by the transcript beside it, if there is one. False and *err as profile_run.
 */
bool show_load_trace(struct show_load *l, struct str path, struct err *err);

/*
 * Profiles one run of any log, with the errors that its content tells. False and *err when it cannot go on, or when
 * several runs match `run`; inputs that cannot be read are told and counted.
 */
bool show_load_log(struct show_load *l, struct str path, struct err *err);

void show_load_free(struct show_load *l);

#endif
