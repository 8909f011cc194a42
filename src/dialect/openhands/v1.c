/*
 * Events of V1, each by itself: an event's `kind` says what it is. An answer of the model is as many events as it has
 * calls, with one llm_response_id. Tokens are never with an answer: the state of the conversation has sums.
 */
#include "dialect/openai/chat.h"
#include "dialect/openhands/private.h"
#include "dialect/record/field.h"

struct v1_event {
	struct reading *r;
	struct val v;
	struct moment ts;
};

static struct event *v1_add(const struct v1_event *x, enum event_kind kind)
{
	struct event *e = reading_add(x->r, kind);

	e->ts = x->ts;
	openhands_hint_add(x->r, e)->v1 = true;
	return e;
}

static void v1_take_kind(const struct v1_event *x)
{
	reading_take(x->r, val_get(x->v, STR("kind")));
}

/* ---- what the model was given, and what it said ---- */

static void v1_read_system(const struct v1_event *x)
{
	struct reading *r = x->r;
	struct val tools = val_get(x->v, STR("tools"));
	struct event *e;
	struct str words;

	if (val_is(tools, JSON_ARRAY)) {
		e = v1_add(x, EVENT_RUN_START);
		e->agent = STR("openhands");
		e->tools = reading_json_of(r, e, "tools", tools);
	}
	e = v1_add(x, EVENT_MESSAGE);
	e->role = STR("system");
	words = openhands_read_words(r, x->v, STR("system_prompt"));
	e->content = reading_quote(r, words.p ? words : STR(""));
	v1_take_kind(x);
	reading_rest(r, e, x->v);
}

/* Text and thoughts of an answer: of a message, or beside a call. */
static void v1_read_said(const struct v1_event *x, struct event *e, struct val holder, struct str text)
{
	struct openai_chat_said thought = { .text = { NULL, 0 } };
	struct str shown = text_or_none(reading_text(x->r, holder, STR("reasoning_content")));

	e->step = e->response_id = text_or_none(reading_text(x->r, x->v, STR("llm_response_id")));
	e->text = openhands_read_words(x->r, holder, text);
	openai_chat_read_content(x->r, val_get(holder, STR("thinking_blocks")), &thought);
	e->reasoning = thought.reasoning.n ? thought.reasoning : shown;
}

static void v1_read_message(const struct v1_event *x)
{
	struct reading *r = x->r;
	struct val message = val_get(x->v, STR("llm_message"));
	struct str role = reading_text(r, message, STR("role"));
	bool said = str_eq(role, STR("assistant"));
	struct event *e = v1_add(x, said ? EVENT_STEP : EVENT_MESSAGE);

	if (said) {
		v1_read_said(x, e, message, STR("content"));
	} else {
		e->role = role.n ? role : STR("user");
		e->content = reading_json(r, e, "content", message, STR("content"));
	}
	v1_take_kind(x);
	reading_rest(r, e, x->v);
}

/* A STEP, of which others may follow for the same answer, and its CALL. `action` is what was made of the arguments. */
static void v1_read_action(const struct v1_event *x)
{
	struct reading *r = x->r;
	struct val call = val_get(x->v, STR("tool_call")), args = val_get(call, STR("arguments"));
	size_t at = r->count;
	struct event *e = v1_add(x, EVENT_STEP);
	struct str step, id;

	v1_read_said(x, e, x->v, STR("thought"));
	step = e->step;
	e = v1_add(x, EVENT_CALL);
	e->step = step;
	e->tool = text_or_none(reading_text(r, x->v, STR("tool_name")));
	e->call = id = text_or_none(reading_text(r, x->v, STR("tool_call_id")));
	if (!e->tool.p)
		e->tool = reading_text(r, call, STR("name"));
	if (val_is(args, JSON_STRING))
		e->args_text = reading_text_of(r, args);
	else if (val_is(args, JSON_OBJECT))
		e->args = reading_json_of(r, e, "args", args);
	else
		e->args = reading_json(r, e, "args", x->v, STR("action"));
	if (val_text_is(val_get(call, STR("id")), id))
		reading_take(r, val_get(call, STR("id")));
	if (val_text_is(val_get(call, STR("name")), e->tool))
		reading_take(r, val_get(call, STR("name")));
	v1_take_kind(x);
	reading_rest(r, &r->events[at], x->v);
}

/* ---- what came of calls ---- */

/* A number that was told before. */
static void v1_take_same(struct reading *r, struct val v, int64_t n)
{
	int64_t m;

	if (val_i64(v, &m) && m == n)
		reading_take(r, v);
}

