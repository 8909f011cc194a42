#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"

#define LINE(type, payload) "{\"timestamp\":\"2025-09-25T01:22:20.084Z\",\"type\":\"" type "\",\"payload\":" payload "}\n"
#define META LINE("session_meta", "{\"id\":\"01997e76-d124-7592-9cac-2ec05abbca08\",\"cli_version\":\"0.40.0\"}")
#define ITEM(payload) LINE("response_item", payload)
#define EVENT(payload) LINE("event_msg", payload)
#define USAGE(in, out) "{\"input_tokens\":" #in ",\"output_tokens\":" #out ",\"total_tokens\":0}"
#define TOKENS(total, in, out)                                                                            \
	EVENT("{\"type\":\"token_count\",\"info\":{\"total_token_usage\":{\"input_tokens\":" #total "},"  \
	      "\"last_token_usage\":" USAGE(in, out) "},\"rate_limits\":null}")
#define SAID(text) ITEM("{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"" text "\"}]}")
#define ASKED(text) ITEM("{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"" text "\"}]}")
#define THOUGHT(text) ITEM("{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"" text "\"}]}")
#define CALL(id) ITEM("{\"type\":\"function_call\",\"name\":\"shell\",\"arguments\":\"{\\\"command\\\":[\\\"ls\\\"]}\",\"call_id\":\"" id "\"}")
#define OUTPUT(id, text) ITEM("{\"type\":\"function_call_output\",\"call_id\":\"" id "\",\"output\":\"" text "\"}")
#define DONE(type, id, more) \
	EVENT("{\"type\":\"item_completed\",\"thread_id\":\"t\",\"turn_id\":\"u\",\"item\":{\"type\":\"" type "\",\"id\":\"" id "\"," more "}," \
	      "\"started_at_ms\":1794856717878,\"completed_at_ms\":1794856719707}")
#define RECORD(total, in, out, id) \
	LINE("token_usage_record", "{\"response_id\":\"" id "\",\"usage\":" USAGE(in, out) ",\"thread_token_usage\":{\"input_tokens\":" #total "}}")
#define CONTEXT(model) LINE("turn_context", "{\"cwd\":\"/w\",\"model\":\"" model "\"}")

static struct arena arena;

static struct str convert(const char *text)
{
	return convert_valid(&arena, "codex", str_from(text), "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

/* ---- the samples ---- */

TEST(rollout_samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/codex_rollout", "codex", 10);
}

TEST(exec_samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/codex_exec_json", "codex", 4);
}

TEST(a_schema_of_rollout_lines_is_no_run)
{
	const char *path = test_shared("vendors/codex_rollout/dev/schema-rollout-line.schema.json");
	struct converted c = convert_file(&arena, path, (struct convert_how){ .to = "otutl" });

	CHECK(c.from == NULL);
	CHECK_INT(c.out.n, 0);
}

/* ---- detection ---- */

TEST(lines_of_each_kind_are_recognised_by_content)
{
	static const struct { const char *text; bool fits; } cases[] = {
		{ META, true },
		{ EVENT("{\"type\":\"x\"}"), true },
		{ "{\"id\":\"a\",\"timestamp\":\"2025-09-10T18:58:38.331Z\",\"instructions\":null}", true },
		{ "{\"record_type\":\"state\"}", true },
		{ "{\"type\":\"thread.started\",\"thread_id\":\"t\"}", true },
		{ "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"reasoning\",\"text\":\"\"}}", true },
		{ "{\"log_type\":\"o\",\"timestamp_iso\":\"x\",\"data\":{\"type\":\"turn.started\"}}", true },
		{ "{\"type\":\"item.completed\"}", false },
		{ "{\"type\":\"error\",\"message\":\"x\"}", false },
		{ "{\"type\":\"object\",\"properties\":{\"payload\":{}}}", false },
		{ "{\"timestamp\":\"x\",\"type\":\"user\",\"payload\":{}}", false },
		{ "[]", false },
	};
	struct json_parser *p = dialect_detect_open();
	struct val v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_trim(str_from(cases[i].text)), &v, NULL));
		CHECK((codex_dialect.fits(v) > 0) == cases[i].fits);
	}
	json_parser_close(p);
}

/* ---- steps and counts ---- */

