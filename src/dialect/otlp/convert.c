/* One span to raw events: a step, a call with its result, or what an agent span says of the run. */
#include "dialect/otlp/message.h"
#include "dialect/otlp/own.h"
#include "dialect/otlp/part.h"
#include "dialect/otlp/read.h"
#include "dialect/otlp/server.h"

static const struct str none;

/* 0 stands for a time that the span does not tell. */
static struct moment moment(struct reading *r, int64_t ns)
{
	return ns ? reading_moment(r, ns, MOMENT_VENDOR) : (struct moment){ .source = MOMENT_NONE };
}

/* Milliseconds from start to end; absent when either is not told, or the end lies before the start. */
static struct amount length_ms(const struct otlp_span *s)
{
	if (!s->start || s->end < s->start)
		return (struct amount){ .state = FIGURE_ABSENT };
	return AMOUNT((double)(s->end - s->start) / 1e6);
}

/* The span's name without the operation in front of it. */
static struct str bare_name(const struct otlp_span *s)
{
	static const struct str fronts[] = { { "execute_tool ", 13 }, { "tools/call ", 11 }, { "retrieval ", 10 },
					     { "embeddings ", 11 } };

	for (size_t i = 0; i < COUNT(fronts); i++)
		if (str_starts(s->name, fronts[i]))
			return str_of(s->name.p + fronts[i].n, s->name.n - fronts[i].n);
	return s->name;
}

/* ---- steps ---- */

/* Input holds what was cached. Where the parts are larger than the whole, it was left out: so we infer. */
static struct usage otlp_convert_read_usage(struct reading *r, const struct otlp_span *s)
{
	const struct otlp_attrs *a = &s->attrs;
	struct usage u = {
		.input = otlp_attr_count(r, a, OTLP_INPUT),
		.output = otlp_attr_count(r, a, OTLP_OUTPUT),
		.cache_read = otlp_attr_count(r, a, OTLP_CACHE_READ),
		.cache_write = otlp_attr_count(r, a, OTLP_CACHE_WRITE),
		.reasoning = otlp_attr_count(r, a, OTLP_REASONING),
	};
	uint64_t cached = (figure_is_known(u.cache_read) ? u.cache_read.n : 0) +
			  (figure_is_known(u.cache_write) ? u.cache_write.n : 0);

	if (figure_is_known(u.input) && cached > u.input.n && !s->place) {
		u.input.n += cached;
		u.input.source = FIGURE_ESTIMATED;
	}
	return u;
}

/* Dollars that a span states; an estimate only where the span says so. */
static struct amount read_usd(struct reading *r, const struct otlp_attrs *a)
{
	struct str source = otlp_attr_text(r, a, OTLP_USD_SOURCE);
	double usd;

	if (!val_double(a->slots[OTLP_USD], &usd) || !(usd >= 0 && usd < 1e9))
		return (struct amount){ .state = FIGURE_ABSENT };
	return (struct amount){ FIGURE_KNOWN, str_eq(source, STR("estimated")) ? FIGURE_ESTIMATED : FIGURE_API, usd };
}

/* As an address and a port, with what our own attributes add to them. */
static struct str endpoint(struct reading *r, const struct otlp_attrs *a)
{
	struct str base = otlp_attr_text(r, a, OTLP_BASE), port = otlp_attr_text(r, a, OTLP_PORT);
	struct otlp_server s = { .address = otlp_attr_text(r, a, OTLP_ADDRESS) };
	struct buf out = { 0 };
	uint64_t n;

	if (base.n)
		return base;
	if (!s.address.n)
		return none;
	s.scheme = otlp_attr_text(r, a, OTLP_OWN_SCHEME);
	s.path = otlp_attr_text(r, a, OTLP_OWN_PATH);
	if (str_has(s.address, STR("://")) || (port.n && !num_parse_u64(port, &n)))
		return s.address; /* an URL, where a server should be */
	s.port = port.n && n <= UINT16_MAX ? (uint16_t)n : 0;
	otlp_server_join(&out, &s);
	return arena_take(r->arena, &out);
}

/* The AI SDK adds the name of an API to that of the provider: "openai.chat". */
static struct str provider(struct reading *r, const struct otlp_attrs *a)
{
	struct str name = otlp_attr_text(r, a, OTLP_PROVIDER), rest;

