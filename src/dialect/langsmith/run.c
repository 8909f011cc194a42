/* One run: a step of a model, a call with its result, or (chains, prompts, parsers) a note. */
#include "dialect/langsmith/private.h"
#include "dialect/openai/chat.h"
#include "dialect/otlp/read.h"
#include "dialect/record/field.h"
#include "model/words.h"

static const struct str none;

/* What every part of a run needs. */
struct run_view {
	struct val v, inputs, outputs, extra;
	struct str error; /* p NULL: it did not fail */
	struct moment start, end;
	enum otlp_role role;
	struct str kind; /* of a tool that has a name space of its own: "retriever" */
};

static const struct {
	struct str type;
	enum otlp_role role;
	struct str kind;
} run_roles[] = {
	{ WORD("llm"), OTLP_MODEL, WORD("") },
	{ WORD("tool"), OTLP_TOOL, WORD("") },
	{ WORD("retriever"), OTLP_RETRIEVER, WORD("retriever") },
	{ WORD("embedding"), OTLP_RETRIEVER, WORD("embedding") },
};

/* By its type; an update that has none and whose run was never told, by the shape of what it gave. */
static void run_find_role(struct run_view *x, struct val type)
{
	x->role = val_is_unset(type) && langsmith_is_answer(x->outputs) ? OTLP_MODEL : OTLP_OTHER;
	for (size_t i = 0; i < COUNT(run_roles); i++) {
		if (!val_text_is(type, run_roles[i].type))
			continue;
		x->role = run_roles[i].role;
		x->kind = run_roles[i].kind;
	}
}

static struct amount run_length(const struct run_view *x)
{
	if (!x->start.text.p || !x->end.text.p || x->end.ns < x->start.ns)
		return (struct amount){ .state = FIGURE_ABSENT };
	return AMOUNT((double)(x->end.ns - x->start.ns) / 1e6);
}

/* ---- tokens ---- */

static uint64_t run_known(struct figure f)
{
	return figure_is_known(f) ? f.n : 0;
}

/* LangChain's own: input holds what was cached. The words of providers, where they stand instead. */
static struct usage run_read_usage(struct reading *r, struct val v, struct str model)
{
	struct val in = val_get_either(v, STR("input_token_details"), STR("prompt_token_details"));
	struct val out = val_get_either(v, STR("output_token_details"), STR("completion_token_details"));
	struct str input = val_has(v, STR("input_tokens")) ? STR("input_tokens") : STR("prompt_tokens");
	struct str output = val_has(v, STR("output_tokens")) ? STR("output_tokens") : STR("completion_tokens");
	struct usage u;
	int64_t total;

	if (val_has(v, STR("prompt_tokens")) && val_is_none(in) && val_is_none(out))
		return openai_chat_read_usage(r, v, model);
	u = (struct usage){
		.input = reading_count(r, v, input),
		.output = reading_count(r, v, output),
		.cache_read = reading_count(r, in, STR("cache_read")),
		.cache_write = reading_count(r, in, STR("cache_creation")),
		.cache_write_1h = reading_count(r, in, STR("ephemeral_1h_input_tokens")),
		.reasoning = reading_count(r, out, STR("reasoning")),
	};
	if (val_has(v, STR("cache_read_input_tokens")) || val_has(v, STR("cache_creation_input_tokens"))) {
		u.cache_read = reading_count(r, v, STR("cache_read_input_tokens")); /* Anthropic's: beside the input */
		u.cache_write = reading_count(r, v, STR("cache_creation_input_tokens"));
		if (figure_is_known(u.input))
			u.input.n += run_known(u.cache_read) + run_known(u.cache_write);
	}
	/* a total that is the sum says nothing more */
	if (val_i64(val_get(v, STR("total_tokens")), &total) && total >= 0 &&
	    (uint64_t)total == run_known(u.input) + run_known(u.output))
		reading_take(r, val_get(v, STR("total_tokens")));
	return u;
}