TEST(a_count_belongs_to_the_items_before_it_or_after_it)
{
	static const struct { const char *name, *text; int steps, first, second; } cases[] = {
		{ "after", META ASKED("q") CALL("c1") TOKENS(10, 10, 1) OUTPUT("c1", "x") SAID("a") TOKENS(30, 20, 2), 2, 10, 20 },
		{ "before", META ASKED("q") CONTEXT("m") TOKENS(10, 10, 1) CALL("c1") OUTPUT("c1", "x") CONTEXT("m")
			TOKENS(30, 20, 2) SAID("a"), 2, 10, 20 },
		{ "after the output", META ASKED("q") CALL("c1") OUTPUT("c1", "x") TOKENS(10, 10, 1) SAID("a") TOKENS(30, 20, 2),
		  2, 10, 20 },
		{ "repeated", META SAID("a") TOKENS(10, 10, 1) TOKENS(10, 10, 1) TOKENS(10, 10, 1) ASKED("q") SAID("b")
			TOKENS(30, 20, 2), 2, 10, 20 },
		{ "starts again", META SAID("a") TOKENS(1000, 10, 1) ASKED("q") SAID("b") TOKENS(20, 20, 2), 2, 10, 20 },
		{ "of nothing that was said", META SAID("a") TOKENS(10, 10, 1) TOKENS(30, 20, 2), 2, 10, 20 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out = convert(cases[i].text);
		struct convert_figures f = convert_count(out);

		test_case("%s", cases[i].name);
		CHECK_INT(f.model_steps, cases[i].steps);
		CHECK_INT(f.input_total, 30);
		CHECK_INT(f.output_total, 3);
		CHECK_STR(get(out, "model_step", 0, "/usage/input_tokens"), arena_printf(&arena, "%d", cases[i].first));
		CHECK_STR(get(out, "model_step", 1, "/usage/input_tokens"), arena_printf(&arena, "%d", cases[i].second));
	}
}

TEST(a_count_without_figures_is_no_step)
{
	struct str out = convert(META SAID("a") EVENT("{\"type\":\"token_count\",\"info\":null,\"rate_limits\":{\"primary\":1}}"));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.model_steps, 1);
	CHECK_INT(f.input_total, -1);
}

TEST(outputs_and_questions_part_steps_where_there_are_no_counts)
{
	struct str out = convert("{\"id\":\"cf4def41-21e0-4b91-adb4-5397c1492084\",\"timestamp\":\"2025-09-10T18:58:38.331Z\","
				 "\"instructions\":null}\n{\"record_type\":\"state\"}\n"
				 "{\"type\":\"message\",\"role\":\"user\",\"content\":[]}\n"
				 "{\"type\":\"reasoning\",\"summary\":[]}\n"
				 "{\"type\":\"function_call\",\"name\":\"a\",\"arguments\":\"{}\",\"call_id\":\"c1\"}\n"
				 "{\"type\":\"function_call\",\"name\":\"b\",\"arguments\":\"{}\",\"call_id\":\"c2\"}\n"
				 "{\"type\":\"function_call_output\",\"call_id\":\"c2\",\"output\":\"2\"}\n"
				 "{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":\"1\"}\n"
				 "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"x\"}]}\n");
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.model_steps, 2);
	CHECK_INT(f.tool_calls, 2);
	CHECK_INT(f.tool_results, 2);
	CHECK_STR(get(out, "tool_result", 0, "/call_id"), STR("c2"));
	CHECK_STR(get(out, "model_step", 0, "/call_ids"), STR("[\"c1\",\"c2\"]"));
	CHECK_INT(f.input_total, -1);
}

TEST(a_web_search_is_call_and_result_and_ends_no_step)
{
	struct str out = convert(META THOUGHT("t") ITEM("{\"type\":\"web_search_call\",\"status\":\"completed\",\"action\":"
							 "{\"type\":\"search\",\"query\":\"q\"}}") SAID("a") TOKENS(10, 10, 1));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.model_steps, 1);
	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.tool_results, 1);
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://codex/web_search"));
}

TEST(the_model_is_that_of_the_latest_turn)
{
	struct str out = convert(META CONTEXT("one") SAID("a") TOKENS(10, 10, 1) CONTEXT("two") SAID("b") TOKENS(20, 10, 1));

	CHECK_STR(get(out, "model_step", 0, "/model"), STR("one"));
	CHECK_STR(get(out, "model_step", 1, "/model"), STR("two"));
}

/* ---- results ---- */

