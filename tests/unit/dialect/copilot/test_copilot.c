#include "unit/dialect/seed_run.h"

static struct arena arena;

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

TEST(a_session_has_the_tokens_that_the_model_side_saw)
{
	struct str out = seed_agent(&arena, "copilot",
				    "agents/copilot-byok/session/session-state/9bf73e07-788f-4ac2-87d4-20892121ce62/events.jsonl");

	seed_check(out, 2, 1, 1, 2800, 54, 1200, 0);
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("1791"));
	CHECK_STR(get(out, "tool_result", 0, "/exit_code"), STR("0"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("success"));
}

TEST(what_a_call_used_is_joined_to_its_answer)
{
	struct str out = seed_convert(&arena, "copilot", "events");

	seed_check(out, 2, 5, 5, 1300, 33, 1000, 0);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I run them."));
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("They must pass."));
	CHECK_STR(get(out, "model_step", 0, "/latency_ms"), STR("1306"));
	CHECK_STR(get(out, "model_step", 0, "/ttft_ms"), STR("1139.5"));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("tool_calls"));
	CHECK(!get(out, "cost", 0, "/estimated_cost_usd").n || !str_eq(get(out, "cost", 0, "/estimated_cost_usd"), STR("1")));
}

TEST(calls_are_told_twice_and_one_that_nobody_asked_for_once)
{
	struct str out = seed_convert(&arena, "copilot", "events");

	CHECK_STR(get(out, "tool_call", 1, "/tool"), STR("mcp://docs/search"));
	CHECK_STR(get(out, "tool_call", 1, "/args/q"), STR("x"));
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("2000"));
	CHECK_STR(get(out, "tool_result", 0, "/is_error"), STR("true"));
	CHECK_STR(get(out, "tool_result", 0, "/exit_code"), STR("2"));
	CHECK_STR(get(out, "tool_result", 1, "/result"), STR("no such server"));
	CHECK_STR(get(out, "tool_call", 4, "/parent_call_id"), STR("call_3"));
	CHECK_STR(get(out, "tool_call", 3, "/tool"), STR("tool://copilot/grep"));
	CHECK_STR(get(out, "tool_call", 3, "/args/pattern"), STR("z"));
	CHECK_STR(get(out, "error", 0, "/code"), STR("400"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("success"));
}

TEST(without_records_the_end_tells_what_was_used)
{
	struct str out = seed_convert(&arena, "copilot", "older");

	seed_check(out, 1, 0, 0, 105, 15, 5, 0);
	CHECK_STR(get(out, "cost", 1, "/tokens_out"), STR("3"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("error"));
}
