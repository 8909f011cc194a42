/*
 * The two passes of a variant, over primitives its file has defined before including this one:
 *
 *	struct quotes quotes_read(const uint8_t *p);       64 bytes: where " and \\ and control characters are
 *	struct marks marks_read(const uint8_t *p);         brackets, LF, and all of white space , : brackets
 *	uint64_t bits_prefix_xor(uint64_t);                bit i is the parity of bits 0..i
 *	uint64_t bits_first(uint64_t);                     number of the lowest bit; anything for 0
 *	uint32_t bytes_equal(const uint8_t *, const uint8_t *);  32 bytes, a bit for each equal one
 *	uint32_t bytes_digit(const uint8_t *);             32 bytes, a bit for each of 0-9
 *	struct utf8 { ... };  utf8_begin, utf8_block(u, p), utf8_ok(u)
 *
 * Each variant includes it once, and everything in it is static.
 */
#ifndef JSON_SCAN_BODY_H
#define JSON_SCAN_BODY_H

#define INLINE static inline __attribute__((always_inline))

#include "json/scan_index.h"
#include "json/scan_value.h"
#include "json/scan_runs.h"
#include "json/scan_tape.h"

/* Both passes over the batch of *s. False: nothing of the tape may be used. */
static bool scan_run(struct scan *s)
{
	scan_fit_index(s);
	if (!scan_index(s))
		return false;
	scan_fit_tape(s);
	return scan_tape(s);
}

#endif
