/*
 * Reads the events of CrewAI, by type. Members that are null are dropped: every event has all members of its class,
 * and most are null in most. Messages that a call of the model tells again are let through by the fold when they are
 * new.
 */
#include "dialect/crewai/private.h"

#include <stdlib.h>

#include "dialect/exchange/asked.h"
#include "dialect/exchange/common.h"
#include "dialect/exchange/exchange.h"
#include "dialect/openai/chat.h"
#include "dialect/record/field.h"
#include "model/history.h"

/* An event: the record around it, and its members, which flat ones have in the record itself. */
struct crew {
	struct reading *r;
	struct val v, data;
	struct str type;
	struct moment ts;
	struct crewai_hint about;
};

static struct event *crewai_event_add(const struct crew *c, enum event_kind kind, enum crewai_what what)
{
	struct event *e = reading_add(c->r, kind);
	struct crewai_hint *h = arena_new(c->r->arena, struct crewai_hint);

	*h = c->about;
	h->what = what;
	e->hint = h;
	e->ts = c->ts;
	return e;
}

/* A text, or any other value as JSON: errors and outputs are whatever the program had. */
static struct str crewai_event_text(struct reading *r, struct val v)
{
	return val_is(v, JSON_STRING) ? reading_text_of(r, v) : reading_json_of(r, NULL, "text", v);
}

/* ---- calls of the model ---- */

/* The counts by the names that CrewAI's providers use; Anthropic's input leaves out what was cached. */
static struct usage crewai_event_usage(struct reading *r, struct val v, struct str model)
{
	static const struct str in[] = { WORD("input_tokens"), WORD("prompt_token_count"), WORD("inputTokens") };
	static const struct str out[] = { WORD("output_tokens"), WORD("candidates_token_count"),
					  WORD("outputTokens") };
	static const struct str cached[] = { WORD("cached_prompt_tokens"), WORD("cached_tokens") };
	struct usage u = openai_chat_read_usage(r, v, model);

	for (size_t i = 0; i < COUNT(in) && !figure_is_known(u.input); i++) {
		u.input = reading_count(r, v, in[i]);
		u.output = reading_count(r, v, out[i]);
	}
	for (size_t i = 0; i < COUNT(cached) && !figure_is_known(u.cache_read); i++)
		u.cache_read = reading_count(r, v, cached[i]);
	if (val_has(v, STR("input_tokens")) && !val_has(v, STR("prompt_tokens")) && figure_is_known(u.input)) {
		u.input.n += figure_is_known(u.cache_read) ? u.cache_read.n : 0;
		u.input.n += figure_is_known(u.cache_write) ? u.cache_write.n : 0;
	}
	return u;
}

/* What the request tells: a list in OpenAI's form, or a text. */
static void crewai_event_read_messages(const struct crew *c)
{
	struct val messages = val_get(c->data, STR("messages"));
	size_t from = c->r->count;

	if (val_is(messages, JSON_ARRAY)) {
		openai_chat_read_request(c->r, c->data, messages);
		asked_retell(c->r, from);
	} else if (val_is(messages, JSON_STRING)) {
		struct event *e = reading_add(c->r, EVENT_MESSAGE);

		e->flags = EVENT_HISTORY;
		e->role = STR("user");
		e->content = reading_json_of(c->r, e, "content", messages);
		e->digest = history_digest(e->content);
	}
	for (; from < c->r->count; from++)
		if (!c->r->events[from].ts.text.p)
			c->r->events[from].ts = c->ts;
}

static void crewai_event_read_asked(struct crew *c)
{
	struct event *e = crewai_event_add(c, EVENT_NOTE, CREWAI_ASKED);
	size_t at = c->r->count - 1;

	e->role = c->type;
	e->content = STR("null");
	crewai_event_read_messages(c);
	reading_rest(c->r, &c->r->events[at], c->v);
}

/* A call that the answer asks for, in the form of whichever provider it came from. */
static void crewai_event_read_wanted(const struct crew *c, struct val call, int place)
{
	static const struct str arguments[] = { WORD("arguments"), WORD("input"), WORD("args") };
	struct val function = val_get(call, STR("function"));
	struct val has = val_is(function, JSON_OBJECT) ? function : call, args = VAL_NONE;
	struct event *e;

	if (!val_is(val_get(has, STR("name")), JSON_STRING))
		return;
	e = crewai_event_add(c, EVENT_CALL, CREWAI_WANTED);
	e->index = place;
	e->call = text_or_none(reading_text(c->r, call, STR("id")));
	e->tool = reading_text(c->r, has, STR("name"));
	for (size_t i = 0; i < COUNT(arguments) && val_is_none(args); i++)
		args = val_get(has, arguments[i]);
	if (val_is(args, JSON_STRING))
		e->args_text = reading_text_of(c->r, args);
	else if (!val_is_none(args))
		e->args = reading_json_of(c->r, e, "args", args);
	if (val_text_is(val_get(call, STR("type")), STR("function")))
		reading_take(c->r, val_get(call, STR("type")));
	asked_settle_args(c->r, e);
	reading_rest(c->r, e, call);
}

