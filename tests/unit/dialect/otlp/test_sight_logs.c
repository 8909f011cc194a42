/* Log records of Claude Code (as 2.1.197 sends them) and of Codex (as 0.169 does). */
#include "unit/dialect/otlp_sight_feed.h"

#define S OTLP_S
#define I OTLP_I
#define N(key, n) "{\"key\":\"" key "\",\"value\":{\"intValue\":" #n "}}"
#define SERVICE(name) "{\"resourceLogs\":[{\"resource\":{\"attributes\":[" S("service.name", name) "," \
	S("agent_trace.run.id", "run-1") "]},\"scopeLogs\":[{\"scope\":{\"name\":\"x\"},\"logRecords\":["
#define END "]}]}]}"
#define IDS "\"traceId\":\"" OTLP_TRACE "\",\"spanId\":\"" OTLP_ID("a") "\""
#define CLAUDE(event, time, attributes) "{\"timeUnixNano\":\"17000000" time "000000000\",\"body\":{\"stringValue\":" \
	"\"claude_code." event "\"}," IDS ",\"attributes\":[" S("event.name", event) "," S("session.id", "s1") "," attributes "]}"
#define CODEX(event, time, attributes) "{\"timeUnixNano\":0,\"observedTimeUnixNano\":\"17000000" time "000000000\"," \
	"\"eventName\":\"event otel/src/x.rs:1\",\"attributes\":[" S("event.name", "codex." event) "," \
	S("conversation.id", "c1") "," S("model", "gpt-x") "," attributes "]}"
#define HEAD(kind) "{\"v\":\"sighting/1\",\"kind\":\"" kind "\",\"layer\":\"otlp\","
#define CLAUDE_AT "\"run\":\"run-1\",\"session\":\"s1\",\"framework\":\"claude_code\",\"trace\":\"" OTLP_TRACE \
	"\",\"parent_span\":\"" OTLP_ID("a") "\""
#define CODEX_AT "\"run\":\"run-1\",\"session\":\"c1\""
#define END_OF_LINE "}\n"

TEST(records_of_claude_code)
{
	CHECK_STR(sight_lines(OTLP_LOGS, SERVICE("claude-code")
		CLAUDE("user_prompt", "01", S("prompt", "CANARY") "," S("prompt_length", "6")) ","
		CLAUDE("tool_decision", "03", S("decision", "accept") "," S("source", "config") "," S("tool_use_id", "toolu_1")) ","
		CLAUDE("api_request", "03", S("model", "claude-x") "," N("input_tokens", 2) "," N("output_tokens", 9) ","
		       N("cache_read_tokens", 80) "," N("cache_creation_tokens", 20) ",{\"key\":\"cost_usd\",\"value\":"
		       "{\"doubleValue\":0.25}}," N("duration_ms", 2000) "," S("request_id", "req_1")) ","
		CLAUDE("assistant_response", "03", S("response", "CANARY")) ","
		CLAUDE("tool_result", "05", S("tool_name", "Bash") "," S("tool_use_id", "toolu_1") "," S("success", "false") ","
		       S("duration_ms", "545") "," S("tool_result_size_bytes", "8") "," S("tool_input", "CANARY")) ","
		CLAUDE("api_error", "09", S("model", "claude-x") "," S("error", "CANARY") "," S("duration_ms", "1000")) END),
		STR(HEAD("input") "\"begun_ns\":1700000001000000000," CLAUDE_AT END_OF_LINE
		HEAD("model") "\"begun_ns\":1700000001000000000,\"ended_ns\":1700000003000000000," CLAUDE_AT
		",\"response_id\":\"req_1\",\"model\":\"claude-x\",\"provider\":\"anthropic\",\"input\":102,\"output\":9,"
		"\"cache_read\":80,\"cache_write\":20,\"usd\":0.25" END_OF_LINE
		HEAD("tool_end") "\"begun_ns\":1700000004455000000,\"ended_ns\":1700000005000000000," CLAUDE_AT
		",\"call\":\"toolu_1\",\"name\":\"Bash\",\"size\":8,\"failed\":true" END_OF_LINE
		HEAD("model") "\"begun_ns\":1700000008000000000,\"ended_ns\":1700000009000000000," CLAUDE_AT
		",\"failed\":true,\"model\":\"claude-x\",\"provider\":\"anthropic\"" END_OF_LINE));
}

#define COMPLETED(in, out) S("event.kind", "response.completed") "," S("input_token_count", in) "," \
	S("output_token_count", out) "," S("cached_token_count", "200") "," S("reasoning_token_count", "4")

