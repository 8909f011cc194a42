#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "unit/dialect/expect_run.h"

#define ANSWER(id, message) "{\"id\":\"" id "\",\"object\":\"chat.completion\",\"created\":1742842885,\"model\":\"m\",\"choices\":[{\"index\":0," \
	"\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\"," message "}}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}"
#define LLM(messages, response) "{\"type\":\"LLMCall\",\"messages\":[" messages "],\"response\":" response \
	",\"prompt_tokens\":5,\"completion_tokens\":2,\"agent_id\":\"a/1\"}\n"
#define USER "{\"role\":\"user\",\"content\":\"hi\"}"
#define ASKS(id, args) "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"" args "\"}}"
#define CALLS(list) "\"content\":null,\"tool_calls\":[" list "]"
#define RAN(tool, args, result) "{\"type\":\"ToolCall\",\"tool_name\":\"" tool "\",\"arguments\":" args ",\"result\":\"" result "\"," \
	"\"agent_id\":null}\n"
#define CHAT(type, source, id, usage, content) "{\"id\":\"" id "\",\"source\":\"" source "\",\"models_usage\":" usage ",\"metadata\":{}," \
	"\"created_at\":\"2025-03-24T19:01:20.000Z\",\"content\":" content ",\"type\":\"" type "\"}"
#define SESSION "Started new session with Session ID: s-1\n"
#define COMPLETION(response) "{\"invocation_id\":\"i\",\"client_id\":1,\"wrapper_id\":2,\"request\":{\"messages\":[" USER "],\"model\":\"m\"}," \
	"\"response\":" response ",\"is_cached\":0,\"cost\":0.5,\"start_time\":\"2024-11-05 10:00:01.000000\"," \
	"\"end_time\":\"2024-11-05 10:00:02.500000\",\"thread_id\":7,\"source_name\":\"A\"}\n"
#define REPR "\"ChatCompletion(id='r1', choices=[Choice(finish_reason='tool_calls', index=0, message=ChatCompletionMessage(content='a\\\\'b'," \
	" role='assistant', tool_calls=[T(id='c1', function=Function(arguments='{\\\"w\\\":1}', name='look'), type='function')]))]," \
	" created=1742842885, model='m', usage=CompletionUsage(completion_tokens=16, prompt_tokens=104, total_tokens=120))\""

static struct arena arena;

