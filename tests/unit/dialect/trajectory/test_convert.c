/* Trajectories to events and back, and from what others wrote. */
#include "dialect/target.h"
#include "unit/dialect/round_check.h"

static struct arena *arena(void)
{
	struct arena *a = test_alloc(sizeof(*a));

	arena_init(a);
	return a;
}

#define HEADER "{\"version\":1,\"format\":\"aec-bench-trajectory\"}\n"

TEST(a_trajectory_comes_back_from_otutl_with_every_field)
{
	round_check(arena(), "trajectory", "trajectory", test_data("trajectory/convert.jsonl"));
}

TEST(every_trajectory_of_the_samples_comes_back)
{
	static const char *const names[] = {
		"aec/trajectory_ok.jsonl", "aec/trajectory_error.jsonl", "aec/trajectory_warmup.jsonl",
		"aec/trajectory_partial.jsonl",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		test_case("%s", names[i]);
		round_check(arena(), NULL, "trajectory", test_read(test_shared(names[i])));
	}
}

TEST(entries_are_counted)
{
	static const struct {
		const char *name;
		int64_t steps, calls, results, errors, orphans;
	} cases[] = {
		{ "aec/trajectory_ok.jsonl", 2, 2, 2, 0, 0 },
		{ "aec/trajectory_error.jsonl", 0, 1, 1, 1, 0 },
		{ "aec/trajectory_warmup.jsonl", 2, 2, 2, 0, 0 },
		{ "aec/trajectory_partial.jsonl", 1, 1, 0, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct convert_figures f =
			convert_count(convert_text(arena(), NULL, test_read(test_shared(cases[i].name)), "otutl"));

		test_case("%s", cases[i].name);
		CHECK_INT(f.runs, 1);
		CHECK_INT(f.model_steps, cases[i].steps);
		CHECK_INT(f.tool_calls, cases[i].calls);
		CHECK_INT(f.tool_results, cases[i].results);
		CHECK_INT(f.tool_errors, cases[i].errors);
		CHECK_INT(f.orphan_calls, cases[i].orphans);
	}
}

TEST(a_result_is_an_error_by_its_exit_code)
{
	static const struct {
		const char *fields, *error;
	} cases[] = {
		{ "\"exit_code\":0", "false" },       { "\"exit_code\":1", "true" },
		{ "\"exit_code\":-9", "true" },       { "\"exit_code\":null", NULL },
		{ "\"stderr\":\"command not found\"", NULL }, { "\"metadata\":{\"is_error\":true}", "true" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena();
		struct str text = arena_printf(a, HEADER "{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"sh\"}\n"
					       "{\"step\":1,\"role\":\"tool_result\",%s}\n", cases[i].fields);
		struct str out = round_check(a, "trajectory", "trajectory", text);

		test_case("%s", cases[i].fields);
		CHECK_STR(convert_get(a, convert_record(out, "tool_result", 0), "/is_error"), str_from(cases[i].error));
	}
}

/* Entries have no ids: what stands in another step belongs to another call. */
TEST(calls_and_results_are_joined_by_order_within_their_step)
{
	static const struct str text = { HEADER
		"{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"lost\"}\n"
		"{\"step\":2,\"role\":\"tool_call\",\"tool_name\":\"a\"}\n"
		"{\"step\":2,\"role\":\"tool_call\",\"tool_name\":\"w\",\"call_type\":\"warmup\"}\n"
		"{\"step\":2,\"role\":\"tool_call\",\"tool_name\":\"b\"}\n"
		"{\"step\":2,\"role\":\"tool_result\",\"stdout\":\"of a\"}\n"
		"{\"step\":2,\"role\":\"tool_result\",\"stdout\":\"of b\"}\n", 0 };
	struct arena *a = arena();
	struct str out = convert_text(a, "trajectory", str_from(text.p), "otutl");

	CHECK_STR(convert_get(a, convert_record(out, "tool_result", 0), "/call_id"),
		  convert_get(a, convert_record(out, "tool_call", 1), "/call_id"));
	CHECK_STR(convert_get(a, convert_record(out, "tool_result", 1), "/call_id"),
		  convert_get(a, convert_record(out, "tool_call", 3), "/call_id"));
	CHECK_INT(convert_count(out).orphan_calls, 2);
	CHECK_STR(convert_get(a, convert_record(out, "tool_call", 2), "/ext/trackway~11/branch"), STR("warmup"));
}

TEST(what_others_wrote_becomes_pairs_in_steps)
{
	static const char text[] =
		"{\"role\":\"user\",\"content\":\"go\"}\n"
		"{\"role\":\"assistant\",\"content\":\"both\",\"tool_calls\":["
		"{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"sh\",\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"}},"
		"{\"id\":\"c2\",\"type\":\"function\",\"function\":{\"name\":\"get\",\"arguments\":\"{\\\"u\\\":1}\"}}]}\n"
		"{\"role\":\"tool\",\"tool_call_id\":\"c2\",\"content\":\"Error: no\"}\n"
		"{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"f\"}\n"
		"{\"role\":\"assistant\",\"content\":\"done\"}\n";
	static const char want[] = HEADER
		"{\"step\":0,\"role\":\"user\",\"content\":\"go\"}\n"
		"{\"step\":1,\"role\":\"assistant\",\"content\":\"both\"}\n"
		"{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"get\",\"arguments\":{\"u\":1},\"metadata\":{\"call_id\":\"c2\"}}\n"
		"{\"step\":1,\"role\":\"tool_result\",\"tool_name\":\"get\",\"content\":\"Error: no\","
		"\"metadata\":{\"call_id\":\"c2\",\"is_error\":true}}\n"
		"{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"sh\",\"command\":\"ls\",\"metadata\":{\"call_id\":\"c1\"}}\n"
		"{\"step\":1,\"role\":\"tool_result\",\"tool_name\":\"sh\",\"content\":\"f\",\"metadata\":{\"call_id\":\"c1\"}}\n"
		"{\"step\":2,\"role\":\"assistant\",\"content\":\"done\"}\n";
	struct arena *a = arena();
	struct str out = convert_text(a, "conversation", str_from(text), "trajectory");

	CHECK_STR(round_canonical(a, out), round_canonical(a, str_from(want)));
	CHECK_INT(convert_errors(a, "trajectory", out, NULL), 0);
	round_check(a, "trajectory", "trajectory", out);
}