/* Whether figures stand there that are not all zero: a zero for both is what a server says that counted nothing. */
static bool run_has_usage(struct val v)
{
	static const struct str names[] = { WORD("input_tokens"), WORD("prompt_tokens"), WORD("output_tokens"),
					    WORD("completion_tokens") };
	double n;

	for (size_t i = 0; i < COUNT(names); i++)
		if (val_double(val_get(v, names[i]), &n) && n > 0)
			return true;
	return false;
}

/* The answer's own figures, else those that the SDK or the server noted beside it. Copies of these say nothing more. */
static void run_find_usage(struct reading *r, const struct run_view *x, struct val said, struct event *e)
{
	struct val noted = val_at(x->extra, STR("/metadata/usage_metadata")), used = VAL_NONE;
	struct val places[] = { said, val_get(x->outputs, STR("usage_metadata")), noted, x->v };
	static const struct str server[] = { WORD("prompt_tokens"), WORD("completion_tokens"), WORD("total_tokens") };
	double usd;

	for (size_t i = 0; i < COUNT(places) && val_is_none(used); i++)
		if (run_has_usage(places[i]))
			used = places[i];
	e->usage = run_read_usage(r, used, e->model);
	for (size_t i = 0; i < 3; i++)
		if (!val_is_none(used) && !val_is_none(places[i]) && str_eq(val_source(places[i]), val_source(used)))
			reading_take(r, places[i]);
	for (size_t i = 0; i < COUNT(server) && !val_is_none(used); i++) {
		struct val v = val_get(x->v, server[i]);
		uint64_t is = (i != 1 ? run_known(e->usage.input) : 0) + (i != 0 ? run_known(e->usage.output) : 0);
		double n;

		if (val_double(v, &n) && n == (double)is)
			reading_take(r, v);
	}
	if (val_double(val_get(x->v, STR("total_cost")), &usd) && usd > 0 && usd < 1e9) {
		e->usd = AMOUNT(usd);
		reading_take(r, val_get(x->v, STR("total_cost")));
	}
}

/* ---- steps ---- */

/* When the first token came: as the server says, else by the SDK's own events. */
static void run_read_first_token(struct reading *r, const struct run_view *x, struct event *e)
{
	struct moment first = reading_time(r, x->v, STR("first_token_time"));

	VALUES_EACH(v, val_get(x->v, STR("events"))) {
		if (first.text.p || !val_text_is(val_get(v, STR("name")), STR("new_token")))
			continue;
		first = reading_time_text(r, val_get_text(v, STR("time"), r->arena));
	}
	if (!first.text.p)
		return;
	e->flags |= EVENT_STREAM;
	if (x->start.text.p && first.ns >= x->start.ns)
		e->ttft_ms = AMOUNT((double)(first.ns - x->start.ns) / 1e6);
}

/* The first of these members that is a text; copies of it are taken, too. */
static struct str run_first_text(struct reading *r, const struct val *places, size_t count)
{
	struct str text = none;

	for (size_t i = 0; i < count; i++) {
		if (!text.n)
			text = reading_text_of(r, places[i]);
		else if (val_text_is(places[i], text))
			reading_take(r, places[i]);
	}
	return text_or_none(text);
}

/* The answer says it best; then what was asked for. */
static void run_read_model(struct reading *r, const struct run_view *x, struct event *e, struct str said)
{
	struct val metadata = val_get(x->extra, STR("metadata")), params = val_get(x->extra, STR("invocation_params"));
	struct val places[] = { val_get(metadata, STR("ls_model_name")), val_get(x->inputs, STR("model")),
				val_get(params, STR("model_name")), val_get(params, STR("model")) };
	struct val stream = val_has(x->inputs, STR("stream")) ? val_get(x->inputs, STR("stream"))
							       : val_get(params, STR("stream"));

	e->model = said;
	if (!e->model.n)
		e->model = run_first_text(r, places, COUNT(places));
	for (size_t i = 0; i < COUNT(places); i++)
		if (val_text_is(places[i], e->model))
			reading_take(r, places[i]);
	e->provider = reading_text(r, metadata, STR("ls_provider"));
	if (val_is(stream, JSON_TRUE) || (val_is(stream, JSON_FALSE) && !(e->flags & EVENT_STREAM)))
		e->flags |= val_is(reading_take(r, stream), JSON_TRUE) ? EVENT_STREAM : EVENT_NO_STREAM;
}

