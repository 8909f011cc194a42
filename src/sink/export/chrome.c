/*
 * A timeline in Chrome's trace event format, as Perfetto's importer reads it: a process for each run, a thread for each
 * lane, a complete event (X) for each node, causal edges as flows, counters of tokens, cost and calls in flight. Each
 * run begins at 0, so that runs of different days can be compared; when it really began stands in otherData.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "sink/export/private.h"

#define CHROME_FIRST_TID 10
#define CHROME_US 1000 /* nanoseconds */

struct chrome {
	struct export *x;
	struct json_writer w;
	const struct trace *run;
	struct export_lanes lanes;
	uint32_t *tids[EXPORT_GROUPS]; /* of each lane; 0: not used yet */
	uint32_t next_tid;
	size_t pid;
	uint64_t flows, events;
};

/* ---- events ---- */

/* One per line. `tid` 0: of the process. */
static void chrome_begin(struct chrome *c, const char *phase, uint32_t tid, const char *name)
{
	buf_add_str(&c->x->out, c->events++ ? STR(",\n") : STR("\n"));
	json_write_init(&c->w, &c->x->out, JSON_COMPACT);
	json_write_begin_object(&c->w);
	json_put_word(&c->w, "ph", phase);
	json_put_u64(&c->w, "pid", c->pid);
	if (tid)
		json_put_u64(&c->w, "tid", tid);
	if (name)
		json_put_word(&c->w, "name", name);
}

static void chrome_end(struct chrome *c)
{
	json_write_end_object(&c->w);
}

static void chrome_add_name(struct chrome *c, uint32_t tid, const char *what, struct str name)
{
	chrome_begin(c, "M", tid, what);
	json_put_object(&c->w, "args");
	json_put_text(&c->w, "name", name);
	json_write_end_object(&c->w);
	chrome_end(c);
}

/* Groups stand in their order, lanes within them. */
static void chrome_name_thread(struct chrome *c, const struct export_span *s, uint32_t tid)
{
	uint64_t step = 100;

	for (size_t g = 0; g < EXPORT_GROUPS; g++)
		step = c->lanes.count[g] >= step ? c->lanes.count[g] + 1 : step;
	chrome_add_name(c, tid, "thread_name",
			arena_printf(c->x->arena, "%s %u", export_groups[s->group], s->lane + 1));
	chrome_begin(c, "M", tid, "thread_sort_index");
	json_put_object(&c->w, "args");
	json_put_u64(&c->w, "sort_index", s->group * step + s->lane + 1);
	json_write_end_object(&c->w);
	chrome_end(c);
}

/* The thread of a node's lane; it is named when it is first used. */
static uint32_t chrome_tid_of(struct chrome *c, const struct export_span *s)
{
	uint32_t *tid = &c->tids[s->group][s->lane];

	if (*tid == 0) {
		*tid = c->next_tid++;
		chrome_name_thread(c, s, *tid);
	}
	return *tid;
}

static void chrome_put_figure(struct json_writer *w, const char *name, struct figure f)
{
	if (figure_is_known(f))
		json_put_u64(w, name, f.n);
}

static void chrome_put_seconds(struct json_writer *w, const char *name, double seconds)
{
	if (seconds >= 0)
		json_put_double(w, name, seconds);
}

static void chrome_add_args(struct chrome *c, const struct trace_entry *e)
{
	struct json_writer *w = &c->w;

	json_put_object(w, "args");
	if (e->row.id.p)
		json_put_text(w, "node_id", export_shown(c->x->arena, e->row.id));
	if (e->row.kind == AT_MODEL_CALL) {
		chrome_put_figure(w, "input_tokens", e->row.usage.input);
		chrome_put_figure(w, "output_tokens", e->row.usage.output);
		if (e->stop_reason.p)
			json_put_text(w, "stop_reason", export_shown(c->x->arena, e->stop_reason));
		chrome_put_seconds(w, "ttft_seconds", e->row.ttft);
		if (amount_is_known(e->row.usd))
			json_put_double(w, "cost_usd", e->row.usd.n);
	}
	if (e->row.kind == AT_TOOL_CALL)
		chrome_put_seconds(w, "stall_seconds", e->row.stall);
	if (e->row.kind == AT_BRANCH && e->row.branch.p)
		json_put_text(w, "branch_kind", export_shown(c->x->arena, e->row.branch));
	if (e->row.agent.n)
		json_put_text(w, "agent_id", export_shown(c->x->arena, e->row.agent));
	json_write_end_object(w);
}

