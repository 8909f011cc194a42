#include "base/buf.h"
#include "dialect/claude_code/claude_code.h"
#include "dialect/formats.h"
#include "harness/convert.h"
#include "harness/test.h"

/* ---- help ---- */

/* Converts to OTUTL, which must be valid. */
static struct str to_otutl(struct arena *a, struct str text)
{
	return convert_valid(a, "claude-code", text, "otutl");
}

static struct arena test_arena(void)
{
	struct arena a;

	arena_init(&a);
	return a;
}

/* A member of the n-th record of a type. */
static void check_member(struct arena *a, struct str out, const char *type, size_t n, const char *pointer, const char *want)
{
	struct str got = convert_get(a, convert_record(out, type, n), pointer);

	test_case("%s %zu %s", type, n, pointer);
	CHECK_STR(got, str_from(want));
	test_case("after %s %zu %s", type, n, pointer);
}

/* The call with this id was made inside that one. */
static void check_inside(struct arena *a, struct str out, const char *call, const char *parent)
{
	for (size_t n = 0;; n++) {
		struct str record = convert_record(out, "tool_call", n);

		if (record.n == 0)
			FAIL("no call %s", call);
		if (!str_eq(convert_get(a, record, "/call_id"), str_from(call)))
			continue;
		CHECK_STR(convert_get(a, record, "/parent_call_id"), str_from(parent));
		return;
	}
}

static struct str join(struct arena *a, struct str one, struct str two)
{
	char *p = arena_alloc(a, one.n + two.n, 1);

	memcpy(p, one.p, one.n);
	memcpy(p + one.n, two.p, two.n);
	return str_of(p, one.n + two.n);
}

#define LINE(type, uuid, rest) \
	"{\"type\":\"" type "\",\"uuid\":\"" uuid "\",\"parentUuid\":null,\"isSidechain\":false,\"sessionId\":\"s1\"," \
	"\"version\":\"2.0.1\",\"timestamp\":\"2025-11-03T10:00:00.000Z\"," rest "}\n"
#define USAGE(in, read, write, out) \
	"\"usage\":{\"input_tokens\":" #in ",\"cache_read_input_tokens\":" #read ",\"cache_creation_input_tokens\":" #write \
	",\"output_tokens\":" #out "}"
#define ANSWER(uuid, id, block, usage) \
	LINE("assistant", uuid, "\"message\":{\"id\":\"" id "\",\"model\":\"claude-x\",\"role\":\"assistant\",\"type\":\"message\"," \
	     "\"content\":[" block "],\"stop_reason\":null," usage "}")
#define SAID(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define CALLED(id, name) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":{}}"
#define ASKED(uuid, text) LINE("user", uuid, "\"message\":{\"role\":\"user\",\"content\":\"" text "\"}")
#define GAVE(uuid, id, rest) \
	LINE("user", uuid, "\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"" id \
	     "\",\"content\":\"ok\"" rest "}]}")

/* ---- sessions ---- */

TEST(lines_of_one_answer_are_one_step_with_the_largest_usage)
{
	struct arena a = test_arena();
	struct str out = to_otutl(&a, test_data("claude-code/session.jsonl"));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.runs, 1);
	CHECK_INT(f.model_steps, 2);
	CHECK_INT(f.tool_calls, 2);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.tool_errors, 1);
	CHECK_INT(f.orphan_calls, 0);
	CHECK_INT(f.input_total, 1203 + 9);
	CHECK_INT(f.cache_read, 1000);
	CHECK_INT(f.cache_write, 200);
	CHECK_INT(f.output_total, 41 + 12);
	check_member(&a, out, "run_start", 0, "/vendor_run_id", "3c1f0a52-6f0e-4c8e-9a55-0d6f3b1c7e10");
	check_member(&a, out, "run_start", 0, "/agent/version", "2.0.14");
	check_member(&a, out, "run_start", 0, "/framework", "claude_code");
	check_member(&a, out, "model_step", 0, "/step_id", "msg_a");
	check_member(&a, out, "model_step", 0, "/text", "I will look.");
	check_member(&a, out, "model_step", 0, "/stop_reason", "tool_use");
	check_member(&a, out, "model_step", 0, "/call_ids/1", "toolu_mcp");
	check_member(&a, out, "model_step", 0, "/ts", "2025-11-03T09:00:07.049Z");
	check_member(&a, out, "tool_call", 1, "/tool", "mcp://calendar/list_days");
	arena_free(&a);
}

