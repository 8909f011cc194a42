/*
 * Events of autogen_core's logger: calls of the model with request and answer, tools that have run, messages between
 * agents, exceptions. And what a ChatCompletionClientRecorder keeps, which is the same without the events. Neither has
 * ids of its own; times are those that the logger put before the record.
 */
#include "dialect/autogen/private.h"
#include "dialect/exchange/asked.h"
#include "dialect/exchange/common.h"
#include "dialect/exchange/exchange.h"
#include "dialect/openai/chat.h"
#include "dialect/record/field.h"
#include "model/history.h"

/* ---- messages of clients ---- */

/* {"id","name","arguments"}: what an answer asks for. */
static void autogen_core_read_call(struct reading *r, struct val call, int place, unsigned flags)
{
	struct event *e = reading_add(r, EVENT_CALL);

	e->flags = flags;
	e->index = place;
	e->call = text_or_none(reading_text(r, call, STR("id")));
	e->tool = reading_text(r, call, STR("name"));
	e->args_text = reading_text(r, call, STR("arguments"));
	reading_rest(r, e, call);
}

/* The text of an answer, or its calls. */
static void autogen_core_read_said(struct reading *r, size_t at, struct val content, unsigned flags)
{
	int place = 0;

	if (val_is(content, JSON_STRING))
		r->events[at].text = reading_text_of(r, content);
	VALUES_EACH(call, content)
		if (val_is(call, JSON_OBJECT))
			autogen_core_read_call(r, call, place++, flags);
}

static void autogen_core_read_results(struct reading *r, struct val content, unsigned flags)
{
	VALUES_EACH(result, content) {
		struct event *e;

		if (!val_is(result, JSON_OBJECT))
			continue;
		e = reading_add(r, EVENT_RESULT);
		e->flags = flags;
		e->call = text_or_none(reading_text(r, result, STR("call_id")));
		e->tool = reading_text(r, result, STR("name"));
		e->content = reading_json(r, e, "result", result, STR("content"));
		e->is_error = (uint8_t)reading_truth(r, result, STR("is_error"));
		reading_rest(r, e, result);
	}
}

void autogen_read_message(struct reading *r, struct val v, uint32_t position, unsigned flags)
{
	struct val type = val_get(v, STR("type")), content = val_get(v, STR("content"));
	uint64_t digest = flags & EVENT_HISTORY ? history_digest(val_source(v)) : 0;
	size_t from = r->count;
	struct event *e;

	if (val_text_is(type, STR("FunctionExecutionResultMessage"))) {
		autogen_core_read_results(r, content, flags);
	} else if (val_text_is(type, STR("AssistantMessage"))) {
		e = reading_add(r, EVENT_STEP);
		e->flags = flags;
		e->reasoning = reading_text(r, v, STR("thought"));
		autogen_core_read_said(r, from, content, flags);
	} else {
		e = reading_add(r, EVENT_MESSAGE);
		e->flags = flags;
		e->role = val_text_is(type, STR("SystemMessage")) ? STR("system") : STR("user");
		e->content = reading_json_of(r, e, "content", content);
	}
	if (r->count == from) {
		e = reading_add(r, EVENT_NOTE); /* a list of no results */
		e->flags = flags;
		e->role = STR("message");
	}
	reading_take(r, type);
	exchange_mark_message(r, from, position, digest);
	reading_rest(r, &r->events[from], v);
}

void autogen_read_result(struct reading *r, struct val result)
{
	struct event *e = autogen_add(r, EVENT_STEP, AUTOGEN_OTHER);
	size_t at = r->count - 1;

	e->stop_reason = text_or_none(reading_text(r, result, STR("finish_reason")));
	e->usage = openai_chat_read_usage(r, val_get(result, STR("usage")), str_of(NULL, 0));
	e->reasoning = reading_text(r, result, STR("thought"));
	autogen_core_read_said(r, at, val_get(result, STR("content")), 0);
	autogen_mark_answer(r, at);
	reading_rest(r, &r->events[at], result);
}

/* ---- calls of the model ---- */

