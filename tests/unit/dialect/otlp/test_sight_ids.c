/* Ids of calls and results in messages, as makers of telemetry write them. */
#include "unit/dialect/otlp_sight_feed.h"

#define S OTLP_S
#define CHAT S("gen_ai.operation.name", "chat")

/* A text of JSON in JSON. */
static struct str quoted(const char *json)
{
	struct buf out = { 0 };

	for (; *json; json++)
		buf_printf(&out, *json == '"' || *json == '\\' ? "\\%c" : "%c", *json);
	return arena_take(&otlp_arena, &out);
}

static void check_ids(const char *key, const char *json, const char *calls, const char *results)
{
	struct str attributes = arena_printf(&otlp_arena, CHAT ",{\"key\":\"%s\",\"value\":{\"stringValue\":\"%.*s\"}}", key,
					     STR_ARG(quoted(json)));

	test_case("%s: %s", key, json);
	CHECK_STR(sight_of_span("x", attributes.p),
		  arena_printf(&otlp_arena, "\"model\"%s%s%s%s%s%s}", *calls ? ",\"calls\":[" : "", calls, *calls ? "]" : "",
			       *results ? ",\"results\":[" : "", results, *results ? "]" : ""));
}

TEST(answers_name_calls)
{
	static const char *const answers[] = {
		("[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"CANARY\"},{\"type\":\"tool_call\",\"id\":\"c1\","
		 "\"name\":\"t\",\"arguments\":\"CANARY\"}],\"finish_reason\":\"tool_call\"}]"),
		"[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c1\",\"function\":{}}]}]",
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"c1\"}]}",
		"{\"output\":[{\"type\":\"function_call\",\"call_id\":\"c1\",\"id\":\"fc_1\"}]}",
	};

	for (size_t i = 0; i < COUNT(answers); i++)
		check_ids("gen_ai.output.messages", answers[i], "\"c1\"", "");
	check_ids("gen_ai.output.messages", "[{\"parts\":[{\"type\":\"tool_call\",\"id\":\"an id of many words\"}]}]", "", "");
	check_ids("gen_ai.output.messages", "[{\"parts\":[{\"type\":\"tool_call\",\"id\":7}]},3,null]", "", "");
	check_ids("gen_ai.output.messages", "[{\"parts\":", "", "");
	check_ids("gen_ai.output.messages", "CANARY", "", "");
}

TEST(of_results_only_the_new_ones_count)
{
	check_ids("gen_ai.input.messages",
		  "[{\"role\":\"user\",\"parts\":[{\"type\":\"text\"}]},{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\","
		  "\"id\":\"c1\"}]},{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c1\",\"response\":"
		  "\"CANARY\"}]},{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c2\"},{\"type\":\"tool_call\","
		  "\"id\":\"c3\"}]},{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c2\"}]},"
		  "{\"role\":\"user\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c3\",\"result\":\"CANARY\"}]}]",
		  "", "\"c2\",\"c3\"");
	check_ids("ai.prompt.messages",
		  "[{\"role\":\"assistant\",\"content\":[{\"type\":\"tool-call\",\"toolCallId\":\"c1\",\"toolName\":\"t\"}]},"
		  "{\"role\":\"tool\",\"content\":[{\"type\":\"tool-result\",\"toolCallId\":\"c1\",\"toolName\":\"t\"}]}]",
		  "", "\"c1\"");
	check_ids("gen_ai.input.messages",
		  "[{\"type\":\"function_call\",\"call_id\":\"c0\"},{\"type\":\"function_call_output\",\"call_id\":\"c0\"},"
		  "{\"type\":\"function_call\",\"call_id\":\"c1\"},{\"type\":\"function_call_output\",\"call_id\":\"c1\"}]",
		  "", "\"c1\"");
}

TEST(names_with_numbers_come_in_any_order)
{
	CHECK_STR(sight_of_span("x", CHAT ","
		S("gen_ai.prompt.3.tool_call_id", "c2") "," S("gen_ai.prompt.1.tool_call_id", "c1") ","
		S("gen_ai.prompt.2.role", "assistant") "," S("gen_ai.prompt.0.role", "assistant") ","
		S("gen_ai.prompt.2.tool_calls.0.id", "c2") "," S("gen_ai.completion.0.tool_calls.1.id", "c4") ","
		S("gen_ai.completion.0.tool_calls.0.id", "c3") "," S("gen_ai.completion.x.tool_calls.0.id", "c9")),
		STR("\"model\",\"calls\":[\"c4\",\"c3\"],\"results\":[\"c2\"]}"));
	CHECK_STR(sight_of_span("x", CHAT ","
		S("llm.input_messages.0.message.role", "assistant") "," S("llm.input_messages.1.message.tool_call_id", "c1") ","
		S("llm.input_messages.0.message.tool_calls.0.tool_call.id", "c1") ","
		S("llm.output_messages.0.message.tool_calls.0.tool_call.id", "c2")),
		STR("\"model\",\"calls\":[\"c2\"],\"results\":[\"c1\"]}"));
}

#define T(key, text) "{\"key\":\"" key "\",\"value\":{\"stringValue\":\"" text "\"}}"
#define LIST(members) "{\"kvlistValue\":{\"values\":[" members "]}}"
#define ARRAY(values) "{\"arrayValue\":{\"values\":[" values "]}}"

/* Values of several, where the maker's SDK can send them, say the same as JSON in a text. */
TEST(messages_may_be_structured)
{
	CHECK_STR(sight_of_span("x", CHAT ",{\"key\":\"gen_ai.output.messages\",\"value\":" ARRAY(LIST(
		T("role", "assistant") ",{\"key\":\"parts\",\"value\":" ARRAY(
			LIST(T("type", "text") "," T("content", "CANARY")) ","
			LIST(T("type", "tool_call") "," T("id", "c1") ",{\"key\":\"arguments\",\"value\":" LIST("") "}"))
		"}")) "},{\"key\":\"gen_ai.input.messages\",\"value\":" ARRAY(ARRAY("") "," LIST(
		"{\"key\":\"parts\",\"value\":" ARRAY(LIST(T("type", "tool_call_response") "," T("id", "c0")) ",{}") "}")) "}"),
		STR("\"model\",\"calls\":[\"c1\"],\"results\":[\"c0\"]}"));
}
