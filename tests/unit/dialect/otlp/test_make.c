#include "dialect/otlp/make.h"

#include "unit/dialect/otlp_feed.h"

#define RUN "\"run_id\":\"018bcfe5-6800-7000-8000-000000000000\",\"ts\":\"2023-11-14T22:13:"
#define LOG                                                                                                               \
	"{\"type\":\"run_start\",\"seq\":0," RUN "20.000Z\",\"agent\":{\"name\":\"a\",\"version\":\"2\"},"               \
	"\"vendor\":\"v\",\"vendor_run_id\":\"r\"}\n"                                                                    \
	"{\"type\":\"model_step\",\"seq\":1," RUN "22.000Z\",\"step_id\":\"s1\",\"model\":\"m\",\"provider\":\"p\","     \
	"\"latency_ms\":1500,\"text\":\"let me see\",\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":10,"       \
	"\"output_tokens\":5,\"cache_read_tokens\":4,\"source\":\"api\"},\"call_ids\":[\"c1\",\"c2\",\"c3\"]}\n"         \
	"{\"type\":\"tool_call\",\"seq\":2," RUN "22.000Z\",\"call_id\":\"c1\",\"tool\":\"tool://v/read\","              \
	"\"args\":{\"path\":\"x\"},\"step_id\":\"s1\"}\n"                                                               \
	"{\"type\":\"tool_call\",\"seq\":3," RUN "22.000Z\",\"call_id\":\"c2\",\"tool\":\"mcp://srv/add\","              \
	"\"args\":{},\"step_id\":\"s1\"}\n"                                                                             \
	"{\"type\":\"tool_call\",\"seq\":4," RUN "22.000Z\",\"call_id\":\"c3\",\"tool\":\"tool://v/w\","                 \
	"\"args\":{},\"parent_call_id\":\"c1\",\"step_id\":\"s1\"}\n"                                                   \
	"{\"type\":\"cost\",\"seq\":5," RUN "22.000Z\",\"step_id\":\"s1\",\"model\":\"m\",\"tokens_in\":10,"             \
	"\"tokens_out\":5,\"cache_read_tokens\":4,\"scope\":\"step\"}\n"                                                \
	"{\"type\":\"tool_result\",\"seq\":6," RUN "23.000Z\",\"call_id\":\"c2\",\"result\":{\"sum\":3}}\n"              \
	"{\"type\":\"tool_result\",\"seq\":7," RUN "24.000Z\",\"call_id\":\"c1\",\"result\":\"no\",\"is_error\":true,"   \
	"\"duration_ms\":250}\n"                                                                                        \
	"{\"type\":\"error\",\"seq\":8," RUN "24.000Z\",\"call_id\":\"c3\",\"class\":\"tool\",\"code\":\"no_result\","   \
	"\"message\":\"no result came\"}\n"                                                                             \
	"{\"type\":\"run_end\",\"seq\":9," RUN "25.000Z\",\"status\":\"success\"}\n"

#define START "{\"type\":\"run_start\",\"seq\":0," RUN "20.000Z\",\"vendor\":\"v\"}\n"
#define END "{\"type\":\"run_end\",\"seq\":9," RUN "25.000Z\",\"status\":\"success\"}\n"
#define STEP(more) "{\"type\":\"model_step\",\"seq\":1," RUN "22.000Z\",\"step_id\":\"s1\",\"model\":\"m\"" more "}\n"
#define CALL(more) "{\"type\":\"tool_call\",\"seq\":2," RUN "22.000Z\",\"call_id\":\"c1\",\"tool\":\"tool://v/t\"" more "}\n"
#define RESULT(more) "{\"type\":\"tool_result\",\"seq\":3," RUN "23.000Z\",\"call_id\":\"c1\"" more "}\n"

static struct str made(void)
{
	return convert_text(&otlp_arena, "otutl", STR(LOG), "otlp-json");
}

/* The n-th span, in the order they are written. */
static struct str span(struct str out, size_t n)
{
	return convert_get(&otlp_arena, out, arena_printf(&otlp_arena, "/resourceSpans/0/scopeSpans/0/spans/%zu", n).p);
}

