#include "provider/mock_plain.h"

#include "base/build.h"
#include "provider/mock_talk.h"

enum { REQUEST_DIGITS = 24 }; /* of an id, in the id of a request */

/* How each provider names an error of this status. */
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

/* Never NULL: a status that no row has is named by its class. */
static const struct kind *find_kind(int status)
{
	static const struct kind client = { 0, "invalid_request_error", NULL, "invalid_request_error" };
	static const struct kind server = { 0, "server_error", NULL, "api_error" };

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].status == status)
			return &kinds[i];
	return status < 500 ? &client : &server;
}

void mock_error_add(struct buf *out, enum mock_provider p, int status, struct str message, const char *id)
{
	const struct kind *k = find_kind(status);

	if (p == MOCK_OPENAI)
		mock_json_add(out, "{'error':{'message':%s,'type':%w,'param':null,'code':%w}}", message, k->openai,
			      k->openai_code);
	else if (p == MOCK_ANTHROPIC)
		mock_json_add(out, "{'type':'error','error':{'type':%w,'message':%s},'request_id':'req_%j'}",
			      k->anthropic, message, str_of(id, REQUEST_DIGITS));
	else
		mock_json_add(out, "{'error':%s}", message);
}

void mock_error_add_event(struct buf *out, enum mock_endpoint e, int status, struct str message, const char *id,
			  uint64_t sequence)
{
	switch (e) {
	case MOCK_RESPONSES: /* they have an event of their own for it */
		mock_json_add(out,
			      "event: error\ndata: {'type':'error','sequence_number':%u,'code':%w,'message':%s,"
			      "'param':null}\n\n",
			      sequence, find_kind(status)->openai_code, message);
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

static void add_model(struct buf *out, enum mock_provider p, struct str id)
{
	if (p == MOCK_ANTHROPIC)
		mock_json_add(out, "{'type':'model','id':%s,'display_name':%s,'created_at':'" MOCK_CREATED_TEXT "'}",
			      id, id);
	else
		mock_json_add(out, "{'id':%s,'object':'model','created':" MOCK_CREATED ",'owned_by':'trackway'}", id);
}

static void add_models(struct buf *out, enum mock_provider p)
{
	mock_json_add(out, p == MOCK_OPENAI ? "{'object':'list','data':[" : "{'data':[");
	add_model(out, p, STR("mock"));
	mock_json_add(out, p == MOCK_ANTHROPIC ? "],'has_more':false,'first_id':'mock','last_id':'mock'}" : "]}");
}

#define TAGS \
	"{'models':[{'name':'mock:latest','model':'mock:latest','modified_at':'" MOCK_CREATED_TEXT "','size':0," \
	"'digest':'0000000000000000000000000000000000000000000000000000000000000000'," \
	"'details':{'format':'mock','family':'mock','parameter_size':'0','quantization_level':'none'}}]}"

bool mock_list_add(struct buf *out, const struct mock_request *q)
{
	switch (q->endpoint) {
	case MOCK_MODELS:
		add_models(out, q->provider);
		return true;
	case MOCK_MODEL:
		add_model(out, q->provider,
			  str_skip(q->path, str_find(q->path, STR("/models/")) + strlen("/models/")));
		return true;
	case MOCK_TAGS:
		mock_json_add(out, TAGS);
		return true;
	case MOCK_VERSION:
		mock_json_add(out, "{'version':%w}", BUILD_VERSION);
		return true;
	case MOCK_COUNT_TOKENS:
		mock_json_add(out, "{'input_tokens':%u}", mock_tokens_of(q->text_bytes));
		return true;
	default:
		return false;
	}
}