TEST(what_has_no_field_of_its_own_is_kept)
{
	static const char *const kept[] = {
		"c2lnbmVk",         "\"numLines\":1",     "Kiosk opening hours", "\"preTokens\":1200",
		"Caveat: local",    "\"durationMs\":5120", "PostToolUse",         "\"gitBranch\":\"main\"",
		"\"service_tier\"", "Summary of what came", "calendar is read only",
	};
	struct arena a = test_arena();
	struct str out = to_otutl(&a, test_data("claude-code/session.jsonl"));

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		test_case("%s", kept[i]);
		CHECK(str_find(out, str_from(kept[i])) != (size_t)-1);
	}
	arena_free(&a);
}

TEST(the_output_of_a_session_is_an_estimate_and_its_input_is_not)
{
	struct arena a = test_arena();
	struct str out = to_otutl(&a, STR(ANSWER("1", "m1", SAID("hi"), USAGE(1, 2, 3, 4))));
	struct str cost = convert_record(out, "cost", 0);

	CHECK_INT(convert_count(out).input_total, 6);
	CHECK(str_find(cost, STR("estimated")) != (size_t)-1);
	arena_free(&a);
}

TEST(a_made_up_message_is_an_error_and_no_step)
{
	struct arena a = test_arena();
	struct str out = to_otutl(&a, test_data("claude-code/session.jsonl"));

	check_member(&a, out, "error", 0, "/class", "model");
	check_member(&a, out, "error", 0, "/message", "API Error: 529 overloaded");
	arena_free(&a);
}

TEST(what_the_program_wrote_is_no_prompt)
{
	static const char text[] =
		LINE("user", "1", "\"isMeta\":true,\"message\":{\"role\":\"user\",\"content\":\"meta\"}")
		LINE("user", "2", "\"isCompactSummary\":true,\"message\":{\"role\":\"user\",\"content\":\"compact\"}")
		ASKED("3", "a real one") ANSWER("4", "m", SAID("yes"), USAGE(1, 0, 0, 1));
	struct arena a = test_arena();
	struct str out = to_otutl(&a, str_from(text)), step = convert_record(out, "model_step", 0);

	CHECK_STR(convert_get(&a, step, "/request/messages/0/content"), STR("a real one"));
	CHECK(!convert_get(&a, step, "/request/messages/1").p);
	CHECK(str_find(out, STR("compact_summary")) != (size_t)-1);
	arena_free(&a);
}

TEST(a_line_told_again_counts_once_and_another_under_its_uuid_is_a_note)
{
	static const struct {
		const char *text;
		long long steps, output;
		const char *kept;
	} cases[] = {
		{ ANSWER("1", "m1", SAID("one"), USAGE(1, 0, 0, 5)) ANSWER("1", "m1", SAID("one"), USAGE(1, 0, 0, 5)), 1, 5, "one" },
		{ ANSWER("1", "m1", SAID("one"), USAGE(1, 0, 0, 5)) ANSWER("1", "m2", SAID("two"), USAGE(1, 0, 0, 6)), 1, 5, "same_uuid" },
		{ ANSWER("1", "m1", SAID("one"), USAGE(1, 0, 0, 5)) ANSWER("2", "m2", SAID("two"), USAGE(1, 0, 0, 6)), 2, 11, "two" },
		/* another id of the session does not begin another run */
		{ ANSWER("1", "m1", SAID("one"), USAGE(1, 0, 0, 5))
		  "{\"type\":\"user\",\"uuid\":\"9\",\"parentUuid\":null,\"sessionId\":\"s\\n2\",\"message\":{\"content\":\"x\"}}\n", 1, 5,
		  "s\\n2" },
	};
	struct arena a = test_arena();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out;
		struct convert_figures f;

		test_case("%zu", i);
		out = to_otutl(&a, str_from(cases[i].text));
		f = convert_count(out);
		CHECK_INT(f.runs, 1);
		CHECK_INT(f.model_steps, cases[i].steps);
		CHECK_INT(f.output_total, cases[i].output);
		CHECK(str_find(out, str_from(cases[i].kept)) != (size_t)-1);
	}
	arena_free(&a);
}

