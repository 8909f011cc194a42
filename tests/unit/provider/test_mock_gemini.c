#include <stdio.h>

#include "unit/provider/mock_sample.h"

#define PATH "/v1beta/models/g-1:"
#define ASK "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"weather?\"}]}]}"

TEST(an_answer_has_its_parts_and_counts)
{
	static const struct {
		const char *pointer, *want;
	} cases[] = {
		{ "/candidates/0/content/role", "model" },
		{ "/candidates/0/content/parts/0/text", "Think first." },
		{ "/candidates/0/content/parts/0/thought", "true" },
		{ "/candidates/0/content/parts/1/text", "Let me look." },
		{ "/candidates/0/content/parts/1/thought", "(nothing)" },
		{ "/candidates/0/content/parts/2/functionCall/name", "weather" },
		{ "/candidates/0/content/parts/2/functionCall/args/city", "Paris" },
		{ "/candidates/0/content/parts/3/functionCall/args", "{}" },
		{ "/candidates/0/finishReason", "STOP" },
		{ "/modelVersion", "g-1" },
		{ "/usageMetadata/promptTokenCount", "100" },
		{ "/usageMetadata/totalTokenCount", "120" },
	};
	struct sample *s = sample_open(SAMPLE_FULL);
	struct val v = sample_json(s, PATH "generateContent", ASK);

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].pointer);
		CHECK_STR(sample_at(s, v, cases[i].pointer), str_from(cases[i].want));
	}
	CHECK_STR(sample_header(s, "content-type"), STR("application/json"));
	sample_close(s);
}

TEST(tokens_of_thoughts_are_not_among_those_of_candidates)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"text\":\"t\",\"usage\":{\"input\":50,\"output\":9,\"reasoning\":4,"
						   "\"cache_read\":20}}}"));
	struct val v = sample_json(s, PATH "generateContent", ASK);

	CHECK_STR(sample_at(s, v, "/usageMetadata/candidatesTokenCount"), STR("5"));
	CHECK_STR(sample_at(s, v, "/usageMetadata/thoughtsTokenCount"), STR("4"));
	CHECK_STR(sample_at(s, v, "/usageMetadata/cachedContentTokenCount"), STR("20"));
	CHECK_STR(sample_at(s, v, "/usageMetadata/totalTokenCount"), STR("59"));
	sample_close(s);
}

TEST(a_stream_is_of_events_with_alt_sse)
{
	struct sample *s = sample_open(SAMPLE_FULL);
	struct str stream = sample_ask(s, PATH "streamGenerateContent?key=k&alt=sse", ASK);

	CHECK(s->x.streamed);
	CHECK_STR(sample_header(s, "content-type"), STR("text/event-stream; charset=utf-8"));
	CHECK_STR(sample_join(s, stream, NULL, "/candidates/0/content/parts/0/text"), STR("Think first.Let me look."));
	CHECK_STR(sample_join(s, stream, NULL, "/candidates/0/content/parts/0/functionCall/name"), STR("weatherclock"));
	CHECK_STR(sample_join(s, stream, NULL, "/candidates/0/finishReason"), STR("STOP"));
	CHECK_STR(sample_join(s, stream, NULL, "/candidates/0/content/parts/0/thought"), STR("truetrue"));
	sample_close(s);
}

TEST(a_stream_is_one_list_without)
{
	struct sample *s = sample_open(SAMPLE_FULL);
	struct val v = sample_json(s, PATH "streamGenerateContent", ASK);

	CHECK(s->x.streamed && val_is(v, JSON_ARRAY));
	CHECK_INT(val_count(v), s->x.talk.events);
	CHECK_STR(sample_header(s, "content-type"), STR("application/json"));
	CHECK_STR(sample_at(s, v, "/0/candidates/0/content/parts/0/thought"), STR("true"));
	CHECK_STR(sample_at(s, v, "/0/usageMetadata/promptTokenCount"), STR("100"));
	CHECK_STR(sample_at(s, v, "/7/usageMetadata/totalTokenCount"), STR("120"));
	sample_close(s);
}

TEST(a_stream_can_be_cut_and_end_in_an_error)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"text\":\"one two three\"},\"fault\":{\"status\":503,\"cut_after\":2}}"));
	struct val v = sample_json(s, PATH "streamGenerateContent", ASK);

	CHECK_INT(val_count(v), 3);
	CHECK_STR(sample_at(s, v, "/1/candidates/0/content/parts/0/text"), STR("two "));
	CHECK_STR(sample_at(s, v, "/2/error/status"), STR("UNAVAILABLE"));
	CHECK(sample_contains(sample_ask(s, PATH "streamGenerateContent?alt=sse", ASK), "data: {\"error\":{\"code\":503"));
	sample_close(s);
}

TEST(the_reason_of_an_end_is_in_its_words)
{
	static const struct {
		const char *word, *want;
	} cases[] = { { "length", "MAX_TOKENS" }, { "content_filter", "SAFETY" }, { "stop", "STOP" }, { "RECITATION", "RECITATION" } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		char script[200];
		struct sample *s;

		snprintf(script, sizeof(script), SAMPLE_RULE("{\"reply\":{\"text\":\"t\",\"finish\":\"%s\"}}"), cases[i].word);
		s = sample_open(script);
		test_case("%s", cases[i].word);
		CHECK_STR(sample_at(s, sample_json(s, PATH "generateContent", ASK), "/candidates/0/finishReason"), str_from(cases[i].want));
		sample_close(s);
	}
}
