#include "dialect/otlp_write.h"

#include "otlp_feed.h"

TEST(a_trace_is_one_envelope_on_one_line)
{
	struct str back = otlp_return(OTLP_DOCUMENT(OTLP_SPAN("1", "0", "a", "01", "02", "") ","
						    OTLP_SPAN("2", "0", "b", "03", "04", "")));

	CHECK(str_starts(back, STR("{\"resourceSpans\":[{\"resource\":")));
	CHECK(str_ends(back, STR("}]}]}]}\n")));
	CHECK_INT(str_find(back, STR("\n")), back.n - 1);
}

TEST(two_traces_are_two_lines)
{
	struct str rest, back = otlp_return(OTLP_DOCUMENT(
		OTLP_SPAN("1", "0", "a", "01", "02", "") ","
		OTLP_SPAN_OF("fedcba9876543210fedcba9876543210", "2", "0", "b", "03", "04", "", "")));

	str_cut(back, '\n', &rest);
	CHECK(str_starts(rest, STR("{\"resourceSpans\":[")));
	CHECK_INT(str_find(rest, STR("\n")), rest.n - 1);
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
