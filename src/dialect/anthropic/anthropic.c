/*
 * Anthropic's Messages API: responses, requests (which tell a conversation), lists of messages, streams as
 * server-sent events or one chunk per line, and logs of exchanges, whose envelope exchange.h reads.
 */
#include "base/arena.h"
#include "dialect/anthropic/stream.h"
#include "dialect/exchange/common.h"
#include "dialect/exchange/order.h"
#include "dialect/formats.h"
#include "dialect/reading/billing.h"
#include "dialect/record/field.h"
#include "model/history.h"

#define HOST "https://api.anthropic.com"
#define UNSURE 20 /* may be of this API when something else says so, such as a path */
#define LOOK 50 /* messages looked at to tell whose they are */

/* ---- detection ---- */

/* An answer, and not a message of another's log: those have the type and the role too. */
static bool is_answer(struct val v)
{
	return val_text_is(val_get(v, STR("type")), STR("message")) &&
	       val_text_is(val_get(v, STR("role")), STR("assistant")) &&
	       val_is(val_get(v, STR("content")), JSON_ARRAY) &&
	       (val_has(v, STR("model")) || val_has(v, STR("usage")) || val_has(v, STR("stop_reason")));
}

/*
 * A body of this API, by the type that it says itself. An error of no known kind is UNSURE: others spell theirs
 * alike.
 */
static int response_fits(struct val v)
{
	if (is_answer(v))
		return 92;
	if (val_text_is(val_get(v, STR("type")), STR("error")) && val_is(val_get(v, STR("error")), JSON_OBJECT)) {
		struct val type = val_get(val_get(v, STR("error")), STR("type"));

		return val_is(type, JSON_STRING) && str_ends(val_raw(type), STR("_error")) ? 60 : UNSURE;
	}
	return anthropic_stream_fits(v);
}

/* Blocks that only this API has. */
static bool has_own_block(struct val content)
{
	VALUES_EACH(block, content) {
		enum blocks_kind kind = blocks_kind_of(block);

		if (kind == BLOCKS_THINKING || kind == BLOCKS_CALL || kind == BLOCKS_RESULT ||
		    val_has(block, STR("cache_control")) ||
		    val_has(val_get(block, STR("source")), STR("media_type")))
			return true;
	}
	return false;
}

/* What the messages of a list tell about whose they are. */
enum list_kind {
	LIST_OTHER,  /* another API's, or no messages */
	LIST_SYSTEM, /* a prompt among them: new here, and usual elsewhere */
	LIST_PLAIN,  /* nothing that tells */
	LIST_OWN,    /* blocks that only this API has */
};

/* Looks at the first LOOK messages. One role or member that this API does not have decides against it. */
static enum list_kind list_kind_of(struct val list)
{
	struct val_iter it = val_begin(list);
	enum list_kind kind = LIST_OTHER;
	struct val message;
	bool prompt = false;

	for (size_t i = 0; i < LOOK && val_is(list, JSON_ARRAY) && val_next(&it, &message); i++) {
		struct val role = val_get(message, STR("role")), content = val_get(message, STR("content"));

		if (val_text_is(role, STR("system")))
			prompt = true;
		else if (!val_text_is(role, STR("user")) && !val_text_is(role, STR("assistant")))
			return LIST_OTHER;
		if (val_is_none(content) || val_has(message, STR("tool_calls")))
			return LIST_OTHER;
		if (kind != LIST_OWN)
			kind = has_own_block(content) ? LIST_OWN : prompt ? LIST_SYSTEM : LIST_PLAIN;
	}
	return kind;
}

static bool is_claude(struct val model)
{
	return val_is(model, JSON_STRING) && str_has(val_raw(model), STR("claude"));
}

/*
 * Requests of OpenAI's chat look much the same. What this API alone has is asked first; the name of the model only
 * decides between the rest.
 */
