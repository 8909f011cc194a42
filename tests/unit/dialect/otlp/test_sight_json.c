/* OTLP's own spelling of JSON: what each type of field takes, and what is refused. */
#include "unit/dialect/otlp_sight_feed.h"

#define IN_SPAN(members) "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"" OTLP_TRACE "\",\"spanId\":\"" \
	OTLP_ID("a") "\"," members "}]}]}]}"
#define VALUE(value) IN_SPAN("\"attributes\":[{\"key\":\"k\",\"value\":" value "}]")
#define PLACE "/resourceSpans/0/scopeSpans/0/spans/0"

TEST(fields_are_what_they_must_be)
{
	static const struct {
		const char *json, *why; /* NULL: it is fine */
	} cases[] = {
		{ "{}", NULL },
		{ "{\"resourceSpans\":null,\"other\":[1,{}]}", NULL },
		{ IN_SPAN("\"kind\":3,\"more\":{\"x\":[]},\"start_time_unix_nano\":[]"), NULL },
		{ IN_SPAN("\"startTimeUnixNano\":\"18446744073709551615\",\"endTimeUnixNano\":1e3"), NULL },
		{ IN_SPAN("\"name\":null,\"attributes\":null,\"flags\":4294967295"), NULL },
		{ VALUE("{\"intValue\":\"-9223372036854775808\"}"), NULL },
		{ VALUE("{\"intValue\":12}"), NULL },
		{ VALUE("{\"doubleValue\":\"NaN\"}"), NULL },
		{ VALUE("{\"doubleValue\":\"-Infinity\"}"), NULL },
		{ VALUE("{\"doubleValue\":1e400}"), NULL },
		{ VALUE("{\"bytesValue\":\"AAECAw==\"}"), NULL },
		{ VALUE("{\"bytesValue\":\"-_8\"}"), NULL },
		{ VALUE("{\"arrayValue\":{}}"), NULL },
		{ VALUE("{}"), NULL },
		{ "", "this is no JSON: " },
		{ "[]", "it must be a JSON object" },
		{ "{\"resourceSpans\":{}}", "it must be an array, at /resourceSpans" },
		{ "{\"resourceSpans\":[1]}", "it must be an object, at /resourceSpans/0" },
		{ "{\"resourceSpans\":[],\"resourceSpans\":[]}", "this is no JSON: " },
		{ IN_SPAN("\"kind\":\"SPAN_KIND_CLIENT\""), "it must be an integer, at " PLACE "/kind" },
		{ IN_SPAN("\"kind\":2147483648"), "it must be an integer, at " PLACE "/kind" },
		{ IN_SPAN("\"name\":1"), "it must be a string, at " PLACE "/name" },
		{ IN_SPAN("\"parentSpanId\":1"), "it must be a string of hexadecimal digits, at " PLACE "/parentSpanId" },
		{ IN_SPAN("\"startTimeUnixNano\":-1"), "it must be an integer of 64 bits, not negative" },
		{ IN_SPAN("\"startTimeUnixNano\":\"18446744073709551616\""), "it must be an integer of 64 bits" },
		{ IN_SPAN("\"startTimeUnixNano\":1.5"), "it must be an integer of 64 bits" },
		{ IN_SPAN("\"flags\":4294967296"), "it must be an integer of 32 bits, not negative" },
		{ VALUE("{\"intValue\":\"x\"}"), "it must be an integer of 64 bits, at " PLACE "/attributes/0/value/intValue" },
		{ VALUE("{\"boolValue\":\"true\"}"), "it must be true or false" },
		{ VALUE("{\"doubleValue\":\"much\"}"), "it must be a number" },
		{ VALUE("{\"bytesValue\":\"A\"}"), "it must be a string of base64" },
		{ VALUE("{\"bytesValue\":\"****\"}"), "it must be a string of base64" },
		{ VALUE("[]"), "it must be an object" },
		{ IN_SPAN("\"attributes\":{\"k\":\"v\"}"), "it must be an array, at " PLACE "/attributes" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sight_result r = sight_feed(OTLP_TRACES, true, str_from(cases[i].json));

		test_case("%s", cases[i].json);
		if (cases[i].why && r.ok)
			FAIL("it is taken");
		if (cases[i].why ? !str_has(str_from(r.err.text), str_from(cases[i].why)) : !r.ok)
			FAIL("%s", r.err.text);
		CHECK(r.ok || (r.err.kind == ERR_DATA && r.lines.n == 0));
	}
}

TEST(spans_without_usable_ids_are_rejected_alone)
{
	static const struct {
		const char *trace, *span, *parent;
		bool rejected;
	} cases[] = {
		{ OTLP_TRACE, OTLP_ID("A"), "", false },
		{ OTLP_TRACE, OTLP_ID("a"), OTLP_ID("0"), false },
		{ OTLP_TRACE, OTLP_ID("a"), OTLP_ID("b"), false },
		{ "", OTLP_ID("a"), "", true },
		{ OTLP_TRACE, "", "", true },
		{ OTLP_ID("0") OTLP_ID("0"), OTLP_ID("a"), "", true },
		{ OTLP_TRACE, OTLP_ID("0"), "", true },
		{ OTLP_TRACE, "abc", "", true },
		{ OTLP_TRACE "00", OTLP_ID("a"), "", true },
		{ OTLP_TRACE, "zzzzzzzzzzzzzzzz", "", true },
		{ OTLP_TRACE, OTLP_ID("a"), "abcd", true },
		{ "ASNFZ4mrze8BI0VniavN7w==", OTLP_ID("a"), "", true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str json = arena_printf(&otlp_arena, "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"%s\","
					       "\"spanId\":\"%s\",\"parentSpanId\":\"%s\",\"attributes\":[" OTLP_CHAT(1, 1) "]},"
					       OTLP_SPAN("9", "1", "x", "01", "02", "") "]}]}]}",
					       cases[i].trace, cases[i].span, cases[i].parent);
		struct str lines = sight_lines(OTLP_TRACES, json.p);
		struct sight_result r = sight_feed(OTLP_TRACES, true, json);

		test_case("%s %s %s", cases[i].trace, cases[i].span, cases[i].parent);
		CHECK_INT(r.taken.spans, 2);
		CHECK_INT(r.taken.rejected, cases[i].rejected);
		CHECK(!cases[i].rejected || str_has(r.taken.why, STR("16 bytes")));
		CHECK_INT(str_count(lines, '\n'), cases[i].rejected ? 1 : 2);
		CHECK(str_has(lines, STR("\"span\":\"9999999999999999\"")));
	}
}

/* A name with escapes is the same name; a value before its key too. */
TEST(spelling_and_order_of_members_do_not_count)
{
	static const char odd[] =
		"{\"resource\\u0053pans\":[{\"scopeSpans\":[{\"spans\":[{\"attributes\":[{\"value\":{\"stringValue\":\"ch\\u0061t\"},"
		"\"key\":\"gen_ai.operation.n\\u0061me\"},{\"value\":{\"kvlistValue\":{\"values\":[{\"value\":{\"intValue\":1},\"key\":"
		"\"gen_ai.usage.input_tokens\"}]}},\"key\":\"k\"}],\"spanId\":\"" OTLP_ID("a") "\",\"traceId\":\"" OTLP_TRACE "\"}]}]}]}";

	CHECK(str_has(sight_lines(OTLP_TRACES, odd), STR("\"kind\":\"model\"")));
	CHECK(!str_has(sight_lines(OTLP_TRACES, odd), STR("\"input\"")));
}

/* Why stands before where, which may be long. */
TEST(json_is_nested_to_a_limit)
{
	struct buf json = { 0 };
	struct sight_result r;

	buf_add_str(&json, STR("{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"k\",\"value\":"));
	for (int i = 0; i < 60; i++)
		buf_add_str(&json, STR("{\"arrayValue\":{\"values\":["));
	for (int i = 0; i < 60; i++)
		buf_add_str(&json, STR("]}}"));
	buf_add_str(&json, STR("}]}}]}"));
	r = sight_feed(OTLP_TRACES, true, buf_str(&json));
	CHECK(!r.ok);
	CHECK(str_has(str_from(r.err.text), STR("nested too deep")));
	buf_free(&json);
}
