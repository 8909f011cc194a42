#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"

static struct arena arena;

static struct str to_otutl(const char *file)
{
	return convert_valid(&arena, NULL, test_read(arena_printf(&arena, "tests/fuzz/corpus/read_mcp/%s", file).p),
			     "otutl");
}

static struct str of_text(const char *text)
{
	return convert_valid(&arena, NULL, str_from(text), "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/mcp_jsonrpc", "mcp", 3);
}

TEST(a_log_with_arrows)
{
	struct str out = to_otutl("arrows");
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.runs, 2); /* the server was started twice, and ids began anew */
	CHECK_INT(f.tool_calls, 4);
	CHECK_INT(f.tool_results, 3);
	CHECK_INT(f.tool_errors, 1);
	CHECK_STR(get(out, "run_start", 0, "/agent/name"), STR("client-a"));
	CHECK_STR(get(out, "run_start", 0, "/agent/version"), STR("1.0"));
	CHECK_STR(get(out, "run_start", 0, "/tools/0/name"), STR("get_weather"));
	CHECK_STR(get(out, "run_start", 0, "/ts"), STR("2025-09-24T01:18:01.000Z"));
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("mcp://weather/get_weather"));
	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("c2s/2"));
	CHECK_STR(get(out, "tool_call", 0, "/args/place"), STR("a secret island"));
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("500"));
	CHECK_STR(get(out, "tool_result", 0, "/is_error"), STR("false"));
	CHECK_STR(get(out, "tool_result", 0, "/media/0"), STR("image/png"));
	CHECK_STR(get(out, "tool_call", 3, "/tool"), STR("mcp://unknown/get_weather")); /* nobody named it there */
}

TEST(a_text_is_another_id_than_a_number_and_each_side_has_its_own)
{
	struct str out = to_otutl("arrows");

	CHECK_STR(get(out, "tool_call", 1, "/call_id"), STR("c2s/\"2\""));
	CHECK_STR(get(out, "tool_result", 1, "/call_id"), STR("c2s/\"2\""));
	CHECK_INT(convert_count(out).model_steps, 1); /* the answer to the server's request 2, no result of the client's */
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("rain"));
	CHECK_STR(get(out, "model_step", 0, "/model"), STR("m-1"));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("endTurn"));
}

TEST(an_error_of_the_protocol_is_a_result_and_an_error)
{
	struct str out = to_otutl("arrows");

	CHECK_STR(get(out, "tool_result", 1, "/is_error"), STR("true"));
	CHECK_STR(get(out, "tool_result", 1, "/result/data/why"), STR("unknown"));
	CHECK_STR(get(out, "error", 0, "/class"), STR("tool"));
	CHECK_STR(get(out, "error", 0, "/code"), STR("-32602"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("there is no such place"));
	CHECK(!get(out, "error", 0, "/call_id").p);
}

TEST(a_call_that_was_cancelled_has_an_error_and_no_result)
{
	struct str out = to_otutl("arrows");

	CHECK_STR(get(out, "error", 1, "/code"), STR("cancelled"));
	CHECK_STR(get(out, "error", 1, "/call_id"), STR("c2s/5"));
	CHECK_STR(get(out, "error", 1, "/message"), STR("the user lost patience"));
	CHECK(!convert_record(out, "error", 2).n); /* not told again as one without a result */
}

TEST(progress_is_the_chunks_of_a_result)
{
	struct converted c = convert_with(&arena, test_read("tests/fuzz/corpus/read_mcp/arrows"),
					  (struct convert_how){ .to = "otutl", .chunks = true });

	CHECK_STR(get(c.out, "tool_result", 0, "/chunks/0/data"), STR("looking at the sky"));
	CHECK_STR(get(c.out, "tool_result", 0, "/chunks/0/t_ms"), STR("250"));
	CHECK(str_has(c.out, STR("\"name\":\"notifications/progress\"")));
}

TEST(objects_around_messages)
{
	struct str out = to_otutl("wrapped");

	CHECK_INT(convert_count(out).runs, 2); /* told in turns */
	CHECK_INT(convert_count(out).tool_calls, 3);
	CHECK_INT(convert_count(out).tool_results, 3);
	CHECK_INT(convert_count(out).tool_errors, 2);
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("250"));
	CHECK_STR(get(out, "tool_call", 1, "/tool"), STR("mcp://unknown/flat")); /* members beside those of the wrapper */
	CHECK_STR(get(out, "tool_result", 1, "/is_error"), STR("true"));
	CHECK_STR(get(out, "tool_call", 2, "/args/place"), STR("nowhere")); /* a message that is a text */
}

