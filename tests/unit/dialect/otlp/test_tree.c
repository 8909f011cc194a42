#include "dialect/otlp/tree.h"

#include "dialect/otlp/read.h"
#include "unit/dialect/otlp_feed.h"

static void check(const char *name, const char *text, int steps, int calls, int64_t input)
{
	struct convert_figures f = convert_count(otlp_convert(text));

	test_case("%s", name);
	CHECK_INT(f.model_steps, steps);
	CHECK_INT(f.tool_calls, calls);
	CHECK_INT(f.tool_results, calls);
	CHECK_INT(f.input_total, input);
}

#define WEAK(in) OTLP_I("gen_ai.usage.input_tokens", in) "," OTLP_I("gen_ai.usage.output_tokens", 1)
#define TYPED(in) OTLP_S("llm.request.type", "chat") "," OTLP_I("gen_ai.usage.prompt_tokens", in)

/* Trap 5: three layers tell the same tokens. */
TEST(of_model_spans_inside_each_other_the_innermost_is_the_step)
{
	check("a chain of three",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "call_llm", "01", "09", WEAK(10)) ","
			    OTLP_SPAN("2", "1", "generate_content", "02", "08", OTLP_CHAT(10, 1)) ","
			    OTLP_SPAN("3", "2", "openai.chat", "03", "07", TYPED(10)) ","
			    OTLP_SPAN("4", "3", "POST", "04", "06", "")),
	      1, 0, 10);
	check("with spans of no meaning between",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "call_llm", "01", "09", WEAK(10)) ","
			    OTLP_SPAN("2", "1", "wrapper", "02", "08", "") ","
			    OTLP_SPAN("3", "2", "openai.chat", "03", "07", TYPED(10))),
	      1, 0, 10);
	check("two steps inside one",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "ai.generateText", "01", "09", WEAK(30)) ","
			    OTLP_SPAN("2", "1", "chat m", "02", "03", OTLP_CHAT(10, 1)) ","
			    OTLP_SPAN("3", "1", "chat m", "04", "05", OTLP_CHAT(20, 1))),
	      2, 0, 30);
	check("siblings", OTLP_DOCUMENT(OTLP_SPAN("1", "0", "chat m", "01", "02", OTLP_CHAT(10, 1)) ","
					OTLP_SPAN("2", "0", "chat m", "03", "04", OTLP_CHAT(10, 1))),
	      2, 0, 20);
}

TEST(a_model_span_inside_a_tool_is_a_step_of_its_own)
{
	check("step, tool, step",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "chat m", "01", "09", OTLP_CHAT(10, 1)) ","
			    OTLP_SPAN("2", "1", "execute_tool t", "02", "08", OTLP_CALL("t", "c1")) ","
			    OTLP_SPAN("3", "2", "chat m", "03", "07", OTLP_CHAT(5, 1))),
	      2, 1, 15);
}

TEST(usage_that_only_the_outer_span_knows_is_counted_once)
{
	check("one step inside",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "call_llm", "01", "09", WEAK(10)) ","
			    OTLP_SPAN("2", "1", "chat m", "02", "03", OTLP_S("gen_ai.operation.name", "chat"))),
	      1, 0, 10);
	check("two steps inside",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "call_llm", "01", "09", WEAK(10)) ","
			    OTLP_SPAN("2", "1", "chat m", "02", "03", OTLP_S("gen_ai.operation.name", "chat")) ","
			    OTLP_SPAN("3", "1", "chat m", "04", "05", OTLP_S("gen_ai.operation.name", "chat"))),
	      2, 0, 10);
}

