#include "bench/threshold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/num.h"
#include "transform/stats.h"

#define HELP "\n= help: " /* what follows is shown on a line of its own */
#define TEXT_MAX 200     /* bytes that a threshold may have */
#define LEVEL 0.95

enum kind { KIND_TIME, KIND_RATE, KIND_MONEY, KIND_SPEED, KIND_COUNT };
enum order { AT_MOST, BELOW, AT_LEAST, ABOVE };

/* A figure of a group. NaN: there is no data, or no interval. */
struct measure {
	double value;
	struct interval interval;
};

struct name {
	const char *name;
	enum kind kind;
	struct measure (*get)(const struct summary_group *g);
};

struct unit {
	const char *text;
	enum kind kind;
	double scale; /* times it is what the figure is kept in: milliseconds, shares of 1 */
};

struct threshold {
	const struct name *what;
	const struct unit *unit;
	enum order order;
	double limit;
	struct str number; /* as it was written */
};

/* ---- the figures ---- */

static const struct measure nothing = { NAN, { NAN, NAN } };

static struct measure of_rate(struct rate r)
{
	return r.n ? (struct measure){ (double)r.k / (double)r.n, r.interval } : nothing;
}

static struct measure of_count(uint64_t k, uint64_t n)
{
	return of_rate((struct rate){ .k = k, .n = n, .interval = stats_wilson(k, n, LEVEL) });
}

static struct measure of_spread(const struct spread *s, double value, struct interval interval)
{
	return s->n ? (struct measure){ value, interval } : nothing;
}

/* What was counted is not an estimate: it is its own interval. */
static struct measure of_fact(double value)
{
	return (struct measure){ value, { value, value } };
}

static struct measure p50_latency(const struct summary_group *g)
{
	return of_spread(&g->latency, g->latency.p50, g->latency.p50_interval);
}

static struct measure p95_latency(const struct summary_group *g)
{
	return of_spread(&g->latency, g->latency.p95, g->latency.p95_interval);
}

static struct measure p99_latency(const struct summary_group *g)
{
	return of_spread(&g->latency, g->latency.p99, g->latency.p99_interval);
}

static struct measure mean_latency(const struct summary_group *g)
{
	if (g->latency.n == 0 || !g->latency.sorted)
		return of_spread(&g->latency, g->latency.mean, nothing.interval);
	return (struct measure){ g->latency.mean,
				stats_mean_of(g->latency.sorted, (size_t)g->latency.n, LEVEL).interval };
}

static struct measure p50_ttft(const struct summary_group *g)
{
	return of_spread(&g->ttft, g->ttft.p50, g->ttft.p50_interval);
}

static struct measure p95_ttft(const struct summary_group *g)
{
	return of_spread(&g->ttft, g->ttft.p95, g->ttft.p95_interval);
}

static struct measure p99_ttft(const struct summary_group *g)
{
	return of_spread(&g->ttft, g->ttft.p99, g->ttft.p99_interval);
}

static struct measure success_rate(const struct summary_group *g)
{
	return of_rate(g->success);
}

/*
 * Answers to one prompt are not independent, so with repetitions the interval that is clustered by prompt counts, too:
 * the wider end of each (where all answers agree, clusters have no spread at all).
 */
static struct measure pass_rate(const struct summary_group *g)
{
	struct measure m = of_rate(g->pass);
	struct interval by_prompt = g->pass_mean.interval;

	if (g->repeats < 2 || g->pass.n == 0 || !isfinite(by_prompt.low) || !isfinite(by_prompt.high))
		return m;
	m.interval.low = fmax(0, fmin(m.interval.low, by_prompt.low));
	m.interval.high = fmin(1, fmax(m.interval.high, by_prompt.high));
	return m;
}

static struct measure tool_rate(const struct summary_group *g)
{
	return of_rate(g->tools);
}

static struct measure error_rate(const struct summary_group *g)
{
	return of_count(g->n_error, g->n_total);
}

static struct measure limited_rate(const struct summary_group *g)
{
	return of_count(g->n_limited, g->n_total);
}

static struct measure tokens_per_second(const struct summary_group *g)
{
	return (struct measure){ g->tokens_per_second, nothing.interval };
}

/* A sum over rows of which some have no price is a lower bound, and no more. */
static struct measure cost(const struct summary_group *g)
{
	if (g->usd_rows == 0 || isnan(g->usd))
		return nothing;
	return (struct measure){ g->usd, { g->usd, g->usd_rows < g->n_ok ? NAN : g->usd } };
}

/* Tiers count downwards: the high end of the rate is the low number. */
static struct measure tier(const struct summary_group *g)
{
	struct interval i = g->tools.interval;

