/*
 * What Cursor's editor leaves: the payloads of its hooks, as a logger writes them down or by themselves, and the
 * transcripts of its agents, which have neither times nor ids nor results.
 */
#include "dialect/anthropic/blocks.h"
#include "dialect/cursor/cursor.h"
#include "dialect/record/field.h"
#include "model/words.h"

/* ---- hooks ---- */

struct hook {
	struct reading *r;
	struct val p; /* the payload */
	struct moment ts;
	struct cursor_hint *hint;
};

static struct event *cursor_editor_add(const struct hook *h, enum event_kind kind)
{
	struct event *e = reading_add(h->r, kind);

	e->ts = h->ts;
	e->hint = h->hint;
	return e;
}

static void cursor_editor_read_start(struct hook *h)
{
	struct event *e = cursor_editor_add(h, EVENT_RUN_START);

	e->run = h->hint->session;
	e->agent = STR("cursor");
	e->agent_version = h->hint->version;
	e->framework = STR("cursor_sdk");
	e->model = reading_text(h->r, h->p, STR("model"));
}

static void cursor_editor_read_prompt(struct hook *h)
{
	struct event *e = cursor_editor_add(h, EVENT_MESSAGE);

	e->role = STR("user");
	e->content = reading_json(h->r, e, "content", h->p, STR("prompt"));
	if (!e->content.p)
		e->content = STR("null");
}

/* A piece of an answer. Its step is made by the fold, of the turn that it names. */
static struct event *cursor_editor_add_answer(struct hook *h, enum event_kind kind)
{
	struct event *e = cursor_editor_add(h, kind);

	h->hint->what = CURSOR_TURN;
	e->step = text_or_none(reading_text(h->r, h->p, STR("generation_id")));
	if (kind == EVENT_STEP)
		e->model = reading_text(h->r, h->p, STR("model"));
	return e;
}

static void cursor_editor_read_said(struct hook *h)
{
	struct event *e = cursor_editor_add_answer(h, EVENT_STEP);

	e->flags = EVENT_PIECE;
	e->text = reading_text(h->r, h->p, STR("text"));
}

static void cursor_editor_read_thought(struct hook *h)
{
	struct event *e = cursor_editor_add_answer(h, EVENT_STEP);

	e->flags = EVENT_PIECE;
	e->reasoning = reading_text(h->r, h->p, STR("text"));
	reading_drop(h->r, val_get(h->p, STR("duration_ms"))); /* of the thought alone */
}

static void cursor_editor_read_call(struct hook *h)
{
	struct event *e = cursor_editor_add_answer(h, EVENT_CALL);

	e->call = text_or_none(reading_text(h->r, h->p, STR("tool_use_id")));
	e->tool = reading_text(h->r, h->p, STR("tool_name"));
	if (!e->tool.n)
		e->tool = STR("unknown");
	e->args = reading_json(h->r, e, "args", h->p, STR("tool_input"));
	if (!e->args.p)
		e->args = STR("{}");
}

static void cursor_editor_read_result(struct hook *h)
{
	struct reading *r = h->r;
	struct event *e = cursor_editor_add_answer(h, EVENT_RESULT);
	struct val error = val_get(h->p, STR("error_message"));
	struct val output = val_get(h->p, STR("tool_output"));

	e->call = text_or_none(reading_text(r, h->p, STR("tool_use_id")));
	e->is_error = val_is_none(error) && !val_has(h->p, STR("failure_type")) ? TRUTH_FALSE : TRUTH_TRUE;
	e->content = reading_json_of(r, e, "result", val_is_none(output) ? error : output);
	if (!e->content.p)
		e->content = STR("null");
	e->duration_ms = reading_amount(r, h->p, STR("duration"), 1);
	reading_take(r, val_get(h->p, STR("tool_input"))); /* told when it was called */
	reading_take(r, val_get(h->p, STR("tool_name")));
}

/* The figures of a whole turn. What was said tells them too, and is passed over. */
static void cursor_editor_read_stop(struct hook *h)
{
	struct reading *r = h->r;
	struct event *e = cursor_editor_add(h, EVENT_COST);
	struct str status = reading_text(r, h->p, STR("status"));

	h->hint->status = words_fold_status(status);
	e->scope = STR("turn");
	e->flags = EVENT_TOTAL;
	e->model = reading_text(r, h->p, STR("model"));
	e->usage = (struct usage){
		.input = reading_count(r, h->p, STR("input_tokens")),
		.output = reading_count(r, h->p, STR("output_tokens")),
		.cache_read = reading_count(r, h->p, STR("cache_read_tokens")),
		.cache_write = reading_count(r, h->p, STR("cache_write_tokens")),
	};
	if (!usage_is_known(&e->usage)) {
		e->kind = EVENT_NOTE;
		e->role = STR("stop");
		e->content = STR("null");
	}
}

static void cursor_editor_read_note(struct hook *h)
{
	struct event *e = cursor_editor_add(h, EVENT_NOTE);

	e->role = val_get_text(h->p, STR("hook_event_name"), h->r->arena);
	e->content = STR("null");
}

