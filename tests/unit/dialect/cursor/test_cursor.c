#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"

static struct arena arena;

static struct str convert(const char *text)
{
	return convert_valid(&arena, "cursor", str_from(text), "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

static const char plain[] =
	"{\"type\":\"system\",\"subtype\":\"init\",\"apiKeySource\":\"env\",\"cwd\":\"/w\",\"session_id\""
	":\"s\",\"model\":\"Auto\",\"permissionMode\":\"default\"}\n"
	"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"go\""
	"}]},\"session_id\":\"s\"}\n"
	"{\"type\":\"thinking\",\"subtype\":\"delta\",\"text\":\"a \",\"session_id\":\"s\",\"timestamp_ms"
	"\":1770823976001}\n"
	"{\"type\":\"thinking\",\"subtype\":\"delta\",\"text\":\"plan\",\"session_id\":\"s\",\"timestamp_"
	"ms\":1770823976002}\n"
	"{\"type\":\"thinking\",\"subtype\":\"completed\",\"session_id\":\"s\",\"timestamp_ms\":177082397"
	"6003}\n"
	"{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"te"
	"xt\":\"I run it.\"}]},\"session_id\":\"s\",\"model_call_id\":\"m-0\",\"timestamp_ms\":1770823976"
	"204}\n"
	"{\"type\":\"tool_call\",\"subtype\":\"started\",\"call_id\":\"call_1\\nfc_1\",\"tool_call\":{\"h"
	"ookAdditionalContexts\":[],\"shellToolCall\":{\"args\":{\"command\":\"ls\",\"toolCallId\":\"call"
	"_1\\nfc_1\",\"parsingResult\":{\"parsingFailed\":false}}}},\"model_call_id\":\"m-0\",\"session_i"
	"d\":\"s\",\"timestamp_ms\":1770823976205}\n"
	"{\"type\":\"tool_call\",\"subtype\":\"started\",\"call_id\":\"call_2\",\"tool_call\":{\"mcpToolC"
	"all\":{\"args\":{\"name\":\"git-log\",\"toolName\":\"log\",\"providerIdentifier\":\"git\",\"args"
	"\":{\"n\":1}}}},\"model_call_id\":\"m-0\",\"session_id\":\"s\",\"timestamp_ms\":1770823976206}\n"
	"{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"call_2\",\"tool_call\":{\"mcpToo"
	"lCall\":{\"args\":{\"name\":\"git-log\",\"toolName\":\"log\",\"providerIdentifier\":\"git\",\"ar"
	"gs\":{\"n\":1}},\"result\":{\"success\":{\"content\":[],\"isError\":true}}}},\"model_call_id\":\""
	"m-0\",\"session_id\":\"s\",\"timestamp_ms\":1770823976300}\n"
	"{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"call_1\\nfc_1\",\"tool_call\":{\""
	"shellToolCall\":{\"args\":{\"command\":\"ls\"},\"result\":{\"failure\":{\"exitCode\":2,\"stdout\""
	":\"out\",\"executionTime\":87},\"isBackground\":false}}},\"model_call_id\":\"m-0\",\"session_id\""
	":\"s\",\"timestamp_ms\":1770823976400}\n"
	"{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"te"
	"xt\":\"done\"}]},\"session_id\":\"s\"}\n"
	"{\"type\":\"result\",\"subtype\":\"success\",\"duration_ms\":13,\"duration_api_ms\":12,\"is_erro"
	"r\":false,\"result\":\"done\",\"session_id\":\"s\",\"request_id\":\"r\",\"usage\":{\"inputTokens"
	"\":11,\"outputTokens\":5,\"cacheReadTokens\":100,\"cacheWriteTokens\":20}}\n";

TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/cursor_stream_json", "cursor", 9);
}

TEST(what_was_thought_belongs_to_the_answer_that_follows)
{
	struct str out = convert(plain);

	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_STR(get(out, "model_step", 0, "/step_id"), STR("m-0"));
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("a plan"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I run it."));
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("done"));
	CHECK_STR(get(out, "model_step", 1, "/model"), STR("Auto"));
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("s"));
	CHECK_STR(get(out, "run_start", 0, "/framework"), STR("cursor_sdk"));
}