/* The text of an attribute. */
static struct str attribute(struct str s, const char *key)
{
	for (size_t i = 0;; i++) {
		struct str name = convert_get(&otlp_arena, s, arena_printf(&otlp_arena, "/attributes/%zu/key", i).p);

		if (!name.p)
			return name;
		if (str_eq(name, str_from(key)))
			return convert_get(&otlp_arena, s,
					   arena_printf(&otlp_arena, "/attributes/%zu/value/stringValue", i).p);
	}
}

static struct str member(struct str s, const char *pointer)
{
	return convert_get(&otlp_arena, s, pointer);
}

TEST(a_run_becomes_a_root_with_a_span_for_each_step_and_call)
{
	static const char *const names[] = { "chat m", "execute_tool add", "execute_tool w", "execute_tool read",
					     "invoke_agent a" };
	struct str out = made();

	for (size_t i = 0; i < 5; i++) {
		struct str s = span(out, i);

		test_case("%s", names[i]);
		CHECK_STR(member(s, "/name"), str_from(names[i]));
		CHECK_STR(member(s, "/traceId"), STR("018bcfe5680070008000000000000000"));
		CHECK_INT(member(s, "/spanId").n, 16);
		CHECK_STR(attribute(s, "gen_ai.conversation.id"), STR("r"));
		CHECK(attribute(s, "openinference.span.kind").n > 0);
	}
	CHECK(span(out, 5).p == NULL);
	CHECK(member(span(out, 4), "/parentSpanId").p == NULL);
	CHECK_STR(member(span(out, 0), "/parentSpanId"), member(span(out, 4), "/spanId"));
	CHECK_STR(member(span(out, 2), "/parentSpanId"), member(span(out, 3), "/spanId"));
}

TEST(times_are_texts_of_nanoseconds)
{
	struct str out = made();

	CHECK_STR(member(span(out, 0), "/startTimeUnixNano"), STR("1700000000500000000"));
	CHECK_STR(member(span(out, 0), "/endTimeUnixNano"), STR("1700000002000000000"));
	CHECK_STR(member(span(out, 3), "/endTimeUnixNano"), STR("1700000004000000000")); /* a call inside it ended then */
	CHECK_STR(member(span(out, 4), "/startTimeUnixNano"), STR("1700000000000000000"));
	CHECK_STR(member(span(out, 4), "/endTimeUnixNano"), STR("1700000005000000000"));
	CHECK(str_find(out, STR("\"startTimeUnixNano\":\"")) != (size_t)-1);
}

TEST(what_was_said_and_done_is_in_the_attributes_of_the_conventions)
{
	struct str out = made();

	CHECK_STR(attribute(span(out, 0), "gen_ai.output.messages"),
		  STR("[{\"finish_reason\":\"tool_call\",\"parts\":[{\"content\":\"let me see\",\"type\":\"text\"},"
		      "{\"arguments\":{\"path\":\"x\"},\"id\":\"c1\",\"name\":\"read\",\"type\":\"tool_call\"},"
		      "{\"arguments\":{},\"id\":\"c2\",\"name\":\"add\",\"type\":\"tool_call\"},"
		      "{\"arguments\":{},\"id\":\"c3\",\"name\":\"w\",\"type\":\"tool_call\"}],\"role\":\"assistant\"}]"));
	CHECK(str_find(span(out, 0), STR(OTLP_I("gen_ai.usage.input_tokens", 10))) != (size_t)-1);
	CHECK(str_find(span(out, 0), STR(OTLP_I("gen_ai.usage.cache_read.input_tokens", 4))) != (size_t)-1);
	CHECK_STR(attribute(span(out, 1), "gen_ai.tool.call.result"), STR("{\"sum\":3}"));
	CHECK_STR(attribute(span(out, 1), "mcp.server.name"), STR("srv"));
	CHECK_STR(attribute(span(out, 3), "gen_ai.tool.call.arguments"), STR("{\"path\":\"x\"}"));
	CHECK_STR(attribute(span(out, 3), "error.type"), STR("tool_error"));
	CHECK_STR(member(span(out, 3), "/status/code"), STR("2"));
	CHECK_STR(attribute(span(out, 2), "error.type"), STR("no_result"));
}

