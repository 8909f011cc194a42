/*
 * Reading a conversation in any of its three dialects, each line by what it is itself. A line of the assistant is a
 * step with its calls, a tool's line a result, everything else a message; an anthropic line of the user may hold
 * several results and a message. Events of one line are marked with its number and their place in it, so that the same
 * line can be written again; what the model has no field for stays with the first of them.
 */
#include "base/arena.h"
#include "dialect/conversation/marks.h"
#include "dialect/reading/reading.h"
#include "dialect/record/field.h"
#include "dialect/record/seed_formats.h"
#include "model/assemble.h"
#include "model/words.h"

struct line {
	struct reading *r;
	struct val v;
	size_t first;        /* its first event */
	struct moment ts;
	const char *dialect; /* "canonical", "openai", "anthropic", "parts", "plain" */
};

static size_t count_blocks(struct val content, struct str word)
{
	size_t n = 0;

	VALUES_EACH(block, content)
		n += conversation_is_block(block, word);
	return n;
}

/* ---- the dialect of a line ---- */

/* By the first sign that only one dialect has. "plain" and "parts" are lines that two or three of them share. */
static const char *dialect_of(struct val v)
{
	struct val content = val_get(v, STR("content")), role = val_get(v, STR("role"));

	if (val_has(v, STR("event")))
		return "canonical";
	if (val_text_is(role, STR("tool")) || val_text_is(role, STR("function")) ||
	    val_has(v, STR("tool_calls")) || val_has(v, STR("function_call")))
		return "openai";
	if (!val_is(content, JSON_ARRAY))
		return val_is(content, JSON_OBJECT) || val_is(content, JSON_NUMBER) ? "parts" : "plain";
	if (count_blocks(content, STR("tool_use")) || count_blocks(content, STR("tool_result")) ||
	    count_blocks(content, STR("thinking")))
		return "anthropic";
	return "parts";
}

/* ---- events ---- */

static struct event *conversation_read_add(struct line *l, enum event_kind kind)
{
	struct event *e = reading_add(l->r, kind);

	e->ts = l->ts;
	return e;
}

/*
 * A count that is looked at and stays in the line: the writer copies `usage` back as it was. Absent for what is no
 * whole number from 0 on.
 */
static struct figure conversation_read_peek_count(struct val object, struct str name)
{
	struct val v = val_get(object, name);
	int64_t n;

	if (val_is(v, JSON_NULL))
		return (struct figure){ FIGURE_NULL, FIGURE_API, 0 };
	return val_is(v, JSON_NUMBER) && val_i64(v, &n) && n >= 0 ? FIGURE((uint64_t)n) : (struct figure){ 0, 0, 0 };
}

static void conversation_read_add_part(struct figure *sum, struct figure part)
{
	if (figure_is_known(part) && sum->n <= UINT64_MAX - part.n)
		sum->n += part.n;
}

/* As the provider counts them: Anthropic's input does not hold what was cached, OpenAI's and ours does. */
static void conversation_read_usage(struct val v, struct usage *u)
{
	struct val usage = val_get(v, STR("usage")), in = val_get(usage, STR("prompt_tokens_details"));
	struct val out = val_get(usage, STR("completion_tokens_details"));

	if (val_has(usage, STR("prompt_tokens")) || val_has(usage, STR("completion_tokens"))) {
		u->input = conversation_read_peek_count(usage, STR("prompt_tokens"));
		u->output = conversation_read_peek_count(usage, STR("completion_tokens"));
		u->cache_read = conversation_read_peek_count(in, STR("cached_tokens"));
		u->cache_write = conversation_read_peek_count(in, STR("cache_write_tokens"));
		u->reasoning = conversation_read_peek_count(out, STR("reasoning_tokens"));
		return;
	}
	u->input = conversation_read_peek_count(usage, STR("input_tokens"));
	u->output = conversation_read_peek_count(usage, STR("output_tokens"));
	u->cache_read = conversation_read_peek_count(usage, STR("cache_read_tokens"));
	u->cache_write = conversation_read_peek_count(usage, STR("cache_write_tokens"));
	u->reasoning = conversation_read_peek_count(usage, STR("reasoning_tokens"));
	if (!val_has(usage, STR("cache_read_input_tokens")) &&
	    !val_has(usage, STR("cache_creation_input_tokens")))
		return;
	u->cache_read = conversation_read_peek_count(usage, STR("cache_read_input_tokens"));
	u->cache_write = conversation_read_peek_count(usage, STR("cache_creation_input_tokens"));
	if (figure_is_known(u->input)) {
		conversation_read_add_part(&u->input, u->cache_read);
		conversation_read_add_part(&u->input, u->cache_write);
	}
}