TEST(two_lines_that_lost_the_end_between_them_are_both_read)
{
	static const char text[] = ASKED("1", "a") "{\"type\":\"summary\",\"summary\":\"s\",\"leafUuid\":\"1\"}"
				   ANSWER("2", "m1", SAID("one"), USAGE(1, 0, 0, 5));
	struct arena a = test_arena();

	CHECK_INT(convert_count(to_otutl(&a, str_from(text))).model_steps, 1);
	arena_free(&a);
}

TEST(results_find_their_calls_in_any_order_and_calls_without_one_are_errors)
{
	static const char text[] =
		ANSWER("1", "m1", CALLED("c1", "A") "," CALLED("c2", "B"), USAGE(1, 0, 0, 5))
		ANSWER("2", "m1", CALLED("c3", "C"), USAGE(1, 0, 0, 5)) GAVE("3", "c2", "") GAVE("4", "c1", ",\"is_error\":true");
	struct arena a = test_arena();
	struct str out = to_otutl(&a, str_from(text));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.tool_calls, 3);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.tool_errors, 1);
	CHECK_INT(f.orphan_calls, 1);
	check_member(&a, out, "tool_result", 0, "/call_id", "c2");
	check_member(&a, out, "run_end", 0, "/status", "interrupted");
	arena_free(&a);
}

TEST(a_result_that_only_the_program_calls_an_error_is_one)
{
	static const char text[] =
		ANSWER("1", "m1", CALLED("c1", "A"), USAGE(1, 0, 0, 5))
		LINE("user", "2", "\"toolUseResult\":\"Error: no\",\"message\":{\"content\":[{\"type\":\"tool_result\","
		     "\"tool_use_id\":\"c1\",\"content\":\"no\"}]}");
	struct arena a = test_arena();

	CHECK_INT(convert_count(to_otutl(&a, str_from(text))).tool_errors, 1);
	arena_free(&a);
}

/* ---- sub-agents ---- */

static void check_sub_agent(struct arena *a, struct str out)
{
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.runs, 1);
	CHECK_INT(f.model_steps, 3);
	CHECK_INT(f.tool_calls, 2);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.output_total, 39);
	check_inside(a, out, "toolu_ls", "toolu_task");
}

TEST(a_sub_agent_works_below_the_call_that_started_it)
{
	struct arena a = test_arena();
	struct str main = test_data("claude-code/main.jsonl"), sub = test_data("claude-code/agent-a7f.jsonl");
	struct str both = join(&a, main, sub);
	struct str out = to_otutl(&a, test_data("claude-code/progress.jsonl"));

	test_case("progress lines");
	check_sub_agent(&a, out);
	test_case("a file of its own");
	check_sub_agent(&a, to_otutl(&a, both));
	arena_free(&a);
}

TEST(a_sub_agent_told_in_progress_lines_and_in_its_own_file_counts_once)
{
	struct arena a = test_arena();
	struct str main = test_data("claude-code/progress.jsonl");
	/* the same line, by its uuid, as the sub-agent's file has it */
	struct str sub = STR("{\"parentUuid\":null,\"isSidechain\":true,\"agentId\":\"a7f\",\"sessionId\":\"x\",\"type\":\"assistant\","
			     "\"uuid\":\"line-106\",\"message\":{\"id\":\"msg_sub\",\"model\":\"claude-haiku-4-5-20251001\","
			     "\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":5}}}\n");
	struct str out = to_otutl(&a, join(&a, main, sub));

	CHECK(str_find(main, STR("\"uuid\":\"line-106\"")) != (size_t)-1);
	CHECK_INT(convert_count(out).model_steps, 3);
	CHECK_INT(convert_count(out).output_total, 39);
	arena_free(&a);
}

TEST(side_chains_without_a_name_are_told_apart_and_found_by_their_prompt)
{
	struct arena a = test_arena();
	struct str out = to_otutl(&a, test_data("claude-code/sidechain.jsonl"));

	CHECK_INT(convert_count(out).model_steps, 3);
	CHECK_INT(convert_count(out).tool_results, 4);
	check_inside(&a, out, "toolu_s1", "toolu_chairs");
	check_inside(&a, out, "toolu_s2", "toolu_tables");
	arena_free(&a);
}

/* ---- streams ---- */

#define S ",\"session_id\":\"s1\""
#define INIT "{\"type\":\"system\",\"subtype\":\"init\",\"tools\":[],\"mcp_servers\":[],\"model\":\"claude-x\"" S "}\n"
#define SPOKE(id, text, usage) \
	"{\"type\":\"assistant\",\"parent_tool_use_id\":null,\"message\":{\"id\":\"" id "\",\"model\":\"claude-x\"," \
	"\"role\":\"assistant\",\"content\":[" SAID(text) "]," usage "}" S "}\n"
