/*
 * Text to doubles. The first 19 significant digits go through the Eisel-Lemire algorithm (Daniel Lemire,
 * "Number parsing at a gigabyte per second"): one product with a power of ten, and a second one when the
 * first leaves the rounding open. It is exact for every such number (Noble Mushtak and Daniel Lemire,
 * "Fast number parsing without fallback"), so the C library's strtod is asked only about longer numbers,
 * and only about those whose first 19 digits do not decide.
 */
#include "base/num.h"

#include <assert.h>
#include <float.h>
#include <locale.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/num_decimal.h"
#include "base/num_eight.h"
#include "base/num_pow10.h"

#define DIGITS_KEPT 19 /* as many as fit in 64 bits */
#define READ_FIRST (-342)
#define READ_LAST 308 /* outside, 64 bits of digits are zero or infinite */
#define E8 UINT64_C(100000000)
#define FRACTION_BITS 52
#define INFINITE (UINT64_C(0x7ff) << FRACTION_BITS)
#define EXPONENT_LIMIT 100000000000000000 /* larger than a text is long, and no sum of two overflows */

/* The first byte from p on that is not a digit. *value grows by the digits, modulo 2^64. */
static const char *take_digits(const char *p, const char *end, uint64_t *value)
{
	uint64_t v = *value, word, others;
	size_t n;

	for (;; p += 8) {
		size_t left = (size_t)(end - p);

		word = num_eight_digits(left >= 8 ? num_eight_load(p) : num_eight_load_some(p, left));
		others = num_eight_others(word);
		if (others != 0)
			break;
		v = v * E8 + num_eight_parse(word);
	}
	n = (size_t)__builtin_ctzll(others) / 8;
	*value = v * num_pow10_small[n] + num_eight_parse(word << 8 * (7 - n) << 8);
	return p + n;
}

/* The part after 'e'; NULL when it has no digits. What is too large to matter stays at the limit. */
static const char *take_exponent(const char *p, const char *end, int64_t *exponent)
{
	bool negative = p < end && *p == '-';
	const char *first;
	int64_t v = 0;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	for (first = p; p < end && ascii_is_digit(*p); p++)
		if (v < EXPONENT_LIMIT)
			v = v * 10 + (*p - '0');
	*exponent = negative ? -v : v;
	return p > first ? p : NULL;
}

/* Sets digits, exponent and cut of a significand that has `count` digits, too many to keep. */
static void keep_first_digits(struct num_decimal *d, size_t count)
{
	const char *p = d->significand.p, *end = p + d->significand.n;
	int kept = 0;

	d->digits = 0;
	for (; p < end && kept < DIGITS_KEPT; p++) {
		if (*p == '.')
			continue;
		d->digits = d->digits * 10 + (uint64_t)(*p - '0');
		kept += d->digits != 0;
		count--;
	}
	d->exponent += (int64_t)count;
	for (; p < end && !d->cut; p++)
		d->cut = *p != '0' && *p != '.';
}

/* A number of any length: all of the grammar, of the digits the first 19 that count, and whether others follow. */
static bool parse_any(struct num_decimal *d, struct str text)
{
	const char *first = text.p, *end = first + text.n, *p;
	size_t whole, fraction = 0;

	p = take_digits(first, end, &d->digits);
	whole = (size_t)(p - first);
	if (whole == 0 || (whole > 1 && *first == '0'))
		return false;
	if (p < end && *p == '.') {
		const char *point = p;

		p = take_digits(p + 1, end, &d->digits);
		fraction = (size_t)(p - point - 1);
		if (fraction == 0)
			return false;
	}
	d->significand = str_of(first, (size_t)(p - first));
	if (p < end && (*p == 'e' || *p == 'E')) {
		p = take_exponent(p + 1, end, &d->exponent);
		if (!p)
			return false;
	}
	d->exponent -= (int64_t)fraction;
	if (whole + fraction > DIGITS_KEPT)
		keep_first_digits(d, whole + fraction);
	return p == end;
}

/*
 * The numbers of every day: up to eight characters and no exponent, read at once and without branches
 * on where the point is. False when it is not one of them.
 */
static bool parse_short(struct num_decimal *d, struct str text)
{
	size_t n = text.n, padding = 64 - 8 * n, whole = n, fraction = 0;
	uint64_t word, point;

	if (n > 8)
		return false;
	word = n < 8 ? num_eight_load_some(text.p, n) << padding : num_eight_load(text.p);
	word ^= ~UINT64_C(0) << padding & NUM_EIGHT_ZEROS; /* zeros in front of the text */
	point = num_eight_others(word) >> 7;
	if (point) {
		uint64_t before = word & (point - 1);

		fraction = 7 - (size_t)__builtin_ctzll(point) / 8;
		whole = n - fraction - 1;
		if ((point & (point - 1)) || (word & point * 0xff) != point * ('.' ^ '0'))
			return false;
		if (whole == 0 || fraction == 0)
			return false;
		word = (word - before - point * ('.' ^ '0')) | before << 8;
	}
	if (whole > 1 && text.p[0] == '0')
		return false;
	d->digits = num_eight_parse(word);
	d->exponent = -(int64_t)fraction;
	d->significand = text;
	return true;
}

