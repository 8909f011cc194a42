/* Spans of the Vercel AI SDK, with the names that OpenInference adds to its own, in every form they come in. */
#include "harness/convert.h"
#include "harness/test.h"

static struct arena arena;

static struct str convert(const char *text)
{
	return convert_valid(&arena, NULL, str_from(text), "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

/* As the SDK's exporter to the console has them: an id, a time and a length in microseconds. */
static const char printed[] =
	"{\"resource\":{\"attributes\":{\"service.name\":\"demo\"}},\"instrumentationScope\":{\"name\":\""
	"ai\"},\"traceId\":\"bdc7902359284ad5957e02e30bed2b8f\",\"parentSpanContext\":{\"traceId\":\"bdc7"
	"902359284ad5957e02e30bed2b8f\",\"spanId\":\"220ac3e78e436288\",\"traceFlags\":1},\"name\":\"ai.s"
	"treamText.doStream f\",\"id\":\"37946552f8c4a189\",\"kind\":0,\"timestamp\":1794990985666000,\"d"
	"uration\":266518.637,\"attributes\":{\"ai.operationId\":\"ai.streamText.doStream\",\"ai.model.pr"
	"ovider\":\"openai.chat\",\"gen_ai.system\":\"openai.chat\",\"ai.response.text\":\"I look.\",\"ai"
	".response.reasoning\":\"hm\",\"ai.response.msToFirstChunk\":88.5,\"ai.response.id\":\"r1\",\"ai."
	"response.model\":\"m-1\",\"ai.response.finishReason\":\"tool-calls\",\"ai.usage.inputTokens\":10"
	"0,\"ai.usage.outputTokens\":20,\"ai.usage.cachedInputTokens\":64,\"ai.usage.reasoningTokens\":5,"
	"\"llm.output_messages.0.message.tool_calls.0.tool_call.id\":\"c1\",\"llm.input_messages.0.messag"
	"e.contents.0.message_content.type\":\"text\",\"llm.input_messages.0.message.contents.0.message_c"
	"ontent.text\":\"How is it\",\"llm.input_messages.0.message.contents.0.message_content.image\":nu"
	"ll,\"llm.input_messages.0.message.contents.1.message_content.text\":\"there?\",\"llm.input_messa"
	"ges.0.message.role\":\"user\",\"llm.model_name\":\"m\",\"llm.token_count.prompt\":100,\"llm.toke"
	"n_count.completion\":20,\"openinference.span.kind\":\"LLM\"},\"status\":{\"code\":1},\"events\":"
	"[],\"links\":[]}\n"
	"{\"traceId\":\"bdc7902359284ad5957e02e30bed2b8f\",\"parentId\":\"220ac3e78e436288\",\"name\":\"a"
	"i.toolCall f\",\"id\":\"cec0be42291e05a7\",\"kind\":0,\"timestamp\":1794990985970000,\"duration\""
	":595.5,\"attributes\":{\"ai.operationId\":\"ai.toolCall\",\"ai.toolCall.name\":\"weather\",\"ai."
	"toolCall.id\":\"c1\",\"ai.toolCall.args\":\"{\\\"city\\\":\\\"Rome\\\"}\",\"ai.toolCall.result\""
	":\"{\\\"t\\\":20}\",\"openinference.span.kind\":\"TOOL\"},\"status\":{\"code\":1},\"events\":[],"
	"\"links\":[]}\n"
	"{\"traceId\":\"bdc7902359284ad5957e02e30bed2b8f\",\"name\":\"ai.streamText f\",\"id\":\"220ac3e7"
	"8e436288\",\"kind\":0,\"timestamp\":1794990985660000,\"duration\":900000,\"attributes\":{\"ai.op"
	"erationId\":\"ai.streamText\",\"ai.usage.inputTokens\":100,\"ai.usage.outputTokens\":20,\"openin"
	"ference.span.kind\":\"AGENT\"},\"status\":{\"code\":1},\"events\":[],\"links\":[]}\n";

/* The spans themselves, with times in pairs. */
static const char kept[] =
	"[{\"_spanContext\":{\"traceId\":\"bdc7902359284ad5957e02e30bed2b8f\",\"spanId\":\"37946552f8c4a1"
	"89\",\"traceFlags\":1},\"name\":\"ai.generateText.doGenerate\",\"startTime\":[1794990985,6660000"
	"00],\"endTime\":[1794990985,932518637],\"attributes\":{\"ai.operationId\":\"ai.generateText.doGe"
	"nerate\",\"ai.usage.promptTokens\":100,\"ai.usage.completionTokens\":20,\"ai.usage.inputTokenDet"
	"ails.cacheReadTokens\":7,\"ai.usage.inputTokenDetails.cacheWriteTokens\":3,\"ai.usage.outputToke"
	"nDetails.reasoningTokens\":4,\"ai.result.text\":\"old\",\"ai.finishReason\":\"stop\",\"ai.model."
	"provider\":\"anthropic.messages\",\"openinference.span.kind\":\"LLM\"},\"status\":{\"code\":2,\""
	"message\":\"no\"},\"events\":[{\"name\":\"exception\",\"attributes\":{\"exception.message\":\"no"
	"\"},\"time\":[1794990985,900000000]}]},{\"traceId\":\"bdc7902359284ad5957e02e30bed2b8f\",\"spanI"
	"d\":\"37946552f8c4a18a\",\"parentSpanId\":\"37946552f8c4a189\",\"name\":\"ai.toolCall\",\"startT"
	"ime\":[1794990985,900000000],\"duration\":[0,2000000],\"attributes\":{\"ai.operationId\":\"ai.to"
	"olCall\",\"ai.toolCall.name\":\"t\",\"ai.toolCall.id\":\"c\"}}]\n";

TEST(spans_that_were_printed_are_a_run)
{
	struct str out = convert(printed);
	struct convert_figures n = convert_count(out);

	CHECK_INT(n.runs, 1);
	CHECK_INT(n.model_steps, 1);
	CHECK_INT(n.tool_calls, 1);
	CHECK_INT(n.tool_results, 1);
	CHECK_INT(n.input_total, 100);
	CHECK_INT(n.output_total, 20);
	CHECK_INT(n.cache_read, 64);
	CHECK_INT(n.reasoning, 5);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I look."));
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("hm"));
	CHECK_STR(get(out, "model_step", 0, "/request/messages/0/content"), STR("How is it\nthere?"));
	CHECK_STR(get(out, "model_step", 0, "/provider"), STR("openai"));
	CHECK_STR(get(out, "model_step", 0, "/model"), STR("m-1"));
	CHECK_STR(get(out, "model_step", 0, "/response_id"), STR("r1"));
	CHECK_STR(get(out, "model_step", 0, "/ttft_ms"), STR("88.5"));
	CHECK_STR(get(out, "model_step", 0, "/stream"), STR("true"));
	CHECK_STR(get(out, "model_step", 0, "/ts"), STR("2026-11-18T08:36:25.932518637Z"));
	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{\"city\":\"Rome\"}"));
	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("c1"));
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("0.5955"));
}

