#include <stdio.h>

#include "unit/provider/mock_sample.h"

#define CHAT "/v1/chat/completions"
#define SAY(text) "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"" text "\"}]}"
#define STREAM(text) "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"" text "\"}]}"

TEST(without_a_script_the_last_text_comes_back)
{
	struct sample *s = sample_open(NULL);

	CHECK_STR(sample_at(s, sample_json(s, CHAT, SAY("say \\u201cthis\\u201d")), "/choices/0/message/content"),
		  STR("say \xE2\x80\x9Cthis\xE2\x80\x9D"));
	CHECK_STR(sample_at(s,
			    sample_json(s, CHAT, "{\"messages\":[{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"assistant\","
						 "\"content\":null},{\"role\":\"tool\",\"content\":\"the result\"}]}"),
			    "/choices/0/message/content"),
		  STR("the result"));
	CHECK_STR(sample_at(s, sample_json(s, "/v1/messages", SAY("hi")), "/content/0/text"), STR("hi"));
	CHECK_STR(sample_at(s, sample_json(s, "/v1/responses", "{\"input\":\"hi\"}"), "/output/0/content/0/text"), STR("hi"));
	CHECK_STR(sample_join(s, sample_ask(s, CHAT, STREAM("one two three")), NULL, "/choices/0/delta/content"),
		  STR("one two three"));
	sample_close(s);
}

TEST(a_rule_without_a_reply_echoes)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"usage\":{\"output\":9}}}"));
	struct val v = sample_json(s, CHAT, SAY("me"));

	CHECK_STR(sample_at(s, v, "/choices/0/message/content"), STR("me"));
	CHECK_STR(sample_at(s, v, "/usage/completion_tokens"), STR("9"));
	sample_close(s);
}

TEST(no_rule_that_fits_is_404_in_the_providers_shape)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"match\":{\"contains\":\"yes\"},\"reply\":{\"text\":\"x\"}}"));

	CHECK(sample_contains(sample_ask(s, CHAT, SAY("no")), "\"type\":\"invalid_request_error\""));
	CHECK_INT(s->x.status, 404);
	CHECK(sample_contains(sample_ask(s, "/v1/messages", STREAM("no")), "\"type\":\"not_found_error\""));
	CHECK_INT(s->x.status, 404);
	CHECK_STR(sample_ask(s, "/api/chat", SAY("no")), STR("{\"error\":\"no rule of the mock script matches this request\"}"));
	CHECK(!s->x.streamed && s->x.rule == NULL);
	sample_ask(s, "/v1/models", NULL);
	CHECK_INT(s->x.status, 200);
	sample_ask(s, CHAT, SAY("yes"));
	CHECK_INT(s->x.status, 200);
	CHECK(s->x.rule == &s->script.rules[0]);
	sample_close(s);
}

TEST(ids_are_of_the_request_and_how_often_it_came)
{
	struct sample *first = sample_open(NULL), *again = sample_open(NULL);
	struct str a = arena_copy(&first->arena, sample_ask(first, CHAT, SAY("hi")));
	struct str b = arena_copy(&first->arena, sample_ask(first, CHAT, SAY("hi")));
	struct str c = arena_copy(&first->arena, sample_ask(first, CHAT, SAY("ho")));

	CHECK(!str_eq(a, b) && !str_eq(a, c));
	CHECK_STR(sample_ask(again, CHAT, SAY("ho")), c); /* whatever came before it */
	CHECK_STR(sample_ask(again, CHAT, SAY("hi")), a);
	CHECK_STR(sample_ask(again, CHAT, SAY("hi")), b);
	/* so that a change of them is seen: recordings depend on it */
	CHECK(sample_contains(a, "\"id\":\"chatcmpl-"));
	sample_close(first);
	sample_close(again);
}

