/*
 * Everything rests on two functions, erfc and the incomplete beta function; quantiles are found by halving an interval
 * until its ends are neighbours, which needs no starting value and cannot diverge. Nothing is kept between calls, and
 * where room is needed the caller gives it.
 */
#include "transform/stats.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "json/put.h"
#include "transform/quantile.h"

#define STEPS 400     /* of a continued fraction: far more than double precision needs */
#define HALVINGS 1100 /* of an interval: until nothing is left between its ends */
#define ROUNDING 1e-12 /* of the largest value: what is less lies in the last digits, not in the values */

/* ---- distributions ---- */

double stats_normal_quantile(double p)
{
	double low = -40, high = 40;

	if (!(p > 0))
		return -INFINITY;
	if (!(p < 1))
		return INFINITY;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			break;
		if (erfc(-middle / M_SQRT2) / 2 < p)
			low = middle;
		else
			high = middle;
	}
	return low + (high - low) / 2;
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method. */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = fabs(d) < DBL_MIN ? 1 / DBL_MIN : 1 / d;
	f = d;
	for (int m = 1; m < STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double change;

		for (int i = 0; i < 2; i++) {
			double term = i == 0 ? even : odd;

			d = 1 + term * d;
			d = fabs(d) < DBL_MIN ? 1 / DBL_MIN : 1 / d;
			c = 1 + term / c;
			c = fabs(c) < DBL_MIN ? DBL_MIN : c;
			change = c * d;
			f *= change;
		}
		if (fabs(change - 1) < DBL_EPSILON)
			break;
	}
	return f;
}

double stats_beta_cdf(double x, double a, double b)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2)) /* where the fraction converges fast */
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double stats_beta_quantile(double p, double a, double b)
{
	double low = 0, high = 1;

	for (int i = 0; i < HALVINGS; i++) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			break;
		if (stats_beta_cdf(middle, a, b) < p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* T and beta: P(|T| > t) = I(df / (df + t^2); df / 2, 1 / 2). */
double stats_t_quantile(double p, double df)
{
	double x;

	if (p == 0.5)
		return 0;
	x = stats_beta_quantile(p < 0.5 ? 2 * p : 2 * (1 - p), df / 2, 0.5);
	return (p < 0.5 ? -1 : 1) * sqrt(df * (1 - x) / x);
}

double stats_binomial_cdf(uint64_t k, uint64_t n, double p)
{
	return k >= n ? 1 : stats_beta_cdf(1 - p, (double)(n - k), (double)k + 1);
}

/* ---- rates ---- */

static const struct interval unknown = { NAN, NAN };

static struct interval wilson(double p, double n, double level)
{
	double z = stats_normal_quantile(0.5 + level / 2);
	double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
	double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);

	/* At the ends the formula is exact, its digits are not. */
	return (struct interval){ p <= 0 ? 0 : middle - half, p >= 1 ? 1 : middle + half };
}

struct interval stats_wilson(uint64_t k, uint64_t n, double level)
{
	assert(k <= n);
	return n ? wilson((double)k / (double)n, (double)n, level) : unknown;
}

struct interval stats_rate_clustered(const struct stats_mean *m, double level)
{
	if (m->n == 0)
		return unknown;
	if (!(m->se > 0))
		return wilson(m->mean, (double)m->clusters, level);
	return (struct interval){ fmax(m->interval.low, 0), fmin(m->interval.high, 1) };
}

/* The ends are quantiles of beta distributions; at k = 0 and k = n one of them is not defined, and 0 or 1. */
struct interval stats_clopper_pearson(uint64_t k, uint64_t n, double level)
{
	double tail = (1 - level) / 2;

	if (n == 0)
		return unknown;
	return (struct interval){
		k == 0 ? 0 : stats_beta_quantile(tail, (double)k, (double)(n - k + 1)),
		k == n ? 1 : stats_beta_quantile(1 - tail, (double)k + 1, (double)(n - k)),
	};
}

struct interval stats_jeffreys(uint64_t k, uint64_t n, double level)
{
	double tail = (1 - level) / 2;

	if (n == 0)
		return unknown;
	return (struct interval){
		k == 0 ? 0 : stats_beta_quantile(tail, (double)k + 0.5, (double)(n - k) + 0.5),
		k == n ? 1 : stats_beta_quantile(1 - tail, (double)k + 0.5, (double)(n - k) + 0.5),
	};
}

/* 1 - C(n - c, k) / C(n, k), as a product: the binomials themselves would overflow. */
double stats_pass_at(uint64_t n, uint64_t c, uint64_t k)
{
	double none = 1;

	if (k > n || c > n)
		return NAN;
	for (uint64_t i = 0; i < k && none > 0; i++)
		none *= n - c > i ? (double)(n - c - i) / (double)(n - i) : 0;
	return 1 - none;
}

double stats_pass_all(uint64_t n, uint64_t c, uint64_t k)
{
	double all = 1;

	if (k > n || c > n)
		return NAN;
	for (uint64_t i = 0; i < k && all > 0; i++)
		all *= c > i ? (double)(c - i) / (double)(n - i) : 0;
	return all;
}

/* ---- means ---- */

/*
 * Without a degree of freedom there is no t, and the interval is NaN. Values that are all the same have no error,
 * though 0.1 three times is not 0.3.
 */
static void set_interval(struct stats_mean *m, const double *x, double level)
{
	double t = m->df > 0 ? stats_t_quantile(0.5 + level / 2, m->df) : NAN, largest = 0;

	for (size_t i = 0; i < m->n; i++)
		largest = fmax(largest, fabs(x[i]));
	m->se = m->se <= ROUNDING * largest ? 0 : m->se;
	m->interval = (struct interval){ m->mean - t * m->se, m->mean + t * m->se };
}

static double mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / (double)n : NAN;
}

