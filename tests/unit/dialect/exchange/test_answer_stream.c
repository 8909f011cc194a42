#include "dialect/exchange/answer_stream.h"

#include "dialect/exchange/hint.h"
#include "harness/test.h"

struct heard {
	struct buf text;
	size_t steps, calls, errors;
};

static void hear(void *own, struct event *e)
{
	struct heard *h = own;

	h->steps += e->kind == EVENT_STEP;
	h->calls += e->kind == EVENT_CALL;
	h->errors += e->kind == EVENT_ERROR;
	if (e->kind == EVENT_STEP)
		buf_add_str(&h->text, e->text);
}

struct recorder {
	struct arena names;
	struct answer_parser parser;
	struct answer_stream s;
	struct heard h;
};

static struct recorder *recorder_open(const struct exchange_api *api, size_t event_most, size_t body_most)
{
	struct recorder *d = test_alloc(sizeof(*d));

	answer_parser_init(&d->parser);
	arena_init(&d->names);
	answer_stream_init(&d->s, &d->parser, &d->names, event_most, body_most);
	d->s.api = api;
	d->s.asked = true;
	buf_init(&d->h.text);
	return d;
}

static void recorder_close(struct recorder *d)
{
	answer_stream_free(&d->s);
	answer_parser_free(&d->parser);
	arena_free(&d->names);
	buf_free(&d->h.text);
}

static void read_in(struct recorder *d, struct str bytes, size_t piece)
{
	struct answer_sink to = { hear, &d->h };

	for (size_t at = 0; at < bytes.n; at += piece)
		answer_stream_push(&d->s, str_of(bytes.p + at, bytes.n - at < piece ? bytes.n - at : piece), to);
	answer_stream_end(&d->s, to);
}

#define CHUNK(delta) "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}"
#define PIECE(text) CHUNK("\"content\":\"" text "\"")
#define LAST                                                                         \
	"{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]," \
	"\"usage\":{\"prompt_tokens\":2,\"completion_tokens\":3}}"

TEST(the_first_byte_tells_what_comes)
{
	static const struct {
		const char *bytes;
		const char *type;
		enum answer_form form;
		bool is_stream, is_whole;
		const char *text;
		uint64_t unread;
	} cases[] = {
		{ "data: " PIECE("a") "\n\ndata: " LAST "\n\ndata: [DONE]\n\n", "text/event-stream", ANSWER_EVENTS, true, true, "a", 0 },
		{ ": ping\n\ndata: " PIECE("a") "\n\ndata: " LAST "\n\n", "application/json", ANSWER_EVENTS, true, true, "a", 0 },
		{ "\xef\xbb\xbf" "data: " PIECE("a") "\n\ndata: [DONE]\n\n", "text/event-stream", ANSWER_EVENTS, true, true, "a", 0 },
		{ " \n" PIECE("a") "\n" PIECE("b") "\n" LAST "\n", "application/x-NDJSON; charset=utf-8", ANSWER_VALUES, true, true, "ab", 0 },
		{ "[" PIECE("a") "," PIECE("b") "," LAST "]", "application/json", ANSWER_VALUES, true, true, "ab", 0 },
		{ "{\"id\":\"c\",\"choices\":[{\"index\":0,\"message\":{\"content\":\"w{]\\\"\"},\"finish_reason\":\"stop\"}]}", "text/event-stream",
		  ANSWER_VALUES, false, true, "w{]\"", 0 },
		{ "<html>", "application/json", ANSWER_OTHER, false, true, "", 0 },
		{ "", "text/event-stream", ANSWER_UNSEEN, false, false, "", 0 },
		{ "data: " PIECE("a") "\n\n", "text/event-stream", ANSWER_EVENTS, true, false, "a", 0 },
		{ "data: " PIECE("a") "\n\ndata: {no\n\ndata: no\n\ndata: [DONE]\n\n", "text/event-stream", ANSWER_EVENTS, true, true, "a", 2 },
		{ "{\"id\":", "application/json", ANSWER_VALUES, false, false, "", 0 },
		{ "{\"id\" 1}", "application/json", ANSWER_VALUES, false, false, "", 1 },
	};
	static const size_t pieces[] = { 1, 2, 3, 5, 1000 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t k = 0; k < 5; k++) {
			struct recorder *d = recorder_open(&openai_chat_api, 1 << 20, 1 << 20);

			test_case("%zu in pieces of %zu", i, pieces[k]);
			answer_stream_header(&d->s, STR("Content-Type"), str_from(cases[i].type));
			read_in(d, str_from(cases[i].bytes), pieces[k]);
			CHECK_INT(d->s.form, cases[i].form);
			CHECK_INT(answer_stream_is_stream(&d->s), cases[i].is_stream);
			CHECK_INT(answer_stream_is_whole(&d->s, true), cases[i].is_whole);
			CHECK_STR(d->h.text.n ? buf_str(&d->h.text) : STR(""), str_from(cases[i].text));
			CHECK_INT(d->s.unread, cases[i].unread);
			recorder_close(d);
		}
	}
}

