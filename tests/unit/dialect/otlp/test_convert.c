#include "dialect/otlp/read.h"

#include "unit/dialect/otlp_feed.h"

#define ONE(name, attributes, more) OTLP_DOCUMENT(OTLP_SPAN_OF(OTLP_TRACE, "1", "0", name, "01", "03", attributes, more))
#define TOOL OTLP_S("gen_ai.operation.name", "execute_tool") "," OTLP_S("gen_ai.tool.name", "t")

TEST(tokens_are_found_in_every_spelling)
{
	static const char *const cases[] = {
		OTLP_I("gen_ai.usage.input_tokens", 9) "," OTLP_I("gen_ai.usage.output_tokens", 4) ","
		OTLP_I("gen_ai.usage.cache_read.input_tokens", 3) "," OTLP_I("gen_ai.usage.cache_creation.input_tokens", 2) ","
		OTLP_I("gen_ai.usage.reasoning.output_tokens", 1),
		OTLP_I("gen_ai.usage.prompt_tokens", 9) "," OTLP_I("gen_ai.usage.completion_tokens", 4) ","
		OTLP_I("gen_ai.usage.cache_read_input_tokens", 3) "," OTLP_I("gen_ai.usage.cache_creation_input_tokens", 2) ","
		OTLP_I("gen_ai.usage.reasoning_tokens", 1),
		OTLP_I("llm.token_count.prompt", 9) "," OTLP_I("llm.token_count.completion", 4) ","
		OTLP_I("llm.token_count.prompt_details.cache_read", 3) ","
		OTLP_I("llm.token_count.prompt_details.cache_write", 2) ","
		OTLP_I("llm.token_count.completion_details.reasoning", 1),
		/* a number, and both spellings at once: counted once */
		"{\"key\":\"gen_ai.usage.input_tokens\",\"value\":{\"intValue\":9}}," OTLP_I("gen_ai.usage.prompt_tokens", 9) ","
		OTLP_I("gen_ai.usage.output_tokens", 4) "," OTLP_I("gen_ai.usage.cache_read.input_tokens", 3) ","
		OTLP_I("gen_ai.usage.cache_write.input_tokens", 2) "," OTLP_I("gen_ai.usage.details.reasoning_tokens", 1),
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out = otlp_convert(arena_printf(&otlp_arena, ONE("x", "%s", ""), cases[i]).p);
		struct convert_figures f = convert_count(out);

		test_case("%s", cases[i]);
		CHECK_INT(f.input_total, 9);
		CHECK_INT(f.output_total, 4);
		CHECK_INT(f.cache_read, 3);
		CHECK_INT(f.cache_write, 2);
		CHECK_INT(f.reasoning, 1);
	}
}

TEST(a_zero_is_known_and_nothing_is_not)
{
	struct convert_figures f = convert_count(otlp_convert(ONE("x", OTLP_CHAT(0, 0), "")));

	CHECK_INT(f.input_total, 0);
	CHECK_INT(f.cache_read, -1);
	CHECK_INT(convert_count(otlp_convert(ONE("x", OTLP_S("gen_ai.operation.name", "chat"), ""))).input_total, -1);
}

/* The conventions want cached tokens inside input; where the parts are larger than the whole, they were not. */
TEST(cached_tokens_that_exceed_the_input_are_added_to_it)
{
	struct str out = otlp_convert(ONE("x",
		OTLP_CHAT(4, 7) "," OTLP_I("gen_ai.usage.cache_read.input_tokens", 100) ","
		OTLP_I("gen_ai.usage.cache_creation.input_tokens", 20), ""));

	CHECK_INT(convert_count(out).input_total, 124);
	CHECK_STR(otlp_get(out, "model_step", 0, "/usage/source"), STR("mixed"));
	CHECK_STR(otlp_get(out, "model_step", 0, "/usage/estimated/0"), STR("input_tokens"));
	CHECK(otlp_get(out, "model_step", 0, "/usage/estimated/1").p == NULL);
	out = otlp_convert(ONE("x", OTLP_CHAT(4, 7) "," OTLP_I("gen_ai.usage.cache_read.input_tokens", 3), ""));
	CHECK_STR(otlp_get(out, "model_step", 0, "/usage/source"), STR("api"));
}