TEST(calls_are_told_once_and_pair_by_id)
{
	struct str out = convert(plain);
	struct convert_figures n = convert_count(out);

	CHECK_INT(n.tool_calls, 2);
	CHECK_INT(n.tool_results, 2);
	CHECK_INT(n.tool_errors, 2);
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://cursor/shell"));
	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{\"command\":\"ls\"}"));
	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("call_1\nfc_1"));
	CHECK_STR(get(out, "tool_call", 0, "/ext/cursor~11/tool_call/shellToolCall/args/parsingResult/parsingFailed"), STR("false"));
	CHECK_STR(get(out, "tool_call", 1, "/tool"), STR("mcp://git/log"));
	CHECK_STR(get(out, "tool_call", 1, "/args"), STR("{\"n\":1}"));
	CHECK_STR(get(out, "tool_result", 1, "/exit_code"), STR("2"));
	CHECK_STR(get(out, "tool_result", 1, "/duration_ms"), STR("87"));
	CHECK_STR(get(out, "tool_result", 1, "/ext/cursor~11/outcome"), STR("failure"));
}

TEST(the_cache_is_counted_beside_the_input)
{
	struct str out = convert(plain);
	struct convert_figures n = convert_count(out);

	CHECK_INT(n.input_total, 131);
	CHECK_INT(n.output_total, 5);
	CHECK_INT(n.cache_read, 100);
	CHECK_INT(n.cache_write, 20);
	CHECK_STR(get(out, "cost", 0, "/api_duration_ms"), STR("12"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("success"));
	CHECK_STR(get(out, "run_end", 0, "/output"), STR("done"));
}

TEST(tokens_that_are_told_again_whole_count_once)
{
	struct str out = convert(
	"{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"te"
	"xt\":\"I \"}]},\"session_id\":\"s\",\"timestamp_ms\":1770823976001}\n"
	"{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"te"
	"xt\":\"run\"}]},\"session_id\":\"s\",\"timestamp_ms\":1770823976002}\n"
	"{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"te"
	"xt\":\"I run\"}]},\"session_id\":\"s\",\"model_call_id\":\"m\",\"timestamp_ms\":1770823976003}\n"
	"{\"type\":\"tool_call\",\"subtype\":\"started\",\"call_id\":\"c\",\"tool_call\":{\"readToolCall\""
	":{\"args\":{\"path\":\"p\"}}},\"model_call_id\":\"m\",\"session_id\":\"s\",\"timestamp_ms\":1770"
	"823976004}\n"
	"{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"c\",\"tool_call\":{\"readToolCal"
	"l\":{\"args\":{\"path\":\"p\"},\"result\":{\"rejected\":{\"reason\":\"no\"}}}},\"model_call_id\""
	":\"m\",\"session_id\":\"s\",\"timestamp_ms\":1770823976005}\n"
	"{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"te"
	"xt\":\"cut\"}]},\"session_id\":\"s\",\"timestamp_ms\":1770823976006}\n");

	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I run"));
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("cut"));
	CHECK_STR(get(out, "tool_result", 0, "/is_error"), STR("true"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("interrupted"));
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("s"));
}

