/*
 * Ollama's own API: /api/chat and /api/generate, answers whole or as one piece per line, and logs of exchanges, whose
 * envelope exchange.h reads. Messages are those of OpenAI's chat, with three differences: arguments are objects, calls
 * have no ids (the fold gives them some, exchange/calls.h), and results name their tool.
 */
#include "dialect/ollama/ollama.h"

#include "dialect/exchange/common.h"
#include "dialect/exchange/exchange.h"
#include "dialect/exchange/hint.h"
#include "dialect/formats.h"
#include "dialect/openai/chat.h"
#include "dialect/record/field.h"
#include "model/history.h"

#define FIT_MAYBE 35 /* a request that others may send, too */
#define FIT_SURE 75
#define FIT_ERROR 25
#define LOOK 50      /* messages looked at to tell whose they are */

/* ---- what it is ---- */

/* Members that only requests of this API have. */
static bool has_own_member(struct val body)
{
	return val_has(body, STR("keep_alive")) || val_has(body, STR("think")) ||
	       (val_is(val_get(body, STR("options")), JSON_OBJECT) && val_has(body, STR("model")));
}

/*
 * A result that names its tool, or a call without an id whose arguments are an object, among the first LOOK messages.
 */
static bool has_own_message(struct val list)
{
	struct val_iter it = val_begin(list);
	struct val message, call;

	for (size_t i = 0; i < LOOK && val_next(&it, &message); i++) {
		if (val_has(message, STR("tool_name")))
			return true;
		call = values_first(val_get(message, STR("tool_calls")));
		if (val_is(val_get(val_get(call, STR("function")), STR("arguments")), JSON_OBJECT) &&
		    !val_has(call, STR("id")))
			return true;
	}
	return false;
}

/* Requests of OpenAI's chat look alike: members and messages of this API alone make it sure. */
static int ollama_fits_request(struct val body)
{
	static const struct str foreign[] = {
		WORD("input"), WORD("contents"), WORD("type"), WORD("schema_version"), WORD("run_type"), WORD("eval"),
		WORD("sessionId"), WORD("anthropic_version"), WORD("choices"), WORD("reward"), WORD("completion"),
	};
	struct val messages = val_get(body, STR("messages")), prompt = val_get(body, STR("prompt"));

	if (!val_is(body, JSON_OBJECT) || !val_is(val_get(body, STR("model")), JSON_STRING))
		return 0;
	if (values_count_names(body, foreign, COUNT(foreign)))
		return 0;
	if (openai_chat_is_messages(messages))
		return has_own_member(body) || has_own_message(messages) ? FIT_SURE : FIT_MAYBE;
	if (val_is(prompt, JSON_STRING) && val_is_none(messages))
		return has_own_member(body) ? FIT_SURE : FIT_MAYBE;
	return 0;
}

/* Every answer and piece says whether it is done. An error alone is a text, as others have it too. */
static int ollama_fits_response(struct val body)
{
	struct val done = val_get(body, STR("done"));

	if (!val_is(body, JSON_OBJECT))
		return 0;
	if (val_is_bool(done) && val_has(body, STR("model")) &&
	    (val_is(val_get(body, STR("message")), JSON_OBJECT) || val_is(val_get(body, STR("response")), JSON_STRING)))
		return 90;
	if (val_is(val_get(body, STR("error")), JSON_STRING) && val_count(body) == 1)
		return FIT_ERROR;
	return 0;
}

/* What is not sure by itself does not make a log one of this API's. */
static int ollama_one_fits(struct val v)
{
	int best = exchange_fits(v, &ollama_api), fit = ollama_fits_response(v);

	if (fit != FIT_ERROR && fit > best)
		best = fit;
	fit = ollama_fits_request(v);
	return fit == FIT_SURE && fit > best ? fit : best;
}

/* A list is judged by its first value. */
static int ollama_fits(struct val v)
{
	return ollama_one_fits(val_is(v, JSON_ARRAY) ? values_first(v) : v);
}

/* ---- requests ---- */

/* An empty prompt only loads the model: it is nothing that was said. */
static void ollama_add_text(struct reading *r, struct val text, struct str role, uint32_t position)
{
	struct event *e;

	if (!val_is(text, JSON_STRING) || val_raw(text).n == 0)
		return;
	e = reading_add(r, EVENT_MESSAGE);
	e->flags = EVENT_HISTORY;
	e->role = role;
	e->content = reading_json_of(r, e, "content", text);
	e->digest = history_digest(e->content) ^ history_digest(role);
	e->position = position;
}

