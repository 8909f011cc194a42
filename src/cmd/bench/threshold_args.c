/* Reads from left to right: name, order, number, unit. Each step has its own message, with what could stand there. */
#include "cmd/bench/threshold_args.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/num.h"
#include "cmd/frame/command.h"
#include "cmd/frame/nearest.h"

#define TEXT_MAX 200 /* bytes that a threshold may have */

/* The first of a kind is the one that is meant when none is written. */
static const struct threshold_unit units[] = {
	{ "ms", THRESHOLD_TIME, 1 },   { "s", THRESHOLD_TIME, 1000 }, { "", THRESHOLD_RATE, 1 },
	{ "%", THRESHOLD_RATE, 0.01 }, { "usd", THRESHOLD_MONEY, 1 }, { "tok/s", THRESHOLD_SPEED, 1 },
	{ "", THRESHOLD_COUNT, 1 },
};

static struct str threshold_skip(struct str s, size_t n)
{
	s = str_of(s.p + n, s.n - n);
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = str_of(s.p + 1, s.n - 1);
	return s;
}

static bool threshold_is_number(char c)
{
	return ascii_is_digit(c) || c == '.' || c == '-' || c == '+';
}

/* Always NULL. The nearest name is the help, or the list of all when none is near. */
static const struct threshold_figure *threshold_tell_unknown(struct str word, struct err *err)
{
	struct nearest near;
	char text[100];
	const char *help;
	struct buf list;

	buf_init(&list);
	nearest_init(&near, word);
	for (const struct threshold_figure *f = threshold_figures; f->name; f++) {
		nearest_offer(&near, str_from(f->name));
		buf_printf(&list, "%s%s", f == threshold_figures ? "there are " : ", ", f->name);
	}
	help = nearest_help(&near, text, sizeof(text), "");
	buf_add_byte(&list, '\0');
	usage_set(err, help ? help : list.p, "unknown figure '%.*s' in a threshold", STR_ARG(word));
	buf_free(&list);
	return NULL;
}

static const struct threshold_figure *threshold_find_figure(struct str word, struct err *err)
{
	for (const struct threshold_figure *f = threshold_figures; f->name; f++)
		if (str_eq(word, str_from(f->name)))
			return f;
	return threshold_tell_unknown(word, err);
}

/* The longer orders are the first. */
static size_t threshold_read_order(struct str rest, enum threshold_order *out)
{
	for (int i = 0; i < THRESHOLD_ORDERS; i++) {
		struct str text = str_from(threshold_order_text((enum threshold_order)i));

		if (str_starts(rest, text)) {
			*out = (enum threshold_order)i;
			return text.n;
		}
	}
	return 0;
}

static const struct threshold_unit *threshold_find_unit(enum threshold_kind kind, struct str word)
{
	for (size_t i = 0; i < COUNT(units); i++)
		if (units[i].kind == kind && (word.n == 0 || str_eq(word, str_from(units[i].text))))
			return &units[i];
	return NULL;
}

static bool threshold_tell_unit(const struct threshold_figure *what, struct str word, struct err *err)
{
	static const char *const wanted[] = { "its unit is ms or s", "its unit is %, or none for a share of 1",
					      "its unit is usd", "its unit is tok/s", "it is a plain number" };

	return err_set(err, ERR_USAGE, "%s is not measured in '%.*s'" ERR_HELP "%s", what->name, STR_ARG(word),
		       wanted[what->kind]);
}

/* The number and its unit. */
static bool threshold_read_limit(struct threshold *t, struct arena *a, struct str rest, struct err *err)
{
	size_t n = 0;
	double value;

	while (n < rest.n && threshold_is_number(rest.p[n]))
		n++;
	if (num_parse_double(str_of(rest.p, n), &value) != NUM_OK)
		return err_set(err, ERR_USAGE, "'%.*s' is not a limit" ERR_HELP
			       "write a number and its unit, as in 'p95_latency<=30s'", STR_ARG(rest));
	t->number = arena_copy(a, str_of(rest.p, n));
	rest = threshold_skip(rest, n);
	t->unit = threshold_find_unit(t->what->kind, rest);
	if (!t->unit)
		return threshold_tell_unit(t->what, rest, err);
	if (t->what->kind == THRESHOLD_RATE && t->unit->scale == 1 && value > 1)
		return err_set(err, ERR_USAGE, "%s is a share of 1, %.*s is more" ERR_HELP "with a unit: '%.*s%%'",
			       t->what->name, STR_ARG(t->number), STR_ARG(t->number));
	t->limit = threshold_scale(t->unit, value);
	return true;
}

const struct threshold *threshold_args_read(struct arena *a, struct str text, struct err *err)
{
	struct threshold *t = arena_new(a, struct threshold);
	struct str rest = str_trim(text);
	size_t n = 0;

	if (rest.n > TEXT_MAX) {
		err_set(err, ERR_USAGE, "a threshold has at most %d characters, this one has %zu", TEXT_MAX, rest.n);
		return NULL;
	}
	while (n < rest.n && ascii_is_word(rest.p[n]))
		n++;
	if (n == 0) {
		err_set(err, ERR_USAGE, "'%.*s' is not a threshold" ERR_HELP "write one as in 'p95_latency<=30s'",
			STR_ARG(rest));
		return NULL;
	}
	t->what = threshold_find_figure(str_of(rest.p, n), err);
	if (!t->what)
		return NULL;
	rest = threshold_skip(rest, n);
	n = threshold_read_order(rest, &t->order);
	if (n == 0) {
		err_set(err, ERR_USAGE, "after %s write <=, <, >= or >, not '%.*s'" ERR_HELP
			"write a threshold as in 'p95_latency<=30s', in quotes", t->what->name, STR_ARG(rest));
		return NULL;
	}
	return threshold_read_limit(t, a, threshold_skip(rest, n), err) ? t : NULL;
}
