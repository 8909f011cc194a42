/*
 * Cohere's chat, version 2: requests, answers and streams of /v2/chat, and logs of exchanges, whose envelope exchange.h
 * reads. Messages are those of OpenAI's chat, with a plan beside the calls; answers and the events of streams are its
 * own. Pieces of a stream do not say whose they are: they belong to the message that began last, as with Anthropic.
 */
#include "dialect/anthropic/stream.h"
#include "dialect/exchange/common.h"
#include "dialect/exchange/exchange.h"
#include "dialect/exchange/order.h"
#include "dialect/formats.h"
#include "dialect/openai/chat.h"
#include "dialect/record/field.h"

#define HOST "https://api.cohere.com"
#define FIT_MAYBE 32 /* a request that others may send, too */
#define FIT_SURE 76
#define FIT_ERROR 22
#define LOOK 50 /* messages looked at to tell whose they are */

/* ---- events of a stream ---- */

/* What an event tells of the message: the pieces of all kinds stand there. */
static struct val cohere_piece_of(struct val v)
{
	return val_get(val_get(v, STR("delta")), STR("message"));
}

static struct event *cohere_add_piece(struct reading *r, struct val v)
{
	struct event *e = reading_add(r, EVENT_STEP);

	e->flags = EVENT_PIECE | EVENT_STREAM;
	reading_take(r, val_get(v, STR("type")));
	return e;
}

/* An empty text or list says only that more may come. */
static void cohere_take_empty(struct reading *r, struct val object, struct str name)
{
	struct val v = val_get(object, name);

	if (val_is(v, JSON_NULL) || (val_is(v, JSON_ARRAY) && val_count(v) == 0) || val_text_is(v, STR("")))
		reading_take(r, v);
}

/* The only event that has the id of the answer. */
static void cohere_read_start(struct reading *r, struct val v)
{
	static const struct str later[] = {
		WORD("content"), WORD("tool_plan"), WORD("tool_calls"), WORD("citations"),
	};
	struct event *e = cohere_add_piece(r, v);
	struct val message = cohere_piece_of(v);

	e->step = text_or_none(reading_text(r, v, STR("id")));
	e->response_id = e->step;
	e->provider = STR("cohere");
	if (!e->step.p)
		e->flags &= ~(unsigned)EVENT_PIECE; /* nothing else would say that another one begins */
	reading_take(r, val_get(message, STR("role")));
	for (size_t i = 0; i < COUNT(later); i++)
		cohere_take_empty(r, message, later[i]);
	reading_rest(r, e, v);
}

/* Text or thoughts. The place of the part among the others says nothing more. */
static void cohere_read_content(struct reading *r, struct val v)
{
	struct val content = val_get(cohere_piece_of(v), STR("content"));
	struct event *e = cohere_add_piece(r, v);

	e->text = reading_text(r, content, STR("text"));
	e->reasoning = reading_text(r, content, STR("thinking"));
	if (e->text.p || e->reasoning.p) {
		reading_take(r, val_get(content, STR("type")));
		reading_take(r, val_get(v, STR("index")));
	}
	reading_rest(r, e, v);
}

/* What the model means to do with its tools: nobody but a tool's user reads it. */
static void cohere_read_plan(struct reading *r, struct val v)
{
	struct event *e = cohere_add_piece(r, v);

	e->reasoning = reading_text(r, cohere_piece_of(v), STR("tool_plan"));
	reading_rest(r, e, v);
}

