#include "dialect/agent_trace/calls.h"

#include <stdio.h>

#include "harness/convert.h"
#include "harness/test.h"

#define TRACE "019dfd99-8dfa-7eaf-a895-eb8119e6e5d0"
#define NODE "019dfd99-8e2d-7ca0-9f2c-"

static struct arena arena;

static void add_node(struct buf *b, int number, int parent, const char *kind, const char *detail)
{
	char from[80] = "";

	if (parent)
		snprintf(from, sizeof(from), "\"" NODE "%012d\"", parent);
	buf_printf(b, "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"" TRACE "\",\"node_id\":\"" NODE
		   "%012d\",\"parent_node_ids\":[%s],\"timestamp_start\":1778076192.%06d,\"timestamp_end\":1778076192.%06d,"
		   "\"kind\":\"%s\",\"framework\":\"unknown\",\"%s\":{%s}}\n", number, from, number, number, kind, kind, detail);
}

static void add_model(struct buf *b, int number, int parent)
{
	add_node(b, number, parent, "model_call",
		 "\"endpoint\":\"http://h/v1/chat/completions\",\"model\":\"m\",\"input_tokens\":1,\"output_tokens\":2,"
		 "\"input_tokens_source\":\"api\",\"output_tokens_source\":\"api\",\"latency_seconds\":0.5,\"stream\":false");
}

static void add_tool(struct buf *b, int number, int parent, const char *call)
{
	char detail[200];

	snprintf(detail, sizeof(detail), "\"name\":\"f\",\"wall_time_seconds\":0,\"is_external\":false,\"is_io_bound\":false%s%s%s",
		 *call ? ",\"call_id\":\"" : "", call, *call ? "\"" : "");
	add_node(b, number, parent, "tool_call", detail);
}

static struct str convert(struct buf *b)
{
	struct converted c = convert_with(&arena, buf_str(b), (struct convert_how){ .to = "otutl" });
	struct str first;

	CHECK(c.done);
	if (convert_errors(&arena, "otutl", c.out, &first))
		FAIL("not valid: %.*s", STR_ARG(first));
	buf_free(b);
	return c.out;
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

TEST(arguments_that_a_trace_does_not_have_are_withheld)
{
	struct buf b = { 0 };
	struct str out, again;

	add_model(&b, 1, 0);
	add_tool(&b, 2, 1, "c1");
	out = convert(&b);
	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("null"));
	CHECK_STR(get(out, "tool_call", 0, "/args_withheld"), STR("true"));
	again = convert_text(&arena, "otutl", out, "otutl");
	CHECK_STR(again, out);
}

/* Parallel calls come with their results one after the other, by way of a branch, and with other agents in between. */
TEST(a_step_lists_the_calls_it_asked_for)
{
	struct buf b = { 0 };
	struct str out;

	add_model(&b, 1, 0);
	add_node(&b, 2, 1, "branch", "\"branch_kind\":\"fan_out\",\"siblings\":[]");
	add_tool(&b, 3, 2, "c1");
	add_model(&b, 4, 3);
	add_tool(&b, 5, 4, "");
	add_tool(&b, 6, 2, "c2");
	out = convert(&b);
	CHECK_STR(get(out, "model_step", 0, "/call_ids"), STR("[\"c1\",\"c2\"]"));
	CHECK_STR(get(out, "model_step", 1, "/call_ids"), STR("[\"" NODE "000000000005\"]"));
	CHECK_STR(get(out, "tool_call", 2, "/step_id"), STR(NODE "000000000001"));
}

TEST(a_step_without_calls_lists_none)
{
	struct buf b = { 0 };

	add_model(&b, 1, 0);
	CHECK(!get(convert(&b), "model_step", 0, "/call_ids").p);
}

/* The assembler gives an id that is used again a number; the list says the same. */
TEST(an_id_that_is_used_again_is_listed_as_the_call_has_it)
{
	struct buf b = { 0 };
	struct str out;

	for (int i = 0; i < 3; i++) {
		add_model(&b, 2 * i + 1, 2 * i);
		add_tool(&b, 2 * i + 2, 2 * i + 1, "0");
	}
	out = convert(&b);
	for (size_t i = 0; i < 3; i++) {
		struct str id = get(out, "tool_call", i, "/call_id");

		CHECK_STR(get(out, "model_step", i, "/call_ids"), arena_printf(&arena, "[\"%.*s\"]", STR_ARG(id)));
	}
	CHECK_STR(get(out, "tool_call", 2, "/call_id"), STR("0#3"));
}

/* Many more nodes than wait at once: every step still has its own, in the order of the file. */
TEST(long_traces_keep_their_order_and_their_lists)
{
	struct buf b = { 0 };
	struct str out;

	for (int i = 1; i < 2000; i += 3) {
		add_model(&b, i, i > 1 ? i - 1 : 0);
		add_tool(&b, i + 1, i, "");
		add_tool(&b, i + 2, i, "");
	}
	out = convert(&b);
	CHECK_INT(convert_count(out).model_steps, 667);
	for (int i = 0; i < 667; i += 111) {
		struct str want = arena_printf(&arena, "[\"" NODE "%012d\",\"" NODE "%012d\"]", 3 * i + 2, 3 * i + 3);

		test_case("step %d", i);
		CHECK_STR(get(out, "model_step", (size_t)i, "/step_id"), arena_printf(&arena, NODE "%012d", 3 * i + 1));
		CHECK_STR(get(out, "model_step", (size_t)i, "/call_ids"), want);
	}
}