	return otlp_attr_has(a, OTLP_AI_OPERATION) ? str_cut(name, '.', &rest) : name;
}

/* Its operations say whether they stream. */
static unsigned sdk_stream(const struct otlp_attrs *a)
{
	struct val operation = a->slots[OTLP_AI_OPERATION];

	if (!val_is(operation, JSON_STRING) || otlp_attr_has(a, OTLP_STREAM))
		return 0;
	if (str_ends(val_raw(operation), STR(".doStream")))
		return EVENT_STREAM;
	return str_ends(val_raw(operation), STR(".doGenerate")) ? EVENT_NO_STREAM : 0;
}

/*
 * An error with the time of the span's end. Its text is never empty: the status, else error.type, else a fixed
 * phrase.
 */
static void otlp_convert_add_error(struct reading *r, struct otlp_span *s, struct str class)
{
	struct event *e = reading_add(r, EVENT_ERROR);

	e->ts = moment(r, s->end ? s->end : s->start);
	e->class = class;
	e->code = otlp_attr_text(r, &s->attrs, OTLP_ERROR);
	e->text = s->error_text.n ? s->error_text : e->code.n ? e->code : STR("the span has the status error");
}

/* What the step cost, when a span of ours says that it cost something. */
static void add_step_cost(struct reading *r, const struct otlp_span *s, const struct event *step)
{
	struct event copy = *step, *e;

	if (!otlp_own_place(&s->attrs, OTLP_COST_SEQ))
		return;
	e = reading_add(r, EVENT_COST);
	otlp_hint_add(r, e)->place = otlp_own_place(&s->attrs, OTLP_COST_SEQ);
	e->ts = copy.ts;
	if (e->ts.text.p)
		e->ts.source = MOMENT_VENDOR;
	e->branch = copy.branch;
	e->model = copy.model;
	e->provider = copy.provider;
	e->usage = copy.usage;
	e->scope = STR("step");
	otlp_own_read(r, e, s->attributes, s->shape);
}

/* Of a step that we wrote nothing is guessed: what its span must have and the step had not, it does not get. */
static void finish_own_step(struct reading *r, const struct otlp_span *s, struct event *e, struct str finish)
{
	struct str stop = otlp_attr_text(r, &s->attrs, OTLP_OWN_STOP);

	e->stop_reason = stop.p ? stop : finish;
	if (otlp_attr_has(&s->attrs, OTLP_OWN_PROVIDER))
		e->provider = otlp_attr_text(r, &s->attrs, OTLP_OWN_PROVIDER);
	else if (str_eq(e->provider, STR("unknown")))
		e->provider = none;
	e->latency_ms = e->ttft_ms = (struct amount){ .state = FIGURE_ABSENT };
	e->flags &= ~(unsigned)EVENT_PARTIAL;
	otlp_own_read(r, e, s->attributes, s->shape);
	add_step_cost(r, s, e);
}

/*
 * The messages, the step and the error of a span about a model. A span of ours says all of it; of others some is
 * inferred.
 */
static void otlp_convert_add_step(struct reading *r, struct otlp_span *s)
{
	const struct otlp_attrs *a = &s->attrs;
	struct str request_model = otlp_attr_text(r, a, OTLP_REQUEST_MODEL);
	struct str finish = otlp_attr_first(r, a, OTLP_FINISH);
	struct otlp_answer answer;
	struct event *e;
	double ttft;

	otlp_message_add_input(r, s);
	answer = otlp_message_read_output(r, s);
	e = reading_add(r, EVENT_STEP);
	e->ts = moment(r, s->end ? s->end : s->start);
	e->step = e->response_id = otlp_attr_text(r, a, OTLP_RESPONSE_ID);
	e->model = otlp_attr_text(r, a, OTLP_RESPONSE_MODEL);
	if (!e->model.n)
		e->model = request_model;
	e->provider = provider(r, a);
	e->endpoint = endpoint(r, a);
	e->text = answer.text.p ? answer.text : otlp_attr_text(r, a, OTLP_ANSWER);
	e->reasoning = answer.reasoning.p ? answer.reasoning : otlp_attr_text(r, a, OTLP_ANSWER_REASONING);
	e->stop_reason = finish.n ? finish : answer.finish;
	if (!e->stop_reason.n && s->error)
		e->stop_reason = STR("error");
	e->usage = otlp_convert_read_usage(r, s);
	if (!s->place) /* ours has a COST beside it */
		e->usd = read_usd(r, a);
	e->latency_ms = length_ms(s);
	if (val_double(a->slots[OTLP_TTFT], &ttft) && ttft >= 0 && ttft < 1e9)
		e->ttft_ms = AMOUNT(ttft * 1000);
	else if (val_double(a->slots[OTLP_TTFT_MS], &ttft) && ttft >= 0 && ttft < 1e12)
		e->ttft_ms = AMOUNT(ttft);
	e->flags |= sdk_stream(a);
	if (otlp_attr_has(a, OTLP_STREAM))
		e->flags |= otlp_attr_is_true(a, OTLP_STREAM) ? EVENT_STREAM : EVENT_NO_STREAM;
	if (!s->end)
		e->flags |= EVENT_PARTIAL;
	if (s->place)
		finish_own_step(r, s, e, finish);
	else if (s->error)
		otlp_convert_add_error(r, s, STR("model"));
}

