/* The calls and results of ATIF steps, and which of them belong together. */
#include "dialect/atif/read_private.h"
#include "dialect/record/field.h"
#include "model/words.h"

/* What the writer needs to find the step again, where the event's own ids do not say it. */
static void say_where(struct atif_trajectory *t, struct event *e, const struct atif_group *g, size_t piece)
{
	if (piece > 0)
		reading_extra(t->r, e, STR(ATIF_PIECE), arena_printf(t->r->arena, "%zu", piece));
	if (!g->answer)
		reading_extra(t->r, e, STR(ATIF_AT), arena_printf(t->r->arena, "%zu", g->number));
}

/* The same id, tool and arguments: such a call adds no event. */
static bool is_told_again(struct atif_trajectory *t, const struct atif_call *c, struct str id)
{
	const uint64_t *place = id.n ? map_find(&t->calls, id) : NULL;

	return place && str_eq(t->list[*place - 1].tool, c->tool) && str_eq(t->list[*place - 1].args, c->args);
}

/* An id that no other call of the trajectory has. */
static struct str call_id(struct atif_trajectory *t, struct str id)
{
	bool added;

	if (id.n == 0)
		id = arena_printf(t->r->arena, "call-%zu-%zu", t->number, t->count + 1);
	else if (map_find(&t->calls, id))
		id = arena_printf(t->r->arena, "%.*s#%zu", STR_ARG(id), t->count + 1);
	*map_add(&t->calls, id, &added) = t->count + 1;
	return id;
}

/* Whether the writer can make the name again from the tool's URI. */
static bool is_plain_name(struct atif_trajectory *t, struct str name)
{
	struct str vendor, server, bare, uri = words_tool_uri(t->r->arena, STR("atif"), str_of(NULL, 0), name);

	words_tool_of_uri(t->r->arena, uri, &vendor, &server, &bare);
	return name.n > 0 && str_eq(atif_tool_name(t->r->arena, server, bare), name);
}

/* They are an object; what was none stands in one, and the call says so. */
static struct str atif_calls_read_arguments(struct atif_trajectory *t, struct event *e, struct val call)
{
	struct val arguments = val_get(call, STR("arguments")), value = val_get(arguments, STR("value"));
	struct str how = atif_look(t, val_get(val_at(call, STR(ATIF_OURS)), STR(ATIF_OURS_ARGUMENTS)));

	if (how.n == 0 || val_is_none(value))
		return reading_json_of(t->r, e, "args", arguments);
	if (str_eq(how, STR("raw")) && val_is(value, JSON_STRING))
		e->flags |= EVENT_RAW_ARGS;
	reading_extra(t->r, e, STR(ATIF_WRAPPED), STR("true"));
	return reading_json_of(t->r, e, "args", value);
}

/* A call of a step. Its id must be one of its own in the run; where the document's is not, both are kept. */
static void atif_calls_read_call(struct atif_trajectory *t, const struct atif_group *g, struct val v, size_t piece,
				 int index)
{
	struct val function = val_get(v, STR("function_name")), arguments = val_get(v, STR("arguments"));
	struct str id = atif_look(t, val_get(v, STR("tool_call_id")));
	struct atif_call *c = &t->list[t->count];
	struct event *e;

	*c = (struct atif_call){ .tool = atif_look(t, function) };
	c->args = val_is_none(arguments) ? STR("") : val_source(arguments);
	if (is_told_again(t, c, id))
		return;
	c->id = call_id(t, id);
	*map_add(&t->calls, id.n ? id : c->id, &(bool){ false }) = t->count + 1;
	t->count++;
	e = atif_add(t, EVENT_CALL);
	e->step = g->id;
	e->call = c->id;
	e->index = index;
	e->tool = c->tool;
	e->args = atif_calls_read_arguments(t, e, v);
	if (val_is_none(arguments))
		reading_extra(t->r, e, STR(ATIF_NO_ARGS), STR("true"));
	/* Of a sub-agent the ids stay in ext too: the run may have them twice, and then they get a number. */
	if (str_eq(id, c->id) && !t->branch.p)
		reading_take(t->r, val_get(v, STR("tool_call_id")));
	else if (!val_has(v, STR("tool_call_id")))
		reading_extra(t->r, e, STR(ATIF_NO_ID), STR("true"));
	if (is_plain_name(t, c->tool))
		reading_take(t->r, function);
	say_where(t, e, g, piece);
	reading_rest(t->r, e, v);
}

/* The index is the call's place in its list; what is no object counts for it, and stays in the step. */
void atif_read_calls(struct atif_trajectory *t, const struct atif_group *g, size_t *first)
{
	for (size_t i = 0; i < g->count; i++) {
		struct val calls = val_get(g->steps[i], STR("tool_calls")), v;
		struct val_iter it = val_begin(calls);

		first[i] = t->count;
		for (int index = 0; val_is(calls, JSON_ARRAY) && val_next(&it, &v); index++)
			if (val_is(v, JSON_OBJECT))
				atif_calls_read_call(t, g, v, i, index);
	}
	first[g->count] = t->count;
}

/* ---- results ---- */

/* Whose result it is: by id; without one by place, or the only call. NULL when it is nobody's. */
static struct atif_call *result_call(struct atif_trajectory *t, struct str id, size_t first, size_t place)
{
	const uint64_t *at = id.n ? map_find(&t->calls, id) : NULL;

