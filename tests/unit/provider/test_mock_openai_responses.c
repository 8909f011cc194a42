#include "unit/provider/mock_sample.h"

#define PATH "/v1/responses"
#define ASK "{\"model\":\"gpt-x\",\"input\":\"weather?\"}"
#define STREAM "{\"model\":\"gpt-x\",\"stream\":true,\"input\":\"weather?\"}"

TEST(a_response_has_its_items)
{
	static const struct {
		const char *pointer, *want;
	} cases[] = {
		{ "/object", "response" },
		{ "/status", "completed" },
		{ "/error", "null" },
		{ "/incomplete_details", "null" },
		{ "/output/0/type", "reasoning" },
		{ "/output/0/summary/0/text", "Think first." },
		{ "/output/1/type", "message" },
		{ "/output/1/status", "completed" },
		{ "/output/1/content/0/type", "output_text" },
		{ "/output/1/content/0/text", "Let me look." },
		{ "/output/1/content/0/annotations", "[]" },
		{ "/output/2/type", "function_call" },
		{ "/output/2/name", "weather" },
		{ "/output/2/arguments", "{\"city\":\"Paris\",\"unit\":\"c\"}" },
		{ "/output/3/name", "clock" },
		{ "/usage/input_tokens", "100" },
		{ "/usage/input_tokens_details/cached_tokens", "40" },
		{ "/usage/input_tokens_details/cache_write_tokens", "10" },
		{ "/usage/output_tokens", "20" },
		{ "/usage/output_tokens_details/reasoning_tokens", "5" },
		{ "/usage/total_tokens", "120" },
	};
	struct sample *s = sample_open(SAMPLE_FULL);
	struct val v = sample_json(s, PATH, ASK);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].pointer);
		CHECK_STR(sample_at(s, v, cases[i].pointer), str_from(cases[i].want));
	}
	CHECK(str_starts(sample_at(s, v, "/id"), STR("resp_")));
	CHECK(str_starts(sample_at(s, v, "/output/1/id"), STR("msg_")));
	CHECK(str_starts(sample_at(s, v, "/output/2/id"), STR("fc_")));
	CHECK(str_starts(sample_at(s, v, "/output/2/call_id"), STR("call_")));
	sample_close(s);
}

TEST(a_stream_has_the_events_in_order)
{
	struct sample *s = sample_open(SAMPLE_RULE(
		"{\"reply\":{\"text\":\"one two\",\"reasoning\":\"hm\",\"tool_calls\":[{\"name\":\"f\"}]}}"));
	struct str stream = sample_ask(s, PATH, STREAM);

	CHECK_STR(sample_types(s, stream),
		  STR("response.created response.in_progress "
		      "response.output_item.added response.reasoning_summary_part.added response.reasoning_summary_text.delta "
		      "response.reasoning_summary_text.done response.reasoning_summary_part.done response.output_item.done "
		      "response.output_item.added response.content_part.added response.output_text.delta response.output_text.delta "
		      "response.output_text.done response.content_part.done response.output_item.done "
		      "response.output_item.added response.function_call_arguments.delta response.function_call_arguments.done "
		      "response.output_item.done response.completed"));
	CHECK_STR(sample_join(s, stream, NULL, "/sequence_number"), STR("012345678910111213141516171819"));
	CHECK_STR(sample_join(s, stream, "response.output_item.added", "/output_index"), STR("012"));
	CHECK_STR(sample_join(s, stream, "response.output_item.added", "/item/status"), STR("in_progressin_progress"));
	sample_close(s);
}

TEST(the_last_event_has_the_whole_response)
{
	struct sample *s = sample_open(SAMPLE_FULL);
	struct str whole = arena_copy(&s->arena, sample_ask(s, PATH, ASK));
	struct str stream, completed;

	/* ids belong to a request; this one is another */
	stream = sample_ask(s, PATH, STREAM);
	completed = sample_join(s, stream, "response.completed", "/response/output/1/content/0/text");
	CHECK_STR(completed, STR("Let me look."));
	CHECK_STR(sample_join(s, stream, "response.completed", "/response/usage/total_tokens"), STR("120"));
	CHECK_STR(sample_join(s, stream, "response.created", "/response/output"), STR("[]"));
	CHECK_STR(sample_join(s, stream, "response.function_call_arguments.delta", "/delta"),
		  STR("{\"city\":\"Paris\",\"unit\":\"c\"}{}"));
	CHECK_STR(sample_join(s, stream, "response.output_text.delta", "/delta"), STR("Let me look."));
	CHECK_INT(sample_join(s, stream, "response.completed", "/response").n, whole.n);
	sample_close(s);
}

