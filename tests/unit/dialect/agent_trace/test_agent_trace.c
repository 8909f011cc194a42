#include "base/id.h"
#include "dialect/agent_trace/agent_trace.h"
#include "json/json.h"
#include "unit/dialect/check_feed.h"

#define TRACE_ID "0192d3f4-0000-7000-8000-000000000001"
#define NODE_ID(n) "0192d3f4-0000-7000-8000-00000000010" n
#define HEAD "{\"schema_version\":\"agent-trace/v1\",\"event_type\":"
#define NODE(id, parents, kind, rest) \
	HEAD "\"node\",\"trace_id\":\"" TRACE_ID "\",\"node_id\":\"" id "\",\"parent_node_ids\":[" parents "]," \
	"\"timestamp_start\":1730000000.5,\"timestamp_end\":1730000001.5,\"kind\":\"" kind "\"," \
	"\"framework\":\"raw_openai\"" rest "}\n"
#define CALL_WITH(endpoint, model, tokens, rest) \
	",\"model_call\":{\"endpoint\":\"" endpoint "\",\"model\":\"" model "\",\"input_tokens\":10," tokens \
	",\"input_tokens_source\":\"api\",\"output_tokens_source\":\"api\",\"ttft_seconds\":0.1,\"tpot_seconds\":0.01," \
	"\"latency_seconds\":1.0,\"tool_choice\":null,\"stream\":true,\"stop_reason\":\"end_turn\"," \
	"\"request_id\":null,\"kv_pressure_label\":\"measured\"" rest "}"
#define CALL CALL_WITH("http://localhost:8000/v1", "m", "\"output_tokens\":5", "")
#define TOOL(name, rest) \
	",\"tool_call\":{\"name\":\"" name "\",\"wall_time_seconds\":1.0,\"stall_seconds\":0.5," \
	"\"result_size_bytes\":1,\"result_kind\":\"text\",\"is_external\":true,\"is_io_bound\":true" rest "}"
#define BRANCH(siblings) ",\"branch\":{\"branch_kind\":\"fan_out\",\"siblings\":[" siblings "]}"
#define SUMMARY_OF(completed, total, counts, tokens, stall, pct, error, rest) \
	HEAD "\"summary\",\"trace_id\":\"" TRACE_ID "\",\"started_at\":\"2024-10-27T03:33:20.000Z\"," \
	"\"completed_at\":\"" completed "\",\"total_seconds\":" total ",\"node_counts\":{" counts "}," \
	"\"total_tokens\":{" tokens "},\"tool_stall_total_seconds\":" stall ",\"tool_stall_pct\":" pct "," \
	"\"exit_status\":\"success\",\"error_message\":" error ",\"framework_version\":{\"langgraph\":\"0.4.x\"}," \
	"\"rig_label\":\"auto\",\"engine\":null,\"redaction\":{\"prompts_redacted\":true,\"tool_args_redacted\":true}" \
	rest "}\n"
#define AFTER "2024-10-27T03:33:30.000Z"
#define SUMMARY(counts, input, output, stall, pct) \
	SUMMARY_OF(AFTER, "10.0", counts, "\"input\":" input ",\"output\":" output, stall, pct, "null", "")
#define GOOD_CALL NODE(NODE_ID("1"), "", "model_call", CALL)
#define GOOD_SUMMARY SUMMARY("\"model_call\":1", "10", "5", "0.0", "0.0")

static void expect(const char *text, enum check_mode mode, const char *expected)
{
	for (size_t lines = 0; lines < 3; lines++) {
		struct check_options options = { .mode = mode };
		struct check_feed f;

		check_feed_with(&f, &agent_trace_dialect, &options, str_from(text), lines);
		CHECK_STR(check_feed_list(&f), str_from(expected));
		arena_free(&f.arena);
	}
}

TEST(a_good_trace_has_no_finding_in_any_mode)
{
	for (int mode = MODE_DEFAULT; mode <= MODE_PERMISSIVE; mode++)
		expect(GOOD_CALL NODE(NODE_ID("2"), "\"" NODE_ID("1") "\"", "tool_call", TOOL("bash", ""))
			       SUMMARY("\"model_call\":1,\"tool_call\":1", "10", "5", "0.5", "0.05"),
		       (enum check_mode)mode, "");
}

#define KEY "ghp_" "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
#define PART_SUMMARY(tokens, redaction) \
	HEAD "\"summary\",\"trace_id\":\"" TRACE_ID "\",\"started_at\":\"2024-10-27T03:33:20.000Z\"," \
	"\"completed_at\":\"" AFTER "\",\"total_seconds\":10,\"node_counts\":{},\"total_tokens\":{" tokens "}," \
	"\"tool_stall_total_seconds\":0,\"tool_stall_pct\":0,\"exit_status\":\"success\",\"error_message\":null," \
	"\"framework_version\":{},\"rig_label\":null,\"engine\":null,\"redaction\":{" redaction "}}\n"
