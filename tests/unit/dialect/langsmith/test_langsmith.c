#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"

/* Runs of one trace: ids are letters, which dotted_order takes as well as UUIDs. */
#define DOT(n, id) "20260102T03040" #n "000000Z" id
#define ROOT(more) "{\"id\":\"r\",\"trace_id\":\"r\",\"dotted_order\":\"" DOT(0, "r") "\",\"name\":\"agent\",\"run_type\":\"chain\"," \
		   "\"start_time\":\"2026-01-02T03:04:00.000000\"" more "}\n"
#define CHILD(id, n, type, name, more) "{\"id\":\"" id "\",\"trace_id\":\"r\",\"dotted_order\":\"" DOT(0, "r") "." DOT(n, id) \
		   "\",\"name\":\"" name "\",\"run_type\":\"" type "\",\"start_time\":\"2026-01-02T03:04:0" #n ".000000\"" more "}\n"
#define ENDED(n) ",\"end_time\":\"2026-01-02T03:04:0" #n ".500000\""
#define LC(class, members) "{\"lc\":1,\"type\":\"constructor\",\"id\":[\"langchain\",\"schema\",\"messages\",\"" class "\"]," \
		   "\"kwargs\":{" members "}}"
#define SAID(text) ",\"outputs\":{\"generations\":[[{\"message\":" LC("AIMessage", "\"content\":\"" text "\"") "}]]}"

static struct arena arena;

static struct str to_otutl(const char *text)
{
	return convert_valid(&arena, "langsmith", str_from(text), "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/langsmith_runs", "langsmith", 7);
}

/* ---- containers ---- */

TEST(every_container_is_known_and_gives_the_same_runs)
{
	static const char *const texts[] = {
		ROOT("") CHILD("m", 1, "llm", "Chat", ENDED(2) SAID("hi")),
		"[" ROOT("") "," CHILD("m", 1, "llm", "Chat", ENDED(2) SAID("hi")) "]",
		"{\"rule_id\":\"x\",\"runs\":[" CHILD("m", 1, "llm", "Chat", ENDED(2) SAID("hi")) "," ROOT("") "]}",
		"{\"post\":[" ROOT("") "," CHILD("m", 1, "llm", "Chat", "") "],\"patch\":[" CHILD("m", 1, "llm", "Chat", ENDED(2) SAID("hi")) "]}",
		"{\"path\":\"/runs\",\"body\":{\"id\":\"r\",\"trace_id\":\"r\",\"name\":\"agent\",\"run_type\":\"chain\"}}\n"
		"{\"path\":\"/runs/batch\",\"body\":{\"post\":[{\"id\":\"m\",\"trace_id\":\"r\",\"run_type\":\"llm\"}]}}\n"
		"{\"path\":\"/runs/m\",\"body\":{\"trace_id\":\"r\"" ENDED(2) SAID("hi") "}}\n",
		"{\"id\":\"r\",\"name\":\"agent\",\"run_type\":\"chain\",\"start_time\":\"2026-01-02T03:04:00Z\",\"child_runs\":["
		"{\"id\":\"m\",\"name\":\"Chat\",\"run_type\":\"llm\",\"start_time\":\"2026-01-02T03:04:01Z\"" ENDED(2) SAID("hi") "}]}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct converted c = convert_with(&arena, str_from(texts[i]), (struct convert_how){ .to = "otutl" });
		struct convert_figures f = convert_count(c.out);

		test_case("%zu", i);
		CHECK(c.done && c.from == &langsmith_dialect);
		CHECK_INT(f.runs, 1);
		CHECK_INT(f.model_steps, 1);
		CHECK_INT((int64_t)c.coverage.leaves.left, 0);
		CHECK_STR(get(c.out, "run_start", 0, "/vendor_run_id"), STR("r"));
		CHECK_STR(get(c.out, "run_start", 0, "/agent/name"), STR("agent"));
		CHECK_STR(get(c.out, "run_start", 0, "/framework"), STR("langgraph"));
		CHECK_STR(get(c.out, "model_step", 0, "/step_id"), STR("m"));
		CHECK_STR(get(c.out, "model_step", 0, "/text"), STR("hi"));
	}
	arena_free(&arena);
}

