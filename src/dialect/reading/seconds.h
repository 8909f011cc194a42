/* Seconds as JSON numbers: exact in nanoseconds, and equal within what clocks and sums can give. */
#ifndef DIALECT_READING_SECONDS_H
#define DIALECT_READING_SECONDS_H

#include "json/json.h"

/*
 * A number of seconds in nanoseconds, digits beyond the ninth dropped; one that is too large gives the largest
 * there is, some 292 years. False when it is no number, or none that a double can hold.
 */
bool seconds_ns(struct val v, int64_t *out);

/* The same in microseconds, which reach 292,000 years: also times that somebody wrote in milliseconds. */
bool seconds_us(struct val v, int64_t *out);

/* Whether a is less than b; false when either is no number. */
bool seconds_less(struct val a, struct val b);

/* What one of the last digit of a JSON number stands for, as it is written: 0.01 for 0.45 and for 45e-2. */
double seconds_last_digit(struct str number);

/* Within 1 ms or 0.1 %. */
bool seconds_agree(double a, double b);

#endif
