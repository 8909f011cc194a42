/*
 * The canonical text of a number's text, mostly without a double in between. This is why that works.
 *
 * A decimal w * 10^e with w < 2^52 is the shortest text of the double v that it rounds to, as long as v
 * is neither subnormal nor infinite. Any other decimal with as few digits is at least 10^e away from it
 * (a tenth of that if w is a power of ten, where there is room to spare). The decimals that round to v
 * lie within one unit in v's last place, which is at most v / 2^52. Since v is w * 10^e up to a factor
 * of 1 + 2^-53, that is less than 10^e. So no other decimal that short rounds to v, there is nothing to
 * search for, and only the layout may have to change.
 *
 * Every number of up to 15 digits is below 2^52, and so is a time in seconds with microseconds. The
 * others are rounded to a double, and its shortest digits compared with the text's.
 */
#include "base/num.h"

#include "base/num_decimal.h"
#include "base/num_eight.h"

#define OWN_SHORTEST (UINT64_C(1) << 52)
#define E16 UINT64_C(10000000000000000)

/* A number without its sign, up to 17 bytes: the first 16 as digits 0..9, with zeros after the end. */
struct window {
	uint64_t low, high;
	char last;
};

static struct window window_load(const char *p, size_t n)
{
	struct window w = { .last = p[n - 1] };

	if (n < 8) {
		w.low = num_eight_load_some(p, n) ^ (NUM_EIGHT_ZEROS >> (64 - 8 * n));
	} else {
		w.low = num_eight_digits(num_eight_load(p));
		if (n > 16)
			n = 16;
		if (n > 8)
			w.high = num_eight_digits(num_eight_load(p + n - 8)) >> (128 - 8 * n);
	}
	return w;
}

/* True when the number has one point, no exponent and no zero at the end, and is not below 10^-6. */
static bool is_plain_fraction(const struct window *w, uint64_t others_low, uint64_t others_high)
{
	uint64_t others = others_low | others_high, word = others_low ? w->low : w->high;

	if ((others_low && others_high) || (others & (others - 1)))
		return false;
	if ((uint8_t)(word >> (__builtin_ctzll(others) & ~7)) != ('.' ^ '0'))
		return false;
	return w->last != '0' && (w->low & ~UINT64_C(0xff00)) != 0;
}

/* True when the first n bytes of the window are canonical as they are, whatever the sign. */
static bool is_canonical(const struct window *w, size_t n)
{
	uint64_t others_low = num_eight_others(w->low), others_high = num_eight_others(w->high);
	uint8_t first = (uint8_t)w->low;

	if ((others_low | others_high) == 0)
		return n < 16 || (n == 16 && first < 9); /* below 2^53 */
	if (n == 17 && first > 3)
		return false; /* not surely below 2^52 */
	return is_plain_fraction(w, others_low, others_high);
}

/* True when d's text, n bytes without the sign, has the 17 digits of its double and is laid out canonically. */
static bool is_own_shortest(const struct num_decimal *d, size_t n, uint64_t digits, int exponent)
{
	uint64_t own = d->digits < E16 ? 10 * d->digits : d->digits;

	if (own != digits || n != d->significand.n || n < 16)
		return false;
	return d->exponent == 0 || (d->significand.p[n - 1] != '0' && exponent > -17 - 6);
}

/* Through the decimal, and through the double where 16 digits or the range do not allow the short way. */
static enum num_read canon_slowly(char out[NUM_DOUBLE_MAX], size_t *length, struct str text)
{
	struct num_decimal d;
	enum num_read result;
	uint64_t digits;
	double v;
	int exponent;

	if (!num_decimal_parse(&d, text))
		return NUM_SYNTAX;
	/* At most 16 digits, so the bounds are inside 10^-307 and 10^308. */
	if (d.digits != 0 && d.digits < OWN_SHORTEST && d.exponent >= -307 && d.exponent <= 290) {
		*length = num_decimal_format(out, d.negative, d.digits, (int)d.exponent);
		return NUM_OK;
	}
	result = num_decimal_round(&d, &v);
	if (result == NUM_OVERFLOW)
		return result;
	if (v == 0) {
		out[0] = '0';
		*length = 1;
		return result;
	}
	digits = num_shortest(v, &exponent);
	if (is_own_shortest(&d, text.n - d.negative, digits, exponent)) {
		memcpy(out, text.p, 16);
		memcpy(out + text.n - 16, text.p + text.n - 16, 16);
		*length = text.n;
	} else {
		*length = num_decimal_format(out, d.negative, digits, exponent);
	}
	return result;
}

enum num_read num_canon(char out[NUM_DOUBLE_MAX], size_t *length, struct str text)
{
	size_t negative, n;
	struct window w;

	if (text.n == 0)
		return NUM_SYNTAX;
	negative = text.p[0] == '-';
	n = text.n - negative;
	if (n == 0 || n > 17)
		return canon_slowly(out, length, text);
	w = window_load(text.p + negative, n);
	if (!is_canonical(&w, n))
		return canon_slowly(out, length, text);
	negative &= w.low != 0; /* only a zero begins with eight zeros here, and it has no sign */
	out[0] = '-';
	num_eight_store(out + negative, num_eight_digits(w.low));
	num_eight_store(out + negative + 8, num_eight_digits(w.high));
	out[negative + n - 1] = w.last;
	*length = negative + n;
	return NUM_OK;
}