#define RESULT(usd, in, out) \
	"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,\"result\":\"done\"," \
	"\"total_cost_usd\":" #usd "," USAGE(in, 0, 0, out) S "}\n"
#define EVENT(json) "{\"type\":\"stream_event\",\"parent_tool_use_id\":null,\"event\":" json S "}\n"

TEST(a_result_that_does_not_say_success_is_none)
{
#define ENDED(rest) "{\"type\":\"result\",\"num_turns\":1," rest S "}\n"
	static const struct {
		const char *text, *status;
	} cases[] = {
		{ ENDED("\"subtype\":\"success\""), "success" },
		{ ENDED("\"subtype\":\"exploded\""), "error" },
		{ ENDED("\"subtype\":\"interrupted\""), "interrupted" },
		{ ENDED("\"subtype\":\"interrupted\",\"is_error\":false"), "interrupted" },
		{ ENDED("\"subtype\":\"error_max_turns\",\"is_error\":false"), "error" },
		{ ENDED("\"subtype\":\"success\",\"is_error\":true"), "error" },
		{ ENDED("\"subtype\":\"exploded\",\"is_error\":false"), "success" },
		/* a turn after it, that has no result of its own */
		{ ENDED("\"subtype\":\"success\"") INIT SPOKE("m2", "b", USAGE(5, 0, 0, 1)), "interrupted" },
		{ ENDED("\"subtype\":\"success\"") INIT SPOKE("m2", "b", USAGE(5, 0, 0, 1)) ENDED("\"subtype\":\"success\""), "success" },
	};
	struct arena a = test_arena();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out = to_otutl(&a, join(&a, STR(INIT SPOKE("m1", "a", USAGE(5, 0, 0, 1))), str_from(cases[i].text)));

		test_case("%s", cases[i].text);
		CHECK_STR(convert_get(&a, convert_record(out, "run_end", 0), "/status"), str_from(cases[i].status));
	}
	arena_free(&a);
}

TEST(a_stream_costs_what_its_result_says)
{
	static const struct {
		const char *name, *text;
		long long runs, steps, input, output;
		const char *usd, *status;
	} cases[] = {
		{ "result", INIT SPOKE("m1", "a", USAGE(5, 0, 0, 1)) RESULT(0.5, 7, 90), 1, 1, 7, 90, "0.5", "success" },
		{ "no result", INIT SPOKE("m1", "a", USAGE(5, 1, 0, 2)) SPOKE("m1", "b", USAGE(5, 1, 0, 3))
		  SPOKE("m2", "c", USAGE(6, 0, 0, 4)), 1, 2, 12, 7, NULL, "interrupted" },
		{ "no usage in it", INIT SPOKE("m1", "a", USAGE(5, 0, 0, 2))
		  "{\"type\":\"result\",\"is_error\":false,\"num_turns\":1,\"total_cost_usd\":0.25" S "}\n", 1, 1, 5, 2, "0.25", "success" },
		{ "two turns, growing", INIT SPOKE("m1", "a", USAGE(5, 0, 0, 1)) RESULT(0.5, 7, 90) INIT
		  SPOKE("m2", "b", USAGE(5, 0, 0, 1)) RESULT(0.75, 9, 120), 1, 2, 9, 120, "0.75", "success" },
		{ "two turns, each its own", INIT SPOKE("m1", "a", USAGE(5, 0, 0, 1)) RESULT(0.5, 7, 90) INIT
		  SPOKE("m2", "b", USAGE(5, 0, 0, 1)) RESULT(0.25, 3, 10), 1, 2, 10, 100, "0.75", "success" },
		{ "an error", INIT SPOKE("m1", "a", USAGE(5, 0, 0, 1))
		  "{\"type\":\"result\",\"subtype\":\"error_max_turns\",\"is_error\":true,\"num_turns\":1" S "}\n", 1, 1, 5, 1, NULL,
		  "error" },
		{ "answers without an id", INIT
		  "{\"type\":\"assistant\",\"message\":{\"content\":[" SAID("a") "],\"model\":\"claude-x\"}}\n"
		  "{\"type\":\"assistant\",\"message\":{\"content\":[" SAID("b") "],\"model\":\"claude-x\"}}\n" RESULT(0.5, 7, 90),
		  1, 2, 7, 90, "0.5", "success" },
	};
	struct arena a = test_arena();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out, usd;
		struct convert_figures f;

		test_case("%s", cases[i].name);
		out = to_otutl(&a, str_from(cases[i].text));
		f = convert_count(out);
		CHECK_INT(f.runs, cases[i].runs);
		CHECK_INT(f.model_steps, cases[i].steps);
		CHECK_INT(f.input_total, cases[i].input);
		CHECK_INT(f.output_total, cases[i].output);
		CHECK_STR(convert_get(&a, convert_record(out, "run_end", 0), "/status"), str_from(cases[i].status));
		usd = convert_get(&a, convert_record(out, "cost", 0), "/estimated_cost_usd");
		if (cases[i].usd)
			CHECK_STR(usd, str_from(cases[i].usd));
	}
	arena_free(&a);
}

