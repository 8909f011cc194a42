/*
 * OpenAI's chat completions: what tells a request, an answer, a piece or a transcript from those of the many others
 * who speak this API, and its row of exchange.h.
 */
#include "dialect/openai/chat.h"

#include "dialect/exchange/common.h"
#include "dialect/formats.h"
#include "dialect/record/field.h"

#define HOST "https://api.openai.com"
#define FIT_ERROR 35 /* an object with an error in it */

/* ---- what it is ---- */

/* Members that only requests of other services have. */
static bool openai_chat_is_foreign(struct val body)
{
	static const struct str names[] = {
		WORD("system"), WORD("anthropic_version"), WORD("contents"), WORD("projectHash"),
		WORD("trajectory_format"), WORD("eval"), WORD("schema_version"), WORD("run_type"), WORD("sessionId"),
		WORD("trace_id"), WORD("stop_sequences"), WORD("input_schema"), WORD("samples"),
	};

	return values_count_names(body, names, COUNT(names)) ||
	       val_has(values_first(val_get(body, STR("tools"))), STR("input_schema"));
}

/* Roles and members that only this API has, or blocks that it does not have; looked for in the first few messages. */
static int fits_messages(struct val list)
{
	static const struct str blocks[] = { WORD("tool_use"), WORD("tool_result"), WORD("thinking") };
	struct val_iter it = val_begin(list);
	struct val message;
	int fit = 40;

	if (!openai_chat_is_messages(list))
		return 0;
	for (int n = 0; n < 8 && val_next(&it, &message); n++) {
		struct val role = val_get(message, STR("role"));

		if (val_text_is(role, STR("tool")) || val_text_is(role, STR("developer")) ||
		    val_text_is(role, STR("system")) || val_is(val_get(message, STR("tool_calls")), JSON_ARRAY))
			fit = 60;
		VALUES_EACH(part, val_get(message, STR("content")))
			if (values_is_word(val_get(part, STR("type")), blocks, COUNT(blocks)))
				return 10;
	}
	return fit;
}

static int openai_chat_fits_request(struct val body)
{
	if (!val_is(body, JSON_OBJECT) || openai_chat_is_foreign(body) || val_has(body, STR("input")))
		return 0;
	return fits_messages(val_get(body, STR("messages")));
}

/*
 * Whether the body is a piece of a stream. Where `object` does not say, a delta does, and so does an empty list of
 * choices.
 */
static bool is_chunk(struct val body)
{
	struct val choices = val_get(body, STR("choices")), object = val_get(body, STR("object"));

	/* pieces of text completions look like whole ones: a whole one is one piece */
	if (val_text_is(object, STR("chat.completion.chunk")) || val_text_is(object, STR("text_completion")))
		return true;
	if (val_text_is(object, STR("chat.completion")))
		return false;
	return val_is(choices, JSON_ARRAY) && (val_count(choices) == 0 || val_has(values_first(choices), STR("delta")));
}

/*
 * An answer by the name it gives itself, else by its choices. Others have taken over the shape, so an error alone is
 * little.
 */
static int openai_chat_fits_response(struct val body)
{
	struct val object = val_get(body, STR("object")), choices = val_get(body, STR("choices"));
	struct val choice = values_first(choices), error = val_get(body, STR("error"));

	if (!val_is(body, JSON_OBJECT))
		return 0;
	if (val_text_is(object, STR("chat.completion")) || val_text_is(object, STR("chat.completion.chunk")))
		return 95;
	if (val_text_is(object, STR("text_completion")))
		return 90;
	if (val_has(choice, STR("message")) || val_has(choice, STR("delta")) || val_has(choice, STR("finish_reason")))
		return 80;
	/* Azure's first piece has nothing in it */
	if (val_is(choices, JSON_ARRAY) && val_count(choices) == 0 &&
	    (val_has(body, STR("usage")) || (val_has(body, STR("model")) && val_has(body, STR("id")))))
		return 50;
	if (val_is(error, JSON_OBJECT) && val_has(error, STR("message")) && !val_has(body, STR("type")))
		return FIT_ERROR;
	return 0;
}

/* Where a transcript keeps its messages; VAL_NONE when it is none. */
static struct val find_transcript(struct val v)
{
	static const struct str names[] = { WORD("messages"), WORD("traj"), WORD("conversation"), WORD("transcript") };

	/* what has a type is an event of some log that tells its messages on the side */
	if (openai_chat_is_foreign(v) || val_is(val_get(v, STR("type")), JSON_STRING))
		return VAL_NONE;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct val list = val_get(v, names[i]);

		if (fits_messages(list) > 10)
			return list;
	}
	return VAL_NONE;
}

/* A member that holds what the line is about. */
static struct val find_wrapped(struct val v)
{
	static const struct str names[] = {
		WORD("data"), WORD("payload"), WORD("chunk"), WORD("response"), WORD("body"),
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		struct val inner = val_get(v, names[i]);

		if (openai_chat_fits_response(inner) >= 80)
			return inner;
	}
	return VAL_NONE;
}

/* As the service tells it, and not a line of any program's log that has an error. */
static bool is_own_error(struct val v)
{
	struct val error = val_get(v, STR("error"));

	return !val_has(v, STR("level")) && (val_has(error, STR("type")) || val_has(error, STR("code")));
}

/*
 * Lists are judged by their first element. The envelope goes first, then answers, then lists of messages under several
 * names, as weaker and weaker signs.
 */