/* Nothing is drawn that is no microsecond long. */
static int64_t chrome_length(const struct export_span *s)
{
	return s->length_ns < CHROME_US ? CHROME_US : s->length_ns;
}

/* A point inside a slice, a microsecond from its end or its beginning where there is as much. */
static int64_t chrome_inside(const struct export_span *s, bool at_end)
{
	int64_t step = chrome_length(s) / 2 < CHROME_US ? chrome_length(s) / 2 : CHROME_US;

	return at_end ? s->from_ns + chrome_length(s) - step : s->from_ns + step;
}

static void chrome_add_node(struct chrome *c, uint32_t place)
{
	const struct trace_entry *e = &c->run->nodes[place];
	const struct export_span *s = &c->lanes.spans[place];
	bool is_retry = e->row.kind == AT_RETRY;
	uint32_t tid = chrome_tid_of(c, s);

	chrome_begin(c, "X", tid, NULL);
	export_put_us(&c->w, "ts", s->from_ns);
	export_put_us(&c->w, "dur", chrome_length(s));
	json_put_text(&c->w, "cat", agent_trace_kinds[e->row.kind]);
	json_put_text(&c->w, "name", export_call_name(c->x->arena, e));
	chrome_add_args(c, e);
	chrome_end(c);
	if (!is_retry && !e->row.failed)
		return;
	chrome_begin(c, "i", tid, is_retry ? "retry" : "error");
	export_put_us(&c->w, "ts", chrome_inside(s, !is_retry));
	json_put_word(&c->w, "cat", is_retry ? "retry" : "error");
	json_put_word(&c->w, "s", "t");
	chrome_end(c);
}

/* ---- edges ---- */

static void chrome_add_end(struct chrome *c, const char *phase, const struct export_span *s, int64_t at)
{
	chrome_begin(c, phase, c->tids[s->group][s->lane], "dep");
	if (phase[0] == 'f')
		json_put_word(&c->w, "bp", "e");
	export_put_us(&c->w, "ts", at);
	json_put_u64(&c->w, "id", c->flows);
	json_put_word(&c->w, "cat", "causal");
	chrome_end(c);
}

/* An arrow cannot lead back in time. A cause that went on beside its effect lets go of the arrow when that begins. */
static void chrome_add_flow(struct chrome *c, uint32_t from, uint32_t to)
{
	const struct export_span *a = &c->lanes.spans[from], *b = &c->lanes.spans[to];
	int64_t start = chrome_inside(a, true), end = chrome_inside(b, false);

	start = start > end ? end : start;
	if (start < a->from_ns) {
		losses_add(c->x->losses, "edges that lead back in time");
		return;
	}
	c->flows++;
	chrome_add_end(c, "s", a, start);
	chrome_add_end(c, "f", b, end);
}

static bool chrome_write_flows(struct chrome *c, struct err *err)
{
	for (uint32_t i = 0; i < c->run->count; i++) {
		for (uint32_t k = 0; k < c->run->nodes[i].parent_count; k++) {
			uint32_t parent = c->run->parents[i][k];

			losses_note(c->x->losses, parent == TRACE_NOWHERE, EXPORT_NO_PARENT);
			if (parent != TRACE_NOWHERE)
				chrome_add_flow(c, parent, i);
		}
		if (!export_drain(c->x, err))
			return false;
	}
	return true;
}

/* ---- counters ---- */

struct chrome_point {
	int64_t ns;
	uint32_t place;
	bool is_end;
};

/* For qsort: ends before beginnings of the same moment, so that a chain of calls is never two in flight. */
static int chrome_compare(const void *a, const void *b)
{
	const struct chrome_point *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->is_end != y->is_end)
		return x->is_end ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void chrome_begin_counter(struct chrome *c, const char *name, int64_t ns)
{
	chrome_begin(c, "C", 0, name);
	export_put_us(&c->w, "ts", ns);
	json_put_object(&c->w, "args");
}

static void chrome_end_counter(struct chrome *c)
{
	json_write_end_object(&c->w);
	chrome_end(c);
}

struct chrome_sums {
	uint64_t input, output, flying[EXPORT_GROUPS];
	double usd;
};