static void run_add_error(struct reading *r, const struct run_view *x, struct str class)
{
	struct event *e = reading_add(r, EVENT_ERROR);

	e->ts = x->end.text.p ? x->end : x->start;
	e->class = class;
	e->text = x->error;
}

/* Messages, the step, and its error. A run that has not ended is a step that broke off. */
static void run_add_step(struct reading *r, const struct run_view *x)
{
	struct langsmith_answer a;
	struct event *e;

	langsmith_read_request(r, x->inputs);
	langsmith_read_answer(r, x->outputs, &a);
	e = reading_add(r, EVENT_STEP);
	e->ts = x->end.text.p ? x->end : x->start;
	e->latency_ms = run_length(x);
	run_read_first_token(r, x, e);
	run_read_model(r, x, e, a.model);
	e->text = a.text;
	e->reasoning = a.reasoning;
	e->response_id = a.id;
	if (!e->response_id.n && val_is(val_get(x->outputs, STR("id")), JSON_STRING))
		e->response_id = reading_text(r, x->outputs, STR("id"));
	e->calls = a.calls;
	e->stop_reason = a.stop;
	if (!e->stop_reason.n && x->error.p)
		e->stop_reason = STR("error");
	run_find_usage(r, x, a.usage, e);
	if (!x->end.text.p && !x->error.p && !a.text.p && !a.calls.p)
		e->flags |= EVENT_PARTIAL;
	if (x->error.p)
		run_add_error(r, x, STR("model"));
}

/* ---- calls ---- */

/* The model's id of a call: in LangChain's note, in the message that came back, or in the request. */
static struct str run_call_id(struct reading *r, const struct run_view *x, struct val message)
{
	struct val places[] = { val_get(x->extra, STR("tool_call_id")), val_get(message, STR("tool_call_id")),
				val_get(x->inputs, STR("tool_call_id")),
				val_text_is(val_get(x->inputs, STR("type")), STR("tool_call")) ?
					val_get(x->inputs, STR("id")) : VAL_NONE };
	struct str id = none;

	for (size_t i = 0; i < COUNT(places); i++) {
		if (!id.n)
			id = i < 2 ? reading_text_of(r, places[i]) : val_text_or_none(places[i], r->arena);
		else if (i < 2 && val_text_is(places[i], id))
			reading_take(r, places[i]);
	}
	return text_or_none(id);
}

/* Inputs are the arguments. A text of JSON that stands alone under "input" is what they were made of. */
static void run_read_args(struct reading *r, const struct run_view *x, struct event *e)
{
	struct val text = val_get(x->inputs, STR("input"));

	if (val_is(text, JSON_STRING) && val_count(x->inputs) == 1) {
		struct val parsed = reading_parse(r, val_text(text, r->arena));
		bool object = val_is(parsed, JSON_OBJECT);

		if (object)
			e->args = reading_json_of(r, e, "args", parsed);
		if (!val_is_none(parsed))
			reading_release(r, parsed);
		if (object) {
			reading_take(r, x->inputs);
			return;
		}
	}
	if (val_is_unset(x->inputs)) {
		e->args = STR("null"); /* the run does not tell: not the same as none */
		e->flags |= EVENT_WITHHELD;
		reading_take(r, x->inputs);
	} else {
		e->args = reading_json_of(r, e, "args", x->inputs);
	}
}

