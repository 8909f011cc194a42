/* Texts that repeat (models, tools, addresses) are kept once for the whole list; ids are copied. */
#include "dialect/agent_trace/trace.h"

#include <assert.h>

const struct str trace_statuses[TRACE_STATUSES] = { WORD("success"), WORD("error"), WORD("interrupted") };

void trace_list_init(struct trace_list *l, struct arena *a)
{
	*l = (struct trace_list){ .arena = a };
	map_init(&l->words, a);
	map_init(&l->ids, a);
}

void trace_list_open(struct trace_list *l, struct str source, const char *format)
{
	l->source = arena_copy(l->arena, source);
	l->format = format;
	map_init(&l->ids, l->arena);
}

struct trace *trace_list_begin(struct trace_list *l)
{
	struct trace *t;

	arena_grow(l->arena, l->items, l->count, l->cap, 4);
	t = &l->items[l->count++];
	*t = (struct trace){ .source = l->source, .format = l->format, .id = STR("") };
	map_init(&t->places, l->arena);
	return t;
}

struct trace *trace_list_of(struct trace_list *l, struct str id)
{
	struct trace *t;
	uint64_t *place;
	bool added;

	place = map_add(&l->ids, id, &added);
	if (!added)
		return &l->items[*place - 1];
	t = trace_list_begin(l);
	t->id = arena_copy(l->arena, id);
	*place = l->count;
	return t;
}

/* ---- keeping ---- */

static void keep_word(struct trace_list *l, struct str *text)
{
	uint64_t *at;
	bool added;

	if (!text->p || text->n == 0)
		return;
	at = map_add(&l->words, *text, &added);
	if (added)
		*at = (uint64_t)(uintptr_t)arena_copy(l->arena, *text).p;
	text->p = (const char *)(uintptr_t)*at;
}

static void keep_text(struct trace_list *l, struct str *text)
{
	if (text->p)
		*text = arena_copy(l->arena, *text);
}

static const struct str *keep_ids(struct trace_list *l, const struct str *ids, size_t count)
{
	struct str *kept = count ? arena_array(l->arena, struct str, count) : NULL;

	for (size_t i = 0; i < count; i++)
		kept[i] = arena_copy(l->arena, ids[i]);
	return kept;
}

static void keep_entry(struct trace_list *l, struct trace_entry *e)
{
	struct str *words[] = {
		&e->row.trace, &e->row.framework, &e->row.agent, &e->row.model, &e->row.tool, &e->row.branch,
		&e->row.version, &e->row.exit_status, &e->row.rig, &e->row.engine, &e->endpoint, &e->stop_reason,
		&e->tool_choice, &e->cost_source, &e->result_kind, &e->wall_source,
	};
	struct str *texts[] = {
		&e->row.id, &e->row.error, &e->request_id, &e->response_id, &e->hash_ids, &e->call_id,
		&e->framework_version,
	};

	for (size_t i = 0; i < COUNT(words); i++)
		keep_word(l, words[i]);
	for (size_t i = 0; i < COUNT(texts); i++)
		keep_text(l, texts[i]);
	e->parents = keep_ids(l, e->parents, e->parent_count);
	e->siblings = keep_ids(l, e->siblings, e->sibling_count);
	e->row.parent = e->parent_count ? e->parents[0] : str_of(NULL, 0);
}

void trace_list_add(struct trace_list *l, struct trace *t, const struct trace_entry *e)
{
	struct trace_entry kept = *e;
	uint64_t *place;
	bool added;

	if (e->row.type == TRACE_ROW_SUMMARY && t->has_summary)
		return;
	keep_entry(l, &kept);
	if (t->id.n == 0 && kept.row.trace.p)
		t->id = kept.row.trace;
	if (e->row.type == TRACE_ROW_SUMMARY) {
		t->summary = kept;
		t->has_summary = true;
		return;
	}
	if (kept.row.id.p) {
		place = map_add(&t->places, kept.row.id, &added);
		if (added)
			*place = t->count + 1;
	}
	mem_grow(t->nodes, t->count, t->cap, 16); /* an arena would keep the places that a long run grew out of */
	t->nodes[t->count++] = kept;
}