TEST(an_exit_code_is_found_wherever_it_stands)
{
	static const struct { const char *name, *text, *code, *error; } cases[] = {
		{ "in JSON in the output", META CALL("c") OUTPUT("c", "{\\\"output\\\":\\\"x\\\",\\\"metadata\\\":{\\\"exit_code\\\":2,"
								 "\\\"duration_seconds\\\":0.5}}"), "2", "true" },
		{ "zero", META CALL("c") OUTPUT("c", "{\\\"output\\\":\\\"x\\\",\\\"metadata\\\":{\\\"exit_code\\\":0}}"), "0", "false" },
		{ "in a header", META CALL("c") OUTPUT("c", "Chunk ID: 1\\nWall time: 0.1 seconds\\nProcess exited with code 1\\nOutput:\\nx"),
		  "1", "true" },
		{ "not in what was printed", META CALL("c") OUTPUT("c", "Exit code: 1 is bad"), "", "" },
		{ "in an event before", META CALL("c") EVENT("{\"type\":\"exec_command_end\",\"call_id\":\"c\",\"exit_code\":-1}")
			OUTPUT("c", "x"), "-1", "true" },
		{ "in an event after", META CALL("c") OUTPUT("c", "x")
			EVENT("{\"type\":\"exec_command_end\",\"call_id\":\"c\",\"exit_code\":3}"), "3", "true" },
		{ "success false", META CALL("c") EVENT("{\"type\":\"patch_apply_end\",\"call_id\":\"c\",\"success\":false}")
			OUTPUT("c", "x"), "", "true" },
		{ "status failed", META CALL("c") EVENT("{\"type\":\"patch_apply_end\",\"call_id\":\"c\",\"status\":\"failed\"}")
			OUTPUT("c", "x"), "", "true" },
		{ "in an item that is completed", META CALL("c") DONE("CommandExecution", "c", "\"exit_code\":4") OUTPUT("c", "x"), "4", "true" },
		{ "a change of files that failed", META CALL("c") DONE("FileChange", "c", "\"status\":\"failed\",\"changes\":{}") OUTPUT("c", "x"),
		  "", "true" },
		{ "a change of files that was refused", META CALL("c") OUTPUT("c", "x")
			DONE("FileChange", "c", "\"status\":\"declined\",\"changes\":{}"), "", "true" },
		{ "an item of a call that another made", META CALL("c") DONE("CommandExecution", "exec-1", "\"exit_code\":4") OUTPUT("c", "x"),
		  "", "" },
		{ "nothing known", META CALL("c") OUTPUT("c", "x"), "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out = convert(cases[i].text);

		test_case("%s", cases[i].name);
		CHECK_INT(convert_count(out).tool_results, 1);
		CHECK_STR(get(out, "tool_result", 0, "/exit_code"), str_from(cases[i].code));
		CHECK_STR(get(out, "tool_result", 0, "/is_error"), str_from(cases[i].error));
	}
}

TEST(json_in_an_output_is_opened)
{
	struct str out = convert(META CALL("c") OUTPUT("c", "{\\\"output\\\":\\\"hello\\\",\\\"metadata\\\":{\\\"exit_code\\\":0,"
						       "\\\"duration_seconds\\\":0.5,\\\"more\\\":1}}"));

	CHECK_STR(get(out, "tool_result", 0, "/result"), STR("hello"));
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("500"));
	CHECK_STR(get(out, "tool_result", 0, "/ext/codex~11/output/metadata/more"), STR("1"));
}

TEST(the_end_of_an_mcp_call_names_its_server)
{
	struct str out = convert(META CALL("c") TOKENS(1, 1, 1)
				 EVENT("{\"type\":\"mcp_tool_call_end\",\"call_id\":\"c\",\"invocation\":{\"server\":\"docs\",\"tool\":\"find\","
				       "\"arguments\":{}},\"duration\":{\"secs\":1,\"nanos\":500000000},\"result\":{\"Ok\":{\"content\":[],"
				       "\"isError\":true}}}") OUTPUT("c", "x"));

	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("mcp://docs/find"));
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("1500"));
	CHECK_STR(get(out, "tool_result", 0, "/is_error"), STR("true"));
}

TEST(a_completed_item_tells_how_long_its_call_took_and_whose_it_is)
{
	struct str out = convert(META CALL("c") DONE("McpToolCall", "c", "\"server\":\"docs\",\"tool\":\"find\",\"status\":\"completed\"")
				 OUTPUT("c", "x") CALL("d") DONE("CommandExecution", "d", "\"duration\":{\"secs\":0,\"nanos\":5000000}")
				 OUTPUT("d", "y"));

	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("mcp://docs/find"));
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("1829"));
	CHECK_STR(get(out, "tool_result", 1, "/duration_ms"), STR("5"));
	CHECK_INT(convert_count(out).tool_calls, 2);
}

