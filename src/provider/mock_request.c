/*
 * A table of paths, each with the function that finds the texts in its bodies. What a request holds beyond those is not
 * checked.
 */
#include "provider/mock_request.h"

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

/* ---- which endpoint ---- */

struct endpoint {
	const char *end; /* of its path */
	const char *method;
	enum mock_endpoint endpoint;
	enum mock_provider provider;
	void (*read)(struct mock_request *q, struct arena *a, struct mock_refusal *why); /* NULL: it has no body */
	const struct mock_shape *shape; /* of answers by rules; NULL for others */
};

/* The first row that fits: longer ends stand before their own ends. */
static const struct endpoint endpoints[] = {
	{ "/chat/completions", "POST", MOCK_CHAT, MOCK_OPENAI, read_messages, &mock_openai_chat },
	{ "/responses", "POST", MOCK_RESPONSES, MOCK_OPENAI, read_items, &mock_openai_responses },
	{ "/messages/count_tokens", "POST", MOCK_COUNT_TOKENS, MOCK_ANTHROPIC, read_messages, NULL },
	{ "/messages", "POST", MOCK_MESSAGES, MOCK_ANTHROPIC, read_messages, &mock_anthropic },
	{ "/api/chat", "POST", MOCK_OLLAMA_CHAT, MOCK_OLLAMA, read_messages, &mock_ollama },
	{ "/api/generate", "POST", MOCK_OLLAMA_GENERATE, MOCK_OLLAMA, read_prompt, &mock_ollama },
	{ "/api/embed", "POST", MOCK_OLLAMA_EMBED, MOCK_OLLAMA, read_embedded, NULL },
	{ "/api/embeddings", "POST", MOCK_OLLAMA_EMBED_ONE, MOCK_OLLAMA, read_prompt, NULL },
	{ "/embeddings", "POST", MOCK_EMBEDDINGS, MOCK_OPENAI, read_embedded, NULL },
	{ "/models", "GET", MOCK_MODELS, MOCK_OPENAI, NULL, NULL },
	{ "/api/tags", "GET", MOCK_TAGS, MOCK_OLLAMA, NULL, NULL },
	{ "/api/version", "GET", MOCK_VERSION, MOCK_OLLAMA, NULL, NULL },
};

static const struct endpoint one_model = { "/models/", "GET", MOCK_MODEL, MOCK_OPENAI, NULL, NULL };

static const struct endpoint *find_endpoint(struct str method, struct str path)
{
	size_t at;

	for (size_t i = 0; i < COUNT(endpoints); i++)
		if (str_ends(path, str_from(endpoints[i].end)))
			return &endpoints[i];
	/* other providers have what they do behind the name of a model: not ours */
	if (!str_eq(method, str_from(one_model.method)))
		return NULL;
	at = str_find(path, str_from(one_model.end));
	return at != (size_t)-1 && at + strlen(one_model.end) < path.n ? &one_model : NULL;
}

void mock_request_begin(struct mock_request *out, const struct http_head *h, struct mock_refusal *why)
{
	bool anthropic = http_find(h, STR("anthropic-version")).p != NULL;
	const struct endpoint *e;
	struct str query;

	*why = (struct mock_refusal){ .status = 0, .message = STR(""), .allow = NULL };
	*out = (struct mock_request){ .endpoint = MOCK_NOWHERE, .provider = anthropic ? MOCK_ANTHROPIC : MOCK_OPENAI,
				      .model = STR("mock"), .body = VAL_NONE };
	out->path = str_cut(h->target, '?', &query);
	if (str_has(out->path, STR("/api/")))
		out->provider = MOCK_OLLAMA;
	e = find_endpoint(h->method, out->path);
	if (!e) {
		mock_request_refuse(why, 404, STR("the mock server has nothing at this path"));
		return;
	}
	out->endpoint = e->endpoint;
	out->read = e->read;
	out->shape = e->shape;
	/* OpenAI and Anthropic have their models at the same path */
	if (e->endpoint != MOCK_MODELS && e->endpoint != MOCK_MODEL)
		out->provider = e->provider;
	else if (out->provider == MOCK_OLLAMA)
		out->provider = MOCK_OPENAI;
	if (!str_eq(h->method, str_from(e->method))) {
		mock_request_refuse(why, 405, STR("this method cannot be used at this path"));
		why->allow = e->method;
	}
}

/* ---- all ---- */

static void read_common(struct mock_request *q, struct arena *a)
{
	struct val model = val_get(q->body, STR("model")), stream = val_get(q->body, STR("stream"));
	struct val options = val_get(q->body, STR("stream_options"));

	if (val_is(model, JSON_STRING))
		q->model = val_text(model, a);
	q->stream = q->provider == MOCK_OLLAMA ? !val_is(stream, JSON_FALSE) : val_is(stream, JSON_TRUE);
	q->include_usage = val_is(val_get(options, STR("include_usage")), JSON_TRUE);
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