/* A name that a URI would not give back as it was stays where it is. */
static struct str take_tool(struct reading *r, struct val name)
{
	struct str text = val_text_copy(name, r->arena);

	if (text.n && !str_has(text, STR("://")) && !str_starts(text, STR("mcp__")))
		reading_take(r, name);
	return text.n ? text : STR("unknown");
}

/* ---- is it an error? ---- */

/* `v` is the line or block of the result. */
static void set_error(struct event *e, struct val v)
{
	struct val said = val_get(v, STR("is_error")), ours = val_get(v, STR(OURS));

	if (val_is_bool(said)) {
		e->is_error = val_is(said, JSON_TRUE) ? TRUTH_TRUE : TRUTH_FALSE;
	} else if (e->content.p && !val_is(val_get(ours, STR(OURS_ERROR)), JSON_NULL) &&
		   conversation_marks_failure(e->content)) {
		e->is_error = TRUTH_TRUE;
		e->flags |= EVENT_INFERRED;
	}
}

/* Null counts as nothing said, and stays in the line so that it is null again. */
static struct str take_content(struct reading *r, struct event *e, const char *member, struct val content)
{
	if (val_is_unset(content))
		return str_of(NULL, 0);
	return reading_json_of(r, e, member, content);
}

/* ---- the assistant ---- */

/* Text that parses, and whose canonical form is the text itself, need not be kept beside its value. */
static void conversation_read_arguments(struct reading *r, struct val arguments, struct event *e)
{
	struct str text = val_text_copy(arguments, r->arena), canonical;
	struct val parsed;

	if (!text.p) {
		bool object = val_is(arguments, JSON_OBJECT);

		e->args = object ? reading_json_of(r, e, "args", arguments) : STR("{}");
		reading_extra(r, e, STR(MARK_ARGS), object ? STR("\"object\"") : STR("\"none\""));
		return;
	}
	e->args_text = text;
	parsed = reading_parse(r, text);
	if (val_is_none(parsed))
		return;
	canonical = reading_json_of(r, e, "args", parsed);
	reading_release(r, parsed);
	e->args = canonical;
	e->args_text = str_of(NULL, 0);
	if (str_eq(canonical, text))
		reading_take(r, arguments);
}

/* Some exports have name and arguments in the call itself, without a `function` around them. */
static void conversation_read_call(struct line *l, struct val call)
{
	struct event *e = conversation_read_add(l, EVENT_CALL);
	struct reading *r = l->r;
	struct val function = val_get(call, STR("function"));
	struct val body = val_is(function, JSON_OBJECT) ? function : call;

	e->call = reading_peek(r, call, STR("id"));
	e->tool = take_tool(r, val_get(body, STR("name")));
	conversation_read_arguments(r, val_get(body, STR("arguments")), e);
}

/* A call that was written as text, as some exports do: it is looked into, and stays as it is. */
static void read_call_text(struct line *l, struct val text)
{
	struct val call = reading_parse(l->r, val_text_copy(text, l->r->arena));

	if (val_is(call, JSON_OBJECT))
		conversation_read_call(l, call);
	else
		conversation_read_add(l, EVENT_CALL)->tool = STR("unknown");
	if (!val_is_none(call))
		reading_release(l->r, call);
}