TEST(a_record_of_usage_and_the_count_behind_it_are_one_call_of_the_model)
{
	struct str out = convert(META CALL("c") RECORD(10, 10, 2, "resp_1") OUTPUT("c", "x") TOKENS(10, 10, 2) SAID("a")
				 RECORD(30, 20, 3, "resp_2") TOKENS(30, 20, 3));

	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_STR(get(out, "model_step", 0, "/response_id"), STR("resp_1"));
	CHECK_STR(get(out, "model_step", 0, "/usage/input_tokens"), STR("10"));
	CHECK_STR(get(out, "model_step", 1, "/response_id"), STR("resp_2"));
	CHECK_STR(get(out, "run_end", 0, "/totals/tokens_in"), STR("30"));
	CHECK(str_find(out, STR("rate_limits")) != (size_t)-1);
}

/* ---- what is told twice ---- */

TEST(what_an_event_shows_again_is_not_kept_twice)
{
	static const char *const cases[] = {
		META EVENT("{\"type\":\"agent_message\",\"message\":\"hello there\"}") SAID("hello there"),
		META SAID("hello there") EVENT("{\"type\":\"agent_message\",\"message\":\"hello there\",\"phase\":\"final\"}"),
		META THOUGHT("hello there") EVENT("{\"type\":\"agent_reasoning\",\"text\":\"hello there\"}"),
		META EVENT("{\"type\":\"agent_reasoning\",\"text\":\"t\"}") EVENT("{\"type\":\"agent_message\",\"message\":\"hello there\"}")
			TOKENS(1, 1, 1) THOUGHT("t") SAID("hello there"),
		META ASKED("hello there") EVENT("{\"type\":\"user_message\",\"message\":\"hello there\",\"images\":[]}"),
		META EVENT("{\"type\":\"agent_message\",\"message\":\"hello there\"}"),
		META DONE("AgentMessage", "m", "\"content\":[{\"type\":\"Text\",\"text\":\"hello there\"}]") SAID("hello there"),
		META SAID("hello there") DONE("AgentMessage", "m", "\"content\":[{\"type\":\"Text\",\"text\":\"hello there\"}]"),
		META ASKED("hello there") DONE("UserMessage", "m", "\"content\":[{\"type\":\"text\",\"text\":\"hello there\"}]"),
		META DONE("Reasoning", "m", "\"summary_text\":[\"hello there\"],\"raw_content\":[]") THOUGHT("hello there"),
		META DONE("Reasoning", "m", "\"summary_text\":[],\"raw_content\":[\"hello there\"]"),
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out = convert(cases[i]);
		size_t n = 0, at;

		test_case("%zu", i);
		for (; (at = str_find(out, STR("hello there"))) != (size_t)-1; n++)
			out = str_of(out.p + at + 1, out.n - at - 1);
		CHECK_INT(n, 1);
	}
}

TEST(a_context_that_does_not_change_is_kept_once)
{
	struct str out = convert(META CONTEXT("one") SAID("a") CONTEXT("one") CONTEXT("one") CONTEXT("two") SAID("b"));
	size_t n = 0, at;

	for (; (at = str_find(out, STR("turn_context"))) != (size_t)-1; n++)
		out = str_of(out.p + at + 1, out.n - at - 1);
	CHECK_INT(n, 2);
}

TEST(history_that_was_compacted_is_not_counted_again)
{
	struct str out = convert(META CALL("c") OUTPUT("c", "x") TOKENS(1, 1, 1)
				 LINE("compacted", "{\"message\":\"m\",\"replacement_history\":[{\"type\":\"function_call\",\"name\":\"shell\","
						   "\"arguments\":\"{}\",\"call_id\":\"c\"}]}") SAID("a") TOKENS(2, 1, 1));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.model_steps, 2);
	CHECK(str_find(out, STR("replacement_history")) != (size_t)-1);
}

