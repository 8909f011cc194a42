#include "bench/load_limit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

#define HELP "\n= help: "
#define TEXT_MOST 100

enum kind { KIND_TIME, KIND_SHARE, KIND_RATE };

static const char slo_help[] =
	"give a limit for each request: ttft<=500ms, tpot<=50ms, itl<=200ms or e2e<=10s";
static const char bound_help[] =
	"give a figure and its limit: p99_ttft<=1s, mean_tpot<=50ms, max_e2e<=30s, error_rate<=1%, goodput>=95%, "
	"goodput_rate>=5, request_rate>=7.5, output_tokens_rate>=1000";

/* A limit cut in three; false when there is no order in it. */
static bool cut(struct str text, struct str *name, bool *least, bool *strict, struct str *value)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '<' || text.p[i] == '>') {
			size_t n = i + 1 < text.n && text.p[i + 1] == '=' ? 2 : 1;

			*least = text.p[i] == '>';
			*strict = n == 1;
			*name = str_trim(str_of(text.p, i));
			*value = str_trim(str_of(text.p + i + n, text.n - i - n));
			return true;
		}
	return false;
}

static bool read_value(struct str text, enum kind kind, double *out)
{
	static const struct {
		struct str unit;
		enum kind kind;
		double factor;
	} units[] = {
		{ { "us", 2 }, KIND_TIME, 0.001 }, { { "ms", 2 }, KIND_TIME, 1 }, { { "s", 1 }, KIND_TIME, 1000 },
		{ { "%", 1 }, KIND_SHARE, 0.01 }, { { "/s", 2 }, KIND_RATE, 1 }, { { "tok/s", 5 }, KIND_RATE, 1 },
	};
	struct str number = text;
	double factor = 1;
	size_t longest = 0;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (units[i].kind == kind && units[i].unit.n > longest && str_ends(text, units[i].unit)) {
			longest = units[i].unit.n;
			factor = units[i].factor;
			number = str_trim(str_of(text.p, text.n - longest));
		}
	if (num_parse_double(number, out) != NUM_OK || *out < 0)
		return false;
	*out = factor < 1 ? *out / round(1 / factor) : *out * factor; /* 7 of 100 is 7 / 100, not 7 * 0.01 */
	return true;
}

bool load_slo_parse(struct load_slo *out, struct str text, struct err *err)
{
	static const enum load_metric known[] = { LOAD_TTFT, LOAD_TPOT, LOAD_ITL, LOAD_E2E };
	struct str name, value;
	bool least;

	*out = (struct load_slo){ .text = text };
	if (text.n > TEXT_MOST || !cut(text, &name, &least, &out->below, &value) || least)
		return err_set(err, ERR_USAGE, "--slo: '%.*s' is no limit" HELP "%s", STR_ARG(text), slo_help);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (str_eq(name, str_from(load_metric_name(known[i])))) {
			out->metric = known[i];
			if (read_value(value, KIND_TIME, &out->ms))
				return true;
			return err_set(err, ERR_USAGE, "--slo: '%.*s' is no time" HELP "%s", STR_ARG(value), slo_help);
		}
	return err_set(err, ERR_USAGE, "--slo: no figure of a request is called '%.*s'" HELP "%s", STR_ARG(name),
		       slo_help);
}

/* ---- bounds ---- */

static bool read_metric(struct str name, struct load_bound *out)
{
	for (int m = 0; m < LOAD_LOOP; m++)
		if (str_eq(name, str_from(load_metric_name((enum load_metric)m)))) {
			out->metric = (enum load_metric)m;
			return true;
		}
	return false;
}