TEST(a_status_is_an_error_with_its_headers)
{
	struct sample *s = sample_open(SAMPLE_RULE(
		"{\"match\":{\"nth\":1},\"reply\":{\"text\":\"too fast\"},\"pace\":{\"ttft_ms\":5},"
		"\"fault\":{\"status\":429,\"headers\":{\"Retry-After\":\"2\"}}},{\"fault\":{\"headers\":{\"x-left\":7}}}"));

	CHECK(sample_contains(sample_ask(s, CHAT, STREAM("hi")), "\"message\":\"too fast\""));
	CHECK_INT(s->x.status, 429);
	CHECK(!s->x.streamed);
	CHECK_INT(s->waited_ms, 5);
	CHECK_STR(sample_header(s, "Retry-After"), STR("2"));
	CHECK_INT(s->end, MOCK_DONE);
	sample_ask(s, CHAT, SAY("hi"));
	CHECK_INT(s->x.status, 200);
	CHECK_STR(sample_header(s, "x-left"), STR("7"));
	sample_close(s);
}

TEST(a_content_type_of_the_script_wins)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"fault\":{\"headers\":{\"Content-Type\":\"text/html\"}}}"));

	sample_ask(s, CHAT, SAY("hi"));
	CHECK_STR(sample_header(s, "content-type"), STR("(none)"));
	CHECK_STR(sample_header(s, "Content-Type"), STR("text/html"));
	sample_close(s);
}

TEST(rules_that_name_a_path_hold_for_embeddings_too)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"match\":{\"path\":\"/embeddings\",\"nth\":1},\"fault\":{\"status\":503}},"
						   "{\"match\":{\"path\":\"/embeddings\"},\"pace\":{\"ttft_ms\":9}}"));

	sample_ask(s, "/v1/embeddings", "{\"input\":\"a\"}");
	CHECK_INT(s->x.status, 503);
	sample_ask(s, "/v1/embeddings", "{\"input\":\"a\"}");
	CHECK_INT(s->x.status, 200);
	CHECK_INT(s->waited_ms, 9);
	sample_close(s);
}

TEST(a_fault_can_hold_for_the_first_tries_of_everybody)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"match\":{\"times\":2},\"fault\":{\"status\":503,\"headers\":{\"Retry-After\":\"1\"}}},"
						   "{\"reply\":{\"text\":\"fine\"}}"));
	static const struct {
		const char *body;
		int status;
	} asked[] = {
		{ SAY("a"), 503 }, { SAY("b"), 503 }, { SAY("a"), 503 }, { SAY("a"), 200 },
		{ SAY("b"), 503 }, { SAY("b"), 200 }, { SAY("a"), 200 }, { SAY("c"), 503 },
	};

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		test_case("%zu", i);
		sample_ask(s, CHAT, asked[i].body);
		CHECK_INT(s->x.status, asked[i].status);
		if (asked[i].status == 503)
			CHECK_STR(sample_header(s, "Retry-After"), STR("1"));
	}
	sample_close(s);
}

TEST(an_answer_can_be_empty)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"text\":\"\"}}"));

	CHECK(sample_contains(sample_ask(s, CHAT, SAY("a")), "\"content\":\"\""));
	sample_close(s);
}

static size_t count_events(struct sample *s, struct str stream)
{
	struct sse_event e;
	size_t n = 0;

	while (sse_next_in_text(&stream, &s->arena, &e))
		n++;
	return n;
}

TEST(a_stream_is_cut_after_so_many_events)
{
	static const size_t all = 6; /* role, three words, the reason, [DONE] */

	for (size_t n = 0; n <= all + 1; n++) {
		char script[200];
		struct sample *s;
		struct str stream;

		test_case("%zu events", n);
		snprintf(script, sizeof(script), SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\"},\"fault\":{\"cut_after\":%zu}}"), n);
		s = sample_open(script);
		stream = sample_ask(s, CHAT, STREAM("hi"));
		CHECK_INT(count_events(s, stream), n < all ? n : all);
		CHECK_INT(s->end, n < all ? MOCK_BROKEN : MOCK_DONE);
		CHECK_INT(s->x.status, 200);
		sample_close(s);
	}
}