	if (id.n)
		return at ? &t->list[*at - 1] : NULL;
	if (t->count - first == 1)
		place = 0;
	return place < t->count - first ? &t->list[first + place] : NULL;
}

/* Sub-agents that a result names, to know their parent when they come. */
static void note_refs(struct atif_trajectory *t, struct val refs, struct str call)
{
	static const struct str names[] = { WORD("trajectory_id"), WORD("session_id") };
	struct val_iter it = val_begin(refs);
	struct val ref = refs;
	struct str *kept = arena_new(t->r->arena, struct str);

	*kept = call;
	while (val_is(refs, JSON_OBJECT) || (val_is(refs, JSON_ARRAY) && val_next(&it, &ref))) {
		for (size_t i = 0; val_is(ref, JSON_OBJECT) && i < 2; i++) {
			struct str id = atif_look(t, val_get(ref, names[i]));
			bool added;
			uint64_t *slot = id.n ? map_add(t->refs, id, &added) : NULL;

			if (slot && added)
				*slot = (uintptr_t)kept;
		}
		if (!val_is(refs, JSON_ARRAY))
			return;
	}
}

/* Exactly one element; a list may have very many. */
static bool is_single(struct val list)
{
	struct val_iter it = val_begin(list);
	struct val v;

	return val_is(list, JSON_ARRAY) && val_next(&it, &v) && !val_next(&it, &v);
}

/* Whether it failed, where the step or the result says so; ATIF itself has no word for it. */
static uint8_t result_error(struct val step, struct val result)
{
	struct val v = val_at(result, STR("/extra/is_error"));

	if (val_is_none(v) && is_single(val_at(step, STR("/observation/results"))))
		v = val_at(step, STR("/extra/tool_result_is_error"));
	return val_is(v, JSON_TRUE) ? TRUTH_TRUE : val_is(v, JSON_FALSE) ? TRUTH_FALSE : TRUTH_ABSENT;
}

/* What only our own documents say about a result. */
static void atif_calls_read_ours(struct event *e, struct val ours)
{
	struct amount duration = atif_amount(ours, STR("duration_ms"));
	int64_t code;

	if (val_i64(val_get(ours, STR("exit_code")), &code))
		e->exit_code = FIGURE((uint64_t)code);
	if (amount_is_known(duration) && duration.n >= 0)
		e->duration_ms = duration;
}

/* A result: of a call that waits, of one that nobody knows, or, when the call has one already, a NOTE. */
static void atif_calls_read_result(struct atif_trajectory *t, const struct atif_group *g, struct val v,
				   struct atif_call *c, size_t piece)
{
	struct str id = atif_look(t, val_get(v, STR("source_call_id")));
	struct str ours = atif_look(t, val_get(val_at(v, STR(ATIF_OURS)), STR(ATIF_OURS_CALL)));
	bool result = (c && !c->done) || (!c && (id.n > 0 || ours.p));
	struct event *e = atif_add(t, result ? EVENT_RESULT : EVENT_NOTE);

	if (result) {
		e->call = c ? c->id : id.n > 0 ? id : ours;
		e->content = atif_read_content(t, e, "result", v, STR("content"));
		e->is_error = result_error(g->steps[piece], v);
		atif_calls_read_ours(e, val_at(v, STR(ATIF_OURS)));
		if (!val_has(v, STR("source_call_id")))
			reading_extra(t->r, e, STR(ATIF_NO_ID), STR("true"));
		else if (str_eq(id, e->call) && !t->branch.p)
			reading_take(t->r, val_get(v, STR("source_call_id")));
	} else {
		e->role = STR(ATIF_OBSERVATION);
		e->content = reading_json_of(t->r, e, "content", v);
	}
	if (c) {
		c->done = true;
		note_refs(t, val_get(v, STR("subagent_trajectory_ref")), c->id);
	}
	e = &t->r->events[t->r->count - 1];
	say_where(t, e, g, piece);
	reading_rest(t->r, e, v);
}

/* The id is the document's own, else the one that our writer put beside it. What is no object stays in the step. */
void atif_read_results(struct atif_trajectory *t, const struct atif_group *g, size_t piece, size_t first)
{
	struct val results = val_at(g->steps[piece], STR("/observation/results")), v;
	struct val_iter it = val_begin(results);

	for (size_t place = 0; val_is(results, JSON_ARRAY) && val_next(&it, &v); place++) {
		struct str id = atif_look(t, val_get(v, STR("source_call_id")));

		if (id.n == 0)
			id = atif_look(t, val_get(val_at(v, STR(ATIF_OURS)), STR(ATIF_OURS_CALL)));
		if (val_is(v, JSON_OBJECT))
			atif_calls_read_result(t, g, v, result_call(t, id, first, place), piece);
	}
}

void atif_flag_cut(struct atif_trajectory *t, struct event *e, struct val step)
{
	struct val observation = val_get(step, STR("observation"));
	bool calls = val_is(val_get(step, STR("tool_calls")), JSON_OBJECT);
	bool results = val_is(observation, JSON_OBJECT) && !val_is(val_get(observation, STR("results")), JSON_ARRAY);

	if (calls || results)
		reading_extra(t->r, e, STR(ATIF_CUT), !results ? STR("[\"tool_calls\"]") : !calls ?
			      STR("[\"observation\"]") : STR("[\"observation\",\"tool_calls\"]"));
}