/* /api/chat has messages, /api/generate a prompt and perhaps a system prompt. */
static void ollama_read_request(struct reading *r, struct val body)
{
	/* the tokens of a conversation so far, for the service only */
	reading_drop(r, val_get(body, STR("context")));
	if (val_has(body, STR("messages"))) {
		openai_chat_read_request(r, body, val_get(body, STR("messages")));
		return;
	}
	ollama_add_text(r, val_get(body, STR("system")), STR("system"), 0);
	ollama_add_text(r, val_get(body, STR("prompt")), STR("user"), 1);
}

/* ---- answers ---- */

struct answer {
	unsigned flags;
	struct str step;
	bool alone; /* nobody else knows how long it took */
};

/* {"error":"..."}, in place of an answer or of a piece. */
static void ollama_read_error(struct reading *r, struct val body)
{
	struct event *e = reading_add(r, EVENT_ERROR);

	e->class = STR("model");
	e->text = reading_text(r, body, STR("error"));
	reading_rest(r, e, body);
}

/* done_reason is newer than done. */
static struct str ollama_read_end(struct reading *r, struct val body)
{
	struct val done = val_get(body, STR("done"));
	struct str reason = reading_text(r, body, STR("done_reason"));

	if (val_is_bool(done))
		reading_take(r, done);
	if (reason.n)
		return reason;
	return val_is(done, JSON_TRUE) ? STR("stop") : str_of(NULL, 0);
}

/* An answer or a piece of /api/chat or /api/generate: a STEP with its calls and figures, or an ERROR. */
static void ollama_read_answer(struct reading *r, struct val body, const struct answer *a)
{
	struct val message = val_get(body, STR("message"));
	struct openai_chat_said said = { .text = { NULL, 0 } };
	size_t at = r->count;
	struct event *e;

	if (val_is(val_get(body, STR("error")), JSON_STRING) && !val_has(body, STR("done"))) {
		ollama_read_error(r, body);
		return;
	}
	e = reading_add(r, EVENT_STEP);
	e->flags = a->flags;
	e->step = a->step;
	e->model = reading_text(r, body, STR("model"));
	e->ts = reading_time(r, body, STR("created_at"));
	openai_chat_read_said(r, val_is(message, JSON_OBJECT) ? message : body, &said);
	e->text = said.text;
	if (val_is(val_get(body, STR("response")), JSON_STRING))
		e->text = reading_text(r, body, STR("response"));
	e->reasoning = said.reasoning;
	e->stop_reason = ollama_read_end(r, body);
	e->usage.input = reading_count(r, body, STR("prompt_eval_count"));
	e->usage.output = reading_count(r, body, STR("eval_count"));
	if (a->alone)
		e->latency_ms = reading_amount(r, body, STR("total_duration"), 1e-6);
	if (val_is(message, JSON_OBJECT) && reading_text(r, message, STR("role")).p)
		exchange_hint_add(r, e)->begins = true;
	reading_drop(r, val_get(body, STR("context")));
	openai_chat_read_calls(r, message, a->step, a->flags & (EVENT_PIECE | EVENT_STREAM));
	reading_rest(r, &r->events[at], body);
}

static void ollama_read_response(struct reading *r, struct val body)
{
	struct answer a = { .flags = EVENT_NO_STREAM };

	ollama_read_answer(r, body, &a);
}

/* A stream has no name: the fold finds it one. */
static void ollama_read_chunk(struct reading *r, struct val v, struct str sse_event)
{
	struct answer a = { .flags = EVENT_PIECE | EVENT_STREAM, .step = STR("") };

	(void)sse_event;
	ollama_read_answer(r, v, &a);
}

/* ---- the service ---- */

/* Whether an address without a scheme names a port. The colons of an IPv6 address are inside brackets. */
static bool ollama_has_port(struct str host)
{
	for (size_t i = host.n; i-- > 0 && host.p[i] != ']';)
		if (host.p[i] == ':')
			return true;
	return false;
}

/* The port is 11434 where none is given, as Ollama's own clients have it. */
struct str ollama_complete_address(struct arena *a, struct str given)
{
	struct str path, host, port = { NULL, 0 };

