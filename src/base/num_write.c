/*
 * Doubles to text. The digits come from Schubfach (Raffaello Giulietti, "The Schubfach way to render
 * doubles"): among the decimals that round to v there is, at the power of ten k just below the width
 * of v's rounding interval, one of at most four candidates: the neighbours of v at k and at k + 1.
 * Three products with a 128-bit power of ten place the interval's ends and v among them. The products
 * are cut but keep a sticky last bit, which is proven to be enough to compare exactly.
 *
 * The branches that would depend on random digits are selections here, and the number of digits is
 * made 17 by a multiplication, so that one fixed sequence of stores writes every number.
 */
#include "base/num.h"

#include "base/num_decimal.h"
#include "base/num_eight.h"
#include "base/num_pow10.h"

#define FRACTION_BITS 52
#define HIDDEN_BIT (UINT64_C(1) << FRACTION_BITS)
#define EXPONENT_MASK 0x7ff
#define EXPONENT_BIAS 1075 /* of the last bit of the significand */
#define E8 UINT64_C(100000000)
#define E16 (E8 * E8)

static const char pairs[] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* Seventeen digits: the first, and twice eight, as characters. */
struct seventeen {
	char first;
	uint64_t middle, last;
	int used; /* without the zeros at the end, at least 1 */
};

static int count_digits(uint64_t v)
{
	int guess = ((64 - __builtin_clzll(v)) * 1233) >> 12; /* bits * log10(2): right or one too few */

	return guess + (v >= num_pow10_small[guess]);
}

/* Of eight digits, not all zero. Reversing and counting from below is cheaper than counting from above. */
static int zeros_at_end(uint64_t eight)
{
	return __builtin_ctzll(__builtin_bswap64(eight)) / 8;
}

static struct seventeen spell(uint64_t digits)
{
	uint64_t first = digits / E16, rest = digits - first * E16;
	uint32_t top = (uint32_t)(rest / E8), bottom = (uint32_t)(rest - top * E8);
	uint64_t middle = num_eight_format(top), last = bottom ? num_eight_format(bottom) : 0;
	int zeros = last ? zeros_at_end(last) : middle ? 8 + zeros_at_end(middle) : 16;

	return (struct seventeen){
		.first = (char)('0' + first),
		.middle = middle | NUM_EIGHT_ZEROS,
		.last = last | NUM_EIGHT_ZEROS,
		.used = 17 - zeros,
	};
}

static void store(char *out, const struct seventeen *s)
{
	out[0] = s->first;
	num_eight_store(out + 1, s->middle);
	num_eight_store(out + 9, s->last);
}

/* d.ddde+x: the point's place is overwritten when there is one digit. */
static char *format_scientific(char *out, const struct seventeen *s, int exponent)
{
	unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
	unsigned hundreds = size / 100;
	char *p = out + s->used + (s->used > 1);

	out[0] = s->first;
	out[1] = '.';
	num_eight_store(out + 2, s->middle);
	num_eight_store(out + 10, s->last);
	p[0] = 'e';
	p[1] = exponent < 0 ? '-' : '+';
	p[2] = (char)('0' + hundreds);
	p += 2 + (hundreds != 0);
	if (size < 10) {
		p[0] = (char)('0' + size);
		return p + 1;
	}
	memcpy(p, pairs + 2 * (size - 100 * hundreds), 2);
	return p + 2;
}

/* ddd.ddd with the point after `whole` digits, 0 < whole < 17. */
static char *format_point(char *out, const struct seventeen *s, int whole)
{
	int skip = (whole - 1) & 8, bits = 8 * ((whole - 1) & 7);
	uint64_t split = skip ? s->last : s->middle, before = split & ((UINT64_C(1) << bits) - 1);

	/* Everything as if the point came first, then what is before it over that: nothing stored is read back. */
	out[0] = s->first;
	num_eight_store(out + 2, s->middle);
	num_eight_store(out + 10, s->last);
	num_eight_store(out + 1, s->middle);
	num_eight_store(out + 1 + skip, before | (uint64_t)'.' << bits | (split - before) << 8);
	return out + s->used + 1;
}

size_t num_decimal_format(char out[NUM_DOUBLE_MAX], bool negative, uint64_t digits, int exponent)
{
	struct seventeen s;
	char *p = out;
	int point; /* how many digits are before the point */

	if (digits < E16) {
		int missing = 17 - count_digits(digits);

		digits *= num_pow10_small[missing];
		exponent -= missing;
	}
	s = spell(digits);
	point = exponent + 17;
	*p = '-';
	p += negative;
	if (point <= -6 || point > 21)
		return (size_t)(format_scientific(p, &s, point - 1) - out);
	if (point <= 0) {
		num_eight_store(p, NUM_EIGHT_ZEROS);
		p[1] = '.';
		store(p + 2 - point, &s);
		return (size_t)(p + 2 - point + s.used - out);
	}
	if (point < s.used)
		return (size_t)(format_point(p, &s, point) - out);
	store(p, &s);
	memcpy(p + 17, "0000", 4);
	return (size_t)(p + point - out);
}