/* A call begins, or its arguments go on: it is known by its index. */
static void cohere_read_call(struct reading *r, struct val v)
{
	struct val call = val_get(cohere_piece_of(v), STR("tool_calls")), function = val_get(call, STR("function"));
	struct figure index = reading_count(r, v, STR("index"));
	struct event *e = reading_add(r, EVENT_CALL);

	e->flags = EVENT_PIECE;
	e->index = figure_is_known(index) && index.n < 1 << 20 ? (int)index.n : -1;
	e->call = text_or_none(reading_text(r, call, STR("id")));
	e->tool = text_or_none(reading_text(r, function, STR("name")));
	e->args_text = reading_text(r, function, STR("arguments"));
	reading_take(r, val_get(v, STR("type")));
	if (val_text_is(val_get(call, STR("type")), STR("function")))
		reading_take(r, val_get(call, STR("type")));
	reading_rest(r, e, v);
}

/* Says nothing that its pieces did not. */
static void cohere_read_end_of_part(struct reading *r, struct val v)
{
	reading_take(r, v);
}

/* Sources of what was said, or whatever else an event has: all of it is kept. */
static void cohere_read_other(struct reading *r, struct val v)
{
	reading_rest(r, cohere_add_piece(r, v), v);
}

/* What the model was given is counted with the template around it; what is paid for may be less. */
static struct usage cohere_read_usage(struct reading *r, struct val usage)
{
	struct val tokens = val_get(usage, STR("tokens")), billed = val_get(usage, STR("billed_units"));
	struct usage u = { .input = { .state = FIGURE_ABSENT } };

	if (!val_is(tokens, JSON_OBJECT))
		tokens = billed;
	u.input = reading_count(r, tokens, STR("input_tokens"));
	u.output = reading_count(r, tokens, STR("output_tokens"));
	u.cache_read = reading_count(r, usage, STR("cached_tokens"));
	return u;
}

static void cohere_read_end(struct reading *r, struct val v)
{
	struct val delta = val_get(v, STR("delta")), error = val_get(delta, STR("error"));
	size_t at = r->count;
	struct event *e = cohere_add_piece(r, v);

	e->flags |= EVENT_LAST;
	e->stop_reason = text_or_none(reading_text(r, delta, STR("finish_reason")));
	e->usage = cohere_read_usage(r, val_get(delta, STR("usage")));
	if (val_is(error, JSON_STRING))
		exchange_add_error(r, error, STR("code"), STR("type"));
	reading_rest(r, &r->events[at], v);
}

static const struct {
	struct str type;
	void (*read)(struct reading *r, struct val v);
} cohere_events[] = {
	{ WORD("content-delta"), cohere_read_content },
	{ WORD("content-start"), cohere_read_content },
	{ WORD("content-end"), cohere_read_end_of_part },
	{ WORD("tool-plan-delta"), cohere_read_plan },
	{ WORD("tool-call-delta"), cohere_read_call },
	{ WORD("tool-call-start"), cohere_read_call },
	{ WORD("tool-call-end"), cohere_read_end_of_part },
	{ WORD("citation-start"), cohere_read_other },
	{ WORD("citation-end"), cohere_read_end_of_part },
	{ WORD("message-start"), cohere_read_start },
	{ WORD("message-end"), cohere_read_end },
};

/* The row of an event; COUNT(cohere_events) when it is none. Others use some of the words, without a delta. */
static size_t cohere_find_event(struct val v)
{
	struct val type = val_get(v, STR("type"));
	size_t i = 0;

	while (i < COUNT(cohere_events) && !val_text_is(type, cohere_events[i].type))
		i++;
	if (i < COUNT(cohere_events) && cohere_events[i].read != cohere_read_end_of_part &&
	    !val_is(val_get(v, STR("delta")), JSON_OBJECT))
		return COUNT(cohere_events);
	return i;
}

/* ---- what it is ---- */

/* Members that only requests of this API have beside messages. */
static bool cohere_has_own_member(struct val body)
{
	static const struct str names[] = {
		WORD("citation_options"), WORD("safety_mode"), WORD("strict_tools"),
	};
	struct val choice = val_get(body, STR("tool_choice"));

	return values_count_names(body, names, COUNT(names)) || val_text_is(choice, STR("REQUIRED")) ||
	       val_text_is(choice, STR("NONE"));
}

