/*
 * Numbers and their text. Doubles are written as ECMAScript's Number::toString writes them, the
 * layout RFC 8785 asks for, and read correctly rounded. One table of powers of ten serves both ways.
 * None of this looks at the locale.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define NUM_DOUBLE_MAX 32 /* bytes num_format_double may write */

enum num_read {
	NUM_OK,        /* the nearest double */
	NUM_OVERFLOW,  /* beyond the largest double: *out is an infinity */
	NUM_UNDERFLOW, /* not zero in the text, zero as a double: *out is a zero */
	NUM_SYNTAX,    /* not a JSON number: *out is untouched */
};

/* Shortest text that reads back as v; v must be finite. -0 gives "0". Returns the length. */
size_t num_format_double(char out[NUM_DOUBLE_MAX], double v);

/* Reads a whole JSON number (RFC 8259 grammar), correctly rounded. */
enum num_read num_parse_double(struct str text, double *out);

/*
 * The canonical (RFC 8785) text of a JSON number's text, without going through a double when the
 * text has at most 15 significant digits. Same results as parse + format. *length gets the length.
 * `text` must already match the RFC 8259 grammar.
 */
enum num_read num_canon(char out[NUM_DOUBLE_MAX], size_t *length, struct str text);

/*
 * Decimal digits only, no sign, no leading zeros except "0"; false on anything else or overflow.
 * A signed number may have one '-' in front.
 */
bool num_parse_u64(struct str text, uint64_t *out);
bool num_parse_i64(struct str text, int64_t *out);

/* The order of two doubles, neither of them a NaN, for qsort. */
int num_cmp_doubles(const void *a, const void *b);

#define NUM_U64_MAX 20 /* bytes num_format_u64 may write */
size_t num_format_u64(char out[NUM_U64_MAX], uint64_t v);

/*
 * True when a JSON number's text denotes an integer, however spelled (1, 1.0, 1e3), that *out can
 * hold; *out its exact value.
 */
bool num_integral(struct str text, int64_t *out);

#endif