/* ---- calls ---- */

/* A value as JSON: a list of OTLP's wrapped values without the wrappings, a text of ours parsed. */
static struct str otlp_convert_read_json(struct reading *r, struct event *e, const char *member, struct val v,
					 bool text)
{
	struct str plain = text ? reading_text_of(r, v) : otlp_attr_plain(r->arena, v), json;
	struct val parsed = plain.p ? reading_parse(r, plain) : VAL_NONE;

	json = reading_json_of(r, e, member, val_is_none(parsed) ? v : parsed);
	if (!val_is_none(parsed))
		reading_release(r, parsed);
	return json;
}

/*
 * Sets args, or args_text for a text that still has to be parsed. A span of ours holds JSON in a text, so it is
 * parsed here. A retriever's query becomes {"query":...}.
 */
static void set_args(struct reading *r, struct event *e, const struct otlp_span *s, enum otlp_role role)
{
	struct val v = s->attrs.slots[OTLP_TOOL_ARGS];

	if (role == OTLP_RETRIEVER) {
		if (otlp_attr_has(&s->attrs, OTLP_QUERY))
			v = s->attrs.slots[OTLP_QUERY];
		if (val_is(v, JSON_STRING)) {
			e->args = ARENA_JOIN(r->arena, STR("{\"query\":"), reading_json_of(r, NULL, "args", v),
					     STR("}"));
			return;
		}
	}
	if (val_is(v, JSON_STRING) && s->place)
		e->args = otlp_convert_read_json(r, e, "args", v, !(e->flags & EVENT_RAW_ARGS));
	else if (val_is(v, JSON_STRING))
		e->args_text = reading_text_of(r, v);
	else if (!val_is_none(v))
		e->args = otlp_convert_read_json(r, e, "args", v, false);
	else {
		e->args = STR("null"); /* the span does not tell: not the same as none */
		e->flags |= EVENT_WITHHELD;
	}
}

/*
 * Never empty: "unknown" when neither attributes nor the span's name tell. Retrievers get a name space of their own.
 */
static struct str tool_name(struct reading *r, struct otlp_span *s, enum otlp_role role)
{
	struct str name = otlp_attr_text(r, &s->attrs, role == OTLP_TOOL ? OTLP_TOOL_NAME : OTLP_SOURCE);

	if (!name.n && role == OTLP_RETRIEVER)
		name = otlp_attr_text(r, &s->attrs, OTLP_REQUEST_MODEL);
	if (!name.n)
		name = bare_name(s);
	if (role == OTLP_RETRIEVER)
		name = ARENA_JOIN(r->arena, STR("retriever/"), name);
	return name.n ? name : STR("unknown");
}

