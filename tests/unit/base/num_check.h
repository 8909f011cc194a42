/* What the tests of base/num share: bits of doubles, random numbers, and checks that name the case. */
#ifndef UNIT_BASE_NUM_CHECK_H
#define UNIT_BASE_NUM_CHECK_H

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "harness/test.h"

static inline double double_of(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static inline uint64_t bits_of(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Reads a copy that ends where its memory ends, so that AddressSanitizer sees a read beyond it. */
static inline void check_parse(struct str text, enum num_read want, double value)
{
	char *copy = malloc(text.n + !text.n);
	double v = 4711;

	CHECK(copy != NULL);
	if (text.n)
		memcpy(copy, text.p, text.n);
	CHECK_INT(num_parse_double(str_of(copy, text.n), &v), want);
	CHECK_INT(bits_of(v), bits_of(want == NUM_SYNTAX ? 4711 : value));
	free(copy);
}

static inline void check_canon(struct str text, enum num_read want, struct str canonical)
{
	char out[NUM_DOUBLE_MAX], *copy = malloc(text.n + !text.n);
	size_t n = 0;

	CHECK(copy != NULL);
	if (text.n)
		memcpy(copy, text.p, text.n);
	CHECK_INT(num_canon(out, &n, str_of(copy, text.n)), want);
	if (want != NUM_OVERFLOW)
		CHECK_STR(str_of(out, n), canonical);
	free(copy);
}

/* Canon must say what parse and format say. */
static inline void check_canon_agrees(struct str text)
{
	char out[NUM_DOUBLE_MAX];
	double v = 0;
	enum num_read read = num_parse_double(text, &v);

	check_canon(text, read, isfinite(v) ? str_of(out, num_format_double(out, v)) : STR(""));
}

/* True when a digit before the exponent is not zero. */
static inline bool has_value(struct str text)
{
	for (size_t i = 0; i < text.n && text.p[i] != 'e' && text.p[i] != 'E'; i++)
		if (text.p[i] >= '1' && text.p[i] <= '9')
			return true;
	return false;
}

#endif