static int request_fits(struct val v)
{
	struct val tool = values_first(val_get(v, STR("tools"))), system = val_get(v, STR("system"));
	enum list_kind list = list_kind_of(val_get(v, STR("messages")));

	/* what has a type is an event of some log that tells its messages on the side */
	if (list == LIST_OTHER || val_is(val_get(v, STR("type")), JSON_STRING))
		return 0;
	if (val_has(tool, STR("function")))
		return 0;
	if (val_has(tool, STR("input_schema")))
		return 92;
	if (list == LIST_OWN || val_has(v, STR("anthropic_version")))
		return 88;
	if (val_is(system, JSON_ARRAY) || (val_is(system, JSON_STRING) && list == LIST_PLAIN))
		return 82;
	if (list == LIST_SYSTEM || !is_claude(val_get(v, STR("model"))))
		return UNSURE;
	return val_has(v, STR("max_tokens")) ? 80 : 45;
}

/* The best of all that one value may be; what is only UNSURE does not make a file one of ours. */
static int anthropic_one_fits(struct val v)
{
	int best = exchange_fits(v, &anthropic_api), fit = response_fits(v);

	if (fit > best)
		best = fit;
	fit = request_fits(v);
	if (fit > best)
		best = fit;
	fit = anthropic_stream_fits(val_get(v, STR("data")));
	best = fit - 10 > best ? fit - 10 : best;
	return best > UNSURE ? best : 0;
}

static int anthropic_fits(struct val v)
{
	int fit = anthropic_one_fits(val_is(v, JSON_ARRAY) ? values_first(v) : v);

	return list_kind_of(v) == LIST_OWN && fit < 70 ? 70 : fit;
}

/* ---- reading ---- */

static const struct blocks_origin nowhere = { .flags = 0 };

/* A whole message of the model. */
static void anthropic_read_answer(struct reading *r, const struct blocks_origin *o, struct val message)
{
	struct blocks_origin inside = *o;
	struct event *e;
	size_t at;

	blocks_read_compaction(r, o, message);
	at = r->count;
	e = blocks_add(r, o, EVENT_STEP);
	e->step = reading_text(r, message, STR("id"));
	e->response_id = text_or_none(e->step);
	e->model = reading_text(r, message, STR("model"));
	e->provider = STR("anthropic");
	e->stop_reason = reading_text(r, message, STR("stop_reason"));
	e->request_id = reading_text(r, message, STR("_request_id"));
	blocks_read_usage(r, reading_get(r, message, STR("usage")), &e->usage);
	billing_read(r, e, message, reading_get(r, message, STR("usage")));
	if (e->step.p && blocks_usage_is_zero(&e->usage))
		e->flags |= EVENT_MARKER;
	else
		inside.step = e->step;
	reading_take(r, reading_get(r, message, STR("role")));
	if (val_text_is(reading_get(r, message, STR("type")), STR("message")))
		reading_take(r, reading_get(r, message, STR("type")));
	blocks_read_answer(r, &inside, at, reading_get(r, message, STR("content")));
	if (val_count(reading_get(r, message, STR("content"))) == 0)
		reading_take(r, reading_get(r, message, STR("content")));
	reading_rest(r, &r->events[at], message);
}

/* A message of a list or a request, whoever said it. */
static void anthropic_read_message(struct reading *r, const struct blocks_origin *o, struct val message)
{
	size_t at = r->count;
	struct str role;

	if (val_text_is(reading_get(r, message, STR("role")), STR("assistant"))) {
		anthropic_read_answer(r, o, message);
		return;
	}
	role = reading_text(r, message, STR("role"));
	blocks_read_given(r, o, role.p ? role : STR("user"), reading_get(r, message, STR("content")));
	reading_rest(r, &r->events[at], message);
}

/* Claude Code sends a header with figures of its own as the first block of the prompt: it is never twice the same. */
static bool anthropic_is_header(struct val block)
{
	struct val text = val_get(block, STR("text"));

	return val_is(text, JSON_STRING) && str_starts(val_raw(text), STR("x-anthropic-"));
}

