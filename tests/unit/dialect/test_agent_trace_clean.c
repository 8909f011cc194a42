#include "dialect/agent_trace_clean.h"
#include "harness/test.h"

TEST(names_of_models_pass_and_what_is_none_does_not)
{
	static const struct {
		const char *given, *clean;
	} cases[] = {
		{ "gpt-4o-mini", "gpt-4o-mini" },
		{ "deepseek-ai/DeepSeek-V4-Pro", "deepseek-ai/DeepSeek-V4-Pro" },
		{ "llama3:8b-instruct-q4_0", "llama3:8b-instruct-q4_0" },
		{ "anthropic.claude-3-5-sonnet-20240620-v1:0", "anthropic.claude-3-5-sonnet-20240620-v1:0" },
		{ "ft:gpt-3.5-turbo:acme::9f3c", "ft:gpt-3.5-turbo:acme::9f3c" },
		{ "@cf/meta/llama-3.1-8b", "@cf/meta/llama-3.1-8b" },
		{ "claude-3-5-sonnet@20240620", "claude-3-5-sonnet@20240620" },
		{ "Claude 3 Opus", "Claude 3 Opus" },
		{ "/srv/models/llama.gguf", "llama.gguf" },
		{ "", "unknown" },
		{ "please refund the customer now", "unknown" },
		{ "please%20refund", "unknown" },
		{ "{\"a\":\"secret\"}", "unknown" },
		{ "somebody@example.com", "unknown" },
		{ "$HOME_x", "unknown" },
		{ "a\nb", "unknown" },
		{ "a\x1b[31mb", "unknown" },
		{ "a\xe2\x80\xae" "b", "unknown" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].given);
		CHECK_STR(clean_model(str_from(cases[i].given)), str_from(cases[i].clean));
	}
}

TEST(a_key_in_the_place_of_a_name_or_an_id_is_left_out)
{
	static const char *const keys[] = {
		"ghp_0123456789abcdefghijABCDEFGHIJ012345", "sk-proj-AbCdEf0123456789abcdefXYZAbCdEf0123456789",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		test_case("%s", keys[i]);
		CHECK(clean_id(str_from(keys[i])).p == NULL);
		CHECK_STR(clean_tool(str_from(keys[i])), STR("unknown"));
		CHECK_STR(clean_model(str_from(keys[i])), STR("unknown"));
	}
	CHECK_STR(clean_id(STR("call_abc123")), STR("call_abc123"));
	CHECK_STR(clean_id(STR("toolu_01A09q90qw90lq917835lq9")), STR("toolu_01A09q90qw90lq917835lq9"));
	CHECK(clean_id(STR("somebody@example.com")).p == NULL);
	CHECK_STR(clean_tool(STR("mcp__files__read")), STR("mcp__files__read"));
}