struct stats_mean stats_mean_of(const double *x, size_t n, double level)
{
	struct stats_mean m = { .n = n, .clusters = n, .mean = mean_of(x, n), .se = NAN, .df = (double)n - 1 };
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (x[i] - m.mean) * (x[i] - m.mean);
	if (n > 1)
		m.se = sqrt(squares / (double)(n - 1) / (double)n);
	set_interval(&m, x, level);
	return m;
}

struct stats_mean stats_mean_clustered(const double *x, const uint32_t *cluster, size_t n, size_t clusters,
				       double *sums, double level)
{
	struct stats_mean m = { .n = n, .clusters = clusters, .mean = mean_of(x, n), .se = NAN };
	double squares = 0;

	m.df = (double)clusters - 1;
	for (size_t i = 0; i < clusters; i++)
		sums[i] = 0;
	for (size_t i = 0; i < n; i++) {
		assert(cluster[i] < clusters);
		sums[cluster[i]] += x[i] - m.mean;
	}
	for (size_t i = 0; i < clusters; i++)
		squares += sums[i] * sums[i];
	if (clusters > 1)
		m.se = sqrt(squares * (double)clusters / (double)(clusters - 1)) / (double)n;
	set_interval(&m, x, level);
	return m;
}

/* ---- comparisons ---- */

double stats_mcnemar(uint64_t only_a, uint64_t only_b, bool mid)
{
	uint64_t n = only_a + only_b, least = only_a < only_b ? only_a : only_b;
	double tail, point, p;

	if (n == 0)
		return 1;
	tail = stats_binomial_cdf(least, n, 0.5);
	point = tail - (least ? stats_binomial_cdf(least - 1, n, 0.5) : 0);
	p = 2 * tail - (mid ? point : 0);
	return p < 1 ? p : 1;
}

/* ---- many tests ---- */

/* The place of p[i] when they are sorted; equal ones in their order. Tests are few. */
static size_t rank_of(const double *p, size_t n, size_t i)
{
	size_t rank = 0;

	for (size_t j = 0; j < n; j++)
		rank += p[j] < p[i] || (j < i && p[j] == p[i]);
	return rank;
}

/* Each must be at least what the smaller ones before it became. */
void stats_holm(const double *p, double *adjusted, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		adjusted[i] = 0;
		for (size_t j = 0; j < n; j++) {
			size_t rank = rank_of(p, n, j);
			double scaled = (double)(n - rank) * p[j];

			if (rank <= rank_of(p, n, i) && scaled > adjusted[i])
				adjusted[i] = scaled;
		}
		adjusted[i] = adjusted[i] < 1 ? adjusted[i] : 1;
	}
}

/* ---- percentiles ---- */

