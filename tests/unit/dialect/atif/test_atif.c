#include "dialect/formats.h"
#include "json/canon.h"
#include "unit/dialect/expect_run.h"

#define DOC(steps) "{\"schema_version\":\"ATIF-v1.6\",\"session_id\":\"s\",\"agent\":{\"name\":\"a\",\"version\":\"1\"},\"steps\":[" \
		   steps "]}"
#define AGENT(id, more) "{\"step_id\":" #id ",\"source\":\"agent\",\"message\":\"m\"" more "}"
#define CALL(id) "{\"tool_call_id\":\"" id "\",\"function_name\":\"f\",\"arguments\":{\"for\":\"" id "\"}}"
#define RESULT(id) "{\"source_call_id\":\"" id "\",\"content\":\"of " id "\"}"
#define CALLS(list) ",\"tool_calls\":[" list "]"
#define RESULTS(list) ",\"observation\":{\"results\":[" list "]}"
#define METRICS(in, out, cached, extra) ",\"metrics\":{\"prompt_tokens\":" #in ",\"completion_tokens\":" #out ",\"cached_tokens\":" \
					#cached extra "}"
#define WRITTEN(n) ",\"extra\":{\"cache_creation_input_tokens\":" #n "}"

static struct arena arena;

static struct str to_otutl(struct str text)
{
	return convert_valid(&arena, "atif", text, "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

static struct convert_figures count(const char *text)
{
	return convert_count(to_otutl(str_from(text)));
}

static struct str canonical(struct str text)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct canon *c = canon_open(CANON_JCS);
	struct str result;
	struct buf b;
	struct val v;
	uint32_t at;
	enum json_code code;

	buf_init(&b);
	if (!json_parse_copy(p, text, &v, NULL))
		FAIL("not JSON: %.*s", STR_ARG(text));
	CHECK(canon_value(c, v, &b, &at, &code));
	result = arena_copy(&arena, buf_str(&b));
	buf_free(&b);
	canon_close(c);
	json_parser_close(p);
	return result;
}

/* To OTUTL and back, and straight to itself: the same value both times. */
static void check_back(struct str text)
{
	struct str want = canonical(text);

	CHECK_STR(canonical(convert_text(&arena, "otutl", to_otutl(text), "atif")), want);
	CHECK_STR(canonical(convert_text(&arena, "atif", text, "atif")), want);
}

/* ---- the samples ---- */

TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/harbor_atif", "atif", 20);
}

TEST(samples_come_back_from_otutl_with_every_field)
{
	const char *folder = test_shared("vendors/harbor_atif");
	struct str left = test_read(arena_printf(&arena, "%s/EXPECT.jsonl", folder).p), line;
	size_t n = 0;

	for (; left.n; n++) {
		struct str file;

		line = str_cut(left, '\n', &left);
		file = convert_get(&arena, line, "/file");
		test_case("%.*s", STR_ARG(file));
		check_back(test_read(arena_printf(&arena, "%s/dev/%.*s", folder, STR_ARG(file)).p));
	}
	CHECK(n >= 20);
}

/* ---- usage ---- */

TEST(an_answer_told_in_several_steps_counts_once_with_its_largest_output)
{
	struct str out = to_otutl(test_data("atif/repeated-usage.json"));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.model_steps, 2);
	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.tool_results, 1);
	CHECK_INT(f.tool_errors, 1);
	CHECK_INT(f.input_total, 110 + 20 + 131 + 10); /* what is written to the cache is not in the prompt */
	CHECK_INT(f.output_total, 41 + 4);
	CHECK_INT(f.cache_read, 220);
	CHECK_INT(f.cache_write, 30);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I will list them.\nExecuted Bash call_1"));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("tool_use"));
	CHECK_STR(get(out, "run_start", 0, "/framework"), STR("claude_code"));
}