static void chrome_add_usage(struct chrome *c, const struct trace_row *row, int64_t ns, struct chrome_sums *s)
{
	if (usage_is_known(&row->usage)) {
		s->input += figure_is_known(row->usage.input) ? row->usage.input.n : 0;
		s->output += figure_is_known(row->usage.output) ? row->usage.output.n : 0;
		chrome_begin_counter(c, "tokens", ns);
		json_put_u64(&c->w, "input", s->input);
		json_put_u64(&c->w, "output", s->output);
		chrome_end_counter(c);
	}
	if (amount_is_known(row->usd)) {
		s->usd += row->usd.n;
		chrome_begin_counter(c, "cost", ns);
		json_put_double(&c->w, "usd", s->usd);
		chrome_end_counter(c);
	}
}

static bool chrome_write_counters(struct chrome *c, struct err *err)
{
	struct chrome_point *points = arena_array(c->x->arena, struct chrome_point, 2 * c->run->count + 1);
	struct chrome_sums sums = { .input = 0 };
	size_t count = 0;

	for (uint32_t i = 0; i < c->run->count; i++) {
		const struct export_span *s = &c->lanes.spans[i];

		if (s->group == EXPORT_AGENT)
			continue;
		points[count++] = (struct chrome_point){ s->from_ns, i, false };
		points[count++] = (struct chrome_point){ s->from_ns + chrome_length(s), i, true };
	}
	qsort(points, count, sizeof(*points), chrome_compare);
	for (size_t i = 0; i < count; i++) {
		const struct chrome_point *p = &points[i];
		const struct export_span *s = &c->lanes.spans[p->place];

		sums.flying[s->group] += p->is_end ? -1 : 1;
		chrome_begin_counter(c, "in flight", p->ns);
		json_put_u64(&c->w, "model", sums.flying[EXPORT_MODEL]);
		json_put_u64(&c->w, "tool", sums.flying[EXPORT_TOOL]);
		chrome_end_counter(c);
		if (p->is_end && s->group == EXPORT_MODEL)
			chrome_add_usage(c, &c->run->nodes[p->place].row, p->ns, &sums);
		if (!export_drain(c->x, err))
			return false;
	}
	return true;
}

/* ---- the document ---- */

static bool chrome_write_run(struct chrome *c, struct err *err)
{
	export_lanes_of(c->x->arena, c->run, &c->lanes);
	c->next_tid = CHROME_FIRST_TID;
	for (size_t g = 0; g < EXPORT_GROUPS; g++)
		c->tids[g] = arena_array(c->x->arena, uint32_t, c->lanes.count[g] + 1);
	chrome_add_name(c, 0, "process_name",
			ARENA_JOIN(c->x->arena, STR("agent "), export_title_of(c->x, c->run, c->pid - 1)));
	for (size_t i = 0; i < c->run->count; i++) {
		chrome_add_node(c, c->lanes.order[i]);
		if (!export_drain(c->x, err))
			return false;
	}
	return chrome_write_flows(c, err) && chrome_write_counters(c, err);
}

static void chrome_put_run(struct json_writer *w, struct arena *a, const struct trace *t, size_t pid)
{
	json_put_u64(w, "pid", pid);
	json_put_text(w, "trace_id", export_shown(a, t->id));
	json_put_text(w, "started_at", stamp_new_ns(a, t->from_ns, 6));
	json_put_text(w, "exit_status", trace_statuses[t->status]);
}

static void chrome_add_rest(struct chrome *c, const struct trace_list *runs)
{
	struct json_writer *w = &c->w;

	buf_add_str(&c->x->out, STR("\n],\"otherData\":"));
	json_write_init(w, &c->x->out, JSON_COMPACT);
	json_write_begin_object(w);
	json_put_text(w, "exporter", arena_printf(c->x->arena, "trackway %s", c->x->options->version));
	if (runs->count == 1)
		chrome_put_run(w, c->x->arena, &runs->items[0], 1);
	if (runs->count > 1) {
		json_put_array(w, "runs");
		for (size_t i = 0; i < runs->count; i++) {
			json_write_begin_object(w);
			chrome_put_run(w, c->x->arena, &runs->items[i], i + 1);
			json_write_end_object(w);
		}
		json_write_end_array(w);
	}
	json_write_end_object(w);
	buf_add_str(&c->x->out, STR("}\n"));
}

bool export_chrome(struct export *x, const struct trace_list *runs, struct err *err)
{
	struct chrome c = { .x = x };

	buf_add_str(&x->out, STR("{\"displayTimeUnit\":\"ms\",\"traceEvents\":["));
	for (size_t i = 0; i < runs->count; i++) {
		c.run = &runs->items[i];
		c.pid = i + 1;
		if (!chrome_write_run(&c, err))
			return false;
	}
	chrome_add_rest(&c, runs);
	return export_flush(x, err);
}
