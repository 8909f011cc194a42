/*
 * Times are mostly written in one of a few shapes, which are read by words of eight digits; anything else goes through
 * a double.
 */
#include "dialect/reading/seconds.h"

#include <math.h>

#include "base/ascii.h"
#include "base/num_eight.h"

/* The digits among the first eight characters, as a number; *n gets how many there are. */
static uint64_t leading_digits(const char *p, unsigned *n)
{
	uint64_t digits = num_eight_digits(num_eight_load(p)), others = num_eight_others(digits);

	*n = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
	return *n ? num_eight_parse(digits << (64 - 8 * *n)) : 0; /* zeros in front push out what follows */
}

/*
 * "1777550404.167452" and the like without a detour over a double: up to ten digits, and up to nine
 * after the point, others dropped. False for anything else. Eight bytes beyond the text are readable.
 */
static bool plain_ns(struct str text, int64_t *out)
{
	static const uint32_t scale[] = { 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1 };
	const char *p = text.p, *end = text.p + text.n;
	bool minus = *p == '-';
	uint64_t whole, part = 0;
	unsigned n;

	p += minus;
	whole = leading_digits(p, &n);
	p += n;
	for (; n >= 8 && n < 11 && p < end && ascii_is_digit(*p); n++)
		whole = whole * 10 + (uint64_t)(*p++ - '0');
	if (whole > 9000000000)
		return false;
	n = 0;
	if (p < end && *p == '.') {
		part = leading_digits(++p, &n);
		p += n;
		if (n == 8 && p < end && ascii_is_digit(*p)) {
			part = part * 10 + (uint64_t)(*p++ - '0');
			n++;
		}
		while (n == 9 && p < end && ascii_is_digit(*p))
			p++;
	}
	if (p != end)
		return false;
	whole = whole * 1000000000 + part * scale[n];
	*out = minus ? -(int64_t)whole : (int64_t)whole;
	return true;
}

/*
 * Ten digits, a point and six more, as clocks with microseconds are written: two words of eight digits,
 * the point left out, and no branch but the first.
 */
static bool clock_ns(struct str text, int64_t *out)
{
	uint64_t high, low;

	if (text.n != 17 || text.p[10] != '.')
		return false;
	high = num_eight_digits(num_eight_load(text.p));
	low = (num_eight_load(text.p + 8) & 0xffff) | (num_eight_load(text.p + 9) & ~UINT64_C(0xffff));
	low = num_eight_digits(low);
	if (num_eight_others(high) | num_eight_others(low))
		return false;
	high = num_eight_parse(high) * 100000000 + num_eight_parse(low);
	if (high > UINT64_C(9000000000000000))
		return false;
	*out = (int64_t)(high * 1000);
	return true;
}

/* A digit, a point and up to eight more: how durations mostly look. */
static bool short_ns(struct str text, int64_t *out)
{
	static const uint32_t scale[] = { 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10 };
	uint64_t digits, others;
	size_t n = text.n - 2;

	if (text.n < 3 || text.n > 10 || text.p[1] != '.' || text.p[0] == '-')
		return false;
	digits = num_eight_digits(num_eight_load(text.p + 2)) << (64 - 8 * n);
	others = num_eight_others(digits);
	*out = (int64_t)(text.p[0] - '0') * 1000000000 + (int64_t)(num_eight_parse(digits) * scale[n]);
	return others == 0; /* an exponent, perhaps */
}

/* In whole units, or the nearest there is. */
static int64_t saturate(double d)
{
	return d >= 9.2e18 ? INT64_MAX : d <= -9.2e18 ? INT64_MIN : (int64_t)d;
}

static bool exact_ns(struct str text, int64_t *out)
{
	return clock_ns(text, out) || short_ns(text, out) || plain_ns(text, out);
}

bool seconds_ns(struct val v, int64_t *out)
{
	double d;

	if (val_is(v, JSON_NUMBER) && exact_ns(val_raw(v), out))
		return true;
	if (!val_double(v, &d))
		return false;
	*out = saturate(d * 1e9);
	return true;
}

bool seconds_us(struct val v, int64_t *out)
{
	double d;

	if (val_is(v, JSON_NUMBER) && exact_ns(val_raw(v), out)) {
		*out /= 1000;
		return true;
	}
	if (!val_double(v, &d))
		return false;
	*out = saturate(d * 1e6);
	return true;
}

bool seconds_less(struct val a, struct val b)
{
	int64_t x, y;
	double d, e;

	if (val_is(a, JSON_NUMBER) && val_is(b, JSON_NUMBER) && exact_ns(val_raw(a), &x) && exact_ns(val_raw(b), &y))
		return x < y;
	return val_double(a, &d) && val_double(b, &e) && d < e;
}

bool seconds_agree(double a, double b)
{
	double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
	double most = larger * 0.001 > 0.001 ? larger * 0.001 : 0.001;

	return fabs(a - b) <= most * (1 + 1e-9);
}

#define POWER_MAX 400 /* beyond what a double can hold */

/* Digits after the point make it smaller, the exponent moves it. Powers stop at 400, which is beyond any double. */
double seconds_last_digit(struct str number)
{
	int power = 0, written = 0;
	bool fraction = false, minus = false;
	size_t i = 0;

	for (; i < number.n && number.p[i] != 'e' && number.p[i] != 'E'; i++) {
		power -= fraction && power > -POWER_MAX;
		fraction = fraction || number.p[i] == '.';
	}
	for (i++; i < number.n; i++) {
		minus = minus || number.p[i] == '-';
		if (ascii_is_digit(number.p[i]) && written < POWER_MAX)
			written = written * 10 + (number.p[i] - '0');
	}
	return pow(10, power + (minus ? -written : written));
}
