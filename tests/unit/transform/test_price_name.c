#include "transform/price_name.h"

#include "harness/test.h"

TEST(the_spellings_of_a_model_are_one)
{
	static const struct {
		const char *name, *folded;
	} cases[] = {
		{ "claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929" },
		{ "anthropic/claude-sonnet-4.5", "claude-sonnet-4-5" },
		{ "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929" },
		{ "us-gov.anthropic.claude-3-5-sonnet-20240620-v1:0", "claude-sonnet-3-5-20240620" },
		{ "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0",
		  "claude-haiku-3-20240307" },
		{ "claude-sonnet-4-5@20250929", "claude-sonnet-4-5-20250929" },
		{ "claude-opus-4-6[1m]", "claude-opus-4-6" },
		{ "claude-3.5-sonnet", "claude-sonnet-3-5" },
		{ "claude-4-sonnet", "claude-sonnet-4" },
		{ "claude-3-opus-20240229", "claude-opus-3-20240229" },
		{ "openai/gpt-4o-mini", "gpt-4o-mini" },
		{ "openai:gpt-4.1", "gpt-4-1" },
		{ "openrouter/openai/GPT-4.1-Mini", "gpt-4-1-mini" },
		{ "models/gemini-2.5-pro", "gemini-2-5-pro" },
		{ "publishers/google/models/gemini-2.0-flash-001", "gemini-2-0-flash-001" },
		{ " gpt-5 ", "gpt-5" },
		{ "deepseek/deepseek-chat:free", "deepseek-chat:free" },
		{ "deepseek-r1:7b", "deepseek-r1:7b" },
		{ "v1:0", "v1:0" },
		{ "[1m]", "[1m]" },
		{ "claude-", "claude-" },
		{ "claude-3-", "claude-3-" },
		{ "openai/", "" },
		{ "", "" },
		{ ".", "-" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char out[PRICE_NAME_MAX];

		test_case("%s", cases[i].name);
		CHECK_STR(price_name_fold(out, str_from(cases[i].name)), str_from(cases[i].folded));
	}
}

TEST(a_name_that_is_too_long_is_no_name)
{
	char out[PRICE_NAME_MAX], name[PRICE_NAME_MAX + 1];

	memset(name, 'a', sizeof(name));
	CHECK_INT(price_name_fold(out, str_of(name, PRICE_NAME_MAX)).n, PRICE_NAME_MAX);
	CHECK_INT(price_name_fold(out, str_of(name, PRICE_NAME_MAX + 1)).n, 0);
}

TEST(only_a_whole_date_is_taken_off)
{
	static const struct {
		const char *name, *undated;
	} cases[] = {
		{ "gpt-4o-2024-08-06", "gpt-4o" },
		{ "claude-sonnet-4-5-20250929", "claude-sonnet-4-5" },
		{ "mistral-large-latest", "mistral-large" },
		{ "mistral-large-2411", "mistral-large-2411" },
		{ "gemini-1-5-pro-002", "gemini-1-5-pro-002" },
		{ "gemini-2-5-pro-preview-05-06", "gemini-2-5-pro-preview-05-06" },
		{ "-20250929", "-20250929" },
		{ "x-2025092", "x-2025092" },
		{ "x-2024-0806", "x-2024-0806" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].name);
		CHECK_STR(price_name_undated(str_from(cases[i].name)), str_from(cases[i].undated));
	}
}

TEST(providers_have_one_name_each)
{
	static const struct {
		const char *name, *folded;
		bool local;
	} cases[] = {
		{ "OpenAI", "openai", false }, { "gcp.gemini", "google", false }, { "x_ai", "xai", false },
		{ "azure", "azure", false },   { "Ollama", "ollama", true },      { "", "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char out[PRICE_NAME_MAX];

		test_case("%s", cases[i].name);
		CHECK_STR(price_name_provider(out, str_from(cases[i].name)), str_from(cases[i].folded));
		CHECK_INT(price_name_is_local(str_of(out, strlen(cases[i].folded))), cases[i].local);
	}
}