TEST(only_steps_that_follow_each_other_with_the_same_cache_figures_are_one_answer)
{
	static const struct { const char *text; int64_t steps, input; } cases[] = {
		{ DOC(AGENT(1, METRICS(5, 1, 2, WRITTEN(3))) "," AGENT(2, METRICS(5, 9, 2, WRITTEN(3)))), 1, 8 },
		{ DOC(AGENT(1, METRICS(5, 1, 2, "")) "," AGENT(2, METRICS(5, 9, 2, ""))), 2, 10 },
		{ DOC(AGENT(1, METRICS(5, 1, 2, WRITTEN(3))) "," AGENT(2, METRICS(5, 9, 2, WRITTEN(4)))), 2, 17 },
		{ DOC(AGENT(1, METRICS(5, 1, 2, WRITTEN(3))) "," AGENT(2, METRICS(5, 9, 1, WRITTEN(3)))), 2, 16 },
		{ DOC(AGENT(1, METRICS(5, 1, 2, WRITTEN(3))) "," AGENT(2, METRICS(5, 9, 2, WRITTEN(3)) ",\"llm_call_count\":1")), 2, 16 },
		{ DOC(AGENT(1, METRICS(5, 1, 2, WRITTEN(3))) ",{\"step_id\":2,\"source\":\"user\",\"message\":\"\"},"
		      AGENT(3, METRICS(5, 9, 2, WRITTEN(3)))), 2, 16 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct convert_figures f = count(cases[i].text);

		test_case("%zu", i);
		CHECK_INT(f.model_steps, cases[i].steps);
		CHECK_INT(f.input_total, cases[i].input);
		check_back(str_from(cases[i].text));
	}
}

TEST(totals_of_the_run_count_only_when_no_step_has_figures)
{
	struct str with = STR("{\"schema_version\":\"ATIF-v1.0\",\"session_id\":\"s\",\"agent\":{\"name\":\"a\"},\"steps\":["
			      AGENT(1, METRICS(5, 1, 2, "")) "],\"final_metrics\":{\"total_prompt_tokens\":50}}");
	struct str without = STR("{\"schema_version\":\"ATIF-v1.0\",\"session_id\":\"s\",\"agent\":{\"name\":\"a\"},\"steps\":["
				 AGENT(1, ",\"metrics\":{}") "],\"final_metrics\":{\"total_prompt_tokens\":50,"
				 "\"total_completion_tokens\":null,\"total_cost_usd\":0.25}}");
	struct str out = to_otutl(with);

	CHECK_INT(convert_count(out).input_total, 5);
	CHECK_STR(get(out, "run_end", 0, "/ext/atif~11/final_metrics/total_prompt_tokens"), STR("50"));
	out = to_otutl(without);
	CHECK_INT(convert_count(out).input_total, 50);
	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_STR(get(out, "cost", 0, "/scope"), STR("run"));
	check_back(with);
	check_back(without);
}

TEST(steps_without_a_model_and_copies_are_no_model_steps)
{
	struct convert_figures f = count(DOC(AGENT(1, ",\"llm_call_count\":0") "," AGENT(2, ",\"metrics\":{}") ","
					     AGENT(3, ",\"is_copied_context\":true" METRICS(9, 9, 9, ""))));

	CHECK_INT(f.model_steps, 1);
	CHECK_INT(f.input_total, -1);
}

/* ---- calls and results ---- */

TEST(results_find_their_calls)
{
	static const struct { const char *text; int64_t calls, results, open; } cases[] = {
		{ DOC(AGENT(1, CALLS(CALL("x")) RESULTS(RESULT("x")))), 1, 1, 0 },
		{ DOC(AGENT(1, CALLS(CALL("x")) RESULTS("{\"content\":1}"))), 1, 1, 0 },
		{ DOC(AGENT(1, CALLS(CALL("x")) RESULTS("{\"source_call_id\":null,\"content\":\"\"}"))), 1, 1, 0 },
		{ DOC(AGENT(1, CALLS(CALL("x") "," CALL("y")) RESULTS("{\"content\":1},{\"content\":2}"))), 2, 2, 0 },
		{ DOC(AGENT(1, CALLS(CALL("x") "," CALL("y")) RESULTS(RESULT("y")))), 2, 1, 1 },
		{ DOC(AGENT(1, CALLS(CALL("x"))) "," AGENT(2, RESULTS(RESULT("x")))), 1, 1, 0 },
		{ DOC(AGENT(1, RESULTS(RESULT("x"))) "," AGENT(2, CALLS(CALL("x")))), 1, 0, 1 },
		{ DOC(AGENT(1, RESULTS("{\"content\":\"seen\"}"))), 0, 0, 0 },
		{ DOC(AGENT(1, CALLS(CALL("x")) RESULTS(RESULT("x") "," RESULT("x")))), 1, 1, 0 },
		{ DOC(AGENT(1, CALLS(CALL("x"))) "," AGENT(2, CALLS(CALL("x")) RESULTS(RESULT("x")))), 1, 1, 0 },
		{ DOC(AGENT(1, CALLS(CALL("x")) RESULTS(RESULT("x"))) ","
		      AGENT(2, CALLS("{\"tool_call_id\":\"x\",\"function_name\":\"g\",\"arguments\":{}}") RESULTS(RESULT("x")))), 2, 2, 0 },
		{ DOC(AGENT(1, CALLS("{\"function_name\":\"f\"},{\"tool_call_id\":\"\",\"arguments\":null}")
			    RESULTS("{},{\"content\":null}"))), 2, 2, 0 },
		{ DOC(AGENT(1, CALLS("3," CALL("x") ",\"y\"") RESULTS("null," RESULT("x") ",[]"))), 1, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct convert_figures f = count(cases[i].text);

		test_case("%zu", i);
		CHECK_INT(f.tool_calls, cases[i].calls);
		CHECK_INT(f.tool_results, cases[i].results);
		CHECK_INT(f.orphan_calls, cases[i].open);
		check_back(str_from(cases[i].text));
	}
}

TEST(lists_that_were_cut_are_flagged_and_kept)
{
	struct str text = STR(DOC(AGENT(1, ",\"tool_calls\":{\"_cut\":true,\"preview\":\"[{\"}") ","
				  AGENT(2, CALLS(CALL("x")) ",\"observation\":{\"_cut\":true}")));
	struct str out = to_otutl(text);

	CHECK_STR(get(out, "model_step", 0, "/ext/atif~11/cut/0"), STR("tool_calls"));
	CHECK_STR(get(out, "model_step", 0, "/ext/atif~11/tool_calls/preview"), STR("[{"));
	CHECK_STR(get(out, "model_step", 1, "/ext/atif~11/cut/0"), STR("observation"));
	CHECK_INT(convert_count(out).orphan_calls, 1);
	check_back(text);
}

TEST(names_of_tools_become_uris_and_come_back)
{
	static const struct { const char *name, *uri; } cases[] = {
		{ "Bash", "tool://atif/Bash" },
		{ "mcp__srv__get", "mcp://srv/get" },
		{ "mcp__srv", NULL },
		{ "mcp____x", NULL },
		{ "a b/c", NULL },
		{ "tool://x/y", "tool://x/y" },
		{ "mcp://srv/get", "mcp://srv/get" },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&arena, DOC(AGENT(1, CALLS("{\"tool_call_id\":\"c\",\"function_name\":\"%s\","
						"\"arguments\":{}}"))), cases[i].name);

		test_case("%s", cases[i].name);
		if (cases[i].uri)
			CHECK_STR(get(to_otutl(text), "tool_call", 0, "/tool"), str_from(cases[i].uri));
		check_back(text);
	}
}

/* ---- the rest of a document ---- */

TEST(sub_agents_are_branches_with_the_call_that_started_them)
{
	struct str text = test_data("atif/subagents.json"), out = to_otutl(text);
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.runs, 1);
	CHECK_INT(f.model_steps, 2 + 1 + 1 + 1);
	CHECK_INT(f.tool_calls, 4);
	CHECK_INT(f.tool_results, 4);
	CHECK_INT(f.input_total, 10 + 5 + 7);
	CHECK_INT(f.output_total, 2 + 1 + 8);
	CHECK_STR(get(out, "model_step", 2, "/parent_call_id"), STR("c1"));
	CHECK_STR(get(out, "tool_call", 3, "/call_id"), STR("c1#2"));
	CHECK_STR(get(out, "run_end", 0, "/reason"), STR("continued"));
	CHECK_STR(get(out, "tool_call", 1, "/tool"), STR("mcp://srv/get"));
	check_back(text);
}

