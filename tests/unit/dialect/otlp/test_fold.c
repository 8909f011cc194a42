#include "dialect/otlp/fold.h"

#include "unit/dialect/otlp_feed.h"

#define OTHER_TRACE "fedcba9876543210fedcba9876543210"

TEST(each_trace_is_a_run_however_their_spans_are_mixed)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(
		OTLP_SPAN("1", "0", "chat m", "01", "02", OTLP_CHAT(1, 1)) ","
		OTLP_SPAN_OF(OTHER_TRACE, "1", "0", "chat m", "01", "02", OTLP_CHAT(2, 2), "") ","
		OTLP_SPAN("2", "0", "chat m", "03", "04", OTLP_CHAT(4, 4))));

	CHECK_STR(otlp_order(out), STR("<s$s$><s$>"));
	CHECK_STR(otlp_get(out, "run_start", 0, "/vendor_run_id"), STR(OTLP_TRACE));
	CHECK_STR(otlp_get(out, "run_start", 1, "/vendor_run_id"), STR(OTHER_TRACE));
	CHECK_STR(otlp_get(out, "run_end", 0, "/totals/tokens_in"), STR("5"));
}

TEST(a_file_without_agents_is_a_run_of_notes)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(OTLP_SPAN("1", "0", "GET /", "01", "02", OTLP_S("http.route", "/"))));

	CHECK_STR(otlp_order(out), STR("<>"));
	CHECK(str_find(out, STR("\"http.route\"")) != (size_t)-1);
}

TEST(an_envelope_without_spans_is_a_run_that_is_empty)
{
	CHECK_STR(otlp_order(otlp_convert("{\"resourceSpans\":[]}")), STR("<>"));
}

TEST(a_line_that_cannot_be_read_is_an_error_of_the_trace_around_it)
{
	struct str out = otlp_convert("{\"resourceSpans\":[{\n"
				      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "chat m", "01", "02", OTLP_CHAT(1, 1)))
				      "{\"resourceSpans\":[{\n");

	CHECK_INT(convert_count(out).runs, 1);
	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_STR(otlp_get(out, "error", 1, "/code"), STR("unreadable_line"));
}

TEST(the_resource_of_many_spans_is_kept_once)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(OTLP_SPAN("1", "0", "a", "01", "02", ""))
				      OTLP_DOCUMENT(OTLP_SPAN("2", "0", "b", "01", "02", "") ","
						    OTLP_SPAN("3", "0", "c", "01", "02", "")));
	size_t first = str_find(out, STR("service.name"));

	CHECK(first != (size_t)-1);
	CHECK(str_find(str_of(out.p + first + 1, out.n - first - 1), STR("service.name")) == (size_t)-1);
}

/* Chunks of a few bytes cut the file anywhere. */
TEST(the_size_of_chunks_and_the_number_of_threads_change_nothing)
{
	struct str text = STR(OTLP_DOCUMENT(OTLP_SPAN("3", "2", "execute_tool t", "04", "05", OTLP_CALL("t", "c1")))
			      OTLP_DOCUMENT(OTLP_SPAN("2", "0", "chat m", "01", "06", OTLP_CHAT(3, 4)))
			      OTLP_DOCUMENT(OTLP_SPAN_OF(OTHER_TRACE, "1", "0", "chat m", "01", "02", OTLP_CHAT(2, 2), "")));
	struct str whole = convert_text(&otlp_arena, "otlp-json", text, "otutl");

	for (size_t chunk = 1; chunk < 2000; chunk = chunk * 3 + 1) {
		struct converted c = convert_with(&otlp_arena, text,
						  (struct convert_how){ .to = "otutl", .chunk = chunk, .jobs = 2 });

		test_case("%zu", chunk);
		CHECK(c.done);
		CHECK_STR(c.out, whole);
	}
}

/* More than 64 MiB: what is held is let go, and the rest goes on in the same run. */
TEST(a_trace_that_is_too_large_to_hold_is_told_in_parts)
{
	enum { SPANS = 80 };
	char *filler = test_alloc((1 << 20) + 1);
	struct str out;
	struct buf text;

	memset(filler, 'x', 1 << 20);
	buf_init(&text);
	for (unsigned i = 0; i < SPANS; i++)
		buf_printf(&text, "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"" OTLP_TRACE "\",\"spanId\":\"%016x\","
			   "\"name\":\"chat\",\"startTimeUnixNano\":\"17000000%02u000000000\",\"attributes\":[" OTLP_CHAT(1, 1) ","
			   OTLP_S("filler", "%s") "]}]}]}]}\n", i + 1, i, filler);
	out = convert_text(&otlp_arena, "otlp-json", buf_str(&text), "otutl");
	CHECK_INT(convert_errors(&otlp_arena, "otutl", out, NULL), 0);
	CHECK_INT(convert_count(out).model_steps, SPANS);
	CHECK(str_find(out, STR("\"otlp.limit\"")) != (size_t)-1);
	buf_free(&text);
}
