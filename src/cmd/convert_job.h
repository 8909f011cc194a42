/* One conversion as `trackway convert` makes it, for other commands that are a conversion too. */
#ifndef CMD_CONVERT_JOB_H
#define CMD_CONVERT_JOB_H

#include "cmd/frame/command.h"
#include "model/event.h"

/* The options of the command line; see the table of cmd_convert.c. */
struct convert_opts {
	struct str to, from, output, coverage_json, prices, start;
	bool coverage, chunks, no_cost, no_digest, permissive, flat, update;
	bool anew; /* a trace that was one before is made anew, without what nobody knows; no option */
	unsigned jobs;
	size_t max_record;
};

/*
 * Runs it; `seen` (NULL: nobody) gets every finished event before it is written. A new file has `mode`, less the umask.
 * The exit status, or EXIT_FAIL with *err.
 */
int convert_job_run(struct arena *a, const struct convert_opts *o, struct args args, unsigned mode,
		    void (*seen)(void *context, const struct event *e), void *context, struct err *err);

#endif
