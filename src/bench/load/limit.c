/*
 * Finds the figure of a bound with its interval and compares one of them with the limit. Shares are shown with as many
 * digits as the verdict needs.
 */
#include "bench/load/limit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What was counted is its own interval. */
static struct load_percentile fact(double v)
{
	return (struct load_percentile){ .value = v, .interval = { v, v } };
}

static struct load_percentile share(uint64_t k, uint64_t n)
{
	return (struct load_percentile){
		.value = n ? (double)k / (double)n : NAN,
		.interval = stats_wilson(k, n, LOAD_LEVEL),
	};
}

/* The figure that a bound is about, with the interval that `confident` looks at. */
static struct load_percentile load_limit_figure_of(const struct load_bound *b, struct load_stage *g)
{
	struct load_spread *s = &g->spreads[b->metric];
	uint64_t counted = load_stage_counted(g);

	switch (b->figure) {
	case LOAD_FIGURE_PERCENTILE:
		return load_spread_get(s, b->p);
	case LOAD_FIGURE_MEAN: {
		const double *kept = (const double *)(const void *)s->values.values.p;
		size_t n = s->values.values.n / sizeof(*kept);
		struct load_percentile out = fact(s->n ? s->sum / (double)s->n : NAN);

		out.interval = n > 1 ? stats_mean_of(kept, n, LOAD_LEVEL).interval : (struct interval){ NAN, NAN };
		return out;
	}
	case LOAD_FIGURE_MAX:
		return fact(s->n ? s->most : NAN);
	case LOAD_FIGURE_ERROR_RATE:
		return share(counted - g->ends[LOAD_OK], counted);
	case LOAD_FIGURE_GOODPUT:
		return share(g->good, counted);
	case LOAD_FIGURE_GOODPUT_RATE:
		return fact(load_stage_rate(g, g->good));
	case LOAD_FIGURE_REQUEST_RATE:
		return fact(load_stage_rate(g, g->ends[LOAD_OK]));
	case LOAD_FIGURE_OUTPUT_RATE:
		return fact(load_stage_rate(g, g->output_tokens));
	}
	return fact(NAN);
}

struct cell load_ms(double ms)
{
	if (isnan(ms))
		return cell_printf("-");
	if (ms < 1000)
		return cell_printf("%.*f ms", ms < 10 ? 2 : 0, ms);
	return cell_printf("%.*f s", ms < 10000 ? 2 : 1, ms / 1000);
}

static bool is_met(const struct load_bound *b, double v)
{
	if (b->least)
		return b->strict ? v > b->limit : v >= b->limit;
	return b->strict ? v < b->limit : v <= b->limit;
}

/* With as many digits as it takes for the reader to come to our verdict. */
static struct cell load_share(const struct load_bound *b, double v)
{
	struct cell c;

	for (int digits = 1; digits <= 12; digits++) {
		c = cell_printf("%.*f%%", digits, 100 * v);
		if (is_met(b, strtod(c.text, NULL) / 100) == is_met(b, v))
			break;
	}
	return c;
}

static struct cell load_limit_value(const struct load_bound *b, double v)
{
	if (isnan(v))
		return cell_printf("no data");
	if (b->figure <= LOAD_FIGURE_MAX)
		return load_ms(v);
	return b->figure <= LOAD_FIGURE_GOODPUT ? load_share(b, v) : cell_printf("%.2f/s", v);
}

bool load_bound_meets(const struct load_bound *b, struct load_stage *g, bool confident, struct buf *said)
{
	struct load_percentile f = load_limit_figure_of(b, g);
	double v = !confident ? f.value : b->least ? f.interval.low : f.interval.high;
	bool met = !isnan(v) && is_met(b, v);

	buf_printf(said, "%.*s %s", STR_ARG(b->name), load_limit_value(b, f.value).text);
	if (confident && !isnan(f.value))
		buf_printf(said, " (at %s %s)", b->least ? "least" : "most",
			   isnan(v) ? "unknown: n too small" : load_limit_value(b, v).text);
	buf_printf(said, ", wanted %s%s%.*s", b->least ? ">" : "<", b->strict ? "" : "=", STR_ARG(b->value));
	return met;
}
