#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"

static struct arena arena;

static struct str convert(const char *text)
{
	return convert_valid(&arena, "qwen-code", str_from(text), "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

static const char chat[] =
	"{\"uuid\":\"1\",\"parentUuid\":null,\"sessionId\":\"s\",\"timestamp\":\"2026-11-16T19:15:26.715Z"
	"\",\"type\":\"user\",\"provenance\":\"real_user\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"messag"
	"e\":{\"role\":\"user\",\"parts\":[{\"text\":\"go\"}]}}\n"
	"{\"uuid\":\"2\",\"parentUuid\":\"1\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-16T19:15:31.872"
	"Z\",\"type\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"ui_telemetry\",\"sys"
	"temPayload\":{\"uiEvent\":{\"event.name\":\"qwen-code.api_response\",\"event.timestamp\":\"2026-"
	"11-16T19:15:31.871Z\",\"response_id\":\"r1\",\"model\":\"m\",\"status_code\":200,\"duration_ms\""
	":4074,\"input_token_count\":1300,\"output_token_count\":33,\"cached_content_token_count\":0,\"th"
	"oughts_token_count\":7,\"total_token_count\":1333,\"response_text\":\"I do\",\"ttft_ms\":3833}}}"
	"\n"
	"{\"uuid\":\"3\",\"parentUuid\":\"2\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-16T19:15:31.927"
	"Z\",\"type\":\"assistant\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"model\":\"m\",\"message\":{\""
	"role\":\"model\",\"parts\":[{\"text\":\"hmm\",\"thought\":true},{\"text\":\"I do\"},{\"functionC"
	"all\":{\"id\":\"c1\",\"name\":\"run_shell_command\",\"args\":{\"command\":\"false\"}}}]},\"usage"
	"Metadata\":{\"promptTokenCount\":1300,\"candidatesTokenCount\":33,\"thoughtsTokenCount\":7,\"tot"
	"alTokenCount\":1333,\"cachedContentTokenCount\":0},\"contextWindowSize\":272000}\n"
	"{\"uuid\":\"4\",\"parentUuid\":\"3\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-16T19:15:34.838"
	"Z\",\"type\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"ui_telemetry\",\"sys"
	"temPayload\":{\"uiEvent\":{\"event.name\":\"qwen-code.tool_call\",\"event.timestamp\":\"2026-11-"
	"16T19:15:34.838Z\",\"call_id\":\"c1\",\"function_name\":\"run_shell_command\",\"function_args\":"
	"{\"command\":\"false\"},\"duration_ms\":2627,\"status\":\"error\",\"success\":false,\"decision\""
	":\"auto_accept\"}}}\n"
	"{\"uuid\":\"5\",\"parentUuid\":\"4\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-16T19:15:34.909"
	"Z\",\"type\":\"tool_result\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"message\":{\"role\":\"user\""
	",\"parts\":[{\"functionResponse\":{\"id\":\"c1\",\"name\":\"run_shell_command\",\"response\":{\""
	"output\":\"Exit Code: 1\"}}}]},\"toolCallResult\":{\"callId\":\"c1\",\"status\":\"error\",\"resu"
	"ltDisplay\":{\"type\":\"shell_result\",\"exitCode\":1,\"output\":\"x\"}}}\n"
	"{\"uuid\":\"6\",\"parentUuid\":\"5\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-16T19:15:35.000"
	"Z\",\"type\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"ui_telemetry\",\"sys"
	"temPayload\":{\"uiEvent\":{\"event.name\":\"qwen-code.api_error\",\"error_type\":\"429\",\"error"
	"_message\":\"slow down\",\"model\":\"m\"}}}\n"
	"{\"uuid\":\"7\",\"parentUuid\":\"6\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-16T19:15:35.328"
	"Z\",\"type\":\"assistant\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"model\":\"m\",\"message\":{\""
	"role\":\"model\",\"parts\":[{\"text\":\"done\"}]},\"usageMetadata\":{\"promptTokenCount\":1500,\""
	"candidatesTokenCount\":21,\"totalTokenCount\":1521,\"cachedContentTokenCount\":1200}}\n"
	"{\"uuid\":\"8\",\"parentUuid\":\"7\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-16T19:15:35.400"
	"Z\",\"type\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"ui_telemetry\",\"sys"
	"temPayload\":{\"uiEvent\":{\"event.name\":\"qwen-code.api_response\",\"response_id\":\"r2\",\"mo"
	"del\":\"m\",\"duration_ms\":191,\"input_token_count\":1500,\"output_token_count\":21,\"total_tok"
	"en_count\":1521,\"response_text\":\"done\"}}}\n"
	"{\"uuid\":\"9\",\"parentUuid\":\"8\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-16T19:15:36.000"
	"Z\",\"type\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"ui_telemetry\",\"sys"
	"temPayload\":{\"uiEvent\":{\"event.name\":\"qwen-code.api_response\",\"response_id\":\"r3\",\"mo"
	"del\":\"small\",\"duration_ms\":50,\"input_token_count\":10,\"output_token_count\":2,\"thoughts_"
	"token_count\":3,\"total_token_count\":15,\"response_text\":\"a title\"}}}\n"
	"{\"uuid\":\"10\",\"parentUuid\":\"9\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-16T19:15:36.10"
	"0Z\",\"type\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"chat_compression\","
	"\"systemPayload\":{\"info\":1}}\n";

TEST(answers_calls_and_figures)
{
	struct str out = convert(chat);
	struct convert_figures n = convert_count(out);

	CHECK_INT(n.runs, 1);
	CHECK_INT(n.model_steps, 3);
	CHECK_INT(n.tool_calls, 1);
	CHECK_INT(n.tool_results, 1);
	CHECK_INT(n.tool_errors, 1);
	CHECK_INT(n.input_total, 2810);
	CHECK_INT(n.output_total, 59); /* thoughts are in the output where the total says so, and else beside it */
	CHECK_INT(n.cache_read, 1200);
	CHECK_STR(get(out, "run_start", 0, "/agent/version"), STR("0.24.4"));
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("hmm"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I do"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("slow down"));
}

TEST(what_was_measured_is_told_with_the_answer_beside_it)
{
	struct str out = convert(chat);

	CHECK_STR(get(out, "model_step", 0, "/latency_ms"), STR("4074"));
	CHECK_STR(get(out, "model_step", 0, "/ttft_ms"), STR("3833"));
	CHECK_STR(get(out, "model_step", 0, "/response_id"), STR("r1"));
	CHECK_STR(get(out, "model_step", 1, "/latency_ms"), STR("191"));
	CHECK_STR(get(out, "model_step", 1, "/response_id"), STR("r2"));
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("done"));
	CHECK_STR(get(out, "model_step", 2, "/text"), STR("a title"));
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("2627"));
	CHECK_STR(get(out, "tool_result", 0, "/exit_code"), STR("1"));
}

TEST(another_session_is_another_run)
{
	struct str out = convert(
	"{\"uuid\":\"1\",\"sessionId\":\"s\",\"timestamp\":\"2026-11-16T19:15:26.715Z\",\"type\":\"user\""
	",\"message\":{\"role\":\"user\",\"parts\":[{\"text\":\"go\"}]}}\n"
	"{\"uuid\":\"2\",\"sessionId\":\"t\",\"timestamp\":\"2026-11-16T19:15:27.715Z\",\"type\":\"user\""
	",\"message\":{\"role\":\"user\",\"parts\":[{\"text\":\"go\"}]}}\n");

	CHECK_INT(convert_count(out).runs, 2);
}

TEST(the_agent_left_what_the_model_saw)
{
	const char *path = test_shared("agents/qwen-1/session/5aff8f83-4011-4690-81ec-0320ce7e392a.jsonl");
	struct converted c = convert_file(&arena, path, (struct convert_how){ .to = "otutl" });
	struct convert_figures n = convert_count(c.out);

	CHECK(c.done && c.from == &qwen_code_dialect);
	CHECK_INT(n.model_steps, 2);
	CHECK_INT(n.tool_calls, 1);
	CHECK_INT(n.input_total, 2800);
	CHECK_INT(n.output_total, 54);
	CHECK_INT(c.coverage.leaves.left, 0);
}

TEST(lines_of_claude_code_are_not_taken)
{
	struct json_parser *p = dialect_detect_open();
	struct val v;

	CHECK(json_parse_copy(p, STR("{\"uuid\":\"u\",\"sessionId\":\"s\",\"type\":\"user\",\"message\":{\"content\":\"a\"}}"), &v, NULL));
	CHECK_INT(qwen_code_dialect.fits(v), 0);
	CHECK(json_parse_copy(p, STR("{\"uuid\":\"u\",\"sessionId\":\"s\",\"type\":\"user\",\"message\":{\"parts\":[]}}"), &v, NULL));
	CHECK(qwen_code_dialect.fits(v) > claude_code_dialect.fits(v));
	json_parser_close(p);
}
