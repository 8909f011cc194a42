#include "replay/tape_miss.h"

#include "harness/test.h"

TEST(a_miss_is_the_error_of_the_api_that_was_asked)
{
	static const char anthropic[] = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
					"\"message\":\"replay miss: no \\\"x\\\"\"}}\n";
	static const char openai[] = "{\"error\":{\"message\":\"replay miss: no \\\"x\\\"\",\"type\":\"invalid_request_error\",\"param\":null,"
				     "\"code\":\"replay_miss\"}}\n";
	static const char gemini[] = "{\"error\":{\"code\":400,\"message\":\"replay miss: no \\\"x\\\"\",\"status\":\"INVALID_ARGUMENT\"}}\n";
	static const char ollama[] = "{\"error\":\"replay miss: no \\\"x\\\"\"}\n";
	static const struct {
		const char *target, *want;
	} cases[] = {
		{ "/v1/messages?beta=true", anthropic },
		{ "/v1/messages/count_tokens", anthropic },
		{ "/api/v1/messages", anthropic },
		{ "/v1/complete", anthropic },
		{ "/v1/chat/completions", openai },
		{ "/v1/completions", openai },
		{ "/v1/responses", openai },
		{ "/api/v1/chat/completions", openai },
		{ "/v1beta/openai/chat/completions", openai },
		{ "/x?y=/v1/messages", openai },
		{ "", openai },
		{ "/v1beta/models/g:generateContent", gemini },
		{ "/v1/models/g:streamGenerateContent?alt=sse", gemini },
		{ "/v1beta/models", gemini },
		{ "/api/chat", ollama },
		{ "/api/tags", ollama },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct match_question q = { .lane = STR("model"), .method = STR("POST"), .target = str_from(cases[i].target) };

		test_case("%s", cases[i].target);
		buf_clear(&b);
		CHECK_INT(tape_miss_add(&b, &q, STR("no \"x\"")), 400);
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
	}
	buf_free(&b);
}

TEST(a_call_of_mcp_is_answered_with_its_id)
{
	static const struct {
		const char *body, *id;
		int status;
	} cases[] = {
		{ "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\"}", "7", 200 },
		{ "{\"id\":\"a\\\"b\"}", "\"a\\\"b\"", 200 },
		{ "{\"method\":\"notifications/initialized\"}", "null", 400 },
		{ "no json", "null", 400 },
		{ "", "null", 400 },
	};
	struct buf b = { 0 }, want = { 0 };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct match_question q = { .lane = STR("mcp:files"), .target = STR("/v1/messages"), .body = str_from(cases[i].body) };

		test_case("%s", cases[i].body);
		buf_clear(&b), buf_clear(&want);
		CHECK_INT(tape_miss_add(&b, &q, STR("no")), cases[i].status);
		buf_printf(&want, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32070,\"message\":\"replay miss: no\","
				  "\"data\":{\"replay_miss\":\"no\"}}}\n", cases[i].id);
		CHECK_STR(buf_str(&b), buf_str(&want));
	}
	buf_free(&b), buf_free(&want);
}

TEST(a_miss_in_a_socket_is_an_event)
{
	struct buf b = { 0 };

	tape_miss_add_event(&b, STR("no"));
	CHECK_STR(buf_str(&b), STR("{\"type\":\"error\",\"status\":400,\"error\":{\"type\":\"invalid_request_error\",\"code\":\"replay_miss\","
				   "\"message\":\"replay miss: no\",\"param\":null}}"));
	buf_free(&b);
}
