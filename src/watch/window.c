/* One pass over the events gives the figures; events that have left the window go when room is needed. */
#include "watch/window.h"

#include <math.h>

#include "transform/quantile.h"

#define SWEEP_US 1000000

struct window_event {
	struct hash key; /* first: for the table */
	struct hash trace;
	int64_t from_us, to_us;
	double seconds; /* a model call's time to first token, a tool call's stall; negative: not known */
	uint8_t kind;   /* enum at_kind; AT_KINDS for a summary */
	bool total_only;
};

/* A run, as far as it is in the window. */
struct window_run {
	struct hash key; /* of its trace_id */
	int64_t from_us, to_us;
	double stall;
	bool has_tools, has_stall; /* calls of tools; calls whose stall is known */
};

void window_init(struct window *w, size_t limit)
{
	*w = (struct window){ .ttft_count = 0 };
	table_init(&w->events, sizeof(struct window_event), limit);
}

void window_free(struct window *w)
{
	table_free(&w->events);
}

static bool window_keeps(void *context, void *item)
{
	return ((const struct window_event *)item)->to_us > *(const int64_t *)context - WINDOW_US;
}

/* Taking out walks over all events, so it is done once a second at most. */
static void window_sweep(struct window *w, int64_t now_us)
{
	if (now_us >= w->swept_us && now_us - w->swept_us < SWEEP_US)
		return;
	table_keep(&w->events, window_keeps, &now_us);
	w->swept_us = now_us;
}

/* A summary has no node_id: zeros, which are no id's hash but by a chance of 2^-128. */
static struct hash window_key(struct hash trace, const struct trace_row *r)
{
	uint64_t parts[4] = { trace.a, trace.b };

	if (r->type == TRACE_ROW_NODE) {
		struct hash id = str_hash_wide(r->id);

		parts[2] = id.a;
		parts[3] = id.b;
	}
	return str_hash_wide(str_of(parts, sizeof(parts)));
}

enum window_taken window_add(struct window *w, const struct trace_row *r, int64_t now_us)
{
	struct window_event *e;
	struct hash trace;
	bool added;

	assert(r->type == TRACE_ROW_NODE || r->type == TRACE_ROW_SUMMARY);
	if (r->trace.n == 0 || (r->type == TRACE_ROW_NODE && r->id.n == 0))
		return WINDOW_NAMELESS;
	if (r->to_us <= now_us - WINDOW_US)
		return WINDOW_OLD;
	if (r->to_us > now_us + WINDOW_US)
		return WINDOW_AHEAD;
	if (table_is_tight(&w->events))
		window_sweep(w, now_us);
	trace = str_hash_wide(r->trace);
	e = table_add(&w->events, window_key(trace, r), &added);
	if (!added)
		return e ? WINDOW_KNOWN : WINDOW_FULL;
	e->trace = trace;
	e->from_us = r->from_us;
	e->to_us = r->to_us;
	e->kind = r->type == TRACE_ROW_NODE ? (uint8_t)r->kind : AT_KINDS;
	e->total_only = r->total_only;
	e->seconds = e->kind == AT_MODEL_CALL ? r->ttft : e->kind == AT_TOOL_CALL ? r->stall : -1;
	if (e->kind == AT_MODEL_CALL && e->seconds >= 0) {
		w->ttft_count++;
		w->ttft_sum += e->seconds;
	}
	return WINDOW_NEW;
}

/* How much of a stall lies in the window, as if it were spread evenly over the call. */
static double window_stall(const struct window_event *e, int64_t begin_us)
{
	if (e->from_us >= begin_us || e->from_us >= e->to_us)
		return e->seconds;
	return e->seconds * ((double)(e->to_us - begin_us) / (double)(e->to_us - e->from_us));
}

static void window_add_to_run(struct table *runs, const struct window_event *e, int64_t begin_us)
{
	int64_t from_us = e->from_us > begin_us ? e->from_us : begin_us;
	bool added;
	struct window_run *run = table_add(runs, e->trace, &added);

	assert(run); /* there is room for a run of each event */
	if (added || from_us < run->from_us)
		run->from_us = from_us;
	if (added || e->to_us > run->to_us)
		run->to_us = e->to_us;
	if (e->kind != AT_TOOL_CALL)
		return;
	run->has_tools = true;
	if (e->seconds < 0)
		return;
	run->has_stall = true;
	run->stall += window_stall(e, begin_us);
}

/*
 * Stall time divided by total time, as in a summary. A run whose tool calls all leave their stall unknown would only
 * add time, and is left out.
 */
static double window_stall_ratio(const struct table *runs)
{
	double stall = 0, total = 0;
	bool is_known = false;

	for (size_t i = 0; i < runs->count; i++) {
		const struct window_run *run = table_at(runs, i);

		if (run->has_tools && !run->has_stall)
			continue;
		is_known = is_known || run->has_stall;
		stall += run->stall;
		total += (double)(run->to_us - run->from_us) / 1e6;
	}
	if (!is_known)
		return NAN;
	return total > 0 ? stall / total : 0;
}

static void window_count(struct figures *f, struct quantile *ttft, const struct window_event *e)
{
	f->events++;
	if (e->kind < AT_KINDS)
		f->nodes[e->kind]++;
	f->tool_calls += e->kind == AT_TOOL_CALL;
	f->model_calls += e->kind == AT_MODEL_CALL && !e->total_only;
	if (e->kind == AT_MODEL_CALL && e->seconds >= 0)
		quantile_add(ttft, e->seconds);
}

void window_sum(const struct window *w, int64_t now_us, struct figures *out)
{
	int64_t begin_us = now_us - WINDOW_US;
	struct quantile ttft;
	struct table runs;

	*out = (struct figures){ .at_us = now_us, .ttft_count = w->ttft_count, .ttft_sum = w->ttft_sum };
	quantile_init(&ttft, w->events.limit); /* of all of them, so that the order of reading does not matter */
	table_init(&runs, sizeof(struct window_run), w->events.limit);
	for (size_t i = 0; i < w->events.count; i++) {
		const struct window_event *e = table_at(&w->events, i);

		if (e->to_us <= begin_us || e->to_us > now_us)
			continue;
		window_count(out, &ttft, e);
		window_add_to_run(&runs, e, begin_us);
	}
	out->ttfts = ttft.seen;
	out->ttft_p50 = ttft.seen ? quantile_get(&ttft, 0.5) : NAN;
	out->ttft_p99 = ttft.seen ? quantile_get(&ttft, 0.99) : NAN;
	out->stall_ratio = window_stall_ratio(&runs);
	table_free(&runs);
	quantile_free(&ttft);
}
