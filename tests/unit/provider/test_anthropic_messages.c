#include "unit/provider/row_sample.h"

TEST(max_tokens_is_always_sent_and_above_what_may_be_thought)
{
	static const struct {
		const char *level, *want;
	} cases[] = {
		{ "low", "\"max_tokens\":6144," }, { "medium", "\"max_tokens\":12288," },
		{ "high", "\"max_tokens\":20480," }, { "xhigh", "\"max_tokens\":36864," },
	};
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = 0.5 };
	struct made *m = made_by(&provider_anthropic_messages, &q, STR("abc"));

	CHECK(made_has(m, "\"max_tokens\":4096,"));
	CHECK(made_has(m, "\"temperature\":0.5"));
	CHECK(!made_has(m, "thinking"));
	made_free(m);
	for (size_t i = 0; i < 4; i++) {
		q.thinking = str_from(cases[i].level);
		m = made_by(&provider_anthropic_messages, &q, STR("abc"));
		test_case("%s", cases[i].level);
		CHECK(made_has(m, cases[i].want));
		CHECK(made_has(m, "\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":"));
		CHECK(!made_has(m, "temperature"));
		made_free(m);
	}
}

TEST(the_key_and_the_version_are_headers)
{
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = -1 };
	struct made *m = made_by(&provider_anthropic_messages, &q, STR("abc"));

	CHECK_STR(m->r.headers[0].name, STR("x-api-key"));
	CHECK_STR(m->r.headers[0].value, STR("abc"));
	CHECK_STR(m->r.headers[1].value, STR("2023-06-01"));
	CHECK(!made_has(m, "abc"));
	made_free(m);
}