#define NO_TOKENS "\"input\":0,\"output\":0"

/* One case for each rule: a trace that breaks it and nothing else. */
static const struct {
	const char *text, *expected;
} battery[] = {
	{ HEAD "\"\xff\"}\n" GOOD_CALL GOOD_SUMMARY, "1:AT001" },
	{ HEAD "}\n" GOOD_CALL GOOD_SUMMARY, "1:AT002" },
	{ "[1]\n" GOOD_CALL GOOD_SUMMARY, "1:AT002" },
	{ NODE(NODE_ID("1"), "", "model_call", ",\"kind\":\"x\"" CALL), "1:AT003" },
	{ "{\"schema_version\":\"agent-trace/v2\",\"event_type\":1}\n", "1:AT010" },
	{ "{\"event_type\":\"node\"}\n", "1:AT010" },
	{ HEAD "\"start\"}\n", "1:AT011" },
	{ "{\"schema_version\":\"agent-trace/v1\"}\n", "1:AT011" },
	{ NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://h/v1", "m", "\"output\":5", ""))
	  SUMMARY("\"model_call\":1", "10", "0", "0", "0"), "1:AT020" },
	{ NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://h/v1", "m", "\"output_tokens\":\"5\"", ""))
	  SUMMARY("\"model_call\":1", "10", "0", "0", "0"), "1:AT021" },
	{ NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://h/v1", "m", "\"output_tokens\":1.5", ""))
	  SUMMARY("\"model_call\":1", "10", "0", "0", "0"), "1:AT021" },
	{ NODE(NODE_ID("1"), "1", "model_call", CALL) GOOD_SUMMARY, "1:AT021" },
	{ NODE("", "", "model_call", CALL) GOOD_SUMMARY, "1:AT022" },
	{ NODE(NODE_ID("1"), "\"\"", "model_call", CALL) GOOD_SUMMARY, "1:AT022" },
	{ NODE(NODE_ID("1"), "", "Retry", "") SUMMARY("", "0", "0", "0", "0"), "1:AT030" },
	{ NODE(NODE_ID("1"), "", "tool_call", "") SUMMARY("\"tool_call\":1", "0", "0", "0", "0"), "1:AT031" },
	{ NODE(NODE_ID("1"), "", "tool_call", ",\"tool_call\":null") SUMMARY("\"tool_call\":1", "0", "0", "0", "0"),
	  "1:AT031" },
	{ NODE(NODE_ID("1"), "", "retry", TOOL("bash", "")) SUMMARY("\"retry\":1", "0", "0", "0", "0"), "1:AT032" },
	{ NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://h/v1", "m", "\"output_tokens\":5", ",\"ttfb_seconds\":-1"))
	  GOOD_SUMMARY, "1:AT040" },
	{ NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://h/v1", "m", "\"output_tokens\":-1", ""))
	  SUMMARY("\"model_call\":1", "10", "0", "0", "0"), "1:AT041" },
	{ SUMMARY("", "-1", "0", "0", "0"), "1:AT041" },
	{ SUMMARY_OF("2024-10-27T03:33:30", "10.0", "", "\"input\":0,\"output\":0", "0", "0", "null", ""), "1:AT043" },
	{ SUMMARY("\"retry\":-1", "0", "0", "0", "0"), "1:AT044" },
	{ SUMMARY("", "0", "0", "0", "1.5"), "1:AT052" },
	{ SUMMARY("", "0", "0", "0", "0.9"), "1:AT053" },
	{ NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://u:p@h/v1", "m", "\"output_tokens\":5", ""))
	  GOOD_SUMMARY, "1:AT061" },
	{ NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://h/v1", "m", "\"output_tokens\":5",
	  ",\"prompt\":\"hello\"")) GOOD_SUMMARY, "1:AT063" },
	{ NODE(NODE_ID("1"), "", "model_call", CALL ",\"note\":\"one two three four five six seven eight\"")
	  GOOD_SUMMARY, "1:AT063" },
	{ NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://h/v1", "/srv/models/m", "\"output_tokens\":5", ""))
	  GOOD_SUMMARY, "1:AT064" },
	{ NODE("step-1", "", "model_call", CALL) GOOD_SUMMARY, "1:AT065" },
	{ SUMMARY_OF(AFTER, "10.0", "", "\"input\":0,\"output\":0", "0", "0", "\"cannot open /srv/notes/x\"", ""),
	  "1:AT066" },
	{ NODE(NODE_ID("1"), "", "tool_call", TOOL("read(path=x)", "")) SUMMARY("\"tool_call\":1", "0", "0", "0.5", "0.05"),
	  "1:AT067" },
	{ PART_SUMMARY("\"input\":0", "\"prompts_redacted\":true,\"tool_args_redacted\":true"), "1:AT054" },
	{ PART_SUMMARY("\"output\":0", "\"prompts_redacted\":true,\"tool_args_redacted\":true"), "1:AT054" },
	{ PART_SUMMARY(NO_TOKENS, "\"prompts_redacted\":true"), "1:AT054" },
	{ PART_SUMMARY(NO_TOKENS, "\"tool_args_redacted\":true"), "1:AT054" },
	{ PART_SUMMARY(NO_TOKENS, "\"prompts_redacted\":null,\"tool_args_redacted\":true"), "1:AT021" },
	{ NODE(NODE_ID("1"), "", "tool_call", TOOL("", "")) SUMMARY("\"tool_call\":1", "0", "0", "0.5", "0.05"),
	  "1:AT055" },
	{ NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://h/v1", KEY, "\"output_tokens\":5", "")) GOOD_SUMMARY,
	  "1:AT062" },
	{ "", "0:AT100" },
	{ "\n", "0:AT100 1:AT113" },
	{ GOOD_CALL NODE(NODE_ID("1"), "", "model_call", CALL) SUMMARY("\"model_call\":2", "20", "10", "0", "0"),
	  "2:AT102" },
	{ NODE(NODE_ID("1"), "\"" NODE_ID("9") "\"", "model_call", CALL) GOOD_SUMMARY, "1:AT103" },
	{ NODE("", "\"" NODE_ID("9") "\"", "model_call", CALL) GOOD_SUMMARY, "1:AT022 1:AT103" },
	{ NODE(NODE_ID("1"), "\"" NODE_ID("1") "\"", "model_call", CALL) GOOD_SUMMARY, "1:AT104" },
	{ NODE(NODE_ID("1"), "\"" NODE_ID("2") "\"", "retry", "") NODE(NODE_ID("2"), "\"" NODE_ID("1") "\"", "retry", "")
	  SUMMARY("\"retry\":2", "0", "0", "0", "0"), "1:AT104" },
	{ GOOD_CALL GOOD_SUMMARY GOOD_SUMMARY, "3:AT105" },
	{ GOOD_SUMMARY GOOD_CALL, "2:AT106" },
	{ GOOD_CALL, "0:AT107" },
	{ GOOD_CALL SUMMARY("\"model_call\":2", "10", "5", "0", "0"), "2:AT108" },
	{ GOOD_CALL SUMMARY("", "10", "5", "0", "0"), "2:AT108" },
	{ GOOD_CALL SUMMARY("\"model_call\":1,\"telepathy\":3", "10", "5", "0", "0"), "2:AT108" },
	{ GOOD_CALL SUMMARY("\"model_call\":1,\"telepathy\":0", "10", "5", "0", "0"), "" },
	{ GOOD_CALL SUMMARY("\"model_call\":1", "11", "5", "0", "0"), "2:AT109" },
	{ GOOD_CALL SUMMARY("\"model_call\":1", "10", "6", "0", "0"), "2:AT109" },
	{ NODE(NODE_ID("1"), "", "tool_call", TOOL("bash", "")) SUMMARY("\"tool_call\":1", "0", "0", "0.6", "0.06"),
	  "2:AT110" },
	{ SUMMARY_OF(AFTER, "10.1", "", "\"input\":0,\"output\":0", "0", "0", "null", ""), "1:AT111" },
	{ GOOD_CALL SUMMARY_OF("2024-10-27T03:33:21.000Z", "1.0", "\"model_call\":1", "\"input\":10,\"output\":5", "0",
	  "0", "null", ""), "2:AT112" },
	{ GOOD_CALL "\n" GOOD_SUMMARY, "2:AT113" },
	{ GOOD_CALL HEAD "\"node\",\"trace_id\":\"" TRACE_ID "\",\"node_id\":\"" NODE_ID("2") "\","
	  "\"parent_node_ids\":[],\"timestamp_start\":1730000000.5,\"timestamp_end\":1730000001.25,"
	  "\"kind\":\"retry\",\"framework\":\"unknown\"}\n" SUMMARY("\"model_call\":1,\"retry\":1", "10", "5", "0", "0"),
	  "2:AT114" },
	{ GOOD_CALL GOOD_SUMMARY "{\"schema_version\":\"agent-tr", "3:AT115" },
	{ NODE(NODE_ID("1"), "", "branch", BRANCH("\"" NODE_ID("7") "\"")) SUMMARY("\"branch\":1", "0", "0", "0", "0"),
	  "1:AT116" },
};

