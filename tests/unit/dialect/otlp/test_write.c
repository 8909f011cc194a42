#include "dialect/otlp/write.h"

#include "unit/dialect/otlp_feed.h"

TEST(a_trace_is_one_envelope_on_one_line)
{
	struct str back = otlp_return(OTLP_DOCUMENT(OTLP_SPAN("1", "0", "a", "01", "02", "") ","
						    OTLP_SPAN("2", "0", "b", "03", "04", "")));

	CHECK(str_starts(back, STR("{\"resourceSpans\":[{\"resource\":")));
	CHECK(str_ends(back, STR("}]}]}]}\n")));
	CHECK_INT(str_find(back, STR("\n")), back.n - 1);
}

/* A collector takes a file as one request: spans of all traces are in one document. */
TEST(two_traces_are_one_document)
{
	struct str back = otlp_return(OTLP_DOCUMENT(
		OTLP_SPAN("1", "0", "a", "01", "02", "") ","
		OTLP_SPAN_OF("fedcba9876543210fedcba9876543210", "2", "0", "b", "03", "04", "", "")));

	CHECK_INT(str_find(back, STR("\n")), back.n - 1);
	CHECK(str_find(back, STR("0123456789abcdef0123456789abcdef")) != (size_t)-1);
	CHECK(str_find(back, STR("fedcba9876543210fedcba9876543210")) != (size_t)-1);
}

#define LOG_RUN(id, ts) "\"run_id\":\"018bcfe5-6800-7000-8000-00000000000" id "\",\"ts\":\"" ts "\""
#define LOG_START(id) "{\"type\":\"run_start\",\"seq\":0," LOG_RUN(id, "2023-11-14T22:13:20.000Z") ",\"vendor\":\"v\"}\n"
#define LOG_END(id) "{\"type\":\"run_end\",\"seq\":9," LOG_RUN(id, "2023-11-14T22:13:25.000Z") ",\"status\":\"success\"}\n"
#define LOG_CALL(id)                                                                                                   \
	"{\"type\":\"model_step\",\"seq\":1," LOG_RUN(id, "2023-11-14T22:13:22.000Z") ",\"step_id\":\"s1\",\"model\":\"m\"}\n" \
	"{\"type\":\"tool_call\",\"seq\":2," LOG_RUN(id, "2023-11-14T22:13:22.000Z") ",\"call_id\":\"c1\",\"args\":{},"     \
	"\"tool\":\"tool://v/t\",\"step_id\":\"s1\"}\n"                                                                 \
	"{\"type\":\"tool_call\",\"seq\":3," LOG_RUN(id, "2023-11-14T22:13:22.000Z") ",\"call_id\":\"c2\",\"args\":{},"     \
	"\"tool\":\"tool://v/t\",\"parent_call_id\":\"c1\"}\n"

/* The spans of a document, wherever they stand. */
static size_t spans_of(struct str text, struct str spans[32])
{
	size_t n = 0;

	for (size_t group = 0;; group++)
		for (size_t i = 0;; i++) {
			struct str path = arena_printf(&otlp_arena, "/resourceSpans/%zu/scopeSpans/0/spans/%zu", group, i);
			struct str span = convert_get(&otlp_arena, text, path.p);

			if (!span.p && i == 0)
				return n;
			if (!span.p)
				break;
			CHECK(n < 32);
			spans[n++] = span;
		}
}

/* In each trace one root, and every other span's parent. Traces are told by their ids. */
static void check_traces(struct str text, size_t traces)
{
	struct str spans[32];
	size_t n = spans_of(text, spans), roots = 0;

	CHECK_INT(str_find(text, STR("\n")), text.n - 1);
	for (size_t i = 0; i < n; i++) {
		struct str trace = convert_get(&otlp_arena, spans[i], "/traceId");
		struct str parent = convert_get(&otlp_arena, spans[i], "/parentSpanId");
		size_t parents = 0, same_root = 0;

		for (size_t k = 0; k < n; k++) {
			if (!str_eq(convert_get(&otlp_arena, spans[k], "/traceId"), trace))
				continue;
			parents += parent.p && str_eq(convert_get(&otlp_arena, spans[k], "/spanId"), parent);
			same_root += !convert_get(&otlp_arena, spans[k], "/parentSpanId").p;
		}
		CHECK_INT(parents, parent.p ? 1 : 0);
		CHECK_INT(same_root, 1);
		roots += !parent.p;
	}
	CHECK_INT(roots, traces);
}

TEST(every_run_of_a_file_is_a_trace_of_its_own_with_its_own_root)
{
	static const char *const logs[] = {
		LOG_START("1") LOG_CALL("1") LOG_END("1") LOG_START("2") LOG_CALL("2") LOG_END("2"),
		LOG_START("1") LOG_CALL("1") LOG_END("1") LOG_START("1") LOG_CALL("1") LOG_END("1"), /* one id twice */
		LOG_START("1") LOG_CALL("1") LOG_START("2") LOG_CALL("2"),                           /* both break off */
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		test_case("case %zu", i);
		check_traces(convert_text(&otlp_arena, "otutl", str_from(logs[i]), "otlp-json"), 2);
	}
}

