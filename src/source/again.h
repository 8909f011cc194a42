/*
 * Standard input that is opened twice: for a look at its beginning, and then to be read from there again. What the
 * first reader took is kept in memory for the second, so the first should take little.
 */
#ifndef SOURCE_AGAIN_H
#define SOURCE_AGAIN_H

#include "base/buf.h"
#include "source/io.h"

struct again {
	const struct source_io *system;
	struct buf kept; /* what the first reader took */
	size_t at;       /* how much of it the second has */
	unsigned opened; /* how often standard input was */
};

/* A table of the system's calls with standard input by *g, which must stay where it is until again_free. */
struct source_io again_io(struct again *g);

/* Forgets what was kept; nobody may read by the table any more. */
void again_free(struct again *g);

#endif