TEST(times_without_a_zone_are_taken_for_utc_and_come_back_as_they_were)
{
	static const struct { const char *text, *ts; } cases[] = {
		{ "2026-01-02T03:04:05.123456", "2026-01-02T03:04:05.123456Z" },
		{ "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z" },
		{ "2026-01-02T03:04:05.678+02:00", "2026-01-02T03:04:05.678+02:00" },
		{ "yesterday", "1970-01-01T00:00:00.000Z" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&arena, DOC(AGENT(1, ",\"timestamp\":\"%s\"")), cases[i].text);

		test_case("%s", cases[i].text);
		CHECK_STR(get(to_otutl(text), "model_step", 0, "/ts"), str_from(cases[i].ts));
		check_back(text);
	}
}

TEST(the_model_may_be_an_object)
{
	struct str text = STR("{\"schema_version\":\"1.4\",\"session_id\":\"s\",\"agent\":{\"name\":\"a\",\"version\":\"1\",\"model\":"
			      "{\"provider\":\"p\",\"name\":\"n\"}},\"steps\":[" AGENT(1, "") "]}");
	struct str out = to_otutl(text);

	CHECK_STR(get(out, "model_step", 0, "/model"), STR("n"));
	CHECK_STR(get(out, "model_step", 0, "/provider"), STR("p"));
	check_back(text);
}