TEST(a_fork_does_not_count_the_history_it_copied)
{
	struct str out = convert(
		LINE("session_meta", "{\"id\":\"01997e76-d124-7592-9cac-2ec05abbca08\",\"forked_from_id\":\"01997e70-0000-7000-8000-000000000001\"}")
		LINE("session_meta", "{\"id\":\"01997e70-0000-7000-8000-000000000001\"}")
		EVENT("{\"type\":\"task_started\",\"turn_id\":\"01997e70-0001-7000-8000-000000000001\"}")
		ASKED("old") CALL("c") TOKENS(1, 5, 5) OUTPUT("c", "x") SAID("old")
		EVENT("{\"type\":\"task_started\",\"turn_id\":\"01997e76-d125-7000-8000-000000000001\"}")
		ASKED("new") SAID("new") TOKENS(2, 7, 7));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.runs, 1);
	CHECK_INT(f.model_steps, 1);
	CHECK_INT(f.tool_calls, 0);
	CHECK_INT(f.input_total, 7);
}

/* ---- runs ---- */

TEST(the_thread_is_the_run)
{
	struct str out = convert(META SAID("a"));

	CHECK_STR(get(out, "run_start", 0, "/run_id"), STR("01997e76-d124-7592-9cac-2ec05abbca08"));
	CHECK_STR(get(out, "run_start", 0, "/agent/version"), STR("0.40.0"));
}

TEST(a_sub_agent_names_the_run_that_started_it)
{
	struct str out = convert(LINE("session_meta", "{\"id\":\"a\",\"source\":{\"subagent\":{\"thread_spawn\":{"
						      "\"parent_thread_id\":\"b\",\"depth\":1}}}}") SAID("a"));

	CHECK(str_find(convert_record(out, "run_start", 0), STR("\"b\"")) != (size_t)-1);
}

TEST(an_aborted_turn_is_an_error_and_the_run_interrupted)
{
	struct str out = convert(META SAID("a") EVENT("{\"type\":\"turn_aborted\",\"reason\":\"interrupted\"}"));

	CHECK_STR(get(out, "error", 0, "/code"), STR("interrupted"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("interrupted"));
	out = convert(META SAID("a") EVENT("{\"type\":\"error\",\"message\":\"no quota\"}"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("no quota"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("error"));
	out = convert(META SAID("a") EVENT("{\"type\":\"task_complete\"}"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("success"));
}

TEST(a_call_without_an_output_is_told_at_the_end)
{
	CHECK_INT(convert_count(convert(META CALL("c") TOKENS(1, 1, 1))).orphan_calls, 1);
}

TEST(an_id_used_again_is_another_call)
{
	struct str out = convert(META CALL("c") OUTPUT("c", "1") CALL("c") OUTPUT("c", "2"));

	CHECK_INT(convert_count(out).tool_calls, 2);
	CHECK_STR(get(out, "tool_call", 1, "/call_id"), STR("c#2"));
	CHECK_STR(get(out, "tool_result", 1, "/result"), STR("2"));
}

/* ---- exec ---- */

#define THREAD "{\"type\":\"thread.started\",\"thread_id\":\"019b6bca-1f86-7691-9d53-ef874e0b2892\"}\n{\"type\":\"turn.started\"}\n"
#define SHELL(phase, id, more)                                                                                   \
	"{\"type\":\"item." phase "\",\"item\":{\"id\":\"" id "\",\"type\":\"command_execution\",\"command\":\"ls\"," more "}}\n"

TEST(items_that_begin_and_end_are_one_call)
{
	struct str out = convert(THREAD SHELL("started", "item_1", "\"aggregated_output\":\"\",\"exit_code\":null,\"status\":\"in_progress\"")
				 SHELL("started", "item_2", "\"aggregated_output\":\"\",\"exit_code\":null,\"status\":\"in_progress\"")
				 SHELL("completed", "item_2", "\"aggregated_output\":\"two\",\"exit_code\":1,\"status\":\"failed\"")
				 SHELL("completed", "item_1", "\"aggregated_output\":\"one\",\"exit_code\":0,\"status\":\"completed\""));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.tool_calls, 2);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.tool_errors, 1);
	CHECK_INT(f.model_steps, 1);
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://codex/shell"));
	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{\"command\":\"ls\"}"));
	CHECK_STR(get(out, "tool_result", 0, "/call_id"), STR("019b6bca-1f86-7691-9d53-ef874e0b2892/item_2"));
	CHECK_STR(get(out, "tool_result", 0, "/result"), STR("two"));
}

TEST(items_that_are_told_once_are_call_and_result)
{
	struct str out = convert(THREAD
		"{\"type\":\"item.completed\",\"item\":{\"id\":\"item_1\",\"type\":\"file_change\",\"changes\":[{\"path\":\"a\",\"kind\":\"add\"}],"
		"\"status\":\"completed\"}}\n"
		"{\"type\":\"item.completed\",\"item\":{\"id\":\"item_2\",\"type\":\"web_search\",\"query\":\"q\"}}\n"
		"{\"type\":\"item.completed\",\"item\":{\"id\":\"item_3\",\"type\":\"mcp_tool_call\",\"server\":\"s\",\"tool\":\"t\","
		"\"arguments\":{\"a\":1},\"error\":{\"message\":\"no\"},\"status\":\"failed\"}}\n");
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.tool_calls, 3);
	CHECK_INT(f.tool_results, 3);
	CHECK_INT(f.tool_errors, 1);
	CHECK_STR(get(out, "tool_call", 2, "/tool"), STR("mcp://s/t"));
}