TEST(every_rule_has_a_trace_that_breaks_it_and_nothing_else)
{
	for (size_t i = 0; i < sizeof(battery) / sizeof(battery[0]); i++) {
		test_case("%s in %s", battery[i].expected, battery[i].text);
		expect(battery[i].text, MODE_DEFAULT, battery[i].expected);
	}
}

/* What needs more than a line of macros: a good trace with one thing changed. */
static const struct {
	const char *what, *with, *expected;
} changes[] = {
	{ "\"prompts_redacted\":true", "\"prompts_redacted\":false", "2:AT060" },
	{ "\"result_size_bytes\":1", "\"result_size_bytes\":-1", "1:AT042" },
	{ "\"timestamp_end\":1730000001.5", "\"timestamp_end\":1730000000.25", "1:AT050" },
	{ "\"stall_seconds\":0.5", "\"stall_seconds\":1.5", "1:AT051 2:AT110" },
	{ "\"trace_id\":\"" TRACE_ID "\",\"started_at\"", "\"trace_id\":\"" NODE_ID("9") "\",\"started_at\"", "2:AT101" },
};

TEST(a_good_trace_with_one_thing_changed)
{
	struct str base = str_from(NODE(NODE_ID("1"), "", "tool_call", TOOL("bash", ""))
					   SUMMARY("\"tool_call\":1", "0", "0", "0.5", "0.05"));

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct str what = str_from(changes[i].what), with = str_from(changes[i].with);
		size_t at = str_find(base, what);
		char *text = test_alloc(base.n + with.n + 1);

		test_case("%s", changes[i].with);
		CHECK(at != (size_t)-1);
		memcpy(text, base.p, at);
		memcpy(text + at, with.p, with.n);
		memcpy(text + at + with.n, base.p + at + what.n, base.n - at - what.n);
		expect(text, MODE_DEFAULT, changes[i].expected);
	}
}