/* ---- the whole run ---- */

static void find_edges(struct trace_list *l, struct trace *t)
{
	t->parents = t->count ? arena_array(l->arena, const uint32_t *, t->count) : NULL;
	for (size_t i = 0; i < t->count; i++) {
		const struct trace_entry *e = &t->nodes[i];
		uint32_t *places = e->parent_count ? arena_array(l->arena, uint32_t, e->parent_count) : NULL;

		for (size_t k = 0; k < e->parent_count; k++) {
			const uint64_t *place = map_find(&t->places, e->parents[k]);

			places[k] = place && *place - 1 != i ? (uint32_t)(*place - 1) : TRACE_NOWHERE;
		}
		t->parents[i] = places;
	}
}

/* A summary without usable times is as good as none here. */
static void find_times(struct trace *t)
{
	if (t->has_summary && t->summary.from_ns && t->summary.to_ns >= t->summary.from_ns) {
		t->from_ns = t->summary.from_ns;
		t->to_ns = t->summary.to_ns;
		return;
	}
	for (size_t i = 0; i < t->count; i++) {
		const struct trace_entry *e = &t->nodes[i];

		if (i == 0 || e->from_ns < t->from_ns)
			t->from_ns = e->from_ns;
		if (i == 0 || e->to_ns > t->to_ns)
			t->to_ns = e->to_ns;
	}
	if (t->to_ns < t->from_ns)
		t->to_ns = t->from_ns;
}

static enum trace_status trace_status_of(const struct trace *t)
{
	for (unsigned i = 0; t->has_summary && i < TRACE_STATUSES; i++)
		if (str_eq(t->summary.row.exit_status, trace_statuses[i]))
			return (enum trace_status)i;
	return t->count && t->nodes[t->count - 1].row.failed ? TRACE_ERROR : TRACE_INTERRUPTED;
}

void trace_list_finish(struct trace_list *l)
{
	for (; l->finished < l->count; l->finished++) {
		struct trace *t = &l->items[l->finished];

		find_edges(l, t);
		find_times(t);
		t->status = trace_status_of(t);
		t->framework = STR("unknown");
		for (size_t k = 0; k < t->count; k++) {
			if (t->nodes[k].row.framework.n && !str_eq(t->nodes[k].row.framework, STR("unknown"))) {
				t->framework = t->nodes[k].row.framework;
				break;
			}
		}
	}
}

bool trace_has_times(const struct trace *t)
{
	bool found = t->from_ns > 0;

	for (size_t i = 0; !found && i < t->count; i++)
		found = t->nodes[i].from_ns > 0;
	return found;
}

void trace_lay_out(struct trace *t, int64_t start_ns)
{
	const int64_t least = 1000000, day = (int64_t)86400 * 1000000000; /* nanoseconds */
	int64_t clock = start_ns;

	for (size_t i = 0; i < t->count && clock < INT64_MAX - day; i++) {
		struct trace_entry *e = &t->nodes[i];
		int64_t length = e->to_ns > least && e->from_ns >= 0 && e->to_ns < day ? e->to_ns - e->from_ns : least;

		e->from_ns = clock;
		clock += length > least ? length : least;
		e->to_ns = clock;
	}
	t->from_ns = start_ns;
	t->to_ns = clock;
	t->laid_out = true;
}

void trace_list_remove(struct trace_list *l, size_t place)
{
	assert(place < l->count && l->finished == l->count);
	mem_free(l->items[place].nodes);
	l->count--;
	l->finished--;
	memmove(l->items + place, l->items + place + 1, (l->count - place) * sizeof(*l->items));
}

void trace_list_free(struct trace_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		mem_free(l->items[i].nodes);
		l->items[i].nodes = NULL;
		l->items[i].count = l->items[i].cap = 0;
	}
}

struct str trace_name_of(const struct trace_entry *e)
{
	const struct str names[AT_KINDS] = {
		[AT_MODEL_CALL] = e->row.model, [AT_TOOL_CALL] = e->row.tool, [AT_BRANCH] = e->row.branch,
	};

	return names[e->row.kind].n ? names[e->row.kind] : agent_trace_kinds[e->row.kind];
}