TEST(odd_documents_come_back_too)
{
	static const char *const cases[] = {
		DOC(""),
		"{\"schema_version\":\"ATIF-v1.9\"}",
		"{\"schema_version\":\"ATIF-v1.0\",\"steps\":{\"0\":1},\"agent\":\"me\",\"subagent_trajectories\":[]}",
		"{\"schema_version\":\"ATIF-v1.0\",\"agent\":null,\"steps\":[1,\"x\",null,[],{}],\"final_metrics\":3}",
		"{\"schema_version\":\"ATIF-v1.0\",\"agent\":{},\"session_id\":\"\",\"steps\":[{\"source\":\"tool\",\"message\":\"x\"}],"
		"\"subagent_trajectories\":[{\"steps\":[]},{\"steps\":7,\"subagent_trajectories\":3}]}",
		DOC("{\"step_id\":1,\"source\":\"agent\"}"),
		DOC("{\"step_id\":1,\"source\":\"agent\",\"message\":null,\"reasoning_content\":null,\"metrics\":null}"),
		DOC("{\"step_id\":1,\"source\":\"user\",\"message\":{\"a\":1},\"observation\":\"x\",\"tool_calls\":null}"),
		DOC("{\"step_id\":1,\"source\":\"agent\",\"message\":[{\"type\":\"text\",\"text\":\"a\"}],\"observation\":{}}"),
		DOC(AGENT(1, "") "," AGENT(1, "") "," AGENT(null, "")),
		DOC(AGENT(1, CALLS("") RESULTS("") ",\"extra\":{}")),
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		check_back(str_from(cases[i]));
	}
}

/* ---- writing what came from elsewhere ---- */

#define LINE(seq, type, more) "{\"type\":\"" type "\",\"ts\":\"2026-01-02T03:04:05.000Z\",\"run_id\":" \
			      "\"019b7c9a-1c88-7000-8000-000000000001\",\"seq\":" #seq more "}\n"

