#include "provider/mock_plain.h"

#include "base/build.h"
#include "provider/mock_talk.h"

enum { REQUEST_DIGITS = 24 }; /* of an id, in the id of a request */

/* How each provider names an error of this status. */
struct kind {
	int status; /* 0 for all others from there on */
	const char *openai, *openai_code, *anthropic, *gemini;
};

static const struct kind kinds[] = {
	{ 400, "invalid_request_error", NULL, "invalid_request_error", "INVALID_ARGUMENT" },
	{ 401, "invalid_request_error", "invalid_api_key", "authentication_error", "UNAUTHENTICATED" },
	{ 402, "insufficient_quota", "insufficient_quota", "billing_error", "FAILED_PRECONDITION" },
	{ 403, "invalid_request_error", "permission_denied", "permission_error", "PERMISSION_DENIED" },
	{ 404, "invalid_request_error", "not_found", "not_found_error", "NOT_FOUND" },
	{ 409, "invalid_request_error", NULL, "invalid_request_error", "ABORTED" },
	{ 413, "invalid_request_error", NULL, "request_too_large", "INVALID_ARGUMENT" },
	{ 429, "requests", "rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED" },
	{ 503, "server_error", NULL, "api_error", "UNAVAILABLE" },
	{ 504, "server_error", NULL, "timeout_error", "DEADLINE_EXCEEDED" },
	{ 529, "server_error", NULL, "overloaded_error", "UNAVAILABLE" },
};

/* Never NULL: a status that no row has is named by its class. */
static const struct kind *find_kind(int status)
{
	static const struct kind client = { 0, "invalid_request_error", NULL, "invalid_request_error",
					    "INVALID_ARGUMENT" };
	static const struct kind server = { 0, "server_error", NULL, "api_error", "INTERNAL" };

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].status == status)
			return &kinds[i];
	return status < 500 ? &client : &server;
}

void mock_error_add(struct buf *out, enum mock_provider p, int status, struct str message, const char *id)
{
	const struct kind *k = find_kind(status);

	switch (p) {
	case MOCK_OPENAI:
		mock_json_add(out, "{'error':{'message':%s,'type':%w,'param':null,'code':%w}}", message, k->openai,
			      k->openai_code);
		break;
	case MOCK_ANTHROPIC:
		mock_json_add(out, "{'type':'error','error':{'type':%w,'message':%s},'request_id':'req_%j'}",
			      k->anthropic, message, str_of(id, REQUEST_DIGITS));
		break;
	case MOCK_GEMINI:
		mock_json_add(out, "{'error':{'code':%u,'message':%s,'status':%w}}", (uint64_t)status, message,
			      k->gemini);
		break;
	case MOCK_COHERE:
		mock_json_add(out, "{'id':'%j','message':%s}", str_of(id, REQUEST_DIGITS), message);
		break;
	case MOCK_OLLAMA:
		mock_json_add(out, "{'error':%s}", message);
		break;
	}
}

/* What stands around an error that ends a stream. */
static const struct around {
	enum mock_endpoint endpoint;
	enum mock_provider provider;
	const char *before, *behind;
} arounds[] = {
	{ MOCK_CHAT, MOCK_OPENAI, "data: ", "\n\n" },
	{ MOCK_MESSAGES, MOCK_ANTHROPIC, "event: error\ndata: ", "\n\n" },
	{ MOCK_OLLAMA_CHAT, MOCK_OLLAMA, "", "\n" },
	{ MOCK_OLLAMA_GENERATE, MOCK_OLLAMA, "", "\n" },
	{ MOCK_GENERATE, MOCK_GEMINI, "data: ", "\n\n" },
	{ MOCK_COHERE_CHAT, MOCK_COHERE, "event: error\ndata: ", "\n\n" },
};

