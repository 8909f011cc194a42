/*
 * Quantiles of values that come one after the other. All are kept up to a limit; beyond it a sample of that size, drawn
 * so that each value has the same chance to be in it (Vitter's algorithm R), by a sequence that is always the same.
 */
#ifndef TRANSFORM_QUANTILE_H
#define TRANSFORM_QUANTILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct quantile {
	struct buf values; /* double */
	size_t limit;      /* of values kept */
	uint64_t seen;     /* finite values that were added */
	uint64_t state; /* of the sequence */
	bool sorted;    /* `values` are, as far as they go */
};

/*
 * Begins without values, and gives them back. `limit` is how many are kept, 1 at least; memory grows up to eight bytes
 * for each.
 */
void quantile_init(struct quantile *q, size_t limit);
void quantile_free(struct quantile *q);

/* Adds a value. What is not finite is left out, and is not counted as seen. */
void quantile_add(struct quantile *q, double v);

/* Whether figures are those of a sample: more values have come than are kept. */
bool quantile_is_estimated(const struct quantile *q);

/*
 * The value below which the share `p` (0 to 1) of all lies, interpolated between neighbours as most programs do (type 7
 * of Hyndman and Fan). A `p` outside is taken for the end next to it. 0 when there is no value: ask for `seen` first.
 * Sorts what is kept.
 */
double quantile_get(struct quantile *q, double p);

/* The same of values that are sorted already. */
double quantile_of_sorted(const double *values, size_t n, double p);

#endif
