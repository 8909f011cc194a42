/*
 * Gathers the values of the pairs that count, by prompt, and runs the test that fits: for rates McNemar's or, with
 * repeats, a permutation; for amounts a permutation and the median. Values are doubles throughout; NaN means that a row
 * does not count.
 */
#include "bench/compare/test.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "transform/paired.h"
#include "transform/quantile.h"

#define ALPHA 0.05

/* The values of the pairs that count. */
struct sample {
	double *a, *b, *difference;
	uint32_t *cluster;
	size_t n, clusters;
	double *sums, *means; /* of the differences of a cluster */
	uint64_t *counts;
};

static bool is_rate(enum compare_metric m)
{
	return m == COMPARE_PASS || m == COMPARE_TOOLS;
}

/* ---- which pairs, and what of them ---- */

/* NaN: it does not count. */
static double compare_test_value_of(const struct compare_test *t, const struct attempt_prompt *p,
				    const struct attempt *x)
{
	switch (t->metric) {
	case COMPARE_PASS:
		if (!x->success)
			return t->errors_fail && p->judged ? 0 : NAN;
		return x->pass == VERDICT_NULL ? NAN : x->pass == VERDICT_TRUE;
	case COMPARE_TOOLS:
		if (!p->expects)
			return NAN;
		if (!x->ok)
			return t->errors_fail ? 0 : NAN;
		return x->tool_success;
	case COMPARE_LATENCY:
		return x->success && x->e2e_ms >= 0 ? (double)x->e2e_ms : NAN;
	case COMPARE_TTFT:
		return x->success && x->ttft_ms >= 0 ? (double)x->ttft_ms : NAN;
	case COMPARE_COST:
		return x->success && x->usd >= 0 ? x->usd : NAN;
	case COMPARE_METRICS:
		break;
	}
	return NAN;
}

/* The values of the pairs that both have one, and their differences by prompt: pairs of a prompt follow each other. */
static void gather(struct sample *s, struct arena *arena, const struct compare_test *t, const struct compare_pairs *p)
{
	uint32_t last = UINT32_MAX;

	*s = (struct sample){
		.a = arena_array(arena, double, p->count + 1),
		.b = arena_array(arena, double, p->count + 1),
		.difference = arena_array(arena, double, p->count + 1),
		.cluster = arena_array(arena, uint32_t, p->count + 1),
		.sums = arena_array(arena, double, p->count + 1),
		.means = arena_array(arena, double, p->count + 1),
		.counts = arena_array(arena, uint64_t, p->count + 1),
	};
	for (size_t i = 0; i < p->count; i++) {
		const struct attempt_prompt *prompt = attempt_prompt(p->names, p->a[i]->prompt);
		double a = compare_test_value_of(t, prompt, p->a[i]),
		       b = compare_test_value_of(t, prompt, p->b[i]);
		size_t c;

		if (isnan(a) || isnan(b))
			continue;
		s->clusters += p->a[i]->prompt != last;
		last = p->a[i]->prompt;
		c = s->clusters - 1;
		s->a[s->n] = a;
		s->b[s->n] = b;
		s->difference[s->n] = a - b;
		s->cluster[s->n++] = (uint32_t)c;
		s->sums[c] += a - b;
		s->counts[c]++;
	}
	for (size_t c = 0; c < s->clusters; c++)
		s->means[c] = s->sums[c] / (double)s->counts[c];
}

/* ---- the figures ---- */

static struct stats_mean mean_of(struct arena *a, const struct sample *s, const double *x)
{
	return stats_mean_clustered(x, s->cluster, s->n, s->clusters, arena_array(a, double, s->clusters + 1),
				    PAIRED_LEVEL);
}

static struct interval compare_test_rate_interval(const struct stats_mean *m, bool repeats)
{
	return repeats ? stats_rate_clustered(m, PAIRED_LEVEL) :
			 stats_wilson((uint64_t)llround(m->mean * (double)m->n), m->n, PAIRED_LEVEL);
}

static void compare_test_count_outcomes(struct compare_test *t, const struct sample *s)
{
	for (size_t i = 0; i < s->n; i++) {
		bool a = s->a[i] > 0, b = s->b[i] > 0;

		t->both += a && b;
		t->only_a += a && !b;
		t->only_b += !a && b;
		t->neither += !a && !b;
	}
}