TEST(with_sub_agents_a_stream_costs_what_its_models_did)
{
	struct arena a = test_arena();
	struct str out = to_otutl(&a, test_data("claude-code/stream.jsonl"));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.model_steps, 3);
	CHECK_INT(f.input_total, 336);
	CHECK_INT(f.cache_read, 300);
	CHECK_INT(f.cache_write, 30);
	CHECK_INT(f.output_total, 970);
	check_member(&a, out, "cost", 0, "/model", "claude-sonnet-4-6");
	check_member(&a, out, "cost", 0, "/estimated_cost_usd", "0.2");
	check_member(&a, out, "cost", 0, "/ext/trackway~11/total_only", "true");
	check_member(&a, out, "cost", 1, "/model", "claude-haiku-4-5");
	check_member(&a, out, "cost", 1, "/estimated_cost_usd", "0.05");
	check_member(&a, out, "run_end", 0, "/totals/estimated_cost_usd", "0.25");
	check_member(&a, out, "error", 0, "/class", "harness");
	check_member(&a, out, "run_end", 0, "/output", "Three chairs.");
	check_inside(&a, out, "toolu_ls", "toolu_task");
	arena_free(&a);
}

/* What a run cost is the log's figure, whatever its models add up to. */
TEST(prices_of_models_count_where_they_are_that_of_the_run)
{
#define OF_MODEL(name, more) "\"" name "\":{\"inputTokens\":10,\"outputTokens\":1" more "}"
#define OF_RUN(usd, one, two) \
	"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1" usd ",\"modelUsage\":{" one "," two "}" S "}\n"
	static const struct {
		const char *text, *first, *second;
	} cases[] = {
		{ OF_RUN(",\"total_cost_usd\":0.3", OF_MODEL("a", ",\"costUSD\":0.1"), OF_MODEL("b", ",\"costUSD\":0.2")), "0.1", "0.2" },
		{ OF_RUN(",\"total_cost_usd\":0.5", OF_MODEL("a", ",\"costUSD\":0.1"), OF_MODEL("b", ",\"costUSD\":0.2")), "0.5", NULL },
		{ OF_RUN(",\"total_cost_usd\":0.3", OF_MODEL("a", ",\"costUSD\":0.1"), OF_MODEL("b", "")), "0.3", NULL },
		{ OF_RUN("", OF_MODEL("a", ",\"costUSD\":0.1"), OF_MODEL("b", ",\"costUSD\":0.2")), "0.1", "0.2" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a = test_arena();
		struct str out = to_otutl(&a, str_from(cases[i].text));

		check_member(&a, out, "cost", 0, "/estimated_cost_usd", cases[i].first);
		check_member(&a, out, "cost", 1, "/estimated_cost_usd", cases[i].second);
		CHECK_INT(convert_count(out).input_total, 20);
		CHECK(!str_eq(convert_get(&a, convert_record(out, "run_end", 0), "/totals/estimated_cost_usd"), STR("null")));
		arena_free(&a);
	}
}

TEST(two_streams_in_one_file_are_two_runs)
{
	static const char text[] = INIT SPOKE("m1", "a", USAGE(5, 0, 0, 1)) RESULT(0.5, 7, 90)
		"{\"type\":\"system\",\"subtype\":\"init\",\"tools\":[],\"mcp_servers\":[],\"session_id\":\"other\"}\n"
		SPOKE("m2", "b", USAGE(5, 0, 0, 1)) RESULT(0.25, 3, 10);
	struct arena a = test_arena();
	struct str out = to_otutl(&a, str_from(text));

	CHECK_INT(convert_count(out).runs, 2);
	CHECK_INT(convert_count(out).input_total, 10);
	check_member(&a, out, "cost", 1, "/tokens_in", "3");
	arena_free(&a);
}

TEST(events_of_the_service_stand_in_for_lines_that_never_came)
{
#define START(id) EVENT("{\"type\":\"message_start\",\"message\":{\"id\":\"" id "\",\"model\":\"claude-x\",\"content\":[]," USAGE(5, 0, 0, 1) "}}")
#define DELTA(text) EVENT("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" text "\"}}")
#define CALL_PIECES \
	EVENT("{\"type\":\"content_block_start\",\"index\":1,\"content_block\":" CALLED("c1", "Bash") "}") \
	EVENT("{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":1}\"}}")
#define FIGURES EVENT("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":77}}")
#define STOP EVENT("{\"type\":\"message_stop\"}")
	static const struct {
		const char *name, *text, *said, *args;
		long long steps, output;
		bool partial;
	} cases[] = {
		{ "lines came", INIT START("m1") DELTA("Hel") DELTA("lo") SPOKE("m1", "Hello", USAGE(5, 0, 0, 1)) FIGURES STOP, "Hello",
		  NULL, 1, 77, false },
		{ "an unknown one", INIT START("m1") DELTA("A") SPOKE("m1", "A", USAGE(5, 0, 0, 1)) EVENT("{\"type\":\"new_partial\"}"), "A",
		  NULL, 1, 1, true },
		{ "no lines", INIT START("m1") DELTA("Hel") DELTA("lo") CALL_PIECES, "Hello", "1", 1, 1, true },
		{ "one of two", INIT START("m1") DELTA("A") SPOKE("m1", "A", USAGE(5, 0, 0, 1)) FIGURES STOP START("m2") DELTA("B"), "A",
		  NULL, 2, 78, true },
	};
	struct arena a = test_arena();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out;

		test_case("%s", cases[i].name);
		out = to_otutl(&a, str_from(cases[i].text));
		CHECK_INT(convert_count(out).model_steps, cases[i].steps);
		CHECK_INT(convert_count(out).output_total, cases[i].output);
		CHECK_STR(convert_get(&a, convert_record(out, "model_step", 0), "/text"), str_from(cases[i].said));
		CHECK((str_find(out, STR("partial")) != (size_t)-1) == cases[i].partial);
		if (cases[i].args)
			CHECK_STR(convert_get(&a, convert_record(out, "tool_call", 0), "/args/a"), str_from(cases[i].args));
	}
	arena_free(&a);
}

