/*
 * A table of figures, each with a function that takes it, and its interval, from a summary group. Judging and the
 * sentence about it use the same comparison, so the words never contradict the verdict.
 */
#include "bench/compare/threshold.h"

#include <math.h>
#include <stdlib.h>

#include "bench/report/summary_cells.h"

#define LEVEL 0.95

/* ---- the figures ---- */

static const struct threshold_measure nothing = { NAN, { NAN, NAN } };

static const void *threshold_member(const struct threshold_figure *f, const struct summary_group *g)
{
	return (const char *)g + f->at;
}

static struct threshold_measure measure_of(struct rate r)
{
	return r.n ? (struct threshold_measure){ (double)r.k / (double)r.n, r.interval } : nothing;
}

static struct threshold_measure of_rate(const struct threshold_figure *f, const struct summary_group *g)
{
	return measure_of(*(const struct rate *)threshold_member(f, g));
}

/* The share of all rows. */
static struct threshold_measure of_count(const struct threshold_figure *f, const struct summary_group *g)
{
	uint64_t k = *(const uint64_t *)threshold_member(f, g);

	return measure_of((struct rate){ .k = k, .n = g->n_total, .interval = stats_wilson(k, g->n_total, LEVEL) });
}

/* Only the mean has an interval that must be made here, of the sorted values. */
static struct threshold_measure of_spread(const struct threshold_figure *f, const struct summary_group *g)
{
	const struct spread *s = threshold_member(f, g);

	if (s->n == 0)
		return nothing;
	switch (f->percentile) {
	case 50:
		return (struct threshold_measure){ s->p50, s->p50_interval };
	case 95:
		return (struct threshold_measure){ s->p95, s->p95_interval };
	case 99:
		return (struct threshold_measure){ s->p99, s->p99_interval };
	default: /* the mean */
		return (struct threshold_measure){ s->mean, s->sorted ? stats_mean_of(s->sorted, s->n, LEVEL).interval :
									nothing.interval };
	}
}

/*
 * Answers to one prompt are not independent, so with repetitions the interval that is clustered by prompt counts, too:
 * the wider end of each (where all answers agree, clusters have no spread at all).
 */
static struct threshold_measure of_pass(const struct threshold_figure *f, const struct summary_group *g)
{
	struct threshold_measure m = of_rate(f, g);
	struct interval by_prompt = g->pass_mean.interval;

	if (g->repeats < 2 || g->pass.n == 0 || !isfinite(by_prompt.low) || !isfinite(by_prompt.high))
		return m;
	m.interval.low = fmax(0, fmin(m.interval.low, by_prompt.low));
	m.interval.high = fmin(1, fmax(m.interval.high, by_prompt.high));
	return m;
}

/* A quotient of two sums: nothing tells how sure it is, so with `confident` it is never met. */
static struct threshold_measure of_speed(const struct threshold_figure *f, const struct summary_group *g)
{
	(void)f;
	return (struct threshold_measure){ g->tokens_per_second, nothing.interval };
}

/* A sum over rows of which some have no price is a lower bound, and no more. */
static struct threshold_measure of_cost(const struct threshold_figure *f, const struct summary_group *g)
{
	(void)f;
	if (g->usd_rows == 0 || isnan(g->usd))
		return nothing;
	return (struct threshold_measure){ g->usd, { g->usd, g->usd_rows < g->n_ok ? NAN : g->usd } };
}

/* Tiers count downwards: the high end of the rate is the low number. */
static struct threshold_measure of_tier(const struct threshold_figure *f, const struct summary_group *g)
{
	struct interval i = g->tools.interval;

	(void)f;
	if (g->tier == 0)
		return nothing;
	return (struct threshold_measure){ g->tier, { summary_tier_of(i.high), summary_tier_of(i.low) } };
}

/* What was counted is not an estimate: it is its own interval. */
static struct threshold_measure of_total(const struct threshold_figure *f, const struct summary_group *g)
{
	double n = (double)g->n_total;