/* Some steps have several events: a cut falls between them too. */
TEST(a_cut_falls_between_the_events_of_a_step)
{
	for (size_t n = 0; n < 12; n++) {
		char script[200];
		struct sample *s;

		snprintf(script, sizeof(script), SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\"},\"fault\":{\"cut_after\":{\"events\":%zu}}}"), n);
		s = sample_open(script);
		CHECK_INT(count_events(s, sample_ask(s, "/v1/responses", "{\"stream\":true,\"input\":\"x\"}")), n < 11 ? n : 11);
		sample_close(s);
	}
}

TEST(lines_are_cut_as_events)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\"},\"fault\":{\"cut_after\":2}}"));
	struct str text = sample_ask(s, "/api/chat", SAY("x"));

	CHECK(str_ends(text, STR("\n")) && sample_contains(text, "\"b \"") && !sample_contains(text, "\"c\""));
	CHECK_INT(s->end, MOCK_BROKEN);
	sample_close(s);
}

TEST(a_body_is_cut_after_so_many_bytes)
{
	static const struct {
		const char *script, *body;
		size_t bytes;
		enum mock_next end;
	} cases[] = {
		{ SAMPLE_RULE("{\"fault\":{\"cut_after\":10}}"), SAY("hi"), 10, MOCK_BROKEN },
		{ SAMPLE_RULE("{\"fault\":{\"cut_after\":{\"bytes\":10}}}"), SAY("hi"), 10, MOCK_BROKEN },
		{ SAMPLE_RULE("{\"fault\":{\"cut_after\":{\"bytes\":10}}}"), STREAM("hi"), 10, MOCK_BROKEN },
		{ SAMPLE_RULE("{\"fault\":{\"cut_after\":{\"bytes\":300}}}"), STREAM("hi"), 300, MOCK_BROKEN },
		{ SAMPLE_RULE("{\"fault\":{\"cut_after\":{\"bytes\":0}}}"), STREAM("hi"), 0, MOCK_BROKEN },
		{ SAMPLE_RULE("{\"fault\":{\"cut_after\":{\"events\":0}}}"), SAY("hi"), 0, MOCK_BROKEN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample *s = sample_open(cases[i].script);

		test_case("%s", cases[i].script);
		CHECK_INT(sample_ask(s, CHAT, cases[i].body).n, cases[i].bytes);
		CHECK_INT(s->end, cases[i].end);
		sample_close(s);
	}
}

TEST(what_is_not_reached_is_not_cut)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"fault\":{\"cut_after\":{\"events\":1}}}"));

	sample_json(s, CHAT, SAY("hi"));
	CHECK_INT(s->end, MOCK_DONE);
	sample_close(s);
	s = sample_open(SAMPLE_RULE("{\"fault\":{\"cut_after\":{\"bytes\":1000000}}}"));
	sample_json(s, CHAT, SAY("hi"));
	CHECK_INT(s->end, MOCK_DONE);
	CHECK(str_ends(sample_ask(s, CHAT, STREAM("hi")), STR("[DONE]\n\n")));
	CHECK_INT(s->end, MOCK_DONE);
	sample_close(s);
}

TEST(a_status_and_a_cut_are_an_error_inside_the_stream)
{
	static const struct {
		const char *path, *body, *want;
	} cases[] = {
		{ CHAT, STREAM("x"), "data: {\"error\":{\"message\":" },
		{ "/v1/messages", STREAM("x"), "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"" },
		{ "/v1/responses", "{\"stream\":true,\"input\":\"x\"}", "event: error\ndata: {\"type\":\"error\",\"sequence_number\":2" },
		{ "/api/chat", SAY("x"), "{\"error\":\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample *s = sample_open(
			SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\"},\"fault\":{\"status\":529,\"cut_after\":2}}"));
		struct str stream = sample_ask(s, cases[i].path, cases[i].body);

		test_case("%s", cases[i].path);
		CHECK(sample_contains(stream, cases[i].want));
		CHECK_INT(s->end, MOCK_DONE);
		CHECK_INT(s->x.status, 200);
		sample_close(s);
	}
}

