/*
 * Time: the wall clock and the monotonic clock in nanoseconds, and RFC 3339 both ways. Parsing and
 * formatting look at nothing but their arguments.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

uint64_t clock_wall_ns(void); /* since 1970-01-01T00:00:00Z */
uint64_t clock_mono_ns(void); /* since some point in the past; never goes back */

/* Wall time that never goes back while a program runs, whatever is done to the clock: for times that are compared. */
struct clock_line {
	int64_t offset;
};

/* The offset between the two clocks as it is now; the line runs by the monotonic one from here on. */
struct clock_line clock_line_begin(void);
int64_t clock_line_ns(const struct clock_line *c); /* since 1970 */

struct stamp {
	int64_t seconds;    /* since 1970-01-01T00:00:00Z; a leap second counts as the second after */
	uint32_t nanos;     /* digits past the ninth are dropped */
	uint32_t digits;    /* of the fraction, 0 when there was none */
	int16_t offset_min; /* from UTC */
	bool leap;          /* second 60 */
	bool lower;         /* a lower-case t or z */
	bool unknown_offset; /* -00:00 */
};

/* A whole RFC 3339 date-time: real calendar date, offset required, 60 only as 23:59:60 UTC. */
bool stamp_parse(struct str text, struct stamp *out);

/*
 * "2026-05-01T12:00:00.123Z" with `digits` (0 to 9) of fraction, the rest dropped, and a terminator.
 * Returns the length, at most 35. A year outside 0000 to 9999, which RFC 3339 cannot write, gives the
 * first or last second there is.
 */
size_t stamp_format(char out[36], int64_t seconds, uint32_t nanos, unsigned digits);

/* The same for nanoseconds or microseconds since 1970, which may be negative: before it. */
size_t stamp_format_ns(char out[36], int64_t ns, unsigned digits);
size_t stamp_format_us(char out[36], int64_t us, unsigned digits);

/* The text of stamp_format_ns in an arena, without its terminator in the length. */
struct str stamp_new_ns(struct arena *a, int64_t ns, unsigned digits);

/* Nanoseconds since 1970; false when out of the range of int64. */
bool stamp_ns(const struct stamp *s, int64_t *out);

#endif