/* An answer is a text, a message with calls, a list of calls, or whatever an output class made of it. */
static void crewai_event_read_response(const struct crew *c, size_t at)
{
	struct val response = val_get(c->data, STR("response")), calls = response;
	struct openai_chat_said said = { .text = { NULL, 0 } };
	size_t before = c->r->count;
	int place = 0;

	if (val_is(response, JSON_OBJECT) && val_is(val_get(response, STR("role")), JSON_STRING)) {
		openai_chat_read_said(c->r, response, &said);
		reading_take(c->r, val_get(response, STR("role")));
		calls = val_get(response, STR("tool_calls"));
	}
	VALUES_EACH(call, calls)
		crewai_event_read_wanted(c, call, place++);
	if (!said.text.p && c->r->count == before && !val_is_unset(response))
		said.text = crewai_event_text(c->r, response);
	c->r->events[at].text = said.text;
	c->r->events[at].reasoning = said.reasoning;
}

static void crewai_event_read_answered(struct crew *c)
{
	struct event *e;
	size_t at;

	crewai_event_read_messages(c);
	e = crewai_event_add(c, EVENT_STEP, CREWAI_ANSWERED);
	at = c->r->count - 1;
	e->model = text_or_none(reading_text(c->r, c->data, STR("model")));
	e->stop_reason = text_or_none(reading_text(c->r, c->data, STR("finish_reason")));
	e->response_id = text_or_none(reading_text(c->r, c->data, STR("response_id")));
	e->usage = crewai_event_usage(c->r, val_get(c->data, STR("usage")), e->model);
	e->step = reading_text(c->r, c->data, STR("call_id")); /* the fold knows it from the hint */
	crewai_event_read_response(c, at);
	reading_rest(c->r, &c->r->events[at], c->v);
}

/* The answer tells all of it again: a piece counts only where none comes. */
static void crewai_event_read_piece(struct crew *c)
{
	struct event *e = crewai_event_add(c, EVENT_STEP, CREWAI_PIECE);

	e->flags = EVENT_PIECE | EVENT_FALLBACK | EVENT_STREAM;
	e->model = text_or_none(reading_text(c->r, c->data, STR("model")));
	if (str_eq(c->type, STR("llm_thinking_chunk")))
		e->reasoning = reading_text(c->r, c->data, STR("chunk"));
	else
		e->text = reading_text(c->r, c->data, STR("chunk"));
	e->response_id = text_or_none(reading_text(c->r, c->data, STR("response_id")));
	reading_rest(c->r, e, c->v);
}

/* ---- tools ---- */

static struct event *crewai_event_add_call(const struct crew *c, enum crewai_what what)
{
	struct event *e = crewai_event_add(c, EVENT_CALL, what);
	struct val args = val_get(c->data, STR("tool_args"));

	e->tool = reading_text(c->r, c->data, STR("tool_name"));
	if (val_is(args, JSON_STRING))
		e->args_text = reading_text_of(c->r, args);
	else if (!val_is_unset(args))
		e->args = reading_json_of(c->r, e, "args", args);
	asked_settle_args(c->r, e);
	return e;
}

static void crewai_event_read_started(struct crew *c)
{
	struct event *e = crewai_event_add_call(c, CREWAI_STARTED);

	e->call = text_or_none(reading_text(c->r, c->v, STR("event_id")));
	reading_rest(c->r, e, c->v);
}

/* Both are local times without a zone: only what lies between them is told. */
static struct amount crewai_event_duration(struct reading *r, struct val data)
{
	struct moment from = reading_time(r, data, STR("started_at")), to = reading_time(r, data, STR("finished_at"));

	if (!from.text.p || !to.text.p || to.ns < from.ns)
		return (struct amount){ .state = FIGURE_ABSENT };
	return (struct amount){ FIGURE_KNOWN, FIGURE_ESTIMATED, (double)(to.ns - from.ns) / 1e6 };
}

