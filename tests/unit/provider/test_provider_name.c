#include "provider/provider_row.h"

#include "harness/test.h"

TEST(providers_are_found_by_name_in_the_order_of_the_manual)
{
	static const char *const names[] = {
		"ollama_openai", "openai_responses", "claude_code_cli", "ollama_native", "anthropic_messages",
		"gemini", "azure", "openrouter", "mock",
	};
	size_t count = sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < count; i++) {
		CHECK(provider_rows[i] != NULL);
		CHECK_STR(str_from(provider_name(provider_rows[i])), str_from(names[i]));
		CHECK(provider_find(str_from(names[i])) == provider_rows[i]);
		CHECK(provider_rows[i]->about != NULL && provider_vendor(provider_rows[i]) != NULL);
	}
	CHECK(provider_rows[count] == NULL);
	CHECK(provider_find(STR("")) == NULL);
	CHECK(provider_thinks(&provider_openai_responses));
}

TEST(short_names_stand_for_rows)
{
	static const char *const cases[][2] = {
		{ "openai", "openai_responses" }, { "openai-chat", "ollama_openai" },   { "vllm", "ollama_openai" },
		{ "ollama", "ollama_native" },    { "anthropic", "anthropic_messages" }, { "claude", "claude_code_cli" },
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct provider *p = provider_find(str_from(cases[i][0]));

		test_case("%s", cases[i][0]);
		CHECK(p != NULL);
		CHECK_STR(str_from(provider_name(p)), str_from(cases[i][1]));
	}
	for (; provider_aliases[count].name; count++) {
		for (size_t i = 0; provider_rows[i]; i++) /* a short name is nobody's own */
			CHECK(!str_eq(str_from(provider_aliases[count].name), str_from(provider_rows[i]->name)));
	}
	CHECK_INT(count, sizeof(cases) / sizeof(cases[0]));
}

TEST(a_name_that_is_none_gets_the_nearest_one_or_all)
{
	static const char *const cases[][2] = {
		{ "opnai", "did you mean 'openai'?" },    { "gemni", "did you mean 'gemini'?" },  { "openai_chat", "did you mean 'openai-chat'?" },
		{ "anthropik", "did you mean 'anthropic'?" }, { "zz", "it is one of openai, " },      { "somebody", "openrouter, mock" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };

		test_case("%s", cases[i][0]);
		CHECK(!provider_refuse_name(str_from(cases[i][0]), &err));
		CHECK_INT(err.kind, ERR_USAGE);
		CHECK(strstr(err.text, cases[i][1]) != NULL);
	}
}
