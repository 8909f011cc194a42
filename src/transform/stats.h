/*
 * The statistics of benchmarks and trials, in one place: intervals for rates and means, paired comparisons, corrections
 * for many tests, how small a difference could be seen at all. Pure functions of numbers; what is random draws from a
 * generator whose seed the caller gives and reports, so that a figure can be made again to the last digit.
 *
 * Levels are those of two-sided intervals: 0.95. Methods are named after who described them.
 */
#ifndef TRANSFORM_STATS_H
#define TRANSFORM_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_writer;

struct interval {
	double low, high;
};

/* The member [low, high]; null when one of them is not finite. */
void stats_put_interval(struct json_writer *w, const char *name, struct interval i);

/* ---- distributions ---- */

/*
 * Quantiles are found by halving an interval: slow, but right to the last digits. p is from 0 to 1; a, b and df are
 * above 0, which is not checked.
 */
double stats_normal_quantile(double p);           /* of 0 and 1: infinite */
double stats_t_quantile(double p, double df);
double stats_beta_cdf(double x, double a, double b); /* regularised incomplete beta function */
double stats_beta_quantile(double p, double a, double b);
double stats_binomial_cdf(uint64_t k, uint64_t n, double p); /* P(X <= k) */

/* ---- rates: k of n. NaN for n = 0 ---- */

/* Wilson's score interval: good for all n, and the default. */
struct interval stats_wilson(uint64_t k, uint64_t n, double level);

/* The exact one of Clopper and Pearson: never too narrow, often too wide. */
struct interval stats_clopper_pearson(uint64_t k, uint64_t n, double level);

/* The Bayesian one by Jeffreys' prior; 0 and 1 at its ends when k is 0 or n. */
struct interval stats_jeffreys(uint64_t k, uint64_t n, double level);

/* Of n tries of which c passed: whether one of k would pass (Chen 2021), and whether all k would. NaN when k > n. */
double stats_pass_at(uint64_t n, uint64_t c, uint64_t k);
double stats_pass_all(uint64_t n, uint64_t c, uint64_t k);

/* ---- means ---- */

struct stats_mean {
	uint64_t n, clusters; /* clusters = n when nothing was said of them */
	double mean;
	double se;       /* NaN below two (clusters); 0 when values differ in their last digits alone */
	double df;       /* clusters - 1; below 1 there is no interval */
	struct interval interval; /* Student's t; NaN without an error */
};

/* The mean of independent values; the mean of none is NaN. */
struct stats_mean stats_mean_of(const double *x, size_t n, double level);

/*
 * Values of the same cluster (a task that was tried several times) are not independent: the error is that of cluster
 * sums. `cluster` has a number below `clusters` for each value.
 */
struct stats_mean stats_mean_clustered(const double *x, const uint32_t *cluster, size_t n, size_t clusters,
				       double *sums, double level); /* sums: room for `clusters` */

/*
 * The interval of a rate whose tries of a cluster are not independent, which Wilson's takes them to be: that of the
 * mean of zeros and ones, kept within 0 and 1. Where clusters do not differ, or there is but one, Wilson's of so many
 * tries as there are clusters. NaN for n = 0.
 */
struct interval stats_rate_clustered(const struct stats_mean *m, double level);

/* ---- A against B, on the same tasks ---- */

/*
 * Exact, two-sided p, of the tasks only A passed and only B passed; 1 when there are none. `mid` counts half of the
 * chance of what was seen: less conservative.
 */
double stats_mcnemar(uint64_t only_a, uint64_t only_b, bool mid);

/* ---- many tests: `adjusted` in the order of p ---- */

/*
 * Holm's correction: each p becomes what is left of it when all n tests are taken together, at most 1. No p may be NaN.
 * Takes time by the cube of n: tests are few.
 */
void stats_holm(const double *p, double *adjusted, size_t n);

/* ---- percentiles ---- */

/*
 * The order statistics (ranks from 1) between which the p-quantile, 0 < p < 1, lies with at least this level. 0 for a
 * low end, n + 1 for a high end that n values are too few for.
 */
void stats_rank_interval(uint64_t n, double p, double level, uint64_t *low, uint64_t *high);

/*
 * How many values lie far from the others: those whose modified z-score, 0.6745 |x - median| / MAD, is above 3.5
 * (Iglewicz and Hoaglin 1993). `least` is what the MAD is taken for when it is smaller, as where values are rounded. 0
 * of no values.
 */
uint64_t stats_outliers(const double *sorted, size_t n, double least);

/* ---- planning ---- */

/*
 * The smallest difference that `n` pairs show with this power, when differences have this variance (of a pair, repeats
 * taken into account): Miller 2024, section 5. NaN for n = 0.
 */
double stats_detectable(uint64_t n, double variance, double level, double power);

/* ---- chance, repeatable ---- */

struct stats_random {
	uint64_t s[4]; /* xoshiro256** */
};

/* The same seed gives the same numbers on every machine. Any seed will do, 0 too. Not for secrets. */
void stats_random_init(struct stats_random *r, uint64_t seed);

/* The next 64 bits. */
uint64_t stats_random_next(struct stats_random *r);
uint64_t stats_random_below(struct stats_random *r, uint64_t n); /* 0 to n - 1, without bias */

#define STATS_RESAMPLES 10000

/*
 * Sign-flip permutation test of paired differences (per cluster: their sums): two-sided p, (hits + 1) / (tries + 1).
 * When all 2^n flips are no more than `tries`, each is tried once, p is hits / 2^n and `r` is not used; so p is 1 for n
 * = 0.
 */
double stats_permutation(const double *differences, size_t n, size_t tries, struct stats_random *r);

/*
 * Percentile bootstrap of the mean over clusters: sums and counts of each, resampled with replacement. `scratch` has
 * room for `tries` and is overwritten. NaN at both ends without clusters or tries.
 */
struct interval stats_bootstrap(const double *sums, const uint64_t *counts, size_t clusters, size_t tries, double level,
				struct stats_random *r, double *scratch);

#endif
