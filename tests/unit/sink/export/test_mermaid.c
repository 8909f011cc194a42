#include "kit.h"

TEST(a_run_is_a_flowchart_without_its_ids)
{
	CHECK_STR(kit_export("mermaid", NODE("\"end\"", "user_input", "", 1, 1, "")
			     NODE("\"m\"", "model_call", "\"end\"", 1, 2, MODEL("\"big\"", 10, 2, ",\"stop_reason\":\"error\""))
			     NODE("\"b\"", "branch", "\"m\"", 2, 2, "") NODE("\"t\"", "tool_call", "\"b\",\"gone\"", 2, 3, TOOL("\"read\""))
			     NODE("\"r\"", "retry", "\"t\"", 3, 3, "") NODE("\"s\"", "system", "\"r\"", 3, 3, ",\"agent_id\":\"sub\"")),
		  STR("flowchart LR\n  n0([\"user_input\"])\n  n1[\"big<br/>10->2 tok\"]:::failed\n  n2{\"branch\"}\n"
		      "  n3[[\"read\"]]\n  n4{{\"retry\"}}\n  subgraph a0_1[\"sub\"]\n  n5[/\"system\"/]\n  end\n"
		      "  n0 --> n1\n  n1 --> n2\n  n2 --> n3\n  n3 --> n4\n  n4 --> n5\n"
		      "  classDef failed stroke:red,color:red\n"));
}

TEST(names_cannot_end_a_label_or_begin_a_directive)
{
	CHECK_STR(kit_export("mermaid", NODE("\"a\"", "tool_call", "", 1, 1, TOOL("\"x\\\"]\\n%%{init}`<b>#\\\\;\""))),
		  STR("flowchart LR\n  n0[[\"x#quot;] #37;#37;{init}#96;#60;b#62;#35;#92;#59;\"]]\n"));
}

TEST(several_runs_are_subgraphs)
{
	struct kit k;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"a\"", "system", "", 1, 1, "")), "1");
	kit_add(&k, STR(NODE("\"a\"", "system", "", 1, 1, "") NODE("\"b\"", "system", "\"a\"", 1, 1, "")), "2");
	CHECK_STR(kit_write(&k, "mermaid"), STR("flowchart LR\n  subgraph r0[\"run trace-on\"]\n  n0[/\"system\"/]\n  end\n"
						"  subgraph r1[\"run trace-on\"]\n  n1[/\"system\"/]\n  n2[/\"system\"/]\n"
						"  n1 --> n2\n  end\n"));
	kit_free(&k);
}

/* A chain of `count` nodes with names of `width` characters. */
static bool try_chain(unsigned count, int width, struct err *err)
{
	struct kit k;
	struct buf text;
	bool done;

	buf_init(&text);
	for (unsigned i = 0; i < count; i++)
		buf_printf(&text, "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"%u\","
			   "\"parent_node_ids\":[\"%d\"],\"timestamp_start\":1,\"timestamp_end\":2,\"kind\":\"tool_call\","
			   "\"tool_call\":{\"name\":\"%*s\"}}\n", i, (int)i - 1, width, "x");
	kit_open(&k);
	kit_add(&k, buf_str(&text), "x");
	done = kit_try(&k, "mermaid");
	CHECK_INT(k.pieces, done ? 1 : 0); /* nothing is written of what is refused */
	*err = k.err;
	kit_free(&k);
	buf_free(&text);
	return done;
}

TEST(what_renderers_refuse_is_refused_at_once)
{
	struct err err;

	CHECK(try_chain(401, 1, &err));
	CHECK(!try_chain(402, 1, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	CHECK(strstr(err.text, "401 edges") && strstr(err.text, "dot"));
	CHECK(!try_chain(390, 120, &err));
	CHECK(strstr(err.text, "50000 characters"));
}