/*
 * The system prompt as a MESSAGE of its own. Blocks are joined by hand, since the header of Claude Code must be left
 * out.
 */
static void anthropic_read_system(struct reading *r, struct blocks_origin *o, struct val system)
{
	struct event *e;
	struct buf json = { 0 };
	size_t n = 0;

	if (!val_is(system, JSON_STRING) && !val_is(system, JSON_ARRAY))
		return;
	e = blocks_add(r, o, EVENT_MESSAGE);
	e->role = STR("system");
	if (val_is(system, JSON_STRING)) {
		buf_add_str(&json, reading_json_of(r, e, "content", system));
	} else {
		VALUES_EACH(block, system) {
			struct str member;

			if (anthropic_is_header(block))
				continue; /* left for the rest */
			member = arena_printf(r->arena, "content/%zu", n);
			buf_add_byte(&json, n++ ? ',' : '[');
			buf_add_str(&json, reading_json_of(r, e, member.p, block));
		}
		buf_add_str(&json, n ? STR("]") : STR("[]"));
	}
	e->content = arena_copy(r->arena, buf_str(&json));
	e->digest = history_digest(e->content);
	o->position++;
	buf_free(&json);
}

/* The prompt and the messages of a request. */
static void read_told(struct reading *r, struct val body)
{
	struct val messages = reading_get(r, body, STR("messages"));
	struct blocks_origin o = { .flags = EVENT_HISTORY };

	anthropic_read_system(r, &o, reading_get(r, body, STR("system")));
	VALUES_EACH(message, messages) {
		if (!val_is(message, JSON_OBJECT))
			continue;
		o.digest = blocks_digest(message);
		anthropic_read_message(r, &o, message);
		o.position++;
	}
}

/* What is left of it is for whoever knows where it belongs. */
static void anthropic_read_request(struct reading *r, struct val body)
{
	exchange_read_tools(r, val_get(body, STR("tools")));
	read_told(r, body);
}

/* A request that is all there is of a run. */
static void anthropic_read_conversation(struct reading *r, struct val v)
{
	size_t at = r->count;
	struct event *e = reading_add(r, EVENT_RUN_START);

	e->flags = EVENT_HISTORY | EVENT_INFERRED;
	e->model = reading_text(r, v, STR("model"));
	e->tools = reading_json(r, e, "tools", v, STR("tools"));
	read_told(r, v);
	reading_rest(r, &r->events[at], v);
}

/* A body that is no event of a stream: an answer, an error, or a count of tokens. */
static void anthropic_read_response(struct reading *r, struct val body)
{
	struct event *e;

	if (val_text_is(reading_get(r, body, STR("type")), STR("error"))) {
		anthropic_stream_read_error(r, &nowhere, body);
	} else if (!val_is_none(reading_get(r, body, STR("role")))) {
		anthropic_read_answer(r, &nowhere, body);
	} else {
		e = reading_add(r, EVENT_NOTE); /* {"input_tokens":8}, when only a count was asked for */
		e->role = STR("response");
		e->content = reading_json_of(r, e, "content", body);
	}
}

static void anthropic_read_chunk(struct reading *r, struct val v, struct str sse_event)
{
	(void)sse_event; /* the chunk says it itself */
	if (!anthropic_stream_read(r, &nowhere, v))
		reading_add_unknown(r, v);
}

/* ---- in order ---- */

static void *anthropic_order_open(void)
{
	struct anthropic_stream *s = mem_alloc(sizeof(*s));

	anthropic_stream_init(s);
	return s;
}

static void anthropic_order_close(void *own)
{
	anthropic_stream_free(own);
	mem_free(own);
}

/* A message that breaks off is ended before the event that shows it. */
static bool anthropic_order_add(void *own, const struct event *e, struct exchange_sink to, struct err *err)
{
	struct event copy = *e, cut;

	if (anthropic_stream_cut(own, e, &cut) && !to.put(to.context, &cut, err))
		return false;
	anthropic_stream_follow(own, &copy);
	return to.put(to.context, &copy, err);
}

