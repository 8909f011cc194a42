/*
 * How much time something took of the clock, however many did it at once: the union of intervals, in memory that does
 * not grow with their number. They may come in any order. In the order of their ends, as a trace has them, adding one
 * costs next to nothing; those that come far from the end wait, and are sorted in all at once.
 *
 * What is kept are intervals that do not touch, and of each how much of it was covered. When there are SPANS_MAX of
 * them, those with the smallest gaps between them are joined; the sum stays exact, and only what comes later and
 * falls into such a gap is counted as if the gap lay anywhere in the joined piece.
 */
#ifndef TRANSFORM_SPANS_H
#define TRANSFORM_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define SPANS_MAX 65536

struct span {
	int64_t from, to;
	int64_t covered; /* of the time between them */
};

struct spans {
	struct buf list; /* struct span, in order */
	struct buf late; /* struct span, in no order, still to be sorted in */
	bool joined;     /* some gaps are not known any more */
};

/* Begins with no time covered. */
void spans_init(struct spans *s);

/* Gives the lists back. */
void spans_free(struct spans *s);

/*
 * Adds an interval; nothing when `to` is before `from`. Both within 2^61 of zero, so that differences fit. The unit is
 * the caller's.
 */
void spans_add(struct spans *s, int64_t from, int64_t to);

/* Sorts in what still waits. To be called before the functions below. */
void spans_settle(struct spans *s);

/* The time covered in all: exact, unless s->joined. */
int64_t spans_sum(const struct spans *s);

/* How many pieces that do not touch there are; at most SPANS_MAX. */
size_t spans_count(const struct spans *s);

/* The piece at this place, from 0, in the order of time; valid until the next spans_add. */
const struct span *spans_at(const struct spans *s, size_t i);

#endif
