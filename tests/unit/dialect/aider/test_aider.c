#include "unit/dialect/seed_run.h"

static struct arena arena;

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

TEST(the_chat_of_a_run_has_its_rounded_figures)
{
	struct str out = seed_agent(&arena, "aider", "agents/aider-openai/session/.aider.chat.history.md");

	seed_check(out, 1, 0, 0, 2400, 6, -1, -1);
	CHECK_STR(get(out, "cost", 0, "/source"), STR("estimated"));
	CHECK_STR(get(out, "cost", 0, "/cost_source"), STR("estimated"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.006"));
}

TEST(a_chat_in_markdown_is_questions_answers_and_what_aider_said)
{
	struct str out = seed_convert(&arena, "aider", "chat_history_md");

	seed_check(out, 2, 0, 0, 2400, 6, 300, 1200);
	CHECK_INT(convert_count(out).runs, 2);
	CHECK_STR(get(out, "run_start", 0, "/agent/version"), STR("0.86.2"));
	CHECK_STR(get(out, "run_start", 0, "/model"), STR("openai/gpt-4o"));
	CHECK_STR(get(out, "run_start", 0, "/ts"), STR("2026-11-16T19:18:38.000Z"));
	CHECK_STR(get(out, "run_start", 0, "/ext/aider~11/said/1"), STR("Git repo: none"));
	CHECK_STR(get(out, "model_step", 0, "/request/messages/0/content"), STR("please fix the bug\nin two lines"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I fix the bug.\n\n```c\n\tint indented;\n> not said by aider\n```"));
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("You are welcome."));
	CHECK(!get(out, "model_step", 1, "/usage").p);
	CHECK_STR(get(out, "run_start", 1, "/model"), STR("m2"));
}

TEST(requests_repeat_what_was_said_and_only_what_is_new_counts)
{
	struct str out = seed_convert(&arena, "aider", "llm_history");

	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_STR(get(out, "model_step", 0, "/request/messages/0/content"), STR("Act as an expert.\n  Indented {\"a\":1} tail"));
	CHECK_STR(get(out, "model_step", 0, "/request/messages/1/content"), STR("Hello\n\nworld"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("Sure.\ndata: {\"x\":1}"));
	CHECK_STR(get(out, "model_step", 0, "/latency_ms"), STR("2000"));
	CHECK_STR(get(out, "model_step", 1, "/request/messages/0/content"), STR("more"));
	CHECK(!get(out, "model_step", 1, "/request/messages/1").p);
}

TEST(the_analytics_log_has_exact_tokens)
{
	struct str out = seed_convert(&arena, "aider", "analytics");

	seed_check(out, 1, 0, 0, 2400, 6, -1, -1);
	CHECK_STR(get(out, "cost", 0, "/source"), STR("api"));
	CHECK_STR(get(out, "cost", 0, "/cost_source"), STR("estimated"));
	CHECK_STR(get(out, "run_start", 0, "/agent/version"), STR("0.86.2"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("the service is busy"));
}