TEST(a_stream_is_read_the_same_as_lines_as_an_array_and_as_a_capture)
{
	static const char lines[] = INIT SPOKE("m1", "a", USAGE(5, 0, 0, 1)) RESULT(0.5, 7, 90);
	struct arena a = test_arena();
	struct str left = str_from(lines);
	struct buf array, capture;

	buf_init(&array);
	buf_init(&capture);
	buf_add_str(&capture, STR("{\"metadata\":{\"cli_version\":\"9\"},\"messages\":["));
	while (left.n) {
		struct str line = str_cut(left, '\n', &left);

		buf_printf(&array, "%s%.*s", array.n ? ",\n" : "[", STR_ARG(line));
		buf_printf(&capture, "{\"direction\":\"recv\",\"message\":%.*s}%s", STR_ARG(line), left.n ? "," : "]}");
	}
	buf_add_byte(&array, ']');
	for (int i = 0; i < 3; i++) {
		struct str text = i == 0 ? str_from(lines) : buf_str(i == 1 ? &array : &capture), out;

		test_case("%d", i);
		out = to_otutl(&a, text);
		CHECK_INT(convert_count(out).runs, 1);
		CHECK_INT(convert_count(out).model_steps, 1);
		CHECK_INT(convert_count(out).input_total, 7);
		check_member(&a, out, "run_start", 0, "/vendor_run_id", "s1");
	}
	CHECK(str_find(to_otutl(&a, buf_str(&capture)), STR("cli_version")) != (size_t)-1);
	buf_free(&array);
	buf_free(&capture);
	arena_free(&a);
}

/* ---- detection ---- */

