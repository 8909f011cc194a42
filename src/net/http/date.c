/* Dates are taken by a pattern for each of the three forms, then checked by the one parser of time stamps there is. */
#include "net/http/date.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/clock.h"

enum { MS = 1000 };

#define NS ((int64_t)1000000000)

/* ---- dates ---- */

struct cursor {
	struct str left;
	bool bad;
};

static void skip_text(struct cursor *c, struct str text)
{
	if (!str_starts(c->left, text))
		c->bad = true;
	else
		c->left = str_skip(c->left, text.n);
}

/* `digits` of them; where `blank` a space may stand for the first. */
static int take_number(struct cursor *c, size_t digits, bool blank)
{
	int n = 0;

	if (c->left.n < digits) {
		c->bad = true;
		return 0;
	}
	for (size_t i = 0; i < digits; i++) {
		char d = c->left.p[i];

		if (blank && i == 0 && d == ' ')
			continue;
		if (!ascii_is_digit(d)) {
			c->bad = true;
			return 0;
		}
		n = n * 10 + (d - '0');
	}
	c->left = str_skip(c->left, digits);
	return n;
}

static int take_month(struct cursor *c)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 12; i++) {
		if (str_starts(c->left, str_of(names + (size_t)i * 3, 3))) {
			c->left = str_skip(c->left, 3);
			return i + 1;
		}
	}
	c->bad = true;
	return 0;
}

struct date {
	int year, month, day, hour, minute, second;
};

/*
 * Takes a date by a pattern: d and e are days (e may have a blank first), b a month's name, y and Y years of two and of
 * four digits, H, M and S a time; every other byte stands for itself.
 */
static void take_pattern(struct cursor *c, const char *pattern, struct date *d)
{
	for (; *pattern; pattern++) {
		int *to = *pattern == 'H' ? &d->hour : *pattern == 'M' ? &d->minute : *pattern == 'S' ? &d->second
			  : *pattern == 'y' || *pattern == 'Y' ? &d->year : &d->day;

		if (*pattern == 'b')
			d->month = take_month(c);
		else if (ascii_is_one_of(*pattern, "deyYHMS"))
			*to = take_number(c, *pattern == 'Y' ? 4 : 2, *pattern == 'e');
		else
			skip_text(c, str_of(pattern, 1));
	}
}

/* RFC 9110: a year of two digits that seems more than 50 years ahead is of the last century. */
static int year_of(int two_digits, int64_t now)
{
	char text[36];
	struct cursor this = { .left = str_of(text, stamp_format(text, now, 0, 0)) };
	int current = take_number(&this, 4, false), year = current - current % 100 + two_digits;

	return year > current + 50 ? year - 100 : year;
}

/* Behind the day of the week: RFC 850's form, the usual one, or asctime's. */
static void take_date(struct cursor *c, struct date *d, int64_t now)
{
	if (!str_starts(c->left, STR(","))) {
		take_pattern(c, " b e H:M:S Y", d);
	} else if (c->left.n > 4 && c->left.p[4] == '-') {
		take_pattern(c, ", d-b-y H:M:S ", d);
		d->year = year_of(d->year, now);
		skip_text(c, STR("GMT"));
	} else {
		take_pattern(c, ", d b Y H:M:S ", d);
		skip_text(c, STR("GMT"));
	}
}

