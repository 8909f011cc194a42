#include "kit.h"

/* The cell of this column in the first row. */
static struct str cell_of(struct str csv, const char *column)
{
	struct str rows, head = str_cut(csv, '\n', &rows), row = str_cut(rows, '\n', &rows);

	while (head.n) {
		struct str name = str_trim(str_cut(head, ',', &head));
		size_t n = 0;

		for (bool quoted = false; n < row.n && (quoted || (row.p[n] != ',' && row.p[n] != '\r')); n++)
			quoted ^= row.p[n] == '"';
		if (str_eq(name, str_from(column)))
			return str_of(row.p, n);
		row = str_skip(row, n < row.n ? n + 1 : n);
	}
	FAIL("no column %s", column);
	return row;
}

TEST(every_field_has_its_column)
{
	static const struct {
		const char *column, *want;
	} cases[] = {
		{ "source", "run.jsonl" }, { "format", "agent-trace" }, { "trace_id", "trace-one" }, { "node_id", "m" },
		{ "parent_node_ids", "\"[\"\"a\"\",\"\"b\"\"]\"" }, { "agent_id", "sub" }, { "framework", "f" },
		{ "kind", "model_call" }, { "timestamp_start", "1777550400.050000001" }, { "timestamp_end", "1777550402" },
		{ "failed", "false" }, { "model", "big" }, { "input_tokens", "10" }, { "input_tokens_source", "api" },
		{ "output_tokens", "2" }, { "estimated_cost_usd", "0.5" }, { "latency_seconds", "1.5" }, { "stream", "true" },
		{ "stop_reason", "end_turn" }, { "hash_ids", "\"[1,2]\"" }, { "tool", "" }, { "is_external", "" }, { "siblings", "" },
	};
	struct str out = kit_export("csv", NODE("\"m\"", "model_call", "\"a\",\"b\"", 1777550400.050000001, 1777550402,
		MODEL("\"big\"", 10, 2, ",\"estimated_cost_usd\":0.5,\"latency_seconds\":1.5,\"stream\":true,\"stop_reason\":\"end_turn\","
		"\"hash_ids\":[1,2]") ",\"agent_id\":\"sub\""));

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].column);
		CHECK_STR(cell_of(out, cases[i].column), str_from(cases[i].want));
	}
	CHECK(str_ends(out, STR("\r\n")) && str_count(out, '\n') == 2);
}

TEST(a_text_is_no_formula_and_no_second_row)
{
	struct str out = kit_export("csv", NODE("\"=1+1\"", "tool_call", "", 1, 2, TOOL("\"-x,\\\"\\n@\"")));

	CHECK_STR(cell_of(out, "node_id"), STR("'=1+1"));
	CHECK_STR(cell_of(out, "tool"), STR("\"'-x,\"\"\\x0a@\""));
	CHECK_INT(str_count(out, '\n'), 2);
}

TEST(unknown_figures_are_empty_and_no_nodes_are_a_head)
{
	struct str out = kit_export("csv", NODE("\"a\"", "branch", "", 2, 1, ",\"branch\":{\"branch_kind\":\"fan_out\",\"siblings\":[\"x\"]}"));
	struct kit k;

	CHECK_STR(cell_of(out, "input_tokens"), STR(""));
	CHECK_STR(cell_of(out, "latency_seconds"), STR(""));
	CHECK_STR(cell_of(out, "siblings"), STR("\"[\"\"x\"\"]\""));
	kit_open(&k);
	CHECK_INT(str_count(kit_write(&k, "csv"), '\n'), 1);
	kit_free(&k);
}
