#include "kit.h"

#define HEAD "digraph run {\n  rankdir=LR; node [fontname=\"Helvetica\",fontsize=10];\n"

TEST(each_kind_has_its_shape_and_each_parent_an_arrow)
{
	CHECK_STR(kit_export("dot", NODE("\"u\"", "user_input", "", 1, 1, "")
			     NODE("\"m\"", "model_call", "\"u\"", 1, 2, MODEL("\"big\"", 10, 2, ""))
			     NODE("\"b\"", "branch", "\"m\"", 2, 2, ",\"branch\":{\"branch_kind\":\"fan_out\"}")
			     NODE("\"t\"", "tool_call", "\"b\"", 2, 3, TOOL("\"read\""))
			     NODE("\"r\"", "retry", "\"t\"", 3, 3, "") NODE("\"s\"", "system", "\"t\",\"r\"", 3, 3, "")),
		  STR(HEAD "  \"u\" [shape=oval,label=\"user_input\"];\n"
			   "  \"m\" [shape=box,label=\"big\\n10->2 tok\"];\n"
			   "  \"b\" [shape=diamond,label=\"branch\"];\n"
			   "  \"t\" [shape=component,label=\"read\"];\n"
			   "  \"r\" [shape=octagon,label=\"retry\"];\n"
			   "  \"s\" [shape=note,label=\"system\"];\n"
			   "  \"u\" -> \"m\";\n  \"m\" -> \"b\";\n  \"b\" -> \"t\";\n  \"t\" -> \"r\";\n"
			   "  \"t\" -> \"s\";\n  \"r\" -> \"s\";\n}\n"));
}

TEST(names_cannot_end_a_text_or_begin_an_escape)
{
	CHECK_STR(kit_export("dot", NODE("\"a\\\"b\\\\\"", "tool_call", "", 1, 2, TOOL("\"\\\"];x\\\\N\\n&lt;\\u0007<b>\""))),
		  STR(HEAD "  \"a\\\"b\\\\\" [shape=component,label=\"\\\"];x\\\\N &amp;lt;\xEF\xBF\xBD<b>\"];\n}\n"));
}

TEST(an_odd_or_second_id_gives_way_to_the_place_of_its_node)
{
	CHECK_STR(kit_export("dot", NODE("\"a\"", "system", "\"\\n\"", 1, 1, "") NODE("\"a\"", "retry", "\"a\"", 1, 1, "")
			     NODE("\"\\n\"", "system", "\"a\"", 1, 1, "") NODE("\"#2\"", "system", "\"\\n\"", 1, 1, "")),
		  STR(HEAD "  \"a\" [shape=note,label=\"system\"];\n  \"##2\" [shape=octagon,label=\"retry\"];\n"
			   "  \"#3\" [shape=note,label=\"system\"];\n  \"#2\" [shape=note,label=\"system\"];\n"
			   "  \"#3\" -> \"a\";\n  \"a\" -> \"##2\";\n  \"a\" -> \"#3\";\n  \"#3\" -> \"#2\";\n}\n"));
}

TEST(a_failed_call_is_red_and_estimates_are_marked)
{
	struct str out = kit_export("dot", NODE("\"m\"", "model_call", "", 2, 1, ",\"model_call\":{\"model\":\"x\","
		"\"input_tokens\":5,\"input_tokens_source\":\"estimated\",\"stop_reason\":\"error\"}"));

	CHECK_STR(out, STR(HEAD "  \"m\" [shape=box,label=\"x\\n5~->? tok\",color=red];\n}\n"));
}

TEST(sub_agents_are_clusters_and_so_are_runs_when_there_are_several)
{
	struct kit k;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"a\"", "system", "", 1, 1, ",\"agent_id\":\"x\\\"y\"") NODE("\"b\"", "system", "\"a\"", 1, 1, "")), "1");
	CHECK_STR(kit_write(&k, "dot"), STR(HEAD "  \"b\" [shape=note,label=\"system\"];\n"
					    "  subgraph \"cluster_1_1\" {\n    label=\"x\\\"y\";\n"
					    "    \"a\" [shape=note,label=\"system\"];\n  }\n  \"a\" -> \"b\";\n}\n"));
	kit_add(&k, STR(NODE("\"a\"", "system", "\"gone\"", 1, 1, "")), "2");
	CHECK_STR(kit_write(&k, "dot"), STR(HEAD "  subgraph \"cluster_1\" {\n    label=\"run trace-on\";\n"
					    "    \"1/b\" [shape=note,label=\"system\"];\n"
					    "    subgraph \"cluster_1_1\" {\n      label=\"x\\\"y\";\n"
					    "      \"1/a\" [shape=note,label=\"system\"];\n    }\n    \"1/a\" -> \"1/b\";\n  }\n"
					    "  subgraph \"cluster_2\" {\n    label=\"run trace-on\";\n"
					    "    \"2/a\" [shape=note,label=\"system\"];\n  }\n}\n"));
	CHECK_INT(losses_count(k.losses), 1); /* the edge from nowhere */
	kit_free(&k);
}

TEST(no_nodes_are_an_empty_graph)
{
	struct kit k;

	kit_open(&k);
	trace_list_open(&k.runs, STR("x"), "agent-trace");
	trace_list_begin(&k.runs);
	trace_list_finish(&k.runs);
	CHECK_STR(kit_write(&k, "dot"), STR(HEAD "}\n"));
	kit_free(&k);
}
