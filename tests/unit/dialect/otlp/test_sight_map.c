/* What spans of every dialect are seen as, in protobuf and JSON alike. */
#include "unit/dialect/otlp_sight_feed.h"

#define B(key, truth) "{\"key\":\"" key "\",\"value\":{\"boolValue\":" truth "}}"
#define D(key, number) "{\"key\":\"" key "\",\"value\":{\"doubleValue\":" number "}}"
#define A(key, text) "{\"key\":\"" key "\",\"value\":{\"arrayValue\":{\"values\":[{\"stringValue\":\"" text "\"}]}}}"
#define S OTLP_S
#define I OTLP_I
#define NO_IDS "}"

struct map_case {
	const char *what, *name, *attributes, *seen;
};

static void check_cases(const struct map_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		test_case("%s", cases[i].what);
		CHECK_STR(sight_of_span(cases[i].name, cases[i].attributes), str_from(cases[i].seen));
	}
}

TEST(calls_of_models_in_every_dialect)
{
	static const struct map_case cases[] = {
		{ "GenAI 1.41", "chat m",
		  S("gen_ai.operation.name", "chat") "," S("gen_ai.provider.name", "openai") ","
		  S("gen_ai.request.model", "m") "," S("gen_ai.response.model", "m-2") ","
		  S("gen_ai.response.id", "chatcmpl-1") "," A("gen_ai.response.finish_reasons", "stop") ","
		  I("gen_ai.usage.input_tokens", 40) "," I("gen_ai.usage.output_tokens", 11) ","
		  I("gen_ai.usage.cache_read.input_tokens", 30) "," I("gen_ai.usage.cache_creation.input_tokens", 5) ","
		  I("gen_ai.usage.reasoning.output_tokens", 4) "," B("gen_ai.request.stream", "true") ","
		  D("gen_ai.response.time_to_first_chunk", "0.000001") "," S("server.address", "api.openai.com") ","
		  I("server.port", 443),
		  "\"model\",\"response_id\":\"chatcmpl-1\",\"model\":\"m-2\",\"provider\":\"openai\","
		  "\"endpoint\":\"api.openai.com:443\",\"stop_reason\":\"stop\",\"stream\":true,\"input\":40,\"output\":11,"
		  "\"cache_read\":30,\"cache_write\":5,\"reasoning\":4,\"ttft_ns\":1000" NO_IDS },
		{ "the newer names", "chat m",
		  S("gen_ai.operation.name", "generate_content") "," I("gen_ai.usage.input_tokens", 9) ","
		  I("gen_ai.usage.cache_write.input_tokens", 2),
		  "\"model\",\"input\":9,\"cache_write\":2" NO_IDS },
		{ "legacy", "openai.chat",
		  S("gen_ai.system", "openai") "," S("llm.request.type", "chat") "," S("gen_ai.request.model", "m") ","
		  I("gen_ai.usage.prompt_tokens", 7) "," I("gen_ai.usage.completion_tokens", 3) ","
		  B("llm.is_streaming", "true"),
		  "\"model\",\"model\":\"m\",\"provider\":\"openai\",\"stream\":true,\"input\":7,\"output\":3" NO_IDS },
		{ "parts that are larger than the whole are apart from it", "chat m",
		  S("gen_ai.operation.name", "chat") "," I("gen_ai.usage.input_tokens", 3) ","
		  I("gen_ai.usage.cache_read_input_tokens", 90) "," I("gen_ai.usage.cache_creation_input_tokens", 7),
		  "\"model\",\"input\":100,\"cache_read\":90,\"cache_write\":7" NO_IDS },
		{ "OpenInference", "ChatCompletion",
		  S("openinference.span.kind", "LLM") "," S("llm.model_name", "m") "," S("llm.system", "anthropic") ","
		  I("llm.token_count.prompt", 20) "," I("llm.token_count.completion", 6) ","
		  I("llm.token_count.prompt_details.cache_read", 8) "," S("llm.finish_reason", "tool_calls") ","
		  D("llm.cost.total", "0.25") "," S("llm.output_messages.0.message.role", "assistant") ","
		  S("llm.output_messages.0.message.tool_calls.0.tool_call.id", "call_b") ","
		  S("llm.input_messages.0.message.role", "tool") ","
		  S("llm.input_messages.0.message.tool_call_id", "call_a") "," S("input.value", "CANARY"),
		  "\"model\",\"model\":\"m\",\"provider\":\"anthropic\",\"stop_reason\":\"tool_calls\",\"input\":20,"
		  "\"output\":6,\"cache_read\":8,\"usd\":0.25,\"calls\":[\"call_b\"],\"results\":[\"call_a\"]}" },
		{ "OpenLLMetry", "openai.chat",
		  S("llm.request.type", "chat") "," S("gen_ai.response.id", "r1") "," I("llm.usage.prompt_tokens", 5) ","
		  I("llm.usage.completion_tokens", 1) "," S("gen_ai.completion.0.tool_calls.0.id", "call_x") ","
		  S("gen_ai.prompt.0.role", "user") "," S("gen_ai.prompt.0.content", "CANARY"),
		  "\"model\",\"response_id\":\"r1\",\"input\":5,\"output\":1,\"calls\":[\"call_x\"]}" },
		{ "Vercel's AI SDK", "ai.streamText.doStream",
		  S("ai.operationId", "ai.streamText.doStream") "," S("ai.model.provider", "openai.chat") ","
		  S("ai.model.id", "m") "," I("ai.usage.promptTokens", 5) "," I("ai.usage.completionTokens", 2) ","
		  S("ai.response.id", "r2") "," D("ai.response.msToFirstChunk", "1.5") ","
		  S("ai.response.toolCalls", "[{\\\"toolCallId\\\":\\\"c1\\\",\\\"toolName\\\":\\\"t\\\"}]"),
		  "\"model\",\"response_id\":\"r2\",\"model\":\"m\",\"provider\":\"openai\",\"stream\":true,\"input\":5,"
		  "\"output\":2,\"ttft_ns\":1500000,\"calls\":[\"c1\"]}" },
		{ "Logfire", "Chat Completion with 'm'",
		  S("gen_ai.system", "openai") "," I("gen_ai.usage.input_tokens", 5) "," D("operation.cost", "0.5") ","
		  S("request_data", "{\\\"messages\\\":[{\\\"role\\\":\\\"tool\\\",\\\"tool_call_id\\\":\\\"c1\\\",\\\"content\\\":"
				    "\\\"CANARY\\\"}]}") ","
		  S("response_data", "{\\\"message\\\":{\\\"role\\\":\\\"assistant\\\",\\\"tool_calls\\\":[{\\\"id\\\":\\\"c2\\\"}]}}"),
		  "\"model\",\"provider\":\"openai\",\"input\":5,\"usd\":0.5,\"calls\":[\"c2\"],\"results\":[\"c1\"]}" },
		{ "embeddings are calls, as for the proxy", "embeddings m",
		  S("gen_ai.operation.name", "embeddings") "," I("gen_ai.usage.input_tokens", 5),
		  "\"model\",\"input\":5" NO_IDS },
		{ "Claude Code: parts apart", "claude_code.llm_request",
		  S("model", "claude-x") "," S("gen_ai.system", "anthropic") "," S("gen_ai.response.id", "req_1") ","
		  I("input_tokens", 2) "," I("output_tokens", 9) "," I("cache_read_tokens", 80) ","
		  I("cache_creation_tokens", 20) "," I("ttft_ms", 21) "," B("success", "false") "," S("agent_id", "a1"),
		  "\"model\",\"failed\":true,\"response_id\":\"req_1\",\"model\":\"claude-x\",\"provider\":\"anthropic\","
		  "\"input\":102,\"output\":9,\"cache_read\":80,\"cache_write\":20,\"ttft_ns\":21000000" NO_IDS },
	};

	check_cases(cases, COUNT(cases));
}

