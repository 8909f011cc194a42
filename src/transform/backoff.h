/*
 * How long to wait before a question is put again. The n-th wait (from 0) is base x 2^n with equal jitter: at least
 * half of it, the other half by chance. Full jitter (anything from 0 on) spreads thousands of strangers better, but
 * here a handful of rows of one client have five tries each, and a try that comes at once because chance said 3 ms is
 * a try wasted; how many go out together is the limiter's affair. Chance comes from a seed, so a run can be made
 * again.
 *
 * What the service asks for (Retry-After) is a lower bound: the wait is never shorter, and a little longer, so that not
 * all come back in the same millisecond. When it asks for more than BACKOFF_LONGEST_MS there is no wait at all: nobody
 * gains by a program that sleeps for an hour over a daily quota.
 */
#ifndef TRANSFORM_BACKOFF_H
#define TRANSFORM_BACKOFF_H

#include "transform/stats.h"

#define BACKOFF_RETRIES 5
#define BACKOFF_BASE_MS 1000
#define BACKOFF_LONGEST_MS 120000 /* limits of a minute are common, and some services round up */
#define BACKOFF_SPREAD_MS 250     /* added to what the service asked for, at most */

/*
 * Milliseconds before the attempt that follows `failed` (from 1) failed ones; without a Retry-After at most
 * BACKOFF_LONGEST_MS. `retry_after_ms` is negative when nothing was asked for. -1: it asks for too much. Draws from `r`
 * whatever comes of it.
 */
int64_t backoff_delay_ms(struct stats_random *r, unsigned failed, uint64_t base_ms, int64_t retry_after_ms);

#endif
