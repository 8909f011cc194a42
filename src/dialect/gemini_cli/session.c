/*
 * A session of Gemini CLI: what stands at its head, and its messages, be they one document or lines. A message of the
 * model has its calls with their results in it.
 */
#include "base/num.h"
#include "dialect/gemini/gemini.h"
#include "dialect/gemini_cli/gemini_cli.h"
#include "dialect/record/field.h"

#define MS 1000000

static void hint_from(struct reading *r, size_t from, enum gemini_cli_what what, struct str id)
{
	for (size_t i = from; i < r->count; i++) {
		struct gemini_cli_hint *h = arena_new(r->arena, struct gemini_cli_hint);

		if (r->events[i].hint)
			*h = *(const struct gemini_cli_hint *)r->events[i].hint;
		h->what = what;
		h->id = id;
		h->begins = i == from;
		r->events[i].hint = h;
	}
}

/* ---- calls ---- */

/* "NAME-1761594968137-HEX": when the call began, in milliseconds; 0 when its id does not say. */
static int64_t start_in_id(struct str id)
{
	size_t digits = 0;
	int64_t ms;

	for (size_t i = 0; i <= id.n; i++) {
		if (i < id.n && id.p[i] >= '0' && id.p[i] <= '9') {
			digits++;
			continue;
		}
		if (digits == 13 && num_integral(str_of(id.p + i - digits, digits), &ms) && ms > 1500000000000)
			return ms;
		digits = 0;
	}
	return 0;
}

static const struct str gemini_cli_failed[] = { WORD("error"), WORD("cancelled"), WORD("failed") };

/* What it gave: the response of the first part, when that is all. A call that waits or runs has none. */
static void read_call_result(struct reading *r, struct val call, struct str id, struct moment ts)
{
	struct val result = val_get(call, STR("result")), status = val_get(call, STR("status"));
	struct val answer = val_get(values_first(result), STR("functionResponse"));
	struct val response = val_get(answer, STR("response"));
	bool bad = values_is_word(status, gemini_cli_failed, COUNT(gemini_cli_failed));
	struct event *e;

	if (val_is_unset(result) && !bad)
		return;
	e = reading_add(r, EVENT_RESULT);
	e->ts = ts;
	e->call = id;
	if (val_text_is(status, STR("success")))
		e->is_error = TRUTH_FALSE;
	if (bad || !val_is_unset(val_get(response, STR("error"))))
		e->is_error = TRUTH_TRUE;
	if (val_count(result) == 1 && !val_is_none(response)) {
		e->content = reading_json_of(r, e, "result", response);
		reading_take(r, val_get(answer, STR("name")));
		reading_take(r, val_get(answer, STR("id")));
	} else {
		e->content = val_is_none(result) ? STR("null") : reading_json_of(r, e, "result", result);
	}
	if (val_text_is(status, STR("success")) || val_text_is(status, STR("error")))
		reading_take(r, status);
}

/* The time of a call is that of its end; the beginning is in its id, in some versions. */
static void gemini_cli_read_call(struct reading *r, size_t step, struct val call, int index)
{
	struct event *e = reading_add(r, EVENT_CALL);
	struct moment end = reading_time(r, call, STR("timestamp"));
	struct str id;
	int64_t ms;

	e->step = r->events[step].step;
	e->ts = r->events[step].ts;
	e->index = index;
	e->call = id = text_or_none(reading_text(r, call, STR("id")));
	e->tool = reading_text(r, call, STR("name"));
	if (!e->tool.n)
		e->tool = STR("unknown");
	e->args = reading_json(r, e, "args", call, STR("args"));
	if (!e->args.p)
		e->args = STR("{}");
	ms = start_in_id(id);
	if (ms && end.text.p && ms <= end.ns / MS) {
		e->ts = reading_moment(r, ms * MS, MOMENT_DERIVED);
		/* the answer was there when it began, whenever it was written down */
		if (r->events[step].ts.text.p && ms < r->events[step].ts.ns / MS)
			r->events[step].ts = e->ts;
	}
	read_call_result(r, call, id, end);
	reading_rest(r, &r->events[r->count - 1], call);
}

/* ---- messages ---- */

/* Thoughts are counted beside the output, and what a tool of the service read beside the input. */
static struct usage gemini_cli_read_tokens(struct reading *r, struct val tokens)
{
	struct usage u = {
		.input = reading_count(r, tokens, STR("input")),
		.output = reading_count(r, tokens, STR("output")),
		.cache_read = reading_count(r, tokens, STR("cached")),
		.reasoning = reading_count(r, tokens, STR("thoughts")),
	};
	struct figure tool = reading_count(r, tokens, STR("tool"));
	struct val all = val_get(tokens, STR("total"));
	int64_t total;