TEST(a_step_says_which_server_answered_and_by_what_id)
{
	struct str log = STR(START STEP(",\"endpoint\":\"https://ann:secret@api.example.com/v1/chat?key=secret\",\"response_id\":\"a1\"") END);
	struct str s = span(convert_text(&otlp_arena, "otutl", log, "otlp-json"), 0);

	CHECK_STR(attribute(s, "server.address"), STR("api.example.com"));
	CHECK(str_find(s, STR(OTLP_I("server.port", 443))) != (size_t)-1);
	CHECK(str_find(s, STR("://")) == (size_t)-1 && str_find(s, STR("secret")) == (size_t)-1);
	CHECK_STR(attribute(s, "gen_ai.response.id"), STR("a1"));
	s = span(convert_text(&otlp_arena, "otutl", STR(START STEP("") END), "otlp-json"), 0);
	CHECK(!attribute(s, "gen_ai.response.id").p);
	CHECK(!attribute(s, "server.address").p);
}

TEST(an_endpoint_without_a_server_is_listed_as_lost)
{
	struct converted c = convert_with(&otlp_arena, STR(START STEP(",\"endpoint\":\"the one in the cellar\"") END),
					  (struct convert_how){ .from = "otutl", .to = "otlp-json" });

	CHECK(str_find(c.losses, STR("endpoints that name no server (1)")) != (size_t)-1);
}

TEST(arguments_that_were_withheld_are_absent_everywhere)
{
	struct str log = STR(START STEP("") CALL(",\"args\":null,\"args_withheld\":true,\"step_id\":\"s1\"") RESULT("") END);
	struct str out = convert_text(&otlp_arena, "otutl", log, "otlp-json");

	CHECK(str_find(out, STR("arguments")) == (size_t)-1);
	CHECK(str_find(out, STR("\\\"id\\\":\\\"c1\\\",\\\"name\\\":\\\"t\\\",\\\"type\\\":\\\"tool_call\\\"")) != (size_t)-1);
}

#define NODE(id, parent, kind, detail)                                                                                   \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"018bcfe5-6800-7000-8000-000000000000\","  \
	"\"node_id\":\"018bcfe5-6800-7000-8000-00000000000" id "\",\"parent_node_ids\":[" parent "],\"timestamp_start\":170000000"   \
	id ".0,\"timestamp_end\":170000000" id ".5,\"kind\":\"" kind "\",\"framework\":\"unknown\",\"" kind "\":{" detail "}}\n"
#define PARENT(id) "\"018bcfe5-6800-7000-8000-00000000000" id "\""
#define TOOL(call)                                                                                                 \
	"\"name\":\"f\",\"wall_time_seconds\":0.5,\"is_external\":false,\"is_io_bound\":false,\"call_id\":\"" call "\""
#define MODEL(more)                                                                                                \
	"\"endpoint\":\"http://localhost:8000/v1/chat/completions\",\"model\":\"m\",\"input_tokens\":1,\"output_tokens\":5," \
	"\"input_tokens_source\":\"api\",\"output_tokens_source\":\"api\",\"latency_seconds\":0.5,\"stream\":true" more

/* In a trace a call comes with its result, the calls of one step one after the other, with those of a helper between. */
TEST(a_step_of_a_trace_lists_all_its_parallel_calls)
{
	struct str text = STR(NODE("1", "", "model_call", MODEL(",\"tpot_seconds\":0.0125,\"request_id\":\"req_1\""))
			      NODE("2", PARENT("1"), "tool_call", TOOL("c1"))
			      NODE("3", PARENT("2"), "model_call", MODEL(""))
			      NODE("4", PARENT("1"), "tool_call", TOOL("c2")));
	struct str out = convert_text(&otlp_arena, "agent-trace", text, "otlp-json");
	struct str first = { NULL, 0 };

	for (size_t i = 0; !first.p && span(out, i).p; i++)
		if (attribute(span(out, i), "gen_ai.output.messages").p)
			first = span(out, i);
	CHECK_STR(attribute(first, "gen_ai.output.messages"),
		  STR("[{\"finish_reason\":\"tool_call\",\"parts\":[{\"id\":\"c1\",\"name\":\"f\",\"type\":\"tool_call\"},"
		      "{\"id\":\"c2\",\"name\":\"f\",\"type\":\"tool_call\"}],\"role\":\"assistant\"}]"));
	CHECK(!attribute(first, "gen_ai.response.id").p); /* a node's id and a request's are not an answer's */
	CHECK_STR(attribute(first, "trackway.request_id"), STR("req_1"));
	CHECK(str_find(first, STR("{\"key\":\"agent_trace.tpot_seconds\",\"value\":{\"doubleValue\":0.0125}}")) != (size_t)-1);
}