TEST(calls_that_name_no_answer_belong_to_the_one_at_hand)
{
	struct str out = convert(
	"{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"te"
	"xt\":\"a\"}]},\"session_id\":\"s\"}\n"
	"{\"type\":\"tool_call\",\"subtype\":\"started\",\"call_id\":\"c\",\"tool_call\":{\"function\":{\""
	"name\":\"look\",\"arguments\":\"{\\\"x\\\":1}\"}},\"session_id\":\"s\"}\n"
	"{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"c\",\"tool_call\":{\"function\":"
	"{\"name\":\"look\",\"arguments\":\"{\\\"x\\\":1}\",\"result\":{\"success\":{}}}},\"session_id\":"
	"\"s\"}\n"
	"{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"d\",\"tool_call\":{\"lsToolCall\""
	":{\"args\":{},\"result\":{\"success\":{}}}},\"session_id\":\"s\"}\n"
	"{\"type\":\"result\",\"subtype\":\"error\",\"is_error\":true,\"result\":\"no\",\"session_id\":\""
	"s\",\"duration_api_ms\":1}\n"
	"{\"type\":\"error\",\"message\":\"late\"}\n");

	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_INT(convert_count(out).tool_calls, 2);
	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{\"x\":1}"));
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://cursor/look"));
	CHECK_STR(get(out, "tool_call", 1, "/tool"), STR("tool://cursor/ls"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("error"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("late"));
}

TEST(of_a_call_that_was_shortened_what_is_left_is_kept)
{
	struct str out = convert(
	"{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"c\",\"tool_call\":{\"preview\":\""
	"{\",\"cut\":true},\"model_call_id\":\"m\",\"session_id\":\"s\",\"timestamp_ms\":1770823976205}\n"
	"{\"type\":\"interaction_query\",\"subtype\":\"request\",\"query\":{\"q\":1},\"session_id\":\"s\""
	"}\n");

	CHECK_STR(get(out, "tool_call", 0, "/args/preview"), STR("{"));
	CHECK_STR(get(out, "tool_result", 0, "/result/cut"), STR("true"));
}

static const char hooks[] =
	"{\"ts\":\"2026-06-09T15:53:15.226Z\",\"evt\":\"beforeSubmitPrompt\",\"cwd\":\"/c\",\"payload\":{"
	"\"conversation_id\":\"k\",\"generation_id\":\"g\",\"model\":\"m\",\"prompt\":\"hi\",\"hook_event"
	"_name\":\"beforeSubmitPrompt\",\"cursor_version\":\"3.7\"}}\n"
	"{\"ts\":\"2026-06-09T15:53:15.300Z\",\"evt\":\"sessionStart\",\"payload\":{\"conversation_id\":\""
	"k\",\"generation_id\":\"\",\"model\":\"m\",\"hook_event_name\":\"sessionStart\",\"cursor_version"
	"\":\"3.7\"}}\n"
	"{\"ts\":\"2026-06-09T15:53:16.000Z\",\"evt\":\"afterAgentThought\",\"payload\":{\"conversation_i"
	"d\":\"k\",\"generation_id\":\"g\",\"text\":\"hm\",\"duration_ms\":9,\"hook_event_name\":\"afterA"
	"gentThought\"}}\n"
	"{\"ts\":\"2026-06-09T15:53:16.100Z\",\"evt\":\"preToolUse\",\"payload\":{\"conversation_id\":\"k"
	"\",\"generation_id\":\"g\",\"tool_name\":\"Subagent\",\"tool_input\":{\"prompt\":\"p\"},\"tool_u"
	"se_id\":\"c1\",\"hook_event_name\":\"preToolUse\"}}\n"
	"{\"ts\":\"2026-06-09T15:53:16.200Z\",\"evt\":\"subagentStart\",\"payload\":{\"conversation_id\":"
	"\"k\",\"generation_id\":\"k\",\"tool_call_id\":\"c1\",\"task\":\"p\",\"hook_event_name\":\"subag"
	"entStart\"}}\n"
	"{\"ts\":\"2026-06-09T15:53:16.300Z\",\"evt\":\"preToolUse\",\"payload\":{\"conversation_id\":\"c"
	"hild\",\"generation_id\":\"h\",\"tool_name\":\"Read\",\"tool_input\":{\"file_path\":\"f\"},\"too"
	"l_use_id\":\"c2\",\"hook_event_name\":\"preToolUse\"}}\n"
	"{\"ts\":\"2026-06-09T15:53:16.400Z\",\"evt\":\"postToolUseFailure\",\"payload\":{\"conversation_"
	"id\":\"child\",\"generation_id\":\"h\",\"tool_name\":\"Read\",\"tool_input\":{\"file_path\":\"f\""
	"},\"error_message\":\"gone\",\"failure_type\":\"error\",\"duration\":0.5,\"tool_use_id\":\"c2\","
	"\"hook_event_name\":\"postToolUseFailure\"}}\n"
	"{\"ts\":\"2026-06-09T15:53:17.000Z\",\"evt\":\"postToolUse\",\"payload\":{\"conversation_id\":\""
	"k\",\"generation_id\":\"g\",\"tool_name\":\"Subagent\",\"tool_input\":{\"prompt\":\"p\"},\"tool_"
	"output\":\"{}\",\"duration\":900,\"tool_use_id\":\"c1\",\"hook_event_name\":\"postToolUse\"}}\n"
	"{\"ts\":\"2026-06-09T15:53:18.000Z\",\"evt\":\"afterAgentResponse\",\"payload\":{\"conversation_"
	"id\":\"k\",\"generation_id\":\"g\",\"model\":\"m\",\"text\":\"bye\",\"input_tokens\":100,\"outpu"
	"t_tokens\":7,\"hook_event_name\":\"afterAgentResponse\"}}\n"
	"{\"ts\":\"2026-06-09T15:53:18.100Z\",\"evt\":\"stop\",\"payload\":{\"conversation_id\":\"k\",\"g"
	"eneration_id\":\"g\",\"model\":\"m\",\"status\":\"completed\",\"input_tokens\":100,\"output_toke"
	"ns\":7,\"cache_read_tokens\":60,\"cache_write_tokens\":0,\"hook_event_name\":\"stop\"}}\n";

TEST(hooks_of_the_editor_are_a_run_with_its_sub_agents)
{
	struct str out = convert(hooks);
	struct convert_figures n = convert_count(out);

	CHECK_INT(n.runs, 1);
	CHECK_INT(n.model_steps, 3);
	CHECK_INT(n.tool_calls, 2);
	CHECK_INT(n.tool_results, 2);
	CHECK_INT(n.tool_errors, 1);
	CHECK_INT(n.input_total, 100); /* the cache is in it, and what was said tells it again */
	CHECK_INT(n.cache_read, 60);
	CHECK_STR(get(out, "run_start", 0, "/agent/version"), STR("3.7"));
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("hm"));
	CHECK_STR(get(out, "model_step", 2, "/text"), STR("bye"));
	CHECK_STR(get(out, "tool_call", 1, "/parent_call_id"), STR("c1"));
	CHECK_STR(get(out, "tool_result", 0, "/result"), STR("gone"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("success"));
}

TEST(a_transcript_of_the_editor_has_calls_without_results)
{
	struct str out = convert(
	"{\"role\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}}\n"
	"{\"role\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"I read.\"},{\"ty"
	"pe\":\"tool_use\",\"name\":\"ReadFile\",\"input\":{\"path\":\"p\"}}]}}\n"
	"{\"role\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"It is empty.\"}]"
	"}}\n"
	"{\"type\":\"turn_ended\",\"status\":\"success\"}\n");
	struct convert_figures n = convert_count(out);

	CHECK_INT(n.model_steps, 2);
	CHECK_INT(n.tool_calls, 1);
	CHECK_INT(n.orphan_calls, 1);
	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{\"path\":\"p\"}"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("success"));
}

TEST(lines_of_others_are_not_taken)
{
	static const struct { const char *text; bool fits; } cases[] = {
		{ "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"apiKeySource\":\"env\",\"permissionMode\":\"d\"}", true },
		{ "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"apiKeySource\":\"env\","
		  "\"permissionMode\":\"d\",\"tools\":[]}", false },
		{ "{\"type\":\"assistant\",\"message\":{},\"session_id\":\"s\",\"parent_tool_use_id\":null}", false },
		{ "{\"type\":\"result\",\"is_error\":false,\"session_id\":\"s\",\"duration_api_ms\":1,\"num_turns\":1}", false },
		{ "{\"role\":\"user\",\"message\":{\"content\":[]},\"id\":1}", false },
		{ "{\"role\":\"user\",\"content\":[]}", false },
		{ "[{\"type\":\"tool_call\",\"subtype\":\"started\",\"call_id\":\"c\",\"tool_call\":{}}]", true },
		{ "[]", false },
	};
	struct json_parser *p = dialect_detect_open();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val v;

		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_from(cases[i].text), &v, NULL));
		CHECK((cursor_dialect.fits(v) > 0) == cases[i].fits);
	}
	json_parser_close(p);
}
