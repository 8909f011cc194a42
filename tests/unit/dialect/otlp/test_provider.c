#include "dialect/otlp/provider.h"

#include "harness/test.h"

TEST(a_provider_is_known_by_host_then_path_then_source)
{
	static const struct { const char *host, *path, *source, *want; } cases[] = {
		{ "api.anthropic.com", "openai", "codex", "anthropic" },
		{ "localhost", "openai", "claude-code", "openai" },
		{ "", "", "claude-code", "anthropic" },
		{ "", "", "google", "gcp.gemini" },
		{ "x.openai.azure.com", "", "", "azure.ai.openai" },
		{ "localhost", "", "trajectory", "unknown" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s %s %s", cases[i].host, cases[i].path, cases[i].source);
		CHECK_STR(otlp_provider_of(str_from(cases[i].host), str_from(cases[i].path), str_from(cases[i].source)),
			  str_from(cases[i].want));
	}
	CHECK_STR(otlp_provider_word(STR("bedrock")), STR("aws.bedrock"));
	CHECK_STR(otlp_provider_word(STR("mockllm")), STR("mockllm"));
}

TEST(reasons_to_end_have_the_words_of_the_conventions)
{
	static const struct { const char *reason, *want; } cases[] = {
		{ "end_turn", "stop" },         { "STOP", "stop" },       { "tool_use", "tool_call" },
		{ "tool_calls", "tool_call" },  { "length", "length" },   { "max_tokens", "length" },
		{ "content_filter", "content_filter" }, { "refusal", "content_filter" }, { "error", "error" },
		{ "failed", "error" },          { "pause_turn_x", "pause_turn_x" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].reason);
		CHECK_STR(otlp_finish_word(str_from(cases[i].reason)), str_from(cases[i].want));
	}
	CHECK(!otlp_finish_word(str_of(NULL, 0)).p);
}
