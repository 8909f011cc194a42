#include "dialect/agent_trace/trace_row.h"

#include <stdio.h>

#include "harness/test.h"

#define HEAD "\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"n\","
#define TIMES "\"timestamp_start\":10.5,\"timestamp_end\":12.25,"

static struct trace_row read_row(const char *text, bool any_version)
{
	static struct json_parser *parser;
	static struct arena a;
	struct trace_row r;
	struct val v;

	if (!parser) {
		parser = json_parser_open((struct json_options){ .allow_duplicates = true });
		arena_init(&a);
	}
	CHECK(json_parse_copy(parser, str_from(text), &v, NULL));
	trace_row_read(&r, &a, v, any_version);
	return r;
}

TEST(a_model_call_is_read_with_its_figures)
{
	struct trace_row r = read_row(
		"{" HEAD TIMES "\"parent_node_ids\":[\"p\",\"q\"],\"kind\":\"model_call\",\"framework\":\"raw_openai\","
		"\"agent_id\":\"a1\",\"inferred\":true,\"model_call\":{\"model\":\"m\",\"input_tokens\":7,\"output_tokens\":0,"
		"\"input_tokens_source\":\"api\",\"output_tokens_source\":\"estimated\",\"ttft_seconds\":0.5,\"latency_seconds\":1.75,"
		"\"stop_reason\":\"error\",\"cache_read_tokens\":3,\"reasoning_tokens\":0,\"estimated_cost_usd\":0.25,\"partial\":true}}",
		false);

	CHECK_INT(r.type, TRACE_ROW_NODE);
	CHECK_INT(r.kind, AT_MODEL_CALL);
	CHECK_INT(r.from_us, 10500000);
	CHECK_INT(r.to_us, 12250000);
	CHECK_STR(r.trace, STR("t"));
	CHECK_STR(r.id, STR("n"));
	CHECK_STR(r.parent, STR("p"));
	CHECK_INT(r.parent_count, 2);
	CHECK_STR(r.agent, STR("a1"));
	CHECK_STR(r.framework, STR("raw_openai"));
	CHECK_STR(r.model, STR("m"));
	CHECK(r.usage.input.n == 7 && r.usage.input.source == FIGURE_API);
	CHECK(figure_is_known(r.usage.output) && r.usage.output.source == FIGURE_ESTIMATED);
	CHECK(r.usage.cache_read.n == 3 && !figure_is_known(r.usage.cache_write));
	CHECK(figure_is_known(r.usage.reasoning) && r.usage.reasoning.n == 0);
	CHECK(r.latency == 1.75 && r.ttft == 0.5 && r.usd.n == 0.25);
	CHECK(r.failed && r.partial && r.inferred && !r.total_only);
	r = read_row("{" HEAD TIMES "\"kind\":\"model_call\",\"total_only\":true,\"model_call\":{}}", false);
	CHECK(r.total_only);
	r = read_row("{" HEAD TIMES "\"kind\":\"model_call\",\"model_call\":{\"inferred\":[\"stream\"]}}", false);
	CHECK_INT(r.length, TRACE_LENGTH_MEASURED); /* of something else */
	r = read_row("{" HEAD TIMES "\"kind\":\"model_call\",\"model_call\":{\"inferred\":[\"stream\",\"latency_seconds\"]}}", false);
	CHECK_INT(r.length, TRACE_LENGTH_ABOUT);
	r = read_row("{" HEAD TIMES "\"kind\":\"system\",\"total_only\":true}", false);
	CHECK(!r.total_only);
}

TEST(a_refused_answer_is_no_failed_call)
{
	static const char *const members[] = { "\"stop_reason\":\"error\"", "\"stop_reason\":\"error\",\"refused\":false",
					       "\"stop_reason\":\"error\",\"refused\":true" };

	for (size_t i = 0; i < COUNT(members); i++) {
		char text[512];

		snprintf(text, sizeof(text), "{" HEAD TIMES "\"kind\":\"model_call\",\"model_call\":{\"model\":\"m\",%s}}",
			 members[i]);
		CHECK_INT(read_row(text, false).failed, i < 2);
	}
}

TEST(a_tool_call_and_a_branch_are_read)
{
	struct trace_row r = read_row("{" HEAD TIMES "\"kind\":\"tool_call\",\"tool_call\":{\"name\":\"grep\",\"wall_time_seconds\":1.5,"
				      "\"stall_seconds\":0,\"is_external\":true}}", false);

	CHECK(r.type == TRACE_ROW_NODE && r.kind == AT_TOOL_CALL && r.wall == 1.5 && r.stall == 0 && r.external);
	CHECK_STR(r.tool, STR("grep"));
	r = read_row("{" HEAD TIMES "\"kind\":\"branch\",\"branch\":{\"branch_kind\":\"fan_out\",\"siblings\":[\"a\",\"b\"]}}", false);
	CHECK(r.type == TRACE_ROW_NODE && r.kind == AT_BRANCH && r.siblings == 2);
	CHECK_STR(r.branch, STR("fan_out"));
}

