/* Both figures come from small tables of counts, which a resample makes anew: nothing is allocated. */
#include "transform/agreement.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "transform/quantile.h"

#define LEAST_DEFINED 0.95 /* of the resamples */

/* ---- kappa ---- */

struct agreement_table {
	uint64_t both[AGREEMENT_CATEGORIES], a[AGREEMENT_CATEGORIES], b[AGREEMENT_CATEGORIES], n;
};

static void agreement_add_pair(struct agreement_table *t, struct agreement_pair p)
{
	t->both[p.a] += p.a == p.b;
	t->a[p.a]++;
	t->b[p.b]++;
	t->n++;
}

static double agreement_table_kappa(const struct agreement_table *t)
{
	double n = (double)t->n, seen = 0, chance = 0;

	for (int i = 0; i < AGREEMENT_CATEGORIES; i++) {
		seen += (double)t->both[i] / n;
		chance += (double)t->a[i] / n * ((double)t->b[i] / n);
	}
	return t->n && chance < 1 ? (seen - chance) / (1 - chance) : NAN;
}

double agreement_kappa(const struct agreement_pair *pairs, size_t n)
{
	struct agreement_table t = { .n = 0 };

	for (size_t i = 0; i < n; i++)
		agreement_add_pair(&t, pairs[i]);
	return agreement_table_kappa(&t);
}

/* ---- alpha ---- */

/* Of the coincidence matrix only this is needed: what lies beside its diagonal, and the sums of its rows. */
struct agreement_coincidences {
	double apart, totals[AGREEMENT_CATEGORIES], n;
};

static void agreement_add_unit(struct agreement_coincidences *c, const struct agreement_unit *u)
{
	double judges = 0, same = 0;

	for (int i = 0; i < AGREEMENT_CATEGORIES; i++) {
		judges += u->counts[i];
		same += (double)u->counts[i] * u->counts[i];
	}
	if (judges < 2)
		return;
	c->apart += (judges * judges - same) / (judges - 1);
	c->n += judges;
	for (int i = 0; i < AGREEMENT_CATEGORIES; i++)
		c->totals[i] += u->counts[i];
}

static double agreement_coincidences_alpha(const struct agreement_coincidences *c)
{
	double expected = c->n * c->n;

	for (int i = 0; i < AGREEMENT_CATEGORIES; i++)
		expected -= c->totals[i] * c->totals[i];
	return expected > 0 ? 1 - (c->n - 1) * c->apart / expected : NAN;
}

double agreement_alpha(const struct agreement_unit *units, size_t n)
{
	struct agreement_coincidences c = { .n = 0 };

	for (size_t i = 0; i < n; i++)
		agreement_add_unit(&c, &units[i]);
	return agreement_coincidences_alpha(&c);
}

/* ---- intervals ---- */

static struct interval agreement_cut(double *values, size_t n, size_t tries)
{
	const struct interval none = { NAN, NAN };
	struct interval i;

	if (!n || (double)n < LEAST_DEFINED * (double)tries)
		return none;
	qsort(values, n, sizeof(*values), num_cmp_doubles);
	i = (struct interval){ quantile_of_sorted(values, n, 0.025), quantile_of_sorted(values, n, 0.975) };
	return i.low < i.high ? i : none; /* one of no width would promise what no number of things can */
}

struct interval agreement_kappa_interval(const struct agreement_pair *pairs, size_t n, size_t tries,
					 struct stats_random *r, double *scratch)
{
	size_t defined = 0;

	for (size_t t = 0; n && t < tries; t++) {
		struct agreement_table table = { .n = 0 };

		for (size_t i = 0; i < n; i++)
			agreement_add_pair(&table, pairs[stats_random_below(r, n)]);
		scratch[defined] = agreement_table_kappa(&table);
		defined += !isnan(scratch[defined]);
	}
	return agreement_cut(scratch, defined, tries);
}

struct interval agreement_alpha_interval(const struct agreement_unit *units, size_t n, size_t tries,
					 struct stats_random *r, double *scratch)
{
	size_t defined = 0;

	for (size_t t = 0; n && t < tries; t++) {
		struct agreement_coincidences c = { .n = 0 };

		for (size_t i = 0; i < n; i++)
			agreement_add_unit(&c, &units[stats_random_below(r, n)]);
		scratch[defined] = agreement_coincidences_alpha(&c);
		defined += !isnan(scratch[defined]);
	}
	return agreement_cut(scratch, defined, tries);
}