	if (g->tier == 0)
		return nothing;
	return (struct measure){ g->tier, { i.high >= 0.8 ? 1 : i.high >= 0.5 ? 2 : 3,
					   i.low >= 0.8 ? 1 : i.low >= 0.5 ? 2 : 3 } };
}

static struct measure total(const struct summary_group *g)
{
	return of_fact((double)g->n_total);
}

static const struct name names[] = {
	{ "p50_latency", KIND_TIME, p50_latency },
	{ "p95_latency", KIND_TIME, p95_latency },
	{ "p99_latency", KIND_TIME, p99_latency },
	{ "mean_latency", KIND_TIME, mean_latency },
	{ "p50_ttft", KIND_TIME, p50_ttft },
	{ "p95_ttft", KIND_TIME, p95_ttft },
	{ "p99_ttft", KIND_TIME, p99_ttft },
	{ "success_rate", KIND_RATE, success_rate },
	{ "objective_pass_rate", KIND_RATE, pass_rate },
	{ "pass_rate", KIND_RATE, pass_rate },
	{ "tool_use_success_rate", KIND_RATE, tool_rate },
	{ "error_rate", KIND_RATE, error_rate },
	{ "rate_limited_rate", KIND_RATE, limited_rate },
	{ "tokens_per_second", KIND_SPEED, tokens_per_second },
	{ "cost", KIND_MONEY, cost },
	{ "cost_usd", KIND_MONEY, cost },
	{ "tier", KIND_COUNT, tier },
	{ "n", KIND_COUNT, total },
};

/* The first of a kind is the one that is meant when none is written. */
static const struct unit units[] = {
	{ "ms", KIND_TIME, 1 },	     { "s", KIND_TIME, 1000 }, { "", KIND_RATE, 1 },  { "%", KIND_RATE, 0.01 },
	{ "usd", KIND_MONEY, 1 }, { "tok/s", KIND_SPEED, 1 }, { "", KIND_COUNT, 1 },
};

static const struct {
	const char *text;
	enum order order;
} orders[] = { { "<=", AT_MOST }, { ">=", AT_LEAST }, { "<", BELOW }, { ">", ABOVE } }; /* the longer first */

/* ---- reading ---- */

