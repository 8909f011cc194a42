#include "bench/compare/threshold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "transform/stats.h"

#define LEVEL 0.95

/* ---- the figures ---- */

static const struct threshold_measure nothing = { NAN, { NAN, NAN } };

static struct threshold_measure of_rate(struct rate r)
{
	return r.n ? (struct threshold_measure){ (double)r.k / (double)r.n, r.interval } : nothing;
}

static struct threshold_measure of_count(uint64_t k, uint64_t n)
{
	return of_rate((struct rate){ .k = k, .n = n, .interval = stats_wilson(k, n, LEVEL) });
}

static struct threshold_measure of_spread(const struct spread *s, double value, struct interval interval)
{
	return s->n ? (struct threshold_measure){ value, interval } : nothing;
}

/* What was counted is not an estimate: it is its own interval. */
static struct threshold_measure of_fact(double value)
{
	return (struct threshold_measure){ value, { value, value } };
}

static struct threshold_measure p50_latency(const struct summary_group *g)
{
	return of_spread(&g->latency, g->latency.p50, g->latency.p50_interval);
}

static struct threshold_measure p95_latency(const struct summary_group *g)
{
	return of_spread(&g->latency, g->latency.p95, g->latency.p95_interval);
}

static struct threshold_measure p99_latency(const struct summary_group *g)
{
	return of_spread(&g->latency, g->latency.p99, g->latency.p99_interval);
}

static struct threshold_measure mean_latency(const struct summary_group *g)
{
	if (g->latency.n == 0 || !g->latency.sorted)
		return of_spread(&g->latency, g->latency.mean, nothing.interval);
	return (struct threshold_measure){ g->latency.mean,
				stats_mean_of(g->latency.sorted, (size_t)g->latency.n, LEVEL).interval };
}

static struct threshold_measure p50_ttft(const struct summary_group *g)
{
	return of_spread(&g->ttft, g->ttft.p50, g->ttft.p50_interval);
}

static struct threshold_measure p95_ttft(const struct summary_group *g)
{
	return of_spread(&g->ttft, g->ttft.p95, g->ttft.p95_interval);
}

static struct threshold_measure p99_ttft(const struct summary_group *g)
{
	return of_spread(&g->ttft, g->ttft.p99, g->ttft.p99_interval);
}

static struct threshold_measure success_rate(const struct summary_group *g)
{
	return of_rate(g->success);
}

/*
 * Answers to one prompt are not independent, so with repetitions the interval that is clustered by prompt counts, too:
 * the wider end of each (where all answers agree, clusters have no spread at all).
 */
static struct threshold_measure pass_rate(const struct summary_group *g)
{
	struct threshold_measure m = of_rate(g->pass);
	struct interval by_prompt = g->pass_mean.interval;

	if (g->repeats < 2 || g->pass.n == 0 || !isfinite(by_prompt.low) || !isfinite(by_prompt.high))
		return m;
	m.interval.low = fmax(0, fmin(m.interval.low, by_prompt.low));
	m.interval.high = fmin(1, fmax(m.interval.high, by_prompt.high));
	return m;
}

static struct threshold_measure tool_rate(const struct summary_group *g)
{
	return of_rate(g->tools);
}

static struct threshold_measure error_rate(const struct summary_group *g)
{
	return of_count(g->n_error, g->n_total);
}

static struct threshold_measure limited_rate(const struct summary_group *g)
{
	return of_count(g->n_limited, g->n_total);
}

static struct threshold_measure tokens_per_second(const struct summary_group *g)
{
	return (struct threshold_measure){ g->tokens_per_second, nothing.interval };
}

/* A sum over rows of which some have no price is a lower bound, and no more. */
static struct threshold_measure cost(const struct summary_group *g)
{
	if (g->usd_rows == 0 || isnan(g->usd))
		return nothing;
	return (struct threshold_measure){ g->usd, { g->usd, g->usd_rows < g->n_ok ? NAN : g->usd } };
}

/* Tiers count downwards: the high end of the rate is the low number. */
static struct threshold_measure tier(const struct summary_group *g)
{
	struct interval i = g->tools.interval;

	if (g->tier == 0)
		return nothing;
	return (struct threshold_measure){ g->tier, { i.high >= 0.8 ? 1 : i.high >= 0.5 ? 2 : 3,
					   i.low >= 0.8 ? 1 : i.low >= 0.5 ? 2 : 3 } };
}

static struct threshold_measure total(const struct summary_group *g)
{
	return of_fact((double)g->n_total);
}