/* As SDKs write them when they give structures and not texts. */
#define WRAP(key, inside) "{\"key\":\"" key "\",\"value\":{" inside "}}"
TEST(messages_and_arguments_are_found_in_wrapped_structures)
{
	struct str out = otlp_convert(ONE("chat m", OTLP_CHAT(1, 2) ","
		WRAP("gen_ai.output.messages", "\"arrayValue\":{\"values\":[{\"kvlistValue\":{\"values\":["
		OTLP_S("role", "assistant") "," WRAP("parts", "\"arrayValue\":{\"values\":[{\"kvlistValue\":{\"values\":["
		OTLP_S("type", "text") "," OTLP_S("content", "hello") "]}}]}") "]}}]}"), ""));

	CHECK_STR(otlp_get(out, "model_step", 0, "/text"), STR("hello"));
	out = otlp_convert(ONE("t", TOOL "," WRAP("gen_ai.tool.call.arguments", "\"kvlistValue\":{\"values\":["
						  OTLP_I("n", 5) "]}"), ""));
	CHECK_STR(otlp_get(out, "tool_call", 0, "/args/n"), STR("5"));
}

TEST(tools_that_were_offered_are_those_of_the_run)
{
	struct str out = otlp_convert(ONE("chat m", OTLP_CHAT(1, 2) ","
		OTLP_S("gen_ai.tool.definitions", "[{\\\"name\\\":\\\"t\\\"}]"), ""));

	CHECK_STR(otlp_get(out, "run_start", 0, "/tools/0/name"), STR("t"));
}

TEST(a_step_tells_what_its_span_tells)
{
	struct str out = otlp_convert(ONE("chat m",
		OTLP_CHAT(1, 2) "," OTLP_S("gen_ai.response.model", "m-2") "," OTLP_S("gen_ai.response.id", "r1") ","
		OTLP_S("gen_ai.provider.name", "openai") "," OTLP_S("server.address", "h") "," OTLP_I("server.port", 8443) ","
		"{\"key\":\"gen_ai.response.finish_reasons\",\"value\":{\"arrayValue\":{\"values\":[{\"stringValue\":\"stop\"}]}}},"
		"{\"key\":\"gen_ai.response.time_to_first_chunk\",\"value\":{\"doubleValue\":0.25}}", ""));

	CHECK_STR(otlp_get(out, "model_step", 0, "/model"), STR("m-2"));
	CHECK_STR(otlp_get(out, "model_step", 0, "/step_id"), STR("r1"));
	CHECK_STR(otlp_get(out, "model_step", 0, "/provider"), STR("openai"));
	CHECK_STR(otlp_get(out, "model_step", 0, "/stop_reason"), STR("stop"));
	CHECK_STR(otlp_get(out, "model_step", 0, "/latency_ms"), STR("2000"));
	CHECK_STR(otlp_get(out, "model_step", 0, "/ttft_ms"), STR("250"));
	CHECK(str_find(convert_record(out, "model_step", 0), STR("\"h:8443\"")) != (size_t)-1);
}

TEST(arguments_and_results_are_found_in_every_spelling)
{
	static const char *const cases[] = {
		TOOL "," OTLP_S("gen_ai.tool.call.arguments", "{\\\"a\\\": 1}") "," OTLP_S("gen_ai.tool.call.result", "done"),
		OTLP_S("openinference.span.kind", "TOOL") "," OTLP_S("tool.name", "t") ","
		OTLP_S("input.value", "{\\\"a\\\": 1}") "," OTLP_S("output.value", "done"),
		OTLP_S("traceloop.span.kind", "tool") "," OTLP_S("traceloop.entity.name", "t") ","
		OTLP_S("traceloop.entity.input", "{\\\"a\\\": 1}") "," OTLP_S("traceloop.entity.output", "done"),
		TOOL "," OTLP_S("gcp.vertex.agent.tool_call_args", "{\\\"a\\\": 1}") ","
		OTLP_S("gcp.vertex.agent.tool_response", "done"),
		OTLP_S("ai.operationId", "ai.toolCall") "," OTLP_S("ai.toolCall.name", "t") ","
		OTLP_S("ai.toolCall.args", "{\\\"a\\\": 1}") "," OTLP_S("ai.toolCall.result", "done"),
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out = otlp_convert(arena_printf(&otlp_arena, ONE("x", "%s", ""), cases[i]).p);

		test_case("%s", cases[i]);
		CHECK_STR(otlp_get(out, "tool_call", 0, "/tool"), STR("tool://otlp-json/t"));
		CHECK_STR(otlp_get(out, "tool_call", 0, "/args/a"), STR("1"));
		CHECK_STR(otlp_get(out, "tool_result", 0, "/result"), STR("done"));
		CHECK_STR(otlp_get(out, "tool_result", 0, "/is_error"), STR("false"));
		CHECK_STR(otlp_get(out, "tool_result", 0, "/duration_ms"), STR("2000"));
	}
}

