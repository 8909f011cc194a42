/*
 * The events of the last 300 seconds, and the figures they give. An event is in the window by its own time, when it
 * ended, and not by when it was read: yesterday's file says nothing about now, and whoever reads the same files again
 * gets the same figures. An event is known by (trace_id, node_id), a summary by its trace_id; one that is read again,
 * from the same file or from a copy of it, counts once.
 *
 * The clock is the caller's: `now_us` is microseconds since 1970. Memory is bounded by WINDOW_EVENTS. Events are kept
 * one by one, not summed up by the second: only so can one that is read again be told from a new one.
 */
#ifndef WATCH_WINDOW_H
#define WATCH_WINDOW_H

#include "dialect/agent_trace/trace_row.h"
#include "watch/table.h"

#define WINDOW_SECONDS 300
#define WINDOW_US ((int64_t)WINDOW_SECONDS * 1000000)
#define WINDOW_EVENTS ((size_t)1 << 19) /* about 38 MiB */

struct window {
	struct table events;
	int64_t swept_us; /* when those that have left were last taken out */
	/* of all events that ever came into this window: Prometheus wants them of a summary */
	uint64_t ttft_count;
	double ttft_sum;
};

enum window_taken {
	WINDOW_NEW,
	WINDOW_KNOWN,    /* it is in the window already */
	WINDOW_OLD,      /* it ended before the window began, or nobody knows when */
	WINDOW_AHEAD,    /* more than a window's length ahead of the clock */
	WINDOW_NAMELESS, /* it has not the ids that an event needs */
	WINDOW_FULL,     /* it would be one too many */
};

/* What the events in the window say. A figure that nobody knows is NaN; a count of nothing is 0. */
struct figures {
	int64_t at_us;
	uint64_t events; /* nodes and summaries */
	uint64_t model_calls, tool_calls;
	uint64_t nodes[AT_KINDS];
	uint64_t ttfts; /* model calls in the window that tell their time to first token */
	double ttft_p50, ttft_p99;
	uint64_t ttft_count; /* and since the window was made */
	double ttft_sum;
	double stall_ratio;
};

/* An empty window of at most `limit` events; window_free gives its tables back. */
void window_init(struct window *w, size_t limit);
void window_free(struct window *w);

/*
 * Takes a node or a summary; the row is only looked at. One that is ahead of the clock, by at most the length of the
 * window, is kept and counts when its time has come.
 */
enum window_taken window_add(struct window *w, const struct trace_row *row, int64_t now_us);

/* The figures of (now - 300 s, now]. */
void window_sum(const struct window *w, int64_t now_us, struct figures *out);

#endif