	if (given.n >= 2 && (given.p[0] == '"' || given.p[0] == '\'') && given.p[given.n - 1] == given.p[0])
		given = str_trim(str_of(given.p + 1, given.n - 2));
	if (str_find(given, STR("://")) != (size_t)-1)
		return given;
	host = str_cut(given, '/', &path);
	if (!ollama_has_port(host))
		port = STR(":11434");
	if (host.n == 0 || host.p[0] == ':')
		host = ARENA_JOIN(a, STR("localhost"), host);
	else if (str_starts(host, STR("0.0.0.0")))
		host = ARENA_JOIN(a, STR("127.0.0.1"), str_of(host.p + 7, host.n - 7));
	return ARENA_JOIN(a, STR("http://"), host, port, path.n ? STR("/") : STR(""), path);
}

/* Clients ask for "/" to see whether the service is there. */
static bool ollama_owns_path(struct str path)
{
	return str_eq(path, STR("/")) ||
	       (service_path_begins(path, STR("/api")) && !service_path_begins(path, STR("/api/v1")));
}

/* Its own API has no version; those that it has taken over do. */
static const struct service_path ollama_paths[] = {
	{ WORD("/api"), "" },           { WORD("/chat/completions"), "/v1" }, { WORD("/completions"), "/v1" },
	{ WORD("/embeddings"), "/v1" }, { WORD("/models"), "/v1" },           { WORD("/responses"), "/v1" },
	{ WORD("/messages"), "/v1" },   { WORD(""), NULL },
};

static const struct service_variable ollama_variables[] = {
	{ "OLLAMA_HOST", "", SERVICE_BARE },
	{ "OLLAMA_API_BASE", "", 0 },
	{ "OLLAMA_BASE_URL", "/v1", 0 }, /* Pydantic AI's; others read it without the version */
	{ NULL, NULL, 0 },
};

static const struct service ollama_service = {
	.name = "ollama",
	.host = "http://127.0.0.1:11434",
	.paths = ollama_paths,
	.variables = ollama_variables,
	.owns_path = ollama_owns_path,
	.complete = ollama_complete_address,
};

/* Its embeddings count tokens at the top of the body, not in "usage". */
static struct figure ollama_embed_input(struct reading *r, struct val body)
{
	return reading_count(r, body, STR("prompt_eval_count"));
}

static const struct exchange_embeds ollama_embeds = {
	.paths = { WORD("/api/embed") },
	.input = ollama_embed_input,
};

const struct exchange_api ollama_api = {
	.name = "ollama",
	.service = &ollama_service,
	.paths = { WORD("/api/chat"), WORD("/api/generate") },
	.body_words = { WORD("\\\"done\\\":") },
	.fits_request = ollama_fits_request,
	.fits_response = ollama_fits_response,
	.request = ollama_read_request,
	.response = ollama_read_response,
	.stream_event = ollama_read_chunk,
	.streams_unasked = true,
	.streams_lines = true,
	.ends_by_reason = true,
	.embeds = &ollama_embeds,
};

/* ---- logs without an envelope ---- */

/* A request that is all there is of a run. */
static void ollama_read_conversation(struct reading *r, struct val v)
{
	size_t at = r->count;

	ollama_read_request(r, v);
	exchange_begin_run(r, at, v);
}

/* One value of a log: an exchange, an answer or piece, or a request. */
static void ollama_read_one(struct reading *r, struct val v)
{
	struct answer a = { .flags = EVENT_PIECE | EVENT_STREAM, .step = STR(""), .alone = true };

	if (!val_is(v, JSON_OBJECT))
		reading_add_unknown(r, v);
	else if (exchange_read(r, v))
		return;
	else if (ollama_fits_response(v) > 0)
		ollama_read_answer(r, v, &a);
	else if (ollama_fits_request(v) > 0)
		ollama_read_conversation(r, v);
	else
		reading_add_unknown(r, v);
}

static void ollama_read_value(struct reading *r, struct val v)
{
	exchange_read_each(r, v, ollama_read_one);
}

static const struct read_ops read_ollama = {
	.vendor = "ollama",
	.key = "ollama/1",
	.value = ollama_read_value,
	EXCHANGE_FOLD,
};

const struct dialect ollama_dialect = {
	.name = "ollama",
	.title = "Ollama's own API: requests, responses, streams",
	.file = "chat.ndjson",
	.unit = "answer",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = ollama_fits,
	.read = &read_ollama,
};
