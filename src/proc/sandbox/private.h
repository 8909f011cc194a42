/* What the files of this directory know of each other. */
#ifndef PROC_SANDBOX_PRIVATE_H
#define PROC_SANDBOX_PRIVATE_H

#include "base/clock.h"
#include "proc/sandbox/sandbox.h"

#define SANDBOX_FAILED 125 /* exit status: the sandbox could not be set up, and the command did not run */

/*
 * The options that stand in the arguments behind "__sandbox", in the arena or pointing into argv. False with *err
 * (ERR_USAGE) for what sandbox_argv does not make.
 */
bool sandbox_read_arguments(struct arena *a, const char *const *argv, struct sandbox_options *out, struct err *err);

/* A path as the command sees it; absent when it does not. */
struct str sandbox_place(struct arena *a, const struct sandbox_options *o, struct str outside);

/* Runs the command; an exit status. */
int sandbox_run_command(struct arena *a, const struct sandbox_options *o);

/* One line on standard error. */
void sandbox_complain(const struct err *err);

/* ---- report.c ---- */

#define SANDBOX_KINDS 256     /* different things that were denied; more are added up by their call */
#define SANDBOX_WHAT_MOST 256 /* bytes kept of an address or a path */

struct sandbox_tally {
	struct sandbox_denial rows[SANDBOX_KINDS];
	size_t count;
	struct arena *arena;
	uint64_t began_ns;
};

/*
 * So many more denied attempts; nothing for 0. Their number has no limit, what is kept of them has: long texts are cut,
 * and when the rows are full, further ones are counted by their call alone.
 */
void sandbox_tally_add(struct sandbox_tally *t, struct str call, struct str what, uint64_t count);

/* Writes it in the place of what is there. False with *err (ERR_IO). */
bool sandbox_report_write(struct str path, const struct sandbox_report *r, struct err *err);

#endif
