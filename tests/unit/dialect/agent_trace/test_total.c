/* What a log states only in total is a node of its own, so that the sums of a trace are the log's. */
#include "harness/convert.h"
#include "harness/test.h"

#define S ",\"session_id\":\"s1\""
#define INIT "{\"type\":\"system\",\"subtype\":\"init\",\"tools\":[],\"mcp_servers\":[],\"model\":\"m-a\"" S "}\n"
#define USAGE(in, out) "\"usage\":{\"input_tokens\":" #in ",\"output_tokens\":" #out "}"
#define SPOKE(id, model, usage) \
	"{\"type\":\"assistant\",\"parent_tool_use_id\":null,\"timestamp\":\"2026-01-02T03:04:05.000Z\",\"message\":{\"id\":\"" id \
	"\",\"model\":\"" model "\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]," usage "}" S "}\n"
#define MODEL(name, in, out) "\"" name "\":{\"inputTokens\":" #in ",\"outputTokens\":" #out "}"
#define RESULT(usage, models) \
	"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,\"duration_api_ms\":1500," usage \
	",\"modelUsage\":{" models "}" S "}\n"

static struct arena *new_arena(void)
{
	struct arena *a = test_alloc(sizeof(*a));

	arena_init(a);
	return a;
}

static struct str to_trace(struct arena *a, const char *from, const char *text)
{
	return convert_valid(a, from, str_from(text), "agent-trace");
}

/* The n-th node that is total_only, p NULL when there are not so many. */
static struct str total_of(struct arena *a, struct str trace, size_t n)
{
	while (trace.n) {
		struct str line = str_cut(trace, '\n', &trace);

		if (str_eq(convert_get(a, line, "/total_only"), STR("true")) && n-- == 0)
			return line;
	}
	return str_of(NULL, 0);
}

static struct str summary_of(struct arena *a, struct str trace)
{
	struct str line = STR("");

	while (trace.n)
		line = str_cut(trace, '\n', &trace);
	CHECK_STR(convert_get(a, line, "/event_type"), STR("summary"));
	return line;
}

#define CHECK_AT(line, pointer, want) CHECK_STR(convert_get(a, (line), (pointer)), str_from(want))

TEST(a_log_of_nothing_but_totals_is_one_node)
{
	struct arena *a = new_arena();
	struct str trace = to_trace(a, "claude-code", RESULT(USAGE(360, 54), MODEL("m-a", 360, 54)));
	struct str node = total_of(a, trace, 0), sum = summary_of(a, trace);

	CHECK_AT(node, "/kind", "model_call");
	CHECK_AT(node, "/inferred", "true");
	CHECK_AT(node, "/model_call/model", "m-a");
	CHECK_AT(node, "/model_call/input_tokens", "360");
	CHECK_AT(node, "/model_call/output_tokens_source", "api");
	CHECK_AT(node, "/model_call/latency_seconds", "1.5");
	CHECK_AT(node, "/model_call/ttft_seconds", "null");
	CHECK_AT(node, "/model_call/endpoint", "unknown");
	CHECK_AT(sum, "/node_counts/model_call", "1");
	CHECK_AT(sum, "/total_tokens/input", "360");
	CHECK_AT(sum, "/total_tokens/output", "54");
}

TEST(what_calls_tell_is_not_counted_again)
{
	struct arena *a = new_arena();
	struct str trace = to_trace(a, "claude-code", INIT SPOKE("1", "m-a", USAGE(100, 1)) SPOKE("2", "m-b", USAGE(20, 2))
				    RESULT(USAGE(100, 30), MODEL("m-a", 100, 30) "," MODEL("m-b", 70, 2)));
	struct str first = total_of(a, trace, 0), second = total_of(a, trace, 1), sum = summary_of(a, trace);

	CHECK_AT(first, "/model_call/model", "m-a");
	CHECK_AT(first, "/model_call/input_tokens", "0");
	CHECK_AT(first, "/model_call/output_tokens", "29");
	CHECK_AT(first, "/model_call/output_tokens_source", "estimated");
	CHECK_AT(first, "/model_call/latency_seconds", "0"); /* nobody knows whose the time was */
	CHECK_AT(first, "/timestamp_start", "1767323045.000000");
	CHECK_AT(first, "/timestamp_end", "1767323045.000000");
	CHECK_AT(second, "/model_call/model", "m-b");
	CHECK_AT(second, "/model_call/input_tokens", "50");
	CHECK_AT(second, "/model_call/output_tokens", "0");
	CHECK(total_of(a, trace, 2).p == NULL);
	CHECK_AT(sum, "/node_counts/model_call", "4");
	CHECK_AT(sum, "/total_tokens/input", "170");
	CHECK_AT(sum, "/total_tokens/output", "32");
}