	if (figure_is_known(u.input))
		u.input.n += tool.n;
	if (figure_is_known(u.output))
		u.output.n += u.reasoning.n;
	if (val_i64(all, &total) && total >= 0 && (uint64_t)total == u.input.n + u.output.n)
		reading_take(r, all); /* a total that is the sum says nothing more */
	return u;
}

/* {subject, description}: a line and a paragraph each. */
static struct str gemini_cli_read_thoughts(struct reading *r, struct val thoughts)
{
	struct buf b = { 0 };

	VALUES_EACH(thought, thoughts) {
		struct str subject = reading_text(r, thought, STR("subject"));
		struct str text = reading_text(r, thought, STR("description"));

		if (b.n && (subject.n || text.n))
			buf_add_str(&b, STR("\n\n"));
		buf_add_str(&b, subject);
		if (subject.n && text.n)
			buf_add_byte(&b, '\n');
		buf_add_str(&b, text);
	}
	if (val_is(thoughts, JSON_ARRAY) && val_count(thoughts) == 0)
		reading_take(r, thoughts);
	return b.n ? arena_take(r->arena, &b) : str_of(NULL, 0);
}

/* Its parts: a text, a part, or a list of them; older files say "parts". */
static struct val parts_of(struct val message)
{
	return val_get_either(message, STR("content"), STR("parts"));
}

static void gemini_cli_read_model(struct reading *r, struct val v, struct moment ts)
{
	struct val parts = parts_of(v);
	struct gemini_said said = { .text = { NULL, 0 } };
	size_t at = r->count;
	struct event *e = reading_add(r, EVENT_STEP);
	int index = 0;

	e->ts = ts;
	e->step = text_or_none(reading_text(r, v, STR("id")));
	e->model = text_or_none(reading_text(r, v, STR("model")));
	e->provider = STR("google");
	e->usage = gemini_cli_read_tokens(r, val_get(v, STR("tokens")));
	e->reasoning = gemini_cli_read_thoughts(r, val_get(v, STR("thoughts")));
	if (val_is(parts, JSON_ARRAY))
		gemini_read_said(r, parts, &said);
	else
		said.text = reading_text_of(r, val_is(parts, JSON_OBJECT) ? val_get(parts, STR("text")) : parts);
	e->text = said.text;
	if (!e->reasoning.p)
		e->reasoning = said.reasoning;
	VALUES_EACH(call, val_get(v, STR("toolCalls")))
		if (val_is(call, JSON_OBJECT))
			gemini_cli_read_call(r, at, call, index++);
	if (index)
		r->events[at].stop_reason = STR("tool_use");
}

/* The results of calls are told again, as what the model is given. */
static void gemini_cli_read_user(struct reading *r, struct val v, struct moment ts)
{
	struct val parts = parts_of(v);
	size_t at = r->count;

	gemini_read_given(r, parts, STR("user"), 0);
	for (size_t i = at; i < r->count; i++) {
		struct event *e = &r->events[i];
		struct gemini_cli_hint *h = arena_new(r->arena, struct gemini_cli_hint);

		h->again = e->kind == EVENT_RESULT;
		e->hint = h;
		e->ts = ts;
		if (e->kind == EVENT_MESSAGE && val_is(parts, JSON_OBJECT))
			e->content = reading_json_of(r, e, "content", parts);
	}
}

static const struct str gemini_cli_models[] = { WORD("gemini"), WORD("model"), WORD("qwen"), WORD("assistant") };

static void gemini_cli_read_other(struct reading *r, struct val v, struct str type, struct moment ts)
{
	bool error = str_eq(type, STR("error"));
	struct event *e = reading_add(r, error ? EVENT_ERROR : EVENT_NOTE);

	e->ts = ts;
	if (error) {
		e->class = STR("harness");
		e->text = reading_text(r, v, STR("content"));
		return;
	}
	e->role = type.n ? type : STR("unknown");
	e->content = reading_json(r, e, "content", v, STR("content"));
	if (!e->content.p)
		e->content = STR("null");
}

