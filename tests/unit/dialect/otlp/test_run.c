#include "dialect/otlp/run.h"

#include "unit/dialect/otlp_feed.h"

#define ROOT OTLP_SPAN("1", "0", "invoke_agent a", "01", "20", OTLP_AGENT_OF("a"))
#define FIRST OTLP_SPAN("2", "1", "chat m", "02", "04", OTLP_CHAT(10, 1))
#define ONE OTLP_SPAN("3", "1", "execute_tool t", "05", "09", OTLP_CALL("t", "c1"))
#define TWO OTLP_SPAN("4", "1", "execute_tool u", "06", "07", OTLP_CALL("u", "c2"))
#define LAST OTLP_SPAN("5", "1", "chat m", "10", "12", OTLP_CHAT(20, 2))

/* Trap 14: two calls at once, the second done first. Exporters tell children first. */
TEST(the_order_of_spans_in_a_file_does_not_matter)
{
	static const char *const orders[] = {
		OTLP_DOCUMENT(ROOT "," FIRST "," ONE "," TWO "," LAST),
		OTLP_DOCUMENT(FIRST "," TWO "," ONE "," LAST "," ROOT),
		OTLP_DOCUMENT(LAST) OTLP_DOCUMENT(TWO "," ONE) OTLP_DOCUMENT(ROOT) OTLP_DOCUMENT(FIRST),
	};

	for (size_t i = 0; i < 3; i++) {
		struct str out = otlp_convert(orders[i]);

		test_case("%zu", i);
		CHECK_STR(otlp_order(out), STR("<s$ccrrs$>"));
		CHECK_STR(otlp_get(out, "tool_result", 0, "/call_id"), STR("c2"));
		CHECK_STR(otlp_get(out, "tool_result", 1, "/call_id"), STR("c1"));
		CHECK_STR(otlp_get(out, "run_start", 0, "/ts"), STR("2023-11-14T22:13:21.000Z"));
		CHECK_STR(otlp_get(out, "run_end", 0, "/ts"), STR("2023-11-14T22:13:40.000Z"));
		CHECK_STR(otlp_get(out, "run_end", 0, "/status"), STR("success"));
	}
}

TEST(a_clock_that_is_behind_does_not_put_a_child_before_its_parent)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(OTLP_SPAN("2", "1", "execute_tool u", "01", "02", OTLP_CALL("u", "c2")) ","
						    OTLP_SPAN("1", "0", "execute_tool t", "05", "09", OTLP_CALL("t", "c1"))));

	CHECK_STR(otlp_get(out, "tool_call", 0, "/call_id"), STR("c1"));
	CHECK_STR(otlp_get(out, "tool_call", 1, "/parent_call_id"), STR("c1"));
}

TEST(what_happens_inside_a_call_says_so_and_a_sub_agent_is_a_branch)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(
		ROOT "," OTLP_SPAN("3", "1", "execute_tool t", "05", "09", OTLP_CALL("t", "c1")) ","
		OTLP_SPAN("6", "3", "invoke_agent b", "06", "08", OTLP_AGENT_OF("b")) ","
		OTLP_SPAN("7", "6", "chat m", "06", "07", OTLP_CHAT(1, 1)) ","
		OTLP_SPAN("8", "6", "execute_tool u", "07", "08", OTLP_CALL("u", "c2"))));

	CHECK_STR(otlp_order(out), STR("<cs$crr>"));
	CHECK_STR(otlp_get(out, "tool_call", 1, "/parent_call_id"), STR("c1"));
	CHECK(str_find(convert_record(out, "model_step", 0), STR("b/" OTLP_ID("6"))) != (size_t)-1);
	CHECK(str_find(convert_record(out, "tool_call", 0), STR("b/" OTLP_ID("6"))) == (size_t)-1);
}

TEST(ids_that_come_twice_are_told_apart)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(
		OTLP_SPAN("1", "0", "chat m", "01", "02", OTLP_CHAT(1, 1) "," OTLP_S("gen_ai.response.id", "r")) ","
		OTLP_SPAN("2", "0", "chat m", "03", "04", OTLP_CHAT(1, 1) "," OTLP_S("gen_ai.response.id", "r")) ","
		OTLP_SPAN("3", "0", "execute_tool t", "05", "06", OTLP_CALL("t", "c")) ","
		OTLP_SPAN("4", "0", "execute_tool t", "07", "08", OTLP_CALL("t", "c"))));

	CHECK_STR(otlp_order(out), STR("<s$s$ccrr>"));
	CHECK_STR(otlp_get(out, "model_step", 0, "/step_id"), STR("r"));
	CHECK_STR(otlp_get(out, "model_step", 1, "/step_id"), STR(OTLP_ID("2")));
	CHECK_STR(otlp_get(out, "tool_result", 1, "/call_id"), STR(OTLP_ID("4")));
}

TEST(spans_without_ids_and_times_are_told_in_order)
{
	struct str out = otlp_convert("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":["
				      "{\"spanId\":\"0000000000000000\",\"name\":\"a\",\"attributes\":[" OTLP_CHAT(1, 1) "]},"
				      "{\"spanId\":\"0000000000000000\",\"name\":\"b\",\"attributes\":[" OTLP_CHAT(2, 2) "]}"
				      "]}]}]}");

	CHECK_STR(otlp_order(out), STR("<s$s$>"));
	CHECK_STR(otlp_get(out, "model_step", 0, "/step_id"), STR("span-1"));
	CHECK_STR(otlp_get(out, "model_step", 1, "/usage/input_tokens"), STR("2"));
	CHECK_STR(otlp_get(out, "run_start", 0, "/ts"), STR("1970-01-01T00:00:00.000Z"));
}

TEST(how_a_run_ended_is_what_its_root_says)
{
	static const struct {
		const char *text, *status;
	} cases[] = {
		{ OTLP_DOCUMENT(OTLP_SPAN_OF(OTLP_TRACE, "1", "0", "x", "01", "02", "", OTLP_FAILED)), "error" },
		{ OTLP_DOCUMENT(OTLP_SPAN_OF(OTLP_TRACE, "1", "0", "x", "01", "02", "", ",\"status\":{}")), "success" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK_STR(otlp_get(otlp_convert(cases[i].text), "run_end", 0, "/status"), str_from(cases[i].status));
	}
}

TEST(a_failed_agent_is_an_error)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(
		OTLP_SPAN_OF(OTLP_TRACE, "1", "0", "invoke_agent a", "01", "02", OTLP_AGENT_OF("a"), OTLP_FAILED)));

	CHECK_STR(otlp_get(out, "error", 0, "/class"), STR("harness"));
	CHECK_STR(otlp_get(out, "run_end", 0, "/status"), STR("error"));
}
