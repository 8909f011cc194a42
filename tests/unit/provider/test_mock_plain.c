#include "provider/mock_plain.h"

#include "unit/provider/mock_sample.h"

static const char id[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

TEST(errors_have_each_provider_s_shape)
{
	static const struct {
		enum mock_provider p;
		int status;
		const char *want;
	} cases[] = {
		{ MOCK_OPENAI, 400, "{\"error\":{\"message\":\"no\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}" },
		{ MOCK_OPENAI, 429, "{\"error\":{\"message\":\"no\",\"type\":\"requests\",\"param\":null,\"code\":\"rate_limit_exceeded\"}}" },
		{ MOCK_OPENAI, 502, "{\"error\":{\"message\":\"no\",\"type\":\"server_error\",\"param\":null,\"code\":null}}" },
		{ MOCK_OPENAI, 418, "{\"error\":{\"message\":\"no\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}" },
		{ MOCK_ANTHROPIC, 529,
		  "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"no\"},"
		  "\"request_id\":\"req_0123456789abcdef01234567\"}" },
		{ MOCK_ANTHROPIC, 404,
		  "{\"type\":\"error\",\"error\":{\"type\":\"not_found_error\",\"message\":\"no\"},"
		  "\"request_id\":\"req_0123456789abcdef01234567\"}" },
		{ MOCK_ANTHROPIC, 500,
		  "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"no\"},"
		  "\"request_id\":\"req_0123456789abcdef01234567\"}" },
		{ MOCK_OLLAMA, 500, "{\"error\":\"no\"}" },
		{ MOCK_COHERE, 429, "{\"id\":\"0123456789abcdef01234567\",\"message\":\"no\"}" },
		{ MOCK_GEMINI, 404, "{\"error\":{\"code\":404,\"message\":\"no\",\"status\":\"NOT_FOUND\"}}" },
		{ MOCK_GEMINI, 429, "{\"error\":{\"code\":429,\"message\":\"no\",\"status\":\"RESOURCE_EXHAUSTED\"}}" },
		{ MOCK_GEMINI, 503, "{\"error\":{\"code\":503,\"message\":\"no\",\"status\":\"UNAVAILABLE\"}}" },
		{ MOCK_GEMINI, 502, "{\"error\":{\"code\":502,\"message\":\"no\",\"status\":\"INTERNAL\"}}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out;

		buf_init(&out);
		mock_error_add(&out, cases[i].p, cases[i].status, STR("no"), id);
		CHECK_STR(buf_str(&out), str_from(cases[i].want));
		buf_free(&out);
	}
}

TEST(errors_inside_a_stream_have_each_api_s_event)
{
	static const struct {
		enum mock_endpoint e;
		enum mock_framing framing;
		uint64_t sequence;
		const char *want;
	} cases[] = {
		{ MOCK_CHAT, MOCK_EVENTS, 7, "data: {\"error\":{\"message\":\"no\",\"type\":\"server_error\",\"param\":null,\"code\":null}}\n\n" },
		{ MOCK_RESPONSES, MOCK_EVENTS, 7,
		  "event: error\ndata: {\"type\":\"error\",\"sequence_number\":7,\"code\":null,\"message\":\"no\","
				  "\"param\":null}\n\n" },
		{ MOCK_MESSAGES, MOCK_EVENTS, 7,
		  "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"no\"},"
				 "\"request_id\":\"req_0123456789abcdef01234567\"}\n\n" },
		{ MOCK_OLLAMA_CHAT, MOCK_LINES, 7, "{\"error\":\"no\"}\n" },
		{ MOCK_GENERATE, MOCK_EVENTS, 7,
		  "data: {\"error\":{\"code\":529,\"message\":\"no\",\"status\":\"UNAVAILABLE\"}}\n\n" },
		{ MOCK_GENERATE, MOCK_LIST, 7, ",{\"error\":{\"code\":529,\"message\":\"no\",\"status\":\"UNAVAILABLE\"}}]\n" },
		{ MOCK_GENERATE, MOCK_LIST, 0, "[{\"error\":{\"code\":529,\"message\":\"no\",\"status\":\"UNAVAILABLE\"}}]\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out;

		buf_init(&out);
		mock_error_add_event(&out, cases[i].e, cases[i].framing, 529, STR("no"), id, cases[i].sequence);
		CHECK_STR(buf_str(&out), str_from(cases[i].want));
		buf_free(&out);
	}
}

TEST(models_are_listed_as_each_provider_does)
{
	static const struct http_header anthropic = { { "anthropic-version", 17 }, { "2023-06-01", 10 } };
	struct sample *s = sample_open(NULL);
	struct val v = sample_json(s, "/v1/models", NULL);

	CHECK_STR(sample_at(s, v, "/object"), STR("list"));
	CHECK_STR(sample_at(s, v, "/data/0/id"), STR("mock"));
	CHECK_STR(sample_at(s, v, "/data/0/object"), STR("model"));
	CHECK_STR(sample_at(s, sample_json(s, "/v1/models/gpt-x", NULL), "/id"), STR("gpt-x"));
	CHECK_STR(sample_at(s, sample_json(s, "/api/tags", NULL), "/models/0/name"), STR("mock:latest"));
	CHECK(!str_eq(sample_at(s, sample_json(s, "/api/version", NULL), "/version"), STR("(nothing)")));
	CHECK_STR(sample_send(s, "GET", "/v1/models", STR(""), &anthropic, 1),
		  STR("{\"data\":[{\"type\":\"model\",\"id\":\"mock\",\"display_name\":\"mock\",\"created_at\":\"2026-01-01T00:00:00Z\"}],"
		      "\"has_more\":false,\"first_id\":\"mock\",\"last_id\":\"mock\"}"));
	sample_close(s);
}

TEST(gemini_s_models_are_listed_at_its_paths_and_for_its_keys)
{
	static const struct http_header key = { { "x-goog-api-key", 14 }, { "k", 1 } };
	struct sample *s = sample_open(NULL);

	CHECK_STR(sample_at(s, sample_json(s, "/v1beta/models", NULL), "/models/0/name"), STR("models/mock"));
	CHECK_STR(sample_at(s, sample_json(s, "/v1/models?key=k", NULL), "/models/0/name"), STR("models/mock"));
	CHECK_STR(sample_at(s, sample_json(s, "/v1/models?pageSize=5&key=k", NULL), "/models/0/name"), STR("models/mock"));
	CHECK_STR(sample_at(s, sample_json(s, "/v1beta/models/g-1", NULL), "/name"), STR("models/g-1"));
	CHECK(sample_contains(sample_send(s, "GET", "/v1/models", STR(""), &key, 1), "\"displayName\":\"mock\""));
	sample_close(s);
}

TEST(models_that_rules_name_are_listed_once)
{
	struct sample *s = sample_open("{\"schema\":\"trackway.mock/1\",\"rules\":[{\"match\":{\"model\":\"a\\\"b\"}},"
				       "{\"match\":{\"model\":\"gpt-*\"}},{\"match\":{\"model\":\"a\\\"b\"}},{},"
				       "{\"match\":{\"model\":\"mock\"}},{\"match\":{\"model\":\"c\"}}]}");
	struct val v = sample_json(s, "/v1/models", NULL);

	CHECK_STR(sample_at(s, v, "/data/0/id"), STR("mock"));
	CHECK_STR(sample_at(s, v, "/data/1/id"), STR("a\"b"));
	CHECK_STR(sample_at(s, v, "/data/2/id"), STR("c"));
	CHECK_STR(sample_at(s, v, "/data/3"), STR("(nothing)"));
	CHECK_STR(sample_at(s, sample_json(s, "/v1beta/models", NULL), "/models/1/name"), STR("models/a\"b"));
	CHECK_STR(sample_at(s, sample_json(s, "/api/tags", NULL), "/models/2/name"), STR("c"));
	sample_close(s);
}

TEST(somebody_is_there)
{
	struct sample *s = sample_open(NULL);

	sample_send(s, "HEAD", "/", STR(""), NULL, 0);
	CHECK_INT(s->x.status, 200);
	CHECK_STR(sample_at(s, sample_json(s, "/api/hello", NULL), "/message"), STR("hello"));
	sample_send(s, "HEAD", "/v1/models", STR(""), NULL, 0);
	CHECK_INT(s->x.status, 200);
	sample_send(s, "HEAD", "/v1/messages", STR(""), NULL, 0);
	CHECK_INT(s->x.status, 405);
	sample_send(s, "HEAD", "/x/", STR(""), NULL, 0);
	CHECK_INT(s->x.status, 404);
	sample_close(s);
}

TEST(tokens_are_counted_as_answers_count_them)
{
	struct sample *s = sample_open(NULL);

	CHECK_STR(sample_ask(s, "/v1/responses/input_tokens", "{\"input\":\"123456789\"}"),
		  STR("{\"object\":\"response.input_tokens\",\"input_tokens\":3}"));
	CHECK_STR(sample_ask(s, "/v1beta/models/g:countTokens", "{\"contents\":[{\"parts\":[{\"text\":\"123456789\"}]}]}"),
		  STR("{\"totalTokens\":3,\"promptTokensDetails\":[{\"modality\":\"TEXT\",\"tokenCount\":3}]}"));
	CHECK_STR(sample_at(s, sample_json(s, "/v1beta/models/g:countTokens",
					   "{\"generateContentRequest\":{\"contents\":[{\"parts\":[{\"text\":\"123456789\"}]}]}}"), "/totalTokens"),
		  STR("3"));

	CHECK_STR(sample_ask(s, "/v1/messages/count_tokens", "{\"messages\":[{\"role\":\"user\",\"content\":\"123456789\"}]}"),
		  STR("{\"input_tokens\":3}"));
	sample_close(s);
}

TEST(a_list_is_made_for_its_endpoints_only)
{
	struct mock_request q = { .endpoint = MOCK_CHAT };
	struct buf out;

	buf_init(&out);
	CHECK(!mock_list_add(&out, &q, NULL));
	CHECK_INT(out.n, 0);
	buf_free(&out);
}