static void crewai_event_read_over(struct crew *c)
{
	struct val error = val_get(c->data, STR("error")), failure = val_get(c->data, STR("failure"));
	struct event *e;

	crewai_event_add_call(c, CREWAI_OVER);
	e = crewai_event_add(c, EVENT_RESULT, CREWAI_RESULT);
	e->duration_ms = crewai_event_duration(c->r, c->data);
	e->content = reading_json(c->r, e, "result", c->data, STR("output"));
	e->is_error = val_is_unset(error) && val_is_unset(failure) ? TRUTH_FALSE : TRUTH_TRUE;
	if (!e->content.p && !val_is_none(error))
		e->content = reading_json_of(c->r, e, "result", error);
	reading_rest(c->r, e, c->v);
}

/* ---- the run ---- */

static void crewai_event_read_kickoff(struct crew *c)
{
	struct event *e = crewai_event_add(c, EVENT_RUN_START, CREWAI_KICKOFF);

	e->agent = STR("crewai");
	e->framework = STR("crewai");
	reading_rest(c->r, e, c->v);
}

static void crewai_event_read_ended(struct crew *c)
{
	struct val output = val_get(c->data, STR("output")), error = val_get(c->data, STR("error"));
	struct val usage = val_get(output, STR("token_usage"));
	bool failed = !val_is_unset(error);
	struct event *e;

	if (failed) {
		e = crewai_event_add(c, EVENT_ERROR, CREWAI_OTHER);
		e->class = STR("harness");
		e->code = c->type;
		e->text = crewai_event_text(c->r, error);
	}
	if (val_is(usage, JSON_OBJECT)) {
		e = crewai_event_add(c, EVENT_COST, CREWAI_TOTAL);
		e->scope = STR("run");
		e->flags = EVENT_TOTAL;
		e->usage = crewai_event_usage(c->r, usage, str_of(NULL, 0));
	}
	e = crewai_event_add(c, EVENT_RUN_END, CREWAI_ENDED);
	e->status = failed || str_eq(c->type, STR("crew_kickoff_failed")) ? STATUS_ERROR : STATUS_SUCCESS;
	e->reason = failed ? c->type : str_of(NULL, 0);
	e->output = val_is_unset(output) ? str_of(NULL, 0) : reading_json_of(c->r, e, "output", output);
	reading_rest(c->r, e, c->v);
}

/* ---- all of them ---- */

/* An ERROR, whose class and what it is to the fold are told by the row. */
static void crewai_event_add_error(struct crew *c, struct str class, enum crewai_what what)
{
	struct event *e = crewai_event_add(c, EVENT_ERROR, what);

	e->class = class;
	e->code = c->type;
	e->text = crewai_event_text(c->r, val_get(c->data, STR("error")));
	if (what == CREWAI_FAULT)
		e->tool = reading_peek(c->r, c->data, STR("tool_name"));
	reading_rest(c->r, e, c->v);
}

static void crewai_event_read_failed(struct crew *c)
{
	crewai_event_add_error(c, STR("model"), CREWAI_FAILED);
}

static void crewai_event_read_fault(struct crew *c)
{
	crewai_event_add_error(c, STR("tool"), CREWAI_FAULT);
}

/* Anything else: an ERROR when it says so, else a NOTE with all that it says. */
static void crewai_event_read_other(struct crew *c)
{
	struct event *e;

	if (!val_is_unset(val_get(c->data, STR("error"))) &&
	    (str_ends(c->type, STR("_failed")) || str_ends(c->type, STR("_error")))) {
		crewai_event_add_error(c, STR("harness"), CREWAI_OTHER);
		return;
	}
	e = crewai_event_add(c, EVENT_NOTE, CREWAI_OTHER);
	e->role = c->type;
	e->content = reading_json_of(c->r, e, "content", c->data);
	reading_rest(c->r, e, c->v);
}

static const struct {
	struct str type;
	void (*read)(struct crew *c);
} crewai_types[] = {
	{ WORD("crew_kickoff_started"), crewai_event_read_kickoff },
	{ WORD("crew_kickoff_completed"), crewai_event_read_ended },
	{ WORD("crew_kickoff_failed"), crewai_event_read_ended },
	{ WORD("llm_call_started"), crewai_event_read_asked },
	{ WORD("llm_call_completed"), crewai_event_read_answered },
	{ WORD("llm_call_failed"), crewai_event_read_failed },
	{ WORD("llm_stream_chunk"), crewai_event_read_piece },
	{ WORD("llm_thinking_chunk"), crewai_event_read_piece },
	{ WORD("tool_usage_started"), crewai_event_read_started },
	{ WORD("tool_usage_finished"), crewai_event_read_over },
	{ WORD("tool_usage_error"), crewai_event_read_over },
	{ WORD("tool_selection_error"), crewai_event_read_fault },
	{ WORD("tool_validate_input_error"), crewai_event_read_fault },
	{ WORD("tool_execution_error"), crewai_event_read_fault },
};

