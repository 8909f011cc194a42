/*
 * A against B on the same tasks: values in pairs to the mean difference with its interval, an effect size, a p, and
 * what difference so many pairs could have shown at all. Everything is A minus B. Pure, as stats.h is.
 */
#ifndef TRANSFORM_PAIRED_H
#define TRANSFORM_PAIRED_H

#include "transform/stats.h"

#define PAIRED_LEVEL 0.95
#define PAIRED_POWER 0.8
#define PAIRED_LEAST 6 /* pairs: below, not even outcomes that all go one way have a p below 0.05: 2 / 2^5 is .0625 */

enum paired_answer {
	PAIRED_NOT_ENOUGH,    /* whatever the values were, they could not have shown a difference */
	PAIRED_NO_DIFFERENCE, /* none was shown, which is not the same as none being there */
	PAIRED_A_BETTER,
	PAIRED_B_BETTER,
};

/* What cannot be computed is NaN. */
struct paired {
	uint64_t n;
	double mean_a, mean_b;
	struct stats_mean difference;
	double effect;      /* mean difference by the standard deviation of differences (Cohen's d_z) */
	double permutation; /* sign flips of the differences */
	double p, holm;     /* the one that decides (the caller may set another), what is left of it in its family */
	double detectable, needed; /* see paired_plan */
	enum paired_answer answer;
};

/*
 * All but p's successors (holm, detectable, needed, answer). `r` is what the permutation draws from. Values that differ
 * in their last digits alone do not differ.
 */
struct paired paired_test(const double *a, const double *b, size_t n, struct stats_random *r);

/*
 * The smallest mean difference that so many pairs show with 80 % power, and how many pairs would show the one seen,
 * when the family has so many tests. `se` is that of the mean difference. Differences that are all the same promise to
 * show anything: of shares, three in n may then still differ (the rule of three); else NaN.
 */
void paired_plan(uint64_t n, double se, double mean, bool is_share, size_t family, double *detectable, double *needed);

/*
 * Holm's correction over those of the tests that have pairs enough; then plan and answer of each. more_is_better and
 * is_share stand for each test. Gives the size of the family. At most 16 tests.
 */
size_t paired_answer_all(struct paired *tests, const bool *more_is_better, const bool *is_share, size_t count);

#endif
