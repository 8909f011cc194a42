#include "dialect/otlp/message.h"

#include "unit/dialect/otlp_feed.h"

#define CHAT OTLP_S("gen_ai.operation.name", "chat")
#define MORE(events) ",\"events\":[" events "]"
#define SPAN(attributes, more) OTLP_DOCUMENT(OTLP_SPAN_OF(OTLP_TRACE, "1", "0", "chat m", "01", "02", attributes, more))

/* One request and its answer in every spelling: a question, "Hi", that asks for call c9. */
static const char *const spellings[] = {
	SPAN(CHAT "," OTLP_S("gen_ai.input.messages",
			     "[{\\\"role\\\":\\\"user\\\",\\\"parts\\\":[{\\\"type\\\":\\\"text\\\",\\\"content\\\":\\\"why?\\\"}]}]") ","
		  OTLP_S("gen_ai.output.messages",
			 "[{\\\"role\\\":\\\"assistant\\\",\\\"parts\\\":[{\\\"type\\\":\\\"text\\\",\\\"content\\\":\\\"Hi\\\"},"
			 "{\\\"type\\\":\\\"tool_call\\\",\\\"id\\\":\\\"c9\\\",\\\"name\\\":\\\"t\\\"}],\\\"finish_reason\\\":\\\"tool_call\\\"}]"),
	     ""),
	SPAN(OTLP_S("llm.request.type", "chat") "," OTLP_S("gen_ai.prompt.0.role", "user") ","
		     OTLP_S("gen_ai.prompt.0.content", "why?") "," OTLP_S("gen_ai.completion.0.content", "Hi") ","
		     OTLP_S("gen_ai.completion.0.finish_reason", "tool_calls") ","
		     OTLP_S("gen_ai.completion.0.tool_calls.0.id", "c9"),
	     ""),
	SPAN(OTLP_S("openinference.span.kind", "LLM") "," OTLP_S("llm.input_messages.0.message.role", "user") ","
		     OTLP_S("llm.input_messages.0.message.content", "why?") ","
		     OTLP_S("llm.output_messages.0.message.content", "Hi") ","
		     OTLP_S("llm.output_messages.0.message.tool_calls.0.tool_call.id", "c9") ","
		     OTLP_S("llm.finish_reason", "tool_calls"),
	     ""),
	SPAN(CHAT, MORE("{\"name\":\"gen_ai.user.message\",\"attributes\":[" OTLP_S("content", "why?") "]},"
			"{\"name\":\"gen_ai.choice\",\"attributes\":["
			OTLP_S("message", "{\\\"content\\\":\\\"Hi\\\",\\\"tool_calls\\\":[{\\\"id\\\":\\\"c9\\\"}]}") ","
			OTLP_S("finish_reason", "tool_calls") "]}")),
	SPAN(CHAT, MORE("{\"name\":\"gen_ai.client.inference.operation.details\",\"attributes\":["
			OTLP_S("gen_ai.input.messages", "[{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"why?\\\"}]") ","
			OTLP_S("gen_ai.output.messages",
			       "[{\\\"role\\\":\\\"assistant\\\",\\\"content\\\":\\\"Hi\\\",\\\"tool_calls\\\":[{\\\"id\\\":\\\"c9\\\"}],"
			       "\\\"finish_reason\\\":\\\"tool_calls\\\"}]") "]}")),
};

TEST(what_was_said_is_found_in_every_spelling)
{
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		struct str out = otlp_convert(spellings[i]);
		struct str request = otlp_get(out, "model_step", 0, "/request");

		test_case("%zu", i);
		CHECK_STR(otlp_get(out, "model_step", 0, "/text"), STR("Hi"));
		CHECK(str_starts(otlp_get(out, "model_step", 0, "/stop_reason"), STR("tool_call")));
		CHECK(str_find(request, STR("why?")) != (size_t)-1);
		CHECK(str_find(request, STR("\"user\"")) != (size_t)-1);
	}
}

TEST(a_call_belongs_to_the_step_that_asked_for_it)
{
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		struct str text = arena_printf(&otlp_arena, "%s" OTLP_DOCUMENT("%s,%s"), spellings[i],
					       OTLP_SPAN("2", "0", "chat m", "03", "04", CHAT),
					       OTLP_SPAN("3", "0", "t", "05", "06", OTLP_CALL("t", "c9")));
		struct str out = otlp_convert(text.p);

		test_case("%zu", i);
		CHECK_STR(otlp_get(out, "tool_call", 0, "/step_id"), STR(OTLP_ID("1")));
	}
}

#define ASK(role, text) "{\\\"role\\\":\\\"" role "\\\",\\\"content\\\":\\\"" text "\\\"}"

/* Each request tells the conversation again. */
TEST(messages_that_were_told_before_are_not_told_again)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(
		OTLP_SPAN("1", "0", "chat m", "01", "02", CHAT "," OTLP_S("gen_ai.input.messages", "[" ASK("user", "first") "]")) ","
		OTLP_SPAN("2", "0", "chat m", "03", "04",
			  CHAT "," OTLP_S("gen_ai.input.messages",
					  "[" ASK("user", "first") "," ASK("assistant", "yes") "," ASK("user", "second") "]"))));
	struct str one = otlp_get(out, "model_step", 0, "/request"), two = otlp_get(out, "model_step", 1, "/request");

	CHECK(str_find(one, STR("first")) != (size_t)-1);
	CHECK(str_find(two, STR("first")) == (size_t)-1);
	CHECK(str_find(two, STR("second")) != (size_t)-1);
}

TEST(instructions_come_first_and_thoughts_are_apart)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(OTLP_SPAN(
		"1", "0", "chat m", "01", "02",
		CHAT "," OTLP_S("gen_ai.system_instructions", "[{\\\"type\\\":\\\"text\\\",\\\"content\\\":\\\"be brief\\\"}]") ","
		OTLP_S("gen_ai.output.messages",
		       "[{\\\"role\\\":\\\"assistant\\\",\\\"parts\\\":[{\\\"type\\\":\\\"reasoning\\\",\\\"content\\\":\\\"hm\\\"},"
		       "{\\\"type\\\":\\\"text\\\",\\\"content\\\":\\\"Hi\\\"}]}]"))));

	CHECK(str_find(otlp_get(out, "model_step", 0, "/request"), STR("be brief")) != (size_t)-1);
	CHECK_STR(otlp_get(out, "model_step", 0, "/text"), STR("Hi"));
	CHECK(str_find(convert_record(out, "model_step", 0), STR("\"reasoning\":\"hm\"")) != (size_t)-1);
}

TEST(messages_that_are_no_json_stay_where_they_are)
{
	struct str out = otlp_convert(OTLP_DOCUMENT(OTLP_SPAN("1", "0", "chat m", "01", "02",
		CHAT "," OTLP_S("gen_ai.input.messages", "[{") "," OTLP_S("gen_ai.output.messages", "{}") ","
		OTLP_S("gen_ai.system_instructions", "plain words"))));

	CHECK_STR(otlp_order(out), STR("<s>"));
	CHECK(otlp_get(out, "model_step", 0, "/text").p == NULL);
	CHECK(str_find(out, STR("plain words")) != (size_t)-1);
}
