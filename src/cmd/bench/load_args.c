/*
 * A limit is a name, an order and a number with its unit. Tables say which names there are and in which units each is.
 */
#include "cmd/bench/load_args.h"

#include <math.h>

#include "base/num.h"

#define TEXT_MOST 100

enum kind { KIND_TIME, KIND_SHARE, KIND_RATE };

static const char slo_help[] =
	"give a limit for each request: ttft<=500ms, tpot<=50ms, itl<=200ms or e2e<=10s; tpot_last and e2e_last count "
	"to the last token";
static const char bound_help[] =
	"give a figure and its limit: p99_ttft<=1s, mean_tpot<=50ms, max_e2e<=30s, error_rate<=1%, goodput>=95%, "
	"goodput_rate>=5, request_rate>=7.5, output_tokens_rate>=1000";

/* A limit cut in three; false when there is no order in it. */
static bool limit_cut(struct str text, struct str *name, bool *least, bool *strict, struct str *value)
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

/*
 * The number in the unit of its kind: milliseconds, a share of 1, or per second. Without a unit it is taken as that.
 * The longest unit that fits wins, since "ms" ends in "s" too.
 */
static bool limit_read_value(struct str text, enum kind kind, double *out)
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

	for (size_t i = 0; i < COUNT(units); i++)
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

bool load_args_slo(struct load_slo *out, struct str text, struct err *err)
{
	static const enum load_metric known[] = { LOAD_TTFT, LOAD_TPOT,     LOAD_ITL,
						    LOAD_E2E,  LOAD_TPOT_LAST, LOAD_E2E_LAST };
	struct str name, value;
	bool least;

	*out = (struct load_slo){ .text = text };
	if (text.n > TEXT_MOST || !limit_cut(text, &name, &least, &out->below, &value) || least)
		return err_set(err, ERR_USAGE, "--slo: '%.*s' is not a limit" ERR_HELP "%s", STR_ARG(text), slo_help);
	for (size_t i = 0; i < COUNT(known); i++)
		if (str_eq(name, str_from(load_metric_name(known[i])))) {
			out->metric = known[i];
			if (limit_read_value(value, KIND_TIME, &out->ms))
				return true;
			return err_set(err, ERR_USAGE, "--slo: '%.*s' is not a time" ERR_HELP "%s", STR_ARG(value),
				       slo_help);
		}
	return err_set(err, ERR_USAGE, "--slo: unknown figure '%.*s'" ERR_HELP "%s", STR_ARG(name),
		       slo_help);
}

/* ---- bounds ---- */

static bool bound_read_metric(struct str name, struct load_bound *out)
{
	for (int m = 0; m < LOAD_LOOP; m++)
		if (str_eq(name, str_from(load_metric_name((enum load_metric)m)))) {
			out->metric = (enum load_metric)m;
			return true;
		}
	return false;
}

/*
 * "goodput" is a figure by itself; "p99_ttft" is one of the spread of a metric. *kind says in which units its limit
 * is.
 */
static bool bound_read_figure(struct str name, struct load_bound *out, enum kind *kind)
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

	for (size_t i = 0; i < COUNT(figures); i++)
		if (str_eq(name, figures[i].name)) {
			out->figure = figures[i].figure;
			*kind = figures[i].kind;
			return true;
		}
	*kind = KIND_TIME;
	for (size_t i = 0; i < COUNT(of_spread); i++)
		if (str_starts(name, of_spread[i].prefix)) {
			size_t n = of_spread[i].prefix.n;

			out->figure = of_spread[i].figure;
			out->p = of_spread[i].p;
			return bound_read_metric(str_of(name.p + n, name.n - n), out);
		}
	return false;
}

bool load_args_bound(struct load_bound *out, struct str text, struct err *err)
{
	enum kind kind;

	*out = (struct load_bound){ .text = text };
	if (text.n > TEXT_MOST || !limit_cut(text, &out->name, &out->least, &out->strict, &out->value))
		return err_set(err, ERR_USAGE, "--fail-under: '%.*s' is not a threshold" ERR_HELP "%s", STR_ARG(text),
			       bound_help);
	if (!bound_read_figure(out->name, out, &kind))
		return err_set(err, ERR_USAGE, "--fail-under: unknown figure '%.*s'" ERR_HELP "%s",
			       STR_ARG(out->name), bound_help);
	if (!limit_read_value(out->value, kind, &out->limit))
		return err_set(err, ERR_USAGE, "--fail-under: '%.*s' is not a %s" ERR_HELP "%s", STR_ARG(out->value),
			       kind == KIND_TIME ? "time" : kind == KIND_SHARE ? "share" : "rate", bound_help);
	return true;
}

/* ---- when ---- */

bool load_args_rates(struct str text, double out[ARRIVALS_STAGES], size_t *count, struct err *err)
{
	struct str rest = text;

	*count = 0;
	if (str_ends(text, STR(",")))
		return err_set(err, ERR_USAGE, "--rate: '%.*s' ends with a comma", STR_ARG(text));
	do {
		struct str word = str_trim(str_cut(rest, ',', &rest));
		double rate;

		if (num_parse_double(word, &rate) != NUM_OK ||
		    !(rate >= ARRIVALS_RATE_LEAST && rate <= ARRIVALS_RATE_MOST))
			return err_set(err, ERR_USAGE,
				       "--rate: '%.*s' is not a rate" ERR_HELP
				       "give requests per second, %g to %.0f, or several "
				       "with commas between them for one stage after the other: --rate 1,2,4",
				       STR_ARG(word), ARRIVALS_RATE_LEAST, ARRIVALS_RATE_MOST);
		if (*count == ARRIVALS_STAGES)
			return err_set(err, ERR_USAGE, "--rate: more than %d rates", ARRIVALS_STAGES);
		out[(*count)++] = rate;
	} while (rest.n);
	return true;
}

bool load_args_time(struct str text, const char *option, uint64_t *ns, struct err *err)
{
	static const struct {
		struct str unit;
		double ns;
	} units[] = { { { "ms", 2 }, 1e6 }, { { "s", 1 }, 1e9 }, { { "m", 1 }, 60e9 }, { { "h", 1 }, 3600e9 } };
	struct str number = str_trim(text);
	double factor = 1e9, value;

	for (size_t i = 0; i < COUNT(units); i++)
		if (str_ends(number, units[i].unit)) {
			number = str_trim(str_of(number.p, number.n - units[i].unit.n));
			factor = units[i].ns;
			break;
		}
	if (num_parse_double(number, &value) != NUM_OK || !(value * factor >= 1) ||
	    value * factor > (double)ARRIVALS_LONGEST_NS)
		return err_set(err, ERR_USAGE,
			       "%s: '%.*s' is not a time" ERR_HELP
			       "give a number with its unit, at most a month: 500ms, 30s, 5m, 2h",
			       option, STR_ARG(text));
	*ns = (uint64_t)(value * factor);
	return true;
}