static void v1_read_observation(const struct v1_event *x)
{
	static const struct str contents[] = { WORD("content"), WORD("output") };
	struct reading *r = x->r;
	struct val seen = val_get(x->v, STR("observation")), code = val_get(seen, STR("exit_code"));
	struct event *e = v1_add(x, EVENT_RESULT);
	int64_t n;

	e->call = text_or_none(reading_text(r, x->v, STR("tool_call_id")));
	e->tool = reading_text(r, x->v, STR("tool_name"));
	for (size_t i = 0; i < COUNT(contents) && !e->content.p; i++)
		e->content = reading_json(r, e, "result", seen, contents[i]);
	e->is_error = (uint8_t)reading_truth(r, seen, STR("is_error"));
	if (e->is_error == TRUTH_ABSENT)
		e->is_error = (uint8_t)reading_truth(r, seen, STR("error"));
	if (val_i64(code, &n)) {
		e->exit_code = FIGURE((uint64_t)n);
		reading_take(r, code);
		v1_take_same(r, val_at(seen, STR("/metadata/exit_code")), n);
	}
	if (!e->content.p)
		e->content = reading_json_of(r, e, "result", seen);
	v1_take_kind(x);
	reading_rest(r, e, x->v);
}

/* A call that was not made: the person said no, or the agent could not. */
static void v1_read_refusal(const struct v1_event *x)
{
	struct reading *r = x->r;
	struct event *e = v1_add(x, EVENT_RESULT);

	e->call = text_or_none(reading_text(r, x->v, STR("tool_call_id")));
	e->tool = reading_text(r, x->v, STR("tool_name"));
	e->is_error = TRUTH_TRUE;
	e->content = reading_json(r, e, "result", x->v, STR("error"));
	if (!e->content.p)
		e->content = reading_json(r, e, "result", x->v, STR("rejection_reason"));
	reading_rest(r, e, x->v); /* its kind says which of the two */
}

/* A call inside another agent, told when it is over. */
static void v1_read_foreign(const struct v1_event *x)
{
	struct reading *r = x->r;
	struct val status = val_get(x->v, STR("status"));
	bool failed = val_text_is(status, STR("failed"));
	struct event *e;
	struct str id;

	if (!failed && !val_text_is(status, STR("completed"))) {
		openhands_hint_add(r, openhands_add_note(r, x->v, STR("acp_tool_call")))->v1 = true;
		return;
	}
	e = v1_add(x, EVENT_CALL);
	e->call = id = text_or_none(reading_text(r, x->v, STR("tool_call_id")));
	e->tool = text_or_none(reading_text(r, x->v, STR("tool_kind")));
	if (!e->tool.p)
		e->tool = STR("acp");
	e->args = reading_json(r, e, "args", x->v, STR("raw_input"));
	e = v1_add(x, EVENT_RESULT);
	e->call = id;
	e->is_error = failed || val_is(val_get(x->v, STR("is_error")), JSON_TRUE) ? TRUTH_TRUE : TRUTH_FALSE;
	e->content = reading_json(r, e, "result", x->v, STR("raw_output"));
	reading_rest(r, e, x->v);
}

static void v1_read_error(const struct v1_event *x)
{
	struct event *e = v1_add(x, EVENT_ERROR);

	e->class = STR("harness");
	e->code = reading_text(x->r, x->v, STR("code"));
	e->text = reading_text(x->r, x->v, STR("detail"));
	reading_rest(x->r, e, x->v);
}

/* ---- the state ---- */

/* The sums so far, a COST for each name; the fold keeps the latest. */
static void v1_read_stats(struct reading *r, struct val stats, struct moment ts)
{
	struct val all = val_get(stats, STR("usage_to_metrics")), key, v;
	struct val_iter it;

	if (!val_is(all, JSON_OBJECT))
		all = val_get(stats, STR("service_to_metrics")); /* the first releases */
	it = val_begin(all);
	while (val_is(all, JSON_OBJECT) && val_next_member(&it, &key, &v)) {
		struct val tokens = val_get(v, STR("accumulated_token_usage"));
		struct openhands_hint *h;
		struct event *e;
		double usd, n = 0;

		if (!val_double(val_get(v, STR("accumulated_cost")), &usd))
			usd = 0;
		if (usd <= 0 && !(val_double(val_get(tokens, STR("prompt_tokens")), &n) && n > 0))
			continue; /* it was never asked */
		e = reading_add(r, EVENT_COST);
		e->ts = ts;
		e->flags = EVENT_TOTAL;
		e->scope = STR("run");
		e->model = reading_text(r, v, STR("model_name"));
		e->usage = openhands_read_tokens(r, tokens);
		if (val_text_is(val_get(tokens, STR("model")), e->model))
			reading_take(r, val_get(tokens, STR("model")));
		if (usd > 0)
			e->usd = reading_amount(r, v, STR("accumulated_cost"), 1);
		h = openhands_hint_add(r, e);
		h->v1 = true;
		h->metric = val_text(key, r->arena);
		reading_rest_under(r, e, v, h->metric);
	}
}

