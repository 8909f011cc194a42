/* A cursor walks over the text; each piece takes its digits or fails. */
#include "dialect/atif/time.h"

#include "base/ascii.h"

#define DAY 86400

struct cursor {
	const char *p, *end;
};

static bool time_take(struct cursor *c, char wanted)
{
	if (c->p == c->end || *c->p != wanted)
		return false;
	c->p++;
	return true;
}

/* Exactly `count` digits. */
static bool time_digits(struct cursor *c, unsigned count, unsigned *out)
{
	*out = 0;
	if ((size_t)(c->end - c->p) < count)
		return false;
	for (; count > 0; count--, c->p++) {
		if (!ascii_is_digit(*c->p))
			return false;
		*out = *out * 10 + (unsigned)(*c->p - '0');
	}
	return true;
}

static bool time_is_leap(unsigned year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned days_of(unsigned year, unsigned month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && time_is_leap(year));
}

/* Days from 1970 to the first of January; a year before 1 has none. */
static int64_t days_before_year(unsigned year)
{
	int64_t y = (int64_t)year - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 - 719162;
}

/* The Monday of the first ISO week: that of the week with the fourth of January. */
static int64_t first_monday(unsigned year)
{
	int64_t fourth = days_before_year(year) + 3;
	int64_t weekday = ((fourth + 3) % 7 + 7) % 7; /* 1970 began on a Thursday */

	return fourth - weekday;
}

static bool take_week(struct cursor *c, unsigned year, bool hyphens, int64_t *day)
{
	unsigned week, weekday = 1;
	int64_t monday = first_monday(year);

	if (!time_digits(c, 2, &week) || week == 0)
		return false;
	if (hyphens ? time_take(c, '-') : c->p < c->end && ascii_is_digit(*c->p))
		if (!time_digits(c, 1, &weekday) || weekday < 1 || weekday > 7)
			return false;
	*day = monday + 7 * ((int64_t)week - 1) + weekday - 1;
	return monday + 7 * (int64_t)week <= first_monday(year + 1);
}

static bool take_date(struct cursor *c, int64_t *day)
{
	unsigned year, month, of_month;
	bool hyphens;

	if (!time_digits(c, 4, &year) || year == 0)
		return false;
	hyphens = time_take(c, '-');
	if (time_take(c, 'W'))
		return take_week(c, year, hyphens, day);
	if (!time_digits(c, 2, &month) || month < 1 || month > 12 || (hyphens && !time_take(c, '-')) ||
	    !time_digits(c, 2, &of_month) || of_month < 1 || of_month > days_of(year, month))
		return false;
	*day = days_before_year(year) + of_month - 1;
	for (unsigned m = 1; m < month; m++)
		*day += days_of(year, m);
	return true;
}

/* Behind the seconds; digits past the ninth are dropped. */
static bool take_fraction(struct cursor *c, uint32_t *nanos)
{
	uint32_t scale = 100000000;

	*nanos = 0;
	if (!time_take(c, '.') && !time_take(c, ','))
		return true;
	if (c->p == c->end || !ascii_is_digit(*c->p))
		return false;
	for (; c->p < c->end && ascii_is_digit(*c->p); c->p++, scale /= 10)
		*nanos += (uint32_t)(*c->p - '0') * scale;
	return true;
}

/* "HH", "HH:MM", "HHMM", with seconds and a fraction: of a day, or of an offset. */
static bool take_clock(struct cursor *c, int64_t *seconds, uint32_t *nanos)
{
	unsigned parts[3] = { 0, 0, 0 };
	bool colons = false;
	size_t n = 1;

	*nanos = 0;
	if (!time_digits(c, 2, &parts[0]))
		return false;
	for (; n < 3; n++) {
		bool more = time_take(c, ':');

		colons = n == 1 ? more : colons;
		if (!more && (colons || c->p == c->end || !ascii_is_digit(*c->p)))
			break;
		if (more != colons || !time_digits(c, 2, &parts[n]))
			return false;
	}
	if (parts[0] > 23 || parts[1] > 59 || parts[2] > 59 || (n == 3 && !take_fraction(c, nanos)))
		return false;
	*seconds = (int64_t)parts[0] * 3600 + (int64_t)parts[1] * 60 + parts[2];
	return true;
}

static bool take_zone(struct cursor *c, struct atif_time *out)
{
	bool west;
	int64_t offset;
	uint32_t ignored;

	if (c->p == c->end)
		return true;
	out->has_zone = true;
	if (time_take(c, 'Z'))
		return true;
	west = time_take(c, '-');
	if ((!west && !time_take(c, '+')) || !take_clock(c, &offset, &ignored))
		return false;
	out->seconds += west ? offset : -offset;
	return true;
}

bool atif_time_parse(struct str text, struct atif_time *out)
{
	struct cursor c = { text.p, text.p + text.n };
	int64_t day, seconds = 0;

	*out = (struct atif_time){ 0 };
	if (text.n == 0 || !take_date(&c, &day))
		return false;
	out->seconds = day * DAY;
	if (c.p == c.end)
		return true;
	if (ascii_is_digit(*c.p))
		return false;
	c.p++; /* any other character parts the two, and no more than one */
	while (c.p < c.end && ((unsigned char)*c.p & 0xc0) == 0x80)
		c.p++;
	if (!take_clock(&c, &seconds, &out->nanos))
		return false;
	out->seconds += seconds;
	return take_zone(&c, out) && c.p == c.end;
}
