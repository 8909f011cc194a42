/* Gemini CLI: an address only where it does not stop it. */
#include "unit/capture/agents_plan.h"

TEST(gemini_is_led_only_where_a_kind_of_sign_in_is_stored)
{
	static const struct { const char *path, *text; bool led; } cases[] = {
		{ "x", "", false },
		{ "home/.gemini/settings.json", "{\"security\":{\"auth\":{\"selectedType\":\"gemini-api-key\"}}}", true },
		{ "home/.gemini/settings.json", "{\"security\":{\"auth\":{\"selectedType\":\"oauth-personal\"}}}", false },
		{ "home/.gemini/settings.json", "{\"security\":{\"auth\":{\"selectedType\":7}}}", false },
		{ "home/.gemini/settings.json", "{\"security\":[", false },
		{ ".gemini/settings.json", "{\"security\":{\"auth\":{\"selectedType\":\"gemini-api-key\"}}}", true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct planned p;

		plan_begin(&p);
		test_case("%s %s", cases[i].path, cases[i].text);
		plan_write(&p, cases[i].path, str_from(cases[i].text));
		CHECK(plan_make(&p, "gemini -p x"));
		CHECK_INT(p.plan.intercept, !cases[i].led);
		CHECK_INT(str_starts(p.plan.told, STR("Gemini CLI is led by")), cases[i].led);
		CHECK_STR(str_from(p.plan.without[0]), cases[i].led ? STR("") : STR("GOOGLE_GEMINI_BASE_URL"));
		plan_end(&p);
	}
}

TEST(gemini_is_led_where_its_user_has_set_an_address)
{
	struct planned p;

	plan_begin(&p);
	p.env[1] = "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8000";
	CHECK(plan_make(&p, "gemini -p x"));
	CHECK(!p.plan.intercept && !p.plan.without[0]);
	plan_end(&p);
}
