/*
 * Paths to a list of runs, for `runs` and `show`: directories of runs by their small files, everything else as logs of
 * any format, in memory that does not grow with them. Files that are no logs are skipped where nobody named them.
 */
#ifndef CMD_RUNS_LOAD_H
#define CMD_RUNS_LOAD_H

#include "cmd/logs.h"
#include "flow/run_table.h"
#include "flow/trace_load.h"

struct runs_load {
	struct arena *arena;
	const struct frame *frame;
	struct run_table *table;
	/* how logs are read */
	const struct dialect *as; /* NULL: by content */
	unsigned jobs;
	bool permissive;
	const struct prices *prices;
	const struct source_io *io; /* NULL: the system's */
	/* who else wants to know; each may be NULL */
	void (*row)(void *context, size_t run, const struct trace_row *r); /* `run` is its place in the table */
	void (*event)(void *context, const struct event *e);               /* of logs with content, before its rows */
	void (*begin)(void *context, const struct dialect *from);          /* a log begins */
	void *context;
	/* what came of it */
	struct logs logs;
	const struct dialect *format; /* of the last log that held a run */
};

/*
 * Adds the runs of all paths to the table. What cannot be read is told on standard error and counted in logs.failed.
 * False with *err only when it cannot go on.
 */
bool runs_load_paths(struct runs_load *l, const struct str *paths, size_t count, struct err *err);

#endif