/* A list with anything in it that is no call is left alone. */
static bool are_calls(struct val calls)
{
	struct val_iter it = val_begin(calls);
	struct val call;
	bool good = val_is(calls, JSON_ARRAY);

	while (good && val_next(&it, &call))
		good = val_is(call, JSON_OBJECT) || val_is(call, JSON_STRING);
	return good;
}

/* The calls of `tool_calls` and of the older `function_call`. The latter is only looked at, and stays in the line. */
static void conversation_read_calls(struct line *l)
{
	struct val calls = val_get(l->v, STR("tool_calls")), call, function = val_get(l->v, STR("function_call"));
	struct val_iter it = val_begin(calls);

	bool good = are_calls(calls);

	while (good && val_next(&it, &call)) {
		if (val_is(call, JSON_OBJECT))
			conversation_read_call(l, call);
		else
			read_call_text(l, call);
	}
	if (val_is(function, JSON_OBJECT)) {
		struct event *e = conversation_read_add(l, EVENT_CALL);

		e->tool = reading_peek(l->r, function, STR("name"));
		e->tool = e->tool.n ? e->tool : STR("unknown");
		e->args_text = reading_peek(l->r, function, STR("arguments"));
	}
}

static void read_result_block(struct line *l, struct val block)
{
	struct event *e = conversation_read_add(l, EVENT_RESULT);

	e->call = reading_peek(l->r, block, STR("tool_use_id"));
	e->content = take_content(l->r, e, "result", val_get(block, STR("content")));
	set_error(e, block);
}

/* Texts of one kind of block, joined; the text of a single one is taken. */
static struct str read_texts(struct reading *r, struct val content, struct str type, struct str name)
{
	struct val only = VAL_NONE;
	struct buf all = { 0 };
	struct str text = { NULL, 0 };
	size_t count = 0;

	VALUES_EACH(block, content) {
		struct val v = val_get(block, name);

		if (!val_text_is(val_get(block, STR("type")), type) || !val_is(v, JSON_STRING))
			continue;
		only = v;
		text = val_text_copy(v, r->arena);
		if (count++)
			buf_add_byte(&all, '\n');
		buf_add_str(&all, text);
	}
	if (count == 1)
		text = reading_text_of(r, only);
	else if (count > 1)
		text = arena_copy(r->arena, buf_str(&all));
	buf_free(&all);
	return text;
}

/* The calls and results among the blocks of an answer; services that run tools themselves put results there too. */
static void read_blocks(struct line *l, struct val content)
{
	VALUES_EACH(block, content) {
		if (conversation_is_block(block, STR("tool_use"))) {
			struct event *e = conversation_read_add(l, EVENT_CALL);

			e->call = reading_peek(l->r, block, STR("id"));
			e->tool = take_tool(l->r, val_get(block, STR("name")));
			e->args = take_content(l->r, e, "args", val_get(block, STR("input")));
			if (!e->args.p) {
				e->args = STR("{}");
				reading_extra(l->r, e, STR(MARK_ARGS), STR("\"none\""));
			}
		} else if (conversation_is_block(block, STR("tool_result"))) {
			read_result_block(l, block);
		}
	}
}

/*
 * A STEP, and its calls behind it. `content` is taken; model, usage and thoughts that stand beside it stay in the
 * line.
 */
static void conversation_read_assistant(struct line *l)
{
	struct reading *r = l->r;
	struct val content = val_get(l->v, STR("content"));
	struct event *e = conversation_read_add(l, EVENT_STEP);

	e->model = reading_peek(r, l->v, STR("model"));
	e->stop_reason = reading_peek(r, l->v, STR("stop_reason"));
	e->reasoning = reading_peek(r, l->v, STR("reasoning_content"));
	conversation_read_usage(l->v, &e->usage);
	if (val_is(content, JSON_STRING)) {
		e->text = reading_text_of(r, content);
	} else if (val_is(content, JSON_ARRAY)) {
		e->text = read_texts(r, content, STR("text"), STR("text"));
		if (!e->reasoning.p)
			e->reasoning = read_texts(r, content, STR("thinking"), STR("thinking"));
		read_blocks(l, content);
	}
	conversation_read_calls(l);
}

