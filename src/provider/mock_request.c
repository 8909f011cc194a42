/*
 * A table of paths, each with the function that finds the texts in its bodies. What a request holds beyond those is not
 * checked.
 */
#include "provider/mock_request.h"

#include "base/ascii.h"
#include "provider/mock_talk.h"

/* The first refusal stays. */
static void mock_request_refuse(struct mock_refusal *why, int status, struct str message)
{
	if (why->status == 0)
		*why = (struct mock_refusal){ .status = status, .message = message, .allow = NULL };
}

/* ---- texts ---- */

static void add_text(struct mock_request *q, struct arena *a, struct str text)
{
	arena_grow(a, q->texts, q->text_count, q->text_cap, 16);
	q->texts[q->text_count++] = text;
	q->text_bytes += text.n;
}

static void add_string(struct mock_request *q, struct arena *a, struct val v)
{
	if (val_is(v, JSON_STRING))
		add_text(q, a, val_text(v, a));
}

/* A string, or parts with a text each. */
static void add_parts(struct mock_request *q, struct arena *a, struct val v)
{
	struct val_iter it = val_begin(v);
	struct val part;

	add_string(q, a, v);
	if (!val_is(v, JSON_ARRAY))
		return;
	while (val_next(&it, &part)) {
		add_string(q, a, part);
		add_string(q, a, val_get(part, STR("text")));
	}
}

/* The same, where a part may be the result of a tool with parts of its own. */
static void add_content(struct mock_request *q, struct arena *a, struct val v)
{
	struct val_iter it = val_begin(v);
	struct val part;

	if (!val_is(v, JSON_ARRAY)) {
		add_string(q, a, v);
		return;
	}
	while (val_next(&it, &part)) {
		add_string(q, a, part);
		add_string(q, a, val_get(part, STR("text")));
		add_parts(q, a, val_get(part, STR("content")));
	}
}

/* The texts from `from` on are what was said last. */
static void set_last(struct mock_request *q, struct arena *a, size_t from)
{
	struct str *parts;
	size_t n = 0;

	if (q->text_count - from == 1) {
		q->last = q->texts[from];
		return;
	}
	parts = arena_array(a, struct str, 2 * (q->text_count - from) + 1);
	for (size_t i = from; i < q->text_count; i++) {
		if (n)
			parts[n++] = STR("\n");
		parts[n++] = q->texts[i];
	}
	q->last = arena_join(a, parts, n);
}

static bool is_role_heard(struct val role)
{
	return val_is(role, JSON_STRING) &&
	       (val_text_is(role, STR("user")) || val_text_is(role, STR("tool")) ||
		val_text_is(role, STR("function")));
}

static void read_message(struct mock_request *q, struct arena *a, struct val m, struct mock_refusal *why)
{
	size_t from = q->text_count;

	if (!val_is(m, JSON_OBJECT)) {
		mock_request_refuse(why, 400, STR("every message must be an object"));
		return;
	}
	add_content(q, a, val_get(m, STR("content")));
	if (is_role_heard(val_get(m, STR("role"))))
		set_last(q, a, from);
}

/* Messages as chat APIs and Anthropic have them; a system prompt may stand beside them. */
static void read_messages(struct mock_request *q, struct arena *a, struct mock_refusal *why)
{
	struct val messages = val_get(q->body, STR("messages")), m;
	struct val_iter it = val_begin(messages);

	if (!val_is(messages, JSON_ARRAY)) {
		mock_request_refuse(why, 400, STR("'messages' must be a list of messages"));
		return;
	}
	/* Ollama takes an empty list: the model is to be loaded */
	if (val_count(messages) == 0 && q->provider != MOCK_OLLAMA)
		mock_request_refuse(why, 400, STR("'messages' must have a message in it"));
	add_parts(q, a, val_get(q->body, STR("system")));
	while (val_next(&it, &m))
		read_message(q, a, m, why);
}

/* ---- Responses, Ollama's generate, embeddings ---- */

static void read_item(struct mock_request *q, struct arena *a, struct val item)
{
	struct val output = val_get(item, STR("output"));
	size_t from = q->text_count;

	if (!val_is_none(output)) {
		add_parts(q, a, output);
		set_last(q, a, from);
		return;
	}
	add_parts(q, a, val_get(item, STR("content")));
	if (is_role_heard(val_get(item, STR("role"))))
		set_last(q, a, from);
}

