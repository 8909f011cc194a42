/*
 * Keeps values in the order they came until one is asked for, then sorts them once. Sorting does no harm to the sample:
 * which value is replaced is drawn by chance anyway.
 */
#include "transform/quantile.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"

void quantile_init(struct quantile *q, size_t limit)
{
	assert(limit > 0);
	*q = (struct quantile){ .limit = limit, .state = UINT64_C(0x9e3779b97f4a7c15) };
	buf_init(&q->values);
}

void quantile_free(struct quantile *q)
{
	buf_free(&q->values);
}

/* Values that are kept, which may be fewer than were seen. */
static size_t count(const struct quantile *q)
{
	return q->values.n / sizeof(double);
}

/* xorshift64*, Vigna: more than good enough to draw a sample with. */
static uint64_t draw(struct quantile *q)
{
	q->state ^= q->state >> 12;
	q->state ^= q->state << 25;
	q->state ^= q->state >> 27;
	return q->state * UINT64_C(0x2545f4914f6cdd1d);
}

void quantile_add(struct quantile *q, double v)
{
	if (!isfinite(v))
		return;
	q->seen++;
	if (count(q) < q->limit) {
		buf_add(&q->values, &v, sizeof(v));
		q->sorted = false;
	} else {
		uint64_t at = draw(q) % q->seen;

		if (at >= q->limit)
			return;
		memcpy(q->values.p + at * sizeof(v), &v, sizeof(v));
		q->sorted = false;
	}
}

bool quantile_is_estimated(const struct quantile *q)
{
	return q->seen > q->limit;
}

double quantile_of_sorted(const double *values, size_t n, double p)
{
	double at = (double)(n ? n - 1 : 0) * (p < 0 ? 0 : p > 1 ? 1 : p);
	size_t below = (size_t)at;

	if (n == 0)
		return 0;
	if (below + 1 == n)
		return values[below];
	return values[below] + (at - (double)below) * (values[below + 1] - values[below]);
}

double quantile_get(struct quantile *q, double p)
{
	size_t n = count(q);

	if (!q->sorted && n)
		qsort(q->values.p, n, sizeof(double), num_cmp_doubles);
	q->sorted = true;
	return quantile_of_sorted((const double *)(const void *)q->values.p, n, p);
}