/* Calls alone: our own writer says that no model answered there. */
static void read_calls_only(struct line *l)
{
	struct val content = val_get(l->v, STR("content"));

	if (val_is(content, JSON_ARRAY))
		read_blocks(l, content);
	conversation_read_calls(l);
	if (l->r->count == l->first) /* it says so, and has none */
		conversation_read_add(l, EVENT_NOTE)->role = STR("line");
}

/* ---- the others ---- */

static void conversation_read_message(struct line *l)
{
	struct event *e = conversation_read_add(l, EVENT_MESSAGE);

	e->role = reading_peek(l->r, l->v, STR("role"));
	e->content = take_content(l->r, e, "content", val_get(l->v, STR("content")));
}

static void conversation_read_tool(struct line *l)
{
	struct event *e = conversation_read_add(l, EVENT_RESULT);

	e->call = reading_peek(l->r, l->v, STR("tool_call_id"));
	e->content = take_content(l->r, e, "result", val_get(l->v, STR("content")));
	set_error(e, l->v);
}

/* What the user said between results, while it is gathered. */
struct part {
	struct buf text;
	size_t event, count;
};

/* Closes the JSON list of the message at hand; nothing when none is open. */
static void end_part(struct line *l, struct part *p)
{
	if (p->count == 0)
		return;
	buf_add_byte(&p->text, ']');
	l->r->events[p->event].content = arena_copy(l->r->arena, buf_str(&p->text));
	buf_clear(&p->text);
	p->count = 0;
}

/* A block for the message at hand, which begins with its first block. */
static void add_part_block(struct line *l, struct part *p, struct val block)
{
	struct reading *r = l->r;
	const char *member;

	if (p->count == 0) {
		p->event = r->count;
		conversation_read_add(l, EVENT_MESSAGE)->role = STR("user");
	}
	member = arena_printf(r->arena, "content/%zu", p->count).p; /* where its big numbers are */
	buf_add_byte(&p->text, p->count++ ? ',' : '[');
	buf_add_str(&p->text, reading_json_of(r, &r->events[p->event], member, block));
}

/* Results, and in between what the user said: a message for what stands together. */
static void read_user_blocks(struct line *l, struct val content)
{
	struct part part = { .count = 0 };

	VALUES_EACH(block, content) {
		if (conversation_is_block(block, STR("tool_result"))) {
			end_part(l, &part);
			read_result_block(l, block);
		} else {
			add_part_block(l, &part, block);
		}
	}
	end_part(l, &part);
	buf_free(&part.text);
}

/* ---- canonical lines ---- */

/* What stands in `content` of a call: its arguments, when it is an object, else what the assistant said. */
static void read_canonical_call(struct line *l)
{
	struct reading *r = l->r;
	struct val content = val_get(l->v, STR("content"));
	struct str text = val_text_copy(content, r->arena);
	struct val parsed = text.n && text.p[0] == '{' ? reading_parse(r, text) : VAL_NONE;
	struct event *e;

	if (val_is_none(parsed) && text.n) {
		e = conversation_read_add(l, EVENT_STEP);
		e->text = reading_text_of(r, content);
		conversation_read_usage(l->v, &e->usage);
	}
	e = conversation_read_add(l, EVENT_CALL);
	e->call = reading_peek(r, l->v, STR("tool_call_id"));
	e->tool = reading_peek(r, l->v, STR("tool_name"));
	e->tool = e->tool.n ? e->tool : STR("unknown");
	e->args = STR("{}");
	if (val_is_none(parsed))
		return;
	e->args = reading_json_of(r, e, "args", parsed);
	reading_release(r, parsed);
	if (!str_eq(e->args, text))
		return;
	reading_take(r, content);
	reading_extra(r, e, STR(MARK_ARGS), STR("\"content\""));
}