bool num_decimal_parse(struct num_decimal *d, struct str text)
{
	*d = (struct num_decimal){ .negative = text.n > 0 && text.p[0] == '-' };
	if (text.n == (size_t)d->negative)
		return false;
	text = str_skip(text, d->negative);
	return parse_short(d, text) || parse_any(d, text);
}

/* The bits of the double nearest to w * 10^q; 0 < w. */
static uint64_t round_bits(uint64_t w, int64_t exponent)
{
	struct num_pow10 row;
	uint64_t high, low, significand;
	int q, zeros, top, shift, biased;

	if (exponent < READ_FIRST)
		return 0;
	if (exponent > READ_LAST)
		return INFINITE;
	q = (int)exponent;
	zeros = __builtin_clzll(w);
	row = num_pow10_get(q);
	high = num_multiply(w << zeros, row.high, &low);
	if ((high & 0x1ff) == 0x1ff) { /* the bits below the last one that counts: a carry would change it */
		uint64_t ignored, second;

		row.low += q < 0 && q >= -27; /* where w may be a multiple of 5^-q, the row is to be rounded up */
		second = num_multiply(w << zeros, row.low, &ignored);
		low += second;
		high += low < second;
	}
	top = (int)(high >> 63);
	shift = top + 9; /* leaves 54 bits: one more than a double has */
	significand = high >> shift;
	biased = num_pow10_log2(q) + 63 + top - zeros + 1023;
	if (biased <= 0) {
		significand = biased <= -63 ? 0 : significand >> (1 - biased);
		return (significand + (significand & 1)) >> 1;
	}
	/* Half-way between two doubles: to the even one. Only these powers of ten leave nothing below the half. */
	if (low <= 1 && q >= -4 && q <= 23 && (significand & 3) == 1 && significand << shift == high)
		significand--;
	significand = (significand + (significand & 1)) >> 1;
	significand += (uint64_t)(biased - 1) << FRACTION_BITS; /* the hidden bit adds the missing one */
	return significand < INFINITE ? significand : INFINITE;
}

/*
 * For the number whose digits beyond the 19th decide. No double and no half-way point between two has
 * more than 768 significant digits, so of what follows the first 800 only "not zero" matters.
 */
static uint64_t round_bits_exactly(const struct num_decimal *d)
{
	enum { KEPT = 800 };
	char text[KEPT + 32];
	const char *p = d->significand.p, *end = p + d->significand.n;
	int64_t exponent = d->exponent + DIGITS_KEPT;
	size_t n = 0;
	bool more = false;
	locale_t c;
	uint64_t bits;
	double v;

	text[n++] = '.';
	for (; p < end; p++) {
		if (*p == '.' || (*p == '0' && n == 1))
			continue;
		if (n <= KEPT)
			text[n++] = *p;
		else
			more |= *p != '0';
	}
	if (more)
		text[n++] = '1';
	text[n++] = 'e';
	if (exponent < 0)
		text[n++] = '-';
	n += num_format_u64(text + n, (uint64_t)(exponent < 0 ? -exponent : exponent));
	text[n] = '\0';
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	assert(c != (locale_t)0);
	v = strtod_l(text, NULL, c);
	freelocale(c);
	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

_Static_assert(FLT_EVAL_METHOD == 0, "round_simple needs double arithmetic to round to double, once");

/*
 * William Clinger's shortcut: when digits and power of ten are both exact doubles, one multiplication
 * or division rounds once. False when they are not.
 */
static bool round_simple(const struct num_decimal *d, double *out)
{
	static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
					 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	double v;

	if (d->digits > UINT64_C(1) << 53 || d->exponent < -22 || d->exponent > 22)
		return false;
	v = (double)(int64_t)d->digits;
	v = d->exponent < 0 ? v / powers[-d->exponent] : v * powers[d->exponent];
	*out = d->negative ? -v : v;
	return true;
}

enum num_read num_decimal_round(const struct num_decimal *d, double *out)
{
	enum num_read result;
	uint64_t bits = 0;

	if (round_simple(d, out))
		return NUM_OK;
	if (d->digits != 0)
		bits = round_bits(d->digits, d->exponent);
	if (d->cut && bits != round_bits(d->digits + 1, d->exponent))
		bits = round_bits_exactly(d);
	result = bits == INFINITE ? NUM_OVERFLOW : bits == 0 && d->digits != 0 ? NUM_UNDERFLOW : NUM_OK;
	bits |= (uint64_t)d->negative << 63;
	memcpy(out, &bits, sizeof(*out));
	return result;
}

enum num_read num_parse_double(struct str text, double *out)
{
	struct num_decimal d;

	if (!num_decimal_parse(&d, text))
		return NUM_SYNTAX;
	return num_decimal_round(&d, out);
}
