/*
 * Google's Gemini: requests and answers of generateContent and streamGenerateContent, streams as server-sent events, as
 * one array or one piece per line, lists of contents, and logs of exchanges, whose envelope exchange.h reads.
 */
#include "dialect/gemini/gemini.h"

#include "dialect/exchange/common.h"
#include "dialect/formats.h"
#include "dialect/record/field.h"

#define HOST "https://generativelanguage.googleapis.com"
#define FIT_ANSWER 92
#define FIT_ERROR 60

static bool has(struct val v, struct str camel)
{
	return !val_is_none(gemini_get(v, camel));
}

/* ---- what it is ---- */

struct val gemini_unwrap(struct val v)
{
	struct val inner = val_get(v, STR("response"));

	if (!val_is(inner, JSON_OBJECT))
		inner = val_get(v, STR("request"));
	if (!val_is(inner, JSON_OBJECT) || has(v, STR("candidates")) || has(v, STR("contents")))
		return v;
	return has(inner, STR("candidates")) || has(inner, STR("usageMetadata")) || has(inner, STR("contents")) ? inner
														 : v;
}

/* Only what has contents is one; the prompt and the tools may be anybody's. */
static int gemini_fits_request(struct val body)
{
	struct val inner = gemini_unwrap(body);

	/* a session of the Gemini CLI holds contents, too */
	if (!val_is(body, JSON_OBJECT) || has(body, STR("projectHash")) || has(body, STR("messages")))
		return 0;
	return gemini_is_contents(val_get(inner, STR("contents"))) ? FIT_ANSWER : 0;
}

/* An answer of this API: others say "candidates" too. */
static bool is_candidate(struct val v)
{
	return val_is(val_get(v, STR("content")), JSON_OBJECT) || has(v, STR("finishReason"));
}

/* As Google's services tell one: a number and a word in capitals. */
static bool gemini_is_error(struct val error)
{
	struct val status = val_get(error, STR("status"));

	return val_is(status, JSON_STRING) && val_raw(status).n > 0 && val_raw(status).p[0] >= 'A' &&
	       val_raw(status).p[0] <= 'Z' && val_is(val_get(error, STR("code")), JSON_NUMBER);
}

/* By candidates, else by a reason for blocking, figures or an error, each less sure than the one before. */
static int gemini_fits_response(struct val body)
{
	struct val inner = gemini_unwrap(body), usage = gemini_get(inner, STR("usageMetadata"));

	if (!val_is(inner, JSON_OBJECT))
		return 0;
	if (is_candidate(values_first(val_get(inner, STR("candidates")))))
		return FIT_ANSWER;
	if (val_is(gemini_get(gemini_get(inner, STR("promptFeedback")), STR("blockReason")), JSON_STRING))
		return 85;
	if (val_is(usage, JSON_OBJECT) && (has(inner, STR("modelVersion")) || has(usage, STR("promptTokenCount"))))
		return 70;
	return gemini_is_error(val_get(inner, STR("error"))) ? FIT_ERROR : 0;
}

/* {"method":"generateContentStream","response":[...]}: what the Gemini CLI's tests keep of a service. */
static bool is_kept_answer(struct val v)
{
	struct val method = val_get(v, STR("method")), response = val_get(v, STR("response"));

	if (!val_is(method, JSON_STRING) || !str_starts(val_raw(method), STR("generateContent")))
		return false;
	if (val_is(response, JSON_ARRAY))
		return val_count(response) == 0 || gemini_fits_response(values_first(response)) > 0;
	return gemini_fits_response(response) > 0;
}

/* The best of all that one value may be. */
static int gemini_one_fits(struct val v)
{
	int best = exchange_fits(v, &gemini_api), fit = gemini_fits_response(v);

	best = fit > best ? fit : best;
	fit = gemini_fits_request(v);
	best = fit > best ? fit : best;
	fit = val_count(v) <= 3 ? gemini_fits_response(val_get(v, STR("data"))) - 10 : 0;
	best = fit > best ? fit : best;
	return is_kept_answer(v) && best < 80 ? 80 : best;
}