TEST(bad_json_is_bad_where_content_begins_and_nowhere_else)
{
	static const struct {
		const char *path, *body;
	} cases[] = {
		{ CHAT, STREAM("x") },
		{ "/v1/messages", STREAM("x") },
		{ "/v1/responses", "{\"stream\":true,\"input\":\"x\"}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"text\":\"\xC3\xA9 b c\"},\"fault\":{\"bad_json\":true}}"));
		struct str stream = sample_ask(s, cases[i].path, cases[i].body);
		struct sse_event e;
		size_t bad = 0, good = 0;
		struct val v;

		test_case("%s", cases[i].path);
		while (sse_next_in_text(&stream, &s->arena, &e))
			json_parse_copy(s->parser, e.data, &v, NULL) || str_eq(e.data, STR("[DONE]")) ? good++ : bad++;
		CHECK_INT(bad, 1);
		CHECK(good > 4);
		CHECK_INT(s->end, MOCK_DONE);
		sample_close(s);
	}
}

TEST(bad_json_spoils_lines_and_bodies_too)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"text\":\"a b\"},\"fault\":{\"bad_json\":true}}"));
	struct str text = sample_ask(s, CHAT, SAY("x")), line;
	size_t bad = 0;
	struct val v;

	CHECK(!json_parse_copy(s->parser, text, &v, NULL));
	CHECK_INT(s->end, MOCK_DONE);
	text = sample_ask(s, "/api/chat", SAY("x"));
	while (text.n) {
		line = str_cut(text, '\n', &text);
		bad += !json_parse_copy(s->parser, line, &v, NULL);
	}
	CHECK_INT(bad, 1);
	sample_close(s);
}

TEST(a_stall_waits_in_the_middle)
{
	struct sample *s = sample_open(SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\"},\"pace\":{\"ttft_ms\":100,\"itl_ms\":10},"
						   "\"fault\":{\"stall_ms\":1000}}"));
	static const uint64_t want[] = { 0, 100, 0, 1010, 10, 0, 0 };
	struct http_head h = { .method = STR("POST"), .target = STR(CHAT) };
	uint64_t delay;

	sample_ask(s, CHAT, SAY("x"));
	CHECK_INT(s->x.delay_ms, 1120);
	mock_answer_make(&s->maker, &s->arena, &h, STR(STREAM("x")), &s->x);
	CHECK_INT(s->x.delay_ms, 0);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		test_case("step %zu", i);
		CHECK_INT(mock_answer_next(&s->x, &s->bytes, &delay), MOCK_MORE);
		CHECK_INT(delay, want[i]);
	}
	CHECK_INT(mock_answer_next(&s->x, &s->bytes, &delay), MOCK_DONE);
	sample_close(s);
}

TEST(a_stall_with_a_cut_waits_before_the_end)
{
	struct sample *s = sample_open(
		SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\"},\"fault\":{\"stall_ms\":1000,\"cut_after\":2}}"));

	sample_ask(s, CHAT, STREAM("x"));
	CHECK_INT(s->waited_ms, 1000);
	CHECK_INT(s->end, MOCK_BROKEN);
	sample_close(s);
}

TEST(requests_that_make_no_sense_are_errors_in_the_providers_shape)
{
	struct sample *s = sample_open(NULL);

	CHECK(sample_contains(sample_ask(s, CHAT, "{"), "the body is not JSON"));
	CHECK_INT(s->x.status, 400);
	CHECK(sample_contains(sample_ask(s, "/v1/messages", "{}"), "\"invalid_request_error\""));
	CHECK_INT(s->x.status, 400);
	CHECK(sample_contains(sample_ask(s, "/nowhere", "{}"), "nothing at this path"));
	CHECK_INT(s->x.status, 404);
	sample_ask(s, CHAT, NULL);
	CHECK_INT(s->x.status, 405);
	CHECK_STR(sample_header(s, "allow"), STR("POST"));
	sample_close(s);
}
