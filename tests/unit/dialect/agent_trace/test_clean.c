#include "dialect/agent_trace/clean.h"
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
		{ "claude-x@20250101", "claude-x@20250101" },
		{ "accounts/x/models/y", "accounts/x/models/y" },
		{ "Opus 4.6 1M Thinking", "Opus 4.6 1M Thinking" },
		{ "GPT-5 mini", "GPT-5 mini" },
		{ "Claude Sonnet 4.5 (Preview)", "Claude Sonnet 4.5 (Preview)" },
		{ "Tell bob about 3", "unknown" },
		{ "call bob 3", "unknown" },
		{ "Dear Bob", "unknown" },
		{ "DeepSeekR1DistillQwen32B", "DeepSeekR1DistillQwen32B" },
		{ "llama-v3p1-405b-instruct", "llama-v3p1-405b-instruct" },
		{ "us.anthropic.claude-sonnet-4-20250514-v1:0", "us.anthropic.claude-sonnet-4-20250514-v1:0" },
		{ "../../home/bob/x", "x" },
		{ "..\\..\\bob\\x", "x" },
		{ "./notes/x.gguf", "x.gguf" },
		{ "home/bob/x", "x" },
		{ "models/.ssh/x", "x" },
		{ "../..", "unknown" },
		{ "a\\Z9 /", "Z9" },
		{ "bob ssn 123-45-6789", "unknown" },
		{ "Bob 123-45-6789", "unknown" },
		{ "ssn-123-45-6789", "unknown" },
		{ "4915123456789", "unknown" },
		{ "sk-x-0123456789abcdef0123", "unknown" },
		{ "models/sk-short", "unknown" },
		{ "0123456789abcdef", "unknown" },
		{ "a3f1c2d4-5b6a-7c8d-9e0f-1a2b3c4d5e6f", "unknown" },
		{ "dGhlIHBhdGllbnQgaGFzIGNhbmNlcg==", "unknown" },
		{ "dGhlIHBhdGllbnQgaGFzIGNhbmNlcg", "unknown" },
		{ "aGVsbG8gd29ybGQ=", "unknown" },
		{ "user/x@example.com/secret", "unknown" },
		{ "users/bob@example.com", "unknown" },
		{ "owner/name:0123456789abcdef0123456789abcdef", "owner/name" },
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

TEST(names_of_tools_pass_and_what_acts_or_tells_does_not)
{
	static const struct {
		const char *given, *clean;
	} cases[] = {
		{ "createPullRequestV2", "createPullRequestV2" },
		{ "mcp__a3f1c2d4-5b6a-7c8d-9e0f-1a2b3c4d5e6f__search", "mcp__a3f1c2d4-5b6a-7c8d-9e0f-1a2b3c4d5e6f__search" },
		{ "namespace/tool", "namespace/tool" },
		{ "tool@1.2", "tool@1.2" },
		{ "github.search", "github.search" },
		{ "\xe6\x90\x9c\xe7\xb4\xa2", "\xe6\x90\x9c\xe7\xb4\xa2" },
		{ "read\x1b[31m", "unknown" },
		{ "read\x1b", "unknown" },
		{ "read\x7f", "unknown" },
		{ "read\xe2\x80\xae" "daer", "unknown" },
		{ "read\xc2\x9b" "31m", "unknown" },
		{ "read\xff", "unknown" },
		{ "../../home/bob/tool", "unknown" },
		{ "bob@example.com", "unknown" },
		{ "find_123-45-6789", "unknown" },
		{ "sk-x-0123456789abcdef0123", "unknown" },
		{ "dGhlIHBhdGllbnQgaGFzIGNhbmNlcg", "unknown" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].given);
		CHECK_STR(clean_tool(str_from(cases[i].given)), str_from(cases[i].clean));
	}
}

TEST(an_id_is_an_id_and_no_message)
{
	static const char *const ids[] = {
		"req_011CQabX9fe7KdPqRsTuVwXy", "chatcmpl-a3f1c2d4-5b6a-7c8d-9e0f-1a2b3c4d5e6f", "functions.exec:0",
		"resp_0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b", "call_get_current_weather_0",
		"8f2c1d3e4f5a6b7c-AMS", "call_x|fc_y",
	};
	static const char *const others[] = {
		"please-refund-the-customer-bob-smith-at-once-and-tell-nobody", "bob%20smith", "bob,smith", "a;b", "[x]",
		"bob-123-45-6789", "sk-x-0123456789abcdef", "a\x1b[31m", "a\xc2\x9b",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		CHECK_STR(clean_id(str_from(ids[i])), str_from(ids[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		test_case("%s", others[i]);
		CHECK(clean_id(str_from(others[i])).p == NULL);
	}
}