TEST(spans_that_were_kept_in_memory_are_a_run)
{
	struct str out = convert(kept);
	struct convert_figures n = convert_count(out);

	CHECK_INT(n.model_steps, 1);
	CHECK_INT(n.tool_calls, 1);
	CHECK_INT(n.input_total, 100);
	CHECK_INT(n.cache_read, 7);
	CHECK_INT(n.cache_write, 3);
	CHECK_INT(n.reasoning, 4);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("old"));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("stop"));
	CHECK_STR(get(out, "model_step", 0, "/provider"), STR("anthropic"));
	CHECK_STR(get(out, "model_step", 0, "/stream"), STR("false"));
	CHECK_STR(get(out, "model_step", 0, "/latency_ms"), STR("266.518637"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("no"));
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("2"));
}

TEST(what_is_written_of_them_is_otlp)
{
	struct str out = convert_text(&arena, NULL, str_from(printed), "otlp-json");

	CHECK(str_has(out, STR("\"spanId\":\"37946552f8c4a189\"")));
	CHECK(str_has(out, STR("\"parentSpanId\":\"220ac3e78e436288\"")));
	CHECK(str_has(out, STR("\"startTimeUnixNano\":\"1794990985666000000\"")));
}

TEST(a_pair_that_is_no_time_is_none)
{
	struct str out = convert("{\"spanContext\":{\"traceId\":\"a1\",\"spanId\":\"b2\"},\"name\":\"ai.toolCall\",\"startTime\":[1,-5],"
				 "\"attributes\":{\"ai.operationId\":\"ai.toolCall\",\"ai.toolCall.name\":\"t\"}}\n");

	CHECK_INT(convert_count(out).tool_calls, 1);
	CHECK_STR(get(out, "tool_call", 0, "/ext/trackway~11/ts_source"), STR("none"));
}
