/* Figures of pairs. Nothing is kept between calls; tests are few, so lists of them stand on the stack. */
#include "transform/paired.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

#define PAIRED_TESTS 16
#define PAIRED_ALPHA 0.05
#define PAIRED_ROUNDING 1e-12
#define RULE_OF_THREE 3.0

/* Means of the same values in another order differ in their last digits, and always the same way: that is nothing. */
static double paired_difference(double a, double b)
{
	return fabs(a - b) <= PAIRED_ROUNDING * fmax(fabs(a), fabs(b)) ? 0 : a - b;
}

struct paired paired_test(const double *a, const double *b, size_t n, struct stats_random *r)
{
	double *d = mem_alloc((n + 1) * sizeof(*d));
	struct paired t = { .n = n, .mean_a = stats_mean_of(a, n, PAIRED_LEVEL).mean,
			    .mean_b = stats_mean_of(b, n, PAIRED_LEVEL).mean, .effect = NAN, .permutation = NAN,
			    .p = NAN, .holm = NAN, .detectable = NAN, .needed = NAN };

	for (size_t i = 0; i < n; i++)
		d[i] = paired_difference(a[i], b[i]);
	t.difference = stats_mean_of(d, n, PAIRED_LEVEL);
	if (t.difference.se > 0)
		t.effect = t.difference.mean / (t.difference.se * sqrt((double)n));
	if (n)
		t.permutation = stats_permutation(d, n, STATS_RESAMPLES, r);
	t.p = t.permutation;
	mem_free(d);
	return t;
}

/*
 * The variance of a pair's part in the mean is what its standard error comes from. With several tests each must do with
 * its share of the level.
 */
void paired_plan(uint64_t n, double se, double mean, bool is_share, size_t family, double *detectable, double *needed)
{
	double level = 1 - PAIRED_ALPHA / (double)(family ? family : 1), variance = se * se * (double)n, unit;

	*detectable = *needed = NAN;
	if (se > 0) {
		*detectable = stats_detectable(n, variance, level, PAIRED_POWER);
		unit = stats_detectable(1, variance, level, PAIRED_POWER) / mean;
		if (mean != 0)
			*needed = ceil(unit * unit);
	} else if (is_share && n) {
		*detectable = fmin(1, RULE_OF_THREE / (double)n);
	}
}

size_t paired_answer_all(struct paired *tests, const bool *more_is_better, const bool *is_share, size_t count)
{
	double p[PAIRED_TESTS] = { 0 }, holm[PAIRED_TESTS];
	size_t family = 0, at = 0;

	assert(count <= PAIRED_TESTS);
	for (size_t i = 0; i < count; i++)
		if (tests[i].n >= PAIRED_LEAST)
			p[family++] = tests[i].p;
	stats_holm(p, holm, family);
	for (size_t i = 0; i < count; i++) {
		struct paired *t = &tests[i];

		paired_plan(t->n, t->difference.se, t->difference.mean, is_share[i], family, &t->detectable,
			    &t->needed);
		t->answer = PAIRED_NOT_ENOUGH;
		if (t->n < PAIRED_LEAST)
			continue;
		t->holm = holm[at++];
		t->answer = PAIRED_NO_DIFFERENCE;
		if (t->holm < PAIRED_ALPHA && t->difference.mean != 0)
			t->answer = (t->difference.mean > 0) == more_is_better[i] ? PAIRED_A_BETTER : PAIRED_B_BETTER;
	}
	return family;
}