TEST(what_an_envelope_says_beside_its_runs_is_kept)
{
	struct str out = to_otutl("{\"rule_id\":\"x\",\"runs\":[" CHILD("m", 1, "llm", "Chat", ENDED(2) SAID("hi")) "]}");

	CHECK(str_has(out, STR("\"rule_id\":\"x\"")));
	arena_free(&arena);
}

TEST(traces_of_one_file_are_runs_of_their_own)
{
	struct str out = to_otutl(ROOT(ENDED(9)) "{\"id\":\"s\",\"trace_id\":\"s\",\"run_type\":\"chain\",\"name\":\"other\","
				  "\"start_time\":\"2026-01-02T03:04:03Z\"}\n" CHILD("m", 1, "llm", "Chat", ENDED(2)));

	CHECK_INT(convert_count(out).runs, 2);
	CHECK_STR(get(out, "run_start", 1, "/agent/name"), STR("other"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("success"));
	CHECK_STR(get(out, "run_end", 1, "/status"), STR("interrupted"));
	arena_free(&arena);
}

/* ---- updates ---- */

TEST(updates_of_an_id_are_merged_and_the_last_that_is_not_null_counts)
{
	struct str out = to_otutl(CHILD("m", 1, "llm", "Chat",
					",\"inputs\":{\"messages\":[[\"user\",\"hello\"]]},\"tags\":[\"a\"],"
					"\"extra\":{\"metadata\":{\"ls_provider\":\"openai\",\"k\":1}}") ROOT("")
				  "{\"id\":\"m\",\"end_time\":\"2026-01-02T03:04:02.500000\",\"error\":null,\"inputs\":null,\"tags\":[],"
				  "\"extra\":{\"metadata\":{\"k\":2}},\"outputs\":{\"output\":\"first\"}}\n"
				  "{\"id\":\"m\",\"outputs\":{\"output\":\"second\"}}\n");

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("second"));
	CHECK_STR(get(out, "model_step", 0, "/request/messages/0/content"), STR("hello"));
	CHECK_STR(get(out, "model_step", 0, "/provider"), STR("openai"));
	CHECK_STR(get(out, "model_step", 0, "/ext/langsmith~11/extra/metadata/k"), STR("2"));
	CHECK_STR(get(out, "model_step", 0, "/ext/langsmith~11/tags/0"), STR("a"));
	CHECK_STR(get(out, "model_step", 0, "/latency_ms"), STR("1500"));
	arena_free(&arena);
}

TEST(an_update_without_an_id_is_found_by_its_place_in_the_tree)
{
	struct str out = to_otutl(CHILD("m", 1, "llm", "Chat", "") "{\"dotted_order\":\"" DOT(0, "r") "." DOT(1, "m") "\",\"outputs\":"
				  "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"hi\"},"
				  "\"finish_reason\":{\"index\":0,\"finish_reason\":\"stop\"}}]}}\n");

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("hi"));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("stop"));
	arena_free(&arena);
}

TEST(updates_of_numbers_that_json_does_not_have_are_merged_too)
{
	struct str out = to_otutl(CHILD("m", 1, "llm", "Chat", ",\"extra\":{\"t\":NaN}") "{\"id\":\"m\",\"outputs\":{\"output\":\"x\"}}\n");

	CHECK_STR(get(out, "model_step", 0, "/text"), STR("x"));
	arena_free(&arena);
}

/* ---- steps ---- */

TEST(usage_counts_on_llm_runs_alone_and_a_zero_is_no_measure)
{
	struct str out = to_otutl(
		ROOT(ENDED(9) ",\"prompt_tokens\":30,\"completion_tokens\":5,\"total_tokens\":35,\"total_cost\":0.5")
		CHILD("m", 1, "llm", "Chat", ENDED(2) ",\"outputs\":{\"generations\":[{\"message\":" LC("AIMessage",
		      "\"content\":\"\",\"usage_metadata\":{\"input_tokens\":30,\"output_tokens\":5,\"total_tokens\":35,"
		      "\"input_token_details\":{\"cache_read\":7,\"cache_creation\":2},\"output_token_details\":{\"reasoning\":3}}")
		      "}]},\"total_cost\":0.25,\"prompt_tokens\":30")
		CHILD("n", 3, "llm", "Chat", ENDED(4) ",\"prompt_tokens\":0,\"completion_tokens\":0"));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.model_steps, 2);
	CHECK_INT(f.input_total, 30);
	CHECK_INT(f.output_total, 5);
	CHECK_INT(f.cache_read, 7);
	CHECK_INT(f.cache_write, 2);
	CHECK_INT(f.reasoning, 3);
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.25"));
	CHECK(!get(out, "cost", 1, "/tokens_in").p);
	CHECK(!get(out, "model_step", 1, "/usage").p);
	arena_free(&arena);
}