/* More ids than a fold follows, at a limit that a test can reach. */
static struct str list_beyond(struct arena *a, struct str text, uint64_t limit)
{
	struct check_options options = { .mode = MODE_DEFAULT };
	const struct check_ops *ops = agent_trace_dialect.ops;
	void *scanner = ops->scanner_open(&agent_trace_dialect, &options), *batch = ops->batch_open(&agent_trace_dialect);
	char *padded = test_alloc(text.n + JSON_PAD);
	struct check_feed feed = { .tally = { 0 } };
	struct at_fold state = { .has_trace = false };
	struct record_fold f = { .format = agent_trace_dialect.record, .rules = agent_trace_rules, .arena = a,
				 .findings = &feed.findings, .state = &state, .tally = &feed.tally };
	struct check_chunk in = { .bytes = str_of(padded, text.n), .first_line = 1, .lines = true };
	struct str list;

	memcpy(padded, text.p, text.n);
	arena_init(&feed.arena);
	findings_init(&feed.findings, &feed.arena, 0);
	agent_trace_fold_begin(&f);
	state.nodes.limit = limit;
	ops->scan(scanner, &in, batch);
	f.batch = batch;
	agent_trace_fold_add(&f, batch);
	agent_trace_fold_finish(&f);
	agent_trace_fold_end(&f);
	list = arena_copy(a, check_feed_list(&feed));
	ops->batch_close(batch);
	ops->scanner_close(scanner);
	arena_free(&feed.arena);
	return list;
}

static const char beyond[] = "2:AT117";

TEST(more_nodes_than_can_be_followed_are_told_once)
{
	struct str text = str_from(NODE(NODE_ID("1"), "", "retry", "") NODE(NODE_ID("2"), "", "retry", "")
				   NODE(NODE_ID("3"), "", "retry", "") SUMMARY("\"retry\":3", "0", "0", "0", "0"));
	struct arena a;

	arena_init(&a);
	CHECK_STR(list_beyond(&a, text, 1), str_from(beyond));
	CHECK_STR(list_beyond(&a, text, 3), STR(""));
	arena_free(&a);
}

static const struct {
	const char *text;
	const char *in_default, *in_strict, *in_permissive;
} modes[] = {
	{ NODE(NODE_ID("1"), "", "retry", ",\"extra\":1") SUMMARY("\"retry\":1", "0", "0", "0", "0"),
	  "", "1:AT023", "" },
	{ NODE(NODE_ID("1"), "", "retry", ",\"partial\":true,\"agent_id\":\"a\"") SUMMARY("\"retry\":1", "0", "0", "0", "0"),
	  "", "", "" },
	{ "{\"schema_version\":\"agent-trace/v2\",\"event_type\":\"start\"}\n", "1:AT010", "1:AT010", "1:AT010 1:AT011" },
	{ HEAD "\"start\"}\n" GOOD_CALL GOOD_SUMMARY, "1:AT011", "1:AT011", "1:AT011" },
	{ HEAD "1}\n" GOOD_CALL GOOD_SUMMARY, "1:AT011", "1:AT011", "1:AT021" },
	{ "{\"schema_version\":\"agent-trace/v1\"}\n" GOOD_CALL GOOD_SUMMARY, "1:AT011", "1:AT011", "1:AT020" },
	{ NODE(NODE_ID("1"), "", "tool_call", ",\"tool_call\":{\"name\":\"b\",\"wall_time_seconds\":1,"
	  "\"is_external\":true,\"is_io_bound\":false}") SUMMARY("\"tool_call\":1", "0", "0", "0", "0"),
	  "", "1:AT020 1:AT020 1:AT020", "" },
};