void mock_error_add_event(struct buf *out, enum mock_endpoint e, enum mock_framing framing, int status,
			  struct str message, const char *id, uint64_t sequence)
{
	if (e == MOCK_RESPONSES) { /* they have an event of their own for it */
		mock_json_add(out,
			      "event: error\ndata: {'type':'error','sequence_number':%u,'code':%w,'message':%s,"
			      "'param':null}\n\n",
			      sequence, find_kind(status)->openai_code, message);
		return;
	}
	for (size_t i = 0; i < COUNT(arounds); i++) {
		const struct around *r = &arounds[i];
		bool list = framing == MOCK_LIST;
		const char *before = !list ? r->before : sequence ? "," : "[", *behind = list ? "]\n" : r->behind;

		if (r->endpoint != e)
			continue;
		buf_add(out, before, strlen(before));
		mock_error_add(out, r->provider, status, message, id);
		buf_add(out, behind, strlen(behind));
	}
}

/* ---- lists ---- */

/* An element of a list, and what stands around all of them, with the first and the last name where they are told. */
static const struct listed {
	const char *before, *one, *behind;
} lists[] = {
	[MOCK_OPENAI] = { "{'object':'list','data':[",
			  "{'id':%s,'object':'model','created':" MOCK_CREATED ",'owned_by':'trackway'}", "]}" },
	[MOCK_ANTHROPIC] = { "{'data':[",
			     "{'type':'model','id':%s,'display_name':%s,'created_at':'" MOCK_CREATED_TEXT "'}",
			     "],'has_more':false,'first_id':%s,'last_id':%s}" },
	[MOCK_OLLAMA] = { "{'models':[",
			  "{'name':%s,'model':%s,'modified_at':'" MOCK_CREATED_TEXT "','size':0,"
			  "'digest':'0000000000000000000000000000000000000000000000000000000000000000',"
			  "'details':{'format':'mock','family':'mock','parameter_size':'0',"
			  "'quantization_level':'none'}}",
			  "]}" },
	[MOCK_GEMINI] = { "{'models':[",
			  "{'name':'models/%t','version':'001','displayName':%s,'inputTokenLimit':1048576,"
			  "'outputTokenLimit':65536,'supportedGenerationMethods':['generateContent','countTokens']}",
			  "]}" },
};

static bool is_listed(const struct mock_script *script, size_t n)
{
	struct str name = script->rules[n].match.model;

	if (name.n == 0 || memchr(name.p, '*', name.n) || memchr(name.p, '?', name.n) || str_eq(name, STR("mock")))
		return false;
	for (size_t i = 0; i < n; i++)
		if (str_eq(script->rules[i].match.model, name))
			return false;
	return true;
}

static void add_models(struct buf *out, enum mock_provider p, const struct mock_script *script)
{
	struct str first = p == MOCK_OLLAMA ? STR("mock:latest") : STR("mock"), last = first;

	mock_json_add(out, lists[p].before);
	mock_json_add(out, lists[p].one, first, first);
	for (size_t i = 0; script && i < script->count; i++) {
		if (!is_listed(script, i))
			continue;
		last = script->rules[i].match.model;
		buf_add_byte(out, ',');
		mock_json_add(out, lists[p].one, last, last);
	}
	mock_json_add(out, lists[p].behind, first, last);
}

static void add_count(struct buf *out, enum mock_provider p, uint64_t tokens)
{
	if (p == MOCK_GEMINI)
		mock_json_add(out, "{'totalTokens':%u,'promptTokensDetails':[{'modality':'TEXT','tokenCount':%u}]}",
			      tokens, tokens);
	else
		mock_json_add(out, p == MOCK_OPENAI ? "{'object':'response.input_tokens','input_tokens':%u}"
						    : "{'input_tokens':%u}",
			      tokens);
}

bool mock_list_add(struct buf *out, const struct mock_request *q, const struct mock_script *script)
{
	struct str name;

	switch (q->endpoint) {
	case MOCK_MODELS:
	case MOCK_TAGS:
		add_models(out, q->provider, script);
		return true;
	case MOCK_MODEL:
		name = str_skip(q->path, str_find(q->path, STR("/models/")) + strlen("/models/"));
		mock_json_add(out, lists[q->provider].one, name, name);
		return true;
	case MOCK_VERSION:
		mock_json_add(out, "{'version':%w}", BUILD_VERSION);
		return true;
	case MOCK_COUNT_TOKENS:
		add_count(out, q->provider, mock_tokens_of(q->text_bytes));
		return true;
	case MOCK_HELLO:
		mock_json_add(out, "{'message':'hello'}");
		return true;
	default:
		return false;
	}
}