TEST(lines_of_claude_desktop_in_turns)
{
	struct str out = to_otutl("desktop");

	CHECK_INT(convert_count(out).runs, 3); /* two servers, and one of them again */
	CHECK_INT(convert_count(out).tool_calls, 2);
	CHECK_INT(convert_count(out).tool_results, 2);
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("mcp://weather/get_weather"));
	CHECK_STR(get(out, "tool_call", 1, "/tool"), STR("mcp://other%20one/lookup"));
	CHECK_STR(get(out, "tool_call", 0, "/ts"), STR("2025-09-04T10:08:39.000Z"));
}

TEST(the_world_without_sessions_batches_and_tasks)
{
	struct str out = to_otutl("stateless");

	CHECK_INT(convert_count(out).runs, 1);
	CHECK_STR(get(out, "run_start", 0, "/agent/name"), STR("client-b"));
	CHECK_STR(get(out, "run_start", 0, "/ext/trackway~11/ts_source"), STR("none"));
	CHECK_INT(convert_count(out).tool_calls, 2);
	CHECK_INT(convert_count(out).tool_results, 2);
	CHECK_STR(get(out, "tool_result", 1, "/call_id"), STR("c2s/8"));
	CHECK_STR(get(out, "tool_result", 1, "/result/content/0/text"), STR("long answer"));
	CHECK_STR(get(out, "error", 0, "/class"), STR("harness"));
	CHECK_STR(get(out, "error", 0, "/code"), STR("-32601"));
}

TEST(exchanges_of_http_with_streams_in_them)
{
	struct str out = to_otutl("http");

	CHECK_INT(convert_count(out).runs, 1);
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("sess-9"));
	CHECK_INT(convert_count(out).tool_calls, 2);
	CHECK_INT(convert_count(out).tool_results, 2);
	CHECK(!str_has(out, STR("Bearer")));
}

TEST(a_server_that_does_not_name_itself_is_its_host)
{
	struct str out = of_text("{\"request\":{\"url\":\"https://mcp.example.com/mcp\",\"body\":{\"jsonrpc\":\"2.0\",\"id\":1,"
				 "\"method\":\"tools/call\",\"params\":{\"name\":\"f\"}}},\"response\":{\"status\":200}}\n");

	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("mcp://mcp.example.com/f"));
	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{}"));
	CHECK_STR(get(out, "error", 0, "/code"), STR("no_result"));
}

TEST(the_log_of_a_server_has_the_arrows_the_other_way_round)
{
	struct str out = of_text("[2025-09-24T01:18:01.000Z] <<< {\"jsonrpc\":\"2.0\",\"id\":1,"
				 "\"method\":\"tools/call\",\"params\":{\"name\":\"f\"}}\n"
				 "[2025-09-24T01:18:02.000Z] >>> {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}\n");

	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("c2s/1"));
	CHECK_STR(get(out, "tool_result", 0, "/call_id"), STR("c2s/1"));
}

TEST(what_is_no_message_in_a_batch_is_kept)
{
	struct converted c = convert_with(&arena, STR("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"stray\":1}]\n"),
					  (struct convert_how){ .to = "otutl" });

	CHECK_INT(c.coverage.leaves.left, 0);
	CHECK(str_has(c.out, STR("\"stray\":1")));
}

TEST(nothing_is_left_and_nothing_of_the_content_gets_into_a_trace)
{
	static const char *const files[] = { "arrows", "wrapped", "desktop", "stateless", "http" };
	static const char *const words[] = { "island", "rains", "patience", "the sky", "no such place", "answer" };

	for (size_t i = 0; i < COUNT(files); i++) {
		struct str text = test_read(arena_printf(&arena, "tests/fuzz/corpus/read_mcp/%s", files[i]).p);
		struct converted c = convert_with(&arena, text, (struct convert_how){ .to = "agent-trace" });

		test_case("%s", files[i]);
		CHECK(c.from == &mcp_dialect);
		CHECK_INT(c.coverage.leaves.left, 0);
		for (size_t k = 0; k < COUNT(words); k++)
			CHECK(!str_has(c.out, str_from(words[k])));
	}
}
