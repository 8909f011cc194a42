#include "transform/redact_names.h"

#include "harness/test.h"

TEST(every_name_of_the_table_is_found)
{
	static const char *const names[] = { "accept", "args", "body", "cwd", "ended", "endpoint", "finishReason", "id", "inline",
					     "messages", "model", "name", "output", "rules_sha256", "signature", "source", "stop_reason",
					     "tool_choice", "type", "v", "x-should-retry" };

	for (size_t i = 0; i < COUNT(names); i++) {
		test_case("%s", names[i]);
		CHECK_STR(str_from(redact_name_find(str_from(names[i]))->name), str_from(names[i]));
	}
	CHECK(redact_name_find(STR("anything"))->kind == NAME_CONTENT);
	CHECK(redact_name_find(STR("parent_tool_use_id"))->kind == NAME_ID);
	CHECK(redact_name_find(STR("user_id"))->kind == NAME_CONTENT);
	CHECK(redact_name_of_attribute(STR("gen_ai.system"))->kind == NAME_WORD);
	CHECK(redact_name_of_attribute(STR("gen_ai.request.model"))->kind == NAME_MODEL);
	CHECK(redact_name_of_attribute(STR("prompt.system"))->kind == NAME_CONTENT);
}

TEST(looks_decide_whether_a_value_of_structure_stays)
{
	const struct {
		enum redact_kind kind;
		struct str value;
		bool stays;
	} cases[] = {
		{ NAME_METHOD, STR("POST"), true }, { NAME_METHOD, STR("tools/call"), true },
		{ NAME_METHOD, STR("notifications/roots/list_changed"), true }, { NAME_METHOD, STR("users/ann"), false },
		{ NAME_WORD, STR("end_turn"), true }, { NAME_WORD, STR("two words"), false }, { NAME_WORD, STR("/srv/me"), false },
		{ NAME_ID, STR("toolu_01A-b.c"), true }, { NAME_ID, STR("a@b.c"), false }, { NAME_ID, STR("../x"), false },
		{ NAME_MODEL, STR("openai/gpt-5"), true }, { NAME_MODEL, STR("claude@20250101"), true }, { NAME_MODEL, STR("me@home.org"), false },
		{ NAME_TIME, STR("2026-01-31T12:00:00.5+01:00"), true }, { NAME_TIME, STR("Tue, 18 Nov 2026 08:06:24 GMT"), true },
		{ NAME_TIME, STR("noon"), false }, { NAME_URL, STR("https://api.openai.com/v1?alt=sse"), true },
		{ NAME_URL, STR("https://me:pw@host/v1"), false }, { NAME_HEADER, STR("claude-cli/2.0 (external, cli)"), true },
		{ NAME_HEADER, STR("tell nobody about this"), false }, { NAME_CONTENT, STR("x"), false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%.*s", STR_ARG(cases[i].value));
		CHECK(redact_looks_right(cases[i].kind, cases[i].value) == cases[i].stays);
	}
}