static const char other_log[] =
	LINE(0, "run_start", ",\"agent\":{\"name\":\"x\",\"version\":\"3\"}")
	LINE(1, "model_step", ",\"step_id\":\"m1\",\"model\":\"model-a\",\"text\":\"two calls\",\"stop_reason\":\"tool_use\",\"usage\":"
	     "{\"input_tokens\":30,\"output_tokens\":4,\"cache_read_tokens\":10,\"cache_write_tokens\":5,\"source\":\"api\"},"
	     "\"call_ids\":[\"a\",\"b\"]")
	LINE(2, "tool_call", ",\"call_id\":\"a\",\"tool\":\"tool://x/f\",\"args\":{\"n\":1},\"step_id\":\"m1\"")
	LINE(3, "tool_call", ",\"call_id\":\"b\",\"tool\":\"mcp://s/t\",\"args\":\"raw\",\"step_id\":\"m1\"")
	LINE(4, "tool_result", ",\"call_id\":\"b\",\"result\":{\"k\":1},\"is_error\":true")
	LINE(5, "model_step", ",\"step_id\":\"m2\",\"text\":\"meanwhile\"")
	LINE(6, "tool_result", ",\"call_id\":\"a\",\"result\":\"late\"")
	LINE(7, "error", ",\"message\":\"no more\",\"class\":\"harness\"")
	LINE(8, "run_end", ",\"status\":\"success\"");

TEST(other_logs_become_documents_of_the_latest_version)
{
	struct str out = convert_text(&arena, "otutl", str_from(other_log), "atif");
	static const struct { const char *pointer, *want; } cases[] = {
		{ "/schema_version", "ATIF-v1.7" },
		{ "/agent/name", "x" },
		{ "/steps/0/step_id", "1" },
		{ "/steps/0/source", "agent" },
		{ "/steps/0/message", "two calls" },
		{ "/steps/0/metrics/prompt_tokens", "25" },
		{ "/steps/0/metrics/extra/cache_creation_input_tokens", "5" },
		{ "/steps/0/tool_calls/0/function_name", "f" },
		{ "/steps/0/tool_calls/1/function_name", "mcp__s__t" },
		{ "/steps/0/tool_calls/1/arguments/value", "raw" },
		{ "/steps/0/observation/results/0/source_call_id", "b" },
		{ "/steps/0/observation/results/0/content", "{\"k\":1}" },
		{ "/steps/0/observation/results/0/extra/is_error", "true" },
		{ "/steps/0/observation/results/1/content", "late" },
		{ "/steps/1/step_id", "2" },
		{ "/steps/1/message", "meanwhile" },
		{ "/steps/2/source", "system" },
		{ "/steps/2/message", "no more" },
		{ "/steps/2/extra/trackway/error/class", "harness" },
		{ "/steps/0/tool_calls/1/extra/trackway/arguments", "value" },
		{ "/steps/0/observation/results/0/extra/trackway/content", "json" },
		{ "/extra/trackway/status", "success" },
		{ "/final_metrics/total_steps", "3" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].pointer);
		CHECK_STR(convert_get(&arena, out, cases[i].pointer), str_from(cases[i].want));
	}
	CHECK_INT(convert_count(convert_text(&arena, "atif", out, "otutl")).tool_errors, 1);
}

TEST(each_run_is_a_document_on_a_line_of_its_own)
{
	struct str two = arena_printf(&arena, "%s%s", other_log, other_log);
	struct str out = convert_text(&arena, "otutl", two, "atif"), rest;
	struct str first = str_cut(out, '\n', &rest);

	CHECK_INT(first.n * 2 + 2, out.n);
	canonical(first);
	canonical(rest);
	CHECK_INT(convert_count(convert_text(&arena, "atif", out, "otutl")).runs, 2);
}

TEST(what_a_document_cannot_hold_is_told)
{
	struct converted c = convert_with(&arena, test_data("agent-trace/convert.jsonl"),
					  (struct convert_how){ .from = "agent-trace", .to = "atif" });

	CHECK(c.done);
	CHECK(str_find(c.losses, STR("what other formats say beyond the model (ext)")) != (size_t)-1);
}