/* The product's bits from 2^128 on, with the last one set when anything that counts is below. */
static uint64_t scale(struct num_pow10 g, uint64_t v)
{
	uint64_t low, middle, ignored;
	uint64_t carry = num_multiply(g.low, v, &ignored), high = num_multiply(g.high, v, &low);

	middle = low + carry;
	high += middle < low;
	return high | (middle > 1);
}

/* Without a branch, which would be mispredicted every other time. */
static uint64_t choose(bool first, uint64_t a, uint64_t b)
{
	return b ^ ((a ^ b) & -(uint64_t)first);
}

/* The shortest decimal that rounds to c * 2^q, nearest of those. `narrow`: the double below is half as far. */
static uint64_t shortest(uint64_t c, int q, bool narrow, int *exponent)
{
	int k = (q * 1262611 - (narrow ? 524031 : 0)) >> 22; /* floor(log10(2^q)), or of 3/4 * 2^q */
	int h = q + num_pow10_log2(-k) + 1;
	struct num_pow10 g = num_pow10_get(-k);
	uint64_t odd = c & 1; /* an even significand's interval includes its ends */
	uint64_t low, middle, high, s, tens, near;
	bool tens_down, tens_up, down, up;

	g.low += k > 0 || k < -55; /* Schubfach's rows are rounded up, ours cut */
	low = scale(g, (4 * c - 2 + narrow) << h) + odd;
	middle = scale(g, (4 * c) << h);
	high = scale(g, (4 * c + 2) << h) - odd;
	s = middle / 4;
	tens = s / 10;
	tens_down = low <= 40 * tens;
	tens_up = 40 * tens + 40 <= high;
	down = low <= 4 * s;
	up = 4 * s + 4 <= high;
	near = choose(down != up, s + up, (middle + 1 + (s & 1)) / 4); /* nearest, and even among two */
	*exponent = k;
	return choose(tens_down != tens_up, 10 * (tens + tens_up), near);
}

/*
 * The same answer from one product, where the answer is clear; false where it is not. With x = c * 2^q
 * / 10^k, `whole` is x without its fraction, `ones` how far x is above a multiple of ten, and `half` how
 * far the interval reaches to each side, which is between 1/2 and 5: at most one multiple of ten is in
 * it, and the integer nearest to x is. Ones and half count units of 2^-60 and are too small by less than
 * two, so a comparison closer than four is left to the exact way.
 */
static bool shortest_clear(uint64_t c, int q, uint64_t *digits, int *exponent)
{
	const uint64_t ten = UINT64_C(10) << 60, close = 4;
	int k = (q * 1262611) >> 22, h = q + num_pow10_log2(-k) + 1;
	struct num_pow10 g = num_pow10_get(-k);
	uint64_t low, part, ignored, carry, whole, tens, ones, half, near;

	carry = num_multiply(g.low, c << h, &ignored);
	whole = num_multiply(g.high, c << h, &low);
	part = low + carry;
	whole += part < low;
	tens = whole / 10 * 10;
	ones = (whole - tens) << 60 | part >> 4;
	half = g.high >> (5 - h);
	if (part - (UINT64_C(1) << 63) + close <= 2 * close || ones - half + close <= 2 * close ||
	    ones + half - ten + close <= 2 * close)
		return false;
	near = whole + (part >> 63);
	near = choose(ones < half, tens, near);
	*digits = choose(ones + half > ten, tens + 10, near);
	*exponent = k;
	return true;
}

uint64_t num_shortest(double v, int *exponent)
{
	uint64_t bits, c, digits;
	int biased, q;
	bool few;

	memcpy(&bits, &v, sizeof(bits));
	c = bits & (HIDDEN_BIT - 1);
	biased = (int)(bits >> FRACTION_BITS & EXPONENT_MASK);
	q = biased - EXPONENT_BIAS;
	if (biased == 0)
		return shortest(c, q + 1, false, exponent);
	if (c == 0 || !shortest_clear(c | HIDDEN_BIT, q, &digits, exponent))
		digits = shortest(c | HIDDEN_BIT, q, c == 0 && biased > 1, exponent);
	few = digits < E16; /* as likely as not */
	*exponent -= few;
	return choose(few, 10 * digits, digits);
}

/* True when v is an integer below 2^53, where every integer is a double; *out is its size. */
static bool is_small_integer(double v, uint64_t *out)
{
	double size = v < 0 ? -v : v;

	if (!(size < 0x1p53))
		return false;
	*out = (uint64_t)(int64_t)size;
	return (double)*out == size;
}

size_t num_format_double(char out[NUM_DOUBLE_MAX], double v)
{
	bool negative = v < 0;
	uint64_t digits;
	int exponent;

	if (is_small_integer(v, &digits)) {
		out[0] = '-';
		return negative + num_format_u64(out + negative, digits);
	}
	digits = num_shortest(v, &exponent);
	return num_decimal_format(out, negative, digits, exponent);
}
