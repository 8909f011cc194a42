/*
 * Lines that may still change their order: the last few are kept by a number (a time, a place in the source), and the
 * one with the least goes out when there are too many. Lines with equal numbers stay in the order they came in.
 */
#ifndef DIALECT_READING_WAITING_H
#define DIALECT_READING_WAITING_H

#include "base/buf.h"

#define WAITING_MAX 64

struct waiting {
	struct {
		struct buf text;
		int64_t number;
	} lines[WAITING_MAX];
	size_t count;
};

/* Gives back the memory of lines that were not written; a zeroed struct waiting is empty. */
void waiting_free(struct waiting *w);

/*
 * Takes the text of the line over, and leaves other memory in *line, to be used again. With WAITING_MAX lines waiting,
 * the one with the least number is added to `out` first.
 */
void waiting_add(struct waiting *w, struct buf *out, struct buf *line, int64_t number);

/* Adds all lines to `out` in order; memory is kept for more. */
void waiting_drain(struct waiting *w, struct buf *out);

#endif