TEST(tools_in_every_dialect)
{
	static const struct map_case cases[] = {
		{ "GenAI", "execute_tool weather",
		  S("gen_ai.operation.name", "execute_tool") "," S("gen_ai.tool.name", "weather") ","
		  S("gen_ai.tool.call.id", "call_1") "," S("gen_ai.tool.call.result", "{\\\"a\\\":\\\"CANARY\\\"}"),
		  "\"tool_end\",\"call\":\"call_1\",\"name\":\"weather\",\"size\":14,\"result_kind\":\"json\"" NO_IDS },
		{ "by the span's name", "execute_tool weather", S("gen_ai.operation.name", "execute_tool"),
		  "\"tool_end\",\"name\":\"weather\"" NO_IDS },
		{ "pydantic-ai before 2", "running tool", S("gen_ai.tool.name", "weather") "," S("gen_ai.tool.call.id", "c1"),
		  "\"tool_end\",\"call\":\"c1\",\"name\":\"weather\"" NO_IDS },
		{ "that failed", "t", S("gen_ai.operation.name", "execute_tool") "," S("error.type", "tool_error"),
		  "\"tool_end\",\"failed\":true" NO_IDS },
		{ "OpenInference", "weather",
		  S("openinference.span.kind", "TOOL") "," S("tool.name", "weather") "," S("tool.id", "c1") ","
		  S("output.value", "rain"),
		  "\"tool_end\",\"call\":\"c1\",\"name\":\"weather\",\"size\":4,\"result_kind\":\"text\"" NO_IDS },
		{ "OpenLLMetry", "weather.tool",
		  S("traceloop.span.kind", "tool") "," S("traceloop.entity.name", "weather") ","
		  S("traceloop.entity.output", "CANARY"),
		  "\"tool_end\",\"name\":\"weather\"" NO_IDS },
		{ "MCP", "tools/call search",
		  S("mcp.method.name", "tools/call") "," S("gen_ai.tool.name", "search") "," S("mcp.server.name", "github"),
		  "\"tool_end\",\"name\":\"search\",\"server\":\"github\"" NO_IDS },
		{ "Vercel's AI SDK", "ai.toolCall",
		  S("ai.operationId", "ai.toolCall") "," S("ai.toolCall.name", "t") "," S("ai.toolCall.id", "c1"),
		  "\"tool_end\",\"call\":\"c1\",\"name\":\"t\"" NO_IDS },
		{ "Claude Code", "claude_code.tool", S("tool_name", "Bash") "," S("tool_use_id", "toolu_1"),
		  "\"tool_end\",\"call\":\"toolu_1\",\"name\":\"Bash\"" NO_IDS },
		{ "a name with arguments in it", "t",
		  S("gen_ai.operation.name", "execute_tool") "," S("gen_ai.tool.name", "bash(rm -rf CANARY)"),
		  "\"tool_end\",\"name\":\"bash\"" NO_IDS },
	};

	check_cases(cases, COUNT(cases));
}