static bool read_figure(struct str name, struct load_bound *out, enum kind *kind)
{
	static const struct {
		struct str name;
		enum load_figure figure;
		enum kind kind;
	} figures[] = {
		{ { "error_rate", 10 }, LOAD_FIGURE_ERROR_RATE, KIND_SHARE },
		{ { "goodput", 7 }, LOAD_FIGURE_GOODPUT, KIND_SHARE },
		{ { "goodput_rate", 12 }, LOAD_FIGURE_GOODPUT_RATE, KIND_RATE },
		{ { "request_rate", 12 }, LOAD_FIGURE_REQUEST_RATE, KIND_RATE },
		{ { "output_tokens_rate", 18 }, LOAD_FIGURE_OUTPUT_RATE, KIND_RATE },
	};
	static const struct {
		struct str prefix;
		enum load_figure figure;
		double p;
	} of_spread[] = {
		{ { "p50_", 4 }, LOAD_FIGURE_PERCENTILE, 0.5 }, { { "p90_", 4 }, LOAD_FIGURE_PERCENTILE, 0.9 },
		{ { "p95_", 4 }, LOAD_FIGURE_PERCENTILE, 0.95 }, { { "p99_", 4 }, LOAD_FIGURE_PERCENTILE, 0.99 },
		{ { "mean_", 5 }, LOAD_FIGURE_MEAN, 0 }, { { "max_", 4 }, LOAD_FIGURE_MAX, 0 },
	};

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (str_eq(name, figures[i].name)) {
			out->figure = figures[i].figure;
			*kind = figures[i].kind;
			return true;
		}
	*kind = KIND_TIME;
	for (size_t i = 0; i < sizeof(of_spread) / sizeof(of_spread[0]); i++)
		if (str_starts(name, of_spread[i].prefix)) {
			size_t n = of_spread[i].prefix.n;

			out->figure = of_spread[i].figure;
			out->p = of_spread[i].p;
			return read_metric(str_of(name.p + n, name.n - n), out);
		}
	return false;
}

bool load_bound_parse(struct load_bound *out, struct str text, struct err *err)
{
	struct str name, value;
	enum kind kind;

	*out = (struct load_bound){ .text = text };
	if (text.n > TEXT_MOST || !cut(text, &name, &out->least, &out->strict, &value))
		return err_set(err, ERR_USAGE, "--fail-under: '%.*s' is no threshold" HELP "%s", STR_ARG(text),
			       bound_help);
	if (!read_figure(name, out, &kind))
		return err_set(err, ERR_USAGE, "--fail-under: no figure of a load test is called '%.*s'" HELP "%s",
			       STR_ARG(name), bound_help);
	if (!read_value(value, kind, &out->limit))
		return err_set(err, ERR_USAGE, "--fail-under: '%.*s' is no %s" HELP "%s", STR_ARG(value),
			       kind == KIND_TIME ? "time" : kind == KIND_SHARE ? "share" : "rate", bound_help);
	return true;
}

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

static struct load_percentile figure_of(const struct load_bound *b, struct load_stage *g)
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

void load_add_ms(struct buf *out, double ms)
{
	if (isnan(ms))
		buf_add_byte(out, '-');
	else if (ms < 10)
		buf_printf(out, "%.2f ms", ms);
	else if (ms < 1000)
		buf_printf(out, "%.0f ms", ms);
	else
		buf_printf(out, "%.*f s", ms < 10000 ? 2 : 1, ms / 1000);
}

static bool is_met(const struct load_bound *b, double v)
{
	if (b->least)
		return b->strict ? v > b->limit : v >= b->limit;
	return b->strict ? v < b->limit : v <= b->limit;
}

/* With as many digits as it takes for the reader to come to our verdict. */
static void add_share(struct buf *said, const struct load_bound *b, double v)
{
	char text[40];

	for (int digits = 1; digits <= 12; digits++) {
		snprintf(text, sizeof(text), "%.*f", digits, 100 * v);
		if (is_met(b, strtod(text, NULL) / 100) == is_met(b, v))
			break;
	}
	buf_printf(said, "%s%%", text);
}

static void add_value(struct buf *said, const struct load_bound *b, double v)
{
	if (isnan(v))
		buf_add_str(said, STR("no data"));
	else if (b->figure <= LOAD_FIGURE_MAX)
		load_add_ms(said, v);
	else if (b->figure <= LOAD_FIGURE_GOODPUT)
		add_share(said, b, v);
	else
		buf_printf(said, "%.2f/s", v);
}

bool load_bound_meets(const struct load_bound *b, struct load_stage *g, bool confident, struct buf *said)
{
	struct load_percentile f = figure_of(b, g);
	double v = !confident ? f.value : b->least ? f.interval.low : f.interval.high;
	struct str name, value;
	bool least, strict, met;

	met = !isnan(v) && is_met(b, v);
	if (!cut(b->text, &name, &least, &strict, &value))
		name = value = b->text;
	buf_add_str(said, name);
	buf_add_byte(said, ' ');
	add_value(said, b, f.value);
	if (confident && !isnan(f.value)) {
		buf_add_str(said, b->least ? STR(" (at least ") : STR(" (at most "));
		if (isnan(v))
			buf_add_str(said, STR("unknown: n too small"));
		else
			add_value(said, b, v);
		buf_add_byte(said, ')');
	}
	buf_printf(said, ", wanted %s%s%.*s", least ? ">" : "<", strict ? "" : "=", STR_ARG(value));
	return met;
}