static void cursor_editor_read_child(struct hook *h)
{
	h->hint->what = CURSOR_CHILD;
	cursor_editor_read_note(h);
	h->r->events[h->r->count - 1].call = text_or_none(reading_text(h->r, h->p, STR("tool_call_id")));
}

static const struct {
	struct str name;
	void (*read)(struct hook *h);
} cursor_editor_hooks[] = {
	{ WORD("sessionStart"), cursor_editor_read_start },
	{ WORD("beforeSubmitPrompt"), cursor_editor_read_prompt },
	{ WORD("afterAgentResponse"), cursor_editor_read_said },
	{ WORD("afterAgentThought"), cursor_editor_read_thought },
	{ WORD("preToolUse"), cursor_editor_read_call },
	{ WORD("postToolUse"), cursor_editor_read_result },
	{ WORD("postToolUseFailure"), cursor_editor_read_result },
	{ WORD("stop"), cursor_editor_read_stop },
	{ WORD("subagentStart"), cursor_editor_read_child },
};

/* Told with every hook: the fold knows whose it is by the session. */
static const struct str cursor_editor_usual[] = {
	WORD("hook_event_name"), WORD("conversation_id"), WORD("session_id"), WORD("generation_id"),
};

void cursor_hook_read(struct reading *r, struct val v)
{
	struct val payload = val_get(v, STR("payload"));
	struct hook h = { .r = r, .hint = arena_new(r->arena, struct cursor_hint) };
	struct val name;
	size_t at = r->count, i = 0;

	h.p = val_is(payload, JSON_OBJECT) ? payload : v;
	name = val_get(h.p, STR("hook_event_name"));
	h.ts = reading_time(r, v, val_has(v, STR("ts")) ? STR("ts") : STR("timestamp"));
	h.hint->session = text_or_none(reading_text(r, h.p, STR("conversation_id")));
	h.hint->version = reading_text(r, h.p, STR("cursor_version"));
	while (i < COUNT(cursor_editor_hooks) && !val_text_is(name, cursor_editor_hooks[i].name))
		i++;
	if (i < COUNT(cursor_editor_hooks))
		cursor_editor_hooks[i].read(&h);
	else
		cursor_editor_read_note(&h);
	for (i = 0; i < COUNT(cursor_editor_usual); i++)
		reading_take(r, val_get(h.p, cursor_editor_usual[i]));
	if (val_text_is(val_get(v, STR("evt")), val_text(name, r->arena)))
		reading_take(r, val_get(v, STR("evt")));
	reading_rest(r, &r->events[at], v);
}

int cursor_hook_fits(struct val v)
{
	struct val payload = val_get(v, STR("payload")), p = val_is(payload, JSON_OBJECT) ? payload : v;

	return val_is(val_get(p, STR("hook_event_name")), JSON_STRING) && val_has(p, STR("conversation_id")) &&
			       (val_has(p, STR("generation_id")) || val_has(p, STR("cursor_version")))
		       ? 95
		       : 0;
}

/* ---- transcripts ---- */

/* {"type":"turn_ended","status":"success"} */
static void read_turn_end(struct reading *r, struct val v)
{
	struct event *e = reading_add(r, EVENT_NOTE);
	struct cursor_hint *hint = arena_new(r->arena, struct cursor_hint);

	hint->status = words_fold_status(reading_text(r, v, STR("status")));
	e->hint = hint;
	e->role = reading_text(r, v, STR("type"));
	e->content = STR("null");
	reading_rest(r, e, v);
}

void cursor_transcript_read(struct reading *r, struct val v)
{
	struct val message = val_get(v, STR("message")), content = val_get(message, STR("content"));
	struct str role = reading_text(r, v, STR("role"));
	struct blocks_origin origin = { .flags = 0 };
	size_t at = r->count;

	if (!val_is(message, JSON_OBJECT)) {
		read_turn_end(r, v);
		return;
	}
	if (str_eq(role, STR("assistant"))) {
		reading_add(r, EVENT_STEP);
		blocks_read_answer(r, &origin, at, content);
	} else {
		blocks_read_given(r, &origin, role, content);
	}
	reading_rest(r, &r->events[at], v);
}

/* A line has a role and a message, which has a content, and neither has anything more. */
int cursor_transcript_fits(struct val v)
{
	static const struct str roles[] = { WORD("user"), WORD("assistant"), WORD("system") };
	struct val message = val_get(v, STR("message"));

	if (val_text_is(val_get(v, STR("type")), STR("turn_ended")))
		return val_is(val_get(v, STR("status")), JSON_STRING) ? 60 : 0;
	return values_is_word(val_get(v, STR("role")), roles, COUNT(roles)) && val_count(v) == 2 &&
			       val_count(message) == 1 && val_is(val_get(message, STR("content")), JSON_ARRAY)
		       ? 70
		       : 0;
}
