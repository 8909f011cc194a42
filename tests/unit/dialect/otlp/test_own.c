#include "dialect/otlp/own.h"

#include "unit/dialect/otlp_feed.h"

/* A span of ours with more attributes: what is said there is not to be trusted. */
#define OWN(more) OTLP_DOCUMENT(OTLP_SPAN("1", "0", "invoke_agent a", "01", "20", \
	OTLP_S("gen_ai.operation.name", "invoke_agent") "," OTLP_I("trackway.seq", 0) "," more))

TEST(an_event_is_written_with_what_it_has_and_nothing_else)
{
	struct event e = { .kind = EVENT_RESULT, .index = -1, .is_error = TRUTH_NULL };
	struct buf out;

	buf_init(&out);
	otlp_own_put(&out, &e);
	CHECK_STR(buf_str(&out), STR("{\"key\":\"trackway.result.is_error\",\"value\":{}}"));
	buf_clear(&out);
	e.is_error = TRUTH_ABSENT;
	otlp_own_put(&out, &e);
	CHECK_INT(out.n, 0);
	e.duration_ms = (struct amount){ FIGURE_KNOWN, FIGURE_ESTIMATED, 2 };
	otlp_own_put(&out, &e);
	CHECK_STR(buf_str(&out), STR("{\"key\":\"trackway.result.duration_ms\",\"value\":{\"doubleValue\":2}},"
				     "{\"key\":\"trackway.result.estimated\",\"value\":{\"arrayValue\":{\"values\":["
				     "{\"stringValue\":\"duration_ms\"}]}}}"));
	buf_free(&out);
}

TEST(words_for_where_a_time_comes_from)
{
	CHECK_INT(otlp_own_moment(STR("derived")), MOMENT_DERIVED);
	CHECK_INT(otlp_own_moment(STR("inherited")), MOMENT_INHERITED);
	CHECK_INT(otlp_own_moment(STR("none")), MOMENT_VENDOR);
	CHECK_INT(otlp_own_moment(str_of(NULL, 0)), MOMENT_VENDOR);
}

TEST(attributes_are_read_whatever_their_order_and_type)
{
	static const struct {
		const char *trace, *type, *pointer, *value;
	} cases[] = {
		{ OWN(OTLP_S("trackway.status", "interrupted")), "run_end", "/status", "interrupted" },
		{ OWN(OTLP_S("trackway.status", "odd")), "run_end", "/status", "error" },
		{ OWN(OTLP_I("trackway.status", 5)), "run_end", "/status", "error" },
		{ OWN(OTLP_S("trackway.output", "no json")), "run_end", "/output", NULL },
		{ OWN(OTLP_S("trackway.output", "[1]")), "run_end", "/output/0", "1" },
		{ OWN(OTLP_S("trackway.end.remarks", "[{\\\"x\\\":1}]")), "run_end", "/ext/trackway~11/0", NULL },
		{ OWN(OTLP_S("trackway.end.remarks", "{\\\"ts_source\\\":1,\\\"branch\\\":2,\\\"x\\\":3}") ","
		      OTLP_S("trackway.end.time_source", "derived")), "run_end", "/ext/trackway~11/x", "3" },
		{ OWN(OTLP_I("trackway.end.time", 1700000099000000000)), "run_end", "/ts", "2023-11-14T22:14:59.000Z" },
		{ OWN(OTLP_S("gen_ai.tool.definitions", "{}")), "run_start", "/tools", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str got = otlp_get(otlp_convert(cases[i].trace), cases[i].type, 0, cases[i].pointer);

		test_case("%s", cases[i].trace);
		if (cases[i].value)
			CHECK_STR(got, str_from(cases[i].value));
		else
			CHECK(got.p == NULL);
	}
}

/* One span that is not ours, and clocks and guesses count again. */
TEST(a_trace_with_other_spans_is_read_as_any_other)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(
		OTLP_SPAN("2", "1", "chat m", "02", "04", OTLP_CHAT(10, 1) "," OTLP_I("trackway.seq", 9)) ","
		OTLP_SPAN("3", "1", "chat m", "05", "06", OTLP_CHAT(20, 2))));

	CHECK_STR(otlp_order(out), STR("<s$s$>"));
	CHECK_STR(otlp_get(out, "model_step", 0, "/usage/input_tokens"), STR("10"));
}

TEST(places_that_are_no_numbers_are_none)
{
	static const struct {
		const char *json;
		uint32_t place;
	} cases[] = { { "\"0\"", 1 }, { "7", 8 }, { "-1", 0 }, { "\"x\"", 0 }, { "4294967295", 0 }, { "null", 0 } };
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct otlp_attrs a = { .flat = false };

		test_case("%s", cases[i].json);
		CHECK(json_parse_copy(p, str_from(cases[i].json), &a.slots[OTLP_SEQ], NULL));
		CHECK_INT(otlp_own_place(&a, OTLP_SEQ), cases[i].place);
	}
	json_parser_close(p);
}