TEST(arguments_that_are_not_told_are_null_and_those_that_are_no_json_a_text)
{
	struct str out = otlp_convert(ONE("execute_tool", TOOL, ""));

	CHECK_STR(otlp_get(out, "tool_call", 0, "/args"), STR("null"));
	CHECK_STR(otlp_get(out, "tool_call", 0, "/call_id"), STR(OTLP_ID("1")));
	CHECK(otlp_get(out, "tool_result", 0, "/result").p == NULL);
	out = otlp_convert(ONE("x", TOOL "," OTLP_S("gen_ai.tool.call.arguments", "ls -l"), ""));
	CHECK_STR(otlp_get(out, "tool_call", 0, "/args"), STR("ls -l"));
	CHECK_STR(otlp_get(out, "tool_call", 0, "/args_encoding"), STR("raw"));
}

/* Ruling 13. */
TEST(a_tool_span_with_an_error_is_a_result_that_is_an_error)
{
	struct str out = otlp_convert(ONE("execute_tool t", TOOL, OTLP_FAILED));

	CHECK_STR(otlp_order(out), STR("<cr>"));
	CHECK_STR(otlp_get(out, "tool_result", 0, "/is_error"), STR("true"));
	CHECK_STR(otlp_get(out, "tool_result", 0, "/result"), STR("it broke"));
}

TEST(a_failed_step_is_a_step_and_an_error)
{
	struct str out = otlp_convert(ONE("chat m", OTLP_CHAT(1, 0) "," OTLP_S("error.type", "timeout"), OTLP_FAILED));

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_STR(otlp_get(out, "model_step", 0, "/stop_reason"), STR("error"));
	CHECK_STR(otlp_get(out, "error", 0, "/class"), STR("model"));
	CHECK_STR(otlp_get(out, "error", 0, "/code"), STR("timeout"));
	CHECK_STR(otlp_get(out, "error", 0, "/message"), STR("it broke"));
}

TEST(retrieval_and_embeddings_are_calls_of_a_retriever)
{
	struct str out = otlp_convert(ONE("retrieval docs",
		OTLP_S("gen_ai.operation.name", "retrieval") "," OTLP_S("gen_ai.data_source.id", "docs") ","
		OTLP_S("gen_ai.retrieval.query.text", "a \\\"b\\\"") "," OTLP_S("gen_ai.retrieval.documents", "[]"), ""));

	CHECK_STR(otlp_get(out, "tool_call", 0, "/tool"), STR("tool://otlp-json/retriever%2Fdocs"));
	CHECK_STR(otlp_get(out, "tool_call", 0, "/args/query"), STR("a \"b\""));
	CHECK_STR(otlp_get(out, "tool_result", 0, "/result"), STR("[]"));
	out = otlp_convert(ONE("embeddings e", OTLP_S("gen_ai.operation.name", "embeddings") ","
			       OTLP_S("gen_ai.request.model", "e") "," OTLP_I("gen_ai.usage.input_tokens", 8), ""));
	CHECK_STR(otlp_get(out, "tool_call", 0, "/tool"), STR("tool://otlp-json/retriever%2Fe"));
	CHECK_INT(convert_count(out).model_steps, 0);
	CHECK_INT(convert_count(out).input_total, 8);
}

TEST(a_tool_span_that_never_ended_has_no_result)
{
	struct str out = otlp_convert("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"" OTLP_TRACE "\",\"spanId\":\""
				      OTLP_ID("1") "\",\"name\":\"t\"," OTLP_TIME("start", "01") ",\"attributes\":[" TOOL "]}]}]}]}");

	CHECK_INT(convert_count(out).tool_results, 0);
	CHECK_INT(convert_count(out).orphan_calls, 1);
	CHECK_STR(otlp_get(out, "run_end", 0, "/status"), STR("interrupted"));
}

TEST(big_integers_keep_their_digits)
{
	struct str out = otlp_convert("[{\"trace_id\":\"t\",\"span_id\":\"1\",\"name\":\"x\",\"start_time\":1700000000000000001,"
				      "\"attributes\":{\"n\":9007199254740993}}]");

	CHECK(str_find(out, STR("\"n\":\"9007199254740993\"")) != (size_t)-1);
	CHECK(str_find(out, STR("\"start_time\":\"1700000000000000001\"")) != (size_t)-1);
	CHECK(str_find(out, STR("\"bigint\"")) != (size_t)-1);
}
