/*
 * Runs that came from ATIF, given back as they were. Their events stand in the order of the document: a step,
 * then its calls, then its results; extras have the rest of each (atif.h).
 */
#include "dialect/atif/atif.h"
#include "dialect/atif/write_private.h"
#include "dialect/reading/original.h"

/* The text of a member of another format's extra, as JSON. */
static struct str remark_of(struct atif_writer *x, const struct event *e, struct str name)
{
	return atif_source_of(writing_rest(x->other, e, "trackway/1"), name, &x->scratch);
}

/* With its big numbers as numbers. `rest` is of the other parser, and stays. */
static struct str native_payload(struct atif_writer *x, const struct event *e, const char *member, struct str json)
{
	return original_payload(x->other, e, member, json, &x->scratch);
}

/* Which step of the document: what the extra says, or its step_id. */
static uint64_t atif_native_number_of(struct val rest)
{
	int64_t n;

	if (!val_i64(val_get(rest, STR(ATIF_AT)), &n) && !val_i64(val_get(rest, STR("step_id")), &n))
		return 0;
	return n > 0 ? (uint64_t)n : 0;
}

/* Fills a step with this object; tool_calls and observation wait for what calls and results say. */
static struct atif_step *native_step(struct atif_writer *x, struct atif_step *s, struct val rest)
{
	static const char *const but[] = { "tool_calls", "observation", ATIF_CUT, ATIF_AT, NULL };

	atif_put_members(x, &s->members, rest, but);
	s->calls_rest = atif_source_of(rest, STR("tool_calls"), &s->arena);
	s->observation = atif_source_of(rest, STR("observation"), &s->arena);
	return s;
}

/* The step of an answer, or the several steps that were read as one: ext has each of them under its number. */
static void native_answer(struct atif_writer *x, struct atif_track *t, const struct event *e, struct val rest)
{
	struct val piece = val_is(rest, JSON_OBJECT) ? val_get(rest, STR(ATIF_PIECE "0")) : VAL_NONE;
	uint64_t at = atif_native_number_of(rest);
	struct atif_step *s = atif_step_at(t, at);

	atif_flush_before(t, x->other, at);
	t->answer = s;
	if (!val_is_none(piece)) {
		for (unsigned i = 1; !val_is_none(piece); i++, s = s->next) {
			native_step(x, s, piece);
			piece = val_get(rest, arena_printf(&x->scratch, ATIF_PIECE "%u", i));
			if (!val_is_none(piece))
				atif_step_at(t, at + i);
		}
		return;
	}
	native_step(x, s, rest);
	atif_put_text(&s->members, STR("source"), STR("agent"));
	if (!val_has(rest, STR("message")))
		atif_put_text(&s->members, STR("message"), e->text);
	if (!val_has(rest, STR("reasoning_content")))
		atif_put_text(&s->members, STR("reasoning_content"), e->reasoning);
	if (!val_has(rest, STR("timestamp")))
		atif_put_time(&s->members, e, false);
}

/* A step of a message, an error, or one that was kept as a whole. */
static void native_other(struct atif_writer *x, struct atif_track *t, const struct event *e, struct val rest)
{
	struct atif_step *s = atif_step_at(t, atif_native_number_of(rest));

	if (e->kind == EVENT_NOTE && !str_eq(e->role, STR(ATIF_STEP))) {
		s->whole = true;
		buf_add_str(&s->members, native_payload(x, e, "content", e->content));
		return;
	}
	native_step(x, s, rest);
	if (e->kind == EVENT_MESSAGE && !val_has(rest, STR("source")))
		atif_put_text(&s->members, STR("source"), e->role);
	if (e->kind == EVENT_ERROR)
		atif_put_text(&s->members, STR("message"), e->text);
	else if (!val_has(rest, STR("message")))
		atif_put_json(&s->members, STR("message"), native_payload(x, e, "content", e->content));
	if (!val_has(rest, STR("timestamp")))
		atif_put_time(&s->members, e, false);
}

