/* What instrumentations do beside the names of their attributes. The requests are cut down from real ones. */
#include <stdio.h>

#include "unit/dialect/otlp_sight_feed.h"

struct kept {
	struct sighting s;
	char model[32], id[32], name[32];
};

static void habit_keep(char out[32], struct str text)
{
	snprintf(out, 32, "%.*s", STR_ARG(text));
}

static void habit_see(void *context, const struct sighting *s)
{
	struct kept *k = context;

	k->s = *s;
	habit_keep(k->model, s->model);
	habit_keep(k->id, s->response_id);
	habit_keep(k->name, s->name);
}

/* One span of a scope, that lasts from second 1 to second 2, with these attributes. */
static struct kept habit_read(const char *scope, const char *name, const char *attributes)
{
	struct otlp_sighter *o = otlp_sighter_open();
	struct otlp_taken taken;
	struct kept kept = { .s = sighting_of(SIGHT_SPAN, SIGHT_OTLP) };
	struct otlp_sights to = { habit_see, &kept };
	struct err err;
	struct str body = arena_printf(&otlp_arena,
		"{\"resourceSpans\":[{\"scopeSpans\":[{\"scope\":{\"name\":\"%s\"},\"spans\":[{\"name\":\"%s\","
		"\"traceId\":\"0af7651916cd43dd8448eb211c80319c\",\"spanId\":\"aaaaaaaaaaaaaaaa\","
		"\"startTimeUnixNano\":\"1000000000\",\"endTimeUnixNano\":\"2000000000\",\"attributes\":[%s]}]}]}]}",
		scope, name, attributes);

	if (!otlp_sighter_read(o, OTLP_TRACES, true, sight_feed_pad(body), &to, &taken, &err))
		FAIL("%s", err.text);
	otlp_sighter_close(o);
	return kept;
}

#define TEXT(key, value) "{\"key\":\"" key "\",\"value\":{\"stringValue\":\"" value "\"}}"
#define NUMBER(key, value) "{\"key\":\"" key "\",\"value\":{\"intValue\":\"" value "\"}}"
#define LLM TEXT("openinference.span.kind", "LLM")
#define CHAT TEXT("gen_ai.operation.name", "chat") "," TEXT("gen_ai.request.model", "m")

/* ---- OpenInference ---- */

TEST(the_id_of_an_answer_is_taken_from_its_dump)
{
	struct kept k = habit_read("openinference.instrumentation.openai", "ChatCompletion",
				   LLM "," TEXT("output.value", "{\\\"id\\\": \\\"chatcmpl-7\\\",\\\"choices\\\":[]}"));

	CHECK_INT(k.s.kind, SIGHT_MODEL);
	CHECK(strcmp(k.id, "chatcmpl-7") == 0);
}

TEST(what_is_no_dump_of_an_answer_has_no_id)
{
	static const char *const dumps[] = {
		LLM "," TEXT("output.value", "the id is not here"),
		LLM "," TEXT("output.value", "{\\\"choices\\\":[],\\\"id\\\":\\\"x\\\"}"),
		LLM "," TEXT("output.value", "{\\\"id\\\":[\\\"langchain\\\"]}"),
		LLM "," TEXT("output.value", "{\\\"id\\\":"),
		LLM "," TEXT("output.value", "{\\\"id\\\":\\\"two words of a text\\\"}"),
		LLM "," TEXT("output.value", ""),
	};

	for (size_t i = 0; i < COUNT(dumps); i++)
		CHECK(habit_read("x", "ChatCompletion", dumps[i]).id[0] == 0);
}

TEST(the_model_of_a_call_that_failed_is_among_its_parameters)
{
	struct kept k = habit_read("openinference.instrumentation.openai", "ChatCompletion",
				   LLM "," TEXT("llm.invocation_parameters", "{\\\"model\\\": \\\"m-1\\\"}"));

	CHECK(strcmp(k.model, "m-1") == 0);
	k = habit_read("x", "CreateEmbeddings",
		       TEXT("openinference.span.kind", "EMBEDDING") "," TEXT("embedding.model_name", "m-2"));
	CHECK(strcmp(k.model, "m-2") == 0);
}

/* ---- Logfire ---- */

TEST(a_stream_of_logfire_is_told_by_its_log)
{
	struct kept k = habit_read("logfire.openai", "streaming response", CHAT "," NUMBER("gen_ai.usage.input_tokens", "5") ","
				   TEXT("logfire.span_type", "log") ",{\"key\":\"duration\",\"value\":{\"doubleValue\":0.25}}");

	CHECK_INT(k.s.kind, SIGHT_MODEL);
	CHECK(k.s.stream);
	CHECK_INT(k.s.begun_ns, 1750000000);
	CHECK_INT(k.s.ended_ns, 2000000000);
}

TEST(and_the_span_that_began_it_is_no_call)
{
	CHECK_INT(habit_read("logfire.openai", "Chat Completion", CHAT).s.kind, SIGHT_SPAN);
	CHECK_INT(habit_read("logfire.openai", "Chat Completion", CHAT "," TEXT("gen_ai.response.id", "x")).s.kind, SIGHT_MODEL);
	CHECK_INT(habit_read("logfire.openai", "Chat Completion", CHAT "," TEXT("error.type", "E")).s.kind, SIGHT_MODEL);
	CHECK_INT(habit_read("another", "Chat Completion", CHAT).s.kind, SIGHT_MODEL);
}

/* ---- the Agents SDK ---- */

TEST(a_handoff_has_the_name_of_the_tool_that_the_model_asks_for)
{
	struct kept k = habit_read("openinference.instrumentation.openai_agents", "handoff to Second Agent",
				   TEXT("openinference.span.kind", "TOOL"));

	CHECK_INT(k.s.kind, SIGHT_TOOL_END);
	CHECK(strcmp(k.name, "transfer_to_second_agent") == 0);
}