TEST(the_end_of_a_stream_is_its_end_mark_or_its_reason)
{
	struct recorder *d = recorder_open(&openai_chat_api, 1 << 20, 1 << 20);

	read_in(d, STR("data: " LAST "\n\n"), 10);
	CHECK(d->s.has_stop && !d->s.has_done);
	CHECK_STR(str_from(d->s.stop_reason), STR("end_turn"));
	CHECK(answer_stream_is_whole(&d->s, true));
	CHECK(!answer_stream_is_whole(&d->s, false));
	CHECK_INT(d->s.usage.input.n, 2);
	CHECK_INT(d->s.values, 1);
	answer_stream_reset(&d->s);
	CHECK(!d->s.has_stop && d->s.form == ANSWER_UNSEEN && d->s.usage.input.n == 0 && d->s.api == NULL);
	d->s.api = &ollama_api;
	d->s.asked = true;
	read_in(d, STR("{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true}\n"), 3);
	CHECK(answer_stream_is_whole(&d->s, false));
	recorder_close(d);
}

TEST(a_torn_value_is_told_apart_from_one_that_is_no_json)
{
	struct recorder *d = recorder_open(&openai_chat_api, 1 << 20, 1 << 20);

	read_in(d, STR("data: " PIECE("a") "\n\ndata: {\"cho"), 4);
	CHECK(d->s.torn && d->s.unread == 0 && !d->s.bad);
	answer_stream_reset(&d->s);
	d->s.api = &openai_chat_api;
	read_in(d, STR("{\"choices\":[\"}"), 4);
	CHECK(d->s.torn && d->s.unread == 0 && d->s.bad);
	recorder_close(d);
}

TEST(what_is_too_large_is_skipped_and_said)
{
	struct recorder *d = recorder_open(&openai_chat_api, 100, 200);

	read_in(d, STR("data: " PIECE("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa") "\n\ndata: " PIECE("b") "\n\n"), 9);
	CHECK(d->s.too_large && d->s.bad);
	CHECK_STR(buf_str(&d->h.text), STR("b"));
	answer_stream_reset(&d->s);
	d->s.api = &openai_chat_api;
	read_in(d, STR("{\"choices\":[{\"index\":0,\"message\":{\"content\":\""
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}}]}"), 9);
	CHECK(d->s.too_large && d->s.bad && !d->s.torn);
	CHECK_STR(buf_str(&d->h.text), STR("b"));
	recorder_close(d);
}

TEST(after_a_gap_reading_begins_anew)
{
	struct recorder *d = recorder_open(&openai_chat_api, 1 << 20, 1 << 20);
	struct answer_sink to = { hear, &d->h };

	answer_stream_push(&d->s, STR("data: {\"choices\":[{\"ind"), to);
	answer_stream_skip(&d->s);
	answer_stream_push(&d->s, STR("data: " PIECE("b") "\n\n"), to);
	answer_stream_end(&d->s, to);
	CHECK_STR(buf_str(&d->h.text), STR("b"));
	CHECK_INT(d->s.unread, 0);
	recorder_close(d);
}

TEST(errors_in_a_stream_are_seen)
{
	struct recorder *d = recorder_open(&anthropic_api, 1 << 20, 1 << 20);

	read_in(d, STR("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"), 6);
	CHECK(d->s.has_error);
	CHECK_INT(d->h.errors, 1);
	recorder_close(d);
}

TEST(the_bytes_of_an_event_are_text_thought_and_arguments)
{
	struct event e = { .kind = EVENT_STEP, .text = STR("abc"), .reasoning = STR("de") };
	struct exchange_hint hint = { .part = STREAM_DONE };

	CHECK_INT(answer_event_bytes(&e), 5);
	e = (struct event){ .kind = EVENT_CALL, .args = STR("{}"), .args_text = STR("x") };
	CHECK_INT(answer_event_bytes(&e), 1);
	e.args = STR("{\"a\":1}");
	CHECK_INT(answer_event_bytes(&e), 8);
	CHECK_INT(answer_event_copy(&e), ANSWER_DELTA);
	e.hint = &hint;
	CHECK_INT(answer_event_copy(&e), ANSWER_ITEM);
	hint.part = STREAM_FINAL;
	CHECK_INT(answer_event_copy(&e), ANSWER_WHOLE);
}

