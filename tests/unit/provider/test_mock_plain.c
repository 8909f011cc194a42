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
		const char *want;
	} cases[] = {
		{ MOCK_CHAT, "data: {\"error\":{\"message\":\"no\",\"type\":\"server_error\",\"param\":null,\"code\":null}}\n\n" },
		{ MOCK_RESPONSES, "event: error\ndata: {\"type\":\"error\",\"sequence_number\":7,\"code\":null,\"message\":\"no\","
				  "\"param\":null}\n\n" },
		{ MOCK_MESSAGES, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"no\"},"
				 "\"request_id\":\"req_0123456789abcdef01234567\"}\n\n" },
		{ MOCK_OLLAMA_CHAT, "{\"error\":\"no\"}\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out;

		buf_init(&out);
		mock_error_add_event(&out, cases[i].e, 529, STR("no"), id, 7);
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

TEST(tokens_are_counted_as_answers_count_them)
{
	struct sample *s = sample_open(NULL);

	CHECK_STR(sample_ask(s, "/v1/messages/count_tokens", "{\"messages\":[{\"role\":\"user\",\"content\":\"123456789\"}]}"),
		  STR("{\"input_tokens\":3}"));
	sample_close(s);
}

TEST(a_list_is_made_for_its_endpoints_only)
{
	struct mock_request q = { .endpoint = MOCK_CHAT };
	struct buf out;

	buf_init(&out);
	CHECK(!mock_list_add(&out, &q));
	CHECK_INT(out.n, 0);
	buf_free(&out);
}
