#include "dialect/otlp/span.h"

#include "unit/dialect/otlp_feed.h"

TEST(ids_of_every_spelling_become_lower_case_hexadecimal)
{
	static const struct {
		const char *text;
		size_t bytes;
		const char *id; /* NULL: none */
	} cases[] = {
		{ "5B8EFFF798038103D269B633813FC60C", 16, "5b8efff798038103d269b633813fc60c" },
		{ "0x64eafd28de20ab52", 8, "64eafd28de20ab52" },
		{ "W47/95gDgQPSabYzgT/GDA==", 16, "5b8efff798038103d269b633813fc60c" },
		{ "7uGbfsPBsXQ=", 8, "eee19b7ec3c1b174" },
		{ "AAAAAAAAAAA=", 8, NULL },
		{ "0000000000000000", 8, NULL },
		{ "", 8, NULL },
		{ "span-1", 8, "span-1" },
		{ "abc", 8, "abc" },
		{ "7uGbfsPBsXQ!", 8, "7uGbfsPBsXQ!" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str id = otlp_span_id(&a, str_from(cases[i].text), cases[i].bytes);

		test_case("%s", cases[i].text);
		CHECK(!id.p == !cases[i].id);
		CHECK_STR(id, str_from(cases[i].id));
	}
	arena_free(&a);
}

/* The trap of units: nanoseconds as text or number, microseconds of Jaeger, RFC 3339 of dumps. */
TEST(times_are_nanoseconds_whatever_the_source_counts_in)
{
	static const struct {
		const char *json;
		int64_t scale, ns;
	} cases[] = {
		{ "\"1700000000000000001\"", 1, 1700000000000000001 },
		{ "1700000000000000001", 1, 1700000000000000001 },
		{ "1771237883694871", 1000, 1771237883694871000 },
		{ "\"2023-11-14T22:13:20.5Z\"", 1, 1700000000500000000 },
		{ "1.5", 1000, 1500 },
		{ "0", 1, 0 },
		{ "-5", 1, 0 },
		{ "9223372036854775807", 1000, 0 },
		{ "1e300", 1, 0 },
		{ "null", 1, 0 },
		{ "\"soon\"", 1, 0 },
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val v;

		test_case("%s", cases[i].json);
		CHECK(json_parse_copy(p, str_from(cases[i].json), &v, NULL));
		CHECK_INT(otlp_span_time(v, cases[i].scale), cases[i].ns);
	}
	CHECK_INT(otlp_span_time(VAL_NONE, 1), 0);
	json_parser_close(p);
}

TEST(spans_are_known_by_their_members)
{
	static const struct {
		const char *json;
		int shape; /* -1: none */
	} cases[] = {
		{ "{\"spanId\":\"1\",\"name\":\"x\"}", OTLP_NATIVE },
		{ "{\"start_time_unix_nano\":\"1\"}", OTLP_NATIVE },
		{ "{\"spanID\":\"1\",\"operationName\":\"x\"}", OTLP_JAEGER },
		{ "{\"span_id\":\"1\",\"name\":\"x\",\"start_time\":1}", OTLP_SDK },
		{ "{\"context\":{\"span_id\":\"0x1\"},\"name\":\"x\",\"start_time\":\"2023-11-14T22:13:20Z\"}", OTLP_SDK },
		{ "{\"span_id\":\"1\"}", -1 },
		{ "{\"operationName\":\"x\"}", -1 },
		{ "[]", -1 },
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum otlp_shape shape;
		struct val v;

		test_case("%s", cases[i].json);
		CHECK(json_parse_copy(p, str_from(cases[i].json), &v, NULL));
		CHECK_INT(otlp_span_is(v, &shape) ? (int)shape : -1, cases[i].shape);
	}
	json_parser_close(p);
}

TEST(what_a_span_is_follows_from_the_words_of_every_convention)
{
	static const struct {
		const char *attributes, *order;
	} cases[] = {
		{ OTLP_S("gen_ai.operation.name", "chat"), "<s>" },
		{ OTLP_S("gen_ai.operation.name", "generate_content"), "<s>" },
		{ OTLP_S("gen_ai.operation.name", "text_completion"), "<s>" },
		{ OTLP_S("openinference.span.kind", "LLM"), "<s>" },
		{ OTLP_S("llm.request.type", "chat"), "<s>" },
		{ OTLP_S("llm.request.type", "completion"), "<s>" },
		{ OTLP_I("gen_ai.usage.prompt_tokens", 3), "<s$>" },
		{ OTLP_S("gen_ai.operation.name", "execute_tool"), "<cr>" },
		{ OTLP_S("openinference.span.kind", "TOOL"), "<cr>" },
		{ OTLP_S("traceloop.span.kind", "tool"), "<cr>" },
		{ OTLP_S("mcp.method.name", "tools/call"), "<cr>" },
		{ OTLP_S("ai.operationId", "ai.toolCall"), "<cr>" },
		{ OTLP_S("gen_ai.operation.name", "retrieval"), "<cr>" },
		{ OTLP_S("gen_ai.operation.name", "embeddings"), "<cr>" },
		{ OTLP_S("openinference.span.kind", "RERANKER"), "<cr>" },
		{ OTLP_S("llm.request.type", "embedding"), "<cr>" },
		{ OTLP_S("gen_ai.operation.name", "invoke_agent"), "<>" },
		{ OTLP_S("gen_ai.operation.name", "create_agent"), "<>" },
		{ OTLP_S("traceloop.span.kind", "workflow"), "<>" },
		{ OTLP_S("openinference.span.kind", "CHAIN"), "<>" },
		{ OTLP_S("mcp.method.name", "tools/list"), "<>" },
		{ OTLP_S("http.request.method", "GET"), "<>" },
		/* the newest words win */
		{ OTLP_S("openinference.span.kind", "LLM") "," OTLP_S("gen_ai.operation.name", "execute_tool"), "<cr>" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&otlp_arena, OTLP_DOCUMENT(OTLP_SPAN("1", "0", "x", "01", "02", "%s")),
					       cases[i].attributes);

		test_case("%s", cases[i].attributes);
		CHECK_STR(otlp_order(otlp_convert(text.p)), str_from(cases[i].order));
	}
}