TEST(an_answer_cut_short_is_incomplete)
{
	static const struct {
		const char *script, *reason;
	} cases[] = {
		{ SAMPLE_RULE("{\"reply\":{\"text\":\"x\",\"finish\":\"length\"}}"), "max_output_tokens" },
		{ SAMPLE_RULE("{\"reply\":{\"text\":\"x\",\"finish\":\"content_filter\"}}"), "content_filter" },
	};

	for (size_t i = 0; i < 2; i++) {
		struct sample *s = sample_open(cases[i].script);
		struct val v = sample_json(s, PATH, ASK);

		CHECK_STR(sample_at(s, v, "/status"), STR("incomplete"));
		CHECK_STR(sample_at(s, v, "/incomplete_details/reason"), str_from(cases[i].reason));
		CHECK_STR(sample_join(s, sample_ask(s, PATH, STREAM), "response.incomplete", "/response/incomplete_details/reason"),
			  str_from(cases[i].reason));
		sample_close(s);
	}
}

#define PATCH SAMPLE_RULE("{\"reply\":{\"tool_calls\":[{\"name\":\"apply_patch\",\"input\":\"*** Begin\\n+a: \\\"b\\\"\"}]}}")
#define PATCH_TEXT STR("*** Begin\n+a: \"b\"")

TEST(a_custom_tool_has_its_input_as_text)
{
	struct sample *s = sample_open(PATCH);
	struct val v = sample_json(s, PATH, ASK);
	struct str stream;

	CHECK_STR(sample_at(s, v, "/output/0/type"), STR("custom_tool_call"));
	CHECK_STR(sample_at(s, v, "/output/0/input"), PATCH_TEXT);
	CHECK(str_starts(sample_at(s, v, "/output/0/id"), STR("ctc_")));
	CHECK(str_starts(sample_at(s, v, "/output/0/call_id"), STR("call_")));
	stream = sample_ask(s, PATH, STREAM);
	CHECK_STR(sample_join(s, stream, "response.custom_tool_call_input.delta", "/delta"), PATCH_TEXT);
	CHECK_STR(sample_join(s, stream, "response.custom_tool_call_input.done", "/input"), PATCH_TEXT);
	CHECK_STR(sample_join(s, stream, "response.output_item.added", "/item/input"), STR(""));
	CHECK_STR(sample_join(s, stream, "response.completed", "/response/output/0/input"), PATCH_TEXT);
	sample_close(s);
}

TEST(a_custom_tool_is_a_function_where_an_api_has_none)
{
	static const struct {
		const char *path, *body, *pointer, *want;
	} cases[] = {
		{ "/v1/chat/completions", "{\"messages\":[{}]}", "/choices/0/message/tool_calls/0/custom/input", "*** Begin\n+a: \"b\"" },
		{ "/v1/chat/completions", "{\"messages\":[{}]}", "/choices/0/message/tool_calls/0/type", "custom" },
		{ "/v1/messages", "{\"messages\":[{}]}", "/content/0/input/input", "*** Begin\n+a: \"b\"" },
		{ "/api/chat", "{\"stream\":false,\"messages\":[]}", "/message/tool_calls/0/function/arguments/input", "*** Begin\n+a: \"b\"" },
		{ "/v1/models/g:generateContent", "{\"contents\":[{}]}", "/candidates/0/content/parts/0/functionCall/args/input",
		  "*** Begin\n+a: \"b\"" },
	};
	struct sample *s = sample_open(PATCH);

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].path);
		CHECK_STR(sample_at(s, sample_json(s, cases[i].path, cases[i].body), cases[i].pointer), str_from(cases[i].want));
	}
	CHECK_STR(sample_join(s, sample_ask(s, "/v1/chat/completions", "{\"stream\":true,\"messages\":[{}]}"), NULL,
			      "/choices/0/delta/tool_calls/0/custom/input"),
		  PATCH_TEXT);
	sample_close(s);
}