/* A sub-agent begins: its head is written from ext, its steps come with its branch. */
static void native_subagent(struct atif_writer *x, const struct event *e, struct val rest)
{
	static const char *const but[] = { ATIF_DEPTH, ATIF_NO_STEPS, "steps", NULL };
	int64_t depth = 1;
	struct atif_track *t;

	if (!e->branch.p || atif_track_of(x, e))
		return;
	val_i64(val_get(rest, STR(ATIF_DEPTH)), &depth);
	t = atif_track_add(x, e->branch, e->parent, depth > 0 && depth < 1000 ? (size_t)depth : 1);
	atif_put_members(x, &t->head, rest, but);
	t->bare = val_has(rest, STR(ATIF_NO_STEPS));
	if (val_has(rest, STR("steps")) && !val_is(val_get(rest, STR("steps")), JSON_ARRAY)) {
		atif_put_json(&t->head, STR("steps"), val_source(val_get(rest, STR("steps"))));
		t->bare = true;
	}
}

/* The step that a call or a result stands in. */
static struct atif_step *native_place(struct atif_track *t, struct val rest)
{
	struct atif_step *s = t->answer;
	int64_t piece = 0;

	if (val_has(rest, STR(ATIF_AT)))
		return atif_step_at(t, atif_native_number_of(rest));
	if (val_is(rest, JSON_OBJECT))
		val_i64(val_get(rest, STR(ATIF_PIECE)), &piece);
	while (s && s->next && piece-- > 0)
		s = s->next;
	return s;
}

/* The value as a member of an object, with what else was there. */
static void put_wrapped(struct atif_writer *x, struct buf *out, struct str value, struct val others)
{
	static const char *const but[] = { "value", NULL };
	struct buf b = { 0 };

	atif_put_json(&b, STR("value"), value);
	atif_put_members(x, &b, others, but);
	atif_put_json(out, STR("arguments"), atif_braced(&x->scratch, &b));
	buf_free(&b);
}

/* A call, put back with the members it had and those that the model knows. */
static void native_call(struct atif_writer *x, struct atif_track *t, const struct event *e, struct val rest)
{
	static const char *const but[] = {
		ATIF_PIECE, ATIF_NO_ARGS, ATIF_NO_ID, ATIF_AT, ATIF_WRAPPED, "arguments", NULL,
	};
	struct atif_step *s = native_place(t, rest);
	struct str id = remark_of(x, e, STR("call_id"));

	if (!s)
		return;
	buf_clear(&x->text);
	atif_put_members(x, &x->text, rest, but);
	if (!val_has(rest, STR("tool_call_id")) && !val_has(rest, STR(ATIF_NO_ID))) {
		atif_put_json(&x->text, STR("tool_call_id"), id);
		if (!id.p)
			atif_put_text(&x->text, STR("tool_call_id"), e->call);
	}
	if (!val_has(rest, STR("function_name")) && e->tool.n > 0)
		atif_put_text(&x->text, STR("function_name"), atif_tool_name(&x->scratch, e->server, e->tool));
	if (val_has(rest, STR(ATIF_WRAPPED)))
		put_wrapped(x, &x->text, native_payload(x, e, "args", e->args), val_get(rest, STR("arguments")));
	else if (!val_has(rest, STR(ATIF_NO_ARGS)))
		atif_put_json(&x->text, STR("arguments"), native_payload(x, e, "args", e->args));
	atif_list_add(s, &s->calls, atif_braced(&x->scratch, &x->text), str_of(NULL, 0));
}