/* The least k from 0 on with P(X <= k) >= tail. */
static uint64_t binomial_quantile(uint64_t n, double p, double tail)
{
	uint64_t low = 0, high = n;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (stats_binomial_cdf(middle, n, p) < tail)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void stats_rank_interval(uint64_t n, double p, double level, uint64_t *low, uint64_t *high)
{
	double tail = (1 - level) / 2;
	uint64_t k = binomial_quantile(n, p, tail);

	assert(p > 0 && p < 1);
	*low = stats_binomial_cdf(k, n, p) > tail ? k : k + 1; /* P(X < low) is at most the tail */
	*high = binomial_quantile(n, p, 1 - tail) + 1;
}

/* The median of what they differ from `middle`: values are sorted, so the nearest are found from there outwards. */
static double median_deviation(const double *sorted, size_t n, double middle)
{
	double before = 0, last = 0;
	size_t above = 0, below;

	while (above < n && sorted[above] < middle)
		above++;
	below = above;
	for (size_t i = 0; i <= n / 2; i++) {
		bool up = below == 0 || (above < n && sorted[above] - middle <= middle - sorted[below - 1]);

		before = last;
		last = up ? sorted[above++] - middle : middle - sorted[--below];
	}
	return n % 2 ? last : (before + last) / 2;
}

uint64_t stats_outliers(const double *sorted, size_t n, double least)
{
	double middle, deviation;
	uint64_t far = 0;

	if (n == 0)
		return 0;
	middle = quantile_of_sorted(sorted, n, 0.5);
	deviation = fmax(median_deviation(sorted, n, middle), least);
	for (size_t i = 0; i < n; i++)
		far += 0.6745 * fabs(sorted[i] - middle) > 3.5 * deviation;
	return far;
}

/* ---- planning ---- */

double stats_detectable(uint64_t n, double variance, double level, double power)
{
	double z = stats_normal_quantile(0.5 + level / 2) + stats_normal_quantile(power);

	return n ? z * sqrt(variance / (double)n) : NAN;
}

/* ---- chance ---- */

/* SplitMix64, to spread a seed over the state (Steele, Lea, Flood 2014). */
static uint64_t spread(uint64_t *x)
{
	uint64_t z = *x += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void stats_random_init(struct stats_random *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->s[i] = spread(&seed);
}

static uint64_t rotate(uint64_t x, int by)
{
	return (x << by) | (x >> (64 - by));
}

/* xoshiro256** (Blackman, Vigna 2018). */
uint64_t stats_random_next(struct stats_random *r)
{
	uint64_t out = rotate(r->s[1] * 5, 7) * 9, t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rotate(r->s[3], 45);
	return out;
}

/* Numbers of the last, incomplete run of n are thrown away; else small results would come too often. */
uint64_t stats_random_below(struct stats_random *r, uint64_t n)
{
	uint64_t limit, x;

	assert(n > 0);
	limit = n * (UINT64_MAX / n);
	do {
		x = stats_random_next(r);
	} while (x >= limit);
	return x % n;
}

/* The sum of differences with the signs that the bits say; the sign of a sum does not matter to a two-sided test. */
static double flipped(const double *d, size_t n, uint64_t bits)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += bits >> i & 1 ? -d[i] : d[i];
	return fabs(sum);
}

/* 64 signs of each number that is drawn. */
static double flipped_by_chance(const double *d, size_t n, struct stats_random *r)
{
	double sum = 0;
	uint64_t bits = 0;

	for (size_t i = 0; i < n; i++) {
		bits = i % 64 ? bits >> 1 : stats_random_next(r);
		sum += bits & 1 ? -d[i] : d[i];
	}
	return fabs(sum);
}

double stats_permutation(const double *differences, size_t n, size_t tries, struct stats_random *r)
{
	bool all = n < 63 && (UINT64_C(1) << n) <= tries;
	uint64_t count = all ? UINT64_C(1) << n : tries, hits = 0;
	double seen = flipped(differences, n, 0), slack = seen;

	for (size_t i = 0; i < n; i++)
		slack -= ROUNDING * fabs(differences[i]); /* sums in another order differ in their last digits */
	for (uint64_t i = 0; i < count; i++)
		hits += (all ? flipped(differences, n, i) : flipped_by_chance(differences, n, r)) >= slack;
	return all ? (double)hits / (double)count : (double)(hits + 1) / (double)(count + 1);
}

struct interval stats_bootstrap(const double *sums, const uint64_t *counts, size_t clusters, size_t tries, double level,
				struct stats_random *r, double *scratch)
{
	double tail = (1 - level) / 2;

	if (clusters == 0 || tries == 0)
		return unknown;
	for (size_t t = 0; t < tries; t++) {
		double sum = 0, count = 0;

		for (size_t i = 0; i < clusters; i++) {
			size_t at = (size_t)stats_random_below(r, clusters);

			sum += sums[at];
			count += (double)counts[at];
		}
		scratch[t] = count > 0 ? sum / count : 0;
	}
	qsort(scratch, tries, sizeof(*scratch), num_cmp_doubles);
	return (struct interval){
		quantile_of_sorted(scratch, tries, tail),
		quantile_of_sorted(scratch, tries, 1 - tail),
	};
}

/* ---- JSON ---- */

void stats_put_interval(struct json_writer *w, const char *name, struct interval i)
{
	if (!isfinite(i.low) || !isfinite(i.high)) {
		json_put_null(w, name);
		return;
	}
	json_put_array(w, name);
	json_write_double(w, i.low);
	json_write_double(w, i.high);
	json_write_end_array(w);
}