static bool cohere_has_own_message(struct val list)
{
	struct val_iter it = val_begin(list);
	struct val message;

	for (size_t i = 0; i < LOOK && val_next(&it, &message); i++)
		if (val_has(message, STR("tool_plan")))
			return true;
	return false;
}

/* Requests of OpenAI's chat look alike: members and messages of this API alone make it sure. */
static int cohere_fits_request(struct val body)
{
	static const struct str foreign[] = {
		WORD("input"), WORD("contents"), WORD("type"), WORD("schema_version"), WORD("system"), WORD("choices"),
		WORD("options"), WORD("keep_alive"), WORD("anthropic_version"), WORD("sessionId"), WORD("response"),
	};
	struct val messages = val_get(body, STR("messages"));

	if (!val_is(body, JSON_OBJECT) || !val_is(val_get(body, STR("model")), JSON_STRING) ||
	    values_count_names(body, foreign, COUNT(foreign)) || !openai_chat_is_messages(messages))
		return 0;
	return cohere_has_own_member(body) || cohere_has_own_message(messages) ? FIT_SURE : FIT_MAYBE;
}

/* "COMPLETE", "TOOL_CALL": others write it small. */
static bool cohere_is_reason(struct val v)
{
	struct str word = val_is(v, JSON_STRING) ? val_raw(v) : str_of("", 0);

	return word.n > 0 && word.p[0] >= 'A' && word.p[0] <= 'Z';
}

static int cohere_fits_response(struct val body)
{
	if (!val_is(body, JSON_OBJECT) || val_has(body, STR("choices")))
		return 0;
	if (cohere_find_event(body) < COUNT(cohere_events))
		return 90;
	if (val_is(val_get(val_get(body, STR("message")), STR("role")), JSON_STRING) &&
	    cohere_is_reason(val_get(body, STR("finish_reason"))))
		return 92;
	if (val_is(val_get(body, STR("message")), JSON_STRING) && val_count(body) == (val_has(body, STR("id")) ? 2 : 1))
		return FIT_ERROR;
	return 0;
}

/* What is not sure by itself does not make a log one of this API's. */
static int cohere_one_fits(struct val v)
{
	int best = exchange_fits(v, &cohere_api), fit = cohere_fits_response(v);

	if (fit != FIT_ERROR && fit > best)
		best = fit;
	fit = cohere_fits_request(v);
	return fit == FIT_SURE && fit > best ? fit : best;
}

static int cohere_fits(struct val v)
{
	return cohere_one_fits(val_is(v, JSON_ARRAY) ? values_first(v) : v);
}

/* ---- requests and answers ---- */

static void cohere_read_request(struct reading *r, struct val body)
{
	openai_chat_read_request(r, body, val_get(body, STR("messages")));
}

static void cohere_read_chunk(struct reading *r, struct val v, struct str sse_event)
{
	size_t i = cohere_find_event(v);

	(void)sse_event; /* the event says it itself */
	if (i < COUNT(cohere_events))
		cohere_events[i].read(r, v);
	else
		reading_add_unknown(r, v);
}

/* {"message":"invalid api token"}, in place of an answer. */
static void cohere_read_error(struct reading *r, struct val body)
{
	struct event *e = exchange_add_error(r, val_get(body, STR("message")), STR("code"), STR("type"));

	reading_rest(r, e, body);
}

static struct str cohere_join(struct reading *r, struct str plan, struct str thought)
{
	return plan.n && thought.n ? ARENA_JOIN(r->arena, plan, thought) : plan.n ? plan : thought;
}

