/*
 * A child process on a libuv loop that has our terminal, process group, standard input, output and error as they are,
 * and every descriptor that was given to us (those we open ourselves are closed in it). Signals that reach us are
 * passed on, but not those that the terminal gave to the whole group already. Somebody who sends a signal to the whole
 * group by kill sends it twice: nothing tells that from a signal to us alone. A child that stops while it has the
 * terminal stops us, too, and goes on with us.
 *
 * From child_start to child_close SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 and SIGWINCH are blocked in the
 * calling thread and read by the loop, so base/stop.h notes none of them: the child decides what they mean. Signals
 * that are ignored stay ignored, in the child as in us. Threads inherit the blocking when they are made after
 * child_start; one made before, with these signals open, would take them away from the child.
 */
#ifndef PROC_CHILD_H
#define PROC_CHILD_H

#include <uv.h>

#include "base/err.h"
#include "base/str.h"

struct child;

/* argv and env are not copied, and need to live only until child_start returns. */
struct child_options {
	const char *const *argv; /* NULL-ended, at least one; the program is looked for in the PATH of env */
	const char *const *env;  /* NULL-ended "NAME=value" */
	int in, out;             /* descriptors for its standard input and output; 0: ours */
	const char *path;        /* of the program, where it is known already; NULL */
	bool dies_with_us;       /* killed, it is killed too: by the end of the thread that starts it */
	void (*ended)(void *context, int status, int signal); /* exit status, or the signal that ended it (else 0) */
	void *context;
};

/*
 * Starts it. Lives until child_free. NULL and *err (ERR_IO: program and reason, with what to do) when it cannot; our
 * signals are then as they were before, and `ended` is not called.
 */
struct child *child_start(uv_loop_t *loop, const struct child_options *o, struct err *err);
/* Its process id, which is its own until `ended`. */
int child_pid(const struct child *c);

/* The latest signal that asked us to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT), complete after child_close; 0: none. */
int child_asked(const struct child *c);

/* Sends a signal. False when it is over. */
bool child_kill(struct child *c, int signal);

/* Lets go of the loop and of the signals; to be called after `ended`, or from it. */
void child_close(struct child *c);
void child_free(struct child *c); /* after the loop has run dry */

#endif
