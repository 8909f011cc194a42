/*
 * Runs a program that nobody vouches for: a checker that a suite brought along. In any case it gets no shell, a clean
 * environment (PATH, LANG, HOME=/tmp; keys of services are in the rest), limits of memory (of each process, and of all
 * of them in sum: sandbox_memory.h), processor time, size of files and number of processes, a process group of its own,
 * and a limit of time, after which it is killed with all that it started. Its input is a file in memory: there is no
 * pipe to fill up, and a program that does not read is none the worse for it.
 *
 * Locked in (with bubblewrap) it has no network, sees the file system read-only, has a /tmp of its own, an empty /run
 * (where the sockets of services are), a process namespace of its own that dies with us, and no privileges or ways to
 * gain any. Without it, it can reach whatever the user can; what leaves its process group outlives it.
 *
 * The number of processes is not limited for root: the kernel does not.
 */
#ifndef BENCH_VALIDATE_SANDBOX_H
#define BENCH_VALIDATE_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define SANDBOX_MEMORY ((uint64_t)4 << 30) /* bytes of address space of each process */
#define SANDBOX_FILE ((uint64_t)64 << 20)  /* bytes of a file, and of all in its /tmp */
#define SANDBOX_PROCESSES 256              /* more than are running now */

/* Whether programs can be locked in: bwrap is there, and may make namespaces. Tries it; some milliseconds. */
bool sandbox_works(void);

struct sandbox_job {
	const char *const *argv; /* NULL-ended */
	struct str input;        /* all of it can be read from standard input */
	int64_t limit_ms;
	uint64_t memory; /* bytes of all its processes together; 0: its share of the machine's */
	bool locked;
};

/*
 * Runs the program and waits for it; blocks the calling thread for up to limit_ms and a little more. Gives the exit
 * status; -1 and *why, a constant, when there is none: "command_timeout", "command_error: ..." (no such program, cannot
 * be started, ended by a signal, too much memory). *why means nothing with a status. With `locked` and no bwrap it is
 * not run.
 */
int sandbox_run(const struct sandbox_job *job, const char **why);

#endif