TEST(a_log_is_known_by_what_it_holds)
{
	static const struct {
		const char *text, *format;
	} cases[] = {
		{ ASKED("1", "a"), "claude-code" },
		{ "{\"type\":\"summary\",\"summary\":\"s\",\"leafUuid\":\"1\"}\n" ASKED("1", "a"), "claude-code" },
		{ INIT, "claude-code" },
		{ "{\"type\":\"system\",\"subtype\":\"init\",\"apiKeySource\":\"env\",\"cwd\":\"/w\",\"session_id\":\"1\","
		  "\"model\":\"Opus\",\"permissionMode\":\"default\"}\n", "cursor" },
		{ "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[" SAID("a") "]},\"session_id\":\"1\"}\n", "cursor" },
		{ "{\"type\":\"result\",\"subtype\":\"success\",\"duration_ms\":1,\"is_error\":false,\"result\":\"a\","
		  "\"session_id\":\"1\",\"request_id\":\"2\"}\n", "cursor" },
		{ "{\"role\":\"assistant\",\"content\":[" CALLED("c", "Bash") "]}\n", "conversation" },
		{ "[{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"1\"},{\"type\":\"result\",\"is_error\":false,"
		  "\"num_turns\":1}]", "claude-code" },
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 64 });

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = str_from(cases[i].text);
		const char *best = NULL;
		int most = 0;
		struct val v;

		if (cases[i].text[0] == '{')
			text = str_cut(text, '\n', &(struct str){ NULL, 0 });
		test_case("%zu", i);
		CHECK(json_parse_copy(p, text, &v, NULL));
		for (const struct dialect *const *d = dialects; *d; d++) {
			int fit = (*d)->read && (*d)->fits ? (*d)->fits(v) : 0;

			if (fit > most) {
				most = fit;
				best = (*d)->name;
			}
		}
		CHECK_STR(str_from(best ? best : "none"), str_from(cases[i].format ? cases[i].format : "none"));
	}
	json_parser_close(p);
}

/* ---- the samples ---- */

static void check_samples(const char *folder)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 64 });
	const char *root = test_shared(folder);
	struct arena a = test_arena();
	struct str rows = test_read(arena_printf(&a, "%s/EXPECT.jsonl", root).p);
	size_t count = 0;

	while (rows.n) {
		struct val row;
		struct str line = str_cut(rows, '\n', &rows), name, path, first = STR("");
		struct converted c;
		struct convert_figures f;
		struct buf wrong;

		if (line.n == 0 || !json_parse_copy(p, line, &row, NULL))
			continue;
		arena_reset(&a);
		name = val_text(val_get(row, STR("file")), &a);
		path = arena_printf(&a, "%s/dev/%.*s", root, STR_ARG(name));
		test_case("%.*s", STR_ARG(name));
		c = convert_file(&a, path.p, (struct convert_how){ .to = "otutl" });
		CHECK(c.done);
		CHECK(c.from == &claude_code_dialect);
		CHECK_INT(convert_errors(&a, "otutl", c.out, &first), 0);
		f = convert_count(c.out);
		buf_init(&wrong);
		convert_compare(&wrong, &f, row);
		CHECK_STR(buf_str(&wrong), STR(""));
		buf_free(&wrong);
		count++;
	}
	CHECK(count > 5);
	json_parser_close(p);
	arena_free(&a);
}

TEST(figures_of_the_session_samples_are_those_of_an_independent_reader)
{
	check_samples("vendors/claude_code_session");
}

TEST(figures_of_the_stream_samples_are_those_of_an_independent_reader)
{
	check_samples("vendors/claude_code_stream_json");
}

/* Lines from the n-th on. */
static struct str skip_lines(struct str text, int64_t n)
{
	while (n-- > 0)
		str_cut(text, '\n', &text);
	return text;
}

/* What the main line used: costs without a call above them. */
static void sum_main(struct arena *a, struct str out, int64_t sums[4], int64_t *steps)
{
	static const char *const names[] = { "/tokens_in", "/tokens_out", "/cache_read_tokens", "/cache_write_tokens" };

	memset(sums, 0, 4 * sizeof(*sums));
	*steps = 0;
	while (out.n) {
		struct str line = str_cut(out, '\n', &out);

		if (str_find(line, STR("\"type\":\"cost\"")) == (size_t)-1 || convert_get(a, line, "/parent_call_id").p ||
		    !str_eq(convert_get(a, line, "/type"), STR("cost")))
			continue;
		for (int i = 0; i < 4; i++) {
			int64_t n = 0;

			num_parse_i64(convert_get(a, line, names[i]), &n);
			sums[i] += n;
		}
		++*steps;
	}
}

