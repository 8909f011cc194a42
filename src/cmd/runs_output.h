/*
 * A list of runs for people and for programs: a table as wide as the screen, one JSON document, a JSON object on each
 * line, or fields parted by tabs. `runs` shows it, and `show` of what holds several runs.
 */
#ifndef CMD_RUNS_OUTPUT_H
#define CMD_RUNS_OUTPUT_H

#include "cmd/frame/command.h"
#include "flow/run_table.h"

extern const char *const runs_fields[]; /* of each run in the JSON; ended by NULL */

struct runs_output {
	struct arena *arena;
	const struct frame *frame;
	struct opt_maybe json;
	bool jsonl, plain, raw;
	size_t limit; /* shows so many, the first; 0: all */
	bool paths;   /* the runs were found below paths: where they are is shown, too */
};

/* ERR_USAGE when more than one form is wanted. */
bool runs_output_check(const struct runs_output *o, struct err *err);

/* Whether it is the table. */
bool runs_output_is_table(const struct runs_output *o);

/* Shows the runs on standard output, in their order. An empty list is an empty table: nothing. */
void runs_output_show(const struct runs_output *o, const struct run_table *t);

#endif