/* A whole answer: a STEP with its CALLs and figures, or an ERROR. */
static void cohere_read_response(struct reading *r, struct val body)
{
	struct exchange_answer a = { .flags = EVENT_NO_STREAM };
	struct val message = val_get(body, STR("message"));
	struct openai_chat_said said = { .text = { NULL, 0 } };
	size_t at = r->count;
	struct event *e;

	if (!val_is(message, JSON_OBJECT)) {
		cohere_read_error(r, body);
		return;
	}
	a.id = reading_text(r, body, STR("id"));
	exchange_answer_settle(&a);
	e = exchange_add_step(r, &a, a.id);
	e->provider = STR("cohere");
	openai_chat_read_said(r, message, &said);
	e->text = said.text;
	e->reasoning = cohere_join(r, reading_text(r, message, STR("tool_plan")), said.reasoning);
	e->stop_reason = text_or_none(reading_text(r, body, STR("finish_reason")));
	e->usage = cohere_read_usage(r, val_get(body, STR("usage")));
	reading_take(r, val_get(message, STR("role")));
	openai_chat_read_calls(r, message, a.id, 0);
	reading_rest(r, &r->events[at], body);
}

/* ---- the rows ---- */

static const struct service_path cohere_paths[] = {
	{ WORD("/chat"), NULL },       { WORD("/embed"), NULL },      { WORD("/rerank"), NULL },
	{ WORD("/models"), "/v1" },    { WORD("/tokenize"), "/v1" },  { WORD("/detokenize"), "/v1" },
	{ WORD("/classify"), "/v1" },  { WORD("/datasets"), "/v1" },  { WORD("/embed-jobs"), "/v1" },
	{ WORD("/generate"), "/v1" },  { WORD("/summarize"), "/v1" }, { WORD(""), NULL },
};

static const struct service_variable cohere_variables[] = {
	{ "CO_API_URL", "", 0 },
	{ "CO_BASE_URL", "", 0 },             /* Pydantic AI's */
	{ "COHERE_API_BASE", "/v2/chat", 0 }, /* LiteLLM's: all of the address */
	{ NULL, NULL, 0 },
};

static const struct service cohere_service = {
	.name = "cohere",
	.host = HOST,
	.endpoint = HOST,
	.version = "/v2",
	.paths = cohere_paths,
	.variables = cohere_variables,
};

const struct exchange_api cohere_api = {
	.name = "cohere",
	.service = &cohere_service,
	.paths = { WORD("/v2/chat") },
	.body_words = { WORD("message-start"), WORD("\\\"finish_reason\\\":\\\"COMPLETE") },
	.fits_request = cohere_fits_request,
	.fits_response = cohere_fits_response,
	.request = cohere_read_request,
	.response = cohere_read_response,
	.stream_event = cohere_read_chunk,
	.order = &anthropic_order,
};

/* ---- logs without an envelope ---- */

static void cohere_read_one(struct reading *r, struct val v)
{
	size_t at = r->count;

	if (!val_is(v, JSON_OBJECT))
		reading_add_unknown(r, v);
	else if (exchange_read(r, v))
		return;
	else if (cohere_find_event(v) < COUNT(cohere_events))
		cohere_read_chunk(r, v, str_of(NULL, 0));
	else if (cohere_fits_response(v) > 0)
		cohere_read_response(r, v);
	else if (cohere_fits_request(v) > 0) {
		cohere_read_request(r, v);
		exchange_begin_run(r, at, v);
	} else {
		reading_add_unknown(r, v);
	}
}

static void cohere_read_value(struct reading *r, struct val v)
{
	exchange_read_each(r, v, cohere_read_one);
}

static void *cohere_fold_open(void)
{
	return exchange_order_open(&anthropic_order);
}

static const struct read_ops read_cohere = {
	.vendor = "cohere",
	.key = "cohere/1",
	.value = cohere_read_value,
	EXCHANGE_ORDERED(cohere_fold_open),
};

const struct dialect cohere_dialect = {
	.name = "cohere",
	.title = "Cohere's chat, version 2: requests, responses, streams",
	.file = "chat.jsonl",
	.unit = "answer",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = cohere_fits,
	.read = &read_cohere,
};
