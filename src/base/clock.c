#include "base/clock.h"

#include <assert.h>
#include <time.h>

#include "base/ascii.h"

#define DAY 86400
#define BILLION 1000000000

static uint64_t now(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (uint64_t)t.tv_sec * BILLION + (uint64_t)t.tv_nsec;
}

uint64_t clock_wall_ns(void)
{
	return now(CLOCK_REALTIME);
}

uint64_t clock_mono_ns(void)
{
	return now(CLOCK_MONOTONIC);
}

struct clock_line clock_line_begin(void)
{
	return (struct clock_line){ .offset = (int64_t)(clock_wall_ns() - clock_mono_ns()) };
}

int64_t clock_line_ns(const struct clock_line *c)
{
	return c->offset + (int64_t)clock_mono_ns();
}

static bool is_leap_year(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/*
 * Days of the proleptic Gregorian calendar are counted from -0400-03-01. A year beginning in March has
 * its leap day last, and (153 m + 2) / 5 days precede its month m; 400 years are always 146097 days,
 * so beginning 400 early keeps every number here positive.
 */
#define DAYS_TO_1970 865565

static int64_t days_of_date(int year, int month, int day)
{
	int64_t y = year + 400 - (month <= 2), m = month <= 2 ? month + 9 : month - 3;

	return y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
}

struct reader {
	const char *p;
	size_t n;
	bool ok;
};

static char next_byte(struct reader *r)
{
	if (!r->ok || r->n == 0) {
		r->ok = false;
		return '\0';
	}
	r->n--;
	return *r->p++;
}

static int next_number(struct reader *r, int digits)
{
	int v = 0;

	while (digits-- > 0) {
		char c = next_byte(r);

		if (!ascii_is_digit(c))
			r->ok = false;
		v = v * 10 + (c - '0');
	}
	return r->ok ? v : 0;
}

static void expect(struct reader *r, char c)
{
	if (next_byte(r) != c)
		r->ok = false;
}

static int64_t read_date(struct reader *r)
{
	static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year, month, day, length;

	year = next_number(r, 4);
	expect(r, '-');
	month = next_number(r, 2);
	expect(r, '-');
	day = next_number(r, 2);
	if (!r->ok || month < 1 || month > 12) {
		r->ok = false;
		return 0;
	}
	length = lengths[month - 1] + (month == 2 && is_leap_year(year));
	r->ok = day >= 1 && day <= length;
	return days_of_date(year, month, day) - DAYS_TO_1970;
}

static int read_time(struct reader *r, struct stamp *s)
{
	int hour, minute, second;

	hour = next_number(r, 2);
	expect(r, ':');
	minute = next_number(r, 2);
	expect(r, ':');
	second = next_number(r, 2);
	if (hour > 23 || minute > 59 || second > 60)
		r->ok = false;
	s->leap = second == 60;
	return hour * 3600 + minute * 60 + second;
}

static void read_fraction(struct reader *r, struct stamp *s)
{
	if (!r->ok || r->n == 0 || *r->p != '.')
		return;
	next_byte(r);
	while (r->n > 0 && ascii_is_digit(*r->p)) {
		int digit = next_number(r, 1);

		if (s->digits < 9)
			s->nanos = s->nanos * 10 + (uint32_t)digit;
		s->digits++;
	}
	if (s->digits == 0)
		r->ok = false;
	for (uint32_t i = s->digits; i < 9; i++)
		s->nanos *= 10;
}

static void read_offset(struct reader *r, struct stamp *s)
{
	char c = next_byte(r);
	int hour, minute, total;

	if (c == 'Z' || c == 'z') {
		s->lower |= c == 'z';
		return;
	}
	if (c != '+' && c != '-')
		r->ok = false;
	hour = next_number(r, 2);
	expect(r, ':');
	minute = next_number(r, 2);
	if (hour > 23 || minute > 59)
		r->ok = false;
	total = hour * 60 + minute;
	s->offset_min = (int16_t)(c == '-' ? -total : total);
	s->unknown_offset = c == '-' && total == 0;
}

bool stamp_parse(struct str text, struct stamp *out)
{
	struct reader r = { text.p, text.n, true };
	struct stamp s = { 0 };
	char separator;

	s.seconds = read_date(&r) * DAY;
	separator = next_byte(&r);
	if (separator != 'T' && separator != 't')
		r.ok = false;
	s.lower = separator == 't';
	s.seconds += read_time(&r, &s);
	read_fraction(&r, &s);
	read_offset(&r, &s);
	s.seconds -= s.offset_min * 60;
	/* 23:59:60 is midnight of the next day, whatever the offset made of the clock's hands */
	if (!r.ok || r.n != 0 || (s.leap && s.seconds % DAY != 0))
		return false;
	*out = s;
	return true;
}

static char *put_number(char *out, int64_t v, int digits)
{
	for (int i = digits - 1; i >= 0; i--) {
		out[i] = (char)('0' + v % 10);
		v /= 10;
	}
	return out + digits;
}

/*
 * The inverse of days_of_date. Inside 400 years, taking out the leap days that came before (one in
 * 1461 days, but not one in 36525, and the last of all) leaves years of 365 days.
 */
static char *put_date(char *out, int64_t days_since_1970)
{
	int64_t days = days_since_1970 + DAYS_TO_1970, era = days / 146097, d = days % 146097;
	int64_t y = (d - d / 1460 + d / 36524 - d / 146096) / 365, in_year = d - (365 * y + y / 4 - y / 100);
	int64_t m = (5 * in_year + 2) / 153, day = in_year - (153 * m + 2) / 5 + 1;
	int64_t month = m < 10 ? m + 3 : m - 9, year = y + era * 400 - 400 + (month <= 2);

	out = put_number(out, year, 4);
	*out++ = '-';
	out = put_number(out, month, 2);
	*out++ = '-';
	return put_number(out, day, 2);
}

size_t stamp_format(char out[36], int64_t seconds, uint32_t nanos, unsigned digits)
{
	const int64_t first = -62167219200, last = 253402300799; /* 0000-01-01, 9999-12-31T23:59:59 */
	int64_t days, in_day;
	char *p = out, fraction[9];

	assert(nanos < BILLION && digits <= 9);
	seconds = seconds < first ? first : seconds > last ? last : seconds;
	in_day = (seconds % DAY + DAY) % DAY;
	days = (seconds - in_day) / DAY;
	p = put_date(p, days);
	*p++ = 'T';
	p = put_number(p, in_day / 3600, 2);
	*p++ = ':';
	p = put_number(p, in_day / 60 % 60, 2);
	*p++ = ':';
	p = put_number(p, in_day % 60, 2);
	if (digits > 0) {
		put_number(fraction, nanos, 9);
		*p++ = '.';
		memcpy(p, fraction, digits);
		p += digits;
	}
	*p++ = 'Z';
	*p = '\0';
	return (size_t)(p - out);
}

/* Division rounds towards zero, and a time before 1970 belongs to the second before it. */
static size_t format_parts(char out[36], int64_t n, int64_t per_second, unsigned digits)
{
	int64_t rest = n % per_second, seconds = n / per_second - (rest < 0);

	rest = rest < 0 ? rest + per_second : rest;
	return stamp_format(out, seconds, (uint32_t)(rest * (BILLION / per_second)), digits);
}

size_t stamp_format_ns(char out[36], int64_t ns, unsigned digits)
{
	return format_parts(out, ns, BILLION, digits);
}

size_t stamp_format_us(char out[36], int64_t us, unsigned digits)
{
	return format_parts(out, us, 1000000, digits);
}

struct str stamp_new_ns(struct arena *a, int64_t ns, unsigned digits)
{
	char text[36];

	return arena_copy(a, str_of(text, stamp_format_ns(text, ns, digits)));
}

bool stamp_ns(const struct stamp *s, int64_t *out)
{
	int64_t seconds = s->seconds, rest = s->nanos, ns;

	assert(s->nanos < BILLION);
	/* the least int64 is not a whole second: go there from above */
	if (seconds < 0 && rest > 0) {
		seconds++;
		rest -= BILLION;
	}
	if (__builtin_mul_overflow(seconds, (int64_t)BILLION, &ns) || __builtin_add_overflow(ns, rest, &ns))
		return false;
	*out = ns;
	return true;
}
