/*
 * A child process on a libuv loop whose output we read: for a program that answers in its own time, many at once. Its
 * standard output is given away as it comes; its standard error is kept, up to a limit. It is in a session of its own:
 * it has no terminal to ask questions on, Ctrl-C does not reach it, and it can be ended with everything it started.
 * (A tool that is asked something short is answer.h, a child that has our terminal child.h.)
 *
 * Nothing is left behind: whoever ended is waited for, and a piped frees itself when it is over. Until then the loop
 * stays alive. When a child has ended and others still hold its streams open, they are ended too after a moment.
 */
#ifndef PROC_PIPED_H
#define PROC_PIPED_H

#include <uv.h>

#include "base/err.h"
#include "base/str.h"

#define PIPED_COMPLAINT ((size_t)64 << 10) /* bytes kept of its standard error */
#define PIPED_GRACE_MS 2000                /* from SIGTERM to SIGKILL */

struct piped;

struct piped_end {
	int status;           /* of its end */
	int signal;           /* that ended it, or 0 */
	bool overflown;       /* it wrote more than it may, and was ended for it */
	struct str complaint; /* lasts for the call */
	uint64_t ended_ns;    /* clock_mono_ns when we learned that it had ended */
};

/* argv, env and input need to live only until piped_start returns. */
struct piped_options {
	const char *const *argv; /* NULL-ended, at least one; a program without a slash is looked for in our PATH */
	const char *const *env;  /* NULL-ended "NAME=value"; NULL: as ours */
	struct str input;        /* what it reads on its standard input; p NULL: nothing at all */
	uint64_t limit;          /* bytes of its standard output; 0 for no limit */
	void (*data)(void *own, struct str bytes); /* from the loop; the bytes last for the call */
	void (*ended)(void *own, const struct piped_end *end); /* once, from the loop; the piped is gone after it */
	void *own;
};

/*
 * Starts it; the loop must run for anything to be told. NULL and *err (ERR_IO; errnum ENOENT when there is no such
 * program) when it cannot be started: then neither `data` nor `ended` is called. Unblocks SIGCHLD in the calling
 * thread.
 */
struct piped *piped_start(uv_loop_t *loop, const struct piped_options *o, struct err *err);

/* Its process id, which is also the id of its session; its own until `ended`. */
int piped_pid(const struct piped *p);

/*
 * Ends it and everything that it started: SIGTERM, and SIGKILL for those who are there 2 s later. `ended` is told. May
 * be called again; what has ended already is left alone.
 */
void piped_stop(struct piped *p);

/* The same, and nobody wants to hear of it any more: neither `data` nor `ended` is called again. */
void piped_forget(struct piped *p);

#endif