/* What came back: the content of a message, what stands alone under "output" or "documents", or all of it. */
static void run_add_result(struct reading *r, const struct run_view *x, struct val message)
{
	struct val whole = x->outputs, status = val_get(message, STR("status"));
	struct event *e = reading_add(r, EVENT_RESULT);

	e->ts = x->end;
	e->duration_ms = run_length(x);
	e->is_error = x->error.p || val_text_is(status, STR("error")) ? TRUTH_TRUE : TRUTH_FALSE;
	if (val_is(message, JSON_OBJECT)) {
		whole = val_get(message, STR("content"));
		reading_take(r, status);
	} else if (val_count(whole) == 1 && val_has(whole, STR("output"))) {
		whole = val_get(whole, STR("output"));
	} else if (val_count(whole) == 1 && val_has(whole, STR("documents"))) {
		whole = val_get(whole, STR("documents"));
	}
	if (x->error.p && (val_is_unset(whole) || (val_is(whole, JSON_OBJECT) && val_count(whole) == 0))) {
		e->content = reading_quote(r, x->error);
		reading_take(r, x->outputs);
	} else if (!val_is_none(whole)) {
		e->content = reading_json_of(r, e, "result", whole);
	}
}

/* The message of a tool, or VAL_NONE: under "output", or the outputs themselves. */
static struct val run_tool_message(const struct run_view *x)
{
	struct val body = langsmith_unwrap(val_get(x->outputs, STR("output"))), whole = langsmith_unwrap(x->outputs);

	if (val_is(val_get(body, STR("tool_call_id")), JSON_STRING) && val_has(body, STR("content")))
		return body;
	if (!val_is(val_get(whole, STR("tool_call_id")), JSON_STRING) || !val_has(whole, STR("content")))
		return VAL_NONE;
	return whole;
}

/* The bare name; tool://langchain/retriever/NAME for what is no tool by its type. */
static struct str run_tool_name(struct reading *r, const struct run_view *x, struct str name)
{
	struct str uri;

	if (!name.n)
		name = STR("unknown");
	if (!x->kind.n)
		return name;
	uri = words_tool_uri(r->arena, x->kind, none, name);
	return str_starts(uri, STR("tool://")) ? ARENA_JOIN(r->arena, STR("tool://langchain/"), str_skip(uri, 7)) : uri;
}

/* The call, and its result when the run has ended. */
static void run_add_call(struct reading *r, const struct run_view *x, struct str name)
{
	struct val message = run_tool_message(x);
	struct event *e = reading_add(r, EVENT_CALL);

	e->ts = x->start.text.p ? x->start : x->end;
	e->call = run_call_id(r, x, message);
	e->tool = run_tool_name(r, x, name);
	run_read_args(r, x, e);
	if (x->end.text.p || x->error.p || val_count(x->outputs) > 0)
		run_add_result(r, x, message);
}

/* ---- the run ---- */

/* A time that is only looked at: notes have one time, and what they have beyond it stays in the rest. */
static struct moment run_look_time(struct reading *r, struct val object, struct str name)
{
	struct val v = val_get(object, name);
	bool marked = reading_is_marked(r, v);
	struct moment m = reading_time_of(r, v);

	if (!marked && reading_is_marked(r, v))
		reading_unmark(r, v);
	return m;
}

/*
 * Ids, parents and times. The id of a step is the run's, and dotted_order has those of all others, and their parents:
 * where it is missing, these members stay.
 */