TEST(answers_of_codex_begin_with_the_request_before_them)
{
	CHECK_STR(sight_lines(OTLP_LOGS, SERVICE("codex_exec")
		CODEX("websocket_request", "01", S("duration_ms", "1") "," S("success", "true")) ","
		CODEX("sse_event", "01", S("event.kind", "response.completed") "," S("input_token_count", "0") ","
		      S("output_token_count", "0")) ","
		CODEX("user_prompt", "02", S("prompt", "CANARY")) ","
		CODEX("api_request", "04", S("duration_ms", "1000") "," S("success", "true")) ","
		CODEX("sse_event", "05", S("event.kind", "response.output_text.delta")) ","
		CODEX("sse_event", "06", COMPLETED("1300", "33") "," S("ttft_ms", "4")) END),
		STR(HEAD("input") "\"begun_ns\":1700000002000000000," CODEX_AT END_OF_LINE
		HEAD("model") "\"begun_ns\":1700000003000000000,\"ended_ns\":1700000006000000000," CODEX_AT
		",\"model\":\"gpt-x\",\"provider\":\"openai\",\"stream\":true,\"input\":1300,\"output\":33,\"cache_read\":200,"
		"\"reasoning\":4,\"ttft_ns\":4000000" END_OF_LINE));
}

/* Records are sent every second, and answers take longer. */
TEST(the_request_of_codex_may_have_come_with_records_before)
{
	static const char *const bodies[] = {
		SERVICE("codex_exec") CODEX("api_request", "02", S("duration_ms", "1000")) END,
		SERVICE("codex_exec") CODEX("user_prompt", "03", S("prompt", "CANARY")) END,
		SERVICE("codex_exec") CODEX("sse_event", "06", COMPLETED("7", "1")) END,
		SERVICE("codex_exec") CODEX("sse_event", "08", COMPLETED("9", "1")) END, /* has none of its own */
	};
	struct str lines = sight_lines_of(OTLP_LOGS, bodies, COUNT(bodies));

	CHECK_INT(str_count(lines, '\n'), 3);
	str_cut(lines, '\n', &lines);
	CHECK(str_starts(lines, STR(HEAD("model") "\"begun_ns\":1700000001000000000,\"ended_ns\":1700000006000000000,")));
	str_cut(lines, '\n', &lines);
	CHECK(str_starts(lines, STR(HEAD("model") "\"ended_ns\":1700000008000000000,")));
}

TEST(requests_of_codex_are_of_their_session)
{
	static const char *const bodies[] = {
		SERVICE("codex_exec") CODEX("api_request", "02", S("duration_ms", "1000")) END,
		SERVICE("codex_exec") "{\"timeUnixNano\":\"1700000005000000000\",\"attributes\":["
			S("event.name", "codex.sse_event") "," S("conversation.id", "c2") "," COMPLETED("7", "1") "]}" END,
	};

	CHECK(str_starts(sight_lines_of(OTLP_LOGS, bodies, COUNT(bodies)),
			 STR(HEAD("model") "\"ended_ns\":1700000005000000000,")));
}

TEST(tools_and_failed_requests_of_codex)
{
	CHECK_STR(sight_lines(OTLP_LOGS, SERVICE("codex_exec")
		CODEX("tool_decision", "06", S("call_id", "call_1") "," S("source", "Config")) ","
		CODEX("tool_result", "08", S("tool_name", "exec_command") "," S("call_id", "call_1") "," S("duration_ms", "347")
		      "," S("success", "true") "," S("output", "CANARY") "," S("arguments", "CANARY") "," S("mcp_server", "")) ","
		CODEX("api_request", "09", S("duration_ms", "10") "," S("error.message", "CANARY")) ","
		CODEX("sse_event", "09", COMPLETED("7", "1")) END),
		STR(HEAD("tool_end") "\"begun_ns\":1700000007653000000,\"ended_ns\":1700000008000000000," CODEX_AT
		",\"call\":\"call_1\",\"name\":\"exec_command\",\"size\":6" END_OF_LINE
		HEAD("model") "\"begun_ns\":1700000008990000000,\"ended_ns\":1700000009000000000," CODEX_AT
		",\"failed\":true,\"model\":\"gpt-x\",\"provider\":\"openai\"" END_OF_LINE
		HEAD("model") "\"ended_ns\":1700000009000000000," CODEX_AT
		",\"model\":\"gpt-x\",\"provider\":\"openai\",\"stream\":true,\"input\":7,\"output\":1,\"cache_read\":200,"
		"\"reasoning\":4" END_OF_LINE));
}

/* Their tokens stand in spans that hold no call. */
TEST(spans_of_codex_are_only_places)
{
	struct str lines = sight_lines(OTLP_TRACES,
		"{\"resourceSpans\":[{\"resource\":{\"attributes\":[" S("service.name", "codex_exec") "]},\"scopeSpans\":[{\"spans\":["
		OTLP_SPAN("1", "2", "handle_responses", "01", "02", S("gen_ai.usage.input_tokens", "1300")) "]}]}]}");

	CHECK(str_has(lines, STR("\"kind\":\"span\"")));
}

TEST(other_records_are_counted_and_tell_nothing)
{
	struct sight_result r = sight_feed(OTLP_LOGS, true, STR(SERVICE("x")
		"{\"body\":{\"kvlistValue\":{\"values\":[" S("a", "CANARY") "]}},\"traceId\":\"12\",\"severityNumber\":9},"
		"{\"eventName\":\"gen_ai.client.inference.operation.details\"},{}" END));

	CHECK(r.ok);
	CHECK_INT(r.taken.logs, 3);
	CHECK_INT(r.taken.rejected, 0);
	CHECK_INT(r.lines.n, 0);
}