/* Messages in the form of the service, or in that of the clients. */
static void autogen_core_read_request(struct reading *r, struct val v)
{
	struct val messages = val_get(v, STR("messages")), first = values_first(messages);
	uint32_t position = 0;
	size_t from = r->count;

	if (val_has(first, STR("role"))) {
		openai_chat_read_request(r, v, messages);
	} else {
		exchange_read_tools(r, val_get(v, STR("tools")));
		VALUES_EACH(message, messages)
			if (val_is(message, JSON_OBJECT))
				autogen_read_message(r, message, position++, EVENT_HISTORY);
	}
	asked_retell(r, from);
}

/* What the service answered, by whichever API, or what the client made of it. First is a STEP, or an ERROR. */
static void autogen_core_read_response(struct reading *r, struct val response)
{
	const struct exchange_api *api = NULL;
	size_t from = r->count;

	if (val_is(response, JSON_OBJECT) && !val_is(val_get(response, STR("content")), JSON_STRING))
		api = val_has(response, STR("choices")) ? &openai_chat_api
							: exchange_find_api(VAL_NONE, response, STR(""));
	if (api)
		api->response(r, response);
	for (size_t i = from; i < r->count; i++)
		r->events[i].hint = NULL; /* not of ours */
	if (api) {
		autogen_mark_answer(r, from);
		return;
	}
	if (val_is(response, JSON_OBJECT))
		autogen_read_result(r, response);
	else
		autogen_add(r, EVENT_STEP, AUTOGEN_OTHER)->text = reading_text_of(r, response);
}

/* The counts of the record, where the answer has none; those that say the same are told. */
static void autogen_core_read_counts(struct reading *r, struct val v, struct event *e)
{
	struct figure in = { .state = FIGURE_ABSENT }, out = in;
	int64_t n;

	if (usage_is_known(&e->usage) && val_i64(val_get(v, STR("prompt_tokens")), &n) && n >= 0 &&
	    (uint64_t)n != e->usage.input.n)
		return;
	in = reading_count(r, v, STR("prompt_tokens"));
	out = reading_count(r, v, STR("completion_tokens"));
	if (!usage_is_known(&e->usage))
		e->usage = (struct usage){ .input = in, .output = out };
}

/* A call with its answer, the beginning of a stream (messages alone) or its end (the answer alone). */
static void autogen_core_read_model(struct reading *r, struct val v, struct str type)
{
	bool begins = str_eq(type, STR("LLMStreamStart"));
	struct moment ts = autogen_prefix_time(r);
	size_t at;

	autogen_core_read_request(r, v);
	at = r->count;
	if (begins) {
		autogen_add(r, EVENT_NOTE, AUTOGEN_OTHER)->role = type;
		r->events[at].content = STR("null");
	} else {
		autogen_core_read_response(r, val_get(v, STR("response")));
	}
	for (size_t i = at; i < r->count && ts.text.p; i++)
		r->events[i].ts = ts;
	if (!begins)
		autogen_core_read_counts(r, v, &r->events[at]);
	if (str_eq(type, STR("LLMStreamEnd")) && r->events[at].kind == EVENT_STEP)
		r->events[at].flags = (r->events[at].flags & ~(unsigned)EVENT_NO_STREAM) | EVENT_STREAM;
	reading_rest(r, &r->events[at], v);
}

/* ---- all of them ---- */

static void autogen_core_read_tool(struct reading *r, struct val v, struct str type)
{
	struct moment ts = autogen_prefix_time(r);
	struct val args = val_get(v, STR("arguments"));
	struct event *e = autogen_add(r, EVENT_CALL, AUTOGEN_RAN);

	(void)type;
	e->ts = ts;
	e->call = text_or_none(reading_text(r, v, STR("call_id")));
	e->tool = reading_text(r, v, STR("tool_name"));
	if (val_is(args, JSON_STRING))
		e->args_text = reading_text_of(r, args);
	else if (!val_is_none(args))
		e->args = reading_json_of(r, e, "args", args);
	asked_settle_args(r, e);
	e = autogen_add(r, EVENT_RESULT, AUTOGEN_RESULT);
	e->ts = ts;
	e->content = reading_json(r, e, "result", v, STR("result"));
	reading_rest(r, e, v);
}