/* Types that the table has no reader for; others are known by what stands beside them. */
static const struct str crewai_kinds[] = {
	WORD("task_"), WORD("agent_"), WORD("lite_agent_"), WORD("crew_"), WORD("flow_"), WORD("method_execution_"),
	WORD("memory_"), WORD("knowledge_"), WORD("llm_"), WORD("tool_"), WORD("mcp_"), WORD("a2a_"), WORD("hook_"),
};

static void crewai_event_drop_nulls(struct reading *r, struct val object)
{
	struct val_iter it = val_begin(object);
	struct val key, value;

	while (val_is(object, JSON_OBJECT) && val_next_member(&it, &key, &value))
		if (val_is(value, JSON_NULL))
			reading_take(r, value);
}

static bool crewai_event_is(struct val v)
{
	return val_is(val_get(v, STR("type")), JSON_STRING) &&
	       (val_is(val_get(v, STR("event_data")), JSON_OBJECT) || val_has(v, STR("timestamp")));
}

/* Ids are looked at by the fold, which makes ids of calls and steps of them; they have no other field. */
static void crewai_event_read(struct reading *r, struct val v)
{
	struct crew c = { .r = r, .v = v, .data = val_get(v, STR("event_data")) };

	if (!val_is(c.data, JSON_OBJECT))
		c.data = v;
	c.type = reading_text(r, v, STR("type"));
	if (val_text_is(val_get(c.data, STR("type")), c.type))
		reading_take(r, val_get(c.data, STR("type")));
	c.ts = reading_time(r, c.data, STR("timestamp")); /* the record's is when the event was handed on */
	if (!c.ts.text.p)
		c.ts = reading_time(r, v, STR("timestamp"));
	c.about.event = reading_peek(r, v, STR("event_id"));
	c.about.parent = reading_peek(r, v, STR("parent_event_id"));
	c.about.started = reading_peek(r, v, STR("started_event_id"));
	if (!c.about.started.n)
		c.about.started = reading_peek(r, c.data, STR("started_event_id"));
	c.about.role = reading_peek(r, c.data, STR("agent_role"));
	c.about.call = reading_peek(r, c.data, STR("call_id"));
	crewai_event_drop_nulls(r, c.data);
	crewai_event_drop_nulls(r, v);
	for (size_t i = 0; i < COUNT(crewai_types); i++) {
		if (str_eq(c.type, crewai_types[i].type)) {
			crewai_types[i].read(&c);
			return;
		}
	}
	crewai_event_read_other(&c);
}

/* ---- requests ---- */

/* The body of a request to the tracing service: the value itself, or what a log of requests has around it. */
static struct val crewai_event_body(struct val v)
{
	struct val request = val_get(v, STR("request"));
	struct val url = val_get_either(request, STR("url"), STR("uri"));

	if (!val_is(request, JSON_OBJECT))
		return v;
	return val_is(url, JSON_STRING) && str_has(val_raw(url), STR("/tracing/")) ? val_get(request, STR("body"))
										     : VAL_NONE;
}

static bool crewai_event_is_batch(struct val body)
{
	return val_is(val_get(body, STR("trace_id")), JSON_STRING) &&
	       val_has(val_get(body, STR("execution_context")), STR("crewai_version"));
}

/* What is said about events: the announcement of a batch, its end, the answer of the service. Kept whole. */
static void crewai_event_add_about(struct reading *r, struct val v, struct val body)
{
	struct crew c = { .r = r };
	bool begins = crewai_event_is_batch(body);
	struct event *e;

	if (begins) {
		struct val context = val_get(body, STR("execution_context"));

		c.about.run = reading_peek(r, body, STR("trace_id"));
		c.about.version = reading_peek(r, context, STR("crewai_version"));
		c.ts = reading_time_of(r, val_at(body, STR("/execution_metadata/execution_started_at")));
	}
	e = crewai_event_add(&c, EVENT_NOTE, begins ? CREWAI_BATCH : CREWAI_OTHER);
	e->role = STR("batch");
	e->content = STR("null");
	reading_rest(r, e, v);
}