TEST(modes_change_what_counts)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		test_case("%s", modes[i].text);
		expect(modes[i].text, MODE_DEFAULT, modes[i].in_default);
		expect(modes[i].text, MODE_STRICT, modes[i].in_strict);
		expect(modes[i].text, MODE_PERMISSIVE, modes[i].in_permissive);
	}
}

TEST(no_rule_is_without_a_trace_that_breaks_it)
{
	for (size_t r = 0; r < AT_RULES; r++) {
		struct str code = str_from(agent_trace_rules[r].code);
		bool found = str_find(str_from(beyond), code) != (size_t)-1;

		test_case("%s", agent_trace_rules[r].code);
		for (size_t i = 0; i < sizeof(battery) / sizeof(battery[0]); i++)
			found = found || str_find(str_from(battery[i].expected), code) != (size_t)-1;
		for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
			found = found || str_find(str_from(changes[i].expected), code) != (size_t)-1;
		for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
			found = found || str_find(str_from(modes[i].in_strict), code) != (size_t)-1;
		CHECK(found);
	}
}

TEST(registered_fields_are_known_in_every_mode)
{
	static const struct {
		const char *member, *expected;
	} cases[] = {
		{ "\"ttfb_seconds\":0.1", "" },     { "\"ttfc_seconds\":0.1", "" },
		{ "\"cache_read_tokens\":1", "" },  { "\"cache_write_tokens\":1", "" },
		{ "\"reasoning_tokens\":1", "" },   { "\"estimated_cost_usd\":0.1", "" },
		{ "\"partial\":true", "" },         { "\"inferred\":[\"timestamp_end\"]", "" },
		{ "\"wall_time_source\":\"x\"", "" }, { "\"agent_id\":\"a\"", "" },
		{ "\"call_id\":\"c\"", "" },        { "\"hash_ids\":[1]", "" },
		{ "\"response_id\":\"msg_01\"", "" }, { "\"response_id\":1", "1:AT021" },
		{ "\"cost_source\":\"api\"", "" },  { "\"cost_source\":\"estimated\"", "" },
		{ "\"cost_source\":\"table\"", "1:AT030" },
		{ "\"known_by\":[\"hook\",\"proxy\"]", "" }, { "\"known_by\":[\"guess\"]", "1:AT030" },
		{ "\"known_by\":\"proxy\"", "" },   { "\"known_by\":\"hook\"", "" },
		{ "\"known_by\":\"otlp\"", "" },    { "\"known_by\":\"mcp\"", "" },
		{ "\"known_by\":\"shell\"", "" },   { "\"known_by\":\"guess\"", "1:AT030" },
		{ "\"total_only\":true", "" },      { "\"total_only\":\"yes\"", "1:AT021" },
		{ "\"refused\":true", "" },         { "\"refused\":1", "1:AT021" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a;
		struct str text;

		arena_init(&a);
		text = arena_printf(&a, NODE(NODE_ID("1"), "", "model_call",
				    CALL_WITH("http://h/v1", "m", "\"output_tokens\":5", ",%s")) GOOD_SUMMARY,
				    cases[i].member);
		test_case("%s", cases[i].member);
		for (int mode = MODE_DEFAULT; mode <= MODE_PERMISSIVE; mode++)
			expect(text.p, (enum check_mode)mode, cases[i].expected);
		arena_free(&a);
	}
}

TEST(the_summary_may_count_unknown_stalls)
{
	for (int mode = MODE_DEFAULT; mode <= MODE_PERMISSIVE; mode++) {
		expect(SUMMARY_OF(AFTER, "10.0", "", "\"input\":0,\"output\":0", "0", "0", "null",
				  ",\"tool_stall_unknown\":2"), (enum check_mode)mode, "");
		expect(SUMMARY_OF(AFTER, "10.0", "", "\"input\":0,\"output\":0", "0", "0", "null",
				  ",\"tool_stall_unknown\":-1"), (enum check_mode)mode, "1:AT044");
	}
}

TEST(content_is_told_from_what_only_has_its_name)
{
	static const struct {
		const char *member, *expected;
	} cases[] = {
		{ "\"prompt\":\"x\"", "1:AT063" },          { "\"prompt\":\"\"", "" },
		{ "\"prompt\":7", "" },                    { "\"prompt\":[]", "" },
		{ "\"prompt\":[{\"a\":[\"x\"]}]", "1:AT063" }, { "\"args\":{\"n\":1}", "" },
		{ "\"args\":{\"n\":\"1\"}", "1:AT063" },     { "\"tool_output\":\"ok\"", "1:AT063" },
		{ "\"extra\":{\"input\":{\"text\":\"x\"}}", "1:AT063" },
		{ "\"extra\":{\"input\":{\"text\":1},\"output\":\"x\"}", "1:AT063" },
		{ "\"note\":\"\\u8bf7\\u5e2e\\u6211\\u5199\\u4e00\\u9996\\u8bd7\\u5427\"", "1:AT063" },
		{ "\"note\":\"\\u8bf7\\u5e2e\"", "" },
		{ "\"error_message\":\"child exited 3\"", "" }, /* a summary's, and no prompt */
		{ "\"endpoint\":\"http://h/v1\"", "" },
		{ "\"started_at\":\"2026-04-30T12:00:00Z\"", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a;
		struct str text;

		arena_init(&a);
		text = arena_printf(&a, NODE(NODE_ID("1"), "", "retry", ",%s") SUMMARY("\"retry\":1", "0", "0", "0", "0"),
				    cases[i].member);
		test_case("%s", cases[i].member);
		expect(text.p, MODE_DEFAULT, cases[i].expected);
		arena_free(&a);
	}
}

static void errors_are(const char *text, enum check_mode mode, uint64_t errors, uint64_t warnings, uint64_t infos)
{
	struct check_options options = { .mode = mode };
	struct check_feed f;

	check_feed_with(&f, &agent_trace_dialect, &options, str_from(text), 0);
	CHECK_INT(f.findings.errors, errors);
	CHECK_INT(f.findings.warnings, warnings);
	CHECK_INT(f.findings.infos, infos);
	arena_free(&f.arena);
}

TEST(severities_depend_on_the_mode)
{
	const char *orphan = NODE(NODE_ID("1"), "\"" NODE_ID("9") "\"", "model_call", CALL) GOOD_SUMMARY;
	const char *word = NODE(NODE_ID("1"), "", "Retry", "") SUMMARY("", "0", "0", "0", "0");

	errors_are(GOOD_CALL, MODE_DEFAULT, 0, 0, 1);
	errors_are(GOOD_CALL, MODE_STRICT, 1, 0, 0);
	errors_are(orphan, MODE_DEFAULT, 0, 1, 0);
	errors_are(orphan, MODE_STRICT, 1, 0, 0);
	errors_are(word, MODE_DEFAULT, 1, 0, 0);
	errors_are(word, MODE_PERMISSIVE, 0, 1, 0);
	errors_are(HEAD "\"start\"}\n" GOOD_CALL GOOD_SUMMARY, MODE_DEFAULT, 1, 0, 0);
	errors_are(HEAD "\"start\"}\n" GOOD_CALL GOOD_SUMMARY, MODE_PERMISSIVE, 0, 1, 0);
	errors_are(PART_SUMMARY("\"input\":0", "\"prompts_redacted\":true"), MODE_DEFAULT, 0, 2, 0);
	errors_are(PART_SUMMARY("\"input\":0", "\"prompts_redacted\":true"), MODE_STRICT, 2, 0, 0);
	errors_are(NODE(NODE_ID("1"), "", "tool_call", TOOL("", "")) SUMMARY("\"tool_call\":1", "0", "0", "0.5", "0.05"),
		   MODE_STRICT, 0, 1, 0);
}

TEST(tolerances_are_those_of_the_page)
{
	static const struct {
		const char *completed, *total, *stall, *pct, *expected;
	} cases[] = {
		{ AFTER, "10.002", "0", "0", "" },    /* one unit of the last digit and 1 ms */
		{ AFTER, "10.0021", "0", "0", "1:AT111" },
		{ "2024-10-27T03:33:30Z", "11.001", "0", "0", "" },
		{ "2024-10-27T03:33:30Z", "11.002", "0", "0", "1:AT111" },
		{ AFTER, "10.0", "0.0009", "0", "" }, /* 1 ms */
		{ AFTER, "10.0", "0.0011", "0", "1:AT110" },
		{ AFTER, "10.0", "4.4892", "0.45", "1:AT110" }, /* half a unit of the last digit */
		{ AFTER, "10.0", "4.4892", "45e-2", "1:AT110" },
		{ AFTER, "10.0", "4.4892", "0.450", "1:AT053 1:AT110" },
		{ AFTER, "10.0", "4.4892", "0.4", "1:AT053 1:AT110" }, /* at most 0.005 */
		{ AFTER, "10.0", "0.051", "0", "1:AT053 1:AT110" },
		{ AFTER, "1e1", "0", "0", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a;
		struct str text;

		arena_init(&a);
		text = arena_printf(&a, SUMMARY_OF("%s", "%s", "", "\"input\":0,\"output\":0", "%s", "%s", "null", ""),
				    cases[i].completed, cases[i].total, cases[i].stall, cases[i].pct);
		test_case("%.*s", STR_ARG(text));
		expect(text.p, MODE_DEFAULT, cases[i].expected);
		arena_free(&a);
	}
}

TEST(a_number_is_an_integer_whatever_its_spelling)
{
	static const struct {
		const char *number, *expected;
	} cases[] = {
		{ "5.0", "" }, { "50e-1", "" }, { "0.5e1", "" }, { "-0", "2:AT109" }, { "5.5", "1:AT021 2:AT109" },
		{ "true", "1:AT021 2:AT109" }, { "\"5\"", "1:AT021 2:AT109" }, { "-0.0", "2:AT109" }, { "1e400", "1:AT021 2:AT109" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a;
		struct str text;

		arena_init(&a);
		text = arena_printf(&a, NODE(NODE_ID("1"), "", "model_call",
				    CALL_WITH("http://h/v1", "m", "\"output_tokens\":%s", "")) GOOD_SUMMARY, cases[i].number);
		test_case("%s", cases[i].number);
		expect(text.p, MODE_DEFAULT, cases[i].expected);
		arena_free(&a);
	}
}

/* ---- corpora ---- */

struct corpus {
	struct json_parser *parser;
	struct json_lines lines;
	struct str text;
	struct arena arena;
};

static void corpus_open(struct corpus *c, const char *path)
{
	struct str text = test_read(test_shared(path));
	char *padded = test_alloc(text.n + JSON_PAD);

	memcpy(padded, text.p, text.n);
	c->parser = json_parser_open((struct json_options){ 0 });
	c->text = str_of(padded, text.n);
	arena_init(&c->arena);
	json_lines_begin(&c->lines, c->parser, c->text, 1);
}

static void corpus_close(struct corpus *c)
{
	json_parser_close(c->parser);
	arena_free(&c->arena);
}

static struct str field_of(struct corpus *c, struct val row, const char *name)
{
	return arena_copy(&c->arena, val_text(val_get(row, str_from(name)), &c->arena));
}

/* The line, with a newline, as a text of its own. */
static struct str line_of(struct corpus *c, struct val event)
{
	struct str source = val_source(event);

	return arena_printf(&c->arena, "%.*s\n", (int)source.n, source.p);
}

/* What the page says about an event in the strict mode, where it differs from the text's verdict. */
static const char *strict_verdict(struct str id, struct str expect)
{
	if (str_eq(expect, STR("reject")))
		return "reject";
	if (str_ends(id, STR("-missing")) || str_ends(id, STR("-prompt-field")) || str_ends(id, STR("-top-field")) ||
	    str_ends(id, STR("-nested-field")))
		return "reject";
	return "accept"; /* null is allowed for any optional field, and warnings stay warnings */
}

/* The same in the default mode: a part of the summary that lacks a member, as in the text's own examples. */
static const char *default_verdict(struct str id, struct str expect)
{
	bool part = str_starts(id, STR("summary-total_tokens.")) || str_starts(id, STR("summary-redaction."));

	if (part && str_ends(id, STR("-missing")))
		return "warn";
	return str_eq(expect, STR("reject")) ? "reject" : str_eq(expect, STR("warn")) ? "warn" : "accept";
}

/* Of events alone (`line_only`) what lies between events is not asked; nor are the ids of the corpus good ones. */
static bool is_rejected(struct str text, enum check_mode mode, uint64_t *warnings, bool line_only)
{
	struct check_options options = { .mode = mode };
	struct check_feed f;
	bool rejected = false;

	check_feed_with(&f, &agent_trace_dialect, &options, text, 0);
	*warnings = 0;
	for (size_t i = 0; i < f.findings.kept_count; i++) {
		const struct finding *found = &f.findings.kept[i];

		if (line_only && dialect_find_rule(found->code, NULL)->scope == RULE_FILE)
			continue;
		rejected = rejected || found->severity == SEV_ERROR;
		*warnings += found->severity == SEV_WARNING && strcmp(found->code, "AT065") != 0;
	}
	arena_free(&f.arena);
	return rejected;
}

TEST(events_of_the_corpus_get_the_verdict_of_the_text)
{
	struct corpus c;
	struct json_record line;
	size_t count = 0;

	corpus_open(&c, "corpora/13-agent-trace-v1/dev/events.jsonl");
	while (json_lines_next(&c.lines, &line, NULL) == JSON_LINE_VALUE) {
		struct str id = field_of(&c, line.value, "id"), expect = field_of(&c, line.value, "spec_expect");
		struct str event = line_of(&c, val_get(line.value, STR("event")));
		uint64_t warnings;
		bool rejected = is_rejected(event, MODE_DEFAULT, &warnings, true);
		const char *verdict = default_verdict(id, expect);

		test_case("%.*s, default", STR_ARG(id));
		if (!str_eq(expect, STR("unspecified"))) {
			CHECK_INT(rejected, strcmp(verdict, "reject") == 0);
			CHECK(strcmp(verdict, "warn") != 0 || warnings > 0);
			CHECK(strcmp(verdict, "accept") != 0 || warnings == 0);
		}
		test_case("%.*s, strict", STR_ARG(id));
		if (!str_eq(expect, STR("unspecified")))
			CHECK_INT(is_rejected(event, MODE_STRICT, &warnings, true),
				  strcmp(strict_verdict(id, expect), "reject") == 0);
		count++;
	}
	CHECK(count > 100);
	corpus_close(&c);
}

TEST(traces_of_the_corpus_get_the_verdict_of_the_text)
{
	struct corpus c;
	struct json_record line;
	size_t count = 0;

	corpus_open(&c, "corpora/13-agent-trace-v1/dev/traces.jsonl");
	while (json_lines_next(&c.lines, &line, NULL) == JSON_LINE_VALUE) {
		struct str id = field_of(&c, line.value, "id"), expect = field_of(&c, line.value, "spec_expect");
		struct val_iter it = val_begin(val_get(line.value, STR("lines")));
		struct str text = STR("");
		struct val event;
		uint64_t warnings;
		bool rejected;

		while (val_next(&it, &event))
			text = arena_printf(&c.arena, "%.*s%.*s\n", (int)text.n, text.p, (int)val_source(event).n,
					    val_source(event).p);
		rejected = is_rejected(text, MODE_DEFAULT, &warnings, false);
		test_case("%.*s", STR_ARG(id));
		if (!str_eq(expect, STR("unspecified")))
			CHECK_INT(rejected, str_eq(expect, STR("reject")));
		count++;
	}
	CHECK(count >= 8);
	corpus_close(&c);
}

TEST(the_two_minimal_lines_of_the_text_are_valid_in_every_mode)
{
	struct str text = test_data("agent-trace/minimal.jsonl");

	for (int mode = MODE_DEFAULT; mode <= MODE_PERMISSIVE; mode++) {
		struct check_options options = { .mode = (enum check_mode)mode };
		struct check_feed f;

		check_feed_with(&f, &agent_trace_dialect, &options, text, 0);
		CHECK_INT(f.findings.errors, 0);
		CHECK_INT(f.tally.records, 2);
		arena_free(&f.arena);
	}
}

TEST(the_summary_of_the_locked_examples_has_a_share_that_is_right)
{
	expect(HEAD "\"summary\",\"trace_id\":\"" TRACE_ID "\",\"started_at\":\"2026-04-30T12:00:00Z\","
	       "\"completed_at\":\"2026-04-30T12:05:23Z\",\"total_seconds\":323.0,\"node_counts\":{\"model_call\":12,"
	       "\"tool_call\":47,\"branch\":3,\"retry\":1},\"total_tokens\":{\"input\":524288,\"output\":4096},"
	       "\"tool_stall_total_seconds\":145.0,\"tool_stall_pct\":0.45,\"exit_status\":\"success\","
	       "\"error_message\":null,\"framework_version\":{\"langgraph\":\"0.4.x\"},\"rig_label\":\"h200\","
	       "\"engine\":\"vllm\",\"redaction\":{\"prompts_redacted\":true,\"tool_args_redacted\":true}}\n",
	       MODE_STRICT, "1:AT108 1:AT109 1:AT109 1:AT110"); /* its nodes are not here */
}

TEST(every_rule_can_be_explained)
{
	for (size_t i = 0; i < AT_RULES; i++) {
		const struct rule *r = &agent_trace_rules[i];

		test_case("%zu", i);
		CHECK(r->code && r->sentence && r->help && r->section && r->why && r->example);
		CHECK(i == 0 || strcmp(agent_trace_rules[i - 1].code, r->code) < 0);
	}
}

TEST(a_key_in_any_string_is_told_and_never_shown)
{
	static const char key[] = "ghp_" "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5";
	static const char *const places[] = {
		NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://h/%s", "m", "\"output_tokens\":5", "")),
		NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://h/v1", "%s", "\"output_tokens\":5", "")),
		NODE(NODE_ID("1"), "", "model_call", CALL_WITH("http://h/v1", "m", "\"output_tokens\":5", ",\"call_id\":\"%s\"")),
		NODE(NODE_ID("1"), "", "model_call", CALL ",\"x\":{\"y\":[\"%s\"]}"),
		NODE(NODE_ID("1"), "", "tool_call", TOOL("%s", "")),
		NODE("%s", "", "retry", ""),
		NODE(NODE_ID("1"), "\"%s\"", "retry", ""),
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct check_feed f;
		struct arena a;
		size_t hits = 0;

		arena_init(&a);
		test_case("%s", places[i]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		check_feed(&f, &agent_trace_dialect, arena_printf(&a, places[i], key), 0);
#pragma GCC diagnostic pop
		for (size_t j = 0; j < f.findings.kept_count; j++) {
			const struct finding *found = &f.findings.kept[j];

			hits += strcmp(found->code, "AT062") == 0;
			CHECK(str_find(found->excerpt, str_from(key)) == (size_t)-1);
			CHECK(str_find(found->message, str_from(key)) == (size_t)-1);
		}
		CHECK_INT(hits, 1);
		arena_free(&f.arena);
		arena_free(&a);
	}
}
