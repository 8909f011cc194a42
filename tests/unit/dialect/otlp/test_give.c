#include "dialect/otlp/give.h"

#include "unit/dialect/otlp_feed.h"

#define ENVELOPE(span) "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[" span "]}]}]}\n"

static struct str give(const char *json)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct arena a;
	struct buf out;
	struct str text;
	struct val v;

	arena_init(&a);
	buf_init(&out);
	CHECK(json_parse_copy(p, str_from(json), &v, NULL));
	otlp_give_span(&out, &a, v, NULL);
	text = arena_copy(&otlp_arena, buf_str(&out));
	buf_free(&out);
	arena_free(&a);
	json_parser_close(p);
	return text;
}

TEST(spans_of_otlp_come_back_spelled_as_the_protocol_asks)
{
	static const struct {
		const char *span, *back;
	} cases[] = {
		{ "{\"spanId\":\"ABCDEF0123456789\",\"name\":\"a\\n\"}", "{\"spanId\":\"ABCDEF0123456789\",\"name\":\"a\\n\"}" },
		{ "{\"spanId\":\"7uGbfsPBsXQ=\",\"traceId\":\"W47/95gDgQPSabYzgT/GDA==\"}",
		  "{\"spanId\":\"eee19b7ec3c1b174\",\"traceId\":\"5b8efff798038103d269b633813fc60c\"}" },
		{ "{\"spanId\":\"1\",\"kind\":\"SPAN_KIND_SERVER\",\"status\":{\"code\":\"STATUS_CODE_ERROR\"}}",
		  "{\"spanId\":\"1\",\"kind\":2,\"status\":{\"code\":2}}" },
		{ "{\"spanId\":\"1\",\"kind\":\"odd\"}", "{\"spanId\":\"1\",\"kind\":\"odd\"}" },
		{ "{\"startTimeUnixNano\":5,\"attributes\":[{\"key\":\"a_b\",\"value\":{\"intValue\":7}}]}",
		  "{\"startTimeUnixNano\":\"5\",\"attributes\":[{\"key\":\"a_b\",\"value\":{\"intValue\":\"7\"}}]}" },
		{ "{\"start_time_unix_nano\":\"5\",\"parent_span_id\":\"\"}",
		  "{\"startTimeUnixNano\":\"5\",\"parentSpanId\":\"\"}" },
		{ "{\"spanId\":\"1\",\"flags\":256,\"links\":[{\"traceId\":\"x\",\"droppedAttributesCount\":0}],\"events\":[]}",
		  "{\"spanId\":\"1\",\"flags\":256,\"links\":[{\"traceId\":\"x\",\"droppedAttributesCount\":0}],\"events\":[]}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].span);
		CHECK_STR(give(cases[i].span), str_from(cases[i].back));
	}
}

TEST(a_span_of_jaeger_becomes_one_of_otlp)
{
	CHECK_STR(give("{\"traceID\":\"abc1\",\"spanID\":\"12\",\"operationName\":\"op\",\"startTime\":1700000000000001,\"duration\":5,"
		       "\"references\":[{\"refType\":\"CHILD_OF\",\"spanID\":\"11\"},{\"refType\":\"FOLLOWS_FROM\","
		       "\"traceID\":\"abc1\",\"spanID\":\"10\"}],\"tags\":[{\"key\":\"span.kind\",\"type\":\"string\",\"value\":"
		       "\"client\"},{\"key\":\"otel.status_code\",\"type\":\"string\",\"value\":\"ERROR\"},{\"key\":\"n\",\"type\":"
		       "\"int64\",\"value\":3},{\"key\":\"f\",\"type\":\"float64\",\"value\":2},{\"key\":\"b\",\"type\":\"bool\","
		       "\"value\":true},{\"key\":\"big\",\"type\":\"int64\",\"value\":\"9007199254740993\"}],\"logs\":[{\"timestamp\":"
		       "1700000000000002,\"fields\":[{\"key\":\"event\",\"type\":\"string\",\"value\":\"e\"},{\"key\":\"k\","
		       "\"type\":\"string\",\"value\":\"v\"}]}]}"),
		  STR("{\"traceId\":\"0000000000000000000000000000abc1\",\"spanId\":\"0000000000000012\",\"parentSpanId\":"
		      "\"0000000000000011\",\"links\":[{\"traceId\":\"0000000000000000000000000000abc1\",\"spanId\":"
		      "\"0000000000000010\"}],\"name\":\"op\",\"kind\":3,\"startTimeUnixNano\":\"1700000000000001000\","
		      "\"endTimeUnixNano\":\"1700000000000006000\",\"attributes\":[{\"key\":\"n\",\"value\":{\"intValue\":\"3\"}},"
		      "{\"key\":\"f\",\"value\":{\"doubleValue\":2}},{\"key\":\"b\",\"value\":{\"boolValue\":true}},{\"key\":\"big\","
		      "\"value\":{\"intValue\":\"9007199254740993\"}}],\"events\":[{\"timeUnixNano\":\"1700000000000002000\","
		      "\"name\":\"e\",\"attributes\":[{\"key\":\"k\",\"value\":{\"stringValue\":\"v\"}}]}],\"status\":{\"code\":2}}"));
}

TEST(a_parent_behind_a_link_is_no_part_of_the_links)
{
	CHECK_STR(give("{\"traceID\":\"abc1\",\"spanID\":\"12\",\"operationName\":\"op\",\"references\":["
		       "{\"refType\":\"FOLLOWS_FROM\",\"spanID\":\"10\"},{\"refType\":\"CHILD_OF\",\"spanID\":\"11\"},"
		       "{\"refType\":\"CHILD_OF\",\"spanID\":\"13\"}]}"),
		  STR("{\"traceId\":\"0000000000000000000000000000abc1\",\"spanId\":\"0000000000000012\","
		      "\"parentSpanId\":\"0000000000000011\",\"links\":[{\"spanId\":\"0000000000000010\"},"
		      "{\"spanId\":\"0000000000000013\"}],\"name\":\"op\",\"attributes\":[]}"));
}

TEST(a_span_of_a_flat_dump_becomes_one_of_otlp)
{
	CHECK_STR(give("{\"context\":{\"trace_id\":\"0xab\",\"span_id\":\"0xcd\"},\"parent_id\":null,\"name\":\"x\",\"kind\":"
		       "\"SpanKind.INTERNAL\",\"start_time\":\"2023-11-14T22:13:20.5Z\",\"end_time\":\"1700000001000000000\","
		       "\"attributes\":{\"a\":[1,\"b\",{\"c\":null}],\"d\":0.5,\"e\":{}},\"events\":[{\"name\":\"e\",\"timestamp\":"
		       "\"2023-11-14T22:13:20.6Z\"}],\"links\":[{\"context\":{\"span_id\":\"0xef\"},\"attributes\":{}}],"
		       "\"status\":{\"status_code\":\"OK\"}}"),
		  STR("{\"traceId\":\"000000000000000000000000000000ab\",\"spanId\":\"00000000000000cd\",\"name\":\"x\",\"kind\":1,"
		      "\"startTimeUnixNano\":\"1700000000500000000\",\"endTimeUnixNano\":\"1700000001000000000\",\"attributes\":["
		      "{\"key\":\"a\",\"value\":{\"arrayValue\":{\"values\":[{\"intValue\":\"1\"},{\"stringValue\":\"b\"},"
		      "{\"kvlistValue\":{\"values\":[{\"key\":\"c\",\"value\":{}}]}}]}}},{\"key\":\"d\",\"value\":{\"doubleValue\":0.5}},"
		      "{\"key\":\"e\",\"value\":{\"kvlistValue\":{\"values\":[]}}}],\"events\":[{\"timeUnixNano\":"
		      "\"1700000000600000000\",\"name\":\"e\",\"attributes\":[]}],\"links\":[{\"spanId\":\"00000000000000ef\","
		      "\"attributes\":[]}],\"status\":{\"code\":1}}"));
}

TEST(objects_inside_objects_close_in_order)
{
	CHECK_STR(give("{\"span_id\":\"1\",\"name\":\"x\",\"start_time\":1,\"attributes\":{\"a\":{\"b\":{\"c\":[[]]},\"d\":1}}}"),
		  STR("{\"spanId\":\"0000000000000001\",\"name\":\"x\",\"startTimeUnixNano\":\"1\",\"attributes\":[{\"key\":\"a\","
		      "\"value\":{\"kvlistValue\":{\"values\":[{\"key\":\"b\",\"value\":{\"kvlistValue\":{\"values\":[{\"key\":\"c\","
		      "\"value\":{\"arrayValue\":{\"values\":[{\"arrayValue\":{\"values\":[]}}]}}}]}}},{\"key\":\"d\",\"value\":"
		      "{\"intValue\":\"1\"}}]}}}]}"));
}

/* Through OTUTL and back: members in another order, and nothing else. */
TEST(everything_of_a_span_comes_back_through_otutl)
{
	struct str back = otlp_return(
		"{\"resourceSpans\":[{\"resource\":{\"attributes\":[" OTLP_S("service.name", "x") "],\"droppedAttributesCount\":1},"
		"\"schemaUrl\":\"u1\",\"scopeSpans\":[{\"scope\":{\"name\":\"t\"},\"schemaUrl\":\"u2\",\"spans\":[{\"attributes\":["
		OTLP_CHAT(9007199254740993, 5) ",{\"key\":\"x\",\"value\":{}}],\"droppedEventsCount\":2,\"flags\":257,\"spanId\":\""
		OTLP_ID("1") "\",\"status\":{\"message\":\"m\"},\"traceId\":\"" OTLP_TRACE "\",\"traceState\":\"a=b\"}]}]}]}\n");

	CHECK_STR(back, STR("{\"resourceSpans\":[{\"resource\":{\"attributes\":[" OTLP_S("service.name", "x") "],"
			    "\"droppedAttributesCount\":1},\"schemaUrl\":\"u1\",\"scopeSpans\":[{\"scope\":{\"name\":\"t\"},"
			    "\"schemaUrl\":\"u2\",\"spans\":[{\"attributes\":[" OTLP_CHAT(9007199254740993, 5)
			    ",{\"key\":\"x\",\"value\":{}}],\"droppedEventsCount\":2,\"flags\":257,\"spanId\":\"" OTLP_ID("1")
			    "\",\"status\":{\"message\":\"m\"},\"traceId\":\"" OTLP_TRACE "\",\"traceState\":\"a=b\"}]}]}]}\n"));
}
