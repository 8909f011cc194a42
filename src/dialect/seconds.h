/* Seconds as JSON numbers: exact in nanoseconds, and equal within what clocks and sums can give. */
#ifndef DIALECT_SECONDS_H
#define DIALECT_SECONDS_H

#include "json/json.h"

/* A number of seconds in nanoseconds, digits beyond the ninth dropped; false when it is none or too large. */
bool seconds_ns(struct val v, int64_t *out);

/* Whether a is less than b; false when either has no nanoseconds. */
bool seconds_less(struct val a, struct val b);

/* Within 1 ms or 0.1 %. */
bool seconds_agree(double a, double b);

#endif
