/*
 * AutoGen 0.2: what runtime_logging writes. Records are told apart by their members. The answer of a model is what
 * repr() prints of it; rows of the database have JSON in its place.
 */
#include "dialect/autogen/private.h"
#include "dialect/autogen/repr.h"
#include "dialect/exchange/asked.h"
#include "dialect/openai/chat.h"
#include "dialect/record/field.h"

/* An answer as text: JSON, or what repr() prints. False when it is neither; then nothing was added. */
static bool autogen_runtime_read_answer(struct reading *r, struct str text)
{
	struct val v = reading_parse(r, text);
	struct buf json = { 0 };
	bool good = false;

	if (!val_is(v, JSON_OBJECT) && repr_to_json(&json, text)) {
		if (!val_is_none(v))
			reading_release(r, v);
		v = reading_parse(r, arena_copy(r->arena, buf_str(&json)));
	}
	good = val_is(v, JSON_OBJECT) && val_has(v, STR("choices"));
	if (good)
		openai_chat_read_response(r, v);
	if (!val_is_none(v))
		reading_release(r, v);
	buf_free(&json);
	return good;
}

/* The request, which a row of the database has as text. */
static void autogen_runtime_read_request(struct reading *r, struct val request)
{
	size_t from = r->count;
	struct val inner = val_is(request, JSON_STRING) ? reading_parse(r, val_text(request, r->arena)) : VAL_NONE;

	if (val_is(inner, JSON_OBJECT)) {
		openai_chat_read_request(r, inner, val_get(inner, STR("messages")));
		if (r->count > from)
			reading_rest_under(r, &r->events[from], inner, STR("request"));
		reading_take(r, request);
	} else {
		openai_chat_read_request(r, request, val_get(request, STR("messages")));
	}
	if (!val_is_none(inner))
		reading_release(r, inner);
	asked_retell(r, from);
}

static void autogen_runtime_read_completion(struct reading *r, struct val v)
{
	struct val response = val_get(v, STR("response"));
	struct moment from, to;
	size_t at;

	autogen_runtime_read_request(r, val_get(v, STR("request")));
	at = r->count;
	if (val_is(response, JSON_STRING) && autogen_runtime_read_answer(r, val_text(response, r->arena)))
		reading_take(r, response);
	else if (val_is(val_get(response, STR("choices")), JSON_ARRAY))
		openai_chat_read_response(r, response);
	else
		autogen_add(r, EVENT_STEP, AUTOGEN_OTHER); /* the answer stays in what is left */
	autogen_mark_answer(r, at);
	from = reading_time(r, v, STR("start_time"));
	to = reading_time(r, v, STR("end_time"));
	for (size_t i = at; i < r->count && to.text.p; i++)
		r->events[i].ts = to;
	if (from.text.p && to.text.p && to.ns >= from.ns)
		r->events[at].latency_ms = (struct amount){ FIGURE_KNOWN, FIGURE_ESTIMATED,
							    (double)(to.ns - from.ns) / 1e6 };
	r->events[at].usd = reading_amount(r, v, STR("cost"), 1);
	reading_rest(r, &r->events[at], v);
}

/* A text of JSON as its value; any other text as it is. */
static struct str autogen_runtime_inner(struct reading *r, struct event *e, const char *member, struct val v)
{
	struct val inner = val_is(v, JSON_STRING) ? reading_parse(r, val_text(v, r->arena)) : VAL_NONE;
	struct str json;

	if (val_is_none(inner))
		return reading_json_of(r, e, member, v);
	json = reading_json_of(r, e, member, inner);
	reading_release(r, inner);
	reading_take(r, v);
	return json;
}

/* A function that was used; only rows of the database have its name. */
static void autogen_runtime_read_use(struct reading *r, struct val v)
{
	struct val args = val_get_either(v, STR("input_args"), STR("args"));
	struct moment ts = reading_time(r, v, STR("timestamp"));
	struct event *e = autogen_add(r, EVENT_CALL, AUTOGEN_RAN);

	e->ts = ts;
	e->tool = text_or_none(reading_text(r, v, STR("function_name")));
	e->args = autogen_runtime_inner(r, e, "args", args);
	e = autogen_add(r, EVENT_RESULT, AUTOGEN_RESULT);
	e->ts = ts;
	e->content = autogen_runtime_inner(r, e, "result", val_get(v, STR("returns")));
	reading_rest(r, e, v);
}

/* Anything else: an agent, a client, an event. Its session is that of the run. */
static void autogen_runtime_read_other(struct reading *r, struct val v)
{
	struct val named = val_get(v, STR("event_name"));
	struct moment ts = reading_time(r, v, STR("timestamp"));
	struct str run = reading_peek(r, v, STR("session_id"));
	struct event *e = reading_add(r, EVENT_NOTE);

	autogen_hint_add(r, e, run.n ? AUTOGEN_SESSION : AUTOGEN_OTHER)->run = run;
	e->ts = ts.text.p ? ts : reading_time(r, v, STR("current_time"));
	e->role = val_is(named, JSON_STRING)	  ? STR("event")
		  : val_has(v, STR("agent_type")) ? STR("agent")
						  : STR("client");
	e->content = reading_json_of(r, e, "content", v);
}

static bool autogen_runtime_is_use(struct val v)
{
	return val_has(v, STR("returns")) && (val_has(v, STR("input_args")) || val_has(v, STR("function_name")));
}

void autogen_runtime_read(struct reading *r, struct val v)
{
	if (val_has(v, STR("invocation_id")))
		autogen_runtime_read_completion(r, v);
	else if (autogen_runtime_is_use(v))
		autogen_runtime_read_use(r, v);
	else
		autogen_runtime_read_other(r, v);
}

int autogen_runtime_fits(struct val v)
{
	static const struct str agent[] = { WORD("agent_name"), WORD("agent_type"), WORD("wrapper_id") };
	static const struct str event[] = { WORD("source_id"), WORD("source_name"), WORD("event_name"),
					    WORD("json_state") };
	static const struct str client[] = { WORD("wrapper_id"), WORD("session_id"), WORD("client_id"), WORD("class") };

	if (val_has(v, STR("invocation_id")) && val_has(v, STR("wrapper_id")) && val_has(v, STR("response")))
		return 90;
	if (values_count_names(v, agent, COUNT(agent)) == COUNT(agent) ||
	    values_count_names(v, event, COUNT(event)) == COUNT(event))
		return 85;
	if (autogen_runtime_is_use(v) && val_has(v, STR("source_name")))
		return 80;
	return values_count_names(v, client, COUNT(client)) >= 3 ? 60 : 0;
}