/* The result of a call: what the span says it was, or, of a failed one, why it failed. */
static void otlp_convert_add_result(struct reading *r, struct otlp_span *s, enum otlp_role role)
{
	struct event *e = reading_add(r, EVENT_RESULT);
	struct val v = s->attrs.slots[OTLP_TOOL_RESULT];
	bool json;

	if (role == OTLP_RETRIEVER && otlp_attr_has(&s->attrs, OTLP_DOCUMENTS))
		v = s->attrs.slots[OTLP_DOCUMENTS];
	e->ts = moment(r, s->end);
	e->duration_ms = length_ms(s);
	e->is_error = s->error ? TRUTH_TRUE : TRUTH_FALSE;
	/* a text is a text, whatever is in it, unless our own writer says that it is JSON */
	json = val_text_is(s->attrs.slots[OTLP_RESULT_ENCODING], STR("json")) && val_is(v, JSON_STRING);
	e->content = otlp_convert_read_json(r, e, "result", v, json);
	if (s->place) {
		int64_t at = otlp_span_time(s->attrs.slots[OTLP_RESULT_TIME], 1);

		if (at)
			e->ts = moment(r, at);
		otlp_hint_add(r, e)->place = otlp_own_place(&s->attrs, OTLP_RESULT_SEQ);
		e->is_error = TRUTH_ABSENT;
		e->duration_ms = (struct amount){ .state = FIGURE_ABSENT };
		otlp_own_read(r, e, s->attributes, s->shape);
		return;
	}
	if (!e->content.p && s->error && s->error_text.n)
		e->content = reading_quote(r, s->error_text);
}

/* Whether a call came to its end, whichever way the span tells it. */
static bool has_ended(const struct otlp_span *s)
{
	if (s->place)
		return otlp_own_place(&s->attrs, OTLP_RESULT_SEQ) > 0;
	return s->end || s->ok || s->error || otlp_attr_has(&s->attrs, OTLP_TOOL_RESULT);
}

/* Tokens of a span that is no step. */
static void otlp_convert_add_cost(struct reading *r, struct otlp_span *s, struct str scope)
{
	struct usage usage = otlp_convert_read_usage(r, s);
	struct event *e;

	if (!usage_is_known(&usage))
		return;
	e = reading_add(r, EVENT_COST);
	e->ts = moment(r, s->end ? s->end : s->start);
	e->scope = scope;
	e->model = otlp_attr_text(r, &s->attrs, OTLP_REQUEST_MODEL);
	e->provider = otlp_attr_text(r, &s->attrs, OTLP_PROVIDER);
	e->usage = usage;
	e->usd = read_usd(r, &s->attrs);
}

/*
 * The call, and its result when the span has ended. Our own attributes are read before the arguments: args.raw tells
 * how these are spelled.
 */
static void otlp_convert_add_call(struct reading *r, struct otlp_span *s, enum otlp_role role)
{
	struct event *e = reading_add(r, EVENT_CALL);

	e->ts = s->place && otlp_attr_has(&s->attrs, OTLP_CALL_TIME) ?
		moment(r, otlp_span_time(s->attrs.slots[OTLP_CALL_TIME], 1)) : moment(r, s->start ? s->start : s->end);
	e->call = otlp_attr_text(r, &s->attrs, OTLP_TOOL_ID);
	e->tool = tool_name(r, s, role);
	if (s->place)
		otlp_own_read(r, e, s->attributes, s->shape);
	set_args(r, e, s, role);
	if (role == OTLP_TOOL)
		e->server = otlp_attr_text(r, &s->attrs, OTLP_SERVER);
	if (role == OTLP_RETRIEVER)
		otlp_convert_add_cost(r, s, STR("step"));
	if (has_ended(s))
		otlp_convert_add_result(r, s, role);
}

/* ---- the root of a trace that we made ---- */

/*
 * An event of our root is a cost or an error of the run. One without trackway.seq is somebody else's, and is left
 * out.
 */
static void add_own_event(struct reading *r, const struct otlp_span *s, struct val event)
{
	struct val list = val_get(event, STR("attributes")), name = val_get(event, STR("name"));
	bool cost = val_text_is(name, STR("trackway.cost"));
	struct otlp_attrs attrs = { .flat = false };
	struct event *e;

	otlp_attr_gather(&attrs, list, s->shape);
	if (!otlp_own_place(&attrs, OTLP_SEQ))
		return;
	e = reading_add(r, cost ? EVENT_COST : EVENT_ERROR);
	otlp_hint_add(r, e)->place = otlp_own_place(&attrs, OTLP_SEQ);
	e->ts = moment(r, otlp_span_time(val_get(event, STR("timeUnixNano")), 1));
	if (!cost)
		e->text = reading_text_of(r, otlp_attr_of_event(event, s->shape, "exception.message"));
	otlp_own_read(r, e, list, s->shape);
}