/* The stream is cut if it is open; the state is as new then, for the next part. */
static bool anthropic_order_end(void *own, struct exchange_sink to, struct err *err)
{
	struct anthropic_stream *s = own;
	struct event cut;

	if (anthropic_stream_cut(s, NULL, &cut) && !to.put(to.context, &cut, err))
		return false;
	buf_clear(&s->step);
	return true;
}

const struct exchange_order anthropic_order = {
	.open = anthropic_order_open,
	.close = anthropic_order_close,
	.add = anthropic_order_add,
	.end = anthropic_order_end,
	.joins_latest = true,
};

/* ---- the rows ---- */

static const struct service_path anthropic_paths[] = {
	{ WORD("/messages"), NULL }, { WORD("/complete"), NULL }, { WORD("/models"), NULL },
	{ WORD("/files"), NULL },    { WORD("/skills"), NULL },   { WORD(""), NULL },
};

static const struct service_variable anthropic_variables[] = {
	{ "ANTHROPIC_BASE_URL", "", 0 }, /* the Vercel AI SDK wants the version in it: a path without one gets it */
	{ "ANTHROPIC_API_URL", "", 0 },
	{ "ANTHROPIC_API_BASE", "", 0 },
	{ "ANTHROPIC_HOST", "", SERVICE_BARE },
	{ NULL, NULL, 0 },
};

static const struct service anthropic_service = {
	.name = "anthropic",
	.host = HOST,
	.endpoint = HOST "/v1/messages",
	.version = "/v1",
	.paths = anthropic_paths,
	.variables = anthropic_variables,
	.header = "anthropic-version",
	.signs = { WORD("/v1/messages") },
};

const struct exchange_api anthropic_api = {
	.name = "anthropic",
	.service = &anthropic_service,
	.paths = { WORD("/messages") },
	.body_words = { WORD("message_start"), WORD("\\\"stop_reason\\\"") },
	.fits_request = request_fits,
	.fits_response = response_fits,
	.request = anthropic_read_request,
	.response = anthropic_read_response,
	.stream_event = anthropic_read_chunk,
	.counts_early = true,
	.fill_usage = anthropic_stream_fill_usage,
	.order = &anthropic_order,
};

/* One value of a log, tried as what is told most surely first. */
static void anthropic_read_one(struct reading *r, struct val v)
{
	struct val inside = reading_get(r, v, STR("data"));
	size_t at = r->count;

	if (exchange_read(r, v))
		return;
	if (anthropic_stream_read(r, &nowhere, v))
		return;
	if (anthropic_stream_read(r, &nowhere, inside)) {
		if (r->count > at)
			reading_rest_under(r, &r->events[at], v, STR("envelope"));
		else
			reading_drop(r, v); /* of a sign of life */
	} else if (response_fits(v) > 0) {
		anthropic_read_response(r, v);
	} else if (val_is(reading_get(r, v, STR("messages")), JSON_ARRAY)) {
		anthropic_read_conversation(r, v);
	} else if (!val_is_none(reading_get(r, v, STR("role")))) {
		anthropic_read_message(r, &nowhere, v);
	} else {
		reading_add_unknown(r, v);
	}
}

/* A line may hold a list of what other lines hold. */
static void anthropic_read_value(struct reading *r, struct val v)
{
	exchange_read_each(r, v, anthropic_read_one);
}

static void *anthropic_fold_open(void)
{
	return exchange_order_open(&anthropic_order);
}

static const struct read_ops read_anthropic = {
	.vendor = "anthropic",
	.key = "anthropic/1",
	.value = anthropic_read_value,
	EXCHANGE_ORDERED(anthropic_fold_open),
};

const struct dialect anthropic_dialect = {
	.name = "anthropic",
	.title = "Anthropic messages: requests, responses, streams",
	.file = "messages.json",
	.unit = "message",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = anthropic_fits,
	.read = &read_anthropic,
};