TEST(all_else_is_only_a_place)
{
	static const char *const attributes[] = {
		"", S("http.request.method", "POST") "," S("url.full", "https://x/CANARY"),
		S("gen_ai.operation.name", "invoke_agent") "," I("gen_ai.usage.input_tokens", 5),
		S("gen_ai.operation.name", "invoke_workflow"), S("gen_ai.operation.name", "retrieval"),
		S("openinference.span.kind", "CHAIN"), S("openinference.span.kind", "AGENT"), S("traceloop.span.kind", "workflow"),
		S("traceloop.span.kind", "task"), S("mcp.method.name", "tools/list"),
		S("ai.operationId", "ai.generateText") "," I("ai.usage.promptTokens", 5),
	};

	for (size_t i = 0; i < COUNT(attributes); i++) {
		test_case("%s", attributes[i]);
		CHECK_STR(sight_of_span("x", attributes[i]), STR("\"span\"" NO_IDS));
	}
	CHECK_STR(sight_of_span("claude_code.interaction", S("user_prompt", "CANARY")), STR("\"span\"" NO_IDS));
	CHECK_STR(sight_of_span("claude_code.tool.blocked_on_user", S("source", "user_temporary")), STR("\"span\"" NO_IDS));
}

#define CLAUDE(id, parent, name, from, to, attributes) OTLP_SPAN(id, parent, "claude_code." name, from, to, attributes)

#define WAIT CLAUDE("1", "3", "tool.blocked_on_user", "01", "03", S("source", "user_temporary") "," I("duration_ms", 2000))
#define RAN CLAUDE("2", "3", "tool.execution", "03", "04", I("duration_ms", 500) "," S("tool_use_id", "toolu_1"))
#define RAN_LATE CLAUDE("2", "3", "tool.execution", "03", "05", I("duration_ms", 500)) /* clocks are uneven */
#define BASH CLAUDE("3", "0", "tool", "01", "04", S("tool_name", "Bash") "," S("tool_use_id", "toolu_1"))

