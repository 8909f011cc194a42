#include "dialect/otlp/read.h"

#include "unit/dialect/otlp_feed.h"

#define STEP_AND_CALL                                                     \
	OTLP_SPAN("2", "1", "chat m", "02", "03", OTLP_CHAT(10, 5)) ","    \
	OTLP_SPAN("3", "1", "execute_tool t", "04", "05", OTLP_CALL("t", "c1"))

#define TAG(key, type, value) "{\"key\":\"" key "\",\"type\":\"" type "\",\"value\":" value "}"
#define JAEGER_SPAN(id, parent, name, start, length, tags)                                                         \
	"{\"traceID\":\"abc\",\"spanID\":\"" id "\",\"operationName\":\"" name "\",\"references\":[{\"refType\":"  \
	"\"CHILD_OF\",\"traceID\":\"abc\",\"spanID\":\"" parent "\"}],\"startTime\":17000000" start "000000,"      \
	"\"duration\":" length ",\"tags\":[" tags "],\"logs\":[],\"processID\":\"p1\",\"warnings\":null}"
#define JAEGER_TRACE                                                                                               \
	"{\"traceID\":\"abc\",\"spans\":["                                                                         \
	JAEGER_SPAN("2", "1", "openai.chat", "02", "1000000",                                                      \
		    TAG("llm.request.type", "string", "\"chat\"") ","                                             \
		    TAG("gen_ai.usage.prompt_tokens", "int64", "10") ","                                          \
		    TAG("gen_ai.usage.completion_tokens", "int64", "5")) ","                                      \
	JAEGER_SPAN("3", "1", "t", "04", "1000000",                                                                \
		    TAG("gen_ai.operation.name", "string", "\"execute_tool\"") ","                                \
		    TAG("gen_ai.tool.call.id", "string", "\"c1\""))                                               \
	"],\"processes\":{\"p1\":{\"serviceName\":\"x\",\"tags\":[]}},\"warnings\":null}"
#define SDK_SPAN(id, name, start, end, attributes)                                                    \
	"{\"trace_id\":\"t\",\"span_id\":\"" id "\",\"parent_span_id\":null,\"name\":\"" name         \
	"\",\"start_time\":17000000" start "000000000,\"end_time\":17000000" end                      \
	"000000000,\"attributes\":{" attributes "},\"status\":{\"code\":\"OK\"},\"span_events\":[]}"
#define SDK_SPANS                                                                                              \
	SDK_SPAN("2", "chat", "02", "03",                                                                      \
		 "\"gen_ai.operation.name\":\"chat\",\"gen_ai.usage.input_tokens\":10,"                        \
		 "\"gen_ai.usage.output_tokens\":5") ","                                                       \
	SDK_SPAN("3", "execute_tool t", "04", "05",                                                            \
		 "\"gen_ai.operation.name\":\"execute_tool\",\"gen_ai.tool.call.id\":\"c1\"")

#define SCOPES(list, inner, spans) "[{\"" list "\":[{\"" inner "\":[" spans "]}]}]"

/* The same step and call in every envelope. */
static const char *const envelopes[] = {
	OTLP_DOCUMENT(STEP_AND_CALL),
	"{\"batches\":" SCOPES("instrumentationLibrarySpans", "spans", STEP_AND_CALL) "}",
	"{\"batches\":" SCOPES("scopeSpans", "spans", STEP_AND_CALL) "}",
	"{\"trace\":{\"resourceSpans\":" SCOPES("scopeSpans", "spans", STEP_AND_CALL) "}}",
	"{\"resource_spans\":" SCOPES("scope_spans", "spans", STEP_AND_CALL) "}",
	"{\"data\":[" JAEGER_TRACE "],\"total\":0,\"errors\":null}",
	JAEGER_TRACE,
	"[" SDK_SPANS "]",
	"{\"session_id\":\"s\",\"span_count\":2,\"spans\":[" SDK_SPANS "]}",
};

TEST(every_envelope_tells_the_same_run)
{
	for (size_t i = 0; i < sizeof(envelopes) / sizeof(envelopes[0]); i++) {
		struct converted c = convert_with(&otlp_arena, str_from(envelopes[i]), (struct convert_how){ .to = "otutl" });
		struct convert_figures f = convert_count(c.out);

		test_case("%s", envelopes[i]);
		CHECK(c.done && c.from && strcmp(c.from->name, "otlp-json") == 0);
		CHECK_INT(convert_errors(&otlp_arena, "otutl", c.out, NULL), 0);
		CHECK_STR(otlp_order(c.out), STR("<s$cr>"));
		CHECK_INT(f.input_total, 10);
		CHECK_INT(f.output_total, 5);
		CHECK_STR(otlp_get(c.out, "model_step", 0, "/ts"), STR("2023-11-14T22:13:23.000Z"));
		CHECK_STR(otlp_get(c.out, "tool_call", 0, "/call_id"), STR("c1"));
		CHECK_STR(otlp_get(c.out, "tool_call", 0, "/ts"), STR("2023-11-14T22:13:24.000Z"));
		CHECK_STR(otlp_get(c.out, "tool_result", 0, "/duration_ms"), STR("1000"));
		CHECK_INT(c.coverage.leaves.left, 0);
	}
}