static int gemini_fits(struct val v)
{
	struct val first = val_is(v, JSON_ARRAY) ? values_first(v) : v;

	/* a list of contents; parts alone may be anybody's */
	if (val_is(v, JSON_ARRAY) && gemini_is_contents(v) && val_is(val_get(first, STR("role")), JSON_STRING))
		return 75;
	return val_is(first, JSON_OBJECT) ? gemini_one_fits(first) : 0;
}

/* ---- reading ---- */

static void gemini_api_request(struct reading *r, struct val body)
{
	struct val inner = gemini_unwrap(body);

	gemini_read_request(r, inner, val_get(inner, STR("contents")));
}

/* "AUTO", "ANY" or "NONE", two objects deep; VAL_NONE when the request says nothing. */
static struct val gemini_tool_choice(struct val request)
{
	struct val config = gemini_get(gemini_unwrap(request), STR("toolConfig"));

	return val_get(gemini_get(config, STR("functionCallingConfig")), STR("mode"));
}

/* The only name of a list, where one of the list must be called. */
static struct val gemini_chosen_tool(struct val request)
{
	struct val config = gemini_get(gemini_unwrap(request), STR("toolConfig"));
	struct val names = gemini_get(gemini_get(config, STR("functionCallingConfig")), STR("allowedFunctionNames"));

	if (!val_is(names, JSON_ARRAY) || val_count(names) != 1)
		return VAL_NONE;
	return val_text_is(gemini_tool_choice(request), STR("ANY")) ? values_first(names) : VAL_NONE;
}

/* ---- embeddings ---- */

/* {"content":{"parts":[...]}}, or several in {"requests":[...]}. */
static bool gemini_is_embed_request(struct val body)
{
	struct val several = val_get(body, STR("requests"));
	struct val one = val_is(several, JSON_ARRAY) ? values_first(several) : body;

	return val_is(val_get(val_get(one, STR("content")), STR("parts")), JSON_ARRAY) && !has(one, STR("role")) &&
	       !has(one, STR("finishReason"));
}

/* Embeddings count their input as answers do. */
static struct figure gemini_embed_input(struct reading *r, struct val body)
{
	struct val meta = gemini_get(body, STR("usageMetadata"));
	struct figure none = { .state = FIGURE_ABSENT };

	return val_is(meta, JSON_OBJECT) ? gemini_read_usage(r, meta).input : none;
}

static const struct exchange_embeds gemini_embeds = {
	.paths = { WORD(":embedContent"), WORD(":batchEmbedContents") },
	.is_request = gemini_is_embed_request,
	.input = gemini_embed_input,
};

/* ---- the rows ---- */

static const struct service_path gemini_paths[] = {
	{ WORD("/models"), NULL },         { WORD("/tunedModels"), NULL }, { WORD("/cachedContents"), NULL },
	{ WORD("/files"), NULL },          { WORD("/batches"), NULL },     { WORD("/operations"), NULL },
	{ WORD("/interactions"), NULL },   { WORD("/openai"), NULL },      { WORD(""), NULL },
};

static const struct service_variable gemini_variables[] = {
	{ "GOOGLE_GEMINI_BASE_URL", "", 0 },
	{ "GEMINI_API_BASE", "", 0 },
	{ NULL, NULL, 0 },
};

static const struct service gemini_service = {
	.name = "gemini",
	.alias = "google",
	.host = HOST,
	.endpoint = HOST,
	.version = "/v1beta",
	.paths = gemini_paths,
	.variables = gemini_variables,
	.header = "x-goog-api-key",
	.signs = { WORD("/v1beta"), WORD(":generateContent"), WORD(":streamGenerateContent"), WORD(":embedContent"),
		   WORD(":batchEmbedContents") },
};

