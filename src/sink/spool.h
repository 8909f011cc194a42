/*
 * Output that must be all or nothing: bytes are kept back until it is known that they are wanted, in
 * memory at first and in an unnamed temporary file once they are many, then written in one go.
 */
#ifndef SINK_SPOOL_H
#define SINK_SPOOL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

#define SPOOL_MEMORY ((size_t)16 << 20)

struct spool {
	struct buf memory;
	int fd; /* of the temporary file, or -1 */
	uint64_t bytes;
	char last; /* byte added; 0 when there is none */
};

/* Nothing kept. spool_free forgets the bytes, and with them the temporary file, which has no name by then. */
void spool_init(struct spool *s);
void spool_free(struct spool *s);

/* False when the temporary file cannot be made or written (the message names its directory). */
bool spool_add(struct spool *s, struct str bytes, struct err *err);

/* Writes everything to `fd`, in order. Its own failure to read back names the directory, that of `fd` does not. */
bool spool_release(struct spool *s, int fd, struct err *err);

/* The same piece by piece to a function. */
bool spool_pass(struct spool *s, bool (*put)(void *context, struct str bytes, struct err *err), void *context,
		struct err *err);

#endif
