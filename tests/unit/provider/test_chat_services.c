#include "unit/provider/row_sample.h"

TEST(each_service_has_its_own_key_and_limit)
{
	static const struct {
		const struct provider *row;
		const char *header, *value, *limit, *variable;
	} cases[] = {
		{ &provider_gemini, "Authorization", "Bearer abc", "\"max_tokens\":9", "GEMINI_API_KEY" },
		{ &provider_azure, "api-key", "abc", "\"max_completion_tokens\":9", "AZURE_OPENAI_API_KEY" },
		{ &provider_openrouter, "Authorization", "Bearer abc", "\"max_tokens\":9", "OPENROUTER_API_KEY" },
	};
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = -1, .max_tokens = 9 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made *m = made_by(cases[i].row, &q, STR("abc"));

		test_case("%s", provider_name(cases[i].row));
		CHECK_INT(m->r.header_count, 1);
		CHECK_STR(m->r.headers[0].name, str_from(cases[i].header));
		CHECK_STR(m->r.headers[0].value, str_from(cases[i].value));
		CHECK(made_has(m, cases[i].limit));
		CHECK(made_has(m, "\"stream\":true,\"stream_options\":{\"include_usage\":true}"));
		CHECK(!made_has(m, "temperature") && !made_has(m, "abc"));
		CHECK_STR(str_from(cases[i].row->key_env), str_from(cases[i].variable));
		CHECK(cases[i].row->key_missing != NULL);
		made_free(m);
	}
}

TEST(openrouter_is_asked_what_it_costs)
{
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = 0.5, .thinking = STR("low"), .whole = true };
	struct made *m = made_by(&provider_openrouter, &q, STR("abc"));

	CHECK(made_has(m, "\"temperature\":0.5"));
	CHECK(made_has(m, "\"reasoning_effort\":\"low\",\"usage\":{\"include\":true},\"stream\":false}"));
	made_free(m);
	m = made_by(&provider_gemini, &q, STR("abc"));
	CHECK(!made_has(m, "\"usage\""));
	made_free(m);
}