static struct str skip(struct str s, size_t n)
{
	s = str_of(s.p + n, s.n - n);
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = str_of(s.p + 1, s.n - 1);
	return s;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_number_char(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
}

static const struct name *tell_unknown(struct str word, struct err *err)
{
	const char *nearest = NULL;
	size_t best = 3;
	struct buf list;

	buf_init(&list);
	for (size_t i = 0; i < COUNT(names); i++) {
		size_t distance = str_distance(word, str_from(names[i].name), 2);

		buf_printf(&list, "%s%s", i ? ", " : "", names[i].name);
		if (distance < best && distance < word.n) {
			best = distance;
			nearest = names[i].name;
		}
	}
	if (nearest)
		err_set(err, ERR_USAGE, "a threshold has no '%.*s'" HELP "did you mean '%s'?", STR_ARG(word), nearest);
	else
		err_set(err, ERR_USAGE, "a threshold has no '%.*s'" HELP "there are %.*s", STR_ARG(word),
			STR_ARG(buf_str(&list)));
	buf_free(&list);
	return NULL;
}

static const struct name *find_name(struct str word, struct err *err)
{
	for (size_t i = 0; i < COUNT(names); i++)
		if (str_eq(word, str_from(names[i].name)))
			return &names[i];
	return tell_unknown(word, err);
}

static size_t read_order(struct str rest, enum order *out)
{
	for (size_t i = 0; i < COUNT(orders); i++) {
		struct str text = str_from(orders[i].text);

		if (str_starts(rest, text)) {
			*out = orders[i].order;
			return text.n;
		}
	}
	return 0;
}

static const struct unit *find_unit(enum kind kind, struct str word)
{
	for (size_t i = 0; i < COUNT(units); i++)
		if (units[i].kind == kind && (word.n == 0 || str_eq(word, str_from(units[i].text))))
			return &units[i];
	return NULL;
}

static bool tell_unit(const struct name *what, struct str word, struct err *err)
{
	static const char *const wanted[] = { "its unit is ms or s", "its unit is %, or none for a share of 1",
					      "its unit is usd", "its unit is tok/s", "it is a plain number" };

	return err_set(err, ERR_USAGE, "%s is not measured in '%.*s'" HELP "%s", what->name, STR_ARG(word),
		       wanted[what->kind]);
}

/* A percent is a division: 7 / 100 is the double that 7 of 100 is, and 7 * 0.01 is not. */
static double scaled(const struct unit *u, double value)
{
	return u->scale < 1 ? value / round(1 / u->scale) : value * u->scale;
}

/* The number and its unit. */
static bool read_limit(struct threshold *t, struct arena *a, struct str rest, struct err *err)
{
	size_t n = 0;
	double value;

	while (n < rest.n && is_number_char(rest.p[n]))
		n++;
	if (num_parse_double(str_of(rest.p, n), &value) != NUM_OK)
		return err_set(err, ERR_USAGE, "'%.*s' is no limit of a threshold" HELP
			       "write a number and its unit, as in 'p95_latency<=30s'", STR_ARG(rest));
	t->number = arena_copy(a, str_of(rest.p, n));
	rest = skip(rest, n);
	t->unit = find_unit(t->what->kind, rest);
	if (!t->unit)
		return tell_unit(t->what, rest, err);
	if (t->what->kind == KIND_RATE && t->unit->scale == 1 && value > 1)
		return err_set(err, ERR_USAGE, "%s is a share of 1, %.*s is more" HELP "with a unit: '%.*s%%'",
			       t->what->name, STR_ARG(t->number), STR_ARG(t->number));
	t->limit = scaled(t->unit, value);
	return true;
}

const struct threshold *threshold_parse(struct arena *a, struct str text, struct err *err)
{
	struct threshold *t = arena_new(a, struct threshold);
	struct str rest = str_trim(text);
	size_t n = 0;

	if (rest.n > TEXT_MAX) {
		err_set(err, ERR_USAGE, "a threshold has at most %d characters, this one has %zu", TEXT_MAX, rest.n);
		return NULL;
	}
	while (n < rest.n && is_name_char(rest.p[n]))
		n++;
	if (n == 0) {
		err_set(err, ERR_USAGE, "'%.*s' is no threshold" HELP "write one as in 'p95_latency<=30s'",
			STR_ARG(rest));
		return NULL;
	}
	t->what = find_name(str_of(rest.p, n), err);
	if (!t->what)
		return NULL;
	rest = skip(rest, n);
	n = read_order(rest, &t->order);
	if (n == 0) {
		err_set(err, ERR_USAGE, "behind %s comes <=, <, >= or >, not '%.*s'" HELP
			"write a threshold as in 'p95_latency<=30s', in quotes", t->what->name, STR_ARG(rest));
		return NULL;
	}
	return read_limit(t, a, skip(rest, n), err) ? t : NULL;
}

/* ---- judging ---- */

/* What is not a number meets nothing. */
static bool holds(enum order order, double value, double limit)
{
	switch (order) {
	case AT_MOST:
		return value <= limit;
	case BELOW:
		return value < limit;
	case AT_LEAST:
		return value >= limit;
	case ABOVE:
		return value > limit;
	}
	return false;
}

static const char *order_text(enum order order)
{
	for (size_t i = 0; i < COUNT(orders); i++)
		if (orders[i].order == order)
			return orders[i].text;
	return "";
}

/* With as many digits as it takes for the reader to come to our verdict: 89.996 is not >= 90. */
static void add_number(struct buf *out, const struct threshold *t, double value)
{
	bool met = holds(t->order, value, t->limit);
	char text[40];

	if (isnan(value)) {
		buf_add_str(out, STR("?"));
		return;
	}
	for (int digits = t->what->kind == KIND_COUNT ? 15 : 4; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value / t->unit->scale);
		if (holds(t->order, scaled(t->unit, strtod(text, NULL)), t->limit) == met)
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
	struct measure f = t->what->get(g);
	bool upward = t->order == AT_LEAST || t->order == ABOVE;
	double worst = upward ? f.interval.low : f.interval.high;
	bool meets = holds(t->order, f.value, t->limit) && (!confident || holds(t->order, worst, t->limit));

	buf_add_str(said, str_from(t->what->name));
	if (isnan(f.value)) {
		buf_add_str(said, STR(": no data,"));
	} else {
		buf_add_byte(said, ' ');
		add_number(said, t, f.value);
		add_unit(said, t);
	}
	if (confident && !isnan(f.value)) {
		if (isnan(worst)) {
			buf_add_str(said, STR(" (no interval)"));
		} else {
			buf_add_str(said, STR(" ["));
			add_number(said, t, f.interval.low);
			buf_add_str(said, STR(", "));
			add_number(said, t, f.interval.high);
			buf_add_byte(said, ']');
		}
	}
	buf_printf(said, "%s %s %.*s", meets ? "" : isnan(f.value) ? " not" : " is not", order_text(t->order),
		   STR_ARG(t->number));
	add_unit(said, t);
	return meets;
}