/* A canonical line is known by `event`; "message" and anything unknown go by their role. */
static void read_canonical(struct line *l)
{
	struct val event = val_get(l->v, STR("event"));

	if (val_text_is(event, STR("tool_call")))
		read_canonical_call(l);
	else if (val_text_is(event, STR("tool_result")))
		conversation_read_tool(l);
	else if (val_text_is(val_get(l->v, STR("role")), STR("assistant")))
		conversation_read_assistant(l);
	else
		conversation_read_message(l);
}

/* ---- a line ---- */

/*
 * One event at least, so that what is left of the line has one to stay with. What our own writer says goes before what
 * the role says.
 */
static void conversation_read_line(struct line *l)
{
	struct val role = val_get(l->v, STR("role")), content = val_get(l->v, STR("content"));
	struct val is = val_get(val_get(l->v, STR(OURS)), STR(OURS_IS));

	if (!val_is(role, JSON_STRING))
		conversation_read_add(l, EVENT_NOTE)->role = STR("line");
	else if (val_text_is(is, STR(OURS_MESSAGE)))
		conversation_read_message(l);
	else if (val_text_is(is, STR(OURS_CALLS)) && val_text_is(role, STR("assistant")))
		read_calls_only(l);
	else if (str_eq(str_from(l->dialect), STR("canonical")))
		read_canonical(l);
	else if (val_text_is(role, STR("tool")) || val_text_is(role, STR("function")))
		conversation_read_tool(l);
	else if (val_text_is(role, STR("assistant")))
		conversation_read_assistant(l);
	else if (count_blocks(content, STR("tool_result")))
		read_user_blocks(l, content);
	else
		conversation_read_message(l);
}

static void conversation_read_mark(struct reading *r, struct event *e, struct str name, uint64_t number)
{
	reading_extra(r, e, name, arena_printf(r->arena, "%llu", (unsigned long long)number));
}

/* What is needed to write the line again. */
static void mark_line(struct line *l)
{
	struct reading *r = l->r;
	struct val content = val_get(l->v, STR("content")), calls = val_get(l->v, STR("tool_calls"));
	struct event *first = &r->events[l->first];

	for (size_t i = l->first; i < r->count; i++) {
		struct event *e = &r->events[i];

		reading_extra(r, e, STR(MARK_DIALECT), reading_quote(r, str_from(l->dialect)));
		conversation_read_mark(r, e, STR(MARK_LINE), r->line);
		if (i > l->first)
			conversation_read_mark(r, e, STR(MARK_PLACE), i - l->first);
	}
	reading_rest(r, first, l->v);
	if (val_is(content, JSON_ARRAY))
		conversation_read_mark(r, first, STR(MARK_BLOCKS), val_count(content));
	if (val_is(calls, JSON_ARRAY))
		conversation_read_mark(r, first, STR(MARK_CALLS), val_count(calls));
}

/* How the run ended, where our own writer says so. It stays in the line, which is written again with it. */
static void conversation_read_end(struct line *l)
{
	struct val ours = val_get(l->v, STR(OURS));
	enum run_status status = words_fold_status(reading_peek(l->r, ours, STR(OURS_STATUS)));
	struct event *e;

	if (status == STATUS_UNKNOWN)
		return;
	e = reading_add(l->r, EVENT_RUN_END);
	e->status = status;
	e->reason = reading_peek(l->r, ours, STR(OURS_REASON));
}

/* A line that is no object is kept whole in a NOTE, under "#value". */
static void conversation_read_value(struct reading *r, struct val v)
{
	struct line l = { .r = r, .v = v, .first = r->count };

	if (!val_is(v, JSON_OBJECT)) {
		reading_add(r, EVENT_NOTE)->role = STR("line");
		reading_rest_under(r, &r->events[l.first], v, STR("#value"));
		return;
	}
	l.dialect = dialect_of(v);
	l.ts = reading_time(r, v, STR("occurred_at"));
	conversation_read_line(&l);
	mark_line(&l);
	conversation_read_end(&l);
}

const struct read_ops conversation_read = {
	.vendor = "conversation",
	.key = "conversation/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = conversation_read_value,
};