TEST(a_list_of_things_to_do_is_no_call)
{
	struct str out = convert(THREAD "{\"type\":\"item.started\",\"item\":{\"id\":\"item_1\",\"type\":\"todo_list\",\"items\":[]}}\n"
				 "{\"type\":\"item.updated\",\"item\":{\"id\":\"item_1\",\"type\":\"todo_list\",\"items\":[]}}\n"
				 "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_1\",\"type\":\"todo_list\",\"items\":[]}}\n");

	CHECK_INT(convert_count(out).tool_calls, 0);
}

TEST(the_usage_of_a_turn_is_no_usage_of_a_step)
{
	struct str out = convert(THREAD "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"hi\"}}\n"
				 "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":9,\"cached_input_tokens\":4,\"output_tokens\":2}}\n");
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.input_total, 9);
	CHECK_INT(f.cache_read, 4);
	CHECK_INT(f.cache_write, -1);
	CHECK_STR(get(out, "cost", 0, "/scope"), STR("turn"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("hi"));
	CHECK(!get(out, "model_step", 0, "/usage").p);
}

TEST(a_failed_turn_is_an_error)
{
	struct str out = convert(THREAD "{\"type\":\"turn.failed\",\"error\":{\"message\":\"no\"}}\n");

	CHECK_STR(get(out, "error", 0, "/message"), STR("no"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("error"));
}

TEST(lines_of_a_log_around_it_give_the_time)
{
	struct str out = convert("{\"vuln\":1}\n{\"log_type\":\"o\",\"timestamp_iso\":\"2025-12-29T14:26:07.131135\",\"timestamp_unix\":"
				 "1767039967.5,\"data\":{\"type\":\"thread.started\",\"thread_id\":\"t\"}}\n");

	CHECK_INT(convert_count(out).runs, 1);
	CHECK_STR(get(out, "run_start", 0, "/ts"), STR("2025-12-29T20:26:07.500Z"));
	CHECK(str_find(out, STR("\"vuln\":1")) != (size_t)-1);
}

TEST(a_number_of_a_line_that_is_not_its_place_is_kept)
{
	static const char log[] = "{\"ordinal\":0," "\"timestamp\":\"2025-09-25T01:22:20.084Z\",\"type\":\"session_meta\","
				  "\"payload\":{\"id\":\"01997e76-d124-7592-9cac-2ec05abbca08\"}}\n"
				  "{\"ordinal\":7," "\"timestamp\":\"2025-09-25T01:22:21.084Z\",\"type\":\"response_item\","
				  "\"payload\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}}\n";
	struct str out = convert(log);

	CHECK(str_find(out, STR("\"ordinal\":7")) != (size_t)-1);
	CHECK(str_find(out, STR("\"ordinal\":0")) == (size_t)-1);
}

/* ---- how it ended ---- */

TEST(a_log_that_breaks_off_within_a_turn_was_interrupted)
{
	static const struct {
		const char *text, *status;
	} cases[] = {
		{ META ASKED("q") SAID("a"), "success" },
		{ META ASKED("q"), "interrupted" },
		{ META EVENT("{\"type\":\"task_started\"}") ASKED("q") SAID("a"), "interrupted" },
		{ META EVENT("{\"type\":\"task_started\"}") ASKED("q") SAID("a") EVENT("{\"type\":\"task_complete\"}"), "success" },
		{ META EVENT("{\"type\":\"task_complete\"}") ASKED("q") CALL("c") OUTPUT("c", "o"), "interrupted" },
		{ "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n"
		  "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"a\"}}\n", "interrupted" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(get(convert(cases[i].text), "run_end", 0, "/status"), str_from(cases[i].status));
	}
}