#define LINE(seq, type, more) "{\"type\":\"" type "\",\"ts\":\"2026-01-02T03:04:05.000Z\",\"run_id\":" \
			      "\"019b7c9a-1c88-7000-8000-000000000001\",\"seq\":" #seq more "}\n"

TEST(numbers_that_no_double_holds_are_numbers_again)
{
	static const char log[] =
		LINE(0, "run_start", "")
		LINE(1, "model_step", ",\"step_id\":\"m\",\"text\":\"\",\"request\":{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}")
		LINE(2, "tool_call", ",\"call_id\":\"a\",\"tool\":\"tool://x/f\",\"args\":{\"n\":\"9007199254740993\"},\"step_id\":\"m\","
		     "\"ext\":{\"trackway/1\":{\"bigint\":[\"/args/n\"]}}")
		LINE(3, "tool_result", ",\"call_id\":\"a\",\"result\":{\"n\":\"9007199254740995\"},"
		     "\"ext\":{\"trackway/1\":{\"bigint\":[\"/result/n\"]}}")
		LINE(4, "run_end", ",\"status\":\"success\"");
	struct arena *a = arena();
	struct str out = convert_text(a, "otutl", str_from(log), "trajectory");

	CHECK(str_find(out, STR("\"arguments\":{\"n\":9007199254740993}")) != (size_t)-1);
	CHECK(str_find(out, STR("{\\\"n\\\":9007199254740995}")) != (size_t)-1);
	round_check(a, "trajectory", "trajectory", out);
}

TEST(what_a_trajectory_cannot_hold_is_told)
{
	static const char text[] = "{\"role\":\"assistant\",\"content\":\"a\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}\n";
	struct arena *a = arena();
	struct converted c = convert_with(a, str_from(text),
					  (struct convert_how){ .from = "conversation", .to = "trajectory", .no_prices = true });

	CHECK(c.done);
	CHECK(str_find(c.losses, STR("usage (1)")) != (size_t)-1);
}

#define CALLED(members)                                                                                     \
	HEADER "{\"step\":1,\"role\":\"assistant\",\"content\":\"a\"}\n"                                     \
	"{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"sh\"," members "}\n"                               \
	"{\"step\":1,\"role\":\"tool_result\",\"tool_name\":\"sh\",\"stdout\":\"f\",\"exit_code\":0}\n"

TEST(a_command_beside_arguments_is_one_of_them_in_every_format)
{
	static const struct {
		const char *text, *args;
	} cases[] = {
		{ CALLED("\"command\":\"ls\""), "{\"command\":\"ls\"}" },
		{ CALLED("\"arguments\":{\"cwd\":\"/\"}"), "{\"cwd\":\"/\"}" },
		{ CALLED("\"command\":\"l\\ns\",\"arguments\":{\"a\":1,\"zeit\":9007199254740993}"),
		  "{\"a\":1,\"command\":\"l\\ns\",\"zeit\":\"9007199254740993\"}" },
		{ CALLED("\"command\":\"ls\",\"arguments\":{}"), "{\"command\":\"ls\"}" },
		{ CALLED("\"command\":\"ls\",\"arguments\":{\"#x\":1,\"command\":\"ls\"}"), "{\"#x\":1,\"command\":\"ls\"}" },
		{ CALLED("\"command\":\"ls\",\"arguments\":{\"#x\":1}"), "{\"#x\":1,\"command\":\"ls\"}" },
		{ CALLED("\"command\":\"ls\",\"arguments\":{\"command\":[\"rm\"],\"n\":9007199254740993}"),
		  "{\"arguments\":{\"command\":[\"rm\"],\"n\":\"9007199254740993\"},\"command\":\"ls\"}" },
	};
	struct arena *a = arena();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = str_from(cases[i].text), out;

		test_case("%s", cases[i].args);
		out = round_check(a, "trajectory", "trajectory", text);
		CHECK_STR(convert_get(a, convert_record(out, "tool_call", 0), "/args"), str_from(cases[i].args));
		for (const struct target *t = targets; t->name; t++) {
			test_case("%s in %s", cases[i].args, t->name);
			if (strcmp(t->name, "agent-trace") == 0)
				continue; /* it holds none at all */
			out = convert_text(a, NULL, convert_text(a, "trajectory", text, t->name), "otutl");
			CHECK_STR(convert_get(a, convert_record(out, "tool_call", 0), "/args"), str_from(cases[i].args));
		}
	}
}