/* A person was asked for two seconds, and the tool ran for half a second: in one request, in several, and sent again. */
TEST(waits_of_claude_code_are_of_the_tool_around_them)
{
	static const struct { const char *bodies[4]; size_t count, before; } cases[] = {
		{ { OTLP_DOCUMENT(WAIT "," RAN "," BASH) }, 1, 2 },
		{ { OTLP_DOCUMENT(WAIT), OTLP_DOCUMENT(RAN), OTLP_DOCUMENT(BASH) }, 3, 2 },
		{ { OTLP_DOCUMENT(BASH "," RAN_LATE "," WAIT) }, 1, 1 },
		{ { OTLP_DOCUMENT(WAIT), OTLP_DOCUMENT(WAIT), OTLP_DOCUMENT(RAN "," BASH) }, 3, 3 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str line, lines = sight_lines_of(OTLP_TRACES, cases[i].bodies, cases[i].count);

		test_case("%zu", i);
		CHECK(str_count(lines, '\n') >= cases[i].before + 2);
		for (size_t n = 0; n < cases[i].before; n++)
			CHECK(str_has(str_cut(lines, '\n', &lines), STR("\"kind\":\"span\"")));
		line = str_cut(lines, '\n', &lines);
		CHECK(str_has(line, STR("\"kind\":\"wait_end\"")));
		CHECK(str_has(line, STR("\"begun_ns\":1700000001000000000,\"ended_ns\":1700000003000000000")));
		CHECK(str_has(line, STR("\"call\":\"toolu_1\",\"name\":\"Bash\"")));
		line = str_cut(lines, '\n', &lines);
		CHECK(str_has(line, STR("\"kind\":\"tool_end\"")));
		CHECK(str_has(line, STR("\"wall_ns\":500000000")));
		CHECK(!str_has(line, STR("parent_span"))); /* zeros are no parent */
	}
}

TEST(what_decides_without_a_person_is_no_wait)
{
	CHECK(!str_has(sight_lines(OTLP_TRACES, OTLP_DOCUMENT(
		CLAUDE("1", "3", "tool.blocked_on_user", "01", "03", S("source", "config")) "," BASH)), STR("wait_end")));
}

TEST(the_context_comes_from_the_resource_and_the_scope)
{
	struct str lines = sight_lines(OTLP_TRACES,
		"{\"resourceSpans\":[{\"scopeSpans\":[{\"scope\":{\"name\":\"openinference.instrumentation.crewai\"},\"spans\":["
		OTLP_SPAN("1", "2", "x", "01", "02", S("session.id", "s1")) ","
		OTLP_SPAN("3", "2", "x", "01", "03", S("gen_ai.conversation.id", "c1")) "]}],"
		"\"resource\":{\"attributes\":[" S("agent_trace.run.id", "team/run 1") "," S("session.id", "s0") "]}},"
		"{\"resource\":{\"attributes\":[" S("service.name", "claude-code") "," S("service.version", "2.1.197") "]},"
		"\"scopeSpans\":[{\"spans\":[" OTLP_SPAN("4", "2", "x", "01", "04", "") "]}]}]}");

	CHECK_STR(str_cut(lines, '\n', &lines), STR(
		"{\"v\":\"sighting/1\",\"kind\":\"span\",\"layer\":\"otlp\",\"begun_ns\":1700000001000000000,"
		"\"ended_ns\":1700000002000000000,\"run\":\"team/run 1\",\"session\":\"s1\",\"framework\":\"crewai\","
		"\"trace\":\"0123456789abcdef0123456789abcdef\",\"span\":\"1111111111111111\","
		"\"parent_span\":\"2222222222222222\"" NO_IDS));
	CHECK(str_has(str_cut(lines, '\n', &lines), STR("\"session\":\"c1\"")));
	CHECK(str_has(lines, STR("\"framework\":\"claude_code\",\"framework_version\":\"2.1.197\"")));
	CHECK(!str_has(lines, STR("team/run 1")));
}

/* Whatever an attribute is called, what it holds is not told. */
TEST(no_content_passes)
{
	size_t count;
	const struct otlp_attr_name *names = otlp_attr_names(&count);
	static const char *const kinds[] = { "chat", "execute_tool", "invoke_agent" };

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < COUNT(kinds); k++) {
			struct str json = arena_printf(&otlp_arena, S("gen_ai.operation.name", "%s")
						       ",{\"key\":\"%.*s\",\"value\":{\"stringValue\":\"a CANARY of eight words, "
						       "said to the model by me\"}}", kinds[k], STR_ARG(names[i].key));

			test_case("%.*s", STR_ARG(names[i].key));
			if (!str_eq(names[i].key, STR("gen_ai.operation.name")))
				CHECK(!str_has(sight_of_span("CANARY", json.p), STR("CANARY")));
		}
	}
}