/* Of the prompts' sums: flipping single repeats would take them for independent. */
static double permute(const struct sample *s, uint64_t seed)
{
	struct stats_random r;

	stats_random_init(&r, seed);
	return stats_permutation(s->sums, s->clusters, STATS_RESAMPLES, &r);
}

/*
 * McNemar's p decides without repeats, that of the permutation with them, where pairs of a prompt are not independent.
 */
static void test_rate(struct compare_test *t, struct arena *a, const struct sample *s, uint64_t seed)
{
	struct stats_random r;

	compare_test_count_outcomes(t, s);
	if (t->difference.interval.low < -1) /* shares cannot differ by more, whatever Student says; NaN stays */
		t->difference.interval.low = -1;
	if (t->difference.interval.high > 1)
		t->difference.interval.high = 1;
	t->a_interval = compare_test_rate_interval(&t->a, t->repeats);
	t->b_interval = compare_test_rate_interval(&t->b, t->repeats);
	if (!t->repeats) {
		t->mcnemar = stats_mcnemar(t->only_a, t->only_b, false);
		t->mid_p = stats_mcnemar(t->only_a, t->only_b, true);
		t->p = t->mcnemar;
		return;
	}
	t->permutation = permute(s, seed);
	t->p = t->permutation;
	stats_random_init(&r, seed);
	t->bootstrap = stats_bootstrap(s->sums, s->counts, s->clusters, STATS_RESAMPLES, PAIRED_LEVEL, &r,
				       arena_array(a, double, STATS_RESAMPLES));
}

/* Sorts s->means. The median has no interval below six prompts. */
static void test_amount(struct compare_test *t, const struct sample *s, uint64_t seed)
{
	uint64_t low, high;

	t->a_interval = t->a.interval;
	t->b_interval = t->b.interval;
	t->permutation = permute(s, seed);
	t->p = t->permutation;
	qsort(s->means, s->clusters, sizeof(double), num_cmp_doubles);
	t->median = quantile_of_sorted(s->means, s->clusters, 0.5);
	stats_rank_interval(s->clusters, 0.5, PAIRED_LEVEL, &low, &high);
	if (low >= 1 && high <= s->clusters)
		t->median_interval = (struct interval){ s->means[low - 1], s->means[high - 1] };
}

void compare_test_run(struct compare_test *t, struct arena *a, const struct compare_pairs *p, uint64_t seed)
{
	const struct interval unknown = { NAN, NAN };
	struct sample s;

	gather(&s, a, t, p);
	*t = (struct compare_test){
		.metric = t->metric, .errors_fail = t->errors_fail, .pairs = s.n, .prompts = s.clusters,
		.repeats = s.n > s.clusters, .a_interval = unknown, .b_interval = unknown, .bootstrap = unknown,
		.median = NAN, .median_interval = unknown, .sum = 0, .mcnemar = NAN, .mid_p = NAN,
		.permutation = NAN, .p = NAN, .holm = NAN, .detectable = NAN, .needed = NAN,
		.a = mean_of(a, &s, s.a), .b = mean_of(a, &s, s.b), .difference = mean_of(a, &s, s.difference),
	};
	if (s.n == 0)
		return;
	for (size_t i = 0; i < s.n; i++)
		t->sum += s.difference[i];
	if (is_rate(t->metric))
		test_rate(t, a, &s, seed);
	else
		test_amount(t, &s, seed);
}

bool compare_test_can_show(const struct compare_test *t)
{
	return t->prompts >= PAIRED_LEAST;
}

/* The test is about the mean; a median that goes the other way is a sign that few prompts made it. */
static bool is_clear(const struct compare_test *t)
{
	return t->difference.mean != 0 && (is_rate(t->metric) || t->difference.mean * t->median > 0);
}

void compare_test_answer(struct compare_test *t, size_t family)
{
	bool more_is_better = is_rate(t->metric);

	paired_plan(t->prompts, t->difference.se, t->difference.mean, more_is_better, family, &t->detectable,
		    &t->needed);
	if (!compare_test_can_show(t))
		t->answer = COMPARE_NOT_ENOUGH;
	else if (t->holm < ALPHA && is_clear(t))
		t->answer = (t->difference.mean > 0) == more_is_better ? COMPARE_A_BETTER : COMPARE_B_BETTER;
	else
		t->answer = COMPARE_NO_DIFFERENCE;
	if (t->answer == COMPARE_NO_DIFFERENCE && t->p < ALPHA)
		t->reason = t->holm < ALPHA ? COMPARE_DIRECTIONS : COMPARE_CORRECTION;
}
