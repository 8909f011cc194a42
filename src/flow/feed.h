/*
 * A queue to a thread of its own, for a caller that must never wait: what does not fit is refused, and the caller
 * notes the gap. Items are the caller's own structs with a feed_item at their beginning; what was pushed belongs to
 * the consumer, who frees it.
 *
 * The consumer takes all that is there at once, and after a large batch it rests for a moment: at many
 * thousand items a second a wake-up for each would cost more than the work. Where the system has no thread left,
 * the work is done inside feed_push.
 */
#ifndef FLOW_FEED_H
#define FLOW_FEED_H

#include "base/arena.h"
#include "base/budget.h"

struct feed_item {
	struct feed_item *next;
	size_t size; /* bytes it holds, for the limit */
};

struct feed_work {
	void (*take)(void *context, struct feed_item *item); /* one after the other, in order */
	void (*rest)(void *context);                         /* nothing more waits: a good time to write */
	void *context;
};

struct feed;

/*
 * What items hold is taken from `room` while they wait, and it may be shared with others. Lives in `a`; feed_close ends
 * its thread. Never NULL.
 */
struct feed *feed_open(struct arena *a, struct budget *room, struct feed_work work);

/* False: it would be too much; the item stays the caller's. `always`: taken in any case, for small ones that matter. */
bool feed_push(struct feed *f, struct feed_item *item, bool always);

/* Returns when everything that was pushed is done and the thread has ended. */
void feed_close(struct feed *f);

#endif