static int openai_chat_fits(struct val v)
{
	struct val list;
	int fit;

	if (val_is(v, JSON_ARRAY)) {
		if (fits_messages(v) > 10)
			return 45;
		v = values_first(v);
	}
	if (!val_is(v, JSON_OBJECT) || exchange_is_foreign(v))
		return 0;
	fit = exchange_fits(v, &openai_chat_api);
	if (fit > 0)
		return fit;
	fit = openai_chat_fits_response(v);
	if (fit > 0)
		return fit != FIT_ERROR || is_own_error(v) ? fit : 0;
	list = find_transcript(v);
	if (!val_is_none(list))
		return fits_messages(list);
	return val_is_none(find_wrapped(v)) ? 0 : 60;
}

/* ---- reading ---- */

static void openai_chat_api_request(struct reading *r, struct val body)
{
	openai_chat_read_request(r, body, val_get(body, STR("messages")));
}

/* Some programs log a request with the answer as one more member. */
static bool chat_holds_answer(struct val v)
{
	struct val response = val_get(v, STR("response"));

	return val_is(val_get(v, STR("messages")), JSON_ARRAY) && openai_chat_fits_response(response) > 0 &&
	       val_is(val_get(response, STR("choices")), JSON_ARRAY);
}

static void api_response(struct reading *r, struct val body)
{
	if (is_chunk(body) && val_has(body, STR("choices")))
		openai_chat_read_chunk(r, body, str_of(NULL, 0));
	else
		openai_chat_read_response(r, body);
}

static const struct service_variable openai_variables[] = {
	{ "OPENAI_BASE_URL", "/v1", 0 },
	{ "OPENAI_API_BASE", "/v1", 0 }, /* LangChain reads it first */
	{ "OPENAI_WEBSOCKET_BASE_URL", "/v1", SERVICE_WEBSOCKET },
	{ "OPENAI_HOST", "", SERVICE_BARE },
	{ NULL, NULL, 0 },
};

/* Many others speak its API, so it gets what nothing else claims. */
const struct service openai_service = {
	.name = "openai",
	.host = HOST,
	.endpoint = HOST "/v1",
	.version = "/v1",
	.paths = service_openai_paths,
	.variables = openai_variables,
	.is_default = true,
};

static const struct exchange_embeds openai_embeds = { .paths = { WORD("/embeddings") } };

const struct exchange_api openai_chat_api = {
	.name = "openai-chat",
	.service = &openai_service,
	.paths = { WORD("/chat/completions"), WORD("/completions") },
	.body_words = { WORD("chat.completion"), WORD("\\\"choices\\\"") },
	.fits_request = openai_chat_fits_request,
	.fits_response = openai_chat_fits_response,
	.request = openai_chat_api_request,
	.holds_answer = chat_holds_answer,
	.response = api_response,
	.stream_event = openai_chat_read_chunk,
	.embeds = &openai_embeds,
	.framework = "raw_openai",
};

/* A list of messages and no answer: what the model said in it is all there is of its steps. */
static void read_transcript(struct reading *r, struct val v, struct val list)
{
	struct moment ts = reading_time(r, v, STR("timestamp"));
	size_t at = r->count;

	openai_chat_read_request(r, v, list);
	exchange_begin_run(r, at, v);
	r->events[at].ts = ts;
}

/* The envelope's time is when the piece came; `created` of a stream is the same in all its pieces. */
static void read_wrapped(struct reading *r, struct val v, struct val inner)
{
	struct moment ts = reading_time(r, v, STR("timestamp"));
	size_t at = r->count;

	api_response(r, inner);
	for (size_t i = at; i < r->count; i++)
		if (ts.text.p)
			r->events[i].ts = ts;
	reading_rest(r, &r->events[at], v);
}

/* One value of a log: an exchange, an answer or piece, a transcript, one of these wrapped, or a message. */
static void openai_chat_read_one(struct reading *r, struct val v)
{
	struct val list, inner;

	if (!val_is(v, JSON_OBJECT)) {
		reading_add_unknown(r, v);
		return;
	}
	if (exchange_read(r, v))
		return;
	if (openai_chat_fits_response(v) > 0) {
		api_response(r, v);
		return;
	}
	list = find_transcript(v);
	inner = val_is_none(list) ? find_wrapped(v) : VAL_NONE;
	if (!val_is_none(list))
		read_transcript(r, v, list);
	else if (!val_is_none(inner))
		read_wrapped(r, v, inner);
	else if (val_is(val_get(v, STR("role")), JSON_STRING))
		openai_chat_read_message(r, v, 0, 0);
	else
		reading_add_unknown(r, v);
}

/* A list is one of messages, or of what a line would hold. */
static void openai_chat_read_value(struct reading *r, struct val v)
{
	if (openai_chat_is_messages(v))
		read_transcript(r, v, v);
	else
		exchange_read_each(r, v, openai_chat_read_one);
}

static const struct read_ops read_openai_chat = {
	.vendor = "openai",
	.key = "openai-chat/1",
	.value = openai_chat_read_value,
	EXCHANGE_FOLD,
};

const struct dialect openai_chat_dialect = {
	.name = "openai-chat",
	.title = "OpenAI chat completions: requests, responses, streams, message lists",
	.file = "chat.jsonl",
	.unit = "exchange",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = openai_chat_fits,
	.read = &read_openai_chat,
};