/* A result, or one that found no call. */
static void native_result(struct atif_writer *x, struct atif_track *t, const struct event *e, struct val rest)
{
	static const char *const but[] = { ATIF_PIECE, ATIF_NO_ID, ATIF_AT, NULL };
	struct atif_step *s = native_place(t, rest);
	bool orphan = e->kind == EVENT_ERROR;
	struct str id = orphan ? remark_of(x, e, STR("call_id")) : str_of(NULL, 0);

	if (!s)
		return;
	buf_clear(&x->text);
	atif_put_members(x, &x->text, rest, but);
	if (!val_has(rest, STR("source_call_id")) && !val_has(rest, STR(ATIF_NO_ID))) {
		if (orphan)
			atif_put_json(&x->text, STR("source_call_id"), id);
		else
			atif_put_text(&x->text, STR("source_call_id"), e->call);
	}
	if (!val_has(rest, STR("content")))
		atif_put_json(&x->text, STR("content"), orphan ? remark_of(x, e, STR("result")) :
			      native_payload(x, e, "result", e->content));
	atif_list_add(s, &s->results, atif_braced(&x->scratch, &x->text), str_of(NULL, 0));
}

static bool is_note(const struct event *e, const char *role)
{
	return e->kind == EVENT_NOTE && str_eq(e->role, str_from(role));
}

/* What has no place in the document it came from is a loss: notes, and branches that no sub-agent has. */
void atif_native_event(struct atif_writer *x, const struct event *e)
{
	struct val rest = original_rest(x->parser, e, ATIF_KEY, &x->scratch);
	struct atif_track *t = atif_track_of(x, e);
	bool orphan = e->kind == EVENT_ERROR && str_eq(e->code, STR("orphan_result"));
	bool step = e->kind == EVENT_MESSAGE || is_note(e, ATIF_STEP) ||
		    is_note(e, ATIF_COPIED) || is_note(e, ATIF_RAW);

	if (is_note(e, ATIF_SUBAGENT)) {
		native_subagent(x, e, rest);
	} else if (!t) {
		losses_add(x->w->losses, "sub-agents without a trajectory");
	} else if (e->kind == EVENT_STEP) {
		native_answer(x, t, e, rest);
	} else if (step || (e->kind == EVENT_ERROR && !orphan && val_has(rest, STR("extra")))) {
		native_other(x, t, e, rest);
	} else if (e->kind == EVENT_CALL) {
		native_call(x, t, e, rest);
	} else if (e->kind == EVENT_RESULT || orphan) {
		native_result(x, t, e, rest);
	} else if (is_note(e, ATIF_OBSERVATION)) {
		struct atif_step *s = native_place(t, rest);

		if (s)
			atif_list_add(s, &s->results, native_payload(x, e, "content", e->content), str_of(NULL, 0));
	} else if (e->kind == EVENT_NOTE) {
		losses_add(x->w->losses, "notes");
	}
}

/* The members as they were, with those of the agent that the model took. */
void atif_native_begin(struct atif_writer *x, struct buf *out, const struct event *e, struct val rest)
{
	static const char *const but[] = { "agent", "steps", "subagent_trajectories", ATIF_NO_STEPS, NULL };
	static const char *const none[] = { NULL };
	struct val agent = val_get(rest, STR("agent")), steps = val_get(rest, STR("steps"));
	struct buf b = { 0 };

	atif_put_members(x, out, rest, but);
	x->subagents = atif_source_of(rest, STR("subagent_trajectories"), &x->run);
	x->tracks->bare = val_has(rest, STR(ATIF_NO_STEPS)) || (!val_is_none(steps) && !val_is(steps, JSON_ARRAY));
	if (!val_is_none(steps) && !val_is(steps, JSON_ARRAY))
		x->steps = atif_source_of(rest, STR("steps"), &x->run);
	atif_put_members(x, &b, agent, none);
	atif_put_text(&b, STR("name"), e->agent);
	atif_put_text(&b, STR("version"), e->agent_version);
	if (!val_has(agent, STR("tool_definitions")))
		atif_put_json(&b, STR("tool_definitions"), native_payload(x, e, "tools", e->tools));
	if (b.n > 0 || val_is(agent, JSON_OBJECT))
		atif_put_json(out, STR("agent"), atif_braced(&x->scratch, &b));
	else if (!val_is_none(agent))
		atif_put_json(out, STR("agent"), val_source(agent));
	buf_free(&b);
}