/* A log with all that ATIF has no place for. */
static const char own_log[] =
	LINE(0, "run_start", "")
	LINE(1, "tool_call", ",\"call_id\":\"h\",\"tool\":\"tool://x/f\",\"args\":\"raw\",\"step_id\":\"history\"")
	LINE(2, "tool_result", ",\"call_id\":\"h\",\"result\":{\"k\":1},\"exit_code\":-2,\"duration_ms\":7.5")
	LINE(3, "model_step", ",\"step_id\":\"m1\",\"model\":\"model-a\",\"text\":\"so\",\"latency_ms\":12.5,\"request\":{\"messages\":["
	     "{\"role\":\"developer\",\"content\":\"be good\"},{\"role\":\"assistant\",\"content\":\"earlier\"},"
	     "{\"role\":\"user\",\"content\":{\"odd\":[1]}},{\"role\":\"user\",\"content\":null}]},"
	     "\"usage\":{\"input_tokens\":3,\"output_tokens\":4,\"source\":\"mixed\",\"estimated\":[\"output_tokens\"]}")
	LINE(4, "cost", ",\"step_id\":\"m1\",\"model\":\"model-a\",\"tokens_in\":3,\"tokens_out\":4,\"estimated_cost_usd\":0.25,"
	     "\"cost_source\":\"estimated\",\"price_table\":\"sha256:00\"")
	LINE(5, "error", ",\"class\":\"model\",\"code\":\"overloaded\",\"message\":\"try later\",\"retryable\":true")
	LINE(6, "run_end", ",\"status\":\"error\",\"reason\":\"gave up\"");

