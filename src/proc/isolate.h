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
 * Enters the namespace, for good; to be called before any thread is made. False and *err, with nothing changed, where
 * the kernel does not allow it.
 */
bool isolate_network(struct isolation *out, struct err *err);

/* Connections and messages that found no route since then. */
uint64_t isolate_attempts(const struct isolation *i);

#endif