TEST(the_trace_of_a_run_reads_as_that_run)
{
	struct str again = otlp_convert(made().p);
	struct convert_figures a = convert_count(STR(LOG)), b = convert_count(again);

	CHECK(memcmp(&a, &b, sizeof(a)) == 0);
	CHECK_STR(otlp_get(again, "model_step", 0, "/text"), STR("let me see"));
	CHECK_STR(otlp_get(again, "model_step", 0, "/stop_reason"), STR("tool_use"));
	CHECK_STR(otlp_get(again, "tool_result", 0, "/result/sum"), STR("3")); /* in their order, not that of the clock */
	CHECK_STR(otlp_get(again, "tool_result", 1, "/result"), STR("no"));
	CHECK_STR(otlp_get(again, "tool_call", 1, "/tool"), STR("mcp://srv/add"));
	CHECK_STR(otlp_get(again, "tool_call", 2, "/parent_call_id"), STR("c1"));
}

TEST(the_same_run_gives_the_same_bytes)
{
	CHECK_STR(made(), made());
}

/* No times at all: results must still be told from calls that never came back. */
TEST(a_run_without_times_keeps_its_results)
{
	struct str text = convert_text(&otlp_arena, "openai-chat",
		STR("{\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
		    "\"c1\",\"type\":\"function\",\"function\":{\"name\":\"t\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\","
		    "\"tool_call_id\":\"c1\",\"content\":\"done\"},{\"role\":\"assistant\",\"content\":\"ok\"}]}"), "otutl");
	struct str again = otlp_convert(convert_text(&otlp_arena, "otutl", text, "otlp-json").p);

	CHECK_INT(convert_count(text).tool_results, 1);
	CHECK_INT(convert_count(again).tool_results, 1);
	CHECK_INT(convert_count(again).orphan_calls, 0);
}

/* ---- what comes back ---- */

/* To a trace and back. */
static struct str trip(const char *log)
{
	return otlp_convert(convert_text(&otlp_arena, "otutl", str_from(log), "otlp-json").p);
}

