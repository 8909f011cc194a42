/*
 * What the reader, the writer and the canonical form of numbers share: a decimal number as an
 * integer and a power of ten, and the ways between it, text and doubles. Internal to base/num.
 */
#ifndef BASE_NUM_DECIMAL_H
#define BASE_NUM_DECIMAL_H

#include "base/num.h"

struct num_decimal {
	uint64_t digits;        /* the first 19 significant digits, as an integer */
	int64_t exponent;       /* the power of ten of the last of them */
	bool negative;
	bool cut;               /* digits that are not zero follow, so the value is larger */
	struct str significand; /* the text before the exponent, without the sign */
};

/* Reads a whole JSON number; false when it is not one. */
bool num_decimal_parse(struct num_decimal *d, struct str text);

/* The nearest double, as num_parse_double. */
enum num_read num_decimal_round(const struct num_decimal *d, double *out);

/*
 * The digits of the shortest decimal that rounds to v, which is finite and not zero, nearest to v among
 * equally short ones: 17 digits with zeros at the end, or fewer when v is subnormal.
 */
uint64_t num_shortest(double v, int *exponent);

/* Writes digits * 10^exponent, 0 < digits < 10^17, as ECMAScript lays it out. Returns the length. */
size_t num_decimal_format(char out[NUM_DOUBLE_MAX], bool negative, uint64_t digits, int exponent);

#endif