TEST(usage_of_an_agent_counts_only_where_nothing_inside_has_any)
{
	check("steps tell it",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "invoke_agent a", "01", "09", OTLP_AGENT_OF("a") "," WEAK(99)) ","
			    OTLP_SPAN("2", "1", "chat m", "02", "03", OTLP_CHAT(10, 1))),
	      1, 0, 10);
	check("no step does",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "invoke_agent a", "01", "09", OTLP_AGENT_OF("a") "," WEAK(99)) ","
			    OTLP_SPAN("2", "1", "t", "02", "03", OTLP_CALL("t", "c1"))),
	      0, 1, 99);
}

TEST(a_tool_span_that_another_layer_tells_again_is_one_call)
{
	check("an MCP client inside",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "execute_tool t", "01", "09", OTLP_CALL("t", "c1")) ","
			    OTLP_SPAN("2", "1", "tools/call t", "02", "08",
				      OTLP_S("mcp.method.name", "tools/call") "," OTLP_S("gen_ai.tool.name", "t"))),
	      0, 1, -1);
	check("another tool inside",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "execute_tool t", "01", "09", OTLP_CALL("t", "c1")) ","
			    OTLP_SPAN("2", "1", "execute_tool u", "02", "08", OTLP_CALL("u", "c2"))),
	      0, 2, -1);
	check("the same tool with an id of its own",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "0", "execute_tool t", "01", "09", OTLP_CALL("t", "c1")) ","
			    OTLP_SPAN("2", "1", "execute_tool t", "02", "08", OTLP_CALL("t", "c2"))),
	      0, 2, -1);
}

TEST(a_span_that_was_exported_twice_counts_once)
{
	check("equal", OTLP_DOCUMENT(OTLP_SPAN("1", "0", "chat m", "01", "02", OTLP_CHAT(10, 1)))
			       OTLP_DOCUMENT(OTLP_SPAN("1", "0", "chat m", "01", "02", OTLP_CHAT(10, 1))),
	      1, 0, 10);
}

TEST(spans_in_a_circle_and_spans_that_are_their_own_parents_are_told)
{
	check("a circle of two",
	      OTLP_DOCUMENT(OTLP_SPAN("1", "2", "t", "01", "04", OTLP_CALL("t", "c1")) ","
			    OTLP_SPAN("2", "1", "u", "02", "03", OTLP_CALL("u", "c2"))),
	      0, 2, -1);
	check("itself", OTLP_DOCUMENT(OTLP_SPAN("1", "1", "t", "01", "04", OTLP_CALL("t", "c1"))), 0, 1, -1);
}

/* A chain that is deeper than any stack of calls would bear, the parents last. */
TEST(a_very_deep_tree_is_built)
{
	enum { DEPTH = 100000 };
	struct otlp_node *all = test_alloc(DEPTH * sizeof(*all)), **nodes = test_alloc(DEPTH * sizeof(*nodes));
	struct event *carriers = test_alloc(DEPTH * sizeof(*carriers));
	struct otlp_hint *hints = test_alloc(DEPTH * sizeof(*hints));
	char *ids = test_alloc((size_t)(DEPTH + 1) * 8);

	for (uint32_t i = 0; i <= DEPTH; i++)
		for (unsigned digit = 0; digit < 8; digit++)
			ids[i * 8 + digit] = (char)('a' + (i >> 4 * digit & 15));
	for (uint32_t i = 0; i < DEPTH; i++) {
		hints[i] = (struct otlp_hint){ .id = str_of(ids + i * 8, 8), .parent = str_of(ids + (i + 1) * 8, 8) };
		carriers[i] = (struct event){ .hint = &hints[i] };
		all[i] = (struct otlp_node){ .carrier = &carriers[i], .role = OTLP_OTHER };
		nodes[i] = &all[i];
	}
	otlp_tree_build(nodes, DEPTH);
	CHECK_INT(nodes[0]->depth, DEPTH - 1);
	CHECK_INT(nodes[DEPTH - 1]->depth, 0);
	CHECK(nodes[DEPTH - 1]->parent == OTLP_NOBODY);
	CHECK(otlp_tree_payload(nodes[0], EVENT_STEP) == NULL);
}