/* None of these has an id or a time: all would have the same id. */
TEST(runs_without_ids_are_traces_of_their_own)
{
	static const char run[] = "[{\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":\"a\"}]},"
				  "{\"messages\":[{\"role\":\"user\",\"content\":\"r\"},{\"role\":\"assistant\",\"content\":\"b\"}]},"
				  "{\"messages\":[{\"role\":\"user\",\"content\":\"s\"},{\"role\":\"assistant\",\"content\":\"c\"}]}]";

	check_traces(convert_text(&otlp_arena, "openai-chat", STR(run), "otlp-json"), 3);
}

/* Collectors refuse what is beyond 64 MiB: another run begins another document long before. */
TEST(a_document_does_not_grow_without_end)
{
	struct buf b = { 0 };
	struct str out, rest;

	for (int i = 0; i < 3; i++) {
		buf_add_str(&b, STR(LOG_START("1") "{\"type\":\"model_step\",\"seq\":1," LOG_RUN("1", "2023-11-14T22:13:22.000Z")
				    ",\"text\":\""));
		memset(buf_reserve(&b, (size_t)17 << 20), 'x', (size_t)17 << 20);
		b.n += (size_t)17 << 20;
		buf_add_str(&b, STR("\"}\n" LOG_END("1")));
	}
	out = convert_text(&otlp_arena, "otutl", buf_str(&b), "otlp-json");
	CHECK(str_starts(out, STR("{\"resourceSpans\":[")));
	CHECK(str_cut(out, '\n', &rest).n < (size_t)40 << 20);
	CHECK(str_starts(rest, STR("{\"resourceSpans\":[")));
	CHECK_INT(str_find(rest, STR("\n")), rest.n - 1);
	buf_free(&b);
}

#define SCOPE(name, spans) "{\"scope\":{\"name\":\"" name "\"},\"spans\":[" spans "]}"

TEST(spans_stand_under_the_scope_they_came_from)
{
	CHECK_STR(otlp_return("{\"resourceSpans\":[{\"scopeSpans\":["
			      SCOPE("one", "{\"spanId\":\"1\",\"startTimeUnixNano\":\"1\"},{\"spanId\":\"2\",\"startTimeUnixNano\":\"3\"}") ","
			      SCOPE("two", "{\"spanId\":\"3\",\"startTimeUnixNano\":\"2\"}") "]}]}"),
		  STR("{\"resourceSpans\":[{\"scopeSpans\":[" SCOPE("one", "{\"spanId\":\"1\",\"startTimeUnixNano\":\"1\"}")
		      "]},{\"scopeSpans\":[" SCOPE("two", "{\"spanId\":\"3\",\"startTimeUnixNano\":\"2\"}")
		      "]},{\"scopeSpans\":[" SCOPE("one", "{\"spanId\":\"2\",\"startTimeUnixNano\":\"3\"}") "]}]}\n"));
}

TEST(log_records_go_to_an_envelope_of_their_own)
{
	const char *log = "{\"resourceLogs\":[{\"resource\":{\"attributes\":[]},\"scopeLogs\":[{\"scope\":{\"name\":\"l\"},"
			  "\"logRecords\":[{\"body\":{\"stringValue\":\"hello\"},\"severityNumber\":9,\"spanId\":\"" OTLP_ID("1")
			  "\",\"timeUnixNano\":\"1700000001500000000\",\"traceId\":\"" OTLP_TRACE "\"}]}]}]}\n";
	struct str text = arena_printf(&otlp_arena, "%s%s", OTLP_DOCUMENT(OTLP_SPAN("1", "0", "a", "01", "02", "")), log);
	struct str rest, back = otlp_return(text.p);

	str_cut(back, '\n', &rest);
	CHECK_STR(rest, str_from(log));
	CHECK_STR(otlp_return(log), str_from(log));
}

TEST(an_empty_envelope_comes_back_empty)
{
	CHECK_STR(otlp_return("{\"resourceSpans\":[]}"), STR("{\"resourceSpans\":[]}\n"));
}

TEST(what_jaeger_has_and_otlp_has_not_is_listed)
{
	struct converted c = convert_with(&otlp_arena,
		STR("{\"data\":[{\"traceID\":\"a\",\"spans\":[{\"traceID\":\"a\",\"spanID\":\"1\",\"operationName\":\"x\",\"startTime\":5,"
		    "\"duration\":1,\"tags\":[],\"flags\":1,\"warnings\":[\"clock\"],\"processID\":\"p1\"}],\"processes\":{\"p1\":"
		    "{\"serviceName\":\"s\",\"tags\":[]}}}],\"total\":1}"),
		(struct convert_how){ .from = "otlp-json", .to = "otlp-json" });

	CHECK(c.done);
	CHECK(str_find(c.losses, STR("jaeger: warnings")) != (size_t)-1);
	CHECK(str_find(c.losses, STR("jaeger: flags")) != (size_t)-1);
	CHECK(str_find(c.losses, STR("members of an envelope")) != (size_t)-1);
	CHECK(str_find(c.out, STR("\"resource\":{\"attributes\":[" OTLP_S("service.name", "s") "]}")) != (size_t)-1);
}

TEST(the_direct_way_gives_the_same_as_the_way_through_otutl)
{
	const char *text = OTLP_DOCUMENT(OTLP_SPAN("2", "1", "execute_tool t", "04", "05", OTLP_CALL("t", "c1")) ","
					 OTLP_SPAN("1", "0", "chat m", "01", "06", OTLP_CHAT(3, 4)) ","
					 OTLP_SPAN("3", "1", "GET", "02", "03", ""));

	CHECK_STR(convert_text(&otlp_arena, "otlp-json", str_from(text), "otlp-json"), otlp_return(text));
}
