/*
 * What a child writes, passed on to a descriptor of ours by a libuv loop and seen on the way. Bytes and their order
 * stay as they are. A reader that takes nothing makes the child wait, as it would without us, and never the loop. When
 * the reader leaves, or the bytes cannot be written, our end of the pipe is closed, so that the child learns it. The
 * descriptor belongs to others too: its flags are not touched.
 */
#ifndef PROC_PASSING_H
#define PROC_PASSING_H

#include <uv.h>

#include "base/err.h"
#include "base/str.h"

struct passing;

struct passing_options {
	int to; /* open for writing, and the caller's; no terminal */
	void (*seen)(void *context, struct str bytes); /* from the loop, before they go on; they last for the call */
	void *context;
};

/*
 * Makes the pipe; *end is the child's end, which the caller closes once the child has it. NULL and *err (ERR_IO) when
 * the system has no pipe for us. Keeps the loop alive until the last writer has left, or passing_end or _stop. SIGPIPE
 * must not be deadly.
 */
struct passing *passing_open(uv_loop_t *loop, const struct passing_options *o, int *end, struct err *err);

/*
 * The child has ended. Others may have the pipe: they have `grace_ms`, and then what is in the pipe is the last that
 * passes. However long the reader takes, what was read and what was in the pipe is passed on.
 */
void passing_end(struct passing *p, unsigned grace_ms);

/* Nothing more passes. May be called at any time, and again. */
void passing_stop(struct passing *p);

/* After the loop has run dry. */
void passing_free(struct passing *p);

#endif
