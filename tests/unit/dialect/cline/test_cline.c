#include "unit/dialect/seed_run.h"

static struct arena arena;

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

#define SESSION "agents/cline-cfg/session/sessions/1794856999897_0c9f1/1794856999897_0c9f1"

TEST(messages_have_the_tokens_that_the_model_side_saw)
{
	seed_check(seed_agent(&arena, "cline", SESSION ".messages.json"), 2, 1, 1, 2800, 54, 1200, 0);
}

TEST(the_record_has_them_in_all)
{
	seed_check(seed_agent(&arena, "cline", SESSION ".json"), 0, 0, 0, 2800, 54, 1200, 0);
}

TEST(messages_are_anthropics_blocks)
{
	struct str out = seed_convert(&arena, "cline", "messages");

	seed_check(out, 1, 1, 1, 1500, 33, 1200, 0);
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("s-1"));
	CHECK_STR(get(out, "run_start", 0, "/agent/version"), STR("3.0.65"));
	CHECK_STR(get(out, "model_step", 0, "/request/messages/0/role"), STR("system"));
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("it is simple"));
	CHECK_STR(get(out, "model_step", 0, "/model"), STR("gpt-5.1"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.02"));
	CHECK_STR(get(out, "tool_result", 0, "/is_error"), STR("true"));
}

TEST(what_is_shown_in_place_of_an_answer_is_an_error)
{
	struct str out = seed_convert(&arena, "cline", "messages");

	CHECK_STR(get(out, "error", 0, "/class"), STR("model"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("Cannot connect to the service"));
}

TEST(the_record_of_a_session_is_a_run_of_totals)
{
	struct str out = seed_convert(&arena, "cline", "record");

	seed_check(out, 0, 0, 0, 2800, 54, 1200, 0);
	CHECK_STR(get(out, "cost", 0, "/ext/trackway~11/total_only"), STR("true"));
	CHECK(!str_eq(get(out, "cost", 0, "/estimated_cost_usd"), STR("0"))); /* 0 beside tokens: nobody knows */
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("success"));
}

TEST(the_editors_list_of_messages_counts_the_cache_in)
{
	struct str out = seed_convert(&arena, "cline", "history");

	seed_check(out, 1, 1, 1, 500, 20, 400, -1);
	CHECK_STR(get(out, "run_start", 0, "/agent/name"), STR("cline"));
	CHECK_STR(get(out, "model_step", 0, "/provider"), STR("anthropic"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.01"));
}

TEST(what_the_editor_showed_has_requests_and_no_calls)
{
	struct str out = seed_convert(&arena, "cline", "ui");

	seed_check(out, 1, 0, 0, 115, 20, 100, 5);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I fix the bug."));
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("a bug is there"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.03"));
}

TEST(messages_of_anthropic_alone_are_not_clines)
{
	struct converted c = convert_with(&arena, STR("[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\","
						      "\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"n\",\"input\":{}}]}]"),
					  (struct convert_how){ .to = "otutl" });

	CHECK(c.from);
	CHECK_STR(str_from(c.from->name), STR("anthropic"));
}