const struct threshold_figure threshold_figures[] = {
	{ "p50_latency", THRESHOLD_TIME, p50_latency },
	{ "p95_latency", THRESHOLD_TIME, p95_latency },
	{ "p99_latency", THRESHOLD_TIME, p99_latency },
	{ "mean_latency", THRESHOLD_TIME, mean_latency },
	{ "p50_ttft", THRESHOLD_TIME, p50_ttft },
	{ "p95_ttft", THRESHOLD_TIME, p95_ttft },
	{ "p99_ttft", THRESHOLD_TIME, p99_ttft },
	{ "success_rate", THRESHOLD_RATE, success_rate },
	{ "objective_pass_rate", THRESHOLD_RATE, pass_rate },
	{ "pass_rate", THRESHOLD_RATE, pass_rate },
	{ "tool_use_success_rate", THRESHOLD_RATE, tool_rate },
	{ "error_rate", THRESHOLD_RATE, error_rate },
	{ "rate_limited_rate", THRESHOLD_RATE, limited_rate },
	{ "tokens_per_second", THRESHOLD_SPEED, tokens_per_second },
	{ "cost", THRESHOLD_MONEY, cost },
	{ "cost_usd", THRESHOLD_MONEY, cost },
	{ "tier", THRESHOLD_COUNT, tier },
	{ "n", THRESHOLD_COUNT, total },
	{ NULL, THRESHOLD_COUNT, NULL },
};

/* ---- judging ---- */

/* A percent is a division: 7 / 100 is the double that 7 of 100 is, and 7 * 0.01 is not. */
double threshold_scale(const struct threshold_unit *u, double value)
{
	return u->scale < 1 ? value / round(1 / u->scale) : value * u->scale;
}

const char *threshold_order_text(enum threshold_order order)
{
	static const char *const texts[] = {
		[THRESHOLD_AT_MOST] = "<=",
		[THRESHOLD_AT_LEAST] = ">=",
		[THRESHOLD_BELOW] = "<",
		[THRESHOLD_ABOVE] = ">",
	};

	return texts[order];
}

/* What is not a number meets nothing. */
static bool threshold_holds(enum threshold_order order, double value, double limit)
{
	switch (order) {
	case THRESHOLD_AT_MOST:
		return value <= limit;
	case THRESHOLD_BELOW:
		return value < limit;
	case THRESHOLD_AT_LEAST:
		return value >= limit;
	case THRESHOLD_ABOVE:
		return value > limit;
	}
	return false;
}

/* With as many digits as it takes for the reader to come to our verdict: 89.996 is not >= 90. */
static void threshold_add_number(struct buf *out, const struct threshold *t, double value)
{
	bool met = threshold_holds(t->order, value, t->limit);
	char text[40];

	if (isnan(value)) {
		buf_add_str(out, STR("?"));
		return;
	}
	for (int digits = t->what->kind == THRESHOLD_COUNT ? 15 : 4; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value / t->unit->scale);
		if (threshold_holds(t->order, threshold_scale(t->unit, strtod(text, NULL)), t->limit) == met)
			break;
	}
	buf_add_str(out, str_from(text));
}

static void add_unit(struct buf *out, const struct threshold *t)
{
	buf_printf(out, "%s%s", t->unit->text[0] ? " " : "", t->unit->text);
}

bool threshold_meets(const struct threshold *t, const struct summary_group *g, bool confident, struct buf *said)
{
	struct threshold_measure f = t->what->get(g);
	bool upward = t->order == THRESHOLD_AT_LEAST || t->order == THRESHOLD_ABOVE;
	double worst = upward ? f.interval.low : f.interval.high;
	bool meets = threshold_holds(t->order, f.value, t->limit) &&
		     (!confident || threshold_holds(t->order, worst, t->limit));

	buf_add_str(said, str_from(t->what->name));
	if (isnan(f.value)) {
		buf_add_str(said, STR(": no data,"));
	} else {
		buf_add_byte(said, ' ');
		threshold_add_number(said, t, f.value);
		add_unit(said, t);
	}
	if (confident && !isnan(f.value)) {
		if (isnan(worst)) {
			buf_add_str(said, STR(" (no interval)"));
		} else {
			buf_add_str(said, STR(" ["));
			threshold_add_number(said, t, f.interval.low);
			buf_add_str(said, STR(", "));
			threshold_add_number(said, t, f.interval.high);
			buf_add_byte(said, ']');
		}
	}
	buf_printf(said, "%s %s %.*s", meets ? "" : isnan(f.value) ? " not" : " is not", threshold_order_text(t->order),
		   STR_ARG(t->number));
	add_unit(said, t);
	return meets;
}
