/*
 * Lanes by two heaps for each group: lanes in use by their end, free ones by their number. A run may have as many lanes
 * as nodes, so looking through all of them for each node would take too long.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sink/export/private.h"

#define LANES_SHORTEST 1000 /* nanoseconds */
#define LANES_FURTHEST (INT64_MAX / 4) /* sums of two stay in range */

const char *const export_groups[EXPORT_GROUPS] = { "agent", "model", "tool" };

struct lanes_item {
	int64_t key;
	uint32_t lane;
};

struct lanes_heap {
	struct lanes_item *items;
	size_t count;
};

static bool lanes_is_before(struct lanes_item a, struct lanes_item b)
{
	return a.key < b.key || (a.key == b.key && a.lane < b.lane);
}

static void lanes_push(struct lanes_heap *h, struct lanes_item item)
{
	size_t at = h->count++;

	for (; at && lanes_is_before(item, h->items[(at - 1) / 2]); at = (at - 1) / 2)
		h->items[at] = h->items[(at - 1) / 2];
	h->items[at] = item;
}

static struct lanes_item lanes_pop(struct lanes_heap *h)
{
	struct lanes_item top = h->items[0], last = h->items[--h->count];
	size_t at = 0;

	for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
		if (child + 1 < h->count && lanes_is_before(h->items[child + 1], h->items[child]))
			child++;
		if (!lanes_is_before(h->items[child], last))
			break;
		h->items[at] = h->items[child];
	}
	h->items[at] = last;
	return top;
}

/* The lane of a node that begins at `from` and is drawn until `to`. */
static uint32_t lanes_take(struct lanes_heap *busy, struct lanes_heap *idle, uint32_t *count, int64_t from, int64_t to)
{
	struct lanes_item item = { .lane = *count };

	while (busy->count && busy->items[0].key <= from) {
		item = lanes_pop(busy);
		item.key = 0;
		lanes_push(idle, item);
	}
	if (idle->count)
		item = lanes_pop(idle);
	else
		item.lane = (*count)++;
	item.key = to;
	lanes_push(busy, item);
	return item.lane;
}

static enum export_group lanes_group_of(enum at_kind kind)
{
	return kind == AT_MODEL_CALL ? EXPORT_MODEL : kind == AT_TOOL_CALL ? EXPORT_TOOL : EXPORT_AGENT;
}

/* How long it is from a to b; times from outside may be anywhere in 64 bits. */
static int64_t lanes_between(int64_t a, int64_t b)
{
	uint64_t length = b < a ? 0 : (uint64_t)b - (uint64_t)a;

	return length > LANES_FURTHEST ? LANES_FURTHEST : (int64_t)length;
}

static void lanes_measure(const struct trace *t, struct export_lanes *out)
{
	int64_t first = t->count ? t->nodes[0].from_ns : 0;

	for (size_t i = 1; i < t->count; i++)
		first = t->nodes[i].from_ns < first ? t->nodes[i].from_ns : first;
	for (size_t i = 0; i < t->count; i++) {
		const struct trace_entry *e = &t->nodes[i];
		struct export_span *s = &out->spans[i];

		s->from_ns = lanes_between(first, e->from_ns);
		s->length_ns = lanes_between(e->from_ns, e->to_ns);
		s->group = lanes_group_of(e->row.kind);
		if (s->from_ns + s->length_ns > out->end_ns)
			out->end_ns = s->from_ns + s->length_ns;
	}
}

/* For qsort: by beginning, else as in the trace. */
static int lanes_compare(const void *a, const void *b)
{
	const struct lanes_item *x = a, *y = b;

	return lanes_is_before(*x, *y) ? -1 : lanes_is_before(*y, *x);
}

static void lanes_sort(struct arena *a, const struct trace *t, struct export_lanes *out)
{
	struct lanes_item *items = arena_array(a, struct lanes_item, t->count + 1);

	for (uint32_t i = 0; i < t->count; i++)
		items[i] = (struct lanes_item){ out->spans[i].from_ns, i };
	qsort(items, t->count, sizeof(*items), lanes_compare);
	out->order = arena_array(a, uint32_t, t->count + 1);
	for (size_t i = 0; i < t->count; i++)
		out->order[i] = items[i].lane;
}

void export_lanes_of(struct arena *a, const struct trace *t, struct export_lanes *out)
{
	struct lanes_heap busy[EXPORT_GROUPS], idle[EXPORT_GROUPS];
	uint32_t *last[EXPORT_GROUPS];

	*out = (struct export_lanes){ .spans = arena_array(a, struct export_span, t->count + 1) };
	lanes_measure(t, out);
	lanes_sort(a, t, out);
	for (size_t g = 0; g < EXPORT_GROUPS; g++) {
		busy[g] = (struct lanes_heap){ .items = arena_array(a, struct lanes_item, t->count + 1) };
		idle[g] = (struct lanes_heap){ .items = arena_array(a, struct lanes_item, t->count + 1) };
		out->first[g] = arena_array(a, uint32_t, t->count + 1);
		last[g] = arena_array(a, uint32_t, t->count + 1);
	}
	for (size_t i = 0; i < t->count; i++) {
		uint32_t place = out->order[i];
		struct export_span *s = &out->spans[place];
		int64_t drawn = s->length_ns < LANES_SHORTEST ? LANES_SHORTEST : s->length_ns;

		s->lane = lanes_take(&busy[s->group], &idle[s->group], &out->count[s->group], s->from_ns,
				     s->from_ns + drawn);
		if (last[s->group][s->lane])
			out->spans[last[s->group][s->lane] - 1].next = place + 1;
		else
			out->first[s->group][s->lane] = place + 1;
		last[s->group][s->lane] = place + 1;
	}
}

void export_put_us(struct json_writer *w, const char *name, int64_t ns)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%lld.%03d", (long long)(ns / 1000), (int)(ns % 1000));

	while (text[n - 1] == '0')
		n--;
	n -= text[n - 1] == '.';
	json_put_raw(w, name, str_of(text, (size_t)n));
}
