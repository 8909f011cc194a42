/*
 * This process and its children without a network: a namespace with nothing but loopback. Whoever tries to leave is
 * told at once that there is no route, and the kernel counts it. Only Linux has this (isolate_linux.c).
 */
#ifndef PROC_ISOLATE_H
#define PROC_ISOLATE_H

#include "base/err.h"

#include <stdint.h>

struct isolation {
	uint64_t before; /* attempts that were counted when it began */
};

/*
 * Enters the namespace, for good; to be called before any thread is made. Sockets that somebody handed to us belong to
 * the network outside for ever, so children do not get those that are behind standard error, but for Unix sockets.
 * False and *err, with nothing changed, where the kernel does not allow it.
 */
bool isolate_network(struct isolation *out, struct err *err);

/* Connections and messages that found no route since then. */
uint64_t isolate_attempts(const struct isolation *i);

/* From here on every process below us stays below us, whoever of its parents ends. */
void isolate_keep_processes(void);

/* Ends those that are left, and waits for them, at most that long. How many there were. */
uint64_t isolate_end_processes(unsigned most_ms);

#endif
