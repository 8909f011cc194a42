#include "unit/provider/mock_sample.h"

#define ASK "{\"model\":\"l\",\"stream\":false,\"messages\":[{\"role\":\"user\",\"content\":\"weather?\"}]}"
#define STREAM "{\"model\":\"l\",\"messages\":[{\"role\":\"user\",\"content\":\"weather?\"}]}"

/* What the lines say at a pointer, joined. */
static struct str join_lines(struct sample *s, struct str text, const char *pointer)
{
	struct str joined = STR(""), line, part;
	struct val v;

	while (text.n) {
		line = str_cut(text, '\n', &text);
		if (!json_parse_copy(s->parser, line, &v, NULL))
			FAIL("no JSON: %.*s", STR_ARG(line));
		part = sample_at(s, v, pointer);
		if (!str_eq(part, STR("(nothing)")))
			joined = ARENA_JOIN(&s->arena, joined, part);
	}
	return joined;
}

TEST(a_chat_has_its_message_and_counts)
{
	static const struct {
		const char *pointer, *want;
	} cases[] = {
		{ "/model", "l" },
		{ "/created_at", "2026-01-01T00:00:00Z" },
		{ "/message/role", "assistant" },
		{ "/message/content", "Let me look." },
		{ "/message/thinking", "Think first." },
		{ "/message/tool_calls/0/function/name", "weather" },
		{ "/message/tool_calls/0/function/arguments/city", "Paris" },
		{ "/message/tool_calls/1/function/arguments", "{}" },
		{ "/done", "true" },
		{ "/done_reason", "stop" },
		{ "/prompt_eval_count", "100" },
		{ "/eval_count", "20" },
	};
	struct sample *s = sample_open(SAMPLE_FULL);
	struct val v = sample_json(s, "/api/chat", ASK);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].pointer);
		CHECK_STR(sample_at(s, v, cases[i].pointer), str_from(cases[i].want));
	}
	CHECK_STR(sample_header(s, "content-type"), STR("application/json"));
	CHECK_STR(sample_header(s, "x-request-id"), STR("(none)"));
	sample_close(s);
}

TEST(a_chat_is_streamed_as_lines_by_default)
{
	struct sample *s = sample_open(SAMPLE_FULL);
	struct str stream = sample_ask(s, "/api/chat", STREAM);

	CHECK(s->x.streamed);
	CHECK_STR(sample_header(s, "content-type"), STR("application/x-ndjson"));
	CHECK_STR(join_lines(s, stream, "/message/content"), STR("Let me look."));
	CHECK_STR(join_lines(s, stream, "/message/thinking"), STR("Think first."));
	CHECK_STR(join_lines(s, stream, "/message/tool_calls/0/function/name"), STR("weatherclock"));
	CHECK_STR(join_lines(s, stream, "/message/tool_calls/0/function/arguments/unit"), STR("c"));
	CHECK_STR(join_lines(s, stream, "/done"), STR("falsefalsefalsefalsefalsefalsefalsetrue"));
	CHECK_STR(join_lines(s, stream, "/eval_count"), STR("20"));
	sample_close(s);
}

TEST(generate_has_text_beside_no_message)
{
	struct sample *s = sample_open(SAMPLE_FULL);
	struct str stream = sample_ask(s, "/api/generate", "{\"model\":\"l\",\"prompt\":\"p\"}");
	struct val v;

	CHECK_STR(join_lines(s, stream, "/response"), STR("Let me look."));
	CHECK_STR(join_lines(s, stream, "/thinking"), STR("Think first."));
	CHECK(!sample_contains(stream, "message") && !sample_contains(stream, "tool_calls"));
	v = sample_json(s, "/api/generate", "{\"model\":\"l\",\"prompt\":\"p\",\"stream\":false}");
	CHECK_STR(sample_at(s, v, "/response"), STR("Let me look."));
	CHECK_STR(sample_at(s, v, "/message"), STR("(nothing)"));
	sample_close(s);
}

TEST(times_are_those_of_the_script)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\",\"finish\":\"length\"},"
						   "\"pace\":{\"ttft_ms\":100,\"itl_ms\":10}}"));
	struct val v = sample_json(s, "/api/chat", ASK);

	CHECK_STR(sample_at(s, v, "/prompt_eval_duration"), STR("100000000"));
	CHECK_STR(sample_at(s, v, "/eval_duration"), STR("20000000"));
	CHECK_STR(sample_at(s, v, "/total_duration"), STR("120000000"));
	CHECK_STR(sample_at(s, v, "/done_reason"), STR("length"));
	CHECK_INT(s->waited_ms, 120);
	sample_close(s);
}