TEST(there_is_no_node_without_a_difference)
{
	static const char *const logs[] = {
		INIT SPOKE("1", "m-a", USAGE(100, 30)) RESULT(USAGE(100, 30), MODEL("m-a", 100, 30)),
		INIT SPOKE("1", "m-a", USAGE(100, 30)) RESULT(USAGE(90, 20), MODEL("m-a", 90, 20)),
		/* two names of one model, and a total that names none */
		INIT SPOKE("1", "m-a", USAGE(100, 30)) RESULT(USAGE(100, 30), MODEL("m-a-20260102", 100, 30)),
		INIT SPOKE("1", "m-z", USAGE(100, 30)) RESULT(USAGE(100, 30), MODEL("m-a", 100, 30)),
		INIT SPOKE("1", "m-a", USAGE(100, 30)) RESULT(USAGE(100, 30), ""),
		INIT SPOKE("1", "m-a", USAGE(100, 30)),
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct arena *a = new_arena();
		struct str trace = to_trace(a, "claude-code", logs[i]);

		test_case("%s", logs[i]);
		CHECK(total_of(a, trace, 0).p == NULL);
		CHECK_AT(summary_of(a, trace), "/total_tokens/input", "100");
		CHECK_AT(summary_of(a, trace), "/node_counts/model_call", "1");
	}
}

TEST(turns_of_codex_are_added_up)
{
#define TURN(in, out) "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":" #in ",\"output_tokens\":" #out "}}\n"
	struct arena *a = new_arena();
	struct str trace = to_trace(a, "codex", "{\"type\":\"thread.started\",\"thread_id\":\"t1\"}\n"
				    "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"a\"}}\n"
				    TURN(50, 7) TURN(60, 8));
	struct str node = total_of(a, trace, 0);

	CHECK_AT(node, "/model_call/model", "unknown");
	CHECK_AT(node, "/model_call/input_tokens", "110");
	CHECK_AT(node, "/model_call/output_tokens", "15");
	CHECK_AT(node, "/model_call/latency_seconds", "0");
	CHECK(total_of(a, trace, 1).p == NULL);
	CHECK_AT(summary_of(a, trace), "/node_counts/model_call", "2");
}

TEST(such_a_node_is_no_step_of_another_format_and_comes_back)
{
	struct arena *a = new_arena();
	struct str trace = to_trace(a, "claude-code", INIT SPOKE("1", "m-a", USAGE(100, 1))
				    RESULT(USAGE(100, 30), MODEL("m-a", 170, 30)));
	struct str log = convert_text(a, "agent-trace", trace, "otutl"), back = convert_text(a, "otutl", log, "agent-trace");
	struct str end = convert_record(log, "run_end", 0), node = total_of(a, back, 0);

	CHECK_AT(end, "/totals/model_steps", "1");
	CHECK_AT(end, "/totals/tokens_in", "170");
	CHECK_AT(end, "/totals/tokens_out", "30");
	CHECK_AT(convert_record(log, "cost", 1), "/ext/trackway~11/total_only", "true");
	CHECK_AT(node, "/model_call/input_tokens", "70");
	CHECK_STR(convert_get(a, node, "/node_id"), convert_get(a, total_of(a, trace, 0), "/node_id"));
	CHECK(total_of(a, back, 1).p == NULL);
	CHECK_AT(summary_of(a, back), "/total_tokens/input", "170");
}
