/*
 * Moments at which something is due, for thousands at once and to the microsecond. The timers of a loop count in whole
 * milliseconds, too coarse for the pace of a stream. So all alarms of a server stand in one heap, and one timer of the
 * kernel is set to the earliest. Times are those of clock_mono_ns. One thread, that of the loop.
 */
#ifndef REPLAY_ALARM_H
#define REPLAY_ALARM_H

#include <uv.h>

#include "base/err.h"

/* Somebody's, inside of what it is about; all zero but for `ring` at first. */
struct alarm {
	void (*ring)(struct alarm *a); /* it is due, and no longer set. May set and unset any, and rest */
	uint64_t at_ns;
	size_t place; /* in the heap, from 1; 0: it is not set */
};

struct alarms;

/* NULL and *err (ERR_IO) when the system has no timer for us. Lives until alarms_close; the loop must live longer. */
struct alarms *alarms_open(uv_loop_t *loop, struct err *err);

/* It rings at this time or as soon after it as the loop gets to it; one that was set is moved. */
void alarms_set(struct alarms *s, struct alarm *a, uint64_t at_ns);

/* It does not ring. Nothing happens when it is not set. */
void alarms_unset(struct alarms *s, struct alarm *a);

/* When none is set: the loop no longer knows of them and may run dry, until one is set again. */
void alarms_rest(struct alarms *s);

/* After alarms_rest, and when the loop has run. */
void alarms_close(struct alarms *s);

#endif