/* Items of the Responses API: messages with content, and results of tools with an output. */
static void read_items(struct mock_request *q, struct arena *a, struct mock_refusal *why)
{
	struct val input = val_get(q->body, STR("input")), item;
	struct val_iter it = val_begin(input);

	add_string(q, a, val_get(q->body, STR("instructions")));
	if (val_is(input, JSON_STRING)) {
		add_string(q, a, input);
		q->last = q->texts[q->text_count - 1];
		return;
	}
	if (!val_is(input, JSON_ARRAY) || val_count(input) == 0) {
		mock_request_refuse(why, 400, STR("'input' must be a text or a list of items"));
		return;
	}
	while (val_next(&it, &item)) {
		if (!val_is(item, JSON_OBJECT))
			mock_request_refuse(why, 400, STR("every item of 'input' must be an object"));
		else
			read_item(q, a, item);
	}
}

static void read_prompt(struct mock_request *q, struct arena *a, struct mock_refusal *why)
{
	struct val prompt = val_get(q->body, STR("prompt"));

	if (!val_is(prompt, JSON_STRING)) {
		mock_request_refuse(why, 400, STR("'prompt' must be a text"));
		return;
	}
	add_string(q, a, val_get(q->body, STR("system")));
	add_string(q, a, prompt);
	q->last = q->texts[q->text_count - 1];
}

/* Tokens count as their JSON text. */
static void read_embedded(struct mock_request *q, struct arena *a, struct mock_refusal *why)
{
	struct val input = val_get(q->body, STR("input")), one;
	struct val_iter it = val_begin(input);

	if (val_is(input, JSON_STRING)) {
		add_string(q, a, input);
		return;
	}
	if (!val_is(input, JSON_ARRAY) || val_count(input) == 0) {
		mock_request_refuse(why, 400, STR("'input' must be a text or a list of texts"));
		return;
	}
	while (val_next(&it, &one)) {
		if (val_is(one, JSON_NUMBER)) { /* the whole list is one text's tokens */
			add_text(q, a, val_source(input));
			return;
		}
		if (!val_is(one, JSON_STRING) && !val_is(one, JSON_ARRAY))
			mock_request_refuse(why, 400, STR("'input' must have nothing but texts or tokens in it"));
		else
			add_text(q, a, val_is(one, JSON_STRING) ? val_text(one, a) : val_source(one));
	}
}

/* ---- Gemini ---- */

/* Parts: texts, and results of functions, which are objects and count as their JSON text. */
static void add_gemini_parts(struct mock_request *q, struct arena *a, struct val parts)
{
	struct val_iter it = val_begin(parts);
	struct val part, result;

	while (val_is(parts, JSON_ARRAY) && val_next(&it, &part)) {
		add_string(q, a, val_get(part, STR("text")));
		result = val_get(val_get(part, STR("functionResponse")), STR("response"));
		if (!val_is_none(result))
			add_text(q, a, val_source(result));
	}
}

/* Contents; the instruction beside them has either spelling. countTokens may have all of it in an object of its own. */
static void read_contents(struct mock_request *q, struct arena *a, struct mock_refusal *why)
{
	struct val inner = val_get(q->body, STR("generateContentRequest"));
	struct val body = val_is(inner, JSON_OBJECT) ? inner : q->body, contents = val_get(body, STR("contents")), one;
	struct val_iter it = val_begin(contents);

	if (!val_is(contents, JSON_ARRAY) || val_count(contents) == 0) {
		mock_request_refuse(why, 400, STR("'contents' must be a list with a content in it"));
		return;
	}
	add_gemini_parts(q, a, val_get(val_get(body, STR("systemInstruction")), STR("parts")));
	add_gemini_parts(q, a, val_get(val_get(body, STR("system_instruction")), STR("parts")));
	while (val_next(&it, &one)) {
		size_t from = q->text_count;

		if (!val_is(one, JSON_OBJECT))
			mock_request_refuse(why, 400, STR("every content must be an object"));
		add_gemini_parts(q, a, val_get(one, STR("parts")));
		if (!val_text_is(val_get(one, STR("role")), STR("model")) && q->text_count > from)
			set_last(q, a, from);
	}
}

/* ---- which endpoint ---- */

/* What of a path is needed in front of its end. */
enum front { FRONT_ANY, FRONT_VERSION, FRONT_MODEL, FRONT_NOTHING };

struct endpoint {
	const char *end; /* of its path */
	const char *method;
	enum mock_endpoint endpoint;
	enum mock_provider provider;
	enum front front;
	void (*read)(struct mock_request *q, struct arena *a, struct mock_refusal *why); /* NULL: it has no body */
	const struct mock_shape *shape; /* of answers by rules; NULL for others */
};

