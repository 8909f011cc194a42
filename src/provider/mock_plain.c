#include "provider/mock_plain.h"

#include "base/build.h"
#include "json/put.h"
#include "provider/mock_talk.h"

struct kind {
	int status; /* 0 for all others from there on */
	const char *openai, *openai_code, *anthropic;
};

static const struct kind kinds[] = {
	{ 400, "invalid_request_error", NULL, "invalid_request_error" },
	{ 401, "invalid_request_error", "invalid_api_key", "authentication_error" },
	{ 402, "insufficient_quota", "insufficient_quota", "billing_error" },
	{ 403, "invalid_request_error", "permission_denied", "permission_error" },
	{ 404, "invalid_request_error", "not_found", "not_found_error" },
	{ 413, "invalid_request_error", NULL, "request_too_large" },
	{ 429, "requests", "rate_limit_exceeded", "rate_limit_error" },
	{ 529, "server_error", NULL, "overloaded_error" },
};

static const struct kind *find_kind(int status)
{
	static const struct kind client = { 0, "invalid_request_error", NULL, "invalid_request_error" };
	static const struct kind server = { 0, "server_error", NULL, "api_error" };

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].status == status)
			return &kinds[i];
	return status < 500 ? &client : &server;
}

static void mock_plain_put_openai(struct json_writer *w, const struct kind *k, struct str message)
{
	json_put_object(w, "error");
	json_put_text(w, "message", message);
	json_put_word(w, "type", k->openai);
	json_put_null(w, "param");
	json_put_word(w, "code", k->openai_code);
	json_write_end_object(w);
}

static void put_anthropic(struct json_writer *w, const struct kind *k, struct str message, const char *id)
{
	char request[] = "req_000000000000000000000000";

	memcpy(request + 4, id, sizeof(request) - 5);
	json_put_word(w, "type", "error");
	json_put_object(w, "error");
	json_put_word(w, "type", k->anthropic);
	json_put_text(w, "message", message);
	json_write_end_object(w);
	json_put_word(w, "request_id", request);
}

void mock_error_add(struct buf *out, enum mock_provider p, int status, struct str message, const char *id)
{
	const struct kind *k = find_kind(status);
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	if (p == MOCK_OPENAI)
		mock_plain_put_openai(&w, k, message);
	else if (p == MOCK_ANTHROPIC)
		put_anthropic(&w, k, message, id);
	else
		json_put_text(&w, "error", message);
	json_write_end_object(&w);
}

/* Responses have an event of their own for it. */
static void add_responses_event(struct buf *out, const struct kind *k, struct str message, uint64_t sequence)
{
	struct json_writer w;

	mock_event_begin(&w, out, "error");
	json_write_begin_object(&w);
	json_put_word(&w, "type", "error");
	json_put_u64(&w, "sequence_number", sequence);
	json_put_word(&w, "code", k->openai_code);
	json_put_text(&w, "message", message);
	json_put_null(&w, "param");
	json_write_end_object(&w);
	buf_add_str(out, STR("\n\n"));
}

void mock_error_add_event(struct buf *out, enum mock_endpoint e, int status, struct str message, const char *id,
			  uint64_t sequence)
{
	switch (e) {
	case MOCK_RESPONSES:
		add_responses_event(out, find_kind(status), message, sequence);
		break;
	case MOCK_MESSAGES:
		buf_add_str(out, STR("event: error\ndata: "));
		mock_error_add(out, MOCK_ANTHROPIC, status, message, id);
		buf_add_str(out, STR("\n\n"));
		break;
	case MOCK_OLLAMA_CHAT:
	case MOCK_OLLAMA_GENERATE:
		mock_error_add(out, MOCK_OLLAMA, status, message, id);
		buf_add_byte(out, '\n');
		break;
	default:
		buf_add_str(out, STR("data: "));
		mock_error_add(out, MOCK_OPENAI, status, message, id);
		buf_add_str(out, STR("\n\n"));
		break;
	}
}

/* ---- lists ---- */

static void put_model(struct json_writer *w, enum mock_provider p, struct str id)
{
	json_write_begin_object(w);
	if (p == MOCK_ANTHROPIC) {
		json_put_word(w, "type", "model");
		json_put_text(w, "id", id);
		json_put_text(w, "display_name", id);
		json_put_word(w, "created_at", MOCK_CREATED_TEXT);
	} else {
		json_put_text(w, "id", id);
		json_put_word(w, "object", "model");
		json_put_u64(w, "created", MOCK_CREATED);
		json_put_word(w, "owned_by", "trackway");
	}
	json_write_end_object(w);
}

static void put_models(struct json_writer *w, enum mock_provider p)
{
	json_write_begin_object(w);
	if (p == MOCK_OPENAI)
		json_put_word(w, "object", "list");
	json_put_array(w, "data");
	put_model(w, p, STR("mock"));
	json_write_end_array(w);
	if (p == MOCK_ANTHROPIC) {
		json_put_bool(w, "has_more", false);
		json_put_word(w, "first_id", "mock");
		json_put_word(w, "last_id", "mock");
	}
	json_write_end_object(w);
}

static void put_tags(struct json_writer *w)
{
	static const char digits[] = "0000000000000000000000000000000000000000000000000000000000000000";

	json_write_begin_object(w);
	json_put_array(w, "models");
	json_write_begin_object(w);
	json_put_word(w, "name", "mock:latest");
	json_put_word(w, "model", "mock:latest");
	json_put_word(w, "modified_at", MOCK_CREATED_TEXT);
	json_put_u64(w, "size", 0);
	json_put_word(w, "digest", digits);
	json_put_object(w, "details");
	json_put_word(w, "format", "mock");
	json_put_word(w, "family", "mock");
	json_put_word(w, "parameter_size", "0");
	json_put_word(w, "quantization_level", "none");
	json_write_end_object(w);
	json_write_end_object(w);
	json_write_end_array(w);
	json_write_end_object(w);
}

static void put_number(struct json_writer *w, const struct mock_request *q)
{
	json_write_begin_object(w);
	if (q->endpoint == MOCK_VERSION)
		json_put_word(w, "version", BUILD_VERSION);
	else
		json_put_u64(w, "input_tokens", q->text_bytes / 4 + (q->text_bytes % 4 != 0));
	json_write_end_object(w);
}

bool mock_list_add(struct buf *out, const struct mock_request *q)
{
	struct json_writer w;
	size_t at;

	json_write_init(&w, out, JSON_COMPACT);
	switch (q->endpoint) {
	case MOCK_MODELS:
		put_models(&w, q->provider);
		return true;
	case MOCK_MODEL:
		at = str_find(q->path, STR("/models/")) + strlen("/models/");
		put_model(&w, q->provider, str_of(q->path.p + at, q->path.n - at));
		return true;
	case MOCK_TAGS:
		put_tags(&w);
		return true;
	case MOCK_VERSION:
	case MOCK_COUNT_TOKENS:
		put_number(&w, q);
		return true;
	default:
		return false;
	}
}
