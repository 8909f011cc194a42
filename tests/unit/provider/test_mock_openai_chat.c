#include "unit/provider/mock_sample.h"

#define PATH "/v1/chat/completions"
#define ASK "{\"model\":\"gpt-x\",\"messages\":[{\"role\":\"user\",\"content\":\"weather?\"}]}"
#define STREAM "{\"model\":\"gpt-x\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"weather?\"}]}"
#define STREAM_USAGE \
	"{\"model\":\"gpt-x\",\"stream\":true,\"stream_options\":{\"include_usage\":true}," \
	"\"messages\":[{\"role\":\"user\",\"content\":\"weather?\"}]}"

TEST(an_answer_has_everything_where_clients_look)
{
	static const struct {
		const char *pointer, *want;
	} cases[] = {
		{ "/object", "chat.completion" },
		{ "/created", "1767225600" },
		{ "/model", "gpt-x" },
		{ "/choices/0/index", "0" },
		{ "/choices/0/message/role", "assistant" },
		{ "/choices/0/message/content", "Let me look." },
		{ "/choices/0/message/reasoning_content", "Think first." },
		{ "/choices/0/message/tool_calls/0/type", "function" },
		{ "/choices/0/message/tool_calls/0/function/name", "weather" },
		{ "/choices/0/message/tool_calls/0/function/arguments", "{\"city\":\"Paris\",\"unit\":\"c\"}" },
		{ "/choices/0/message/tool_calls/1/function/name", "clock" },
		{ "/choices/0/message/tool_calls/2", "(nothing)" },
		{ "/choices/0/finish_reason", "tool_calls" },
		{ "/usage/prompt_tokens", "100" },
		{ "/usage/completion_tokens", "20" },
		{ "/usage/total_tokens", "120" },
		{ "/usage/prompt_tokens_details/cached_tokens", "40" },
		{ "/usage/completion_tokens_details/reasoning_tokens", "5" },
	};
	struct sample *s = sample_open(SAMPLE_FULL);
	struct val v = sample_json(s, PATH, ASK);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].pointer);
		CHECK_STR(sample_at(s, v, cases[i].pointer), str_from(cases[i].want));
	}
	CHECK(str_starts(sample_at(s, v, "/id"), STR("chatcmpl-")));
	CHECK(str_starts(sample_at(s, v, "/choices/0/message/tool_calls/0/id"), STR("call_")));
	CHECK(!str_eq(sample_at(s, v, "/choices/0/message/tool_calls/0/id"), sample_at(s, v, "/choices/0/message/tool_calls/1/id")));
	CHECK_STR(sample_header(s, "content-type"), STR("application/json"));
	sample_close(s);
}

TEST(a_stream_says_the_same_in_pieces)
{
	struct sample *s = sample_open(SAMPLE_FULL);
	struct str stream = sample_ask(s, PATH, STREAM);

	CHECK(s->x.streamed);
	CHECK_STR(sample_header(s, "content-type"), STR("text/event-stream; charset=utf-8"));
	CHECK_STR(sample_join(s, stream, NULL, "/choices/0/delta/content"), STR("Let me look."));
	CHECK_STR(sample_join(s, stream, NULL, "/choices/0/delta/reasoning_content"), STR("Think first."));
	CHECK_STR(sample_join(s, stream, NULL, "/choices/0/delta/tool_calls/0/function/name"), STR("weatherclock"));
	CHECK_STR(sample_join(s, stream, NULL, "/choices/0/delta/tool_calls/0/function/arguments"),
		  STR("{\"city\":\"Paris\",\"unit\":\"c\"}{}"));
	CHECK_STR(sample_join(s, stream, NULL, "/choices/0/finish_reason"), STR("tool_calls"));
	CHECK_STR(sample_join(s, stream, NULL, "/choices/0/delta/role"), STR("assistant"));
	CHECK_STR(sample_join(s, stream, NULL, "/usage/total_tokens"), STR(""));
	CHECK(!sample_contains(stream, "\"usage\""));
	CHECK(str_ends(stream, STR("data: [DONE]\n\n")));
	sample_close(s);
}

TEST(calls_are_told_apart_by_their_index)
{
	struct sample *s = sample_open(SAMPLE_FULL);
	struct str stream = sample_ask(s, PATH, STREAM);

	/* name, four pieces of arguments; name, one piece */
	CHECK_STR(sample_join(s, stream, NULL, "/choices/0/delta/tool_calls/0/index"), STR("0000011"));
	CHECK(sample_contains(stream, "\"function\":{\"name\":\"weather\",\"arguments\":\"\"}"));
	sample_close(s);
}

TEST(usage_is_streamed_when_asked_for)
{
	struct sample *s = sample_open(SAMPLE_FULL);
	struct str stream = sample_ask(s, PATH, STREAM_USAGE);

	CHECK_STR(sample_join(s, stream, NULL, "/usage/total_tokens"), STR("120"));
	CHECK(sample_contains(stream, "\"choices\":[],\"usage\":{"));
	CHECK(sample_contains(stream, "\"finish_reason\":\"tool_calls\"}],\"usage\":null}"));
	sample_close(s);
}

TEST(a_call_alone_has_no_content)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"tool_calls\":[{\"name\":\"f\"}]}}"));

	CHECK_STR(sample_at(s, sample_json(s, PATH, ASK), "/choices/0/message/content"), STR("null"));
	CHECK(sample_contains(sample_ask(s, PATH, STREAM), "\"role\":\"assistant\",\"content\":null"));
	sample_close(s);
}

TEST(reasons_to_stop_have_the_words_of_this_api)
{
	static const struct {
		const char *script, *want;
	} cases[] = {
		{ SAMPLE_RULE("{\"reply\":{\"text\":\"x\"}}"), "stop" },
		{ SAMPLE_RULE("{\"reply\":{\"text\":\"x\",\"finish\":\"max_tokens\"}}"), "length" },
		{ SAMPLE_RULE("{\"reply\":{\"text\":\"x\",\"finish\":\"refusal\"}}"), "content_filter" },
		{ SAMPLE_RULE("{\"reply\":{\"text\":\"x\",\"finish\":\"odd\"}}"), "odd" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample *s = sample_open(cases[i].script);

		CHECK_STR(sample_at(s, sample_json(s, PATH, ASK), "/choices/0/finish_reason"), str_from(cases[i].want));
		CHECK_STR(sample_join(s, sample_ask(s, PATH, STREAM), NULL, "/choices/0/finish_reason"), str_from(cases[i].want));
		sample_close(s);
	}
}

TEST(broken_arguments_are_sent_as_they_stand)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"tool_calls\":[{\"name\":\"f\",\"arguments\":\"{broken\"}]}}"));

	CHECK_STR(sample_at(s, sample_json(s, PATH, ASK), "/choices/0/message/tool_calls/0/function/arguments"), STR("{broken"));
	sample_close(s);
}