TEST(usage_is_found_in_every_place_that_tells_it)
{
	static const struct {
		const char *members;
		int64_t in, out;
	} cases[] = {
		{ ",\"outputs\":{\"usage_metadata\":{\"input_tokens\":3,\"output_tokens\":1}}", 3, 1 },
		{ ",\"outputs\":{\"output\":\"x\",\"llm_output\":{\"token_usage\":{\"prompt_tokens\":4,\"completion_tokens\":2}}}", 4, 2 },
		{ ",\"outputs\":{\"choices\":[{\"message\":{\"content\":\"x\"}}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}", 5, 2 },
		{ ",\"outputs\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":5,"
		  "\"cache_read_input_tokens\":10,\"output_tokens\":2}}", 15, 2 },
		{ ",\"extra\":{\"metadata\":{\"usage_metadata\":{\"input_tokens\":6,\"output_tokens\":1}}}", 6, 1 },
		{ ",\"prompt_tokens\":8,\"completion_tokens\":3,\"prompt_token_details\":{\"cache_read\":1}", 8, 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&arena, "%s%s}\n", "{\"id\":\"m\",\"trace_id\":\"m\",\"run_type\":\"llm\",\"name\":\"Chat\","
					       "\"start_time\":\"2026-01-02T03:04:01Z\",\"end_time\":\"2026-01-02T03:04:02Z\"", cases[i].members);
		struct convert_figures f = convert_count(convert_valid(&arena, "langsmith", text, "otutl"));

		test_case("%s", cases[i].members);
		CHECK_INT(f.input_total, cases[i].in);
		CHECK_INT(f.output_total, cases[i].out);
	}
	arena_free(&arena);
}

TEST(messages_are_read_in_every_spelling)
{
	static const char *const requests[] = {
		"{\"messages\":[[" LC("SystemMessage", "\"content\":\"brief\"") "," LC("HumanMessage", "\"content\":\"hello\"") "]]}",
		"{\"messages\":[{\"type\":\"system\",\"content\":\"brief\"},{\"type\":\"human\",\"content\":\"hello\"}]}",
		"{\"messages\":[{\"type\":\"system\",\"data\":{\"content\":\"brief\"}},{\"type\":\"human\",\"data\":{\"content\":\"hello\"}}]}",
		"{\"messages\":[{\"role\":\"system\",\"content\":\"brief\"},{\"role\":\"user\",\"content\":\"hello\"}]}",
		"{\"messages\":[[\"system\",\"brief\"],[\"user\",\"hello\"]]}",
		"{\"system\":\"brief\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}",
		"{\"instructions\":\"brief\",\"input\":\"hello\"}",
		"{\"system\":\"brief\",\"prompts\":[\"hello\"]}",
	};

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		struct str text = arena_printf(&arena, "%s,\"inputs\":%s}\n", "{\"id\":\"m\",\"trace_id\":\"m\",\"run_type\":\"llm\","
					       "\"name\":\"Chat\",\"start_time\":\"2026-01-02T03:04:01Z\"", requests[i]);
		struct str out = convert_valid(&arena, "langsmith", text, "otutl");

		test_case("%s", requests[i]);
		CHECK_STR(get(out, "model_step", 0, "/request/messages/0/role"), STR("system"));
		CHECK_STR(get(out, "model_step", 0, "/request/messages/0/content"), STR("brief"));
		CHECK_STR(get(out, "model_step", 0, "/request/messages/1/role"), STR("user"));
		CHECK_STR(get(out, "model_step", 0, "/request/messages/1/content"), STR("hello"));
	}
	arena_free(&arena);
}

