/* Times as ATIF documents write them: any ISO 8601 date and time, with a zone or without. */
#ifndef DIALECT_ATIF_TIME_H
#define DIALECT_ATIF_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct atif_time {
	int64_t seconds; /* since 1970; of a time without a zone as if it were UTC */
	uint32_t nanos;
	bool has_zone; /* times with a zone and times without one cannot be compared */
};

/*
 * Reads an ISO 8601 time: a date by month or by week, with hyphens or without, one character, and a time of day down to
 * any fraction. The date alone will do. False, with *out in no order, for anything else and for a day that no calendar
 * has.
 */
bool atif_time_parse(struct str text, struct atif_time *out);

#endif