static struct str to_otutl(struct str text)
{
	return convert_valid(&arena, "autogen", text, "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

#define IS(out, type, n, pointer, text) CHECK_STR(get(out, type, n, pointer), STR(text))

TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/autogen", "autogen", 4);
}

TEST(a_tool_that_ran_is_the_call_that_the_answer_asked_for)
{
	struct str out = to_otutl(STR(LLM(USER, ANSWER("r1", CALLS(ASKS("c1", "{\\\"w\\\": 1}") "," ASKS("c2", "{\\\"w\\\": 2}"))))
				      RAN("look", "{\"w\":2}", "two") RAN("look", "{\"w\":1}", "one")));

	CHECK_INT(convert_count(out).runs, 1);
	CHECK_INT(convert_count(out).tool_calls, 2);
	CHECK_INT(convert_count(out).tool_results, 2);
	IS(out, "run_start", 0, "/framework", "autogen");
	IS(out, "model_step", 0, "/step_id", "r1");
	IS(out, "tool_result", 0, "/call_id", "c2");
	IS(out, "tool_result", 0, "/result", "two");
	IS(out, "tool_result", 1, "/call_id", "c1");
}

TEST(a_tool_that_nobody_asked_for_gets_an_id)
{
	struct str out = to_otutl(STR(RAN("other", "{\"w\":2}", "two") RAN("other", "{\"w\":2}", "two")));

	IS(out, "tool_call", 0, "/call_id", "autogen-1");
	IS(out, "tool_call", 1, "/call_id", "autogen-2");
	IS(out, "tool_result", 1, "/call_id", "autogen-2");
	IS(out, "tool_call", 0, "/tool", "tool://autogen/other");
}

TEST(a_request_that_tells_history_makes_no_steps_but_may_have_a_result)
{
	struct str out = to_otutl(STR(LLM(USER ",{\"role\":\"assistant\",\"content\":\"an example\"}," USER, ANSWER("r1", CALLS(ASKS("c1", ""))))
				      LLM(USER ",{\"role\":\"assistant\",\"content\":\"an example\"}," USER ",{\"role\":\"assistant\","
				"\"tool_calls\":[" ASKS("c1", "")
					  "]},{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"told\"}", ANSWER("r2", "\"content\":\"x\""))));

	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_INT(convert_count(out).tool_calls, 1);
	CHECK_INT(convert_count(out).tool_results, 1);
	IS(out, "tool_result", 0, "/result", "told");
	IS(out, "tool_call", 0, "/args", "{}");
}

TEST(an_answer_out_of_a_cache_is_a_step_of_its_own)
{
	struct str out = to_otutl(STR(LLM(USER, ANSWER("r1", "\"content\":\"x\"")) LLM(USER, ANSWER("r1", "\"content\":\"x\""))));

	CHECK_INT(convert_count(out).model_steps, 2);
	IS(out, "model_step", 1, "/step_id", "r1#2");
}

TEST(old_calls_have_nothing_but_counts_and_stand_between_text)
{
	struct str out = to_otutl(STR("INFO:autogen_core:Calling\nINFO:autogen_core.events:{\"prompt_tokens\": 101,"
	" \"completion_tokens\": 88, \"type\": \"LLMCall\"}\n"
				      "2025-03-24 19:01:21,250 - x - INFO - {\"prompt_tokens\": 1, \"completion_tokens\": 2,"
				" \"type\": \"LLMCall\"}\n"));

	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_INT(convert_count(out).input_total, 102);
	IS(out, "model_step", 0, "/ext/autogen~11/prefix", "INFO:autogen_core.events:");
	IS(out, "model_step", 1, "/ts", "2025-03-24T19:01:21.250Z");
}

TEST(a_prefix_that_is_no_text_is_mended)
{
	struct str out = to_otutl(STR("x\x83: {\"prompt_tokens\": 101, \"completion_tokens\": 88, \"type\": \"LLMCall\"}\n"));

	IS(out, "model_step", 0, "/ext/autogen~11/prefix", "x\xEF\xBF\xBD:");
}

TEST(a_stream_ends_with_what_the_client_made_of_it)
{
	struct str out = to_otutl(STR("{\"type\":\"LLMStreamStart\",\"messages\":[" USER "],\"agent_id\":null}\n"
				      "{\"type\":\"LLMStreamEnd\",\"response\":{\"finish_reason\":\"stop\",\"content\":\"yo\","
				"\"usage\":{\"prompt_tokens\":7,"
				      "\"completion_tokens\":1},\"cached\":false,\"thought\":\"hm\"},\"prompt_tokens\":7,"
				"\"completion_tokens\":1,\"agent_id\":null}\n"));

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_INT(convert_count(out).input_total, 7);
	IS(out, "model_step", 0, "/text", "yo");
	IS(out, "model_step", 0, "/reasoning", "hm");
	IS(out, "model_step", 0, "/stop_reason", "stop");
}

TEST(exceptions_are_errors_and_messages_are_kept)
{
	struct str out = to_otutl(STR("{\"payload\":\"{}\",\"sender\":null,\"receiver\":\"t\",\"kind\":\"k\",\"delivery_stage\":\"d\","
	"\"type\":\"Message\"}\n"
				      "{\"payload\":\"{}\",\"handling_agent\":\"a/1\",\"exception\":\"broke\","
				"\"type\":\"MessageHandlerException\"}\n"));

	IS(out, "error", 0, "/class", "harness");
	IS(out, "error", 0, "/code", "MessageHandlerException");
	IS(out, "error", 0, "/message", "broke");
	CHECK(str_has(out, STR("delivery_stage")));
}

TEST(a_recorded_session_is_a_run)
{
	struct str out = to_otutl(STR("[{\"mode\":\"create\",\"messages\":[{\"content\":\"go\",\"source\":\"u\","
	"\"type\":\"UserMessage\"}],\"response\":"
		"{\"finish_reason\":\"function_calls\",\"content\":[{\"id\":\"c9\",\"name\":\"read\",\"arguments\":\"{}\"}],"
		"\"usage\":{\"prompt_tokens\":20,"
		"\"completion_tokens\":5}},\"stream\":[]},{\"mode\":\"create_stream\",\"messages\":[{\"content\":\"go\",\"source\":\"u\","
		"\"type\":\"UserMessage\"},"
		"{\"content\":[{\"id\":\"c9\",\"name\":\"read\",\"arguments\":\"{}\"}],\"source\":\"A\",\"type\":\"AssistantMessage\"},"
		"{\"content\":[{\"content\":\"torn\",\"call_id\":\"c9\",\"is_error\":true,\"name\":\"read\"}],"
		"\"type\":\"FunctionExecutionResultMessage\"}],"
		"\"response\":null,\"stream\":[\"T\",{\"finish_reason\":\"stop\",\"content\":\"Torn.\",\"usage\":{\"prompt_tokens\":40,"
		"\"completion_tokens\":6}}]}]"));

	CHECK_INT(convert_count(out).runs, 1);
	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_INT(convert_count(out).input_total, 60);
	IS(out, "tool_call", 0, "/call_id", "c9");
	IS(out, "tool_result", 0, "/is_error", "true");
	IS(out, "model_step", 1, "/text", "Torn.");
}

#define TEAM CHAT("TextMessage", "user", "m1", "null", "\"how?\"") SEP CHAT("ThoughtEvent", "A", "m2", "null", "\"hm\"") SEP \
	CHAT("ToolCallRequestEvent", "A", "m3", "{\"prompt_tokens\":30,\"completion_tokens\":4}", "[{\"id\":\"c1\",\"name\":\"t\"," \
	"\"arguments\":\"{}\"}]") SEP \
	CHAT("ToolCallExecutionEvent", "A", "m4", "null", "[{\"content\":\"no\",\"call_id\":\"c1\",\"is_error\":true,\"name\":\"t\"}]") SEP \
	CHAT("TextMessage", "A", "m5", "{\"prompt_tokens\":41," \
	"\"completion_tokens\":8}", "\"so\"") SEP CHAT("StopMessage", "A", "m6", "null", "\"STOP\"")

static void check_team(struct str out)
{
	CHECK_INT(convert_count(out).runs, 1);
	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_INT(convert_count(out).input_total, 71);
	CHECK_INT(convert_count(out).tool_errors, 1);
	IS(out, "model_step", 0, "/step_id", "m3");
	IS(out, "model_step", 0, "/reasoning", "hm");
	IS(out, "tool_result", 0, "/call_id", "c1");
	IS(out, "model_step", 1, "/text", "so");
}

TEST(messages_of_a_team_are_read_in_lines_in_results_and_in_states)
{
#define SEP "\n"
	check_team(to_otutl(STR(TEAM "\n")));
#undef SEP
#define SEP ","
	check_team(to_otutl(STR("{\"messages\":[" TEAM "],\"stop_reason\":\"x\"}")));
	check_team(to_otutl(STR("{\"type\":\"TeamState\","
	"\"agent_states\":{\"A\":{\"agent_state\":{\"llm_context\":{\"messages\":[{\"content\":\"go\","
				"\"source\":\"u\",\"type\":\"UserMessage\"}]}}},\"M\":{\"message_thread\":[" TEAM "]}}}")));
#undef SEP
}

TEST(the_state_of_one_agent_has_what_its_model_saw)
{
	struct str out = to_otutl(STR("{\"type\":\"AssistantAgentState\",\"llm_context\":{\"messages\":[{\"content\":\"go\","
	"\"source\":\"u\",\"type\":\"UserMessage\"},"
		"{\"content\":[{\"id\":\"c9\",\"name\":\"read\",\"arguments\":\"{}\"}],\"source\":\"A\",\"type\":\"AssistantMessage\"},"
		"{\"content\":[{\"content\":\"torn\",\"call_id\":\"c9\",\"is_error\":false,\"name\":\"read\"}],"
		"\"type\":\"FunctionExecutionResultMessage\"}]}}"));

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_INT(convert_count(out).tool_results, 1);
}

TEST(a_session_of_0_2_has_answers_that_python_printed)
{
	struct str out = to_otutl(STR(SESSION COMPLETION(REPR)
		"{\"source_id\":1,\"source_name\":\"A\",\"timestamp\":\"2024-11-05 10:00:03.000000\",\"input_args\":\"{\\\"w\\\": 1}\","
		"\"returns\":\"\\\"dam\\\"\"}\n"
		"{\"source_id\":1,\"source_name\":\"A\",\"timestamp\":\"2024-11-05 10:00:03.000000\",\"input_args\":\"{\\\"w\\\": 9}\","
		"\"returns\":\"not JSON\"}\n"));

	IS(out, "run_start", 0, "/vendor_run_id", "s-1");
	IS(out, "model_step", 0, "/text", "a'b");
	IS(out, "model_step", 0, "/latency_ms", "1500");
	IS(out, "cost", 0, "/estimated_cost_usd", "0.5");
	CHECK_INT(convert_count(out).input_total, 104);
	IS(out, "tool_result", 0, "/call_id", "c1");
	IS(out, "tool_result", 0, "/result", "dam");
	IS(out, "tool_call", 1, "/tool", "tool://autogen/function"); /* 0.2 does not say which */
	IS(out, "tool_result", 1, "/result", "not JSON");
}

TEST(rows_of_the_database_have_json_in_text)
{
	struct str out = to_otutl(STR("{\"invocation_id\":\"i\",\"wrapper_id\":2,"
	"\"request\":\"{\\\"messages\\\":[{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"hi\\\"}]}\","
		"\"response\":\"{\\\"id\\\":\\\"r\\\",\\\"choices\\\":[{\\\"index\\\":0,\\\"message\\\":{\\\"role\\\":\\\"assistant\\\","
		"\\\"content\\\":\\\"row\\\"}}]}\"}\n"));

	IS(out, "model_step", 0, "/text", "row");
	IS(out, "model_step", 0, "/request/messages/0/content", "hi");
}

TEST(an_answer_that_cannot_be_read_is_kept)
{
	struct str out = to_otutl(STR(COMPLETION("\"ChatCompletion(id='r1\"")));

	CHECK_INT(convert_count(out).model_steps, 1);
	IS(out, "model_step", 0, "/ext/autogen~11/response", "ChatCompletion(id='r1");
}

TEST(another_session_is_another_run)
{
	struct str out = to_otutl(STR(SESSION COMPLETION(REPR) "Started new session with Session ID: s-2\n" COMPLETION(REPR)));

	CHECK_INT(convert_count(out).runs, 2);
}

TEST(it_is_known_by_its_content)
{
	static const struct { const char *text; bool fits; } cases[] = {
		{ RAN("t", "{}", "x"), true },
		{ "{\"type\":\"LLMCall\",\"prompt_tokens\":1}", true },
		{ "{\"type\":\"ToolCall\",\"name\":\"x\"}", false },
		{ "{\"type\":\"Message\",\"content\":\"x\"}", false },
		{ "{\"mode\":\"create\",\"messages\":[],\"response\":{}}", true },
		{ "{\"mode\":\"edit\",\"messages\":[],\"response\":{}}", false },
		{ "{\"type\":\"TextMessage\",\"source\":\"u\",\"content\":\"x\"}", true },
		{ "{\"type\":\"TextMessage\",\"content\":\"x\"}", false },
		{ COMPLETION("null"), true },
		{ "{\"history\":[{\"role\":\"user\",\"content\":\"x\"}]}", false },
		{ "3", false },
	};
	struct json_parser *p = dialect_detect_open();
	struct val v;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_from(cases[i].text), &v, NULL));
		CHECK_INT(autogen_dialect.fits(v) > 0, cases[i].fits);
	}
	json_parser_close(p);
}