static void run_read_place(struct reading *r, struct run_view *x, struct otlp_hint *h)
{
	struct str dotted = val_get_text(x->v, STR("dotted_order"), r->arena);
	struct val id = val_get(x->v, STR("id")), parent = val_get(x->v, STR("parent_run_id"));

	h->parent = val_text_or_none(parent, r->arena);
	if (!h->parent.n)
		h->parent = langsmith_dotted_id(dotted, 1);
	if (val_text_is(parent, langsmith_dotted_id(dotted, 1)) || val_is(parent, JSON_NULL))
		reading_take(r, parent);
	if (x->role == OTLP_MODEL || val_text_is(id, langsmith_dotted_id(dotted, 0)))
		reading_text_of(r, id);
	reading_text(r, x->v, STR("trace_id"));
	x->start = reading_time(r, x->v, STR("start_time"));
	if (!x->start.text.p)
		x->start = langsmith_dotted_time(r, dotted);
	x->end = x->role == OTLP_OTHER ? run_look_time(r, x->v, STR("end_time"))
				       : reading_time(r, x->v, STR("end_time"));
	h->end = x->end.text.p ? x->end.ns : 0;
}

/* Why it failed. The status of a server says the same in a word. What made a chain fail, its root tells. */
static void run_read_error(struct reading *r, struct run_view *x, bool root)
{
	struct val error = val_get(x->v, STR("error")), status = val_get(x->v, STR("status"));
	bool told = x->role != OTLP_OTHER || root;

	x->error = none;
	if (val_is(error, JSON_STRING))
		x->error = text_or_none(told ? reading_text_of(r, error) : val_text(error, r->arena));
	else if (val_is(error, JSON_OBJECT) || val_is(error, JSON_ARRAY))
		x->error = arena_copy(r->arena, val_source(error));
	if (val_text_is(status, STR("error")) && !x->error.p)
		x->error = STR("the run has the status error");
	if (told && (val_text_is(status, STR("error")) || val_text_is(status, STR("success"))))
		reading_take(r, status);
	if (val_is(error, JSON_NULL))
		reading_take(r, error);
}

/* What the model was offered, as LangChain or as a wrapped client has it. */
static struct val run_tools(const struct run_view *x)
{
	struct val params = val_at(x->extra, STR("/invocation_params/tools"));

	return val_is(params, JSON_ARRAY) ? params : val_get(x->inputs, STR("tools"));
}

void langsmith_read_run(struct reading *r, struct val v)
{
	struct run_view x = { .v = v,
			      .inputs = val_get(v, STR("inputs")),
			      .outputs = val_get(v, STR("outputs")),
			      .extra = val_get(v, STR("extra")) };
	size_t at = r->count;
	struct event *e = reading_add(r, EVENT_NOTE);
	struct otlp_hint *h = otlp_hint_add(r, e);
	struct val type = val_get(v, STR("run_type")), children = val_get(v, STR("child_runs"));
	struct str name;

	run_find_role(&x, type);
	run_read_place(r, &x, h);
	run_read_error(r, &x, !h->parent.n);
	name = x.role == OTLP_MODEL ? val_get_text(v, STR("name"), r->arena) : reading_text(r, v, STR("name"));
	h->span = true;
	h->role = (uint8_t)x.role;
	h->failed = x.error.p != NULL;
	if (x.role == OTLP_OTHER && !h->parent.n)
		h->agent = name;
	e->ts = x.start.text.p ? x.start : x.end;
	e->role = STR("langsmith.run");
	e->content = reading_quote(r, name.n ? name : STR(""));
	if (x.role != OTLP_OTHER)
		reading_take(r, type);
	if (val_is(children, JSON_ARRAY) && val_count(children) == 0)
		reading_drop(r, children);
	if (x.role == OTLP_MODEL) {
		run_add_step(r, &x);
	} else if (x.role != OTLP_OTHER) {
		run_add_call(r, &x, name);
	} else if (x.error.p && !h->parent.n) {
		run_add_error(r, &x, STR("harness"));
	}
	reading_rest(r, &r->events[at], v);
	/* Each run tells its tools, and the first list is the trace's: so all stay in the rest. */
	if (x.role == OTLP_MODEL && val_is(run_tools(&x), JSON_ARRAY))
		h->tools = reading_json_of(r, NULL, "tools", run_tools(&x));
}