/* A time that is told beside that of the span, or that one. */
static struct moment own_time(struct reading *r, const struct otlp_span *s, enum otlp_slot slot, int64_t span)
{
	int64_t at = otlp_span_time(s->attrs.slots[slot], 1);

	return moment(r, at ? at : span);
}

/*
 * Our root span holds what start and end of the run said, messages that no step followed, and costs and errors as
 * events.
 */
static void add_root(struct reading *r, struct otlp_span *s)
{
	struct val_iter it = val_begin(s->events);
	struct event *e = reading_add(r, EVENT_RUN_START);
	struct val event;

	e->ts = own_time(r, s, OTLP_START_TIME, s->start);
	e->run = otlp_attr_text(r, &s->attrs, OTLP_CONVERSATION);
	otlp_own_read(r, e, s->attributes, s->shape);
	e = reading_add(r, EVENT_RUN_END);
	e->ts = own_time(r, s, OTLP_END_TIME, s->end);
	otlp_own_read(r, e, s->attributes, s->shape);
	otlp_message_add_input(r, s);
	while (val_next(&it, &event))
		add_own_event(r, s, event);
}

/* An agent: what it cost and that it failed. */
static void add_agent(struct reading *r, struct otlp_span *s)
{
	otlp_convert_add_cost(r, s, STR("turn"));
	if (s->error)
		otlp_convert_add_error(r, s, STR("harness"));
}

/* A list of tools that we wrote, as it was. */
static struct str otlp_convert_tools_back(struct reading *r, struct event *e, struct str json)
{
	struct val list = reading_parse(r, json);
	struct buf text = { 0 };

	otlp_tools_back(&text, list);
	if (!val_is_none(list))
		reading_release(r, list);
	list = reading_parse(r, buf_str(&text));
	if (!val_is_none(list)) {
		json = reading_json_of(r, e, "tools", list);
		reading_release(r, list);
	}
	buf_free(&text);
	return json;
}

/* The tools that were offered, as a list in JSON; absent for anything but a list. */
static struct str otlp_convert_read_tools(struct reading *r, struct event *e, const struct otlp_span *s)
{
	struct val v = s->attrs.slots[OTLP_TOOLS];
	struct str json = otlp_convert_read_json(r, e, "tools", v, val_is(v, JSON_STRING));

	if (!str_starts(json, STR("[")))
		return none;
	return s->place ? otlp_convert_tools_back(r, e, json) : json;
}

void otlp_read_span(struct reading *r, struct val v, enum otlp_shape shape)
{
	struct event *e = reading_add(r, EVENT_NOTE);
	struct otlp_hint *h = otlp_hint_add(r, e);
	struct otlp_span s;
	enum otlp_role role;

	/* Kept whole before anything is taken, so that it comes back as it was. */
	reading_rest_under(r, e, v, STR("span"));
	otlp_span_open(r, &s, v, shape);
	role = otlp_span_role(&s);
	e->role = STR("otlp.span");
	e->ts = moment(r, s.start ? s.start : s.end);
	e->content = reading_quote(r, s.name);
	h->trace = s.trace;
	h->id = s.id;
	h->parent = s.parent;
	h->role = (uint8_t)role;
	h->span = true;
	h->end = s.end;
	h->failed = s.error;
	if (role == OTLP_AGENT_SPAN) {
		h->agent = otlp_attr_text(r, &s.attrs, OTLP_AGENT);
		h->agent_version = otlp_attr_text(r, &s.attrs, OTLP_AGENT_VERSION);
	}
	if (role == OTLP_AGENT_SPAN || role == OTLP_MODEL)
		h->tools = otlp_convert_read_tools(r, NULL, &s);
	h->place = s.place;
	otlp_message_use_events(&s);
	if (role == OTLP_MODEL)
		otlp_convert_add_step(r, &s);
	else if (role == OTLP_TOOL || role == OTLP_RETRIEVER)
		otlp_convert_add_call(r, &s, role);
	else if (role == OTLP_AGENT_SPAN && s.place)
		add_root(r, &s);
	else if (role == OTLP_AGENT_SPAN)
		add_agent(r, &s);
}