TEST(what_a_run_says_comes_back_from_its_trace)
{
	static const struct {
		const char *log, *type, *pointer, *value; /* NULL: it is not there */
	} cases[] = {
		/* absent, null and false are three things */
		{ START CALL(",\"args\":{}") RESULT("") END, "tool_result", "/is_error", NULL },
		{ START CALL(",\"args\":{}") RESULT(",\"is_error\":null") END, "tool_result", "/is_error", "null" },
		{ START CALL(",\"args\":{}") RESULT(",\"is_error\":false") END, "tool_result", "/is_error", "false" },
		{ START CALL(",\"args\":{}") RESULT(",\"is_error\":true") END, "tool_result", "/is_error", "true" },
		{ START CALL(",\"args\":{}") RESULT("") END, "tool_result", "/result", NULL },
		{ START CALL(",\"args\":{}") RESULT(",\"result\":null") END, "tool_result", "/result", "null" },
		{ START CALL(",\"args\":{}") RESULT(",\"result\":\"null\"") END, "tool_result", "/result", "null" },
		{ START CALL(",\"args\":{}") RESULT("") END, "tool_result", "/duration_ms", NULL },
		{ START CALL(",\"args\":{}") RESULT(",\"duration_ms\":0") END, "tool_result", "/duration_ms", "0" },
		{ START CALL(",\"args\":{}") RESULT(",\"duration_ms\":0.1") END, "tool_result", "/duration_ms", "0.1" },
		{ START CALL(",\"args\":{}") RESULT(",\"duration_ms\":250") END, "tool_result", "/ts", "2023-11-14T22:13:23.000Z" },
		{ START CALL(",\"args\":{}") RESULT(",\"exit_code\":-1") END, "tool_result", "/exit_code", "-1" },
		{ START STEP("") END, "model_step", "/latency_ms", NULL },
		{ START STEP(",\"latency_ms\":null") END, "model_step", "/latency_ms", "null" },
		{ START STEP(",\"latency_ms\":0") END, "model_step", "/latency_ms", "0" },
		{ START STEP(",\"ttft_ms\":0.3") END, "model_step", "/ttft_ms", "0.3" },
		{ START STEP(",\"text\":\"x\"") END, "model_step", "/stop_reason", NULL },
		{ START STEP(",\"text\":\"\"") END, "model_step", "/text", "" },
		{ START STEP("") END, "model_step", "/text", NULL },
		{ START STEP("") END, "model_step", "/provider", NULL },
		{ START STEP(",\"stop_reason\":\"refusal\"") END, "error", "/class", NULL },
		{ START STEP(",\"stream\":false") END, "model_step", "/stream", "false" },
		{ START STEP(",\"usage\":{\"input_tokens\":null,\"output_tokens\":0}") END, "model_step",
		  "/usage/input_tokens", "null" },
		{ START STEP(",\"usage\":{\"input_tokens\":1,\"cache_read_tokens\":5}") END, "model_step",
		  "/usage/input_tokens", "1" },
		{ START STEP(",\"usage\":{\"input_tokens\":1,\"source\":\"estimated\"}") END, "model_step", "/usage/source",
		  "estimated" },
		{ START STEP(",\"usage\":{\"input_tokens\":1}") END, "cost", "/tokens_in", NULL },
		{ START STEP(",\"ext\":{\"trackway/1\":{\"branch\":\"b\"}}") END, "model_step", "/ext/trackway~11/branch", "b" },
		{ START CALL(",\"args\":\"{}\",\"args_encoding\":\"raw\"") RESULT("") END, "tool_call", "/args_encoding", "raw" },
		{ START CALL(",\"args\":\"{}\",\"args_encoding\":\"raw\"") RESULT("") END, "tool_call", "/args", "{}" },
		{ START CALL(",\"args\":[1]") RESULT("") END, "tool_call", "/args/0", "1" },
		{ START CALL(",\"args\":{}") RESULT("") END, "tool_call", "/tool", "tool://v/t" },
		{ START CALL(",\"args\":{},\"ext\":{\"trackway/1\":{\"call_id\":\"0\"}}") RESULT("") END, "tool_call",
		  "/ext/trackway~11/call_id", "0" },
		{ START STEP(",\"request\":{\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}") END, "model_step",
		  "/request/messages/0/content", "q" },
		{ START STEP(",\"request\":{\"messages\":[{\"role\":\"assistant\",\"content\":[{\"a\":1}]}]}") END, "model_step",
		  "/request/messages/0/content/0/a", "1" },
		{ START STEP("") STEP(",\"request\":{\"messages\":[{\"role\":\"user\",\"content\":null}]}") END, "model_step",
		  "/request/messages/0/content", NULL },
		{ START STEP(",\"endpoint\":\"http://localhost:8000/v1/chat\"") END, "model_step", "/endpoint", "http://localhost:8000/v1/chat" },
		{ START STEP(",\"endpoint\":\"api.example.com\"") END, "model_step", "/endpoint", "api.example.com" },
		{ START STEP("") END, "model_step", "/step_id", "s1" },
		{ START STEP("") END, "model_step", "/response_id", NULL },
		{ START STEP(",\"response_id\":\"s1\"") END, "model_step", "/response_id", "s1" },
		{ START STEP(",\"response_id\":\"a1\"") END, "model_step", "/response_id", "a1" },
		{ START STEP(",\"response_id\":\"a1\"") END, "model_step", "/step_id", "s1" },
		{ START CALL(",\"args\":null,\"args_withheld\":true") RESULT("") END, "tool_call", "/args_withheld", "true" },
		{ START CALL(",\"args\":null") RESULT("") END, "tool_call", "/args_withheld", NULL },
		{ START END, "run_end", "/status", "success" },
		{ START END, "run_start", "/vendor", "v" },
		{ START END, "run_start", "/tools", NULL },
		{ START "{\"type\":\"run_end\",\"seq\":1," RUN "25.000Z\",\"status\":\"error\",\"output\":{\"a\":1},\"request\":"
		  "{\"messages\":[{\"role\":\"user\",\"content\":\"late\"}]}}\n", "run_end", "/request/messages/0/content", "late" },
		{ START "{\"type\":\"run_end\",\"seq\":1," RUN "25.000Z\",\"status\":\"error\",\"output\":{\"a\":1}}\n", "run_end",
		  "/output/a", "1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str got = otlp_get(trip(cases[i].log), cases[i].type, 0, cases[i].pointer);

		test_case("%s of %s", cases[i].pointer, cases[i].log);
		if (cases[i].value)
			CHECK_STR(got, str_from(cases[i].value));
		else
			CHECK(got.p == NULL);
	}
}

TEST(tools_that_were_offered_come_back)
{
	struct str again = trip("{\"type\":\"run_start\",\"seq\":0," RUN "20.000Z\",\"tools\":[{\"name\":\"t\"}]}\n" END);

	CHECK_STR(otlp_get(again, "run_start", 0, "/tools/0/name"), STR("t"));
}

/* Without any time nothing but its place tells that a call has a result. */
TEST(a_run_without_times_ends_as_it_did)
{
	struct str again = trip("{\"type\":\"run_start\",\"seq\":0,\"run_id\":\"018bcfe5-6800-7000-8000-000000000000\",\"ts\":"
				"\"1970-01-01T00:00:00.000Z\",\"ext\":{\"trackway/1\":{\"ts_source\":\"none\"}}}\n"
				"{\"type\":\"run_end\",\"seq\":1,\"run_id\":\"018bcfe5-6800-7000-8000-000000000000\",\"ts\":"
				"\"1970-01-01T00:00:00.000Z\",\"status\":\"success\",\"ext\":{\"trackway/1\":{\"ts_source\":\"none\"}}}\n");

	CHECK_STR(otlp_get(again, "run_end", 0, "/status"), STR("success"));
	CHECK_STR(otlp_get(again, "run_end", 0, "/ext/trackway~11/ts_source"), STR("none"));
}

TEST(errors_come_back_with_the_call_they_end)
{
	struct str again = trip(START CALL(",\"args\":{}")
		"{\"type\":\"error\",\"seq\":3," RUN "23.000Z\",\"class\":\"tool\",\"code\":\"denied\",\"message\":\"no\",\"call_id\":"
		"\"c1\",\"retryable\":false}\n"
		"{\"type\":\"error\",\"seq\":4," RUN "24.000Z\",\"class\":\"tool\",\"code\":\"orphan_result\",\"message\":\"m\",\"ext\":"
		"{\"trackway/1\":{\"result\":\"lost\"}}}\n" END);

	CHECK_STR(otlp_order(again), STR("<c!!>"));
	CHECK_STR(otlp_get(again, "error", 0, "/code"), STR("denied"));
	CHECK_STR(otlp_get(again, "error", 0, "/call_id"), STR("c1"));
	CHECK_STR(otlp_get(again, "error", 0, "/message"), STR("no"));
	CHECK_STR(otlp_get(again, "error", 0, "/retryable"), STR("false"));
	CHECK_STR(otlp_get(again, "error", 1, "/ext/trackway~11/result"), STR("lost"));
	CHECK_STR(otlp_get(again, "error", 1, "/ts"), STR("2023-11-14T22:13:24.000Z"));
	CHECK_INT(convert_count(trip(START CALL(",\"args\":{}")
		"{\"type\":\"error\",\"seq\":3," RUN "23.000Z\",\"class\":\"tool\",\"code\":\"no_result\",\"call_id\":\"c1\"}\n" END))
		.orphan_calls, 1);
}

/* Steps with tokens of their own, and a total that is another: only the total was billed. */
TEST(the_cost_of_a_run_comes_back_beside_the_tokens_of_its_steps)
{
	struct str again = trip(START STEP(",\"usage\":{\"input_tokens\":10,\"output_tokens\":5}")
		"{\"type\":\"cost\",\"seq\":2," RUN "24.000Z\",\"scope\":\"run\",\"model\":\"m\",\"tokens_in\":100,\"tokens_out\":50,"
		"\"cache_read_tokens\":90,\"estimated_cost_usd\":0.5}\n" END);

	CHECK_INT(convert_count(again).input_total, 100);
	CHECK_INT(convert_count(again).output_total, 50);
	CHECK_STR(otlp_get(again, "cost", 0, "/scope"), STR("run"));
	CHECK_STR(otlp_get(again, "cost", 0, "/estimated_cost_usd"), STR("0.5"));
	CHECK_STR(otlp_get(again, "model_step", 0, "/usage/input_tokens"), STR("10"));
}

/* The second is the same as the first: no history that is told again. */
TEST(equal_messages_to_a_model_stay_two)
{
	struct str again = trip(START STEP(",\"request\":{\"messages\":[{\"role\":\"user\",\"content\":\"go on\"}]}")
		"{\"type\":\"model_step\",\"seq\":2," RUN "23.000Z\",\"step_id\":\"s2\",\"request\":{\"messages\":[{\"role\":\"user\","
		"\"content\":\"go on\"}]}}\n" END);

	CHECK_STR(otlp_get(again, "model_step", 0, "/request/messages/0/content"), STR("go on"));
	CHECK_STR(otlp_get(again, "model_step", 1, "/request/messages/0/content"), STR("go on"));
}

TEST(two_runs_of_one_session_stay_two)
{
	struct str again = trip(
		"{\"type\":\"run_start\",\"seq\":0," RUN "20.000Z\",\"vendor\":\"v\",\"vendor_run_id\":\"r\"}\n" END
		"{\"type\":\"run_start\",\"seq\":0,\"run_id\":\"018bcfe5-6800-7000-8000-000000000001\",\"ts\":\"2023-11-14T22:14:00.000Z\","
		"\"vendor\":\"v\",\"vendor_run_id\":\"r\"}\n"
		"{\"type\":\"run_end\",\"seq\":1,\"run_id\":\"018bcfe5-6800-7000-8000-000000000001\",\"ts\":\"2023-11-14T22:14:01.000Z\","
		"\"status\":\"interrupted\"}\n");

	CHECK_STR(otlp_order(again), STR("<><>"));
	CHECK_STR(otlp_get(again, "run_start", 1, "/vendor_run_id"), STR("r"));
	CHECK_STR(otlp_get(again, "run_end", 1, "/status"), STR("interrupted"));
}

/* ---- what readers of the conventions want ---- */

#define AT(second, type, more) "{\"type\":\"" type "\",\"seq\":1," RUN second ".000Z\"" more "}\n"

TEST(a_result_is_in_the_input_of_the_next_step_of_its_branch)
{
	static const char log[] = START STEP("") CALL(",\"args\":{}") RESULT(",\"result\":{\"k\":1}")
		AT("24", "model_step", ",\"step_id\":\"sub\",\"ext\":{\"trackway/1\":{\"branch\":\"b\"}}")
		AT("24", "model_step", ",\"step_id\":\"s2\",\"text\":\"so\",\"request\":{\"messages\":[{\"role\":\"user\",\"content\":\"and\"}]}")
		END;
	struct str out = convert_text(&otlp_arena, "otutl", STR(log), "otlp-json"), next = { NULL, 0 }, other = { NULL, 0 };

	for (size_t i = 0; span(out, i).p; i++) {
		if (str_eq(attribute(span(out, i), "trackway.step"), STR("s2")))
			next = span(out, i);
		if (str_eq(attribute(span(out, i), "trackway.step"), STR("sub")))
			other = span(out, i);
	}
	CHECK(str_starts(attribute(next, "gen_ai.input.messages"),
			 STR("[{\"parts\":[{\"id\":\"c1\",\"response\":{\"k\":1},\"type\":\"tool_call_response\"}],\"role\":\"tool\",")));
	CHECK(str_has(attribute(next, "gen_ai.input.messages"), STR("\"content\":\"and\"")));
	CHECK(!attribute(other, "gen_ai.input.messages").p);
	CHECK_INT(convert_count(trip(log)).tool_results, 1);
	CHECK_STR(otlp_get(trip(log), "model_step", 2, "/request/messages/0/content"), STR("and"));
	CHECK_STR(otlp_get(trip(log), "model_step", 2, "/request/messages/1"), str_of(NULL, 0));
}

/* A sub-agent that goes on after its call has ended: the call's span is gone, so it stands in the root. */
TEST(what_is_outside_the_span_of_its_call_is_inside_the_root)
{
	static const char log[] = START CALL(",\"args\":{}") RESULT("")
		AT("24", "model_step", ",\"step_id\":\"late\",\"parent_call_id\":\"c1\"")
		"{\"type\":\"model_step\",\"seq\":5," RUN "22.500Z\",\"step_id\":\"within\",\"parent_call_id\":\"c1\"}\n" END;
	struct str out = convert_text(&otlp_arena, "otutl", STR(log), "otlp-json");
	struct str call = member(span(out, 0), "/spanId"), root = member(span(out, 3), "/spanId");

	CHECK_STR(member(span(out, 0), "/name"), STR("execute_tool t"));
	CHECK_STR(member(span(out, 1), "/parentSpanId"), root);
	CHECK_STR(attribute(span(out, 1), "trackway.parent"), STR("c1"));
	CHECK_STR(member(span(out, 2), "/parentSpanId"), call);
	CHECK_STR(otlp_get(trip(log), "model_step", 0, "/parent_call_id"), STR("c1"));
	CHECK_STR(otlp_get(trip(log), "model_step", 1, "/parent_call_id"), STR("c1"));
}

/* The real times are beside those of the span. */
TEST(a_call_is_as_wide_as_what_is_inside_it)
{
	static const char log[] = START CALL(",\"args\":{}")
		"{\"type\":\"model_step\",\"seq\":3," RUN "22.500Z\",\"step_id\":\"s\",\"latency_ms\":1000,\"parent_call_id\":\"c1\"}\n"
		RESULT("") END;
	struct str out = convert_text(&otlp_arena, "otutl", STR(log), "otlp-json"), call = { NULL, 0 };

	for (size_t i = 0; span(out, i).p; i++)
		if (str_eq(member(span(out, i), "/name"), STR("execute_tool t")))
			call = span(out, i);
	CHECK_STR(member(call, "/startTimeUnixNano"), STR("1700000001500000000"));
	CHECK(str_has(call, STR(OTLP_I("trackway.call.time", 1700000002000000000))));
	CHECK_STR(otlp_get(trip(log), "tool_call", 0, "/ts"), STR("2023-11-14T22:13:22.000Z"));
	CHECK_STR(otlp_get(trip(log), "tool_result", 0, "/ts"), STR("2023-11-14T22:13:23.000Z"));
}

TEST(provider_and_stop_reason_have_their_words_and_come_back)
{
	static const struct { const char *more, *provider, *finish, *own_provider, *own_stop; } cases[] = {
		{ ",\"provider\":\"bedrock\",\"stop_reason\":\"end_turn\"", "aws.bedrock", "stop", "bedrock", "end_turn" },
		{ ",\"provider\":\"openai\",\"stop_reason\":\"stop\"", "openai", "stop", "openai", "stop" },
		{ ",\"endpoint\":\"https://api.anthropic.com/v1/messages\"", "anthropic", NULL, NULL, NULL },
		{ "", "unknown", NULL, NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str log = arena_printf(&otlp_arena, START STEP("%s") END, cases[i].more);
		struct str out = convert_text(&otlp_arena, "otutl", log, "otlp-json"), back = trip(log.p);

		test_case("%s", cases[i].more);
		CHECK_STR(attribute(span(out, 0), "gen_ai.provider.name"), str_from(cases[i].provider));
		if (cases[i].finish)
			CHECK(str_has(span(out, 0), arena_printf(&otlp_arena, "{\"stringValue\":\"%s\"}", cases[i].finish)));
		CHECK_STR(otlp_get(back, "model_step", 0, "/provider"), str_from(cases[i].own_provider));
		CHECK_STR(otlp_get(back, "model_step", 0, "/stop_reason"), str_from(cases[i].own_stop));
	}
}

TEST(messages_of_any_content_come_back_as_they_were)
{
	static const char *const contents[] = {
		"\"text\"", "null", "{\"odd\":[1]}", "7", "[]", "[{\"text\":\"a\",\"type\":\"input_text\"},\"b\",null]",
	};

	for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
		struct str log = arena_printf(&otlp_arena, START STEP(",\"request\":{\"messages\":[{\"content\":%s,\"role\":\"user\"}]}") END,
					      contents[i]);

		test_case("%s", contents[i]);
		CHECK(str_has(trip(log.p), arena_printf(&otlp_arena, "{\"messages\":[{\"content\":%s,\"role\":\"user\"", contents[i])));
	}
}