/* What the model is given again was not said now, unless it has figures of its own. */
static void gemini_cli_read_message(struct reading *r, struct val v, bool context)
{
	struct val type = val_get(v, STR("type"));
	struct moment ts = reading_time(r, v, STR("timestamp"));
	struct str id = text_or_none(reading_text(r, v, STR("id"))), word = val_text_or_none(type, r->arena);
	size_t at = r->count;

	if (values_is_word(type, gemini_cli_models, COUNT(gemini_cli_models)) &&
	    (!context || val_has(v, STR("tokens"))))
		gemini_cli_read_model(r, v, ts);
	else if (val_text_is(type, STR("user")))
		gemini_cli_read_user(r, v, ts);
	else
		gemini_cli_read_other(r, v, word, ts);
	reading_take(r, type);
	reading_rest(r, &r->events[at], v);
	hint_from(r, at, context ? GEMINI_CLI_CONTEXT : GEMINI_CLI_MESSAGE, id);
}

/* ---- the head, and lines about it ---- */

static void gemini_cli_read_head(struct reading *r, struct val v)
{
	struct event *e = reading_add(r, EVENT_RUN_START);

	e->run = text_or_none(reading_text(r, v, STR("sessionId")));
	e->ts = reading_time(r, v, STR("startTime"));
	e->agent = STR("gemini-cli");
	hint_from(r, r->count - 1, GEMINI_CLI_NOTE, str_of(NULL, 0));
}

static void gemini_cli_add_note(struct reading *r, struct val v, enum gemini_cli_what what, struct str role,
				struct str id)
{
	struct event *e = reading_add(r, EVENT_NOTE);

	e->role = role;
	e->content = reading_json_of(r, e, "content", v);
	hint_from(r, r->count - 1, what, id);
}

/* Something of the head is another now. That the file was written at a time is no news. */
static void read_set(struct reading *r, struct val v)
{
	struct val set = val_get(v, STR("$set")), messages = val_get(set, STR("messages"));
	struct event *e;
	bool more = val_count(set) > (size_t)val_has(set, STR("messages")) + val_has(set, STR("lastUpdated"));

	VALUES_EACH(message, messages) {
		if (val_is(message, JSON_OBJECT))
			gemini_cli_read_message(r, message, true);
	}
	reading_drop(r, val_get(set, STR("lastUpdated")));
	if (!more && val_count(v) == 1)
		return;
	e = reading_add(r, EVENT_NOTE);
	e->role = STR("set");
	e->content = STR("null");
	reading_rest(r, e, v);
	hint_from(r, r->count - 1, GEMINI_CLI_NOTE, str_of(NULL, 0));
}

void gemini_cli_session_read(struct reading *r, struct val v)
{
	struct val back = val_get(v, STR("$rewindTo"));
	size_t at = r->count;

	if (val_is(val_get(v, STR("$set")), JSON_OBJECT)) {
		read_set(r, v);
	} else if (val_is(back, JSON_STRING)) {
		gemini_cli_add_note(r, v, GEMINI_CLI_REWIND, STR("rewind"), val_text(back, r->arena));
	} else if (val_has(v, STR("sessionId")) && !val_has(v, STR("type"))) {
		gemini_cli_read_head(r, v);
		VALUES_EACH(message, val_get(v, STR("messages")))
			if (val_is(message, JSON_OBJECT))
				gemini_cli_read_message(r, message, false);
		reading_rest(r, &r->events[at], v);
	} else if (val_is(v, JSON_OBJECT) && val_has(v, STR("type"))) {
		gemini_cli_read_message(r, v, false);
	} else {
		gemini_cli_add_note(r, v, GEMINI_CLI_NOTE, STR("unknown"), str_of(NULL, 0));
	}
}

/* A line of a message says little of whose it is: the head comes first. */
int gemini_cli_session_fits(struct val v)
{
	static const struct str head[] = { WORD("sessionId"), WORD("projectHash"), WORD("startTime"),
					   WORD("messages") };
	size_t n = values_count_names(v, head, COUNT(head));
	bool of_hash = val_has(v, STR("sessionId")) && val_has(v, STR("projectHash"));
	struct val type = val_get(v, STR("type"));

	if (of_hash && n >= 3)
		return 95;
	if (val_has(v, STR("sessionId")) && val_has(v, STR("startTime")) && val_has(v, STR("lastUpdated")))
		return 80;
	if (val_count(v) == 1 && (val_is(val_get(v, STR("$set")), JSON_OBJECT) ||
				  val_is(val_get(v, STR("$rewindTo")), JSON_STRING)))
		return 70;
	if (!values_is_word(type, gemini_cli_models, 1))
		return 0;
	return val_has(v, STR("content")) && val_has(v, STR("timestamp")) ? 80 : 0;
}
