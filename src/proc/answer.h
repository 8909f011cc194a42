/*
 * What another program answers: it is run with the environment as it is, nothing on its standard input, and what it
 * writes is kept. For short-lived tools that are asked something; a child that has our terminal is child.h.
 */
#ifndef PROC_ANSWER_H
#define PROC_ANSWER_H

#include "base/buf.h"
#include "base/err.h"

#define ANSWER_COMPLAINT ((size_t)64 << 10) /* bytes kept of its standard error */

struct answer {
	struct buf out, complaint; /* standard output and standard error; the caller's to free, whatever happened */
	int status;                /* of its end */
	int signal;                /* that ended it, or 0 */
};

/* Empty; one answer can be used for several programs, one after the other. */
void answer_init(struct answer *a);
void answer_free(struct answer *a);

/*
 * Runs it to its end and waits; argv is NULL-ended, and the program is looked for in PATH. False when it could not be
 * started (errnum in *err is ENOENT when there is none), wrote more than `limit` bytes (ERR_LIMIT), or we are to stop
 * (ERR_IO): it is then ended. What it wrote until then is in *a. How it ended by itself is for the caller to judge.
 */
bool answer_get(struct answer *a, const char *const *argv, size_t limit, struct err *err);

/*
 * The same for a tool that may hang: after `ms` milliseconds it is ended, with everything that it started and that is
 * still in its process group, and the answer is false (ERR_LIMIT; errnum ETIMEDOUT). It is in a group of its own, so
 * that the terminal's Ctrl-C does not reach it; we do then, as above.
 */
bool answer_get_within(struct answer *a, const char *const *argv, size_t limit, unsigned ms, struct err *err);

#endif
