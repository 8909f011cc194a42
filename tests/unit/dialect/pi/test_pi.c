#include "unit/dialect/seed_run.h"

static struct arena arena;

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

TEST(a_session_that_never_reached_its_service_is_four_errors)
{
	struct str out = seed_agent(&arena, "pi", "agents/pi-anthropic/session/2026-11-16T19-16-12-536Z_01a1e5c9-d677-7550-a3c2-3ad2a51b6cd2.jsonl");

	CHECK_INT(convert_count(out).model_steps, 0);
	CHECK_STR(get(out, "error", 3, "/message"), STR("Connection error."));
}

TEST(a_large_session_of_the_first_version_adds_up)
{
	struct str out = seed_agent(&arena, "pi", "vendors/_bonus/dev/pi-large-session.jsonl");

	seed_check(out, 439, 391, 373, 47526750, 83156, 43229469, 4296232);
}

TEST(blocks_become_pieces_of_a_step_and_calls)
{
	struct str out = seed_convert(&arena, "pi", "session");

	seed_check(out, 2, 1, 1, 1710, 192, 20, 1684);
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("s-1"));
	CHECK_STR(get(out, "model_step", 0, "/step_id"), STR("4"));
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("the path is known"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I read it."));
	CHECK_STR(get(out, "model_step", 0, "/latency_ms"), STR("2000"));
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://pi/read"));
	CHECK_STR(get(out, "tool_result", 0, "/is_error"), STR("false"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.05"));
	CHECK_STR(get(out, "cost", 0, "/cost_source"), STR("api"));
}

TEST(a_request_that_failed_is_an_error_and_one_that_broke_off_a_step_too)
{
	struct str out = seed_convert(&arena, "pi", "session");

	CHECK_STR(get(out, "error", 0, "/message"), STR("Connection error."));
	CHECK(!get(out, "error", 0, "/step_id").p || !get(out, "error", 0, "/step_id").n);
	CHECK_STR(get(out, "error", 1, "/step_id"), STR("6"));
	CHECK_STR(get(out, "error", 1, "/code"), STR("aborted"));
}

TEST(entries_of_the_first_version_have_no_ids)
{
	struct str out = seed_convert(&arena, "pi", "older");

	seed_check(out, 1, 0, 0, 15, 1, 5, 4);
	CHECK_STR(get(out, "run_start", 0, "/model"), STR("m0"));
	CHECK_STR(get(out, "error", 0, "/step_id"), get(out, "model_step", 0, "/step_id"));
}