TEST(answers_are_read_in_every_spelling)
{
	static const struct {
		const char *outputs, *text, *reasoning, *id;
	} cases[] = {
		{ "{\"generations\":[[{\"text\":\"hi\"}]]}", "hi", NULL, NULL },
		{ "{\"generations\":[[{\"text\":\"hi\",\"message\":" LC("AIMessage", "\"content\":\"hi\",\"id\":\"run-1\"") "}]]}", ""
		  "hi", NULL, NULL },
		{ "{\"id\":\"resp_1\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]}]}"
		  "", "hi", NULL, "resp_1" },
		{ "{\"output\":[{\"choices\":[{\"delta\":{\"content\":\"h\"}}]},{\"choices\":[{\"delta\":{\"content\":\"i\"}}]}]}", ""
		  "hi", NULL, NULL },
		{ "{\"output\":" LC("AIMessage", "\"content\":\"hi\"") "}", "hi", NULL, NULL },
		{ "{\"role\":\"assistant\",\"id\":\"msg_1\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":\"text"
		  "\",\"text\":\"hi\"}]}",
		  "hi", "hm", "msg_1" },
		{ "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"hi\"}]}", "hi", NULL, NULL },
		{ "{\"message\":{\"role\":\"assistant\",\"content\":\"hi\",\"reasoning_content\":\"hm\"}}", "hi", "hm", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&arena, "%s,\"outputs\":%s}\n", "{\"id\":\"m\",\"trace_id\":\"m\",\"run_type\":\"llm\","
					       "\"name\":\"Chat\",\"start_time\":\"2026-01-02T03:04:01Z\",\"end_time\":\"2026-01-02T03:04:02Z\"",
					       cases[i].outputs);
		struct str out = convert_valid(&arena, "langsmith", text, "otutl");

		test_case("%s", cases[i].outputs);
		CHECK_STR(get(out, "model_step", 0, "/text"), str_from(cases[i].text));
		if (cases[i].reasoning)
			CHECK_STR(get(out, "model_step", 0, "/reasoning"), str_from(cases[i].reasoning));
		if (cases[i].id)
			CHECK_STR(get(out, "model_step", 0, "/response_id"), str_from(cases[i].id));
		else
			CHECK(!get(out, "model_step", 0, "/response_id").p);
	}
	arena_free(&arena);
}

TEST(model_provider_stop_reason_and_first_token_are_those_of_the_answer)
{
	struct str out = to_otutl(CHILD("m", 1, "llm", "ChatOpenAI", ENDED(2) ",\"events\":[{\"name\":\"start\",\"time\":\"2026-01-02T03:04:01Z\"},"
		"{\"name\":\"new_token\",\"time\":\"2026-01-02T03:04:01.250Z\"}],"
		"\"extra\":{\"metadata\":{\"ls_provider\":\"openai\",\"ls_model_name\":\"asked\"}},\"outputs\":{\"generations\":[[{\""
		  "generation_info\":"
		"{\"finish_reason\":\"length\",\"model_name\":\"answered\"},\"message\":" LC("AIMessage", "\"content\":\"x\"") "}]]}"));

	CHECK_STR(get(out, "model_step", 0, "/model"), STR("answered"));
	CHECK_STR(get(out, "model_step", 0, "/provider"), STR("openai"));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("length"));
	CHECK_STR(get(out, "model_step", 0, "/ttft_ms"), STR("250"));
	CHECK_STR(get(out, "model_step", 0, "/ext/langsmith~11/extra/metadata/ls_model_name"), STR("asked"));
	CHECK_STR(get(out, "model_step", 0, "/ext/langsmith~11/name"), STR("ChatOpenAI"));
	arena_free(&arena);
}

TEST(calls_that_are_only_asked_for_are_no_calls)
{
	struct str out = to_otutl(CHILD("m", 1, "llm", "Chat", ENDED(2) ",\"outputs\":{\"generations\":[[{\"message\":"
		LC("AIMessage", "\"content\":\"\",\"tool_calls\":[{\"name\":\"Plan\",\"args\":{},\"id\":\"call_1\",\"type\":\"tool_ca"
		  "ll\"}]") "}]]}"));

	CHECK_INT(convert_count(out).tool_calls, 0);
	CHECK_INT(convert_count(out).orphan_calls, 0);
	CHECK(str_has(out, STR("call_1")));
	arena_free(&arena);
}

TEST(a_failed_answer_is_a_step_and_an_error_and_a_failed_root_says_so_at_the_end)
{
	struct str out = to_otutl(ROOT(ENDED(9) ",\"error\":\"it broke\"") CHILD("c", 1, "chain", "inner", ENDED(8) ",\"error\":\"inner broke\"")
				  CHILD("m", 2, "llm", "Chat", ENDED(3) ",\"error\":\"Overloaded\""));

	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("error"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("Overloaded"));
	CHECK_STR(get(out, "error", 0, "/class"), STR("model"));
	CHECK_STR(get(out, "error", 1, "/message"), STR("it broke"));
	CHECK_STR(get(out, "error", 1, "/class"), STR("harness"));
	CHECK(!convert_record(out, "error", 2).n);
	CHECK(str_has(out, STR("inner broke")));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("error"));
	arena_free(&arena);
}