	(void)f;
	return (struct threshold_measure){ n, { n, n } };
}

#define AT(member) offsetof(struct summary_group, member)

const struct threshold_figure threshold_figures[] = {
	{ "p50_latency", THRESHOLD_TIME, of_spread, AT(latency), 50 },
	{ "p95_latency", THRESHOLD_TIME, of_spread, AT(latency), 95 },
	{ "p99_latency", THRESHOLD_TIME, of_spread, AT(latency), 99 },
	{ "mean_latency", THRESHOLD_TIME, of_spread, AT(latency), 0 },
	{ "p50_ttft", THRESHOLD_TIME, of_spread, AT(ttft), 50 },
	{ "p95_ttft", THRESHOLD_TIME, of_spread, AT(ttft), 95 },
	{ "p99_ttft", THRESHOLD_TIME, of_spread, AT(ttft), 99 },
	{ "success_rate", THRESHOLD_RATE, of_rate, AT(success), 0 },
	{ "objective_pass_rate", THRESHOLD_RATE, of_pass, AT(pass), 0 },
	{ "pass_rate", THRESHOLD_RATE, of_pass, AT(pass), 0 },
	{ "tool_use_success_rate", THRESHOLD_RATE, of_rate, AT(tools), 0 },
	{ "error_rate", THRESHOLD_RATE, of_count, AT(n_error), 0 },
	{ "rate_limited_rate", THRESHOLD_RATE, of_count, AT(n_limited), 0 },
	{ "tokens_per_second", THRESHOLD_SPEED, of_speed, 0, 0 },
	{ "cost", THRESHOLD_MONEY, of_cost, 0, 0 },
	{ "cost_usd", THRESHOLD_MONEY, of_cost, 0, 0 },
	{ "tier", THRESHOLD_COUNT, of_tier, 0, 0 },
	{ "n", THRESHOLD_COUNT, of_total, 0, 0 },
	{ NULL, THRESHOLD_COUNT, NULL, 0, 0 },
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
static struct cell threshold_number(const struct threshold *t, double value)
{
	bool met = threshold_holds(t->order, value, t->limit);
	struct cell text = cell_printf("?");

	for (int digits = t->what->kind == THRESHOLD_COUNT ? 15 : 4; !isnan(value) && digits <= 17; digits++) {
		text = cell_printf("%.*g", digits, value / t->unit->scale);
		if (threshold_holds(t->order, threshold_scale(t->unit, strtod(text.text, NULL)), t->limit) == met)
			break;
	}
	return text;
}

bool threshold_meets(const struct threshold *t, const struct summary_group *g, bool confident, struct buf *said)
{
	struct threshold_measure f = t->what->get(t->what, g);
	bool upward = t->order == THRESHOLD_AT_LEAST || t->order == THRESHOLD_ABOVE;
	double worst = upward ? f.interval.low : f.interval.high;
	bool meets = threshold_holds(t->order, f.value, t->limit) &&
		     (!confident || threshold_holds(t->order, worst, t->limit));
	const char *blank = t->unit->text[0] ? " " : "";

	buf_add_str(said, str_from(t->what->name));
	if (isnan(f.value))
		buf_add_str(said, STR(": no data,"));
	else
		buf_printf(said, " %s%s%s", threshold_number(t, f.value).text, blank, t->unit->text);
	if (confident && !isnan(f.value) && isnan(worst))
		buf_add_str(said, STR(" (no interval)"));
	else if (confident && !isnan(f.value))
		buf_printf(said, " [%s, %s]", threshold_number(t, f.interval.low).text,
			   threshold_number(t, f.interval.high).text);
	buf_printf(said, "%s %s %.*s%s%s", meets ? "" : isnan(f.value) ? " not" : " is not",
		   threshold_order_text(t->order), STR_ARG(t->number), blank, t->unit->text);
	return meets;
}