/* The first row that fits: longer ends stand before their own ends. */
static const struct endpoint endpoints[] = {
	{ "/chat/completions", "POST", MOCK_CHAT, MOCK_OPENAI, FRONT_VERSION, read_messages, &mock_openai_chat },
	{ "/responses/input_tokens", "POST", MOCK_COUNT_TOKENS, MOCK_OPENAI, FRONT_VERSION, read_items, NULL },
	{ "/responses", "POST", MOCK_RESPONSES, MOCK_OPENAI, FRONT_VERSION, read_items, &mock_openai_responses },
	{ "/messages/count_tokens", "POST", MOCK_COUNT_TOKENS, MOCK_ANTHROPIC, FRONT_VERSION, read_messages, NULL },
	{ "/messages", "POST", MOCK_MESSAGES, MOCK_ANTHROPIC, FRONT_VERSION, read_messages, &mock_anthropic },
	{ "/api/chat", "POST", MOCK_OLLAMA_CHAT, MOCK_OLLAMA, FRONT_ANY, read_messages, &mock_ollama },
	{ "/api/generate", "POST", MOCK_OLLAMA_GENERATE, MOCK_OLLAMA, FRONT_ANY, read_prompt, &mock_ollama },
	{ "/api/embed", "POST", MOCK_OLLAMA_EMBED, MOCK_OLLAMA, FRONT_ANY, read_embedded, NULL },
	{ "/api/embeddings", "POST", MOCK_OLLAMA_EMBED_ONE, MOCK_OLLAMA, FRONT_ANY, read_prompt, NULL },
	{ "/embeddings", "POST", MOCK_EMBEDDINGS, MOCK_OPENAI, FRONT_VERSION, read_embedded, NULL },
	{ "/v2/chat", "POST", MOCK_COHERE_CHAT, MOCK_COHERE, FRONT_ANY, read_messages, &mock_cohere },
	{ ":generateContent", "POST", MOCK_GENERATE, MOCK_GEMINI, FRONT_MODEL, read_contents, &mock_gemini },
	{ ":streamGenerateContent", "POST", MOCK_GENERATE, MOCK_GEMINI, FRONT_MODEL, read_contents, &mock_gemini_list },
	{ ":countTokens", "POST", MOCK_COUNT_TOKENS, MOCK_GEMINI, FRONT_MODEL, read_contents, NULL },
	{ "/models", "GET", MOCK_MODELS, MOCK_OPENAI, FRONT_VERSION, NULL, NULL },
	{ "/api/tags", "GET", MOCK_TAGS, MOCK_OLLAMA, FRONT_ANY, NULL, NULL },
	{ "/api/version", "GET", MOCK_VERSION, MOCK_OLLAMA, FRONT_ANY, NULL, NULL },
	{ "/api/hello", "GET", MOCK_HELLO, MOCK_ANTHROPIC, FRONT_ANY, NULL, NULL },
	{ "/", "GET", MOCK_HELLO, MOCK_OLLAMA, FRONT_NOTHING, NULL, NULL },
};

static const struct endpoint one_model = { "/models/", "GET", MOCK_MODEL, MOCK_OPENAI, FRONT_VERSION, NULL, NULL };

/* Whether a segment of a path is a version: v1, v1beta, v2, v4. */
static bool has_version(struct str path)
{
	for (size_t i = 0; i + 2 < path.n; i++)
		if (path.p[i] == '/' && path.p[i + 1] == 'v' && ascii_is_digit(path.p[i + 2]))
			return true;
	return false;
}

/* The name of a model between "/models/" and the end; empty when there is none. */
static struct str model_in(struct str path, struct str end)
{
	size_t at = str_find(path, STR("/models/"));
	struct str name;

	if (at == (size_t)-1 || at + strlen("/models/") + end.n >= path.n)
		return STR("");
	name = str_skip(path, at + strlen("/models/"));
	return str_of(name.p, name.n - end.n);
}

/* Azure has the version in the query. */
static bool has_front(const struct endpoint *e, struct str path, struct str query)
{
	struct str front = str_of(path.p, path.n - strlen(e->end) + 1); /* with the slash behind a version */

	switch (e->front) {
	case FRONT_ANY:
		return true;
	case FRONT_VERSION:
		return has_version(front) || str_starts(query, STR("api-version=")) ||
		       str_has(query, STR("&api-version="));
	case FRONT_MODEL:
		return has_version(front) && model_in(path, str_from(e->end)).n > 0;
	case FRONT_NOTHING:
		break;
	}
	return path.n == strlen(e->end);
}

