#include "unit/dialect/seed_run.h"

static struct arena arena;

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

#define LOGS "agents/gptme-openai/session/logs/"

TEST(conversations_have_the_tokens_that_the_model_side_saw)
{
	seed_check(seed_agent(&arena, "gptme", LOGS "2026-11-16-dancing-pink-robot/conversation.jsonl"), 19, 0, 0, 24700, 627, 0,
		   -1);
	seed_check(seed_agent(&arena, "gptme", LOGS "2026-11-16-hopping-green-alien/conversation.jsonl"), 19, 0, 0, 26500, 519,
		   10800, 0);
}

TEST(blocks_of_code_are_text_and_no_calls)
{
	struct str out = seed_convert(&arena, "gptme", "conversation");

	seed_check(out, 1, 0, 0, 1340, 33, 1200, 40);
	CHECK_STR(get(out, "run_start", 0, "/agent/name"), STR("gptme"));
	CHECK_STR(get(out, "model_step", 0, "/model"), STR("gpt-5.1"));
	CHECK_STR(get(out, "model_step", 0, "/provider"), STR("openai"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.00749"));
}

TEST(calls_with_an_id_are_calls_unless_they_are_quoted)
{
	struct str out = seed_convert(&arena, "gptme", "tools");

	seed_check(out, 1, 1, 1, 1, 2, -1, -1);
	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("call-1"));
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://gptme/shell"));
	CHECK_STR(get(out, "tool_call", 0, "/args/command"), STR("ls -l"));
	CHECK_STR(get(out, "tool_result", 0, "/result"), STR("a.txt b.txt"));
}