TEST(a_summary_is_read)
{
	struct trace_row r = read_row(
		"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\",\"trace_id\":\"t\",\"started_at\":\"1970-01-01T00:00:10.500Z\","
		"\"completed_at\":\"1970-01-01T00:00:12Z\",\"total_seconds\":1.5,\"exit_status\":\"error\",\"error_message\":\"child exited 3\","
		"\"engine\":\"vllm\",\"rig_label\":\"h100\",\"estimated_cost_usd\":2}", false);

	CHECK_INT(r.type, TRACE_ROW_SUMMARY);
	CHECK(r.from_us == 10500000 && r.to_us == 12000000 && r.total == 1.5 && r.usd.n == 2);
	CHECK_STR(r.exit_status, STR("error"));
	CHECK_STR(r.error, STR("child exited 3"));
	CHECK_STR(r.engine, STR("vllm"));
	CHECK_STR(r.rig, STR("h100"));
}

TEST(what_is_missing_is_not_known)
{
	struct trace_row r = read_row("{" HEAD TIMES "\"kind\":\"model_call\",\"model_call\":{\"latency_seconds\":-1,\"input_tokens\":-5,"
				      "\"output_tokens\":1.5,\"ttft_seconds\":\"x\"}}", false);

	CHECK(r.type == TRACE_ROW_NODE && r.latency < 0 && r.ttft < 0 && !r.model.p && !usage_is_known(&r.usage));
	r = read_row("{" HEAD "\"timestamp_start\":12,\"timestamp_end\":10,\"kind\":\"tool_call\",\"tool_call\":[]}", false);
	CHECK(r.type == TRACE_ROW_NODE && r.from_us == r.to_us && r.wall < 0 && r.stall < 0 && !r.tool.p);
	r = read_row("{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\",\"started_at\":\"yesterday\"}", false);
	CHECK(r.type == TRACE_ROW_SUMMARY && r.from_us == 0 && r.to_us == 0 && r.total < 0 && !r.exit_status.p);
}

TEST(what_says_neither_what_nor_when_is_of_no_use)
{
	static const struct {
		const char *text;
		enum trace_row_type strict, any;
	} cases[] = {
		{ "7", TRACE_ROW_OTHER, TRACE_ROW_OTHER },
		{ "{}", TRACE_ROW_OTHER, TRACE_ROW_OTHER },
		{ "{" HEAD "\"kind\":\"model_call\"}", TRACE_ROW_OTHER, TRACE_ROW_OTHER },
		{ "{" HEAD TIMES "\"kind\":\"dance\"}", TRACE_ROW_OTHER, TRACE_ROW_OTHER },
		{ "{" HEAD TIMES "\"kind\":7}", TRACE_ROW_OTHER, TRACE_ROW_OTHER },
		{ "{" HEAD "\"timestamp_start\":1,\"timestamp_end\":1e300,\"kind\":\"system\"}", TRACE_ROW_OTHER, TRACE_ROW_OTHER },
		{ "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"party\"}", TRACE_ROW_OTHER, TRACE_ROW_OTHER },
		{ "{\"schema_version\":\"agent-trace/v2\",\"event_type\":\"summary\"}", TRACE_ROW_VERSION, TRACE_ROW_SUMMARY },
		{ "{\"schema_version\":\"agent-trace/v2\",\"event_type\":\"node\"," TIMES "\"kind\":\"system\"}", TRACE_ROW_VERSION,
		  TRACE_ROW_NODE },
		{ "{\"schema_version\":\"agent-trace/v2\"}", TRACE_ROW_OTHER, TRACE_ROW_OTHER },
		{ "{\"event_type\":\"node\"," TIMES "\"kind\":\"system\"}", TRACE_ROW_VERSION, TRACE_ROW_NODE },
		{ "{\"schema_version\":1,\"event_type\":\"node\"," TIMES "\"kind\":\"system\"}", TRACE_ROW_VERSION, TRACE_ROW_NODE },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(read_row(cases[i].text, false).type, cases[i].strict);
		CHECK_INT(read_row(cases[i].text, true).type, cases[i].any);
	}
	CHECK_STR(read_row(cases[7].text, true).version, STR("agent-trace/v2"));
	CHECK_STR(read_row(cases[10].text, true).version, STR(""));
	CHECK(read_row(cases[10].text, false).version.p && !read_row("{}", false).version.p);
}

TEST(the_layers_that_saw_a_node_are_read_and_other_words_are_not)
{
	static const struct {
		const char *known_by;
		unsigned layers;
	} cases[] = {
		{ "[\"mcp\",\"proxy\"]", 1u << SIGHT_MCP | 1u << SIGHT_PROXY },
		{ "\"otlp\"", 1u << SIGHT_OTLP },
		{ "[\"shell\",\"shell\",\"a friend\",7,null]", 1u << SIGHT_SHELL },
		{ "{\"proxy\":\"hook\"}", 0 },
		{ "null", 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[512];

		snprintf(text, sizeof(text), "{" HEAD TIMES "\"kind\":\"user_input\",\"known_by\":%s}", cases[i].known_by);
		CHECK_INT(read_row(text, false).layers, cases[i].layers);
	}
}