/* A log of all requests of a program has those to the models too. False when it is none of these. */
static bool crewai_event_read_exchange(struct reading *r, struct val v)
{
	struct crewai_hint *h;
	size_t from = r->count;

	if (!val_is(val_get(v, STR("request")), JSON_OBJECT) || !exchange_read(r, v))
		return false;
	asked_retell(r, from);
	h = arena_new(r->arena, struct crewai_hint);
	h->what = CREWAI_EXCHANGE;
	for (; from < r->count; from++) {
		struct event *e = &r->events[from];

		if (!(e->flags & EVENT_HISTORY))
			e->hint = h;
		if (e->kind == EVENT_CALL)
			asked_settle_args(r, e);
	}
	return true;
}

struct placed {
	struct val v;
	int64_t number;
	size_t place;
};

static int placed_compare(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Events of one request, in the order they were emitted where all say it: several threads hand them on. */
static void crewai_event_read_all(struct reading *r, struct val list)
{
	size_t n = val_count(list), count = 0;
	struct placed *all = arena_array(r->arena, struct placed, n ? n : 1);
	bool numbered = true;

	VALUES_EACH(v, list) {
		if (!val_is(v, JSON_OBJECT) || !crewai_event_is(v))
			continue; /* it stays in what is left of the request */
		all[count] = (struct placed){ .v = v, .place = count };
		numbered = numbered && val_i64(val_get(v, STR("emission_sequence")), &all[count].number);
		count++;
	}
	if (numbered)
		qsort(all, count, sizeof(*all), placed_compare);
	for (size_t i = 0; i < count; i++)
		crewai_event_read(r, all[i].v);
}

/* Events in a body, and what stands around them. */
static void crewai_event_read_body(struct reading *r, struct val v, struct val body)
{
	if (val_is(body, JSON_OBJECT) && crewai_event_is(body)) {
		crewai_event_read(r, body);
		return;
	}
	if (val_is(val_get(body, STR("events")), JSON_ARRAY))
		crewai_event_read_all(r, val_get(body, STR("events")));
	crewai_event_add_about(r, v, body);
}

/* A body that a log of requests has as text is read from a tape of its own. */
static void crewai_event_read_one(struct reading *r, struct val v)
{
	struct val body = crewai_event_body(v), inner = VAL_NONE;

	if (val_is_none(body) && crewai_event_read_exchange(r, v))
		return;
	if (!val_is(v, JSON_OBJECT)) {
		reading_add_unknown(r, v);
		return;
	}
	if (val_is(body, JSON_STRING))
		inner = reading_parse(r, val_text(body, r->arena));
	if (val_is(inner, JSON_OBJECT)) {
		crewai_event_read_body(r, inner, inner);
		reading_take(r, body);
		body = VAL_NONE;
	}
	if (!val_is_none(inner))
		reading_release(r, inner);
	crewai_event_read_body(r, v, body);
}

void crewai_read_value(struct reading *r, struct val v)
{
	exchange_read_each(r, v, crewai_event_read_one);
}

/* ---- detection ---- */

static bool crewai_event_is_known(struct str type)
{
	for (size_t i = 0; i < COUNT(crewai_kinds); i++)
		if (str_starts(type, crewai_kinds[i]))
			return true;
	return false;
}

/* An event by its envelope, or by what only CrewAI's have beside their type. */
static int crewai_event_fits(struct val v)
{
	static const struct str own[] = { WORD("source_fingerprint"), WORD("fingerprint_metadata"),
					  WORD("emission_sequence"), WORD("crew_name") };
	struct val type = val_get(v, STR("type"));

	if (!val_is(type, JSON_STRING) || !crewai_event_is(v))
		return 0;
	if (val_has(v, STR("event_id")) && val_is(val_get(v, STR("event_data")), JSON_OBJECT))
		return crewai_event_is_known(val_raw(type)) ? 95 : 60;
	return crewai_event_is_known(val_raw(type)) && values_count_names(v, own, COUNT(own)) > 0 ? 90 : 0;
}

int crewai_fits(struct val v)
{
	struct val body, first;

	if (val_is(v, JSON_ARRAY))
		v = values_first(v);
	if (!val_is(v, JSON_OBJECT))
		return 0;
	body = crewai_event_body(v);
	first = values_first(val_get(body, STR("events")));
	if (crewai_event_is_batch(body))
		return 90;
	if (val_is(body, JSON_STRING) && val_has(v, STR("request")) && str_has(val_raw(body), STR("crewai_version")))
		return 85;
	return val_is_none(first) ? crewai_event_fits(body) : crewai_event_fits(first);
}