static void v1_read_update(const struct v1_event *x)
{
	struct reading *r = x->r;
	struct val key = val_get(x->v, STR("key")), value = val_get(x->v, STR("value"));
	struct openhands_hint *h;
	struct event *e;

	if (val_text_is(key, STR("stats")))
		v1_read_stats(r, value, x->ts);
	else if (val_text_is(key, STR("full_state")))
		v1_read_stats(r, val_get(value, STR("stats")), x->ts);
	e = v1_add(x, EVENT_NOTE);
	e->role = STR("state");
	if (val_text_is(key, STR("execution_status")) || val_text_is(key, STR("agent_status"))) {
		h = openhands_hint_add(r, e);
		h->v1 = true;
		h->status = val_text_or_none(value, r->arena);
	}
	e->content = reading_json(r, e, "content", x->v, STR("key"));
	v1_take_kind(x);
	reading_rest(r, e, x->v);
}

/* base_state.json: whose conversation it is, its agent and its sums. It comes first. */
static void v1_read_state(struct reading *r, struct val v)
{
	size_t at;
	struct event *e;
	struct openhands_hint *h;
	struct str status = val_text_copy(val_get_either(v, STR("execution_status"), STR("agent_status")), r->arena);

	v1_read_stats(r, val_get(v, STR("stats")), (struct moment){ .source = MOMENT_NONE });
	at = r->count;
	e = reading_add(r, EVENT_RUN_START);
	e->run = text_or_none(reading_text(r, v, STR("id")));
	e->agent = STR("openhands");
	e->model = reading_text_of(r, val_at(v, STR("/agent/llm/model")));
	h = openhands_hint_add(r, e);
	h->v1 = true;
	h->status = status;
	reading_rest(r, &r->events[at], v);
}

/* ---- which is which ---- */

static const struct {
	struct str kind;
	void (*read)(const struct v1_event *x);
} v1_kinds[] = {
	{ WORD("ActionEvent"), v1_read_action },
	{ WORD("ObservationEvent"), v1_read_observation },
	{ WORD("MessageEvent"), v1_read_message },
	{ WORD("SystemPromptEvent"), v1_read_system },
	{ WORD("SystemPromptUpdateEvent"), v1_read_system },
	{ WORD("ConversationStateUpdateEvent"), v1_read_update },
	{ WORD("AgentErrorEvent"), v1_read_refusal },
	{ WORD("UserRejectObservation"), v1_read_refusal },
	{ WORD("ACPToolCallEvent"), v1_read_foreign },
	{ WORD("ConversationErrorEvent"), v1_read_error },
	{ WORD("ServerErrorEvent"), v1_read_error },
};

/* Kinds that have nothing but a name: notes. */
static const struct str v1_others[] = {
	WORD("Condensation"), WORD("CondensationRequest"), WORD("CondensationSummaryEvent"), WORD("PauseEvent"),
	WORD("InterruptEvent"), WORD("TokenEvent"), WORD("LLMCompletionLogEvent"), WORD("HookExecutionEvent"),
	WORD("StreamingDeltaEvent"),
};

static bool v1_is_state(struct val v)
{
	return val_is(val_get(v, STR("agent")), JSON_OBJECT) && val_has(v, STR("id")) &&
	       (val_has(v, STR("persistence_dir")) || val_has(v, STR("confirmation_policy"))) &&
	       (val_has(v, STR("execution_status")) || val_has(v, STR("agent_status")));
}

static bool v1_is_kind(struct val kind)
{
	for (size_t i = 0; i < COUNT(v1_kinds); i++)
		if (val_text_is(kind, v1_kinds[i].kind))
			return true;
	return values_is_word(kind, v1_others, COUNT(v1_others));
}

int openhands_fits_v1(struct val v)
{
	if (!val_is(v, JSON_OBJECT))
		return 0;
	if (v1_is_kind(val_get(v, STR("kind"))) && val_has(v, STR("source")) && val_has(v, STR("timestamp")))
		return 95;
	return v1_is_state(v) ? 60 : 0;
}

/* What the model can no longer see is a compaction, whatever else is told of it. */
static struct str v1_note_role(struct reading *r, struct val kind)
{
	if (val_is(kind, JSON_STRING) && str_starts(val_raw(kind), STR("Condensation")))
		return STR("compaction");
	return val_text_copy(kind, r->arena);
}

void openhands_read_v1(struct reading *r, struct val v)
{
	struct val kind = val_get(v, STR("kind"));
	struct v1_event x = { .r = r, .v = v };

	if (!val_is(v, JSON_OBJECT)) {
		reading_add_unknown(r, v);
		return;
	}
	if (v1_is_state(v)) {
		v1_read_state(r, v);
		return;
	}
	x.ts = reading_time(r, v, STR("timestamp"));
	for (size_t i = 0; i < COUNT(v1_kinds); i++) {
		if (val_text_is(kind, v1_kinds[i].kind)) {
			v1_kinds[i].read(&x);
			return;
		}
	}
	openhands_hint_add(r, openhands_add_note(r, v, v1_note_role(r, kind)))->v1 = true;
}