TEST(what_atif_has_no_place_for_comes_back_from_our_own_documents)
{
	struct str document = convert_text(&arena, "otutl", str_from(own_log), "atif"), out = to_otutl(document);
	static const struct { const char *type, *pointer, *want; } cases[] = {
		{ "run_start", "/agent", NULL },
		{ "tool_call", "/args", "raw" },
		{ "tool_result", "/result/k", "1" },
		{ "tool_result", "/exit_code", "-2" },
		{ "tool_result", "/duration_ms", "7.5" },
		{ "model_step", "/latency_ms", "12.5" },
		{ "model_step", "/request/messages/0/role", "developer" },
		{ "model_step", "/request/messages/0/content", "be good" },
		{ "model_step", "/request/messages/1/role", "assistant" },
		{ "model_step", "/request/messages/1/content", "earlier" },
		{ "model_step", "/request/messages/2/content/odd/0", "1" },
		{ "model_step", "/request/messages/3/content", "null" },
		{ "model_step", "/request/messages/4", NULL },
		{ "cost", "/estimated_cost_usd", "0.25" },
		{ "cost", "/cost_source", "estimated" },
		{ "cost", "/price_table", "sha256:00" },
		{ "error", "/code", "overloaded" },
		{ "error", "/message", "try later" },
		{ "error", "/retryable", "true" },
		{ "run_end", "/status", "error" },
		{ "run_end", "/reason", "gave up" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s %s", cases[i].type, cases[i].pointer);
		CHECK_STR(get(out, cases[i].type, 0, cases[i].pointer), str_from(cases[i].want));
	}
	CHECK_INT(convert_count(out).model_steps, 1);
	check_back(document);
}

/* Harbor's models want a list of objects; what was offered comes back as it was, and so does the document. */
TEST(offered_tools_are_objects_in_a_document_and_come_back_as_they_were)
{
	static const struct { const char *tools, *first; } cases[] = {
		{ "[\"Bash\",\"Read\"]", "{\"function\":{\"name\":\"Bash\"},\"type\":\"function\"}" },
		{ "[{\"name\":\"f\"},\"Read\",null]", "{\"name\":\"f\"}" },
		{ "[7]", "{\"value\":7}" },
		{ "[{\"function\":{\"name\":\"f\"},\"type\":\"function\"}]", "{\"function\":{\"name\":\"f\"},\"type\":\"function\"}" },
		{ "[]", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str log = arena_printf(&arena, LINE(0, "run_start", ",\"tools\":%s") LINE(1, "run_end", ",\"status\":\"success\""),
					      cases[i].tools);
		struct str document = convert_text(&arena, "otutl", log, "atif"), back = to_otutl(document);
		struct str first = convert_get(&arena, document, "/agent/tool_definitions/0");

		test_case("%s", cases[i].tools);
		CHECK_STR(first.p ? canonical(first) : first, str_from(cases[i].first));
		CHECK_STR(canonical(get(back, "run_start", 0, "/tools")), str_from(cases[i].tools));
		check_back(document);
	}
}

/* A stream tells a call before the answer that asked for it has ended. */
TEST(a_call_that_comes_before_its_answer_stands_in_the_step_of_the_answer)
{
	static const char log[] =
		LINE(0, "run_start", "")
		LINE(1, "tool_call", ",\"call_id\":\"a\",\"tool\":\"tool://x/f\",\"args\":{},\"step_id\":\"m\"")
		LINE(2, "model_step", ",\"step_id\":\"m\",\"text\":\"so\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}")
		LINE(3, "cost", ",\"step_id\":\"m\",\"tokens_in\":3,\"tokens_out\":4,\"estimated_cost_usd\":0.25,\"cost_source\":\"vendor\"")
		LINE(4, "run_end", ",\"status\":\"success\"");
	struct str out = convert_text(&arena, "otutl", str_from(log), "atif");

	CHECK_STR(convert_get(&arena, out, "/steps/0/message"), STR("so"));
	CHECK_STR(convert_get(&arena, out, "/steps/0/llm_call_count"), str_of(NULL, 0));
	CHECK_STR(convert_get(&arena, out, "/steps/0/tool_calls/0/tool_call_id"), STR("a"));
	CHECK_STR(convert_get(&arena, out, "/steps/0/metrics/cost_usd"), STR("0.25"));
	CHECK_STR(convert_get(&arena, out, "/final_metrics/total_cost_usd"), STR("0.25"));
	CHECK_STR(convert_get(&arena, out, "/steps/1"), str_of(NULL, 0));
}

/* ATIF 1.7: a step that no model made has no metrics. The cost of an answer that is not there is in the totals. */
TEST(a_step_that_no_model_made_has_no_metrics)
{
	static const char log[] =
		LINE(0, "run_start", "")
		LINE(1, "tool_call", ",\"call_id\":\"a\",\"tool\":\"tool://x/f\",\"args\":{},\"step_id\":\"m\"")
		LINE(2, "cost", ",\"step_id\":\"m\",\"tokens_in\":3,\"tokens_out\":4,\"estimated_cost_usd\":0.25,\"cost_source\":\"vendor\"")
		LINE(3, "run_end", ",\"status\":\"success\"");
	struct str out = convert_text(&arena, "otutl", str_from(log), "atif");

	CHECK_STR(convert_get(&arena, out, "/steps/0/llm_call_count"), STR("0"));
	CHECK_STR(convert_get(&arena, out, "/steps/0/metrics"), str_of(NULL, 0));
	CHECK_STR(convert_get(&arena, out, "/final_metrics/total_cost_usd"), STR("0.25"));
}

/* What was computed is never told as the vendor's. */
TEST(dollars_stand_where_their_source_says)
{
	static const struct { const char *source, *vendor, *computed; } cases[] = {
		{ "api", "0.25", NULL },
		{ "estimated", NULL, "0.25" },
		{ "vendor", "0.25", NULL },
		{ "computed", NULL, "0.25" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&arena, LINE(0, "run_start", "")
			LINE(1, "model_step", ",\"step_id\":\"m\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}")
			LINE(2, "cost", ",\"step_id\":\"m\",\"tokens_in\":3,\"tokens_out\":4,\"estimated_cost_usd\":0.25,"
			     "\"cost_source\":\"%s\"") LINE(3, "run_end", ",\"status\":\"success\""), cases[i].source);
		struct str out = convert_text(&arena, "otutl", text, "atif");

		test_case("%s", cases[i].source);
		CHECK_STR(convert_get(&arena, out, "/steps/0/metrics/cost_usd"), str_from(cases[i].vendor));
		CHECK_STR(convert_get(&arena, out, "/final_metrics/total_cost_usd"), str_from(cases[i].vendor));
		CHECK_STR(convert_get(&arena, out, "/steps/0/metrics/extra/trackway/estimated_cost_usd"),
			  str_from(cases[i].computed));
		CHECK_STR(convert_get(&arena, out, "/final_metrics/extra/trackway/estimated_cost_usd"),
			  str_from(cases[i].computed));
	}
}

/* Totals that count those of sub-agents, and totals of the run beside figures of its steps. */
TEST(costs_are_counted_once_on_the_way_back)
{
	static const char *const logs[] = {
		LINE(0, "run_start", "")
		LINE(1, "model_step", ",\"step_id\":\"m\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4},"
		     "\"ext\":{\"trackway/1\":{\"branch\":\"b\"}}")
		LINE(2, "cost", ",\"step_id\":\"m\",\"tokens_in\":3,\"tokens_out\":4,\"ext\":{\"trackway/1\":{\"branch\":\"b\"}}")
		LINE(3, "run_end", ",\"status\":\"success\""),
		LINE(0, "run_start", "")
		LINE(1, "model_step", ",\"step_id\":\"m\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}")
		LINE(2, "cost", ",\"scope\":\"run\",\"tokens_in\":3,\"tokens_out\":4")
		LINE(3, "run_end", ",\"status\":\"success\""),
	};

	for (size_t i = 0; i < 2; i++) {
		struct str out = to_otutl(convert_text(&arena, "otutl", str_from(logs[i]), "atif"));

		test_case("%zu", i);
		CHECK_INT(convert_count(out).input_total, 3);
		CHECK_INT(convert_count(out).output_total, 4);
	}
}

TEST(numbers_that_no_double_holds_are_numbers_again)
{
	static const char document[] = DOC(
		"{\"step_id\":1,\"source\":\"user\",\"message\":{\"n\":9007199254740993}},"
		AGENT(2, CALLS("{\"tool_call_id\":\"a\",\"function_name\":\"f\",\"arguments\":{\"n\":9007199254740993}}")
		      RESULTS("{\"source_call_id\":\"a\",\"content\":{\"n\":[9007199254740995]}}")
		      ",\"extra\":{\"n\":9007199254740997}"));
	static const char log[] =
		LINE(0, "run_start", "")
		LINE(1, "model_step", ",\"step_id\":\"m\",\"text\":\"\"")
		LINE(2, "tool_call", ",\"call_id\":\"a\",\"tool\":\"tool://x/f\",\"args\":{\"n\":\"9007199254740993\"},"
		     "\"ext\":{\"trackway/1\":{\"bigint\":[\"/args/n\"]}}")
		LINE(3, "tool_result", ",\"call_id\":\"a\",\"result\":{\"n\":\"9007199254740995\"},"
		     "\"ext\":{\"trackway/1\":{\"bigint\":[\"/result/n\"]}}")
		LINE(4, "run_end", ",\"status\":\"success\"");
	struct str out = convert_text(&arena, "otutl", to_otutl(str_from(document)), "atif");

	CHECK(str_find(out, STR("{\"n\":9007199254740993}")) != (size_t)-1);
	CHECK(str_find(out, STR("\"message\":{\"n\":9007199254740993}")) != (size_t)-1);
	CHECK(str_find(out, STR("{\"n\":[9007199254740995]}")) != (size_t)-1);
	CHECK(str_find(out, STR("{\"n\":9007199254740997}")) != (size_t)-1);
	out = convert_text(&arena, "otutl", str_from(log), "atif");
	CHECK(str_find(out, STR("\"arguments\":{\"n\":9007199254740993}")) != (size_t)-1);
	CHECK_STR(convert_get(&arena, out, "/steps/0/observation/results/0/content"), STR("{\"n\":9007199254740995}"));
}

/* ---- detection ---- */

TEST(documents_are_recognised_by_their_version)
{
	static const struct { const char *text; bool fits; } cases[] = {
		{ "{\"schema_version\":\"ATIF-v1.2\",\"steps\":[]}", true },
		{ "{\"schema_version\":\"1.4\",\"agent\":{},\"steps\":[]}", true },
		{ "{\"schema_version\":\"1.4\",\"steps\":[]}", false },
		{ "{\"schema_version\":\"agent-trace/v1\",\"agent\":{},\"steps\":[]}", false },
		{ "{\"schema_version\":2,\"agent\":{},\"steps\":[]}", false },
		{ "[]", false },
	};
	struct json_parser *p = dialect_detect_open();
	struct val v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_from(cases[i].text), &v, NULL));
		CHECK_INT(atif_dialect.fits(v) > 0, cases[i].fits);
	}
	json_parser_close(p);
}