TEST(text_is_content_and_thought_arguments_and_named_calls_are_tokens)
{
	static const struct exchange_hint whole_item = { .part = STREAM_DONE };
	static const struct {
		struct event e;
		unsigned news;
	} cases[] = {
		{ { .kind = EVENT_STEP, .role = { "assistant", 9 } }, 0 },
		{ { .kind = EVENT_STEP, .text = { "a", 1 } }, ANSWER_TOKEN | ANSWER_CONTENT },
		{ { .kind = EVENT_STEP, .text = { "a", 1 }, .hint = &whole_item }, ANSWER_TOKEN | ANSWER_CONTENT },
		{ { .kind = EVENT_STEP, .reasoning = { "a", 1 } }, ANSWER_TOKEN },
		{ { .kind = EVENT_CALL, .call = { "c1", 2 } }, 0 },
		{ { .kind = EVENT_CALL, .tool = { "ls", 2 } }, ANSWER_TOKEN },
		{ { .kind = EVENT_CALL, .args_text = { "{", 1 } }, ANSWER_TOKEN },
		{ { .kind = EVENT_ERROR, .text = { "no", 2 } }, 0 },
		{ { .kind = EVENT_MESSAGE, .text = { "a", 1 } }, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK_INT(answer_event_news(&cases[i].e), cases[i].news);
	}
}

TEST(times_are_those_of_the_bytes_that_made_an_event_whole)
{
	struct recorder *d = recorder_open(&openai_chat_api, 1 << 20, 1 << 20);
	struct answer_sink to = { hear, &d->h };
	struct str bytes = STR("data: " CHUNK("\"role\":\"assistant\"") "\n\ndata: " CHUNK("\"reasoning\":\"hm\"") "\r\n\r\n"
			       "data: " PIECE("a")), part;
	size_t thought = str_find(bytes, STR("\r\n\r\n")) + 3;

	for (size_t i = 0; i < bytes.n; i++) {
		part = str_of(bytes.p + i, 1);
		answer_stream_came(&d->s, (int64_t)i + 100);
		answer_stream_push(&d->s, part, to);
	}
	CHECK_INT(d->s.byte_ns, 100);
	CHECK_INT(d->s.token_ns, 100 + thought - 1);
	CHECK_INT(d->s.content_ns, 0);
	answer_stream_end(&d->s, to); /* nothing came after the last byte */
	CHECK_INT(d->s.content_ns, 100 + bytes.n - 1);
	recorder_close(d);
}

TEST(an_answer_that_is_no_stream_has_no_first_token)
{
	struct recorder *d = recorder_open(&openai_chat_api, 1 << 20, 1 << 20);

	answer_stream_came(&d->s, 7);
	read_in(d, STR("{\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"content\":\"w\"},\"finish_reason\":\"stop\"}]}"), 9);
	CHECK_INT(d->s.byte_ns, 7);
	CHECK(!d->s.token_ns && !d->s.content_ns);
	recorder_close(d);
}

TEST(head_and_body_say_the_names_of_an_answer)
{
	struct recorder *d = recorder_open(&openai_chat_api, 1 << 20, 1 << 20);

	answer_stream_header(&d->s, STR("Content-Length"), STR("application/x-ndjson"));
	answer_stream_header(&d->s, STR("X-Request-Id"), STR(""));
	answer_stream_header(&d->s, STR("X-Request-Id"), STR("q1"));
	answer_stream_header(&d->s, STR("request-id"), STR("q2"));
	read_in(d, STR("data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
		       "data: {\"id\":\"d\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"), 50);
	CHECK_STR(d->s.request_id, STR("q1"));
	CHECK_STR(d->s.id, STR("c"));
	CHECK_STR(d->s.model, STR("m-1"));
	CHECK_STR(str_from(answer_stream_stop(&d->s, 0)), STR("end_turn"));
	CHECK_STR(str_from(answer_stream_stop(&d->s, 2)), STR("tool_use"));
	answer_stream_reset(&d->s);
	CHECK(!d->s.request_id.p && !d->s.id.p && !d->s.model.p && !d->s.asked && answer_stream_stop(&d->s, 1) == NULL);
	recorder_close(d);
}

TEST(one_value_is_parsed_leniently)
{
	struct answer_parser p;
	struct val v;

	answer_parser_init(&p);
	CHECK(answer_parse(&p, STR("{\"a\":1,\"a\":2}"), &v));
	answer_parse_end(&p);
	CHECK(!answer_parse(&p, STR("{\"a\":"), &v));
	answer_parse_end(&p);
	answer_parser_free(&p);
}
