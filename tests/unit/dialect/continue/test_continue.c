#include "unit/dialect/seed_run.h"

static struct arena arena;

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

TEST(a_session_has_the_tokens_that_the_model_side_saw)
{
	seed_check(seed_agent(&arena, "continue", "agents/cn-cfg/session/d2b2c41f-c926-4029-8fb0-5b4b80fa20e6.json"), 2, 1, 1, 2800,
		   54, 1200, 1240);
}

TEST(the_cache_is_apart_for_anthropic_and_inside_for_others)
{
	struct str out = seed_convert(&arena, "continue", "session");

	CHECK_STR(get(out, "cost", 0, "/tokens_in"), STR("1307"));
	CHECK_STR(get(out, "cost", 0, "/cache_write_tokens"), STR("1200"));
	CHECK_STR(get(out, "cost", 1, "/tokens_in"), STR("1500"));
	CHECK_STR(get(out, "cost", 1, "/cache_read_tokens"), STR("1200"));
}

TEST(states_are_the_results_of_calls)
{
	struct str out = seed_convert(&arena, "continue", "session");

	seed_check(out, 2, 3, 3, 2807, 54, 1207, 1200);
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("s-1"));
	CHECK_STR(get(out, "tool_call", 0, "/args/command"), STR("make"));
	CHECK_STR(get(out, "tool_result", 0, "/result"), STR("all built"));
	CHECK_STR(get(out, "tool_result", 0, "/is_error"), STR("false"));
	CHECK_STR(get(out, "tool_result", 1, "/is_error"), STR("true"));
	CHECK_STR(get(out, "tool_result", 2, "/result"), STR("edited the file"));
	CHECK_STR(get(out, "model_step", 1, "/reasoning"), STR("all is built"));
}