const struct exchange_api gemini_api = {
	.name = "gemini",
	.service = &gemini_service,
	.paths = { WORD(":generateContent"), WORD(":streamGenerateContent") },
	.body_words = { WORD("\\\"candidates\\\""), WORD("\\\"usageMetadata\\\"") },
	.fits_request = gemini_fits_request,
	.fits_response = gemini_fits_response,
	.request = gemini_api_request,
	.tool_choice = gemini_tool_choice,
	.chosen_tool = gemini_chosen_tool,
	.response = gemini_read_response,
	.stream_event = gemini_read_chunk,
	.ends_by_reason = true,
	.embeds = &gemini_embeds,
};

/* A request that is all there is of a run. */
static void gemini_read_conversation(struct reading *r, struct val v, struct val list)
{
	size_t at = r->count;

	gemini_read_request(r, gemini_unwrap(v), list);
	exchange_begin_run(r, at, v);
}

/* Each answer of a test is one of its own, and has no id: its pieces are put together here. */
static void read_kept_answer(struct reading *r, struct val v)
{
	struct val response = val_get(v, STR("response"));
	size_t at = r->count;

	if (val_is(response, JSON_OBJECT))
		gemini_read_response(r, response);
	VALUES_EACH(piece, response) {
		if (val_is(piece, JSON_OBJECT))
			gemini_read_chunk(r, piece, str_of(NULL, 0));
		else
			reading_add_unknown(r, piece);
	}
	for (size_t i = at; i < r->count; i++) {
		struct event *e = &r->events[i];

		if ((e->flags & EVENT_PIECE) && e->step.p && e->step.n == 0)
			e->step = arena_printf(r->arena, "answer-%llu", (unsigned long long)r->line);
	}
	if (r->count == at)
		reading_add_unknown(r, v);
	reading_rest(r, &r->events[at], v);
}

/* One value of a log: an exchange, an answer whole or in pieces, a request or a content. */
static void gemini_read_one(struct reading *r, struct val v)
{
	struct val inside = val_get(v, STR("data")), contents = val_get(gemini_unwrap(v), STR("contents"));
	size_t at = r->count;

	if (!val_is(v, JSON_OBJECT)) {
		reading_add_unknown(r, v);
	} else if (is_kept_answer(v)) {
		read_kept_answer(r, v);
	} else if (exchange_read(r, v)) {
		return;
	} else if (gemini_fits_response(v) > 0) {
		/* one on a line may be a piece of a stream: a whole answer is one piece */
		if (!r->in_event && memchr(val_source(v).p, '\n', val_source(v).n) && v.at == r->root.at)
			gemini_read_response(r, v);
		else
			gemini_read_chunk(r, v, str_of(NULL, 0));
	} else if (gemini_fits_response(inside) > 0) {
		gemini_read_chunk(r, inside, str_of(NULL, 0));
		reading_rest_under(r, &r->events[at], v, STR("envelope"));
	} else if (gemini_fits_request(v) > 0) {
		gemini_read_conversation(r, v, contents);
	} else if (gemini_is_contents(v)) {
		gemini_read_content(r, v, 0, 0);
	} else {
		reading_add_unknown(r, v);
	}
}

static void gemini_read_value(struct reading *r, struct val v)
{
	if (val_is(v, JSON_ARRAY) && gemini_is_contents(v))
		gemini_read_conversation(r, v, v);
	else
		exchange_read_each(r, v, gemini_read_one);
}

static const struct read_ops read_gemini = {
	.vendor = "google",
	.key = "gemini/1",
	.value = gemini_read_value,
	EXCHANGE_FOLD,
};

const struct dialect gemini_dialect = {
	.name = "gemini",
	.title = "Gemini generateContent: requests, responses, streams",
	.file = "generate.json",
	.unit = "answer",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = gemini_fits,
	.read = &read_gemini,
};