/* ---- calls ---- */

TEST(a_call_has_the_models_id_where_it_is_told_and_else_the_runs)
{
	static const struct {
		const char *more, *id;
	} cases[] = {
		{ ",\"extra\":{\"tool_call_id\":\"call_1\"}", "call_1" },
		{ ",\"outputs\":{\"output\":" LC("ToolMessage", "\"content\":\"5\",\"tool_call_id\":\"call_1\"") "}", "call_1" },
		{ ",\"outputs\":{\"output\":{\"type\":\"tool\",\"content\":\"5\",\"tool_call_id\":\"call_1\"}}", "call_1" },
		{ ",\"inputs\":{\"type\":\"tool_call\",\"id\":\"call_1\",\"args\":{}}", "call_1" },
		{ ",\"outputs\":{\"output\":\"5\"}", "t" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&arena, "%s%s}\n", "{\"id\":\"t\",\"trace_id\":\"t\",\"run_type\":\"tool\",\"name\":\"add\","
					       "\"start_time\":\"2026-01-02T03:04:01Z\",\"end_time\":\"2026-01-02T03:04:02Z\"", cases[i].more);
		struct str out = convert_valid(&arena, "langsmith", text, "otutl");

		test_case("%s", cases[i].more);
		CHECK_STR(get(out, "tool_call", 0, "/call_id"), str_from(cases[i].id));
		CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://langchain/add"));
		CHECK_STR(get(out, "tool_result", 0, "/call_id"), str_from(cases[i].id));
		if (i == 1 || i == 2 || i == 4)
			CHECK_STR(get(out, "tool_result", 0, "/result"), STR("5"));
	}
	arena_free(&arena);
}

TEST(retrievers_and_embeddings_are_calls_of_their_own_kind)
{
	struct str out = to_otutl(CHILD("q", 1, "retriever", "Store", ENDED(2) ",\"inputs\":{\"query\":\"x\"},\"outputs\":{\"d"
		  "ocuments\":[{\"page_content\":\"d\"}]}")
				  CHILD("e", 3, "embedding", "Ada", ENDED(4) ",\"inputs\":{\"texts\":[\"x\"]},\"outputs\":{\"embeddings\":[[1]]}"));

	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://langchain/retriever/Store"));
	CHECK_STR(get(out, "tool_call", 0, "/args/query"), STR("x"));
	CHECK_STR(get(out, "tool_result", 0, "/result/0/page_content"), STR("d"));
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("1500"));
	CHECK_STR(get(out, "tool_call", 1, "/tool"), STR("tool://langchain/embedding/Ada"));
	arena_free(&arena);
}

TEST(results_may_fail_and_calls_may_have_none)
{
	struct str out = to_otutl(CHILD("a", 1, "tool", "one", ENDED(2) ",\"inputs\":{},\"outputs\":{},\"error\":\"boom\"")
				  CHILD("b", 3, "tool", "two", ENDED(4) ",\"inputs\":{\"input\":\"{\\\"x\\\":1}\"},\"outputs\":{\"output\":"
					LC("ToolMessage", "\"content\":\"no\",\"tool_call_id\":\"b\",\"status\":\"error\"") "}")
				  CHILD("c", 5, "tool", "three", ""));

	CHECK_STR(get(out, "tool_result", 0, "/is_error"), STR("true"));
	CHECK_STR(get(out, "tool_result", 0, "/result"), STR("boom"));
	CHECK_STR(get(out, "tool_result", 1, "/is_error"), STR("true"));
	CHECK_STR(get(out, "tool_call", 1, "/args/x"), STR("1"));
	CHECK_STR(get(out, "tool_call", 2, "/args_withheld"), STR("true"));
	CHECK_STR(get(out, "error", 0, "/code"), STR("no_result"));
	arena_free(&arena);
}

