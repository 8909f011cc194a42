#include "kit.h"

TEST(a_page_has_figures_tables_and_a_bar_for_each_node)
{
	struct str out = kit_export("html", NODE("\"m\"", "model_call", "", 1, 3, MODEL("\"big\"", 1234, 2, ",\"stop_reason\":\"error\""))
				    NODE("\"t\"", "tool_call", "\"m\"", 3, 5, TOOL("\"read\"")));

	CHECK(str_has(out, STR("<title>run trace-on</title>")));
	CHECK(str_has(out, STR("<dt>outcome</dt><dd>interrupted</dd>")));
	CHECK(str_has(out, STR("<bdi>big</bdi></th><td>1</td>")));
	CHECK(str_has(out, STR("<rect class='bar model failed' x='0.0000%' y='3' width='50.1500%' height='10'/>")));
	CHECK(str_has(out, STR("<rect class='bar tool' x='49.8500%' y='3' width='50.1500%' height='10'/>")));
	CHECK(str_has(out, STR("1234-&gt;2 tok")));
	CHECK(str_ends(out, STR("</html>\n")));
}

TEST(names_are_text_wherever_they_stand)
{
	struct str out = kit_export("html", NODE("\"a\"", "tool_call", "", 1, 2, TOOL("\"<script>alert('1')</script>\"") ",\"agent_id\":\"<i>\""));

	CHECK(!str_has(out, STR("<script")) && !str_has(out, STR("<i>")));
	CHECK(str_has(out, STR("title='&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;'")));
}

TEST(a_long_run_shows_its_longest_nodes_and_no_nodes_are_told)
{
	struct buf text;
	struct str out;
	struct kit k;

	buf_init(&text);
	for (unsigned i = 0; i < 450; i++)
		buf_printf(&text, "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"%u\","
			   "\"parent_node_ids\":[],\"timestamp_start\":%u,\"timestamp_end\":%u,\"kind\":\"tool_call\","
			   "\"tool_call\":{\"name\":\"n%u\"}}\n", i, i, 2 * i, i);
	kit_open(&k);
	kit_add(&k, buf_str(&text), "x");
	out = kit_write(&k, "html");
	CHECK(str_has(out, STR("and 390 more names")) && str_has(out, STR("and 50 more nodes")));
	CHECK(str_has(out, STR("title='n50'")) && !str_has(out, STR("title='n49'")));
	kit_free(&k);
	buf_free(&text);
	kit_open(&k);
	trace_list_open(&k.runs, STR("x"), "agent-trace");
	trace_list_begin(&k.runs);
	trace_list_finish(&k.runs);
	CHECK(str_has(kit_write(&k, "html"), STR("The trace has no nodes.")));
	kit_free(&k);
}
