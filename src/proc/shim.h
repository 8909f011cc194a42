/*
 * A command run in the place of another process, which must not be noticed: it has our terminal, process group,
 * descriptors and signals, and we end as it ended. What it took is measured, and what it wrote, where that goes to
 * a pipe, a socket or a file: a terminal is left alone.
 *
 * Who is told of a signal: the terminal tells the command itself; what somebody sends to us alone is passed on. When we
 * are killed the command is, too.
 */
#ifndef PROC_SHIM_H
#define PROC_SHIM_H

#include "proc/relay.h"

struct shim_end {
	int status;    /* as waitpid has it; of a shim that was killed, SIGKILL */
	int64_t begun_ns, ended_ns; /* since 1970 */
	int64_t cpu_ns; /* with that of children that it waited for; negative: not known */
	int64_t out, err; /* bytes written; negative: not known. Where both go the same way, out has them all */
	struct relay_tally written; /* stream 0 is standard output; texts only where they were to be kept */
};

struct shim_options {
	const char *path; /* of the program */
	char *const *argv, *const *env; /* NULL-ended */
	size_t keep;      /* bytes of its output to keep; 0: none */
	/* Once, when it is over; perhaps in another process than the caller's, just before shim_run returns. */
	void (*ended)(void *context, const struct shim_end *end);
	void *context;
};

/*
 * Runs it and waits. The status as waitpid has it; -1 and errno when it could not be started: then `ended` is not
 * called. Signals stay blocked, and descriptors are closed unless it could not be started: what is left to do is
 * shim_leave.
 */
int shim_run(const struct shim_options *o);

/* Becomes the program; a script without "#!" is the shell's, as it is for every shell. Returns only with an errno. */
void shim_execute(const char *path, char *const *argv, char *const *env);

/* Ends this process as the command ended. */
_Noreturn void shim_leave(int status);

#endif
