#include "unit/dialect/seed_run.h"

static struct arena arena;

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

TEST(an_export_has_the_tokens_that_the_model_side_saw)
{
	struct str out = seed_agent(&arena, "opencode", "agents/opencode-openai2/session/oc-export.json");

	seed_check(out, 2, 1, 1, 2800, 54, 1200, 1240);
	CHECK_STR(get(out, "cost", 0, "/tokens_in"), STR("1300"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.000455"));
	CHECK_STR(get(out, "cost", 0, "/cost_source"), STR("api"));
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("2623"));
}

TEST(an_event_log_counts_each_answer_once_and_its_sub_agent_is_inside_the_call)
{
	struct str out = seed_agent(&arena, "opencode", "vendors/_bonus/dev/opencode-ses_subagents.jsonl");

	seed_check(out, 4, 2, 2, 43287, 365, 26320, 0);
	CHECK_STR(get(out, "tool_call", 1, "/parent_call_id"), STR("call_function_9fhddhj7gx25_1"));
	seed_check(seed_agent(&arena, "opencode", "vendors/_bonus/dev/opencode-ses_basic.jsonl"), 4, 9, 9, 52736, 699, 40848, 0);
}

TEST(an_export_becomes_steps_calls_and_results)
{
	struct str out = seed_convert(&arena, "opencode", "export");

	seed_check(out, 2, 2, 2, 1300, 33, 0, 1200);
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("ses_1"));
	CHECK_STR(get(out, "run_start", 0, "/agent/version"), STR("1.2.3"));
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("I should look."));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I will look."));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("tool-calls"));
	CHECK(!get(out, "model_step", 0, "/latency_ms").p); /* the message is over when its calls are */
	CHECK_STR(get(out, "tool_result", 0, "/exit_code"), STR("0"));
	CHECK_STR(get(out, "tool_result", 0, "/is_error"), STR("false"));
	CHECK_STR(get(out, "tool_result", 1, "/is_error"), STR("true"));
	CHECK_STR(get(out, "tool_result", 1, "/result"), STR("File not found: /w/none"));
	CHECK(!get(out, "tool_result", 0, "/ext/opencode~11/state/metadata/output").p); /* said twice */
}

TEST(an_answer_that_failed_is_an_error_and_its_zeros_are_no_figures)
{
	struct str out = seed_convert(&arena, "opencode", "export");

	CHECK_STR(get(out, "error", 0, "/message"), STR("overloaded, try again"));
	CHECK_STR(get(out, "error", 0, "/code"), STR("APIError"));
	CHECK_STR(get(out, "error", 0, "/retryable"), STR("true"));
	CHECK(!get(out, "model_step", 1, "/usage").p);
}

TEST(several_answers_in_one_message_are_several_steps)
{
	struct str out = seed_convert(&arena, "opencode", "older");

	seed_check(out, 2, 0, 0, 30, 3, 0, 0);
	CHECK_STR(get(out, "model_step", 1, "/step_id"), STR("m#2"));
	CHECK_STR(get(out, "model_step", 1, "/model"), STR("m1"));
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("second answer"));
	CHECK_STR(get(out, "cost", 1, "/estimated_cost_usd"), STR("0.3"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("busy"));
}

TEST(events_are_told_at_each_change_and_count_once)
{
	struct str out = seed_convert(&arena, "opencode", "events");

	seed_check(out, 2, 2, 2, 24, 12, 14, 0);
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("I need a helper"));
	CHECK_STR(get(out, "model_step", 0, "/request/messages/0/content"), STR("ask a helper for the time"));
	CHECK(!get(out, "model_step", 0, "/request/messages/1").p); /* told whole, then by its parts */
	CHECK_STR(get(out, "tool_call", 0, "/args/prompt"), STR("say the time"));
	CHECK_STR(get(out, "tool_call", 1, "/parent_call_id"), STR("call_1"));
	CHECK_STR(get(out, "tool_result", 0, "/result"), STR("12:52\n"));
}

TEST(events_of_the_server_have_nothing_around_them)
{
	struct str out = seed_convert(&arena, "opencode", "server");

	seed_check(out, 1, 0, 0, 5, 6, 0, 0);
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("ses_9"));
	CHECK_STR(get(out, "model_step", 0, "/latency_ms"), STR("600"));
}
