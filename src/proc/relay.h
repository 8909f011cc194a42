/*
 * A process of its own between a command and those who read what it writes: it passes the bytes on, counts them, and
 * may keep a copy. It stays until the last writer has left, so programs that a command leaves behind can go on
 * writing, and it never waits for a reader in a way that could hold up the end of the command.
 */
#ifndef PROC_RELAY_H
#define PROC_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define RELAY_STREAMS 2 /* standard output and standard error; or one, when they are the same */

#define RELAY_ENDS 'e'  /* all streams have ended, and so does this process */
#define RELAY_STAYS 's' /* somebody still writes */

/* Bytes that were read at once, or in so short a time that it does not matter. */
struct relay_piece {
	unsigned stream;
	size_t end; /* where it ends in the copy */
	int64_t ns; /* when it came, since 1970 */
};

struct relay_tally {
	uint64_t bytes[RELAY_STREAMS];
	struct str kept; /* of all streams in the order in which it was read */
	const struct relay_piece *pieces;
	size_t piece_count;
	bool cut; /* there was more than was to be kept */
};

struct relay_options {
	int from[RELAY_STREAMS], to[RELAY_STREAMS]; /* descriptors, above 0; from -1: there is no such stream */
	int control; /* a socket: what is sent there says that the command is over; RELAY_ENDS or _STAYS comes back */
	size_t keep; /* most bytes to be kept */
	/*
	 * The command is over and what it wrote was read; `note` is what the other side sent, empty when that is gone.
	 * Called once; the texts last for the call.
	 */
	void (*over)(void *context, struct str note, const struct relay_tally *t);
	void *context;
};

/*
 * The life of this process: all other descriptors are closed, signals are blocked, and it leaves its session, so that
 * nothing but the end of the streams ends it. Returns when they have ended.
 */
void relay_run(const struct relay_options *o);

#endif