TEST(one_envelope_on_each_line_makes_one_trace)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(OTLP_SPAN("3", "2", "execute_tool t", "04", "05", OTLP_CALL("t", "c1")))
				      OTLP_DOCUMENT(OTLP_SPAN("2", "1", "invoke_agent a", "01", "06", OTLP_AGENT_OF("a"))));

	CHECK_STR(otlp_order(out), STR("<cr>"));
	CHECK_STR(otlp_get(out, "run_start", 0, "/agent/name"), STR("a"));
	CHECK_STR(otlp_get(out, "run_start", 0, "/vendor_run_id"), STR(OTLP_TRACE));
}

TEST(log_records_stand_by_their_trace_and_metrics_are_kept)
{
	struct str out = otlp_convert(
		OTLP_DOCUMENT(OTLP_SPAN("2", "1", "chat m", "02", "03", OTLP_CHAT(1, 1)))
		"{\"resourceLogs\":[{\"resource\":{},\"scopeLogs\":[{\"logRecords\":[{\"traceId\":\"" OTLP_TRACE "\",\"spanId\":\""
		OTLP_ID("2") "\",\"timeUnixNano\":\"1700000002500000000\",\"eventName\":\"gen_ai.choice\"}]}]}]}\n"
		"{\"resourceMetrics\":[{\"scopeMetrics\":[]}]}\n");

	CHECK_INT(convert_count(out).runs, 1);
	CHECK(str_find(out, STR("\"otlp.log\"")) != (size_t)-1);
	CHECK(str_find(out, STR("\"eventName\":\"gen_ai.choice\"")) != (size_t)-1);
	CHECK(str_find(out, STR("\"resourceMetrics\":[{\"scopeMetrics\":[]}]")) != (size_t)-1);
}

TEST(what_an_envelope_says_beside_its_spans_is_kept)
{
	struct str out = otlp_convert("{\"data\":[" JAEGER_TRACE "],\"total\":7}");

	CHECK(str_find(out, STR("\"total\":7")) != (size_t)-1);
	CHECK(str_find(out, STR("\"serviceName\":\"x\"")) != (size_t)-1);
}

TEST(traces_are_recognised_by_content_and_others_are_not)
{
	static const struct {
		const char *json;
		bool fits;
	} cases[] = {
		{ "{\"resourceSpans\":[]}", true },
		{ "{\"batches\":[{\"scopeSpans\":[]}]}", true },
		{ "{\"batches\":[{\"id\":1}]}", false },
		{ "{\"resourceLogs\":[]}", true },
		{ "{\"data\":[{\"spans\":[{\"spanID\":\"1\",\"operationName\":\"x\"}]}]}", true },
		{ "{\"data\":[{\"id\":1}]}", false },
		{ "{\"spans\":[{\"id\":1}]}", false },
		{ "[{\"span_id\":\"1\",\"name\":\"x\",\"start_time\":1}]", true },
		{ "[]", false },
		{ "{\"messages\":[]}", false },
		{ "{\"trace\":{\"id\":1}}", false },
		{ "3", false },
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val v;

		test_case("%s", cases[i].json);
		CHECK(json_parse_copy(p, str_from(cases[i].json), &v, NULL));
		CHECK_INT(otlp_read_fits(v) > 0, cases[i].fits);
	}
	json_parser_close(p);
}

TEST(odd_values_make_valid_logs_and_lose_nothing)
{
	static const char *const texts[] = {
		"{\"resourceSpans\":[1,{},{\"scopeSpans\":[2,{\"spans\":[3,{},null]}]}]}",
		"{\"resourceSpans\":[{\"resource\":5,\"scopeSpans\":[{\"scope\":[],\"spans\":[{\"spanId\":{},\"name\":7}]}]}]}",
		"{\"spanId\":\"1\",\"attributes\":{\"a\":null},\"events\":3,\"status\":[]}",
		"{\"data\":[{\"spans\":[{\"spanID\":1,\"operationName\":null,\"tags\":7,\"references\":[null]}]}]}",
		"5", "\"x\"", "null", "{}", "[[]]",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct converted c = convert_with(&otlp_arena, str_from(texts[i]),
						  (struct convert_how){ .from = "otlp-json", .to = "otutl" });
		struct str first;

		test_case("%s", texts[i]);
		CHECK(c.done);
		if (convert_errors(&otlp_arena, "otutl", c.out, &first))
			FAIL("%.*s\n%.*s", STR_ARG(first), STR_ARG(c.out));
		CHECK_INT(c.coverage.leaves.left, 0);
	}
}
