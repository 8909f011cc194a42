#include "unit/provider/mock_sample.h"

#define PATH "/v1/messages"
#define ASK "{\"model\":\"claude-x\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"weather?\"}]}"
#define STREAM "{\"model\":\"claude-x\",\"max_tokens\":9,\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"weather?\"}]}"

TEST(a_message_has_its_blocks)
{
	static const struct {
		const char *pointer, *want;
	} cases[] = {
		{ "/type", "message" },
		{ "/role", "assistant" },
		{ "/model", "claude-x" },
		{ "/content/0/type", "thinking" },
		{ "/content/0/thinking", "Think first." },
		{ "/content/1/type", "text" },
		{ "/content/1/text", "Let me look." },
		{ "/content/2/type", "tool_use" },
		{ "/content/2/name", "weather" },
		{ "/content/2/input/city", "Paris" },
		{ "/content/3/input", "{}" },
		{ "/stop_reason", "tool_use" },
		{ "/stop_sequence", "null" },
		{ "/usage/input_tokens", "50" }, /* 100 less what came from and went to the cache */
		{ "/usage/cache_read_input_tokens", "40" },
		{ "/usage/cache_creation_input_tokens", "10" },
		{ "/usage/output_tokens", "20" },
	};
	struct sample *s = sample_open(SAMPLE_FULL);
	struct val v = sample_json(s, PATH, ASK);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].pointer);
		CHECK_STR(sample_at(s, v, cases[i].pointer), str_from(cases[i].want));
	}
	CHECK(str_starts(sample_at(s, v, "/id"), STR("msg_")));
	CHECK(str_starts(sample_at(s, v, "/content/2/id"), STR("toolu_")));
	CHECK(str_starts(sample_at(s, v, "/content/0/signature"), STR("sig")));
	CHECK(str_starts(sample_header(s, "request-id"), STR("req_")));
	sample_close(s);
}

TEST(a_stream_has_the_events_in_order)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"text\":\"one two\",\"tool_calls\":[{\"name\":\"f\"}]}}"));

	CHECK_STR(sample_types(s, sample_ask(s, PATH, STREAM)),
		  STR("message_start ping content_block_start content_block_delta content_block_delta content_block_stop "
		      "content_block_start content_block_delta content_block_stop message_delta message_stop"));
	sample_close(s);
}

TEST(a_stream_says_the_same_in_pieces)
{
	struct sample *s = sample_open(SAMPLE_FULL);
	struct str stream = sample_ask(s, PATH, STREAM);

	CHECK_STR(sample_join(s, stream, "content_block_delta", "/delta/text"), STR("Let me look."));
	CHECK_STR(sample_join(s, stream, "content_block_delta", "/delta/thinking"), STR("Think first."));
	CHECK_STR(sample_join(s, stream, "content_block_delta", "/delta/partial_json"),
		  STR("{\"city\":\"Paris\",\"unit\":\"c\"}{}"));
	CHECK(str_starts(sample_join(s, stream, "content_block_delta", "/delta/signature"), STR("sig")));
	CHECK_STR(sample_join(s, stream, "content_block_start", "/index"), STR("0123"));
	CHECK_STR(sample_join(s, stream, "content_block_stop", "/index"), STR("0123"));
	CHECK_STR(sample_join(s, stream, "content_block_start", "/content_block/input"), STR("{}{}"));
	CHECK_STR(sample_join(s, stream, "message_start", "/message/usage/output_tokens"), STR("1"));
	CHECK_STR(sample_join(s, stream, "message_start", "/message/usage/input_tokens"), STR("50"));
	CHECK_STR(sample_join(s, stream, "message_delta", "/usage/output_tokens"), STR("20"));
	CHECK_STR(sample_join(s, stream, "message_delta", "/delta/stop_reason"), STR("tool_use"));
	sample_close(s);
}

TEST(reasons_to_stop_have_the_words_of_this_api)
{
	static const struct {
		const char *script, *want;
	} cases[] = {
		{ SAMPLE_RULE("{\"reply\":{\"text\":\"x\"}}"), "end_turn" },
		{ SAMPLE_RULE("{\"reply\":{\"text\":\"x\",\"finish\":\"length\"}}"), "max_tokens" },
		{ SAMPLE_RULE("{\"reply\":{\"text\":\"x\",\"finish\":\"content_filter\"}}"), "refusal" },
		{ SAMPLE_RULE("{\"reply\":{\"text\":\"x\",\"finish\":\"pause_turn\"}}"), "pause_turn" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample *s = sample_open(cases[i].script);

		CHECK_STR(sample_at(s, sample_json(s, PATH, ASK), "/stop_reason"), str_from(cases[i].want));
		sample_close(s);
	}
}

TEST(arguments_that_are_no_object_are_an_empty_one)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"tool_calls\":[{\"name\":\"f\",\"arguments\":\"{broken\"}]}}"));

	CHECK_STR(sample_at(s, sample_json(s, PATH, ASK), "/content/0/input"), STR("{}"));
	CHECK_STR(sample_join(s, sample_ask(s, PATH, STREAM), NULL, "/delta/partial_json"), STR("{broken"));
	sample_close(s);
}