/* NULL when no end fits. */
static const struct endpoint *find_endpoint(struct str method, struct str path)
{
	size_t at;

	for (size_t i = 0; i < COUNT(endpoints); i++)
		if (str_ends(path, str_from(endpoints[i].end)) &&
		    (endpoints[i].front != FRONT_NOTHING || path.n == strlen(endpoints[i].end)))
			return &endpoints[i];
	/* what stands behind the name of a model and a colon is an act of its own */
	if (str_eq(method, STR("POST")))
		return NULL;
	at = str_find(path, str_from(one_model.end));
	return at != (size_t)-1 && at + strlen(one_model.end) < path.n ? &one_model : NULL;
}

static bool query_has(struct str query, struct str pair)
{
	struct str rest = query;

	while (rest.n)
		if (str_eq(str_cut(rest, '&', &rest), pair))
			return true;
	return false;
}

/* Whose shape the answer has when the path alone does not say it. */
static enum mock_provider provider_of(const struct http_head *h, struct str path, struct str query)
{
	if (str_has(path, STR("/api/")))
		return MOCK_OLLAMA;
	if (http_find(h, STR("anthropic-version")).p)
		return MOCK_ANTHROPIC;
	if (http_find(h, STR("x-goog-api-key")).p || str_starts(query, STR("key=")) || str_has(query, STR("&key=")) ||
	    str_has(path, STR("/v1beta/")))
		return MOCK_GEMINI;
	return MOCK_OPENAI;
}

/* Whether a method may be used: where GET may, HEAD may. */
static bool is_method(struct str method, const char *wanted)
{
	return str_eq(method, str_from(wanted)) || (str_eq(method, STR("HEAD")) && strcmp(wanted, "GET") == 0);
}

/* What the path says beside the endpoint: Gemini has the model there, and how the answer comes. */
static void read_path(struct mock_request *out, const struct endpoint *e, struct str query)
{
	if (e->front != FRONT_MODEL)
		return;
	out->model = model_in(out->path, str_from(e->end));
	out->streams = strcmp(e->end, ":streamGenerateContent") == 0;
	if (query_has(query, STR("alt=sse")))
		out->shape = e->shape ? &mock_gemini : NULL;
}

void mock_request_begin(struct mock_request *out, const struct http_head *h, struct mock_refusal *why)
{
	const struct endpoint *e;
	struct str query;

	*why = (struct mock_refusal){ .status = 0, .message = STR(""), .allow = NULL };
	*out = (struct mock_request){ .endpoint = MOCK_NOWHERE, .model = STR("mock"), .body = VAL_NONE };
	out->path = str_cut(h->target, '?', &query);
	out->provider = provider_of(h, out->path, query);
	e = find_endpoint(h->method, out->path);
	/* several services have their models at the same path */
	if (e && e->endpoint != MOCK_MODELS && e->endpoint != MOCK_MODEL)
		out->provider = e->provider;
	else if (e && out->provider == MOCK_OLLAMA)
		out->provider = MOCK_OPENAI;
	if (!e) {
		mock_request_refuse(why, 404, STR("the mock server has nothing at this path"));
		return;
	}
	if (!has_front(e, out->path, query)) {
		mock_request_refuse(why, 404, STR("nothing is at this path: the service's version is missing in it"));
		return;
	}
	out->endpoint = e->endpoint;
	out->read = e->read;
	out->shape = e->shape;
	read_path(out, e, query);
	if (!is_method(h->method, e->method)) {
		mock_request_refuse(why, 405, STR("this method cannot be used at this path"));
		why->allow = e->method;
	}
}

/* ---- all ---- */

static void read_common(struct mock_request *q, struct arena *a)
{
	struct val model = val_get(q->body, STR("model")), stream = val_get(q->body, STR("stream"));
	struct val options = val_get(q->body, STR("stream_options"));

	q->include_usage = val_is(val_get(options, STR("include_usage")), JSON_TRUE);
	q->stream = q->streams;
	if (q->provider == MOCK_GEMINI)
		return;
	if (val_is(model, JSON_STRING))
		q->model = val_text(model, a);
	q->stream = q->provider == MOCK_OLLAMA ? !val_is(stream, JSON_FALSE) : val_is(stream, JSON_TRUE);
}

void mock_request_read(struct mock_request *q, struct arena *a, struct json_parser *p, struct str body,
		       struct mock_refusal *why)
{
	struct json_issue issue;

	if (why->status || !q->read)
		return;
	if (!json_parse_copy(p, body, &q->body, &issue)) {
		q->body = VAL_NONE;
		mock_request_refuse(why, 400, arena_printf(a, "the body is not JSON: %s", issue.message));
		return;
	}
	if (!val_is(q->body, JSON_OBJECT)) {
		q->body = VAL_NONE;
		mock_request_refuse(why, 400, STR("the body must be a JSON object"));
		return;
	}
	read_common(q, a);
	q->read(q, a, why);
}
