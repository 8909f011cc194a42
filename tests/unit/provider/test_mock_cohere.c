#include "unit/provider/mock_sample.h"

#define PATH "/v2/chat"
#define ASK "{\"model\":\"command-x\",\"messages\":[{\"role\":\"user\",\"content\":\"weather?\"}]}"
#define STREAM "{\"model\":\"command-x\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"weather?\"}]}"

TEST(an_answer_with_calls_has_a_plan_for_them)
{
	static const struct {
		const char *pointer, *want;
	} cases[] = {
		{ "/message/role", "assistant" },
		{ "/message/tool_plan", "Let me look." },
		{ "/message/tool_calls/0/type", "function" },
		{ "/message/tool_calls/0/function/name", "weather" },
		{ "/message/tool_calls/0/function/arguments", "{\"city\":\"Paris\",\"unit\":\"c\"}" },
		{ "/message/tool_calls/1/function/name", "clock" },
		{ "/message/content/0/thinking", "Think first." },
		{ "/message/content/1", "(nothing)" },
		{ "/finish_reason", "TOOL_CALL" },
		{ "/usage/tokens/input_tokens", "100" },
		{ "/usage/billed_units/output_tokens", "20" },
	};
	struct sample *s = sample_open(SAMPLE_FULL);
	struct val v = sample_json(s, PATH, ASK);

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].pointer);
		CHECK_STR(sample_at(s, v, cases[i].pointer), str_from(cases[i].want));
	}
	sample_close(s);
}

TEST(an_answer_without_calls_is_content)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"text\":\"yes\",\"reasoning\":\"hm\"}}"));
	struct val v = sample_json(s, PATH, ASK);
	struct str stream;

	CHECK_STR(sample_at(s, v, "/message/content/1/text"), STR("yes"));
	CHECK_STR(sample_at(s, v, "/message/tool_plan"), STR("(nothing)"));
	CHECK_STR(sample_at(s, v, "/finish_reason"), STR("COMPLETE"));
	stream = sample_ask(s, PATH, STREAM);
	CHECK_STR(sample_types(s, stream), STR("message-start content-start content-delta content-end content-start content-delta "
					       "content-end message-end"));
	CHECK_STR(sample_join(s, stream, "content-delta", "/delta/message/content/text"), STR("yes"));
	CHECK_STR(sample_join(s, stream, "message-end", "/delta/finish_reason"), STR("COMPLETE"));
	sample_close(s);
}

TEST(calls_are_streamed_behind_their_plan)
{
	struct sample *s = sample_open(SAMPLE_FULL);
	struct str stream = sample_ask(s, PATH, STREAM);

	CHECK_STR(sample_join(s, stream, "tool-plan-delta", "/delta/message/tool_plan"), STR("Let me look."));
	CHECK_STR(sample_join(s, stream, "tool-call-start", "/delta/message/tool_calls/function/name"), STR("weatherclock"));
	CHECK_STR(sample_join(s, stream, "tool-call-delta", "/delta/message/tool_calls/function/arguments"),
		  STR("{\"city\":\"Paris\",\"unit\":\"c\"}{}"));
	CHECK_STR(sample_join(s, stream, "tool-call-end", "/index"), STR("01"));
	CHECK_STR(sample_join(s, stream, "message-end", "/delta/usage/tokens/output_tokens"), STR("20"));
	sample_close(s);
}