static void autogen_core_read_exception(struct reading *r, struct val v, struct str type)
{
	struct moment ts = autogen_prefix_time(r);
	struct event *e = autogen_add(r, EVENT_ERROR, AUTOGEN_OTHER);

	e->ts = ts;
	e->class = STR("harness");
	e->code = type;
	e->text = reading_text(r, v, STR("exception"));
	reading_rest(r, e, v);
}

static void autogen_core_read_note(struct reading *r, struct val v, struct str type)
{
	autogen_add_note(r, v, type, autogen_prefix_time(r));
}

static const struct {
	struct str type;
	void (*read)(struct reading *r, struct val v, struct str type);
	struct str beside; /* a member that it is known by, or "response" */
} autogen_events[] = {
	{ WORD("LLMCall"), autogen_core_read_model, WORD("prompt_tokens") },
	{ WORD("LLMStreamStart"), autogen_core_read_model, WORD("messages") },
	{ WORD("LLMStreamEnd"), autogen_core_read_model, WORD("response") },
	{ WORD("ToolCall"), autogen_core_read_tool, WORD("tool_name") },
	{ WORD("Message"), autogen_core_read_note, WORD("delivery_stage") },
	{ WORD("MessageDropped"), autogen_core_read_note, WORD("receiver") },
	{ WORD("MessageHandlerException"), autogen_core_read_exception, WORD("exception") },
	{ WORD("AgentConstructionException"), autogen_core_read_exception, WORD("exception") },
};

static bool autogen_core_is_recorded(struct val v)
{
	struct val mode = val_get(v, STR("mode"));

	return (val_text_is(mode, STR("create")) || val_text_is(mode, STR("create_stream"))) &&
	       val_is(val_get(v, STR("messages")), JSON_ARRAY);
}

/* One call of a client: what it was asked, and what it gave back. */
static void autogen_core_read_recorded(struct reading *r, struct val v)
{
	struct val stream = val_get(v, STR("stream")), result = val_get(v, STR("response"));
	bool streamed = val_text_is(val_get(v, STR("mode")), STR("create_stream"));
	struct val last = VAL_NONE;
	size_t at;

	VALUES_EACH(piece, stream)
		last = piece;
	if (!val_is(result, JSON_OBJECT)) /* of a stream the last piece is what it gave back */
		result = val_is(last, JSON_OBJECT) ? last : VAL_NONE;
	autogen_core_read_request(r, v);
	at = r->count;
	if (val_is(result, JSON_OBJECT)) {
		autogen_read_result(r, result);
		if (streamed)
			r->events[at].flags |= EVENT_STREAM;
	} else {
		autogen_add(r, EVENT_NOTE, AUTOGEN_OTHER)->role = STR("create");
		r->events[at].content = STR("null");
	}
	reading_rest(r, &r->events[at], v);
}

void autogen_core_read(struct reading *r, struct val v)
{
	struct str type = reading_peek(r, v, STR("type"));

	if (autogen_core_is_recorded(v)) {
		autogen_core_read_recorded(r, v);
		return;
	}
	for (size_t i = 0; i < COUNT(autogen_events); i++) {
		if (str_eq(type, autogen_events[i].type)) {
			reading_take(r, val_get(v, STR("type")));
			autogen_events[i].read(r, v, type);
			return;
		}
	}
	autogen_add_note(r, v, STR("event"), autogen_prefix_time(r));
}

int autogen_core_fits(struct val v)
{
	if (autogen_core_is_recorded(v))
		return val_has(v, STR("response")) ? 90 : 0;
	for (size_t i = 0; i < COUNT(autogen_events); i++)
		if (val_text_is(val_get(v, STR("type")), autogen_events[i].type))
			return val_has(v, autogen_events[i].beside) || val_has(v, STR("response")) ? 90 : 0;
	return 0;
}