TEST(what_happens_inside_a_tool_has_it_as_parent_however_deep)
{
	struct str out = to_otutl("{\"id\":\"m\",\"trace_id\":\"r\",\"dotted_order\":\"" DOT(0, "r") "." DOT(1, "t") "." DOT(2, "c") "." DOT(3, "m")
				  "\",\"run_type\":\"llm\",\"name\":\"x\",\"start_time\":\"2026-01-02T03:04:03Z\",\"end_time\":\"2026-01-02T03:04:0"
		  "4Z\"}\n"
				  "{\"id\":\"c\",\"trace_id\":\"r\",\"parent_run_id\":\"t\",\"run_type\":\"chain\",\"name\":\"x\","
				  "\"start_time\":\"2026-01-02T03:04:02Z\"}\n"
				  CHILD("t", 1, "tool", "sub", ENDED(9) ",\"inputs\":{}") ROOT(ENDED(9)));

	CHECK_STR(get(out, "model_step", 0, "/parent_call_id"), STR("t"));
	CHECK(str_has(out, STR("\"parent_run_id\":\"t\"")));
	arena_free(&arena);
}

TEST(times_without_a_zone_are_utc_and_numbers_are_milliseconds)
{
	struct str out = to_otutl("{\"post\":[{\"id\":\"m\",\"trace_id\":\"m\",\"run_type\":\"llm\",\"name\":\"x\",\"start_time\":1728803138291}],"
				  "\"patch\":[{\"id\":\"m\",\"end_time\":1728803148730,\"outputs\":{\"output\":\"x\"}}]}"), update;

	CHECK_STR(get(out, "model_step", 0, "/ts"), STR("2024-10-13T07:05:48.730Z"));
	CHECK_STR(get(out, "model_step", 0, "/latency_ms"), STR("10439"));
	CHECK_STR(get(out, "model_step", 0, "/ext/langsmith~11/end_time"), STR("1728803148730"));
	update = to_otutl("{\"id\":\"m\",\"dotted_order\":\"20241013T070538291001Zm\",\"run_type\":\"llm\",\"outputs\":{\"output\":\"x\"}}\n");
	CHECK_STR(get(update, "model_step", 0, "/ts"), STR("2024-10-13T07:05:38.291001Z"));
	arena_free(&arena);
}

TEST(no_content_enters_a_trace)
{
	struct str out = convert_valid(&arena, "langsmith", STR(
		ROOT(ENDED(9) ",\"inputs\":{\"q\":\"SECRET\"},\"outputs\":{\"a\":\"SECRET\"},\"error\":\"SECRET\",\"tags\":[\"SECRET\"]")
		CHILD("m", 1, "llm", "Chat", ENDED(2) ",\"inputs\":{\"messages\":[[\"user\",\"SECRET\"]]},\"error\":\"SECRET\"" SAID("SECRET"))
		CHILD("t", 3, "tool", "get", ENDED(4) ",\"inputs\":{\"x\":\"SECRET\"},\"outputs\":{\"output\":\"SECRET\"}")), "agent-trace");

	CHECK(out.n > 0 && !str_has(out, STR("SECRET")));
	arena_free(&arena);
}

TEST(a_log_that_is_cut_gives_what_is_there)
{
	struct converted c = convert_with(&arena, STR(ROOT("") CHILD("m", 1, "llm", "Chat", ENDED(2) SAID("hi")) "{\"id\":\"t\",\"run_ty"),
					  (struct convert_how){ .to = "otutl" });

	CHECK(c.done && c.torn);
	CHECK_STR(get(c.out, "model_step", 0, "/text"), STR("hi"));
	CHECK_STR(get(c.out, "run_end", 0, "/status"), STR("interrupted"));
	arena_free(&arena);
}

TEST(only_runs_are_taken_for_runs)
{
	static const char *const others[] = {
		"{\"run_type\":\"llm\"}", "{\"runs\":[]}", "{\"post\":[],\"patch\":[]}", "{\"id\":\"a\",\"inputs\":{},\"outputs\":{}}",
		"{\"runs\":[{\"id\":\"a\",\"name\":\"b\"}]}", "{\"path\":\"/runs\",\"body\":{}}", "{\"trace_id\":\"a\",\"start_time\":\"b\"}",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
		struct val v;

		test_case("%s", others[i]);
		CHECK(json_parse_copy(p, str_from(others[i]), &v, NULL));
		CHECK_INT(langsmith_dialect.fits(v), 0);
		json_parser_close(p);
	}
}