static bool is_weekday(struct str name)
{
	static const char *const names[] = {
		"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (str_eq(name, str_from(names[i])) || str_eq(name, str_of(names[i], 3)))
			return true;
	return false;
}

bool http_parse_date(struct str text, int64_t now, int64_t *out)
{
	size_t comma = str_find(text, STR(","));
	size_t name = comma != (size_t)-1 ? comma : text.n < 3 ? text.n : 3;
	struct cursor c = { .left = str_skip(text, name), .bad = !is_weekday(str_of(text.p, name)) };
	struct date d = { .year = 0 };
	struct stamp s;
	char rfc[40];
	int n;

	if (c.bad)
		return false;
	take_date(&c, &d, now);
	if (c.bad || c.left.n)
		return false;
	n = snprintf(rfc, sizeof(rfc), "%04d-%02d-%02dT%02d:%02d:%02dZ", d.year, d.month, d.day, d.hour, d.minute,
		     d.second == 60 ? 59 : d.second);
	if (n < 0 || !stamp_parse(str_of(rfc, (size_t)n), &s))
		return false;
	*out = s.seconds + (d.second == 60);
	return true;
}

/* ---- waiting ---- */

/* Whole milliseconds, rounded up, from 0 to HTTP_WAIT_MOST; a NaN is 0. */
static int64_t clamp(double ms)
{
	if (!(ms > 0))
		return 0;
	return ms > (double)HTTP_WAIT_MOST ? HTTP_WAIT_MOST : (int64_t)(ms + 0.999);
}

/* A plain number from the front of *text: digits with a fraction. */
static bool take_decimal(struct str *text, double *out)
{
	double n = 0, scale = 1;
	bool fraction = false;
	size_t i = 0, digits = 0;

	for (; i < text->n; i++) {
		char c = text->p[i];

		if (c == '.' && !fraction && digits) {
			fraction = true;
			continue;
		}
		if (!ascii_is_digit(c))
			break;
		digits++;
		n = n * 10 + (c - '0');
		scale *= fraction ? 10 : 1;
	}
	*text = str_skip(*text, i);
	*out = n / scale;
	return digits > 0;
}

static bool whole_decimal(struct str text, double *out)
{
	text = str_trim(text);
	return take_decimal(&text, out) && text.n == 0;
}

/* "6m0s", "250ms", "1.5s", "2h". */
static bool parse_span(struct str text, double *ms)
{
	static const struct {
		struct str unit;
		double ms;
	} units[] = { { { "ms", 2 }, 1 }, { { "h", 1 }, 3600e3 }, { { "m", 1 }, 60e3 }, { { "s", 1 }, 1e3 } };
	bool any = false;

	*ms = 0;
	for (text = str_trim(text); text.n; any = true) {
		double n;
		size_t u = 0;

		if (!take_decimal(&text, &n))
			return false;
		while (u < 4 && !str_starts(text, units[u].unit))
			u++;
		if (u == 4)
			return false;
		*ms += n * units[u].ms;
		text = str_of(text.p + units[u].unit.n, text.n - units[u].unit.n);
	}
	return any;
}

/*
 * -1 when no such header can be read. A bare number is told by its size: seconds to go, or seconds or milliseconds
 * since 1970.
 */
static int64_t wait_of_reset(const struct http_head *h, int64_t now)
{
	static const struct str spans[] = {
		{ "x-ratelimit-reset-requests", 26 }, { "x-ratelimit-reset-tokens", 24 },
	};
	int64_t best = -1;
	double n;

	for (size_t i = 0; i < COUNT(spans); i++)
		if (parse_span(http_find(h, spans[i]), &n) && clamp(n) > best)
			best = clamp(n);
	if (best < 0 && whole_decimal(http_find(h, STR("x-ratelimit-reset")), &n)) {
		if (n > 1e12)
			n -= (double)now / 1e6; /* milliseconds since 1970 */
		else if (n > 1e9)
			n = n * 1e3 - (double)now / 1e6;
		else
			n *= 1e3;
		best = clamp(n);
	}
	return best;
}

int64_t http_wait_ms(const struct http_head *h, int64_t now)
{
	struct str after = str_trim(http_find(h, STR("retry-after")));
	int64_t date;
	double n;

	if (whole_decimal(http_find(h, STR("retry-after-ms")), &n))
		return clamp(n);
	if (whole_decimal(after, &n))
		return clamp(n * MS);
	if (after.n && http_parse_date(after, now / NS, &date))
		return clamp(((double)date - (double)now / 1e9) * MS);
	return wait_of_reset(h, now);
}