/* Whether the log, from this line on, has the figures: input, output, read, written, answers. */
static bool is_counted(struct arena *a, struct str log, int64_t start, const int64_t want[5])
{
	int64_t sums[4], steps;

	sum_main(a, to_otutl(a, skip_lines(log, start)), sums, &steps);
	return sums[0] == want[0] + want[2] + want[3] && sums[1] == want[1] && sums[2] == want[2] && sums[3] == want[3] &&
	       steps == want[4];
}

TEST(tokens_are_those_that_another_program_counted)
{
	static const char *const files[] = {
		"entire-48-b429896bcb-0", "entire-86-9d11344fce-1", "entire-a4-a8d7d25377-2",
		"entire-b9-6b93f2526f-2", "entire-bc-c28959f548-0", "entire-bc-cb77bb88fa-1",
		"entire-cd-86afb9c782-0", "entire-d6-5f53d0e8e2-1", "entire-d6-da3f10e6fe-0",
	};
	static const char *const names[] = {
		"/token_usage/input_tokens", "/token_usage/output_tokens", "/token_usage/cache_read_tokens",
		"/token_usage/cache_creation_tokens", "/token_usage/api_call_count",
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 64 });
	const char *root = test_shared("vendors/claude_code_session");
	struct arena a = test_arena();

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct str truth = test_read(arena_printf(&a, "%s/dev_truth/%s.entire-metadata.json", root, files[i]).p);
		struct str log = test_read(arena_printf(&a, "%s/dev/%s.jsonl", root, files[i]).p);
		int64_t want[5], start = 0;
		struct val v;

		test_case("%s", files[i]);
		CHECK(json_parse_copy(p, truth, &v, NULL));
		for (int j = 0; j < 5; j++)
			CHECK(val_i64(val_at(v, str_from(names[j])), &want[j]));
		val_i64(val_get(v, STR("transcript_lines_at_start")), &start);
		/* some of them count from the first line although they name another */
		CHECK(is_counted(&a, log, start, want) || is_counted(&a, log, 0, want));
		arena_reset(&a);
	}
	json_parser_close(p);
	arena_free(&a);
}

/* ---- traces ---- */

static size_t count_kind(struct arena *a, struct str trace, const char *kind)
{
	size_t n = 0;

	while (trace.n)
		n += str_eq(convert_get(a, str_cut(trace, '\n', &trace), "/kind"), str_from(kind));
	return n;
}

TEST(what_the_program_says_for_itself_is_no_input_of_a_user)
{
	static const struct {
		const char *text;
		size_t inputs;
	} cases[] = {
		{ "hello", 2 },
		{ "<task-notification>x</task-notification>", 1 },
		{ "<command-name>/exit</command-name>", 1 },
		{ "<local-command-stdout>bye</local-command-stdout>", 1 },
		{ "[Request interrupted by user for tool use]", 1 },
		{ "<command-message>review</command-message>", 2 }, /* a prompt under a name */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a = test_arena();
		struct str text = arena_printf(&a, ASKED("u1", "first") ASKED("u2", "%s")
					       ANSWER("u3", "m1", SAID("a"), USAGE(5, 0, 0, 1)), cases[i].text);
		struct str trace = convert_text(&a, "claude-code", text, "agent-trace");

		test_case("%s", cases[i].text);
		CHECK_INT(count_kind(&a, trace, "user_input"), cases[i].inputs);
		arena_free(&a);
	}
}

TEST(a_session_says_neither_where_requests_went_nor_whether_they_were_streamed)
{
	struct arena a = test_arena();
	struct str text = STR(ASKED("u1", "first") ANSWER("u2", "m1", SAID("a"), USAGE(5, 0, 0, 1)));
	struct str trace = convert_text(&a, "claude-code", text, "agent-trace"), node;

	str_cut(trace, '\n', &node);
	node = str_cut(node, '\n', &trace);
	CHECK_STR(convert_get(&a, node, "/model_call/endpoint"), STR("unknown"));
	CHECK_STR(convert_get(&a, node, "/model_call/stream"), STR("false"));
	CHECK_STR(convert_get(&a, node, "/model_call/inferred/1"), STR("stream"));
	arena_free(&a);
}
