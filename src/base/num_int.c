/* Integers and their text. */
#include "base/num.h"

#include "base/num_decimal.h"
#include "base/num_eight.h"

#define E8 UINT64_C(100000000)
#define E16 (E8 * E8)

const char num_eight_none[4] = { 0 };

size_t num_format_u64(char out[NUM_U64_MAX], uint64_t v)
{
	char *p = out;
	uint64_t top, word;
	int zeros;

	if (v < 10) {
		*p = (char)('0' + v);
		return 1;
	}
	top = v < E8 ? v : v < E16 ? v / E8 : v / E16;
	word = num_eight_format((uint32_t)top);
	zeros = __builtin_ctzll(word) & ~7; /* bits of the zeros in front */
	num_eight_store(p, (word | NUM_EIGHT_ZEROS) >> zeros);
	p += 8 - zeros / 8;
	if (v >= E16) {
		num_eight_store(p, num_eight_format((uint32_t)(v / E8 % E8)) | NUM_EIGHT_ZEROS);
		p += 8;
	}
	if (v >= E8) {
		num_eight_store(p, num_eight_format((uint32_t)(v % E8)) | NUM_EIGHT_ZEROS);
		p += 8;
	}
	return (size_t)(p - out);
}

int num_cmp_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

bool num_parse_u64(struct str text, uint64_t *out)
{
	uint64_t v = 0;

	if (text.n == 0 || (text.n > 1 && text.p[0] == '0'))
		return false;
	for (size_t i = 0; i < text.n; i++) {
		uint64_t digit = (uint64_t)(unsigned char)text.p[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, digit, &v))
			return false;
	}
	*out = v;
	return true;
}

/* The number of that sign and size; false when it does not fit. */
static bool with_sign(bool negative, uint64_t size, int64_t *out)
{
	if (size > (uint64_t)INT64_MAX + negative)
		return false;
	*out = negative ? -1 - (int64_t)(size - 1) : (int64_t)size; /* INT64_MIN has no positive twin */
	return true;
}

bool num_parse_i64(struct str text, int64_t *out)
{
	bool negative = text.n > 0 && text.p[0] == '-';
	uint64_t size;

	if (negative)
		text = str_skip(text, 1);
	return num_parse_u64(text, &size) && with_sign(negative && size != 0, size, out);
}

bool num_integral(struct str text, int64_t *out)
{
	struct num_decimal d;

	if (!num_decimal_parse(&d, text) || d.cut)
		return false; /* with more than 19 significant digits it has a fraction or is too large */
	if (d.digits == 0) {
		*out = 0;
		return true;
	}
	for (; d.exponent < 0; d.exponent++) {
		if (d.digits % 10 != 0)
			return false;
		d.digits /= 10;
	}
	for (; d.exponent > 0; d.exponent--)
		if (__builtin_mul_overflow(d.digits, 10, &d.digits))
			return false;
	return with_sign(d.negative, d.digits, out);
}
