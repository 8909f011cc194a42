/* The server on loopback: what was recorded comes over the wire. */
#include "replay/tape_server.h"

#include <stdlib.h>
#include <zlib.h>

#include "unit/replay/tape_stage.h"

#define CHAT "/v1/chat/completions"
#define SSE "text/event-stream"
#define STREAM "data: {\"a\":1}\n\ndata: {\"b\":\"\xc3\xa4\"}\n\ndata: [DONE]\n\n"

TEST(a_recorded_answer_comes_with_its_head)
{
	struct fake f = { 0 };
	struct stage *s;
	struct str got;

	fake_add(&f, "POST", CHAT, "{}", "application/json", STR("{\"id\":1}"));
	s = stage_open(&f);
	got = stage_say(s, CHAT, "{}");
	CHECK_STR(got, STR("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nrequest-id: req_1\r\nContent-Length: 8\r\n"
			   "Connection: close\r\n\r\n{\"id\":1}"));
	CHECK(f.used[0]);
	CHECK_INT(f.asked, 1);
	stage_close(s);
}

TEST(a_stream_is_the_same_however_it_is_cut)
{
	static const struct player_pace paces[] = { { CHUNKS_RECORDED, 0, 0 }, { CHUNKS_EVENT, 0, 0 }, { CHUNKS_SINGLE, 0, 0 },
						    { CHUNKS_BYTES, 1, 0 }, { CHUNKS_BYTES, 7, 0 } };
	static const size_t counts[] = { 9, 3, 1, sizeof(STREAM) - 1, 7 };
	struct buf body = { 0 };
	bool whole;

	for (size_t i = 0; i < COUNT(paces); i++) {
		struct fake f = { .pace = paces[i] };
		struct stage *s;
		struct str got;
		size_t chunks = 0;

		fake_chunks(fake_add(&f, "POST", CHAT, "{}", SSE, STR(STREAM)), 9, 5, 1000000);
		s = stage_open(&f);
		got = stage_say(s, CHAT, "{}");
		CHECK(contains(got, "Transfer-Encoding: chunked\r\n") && !contains(got, "Content-Length"));
		CHECK_STR(stage_body(&body, got, &whole), STR(STREAM));
		CHECK(whole);
		for (size_t at = 0; at + 1 < got.n; at++)
			chunks += got.p[at] == '\r' && got.p[at + 1] == '\n';
		CHECK_INT((chunks - 6 - 2) / 2, counts[i]); /* lines of the head, and the end */
		stage_close(s);
	}
	buf_free(&body);
}

TEST(a_large_stream_in_single_bytes_reaches_a_client_that_reads_late)
{
	struct fake f = { .pace = { CHUNKS_BYTES, 1, 0 } };
	size_t n = (size_t)3 << 20;
	char *text = test_alloc(n);
	struct buf body = { 0 };
	struct stage *s;
	bool whole;
	int fd;

	for (size_t i = 0; i < n; i++)
		text[i] = (char)('a' + i * 31 % 26);
	fake_chunks(fake_add(&f, "POST", CHAT, "{}", SSE, str_of(text, n)), 1, 1, 0);
	s = stage_open(&f);
	fd = stage_ask(s, "POST", CHAT, STR("{}"), "");
	turn_for(&s->loop, 50);
	CHECK_INT(tape_server_count(s->server), 1); /* it waits for the client */
	CHECK_STR(stage_body(&body, stage_hear(s, fd), &whole), str_of(text, n));
	CHECK(whole);
	stage_close(s);
	buf_free(&body);
}

TEST(an_answer_ends_as_it_was_ended)
{
	static const struct {
		enum tape_end end;
		int status;
		bool lost;
		const char *type, *starts, *body;
		bool whole;
	} cases[] = {
		{ TAPE_EOF, 200, false, SSE, "HTTP/1.1 200 ", STREAM, true },
		{ TAPE_EOF, 429, false, "application/json", "HTTP/1.1 429 ", STREAM, true },
		{ TAPE_EOF, 200, true, "application/json", "HTTP/1.1 200 ", STREAM, false },
		{ TAPE_CUT, 200, false, SSE, "HTTP/1.1 200 ", STREAM, false },
		{ TAPE_CUT, 200, false, "application/json", "HTTP/1.1 200 ", STREAM, false },
		{ TAPE_CUT, 0, false, SSE, "", "", false },
		{ TAPE_CLIENT_LEFT, 200, false, SSE, "HTTP/1.1 200 ", STREAM, false },
		{ TAPE_CLIENT_LEFT, 0, false, SSE, "", "", false },
		{ TAPE_REFUSED, 0, false, SSE, "HTTP/1.1 502 Bad Gateway\r\nContent-Type: application/json\r\n",
		  "{\"error\":{\"message\":\"no answer from api.example: it could not be reached when this was recorded\","
		  "\"type\":\"trackway_upstream\"}}\n", true },
	};
	struct buf body = { 0 };
	bool whole;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fake f = { 0 };
		struct tape_line *l = fake_add(&f, "POST", CHAT, "{}", cases[i].type, STR(STREAM));
		struct stage *s;
		struct str got;

		test_case("%zu", i);
		fake_chunks(l, 3, 9, 0);
		l->http.end = cases[i].end;
		l->http.status = cases[i].status;
		l->http.answer.lost = cases[i].lost;
		l->http.endpoint = STR("http://api.example/v1");
		if (!cases[i].status)
			l->http.answer.bytes = STR("");
		s = stage_open(&f);
		got = stage_say(s, CHAT, "{}");
		CHECK(str_starts(got, str_from(cases[i].starts)) && (cases[i].starts[0] || got.n == 0));
		CHECK_STR(stage_body(&body, got, &whole), str_from(cases[i].body));
		CHECK_INT(whole, cases[i].whole);
		stage_close(s);
	}
	buf_free(&body);
}

TEST(a_refusal_after_the_time_of_a_timeout_is_504)
{
	static const struct {
		int64_t us;
		const char *starts;
	} cases[] = { { 1000, "HTTP/1.1 502 " }, { 30001000, "HTTP/1.1 504 " }, { 60000000, "HTTP/1.1 502 " }, { 600100000, "HTTP/1.1 504 " } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fake f = { 0 };
		struct tape_line *l = fake_add(&f, "POST", CHAT, "{}", SSE, STR(""));
		struct stage *s;

		l->http.end = TAPE_REFUSED;
		l->http.status = 0;
		l->ended_us = cases[i].us;
		s = stage_open(&f);
		CHECK(str_starts(stage_say(s, CHAT, "{}"), str_from(cases[i].starts)));
		stage_close(s);
	}
}

TEST(a_client_that_leaves_where_the_recorded_one_left_is_let_go)
{
	struct fake f = { 0 };
	struct tape_line *l = fake_add(&f, "POST", CHAT, "{}", SSE, STR(STREAM));
	struct stage *s;
	int fd;

	fake_chunks(l, 1, 1, 0);
	l->http.end = TAPE_CLIENT_LEFT;
	s = stage_open(&f);
	fd = stage_ask(s, "POST", CHAT, STR("{}"), "");
	hear_until(&s->loop, fd, &s->got, STR("[DONE]"));
	close(fd);
	TURN_UNTIL(&s->loop, tape_server_count(s->server) == 0);
	stage_close(s);
}

TEST(a_miss_says_why_and_that_asking_again_is_no_use)
{
	struct fake f = { 0 };
	struct stage *s = stage_open(&f);
	struct str got = stage_say(s, "/v1/messages?beta=true", "{\"model\":\"m\"}");

	CHECK(str_starts(got, STR("HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nx-should-retry: false\r\n")));
	CHECK(str_ends(got, STR("{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
				"\"message\":\"replay miss: nobody asked \\\"this\\\"\"}}\n")));
	CHECK_STR(buf_str(&f.missed), STR("model POST /v1/messages?beta=true {\"model\":\"m\"}\n"));
	stage_close(s);
}

TEST(an_entry_is_given_once)
{
	struct fake f = { 0 };
	struct stage *s;

	fake_add(&f, "POST", CHAT, "{}", "application/json", STR("first"));
	fake_add(&f, "POST", CHAT, "{}", "application/json", STR("second"));
	s = stage_open(&f);
	CHECK(str_ends(stage_say(s, CHAT, "{}"), STR("\r\n\r\nfirst")));
	CHECK(str_ends(stage_say(s, CHAT, "{}"), STR("\r\n\r\nsecond")));
	CHECK(str_starts(stage_say(s, CHAT, "{}"), STR("HTTP/1.1 400 ")));
	stage_close(s);
}

TEST(questions_are_as_cassettes_have_them)
{
	struct fake f = { .lane = STR("mcp:files") };
	struct stage *s = stage_open(&f);
	uLongf n = 100;
	Bytef packed[100];

	stage_hear(s, stage_ask(s, "GET", "/v1/models?key=AIzaSyA1234567890123456789012345678901&limit=2#f", STR(""), ""));
	stage_hear(s, stage_ask(s, "HEAD", "/v1/models", STR(""), ""));
	compress(packed, &n, (const Bytef *)"{\"packed\":1}", 12);
	stage_hear(s, stage_ask(s, "POST", "/mcp", str_of(packed, n), "Content-Encoding: deflate\r\n"));
	stage_hear(s, stage_ask(s, "POST", "/mcp", STR("not packed"), "Content-Encoding: gzip\r\n"));
	CHECK_STR(buf_str(&f.missed), STR("mcp:files GET /v1/models?limit=2 \nmcp:files HEAD /v1/models \nmcp:files POST /mcp {\"packed\":1}\n"
					  "mcp:files POST /mcp not packed\n"));
	stage_close(s);
}

TEST(requests_without_a_body_are_answered_too)
{
	struct fake f = { 0 };
	struct stage *s;

	fake_add(&f, "GET", "/v1/models", "", "application/json", STR("[]"));
	fake_add(&f, "HEAD", "/v1/models", "", "application/json", STR(""));
	fake_add(&f, "POST", "/mcp", "{}", "", STR(""))->http.status = 204;
	s = stage_open(&f);
	CHECK(str_ends(stage_hear(s, stage_ask(s, "GET", "/v1/models", STR(""), "")), STR("\r\n\r\n[]")));
	CHECK(str_ends(stage_hear(s, stage_ask(s, "HEAD", "/v1/models", STR(""), "")), STR("\r\n\r\n")));
	CHECK(str_starts(stage_say(s, "/mcp", "{}"), STR("HTTP/1.1 204 ")));
	stage_close(s);
}

TEST(a_translated_answer_may_have_another_length)
{
	static const struct player_pace paces[] = { { CHUNKS_RECORDED, 0, 0 }, { CHUNKS_EVENT, 0, 0 }, { CHUNKS_BYTES, 1, 0 } };
	struct buf body = { 0 };
	bool whole;

	for (size_t i = 0; i < COUNT(paces); i++) {
		struct fake f = { .pace = paces[i], .from = STR("{\"a\":1}"), .to = STR("{\"longer\":\"than before\"}") };
		struct stage *s;

		fake_chunks(fake_add(&f, "POST", CHAT, "{}", SSE, STR(STREAM)), 4, 10, 0);
		fake_add(&f, "POST", CHAT, "{}", "application/json", STR("{\"a\":1}"));
		s = stage_open(&f);
		CHECK_STR(stage_body(&body, stage_say(s, CHAT, "{}"), &whole),
			  STR("data: {\"longer\":\"than before\"}\n\ndata: {\"b\":\"\xc3\xa4\"}\n\ndata: [DONE]\n\n"));
		CHECK(whole);
		CHECK_STR(stage_body(&body, stage_say(s, CHAT, "{}"), &whole), STR("{\"longer\":\"than before\"}"));
		CHECK(whole);
		stage_close(s);
	}
	buf_free(&body);
}

/* Order, and not before its time: how late a piece is depends on the machine. */
TEST(the_recorded_pace_is_kept)
{
	struct fake f = { .pace = { CHUNKS_RECORDED, 0, 0.5 } };
	uint64_t begun = clock_mono_ns(), first = 0;
	struct buf body = { 0 };
	struct stage *s;
	bool whole;
	int fd;

	fake_chunks(fake_add(&f, "POST", CHAT, "{}", SSE, STR(STREAM)), 4, 10, 60000);
	s = stage_open(&f);
	fd = stage_ask(s, "POST", CHAT, STR("{}"), "");
	hear_some(&s->loop, fd, &s->got, 1);
	first = clock_mono_ns();
	CHECK(!contains(buf_str(&s->got), "[DONE]") || first - begun >= 120000000);
	CHECK(first - begun >= 30000000);
	hear_all(&s->loop, fd, &s->got);
	close(fd);
	CHECK(clock_mono_ns() - begun >= 120000000);
	CHECK_STR(stage_body(&body, buf_str(&s->got), &whole), STR(STREAM));
	CHECK(whole);
	stage_close(s);
	buf_free(&body);
}

TEST(a_server_that_stops_now_leaves_nothing_behind)
{
	struct fake f = { .pace = { CHUNKS_RECORDED, 0, 1 } };
	struct stage *s;
	int fds[5];

	for (size_t i = 0; i < COUNT(fds); i++)
		fake_chunks(fake_add(&f, "POST", CHAT, "{}", SSE, STR(STREAM)), 4, 10, i < 3 ? 60000000 : 1000);
	s = stage_open(&f);
	for (size_t i = 0; i < COUNT(fds); i++)
		fds[i] = stage_ask(s, "POST", CHAT, STR("{}"), "");
	TURN_UNTIL(&s->loop, tape_server_count(s->server) == 3 && f.asked == 5);
	close(fds[0]); /* a client that leaves while its answer waits */
	TURN_UNTIL(&s->loop, tape_server_count(s->server) == 2);
	stage_close(s);
	for (size_t i = 1; i < COUNT(fds); i++)
		close(fds[i]);
}

TEST(a_recorded_change_of_protocol_is_no_answer)
{
	struct fake f = { 0 };
	struct stage *s;

	fake_add(&f, "GET", "/v1/responses", "", "", STR(""))->http.status = 101;
	s = stage_open(&f);
	CHECK(str_starts(stage_hear(s, stage_ask(s, "GET", "/v1/responses", STR(""), "")), STR("HTTP/1.1 400 ")));
	CHECK_INT(f.notes, 1);
	stage_close(s);
}

TEST(headers_that_no_head_may_have_are_left_out)
{
	struct fake f = { 0 };
	struct tape_line *l = fake_add(&f, "POST", CHAT, "{}", "application/json", STR("{}"));
	struct stage *s;

	l->http.headers[1] = (struct http_header){ STR("x-a"), STR("1\r\nx-b: 2") };
	l->http.headers[2] = (struct http_header){ STR("x c"), STR("3") };
	s = stage_open(&f);
	CHECK_STR(stage_say(s, CHAT, "{}"), STR("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
					      "Content-Length: 2\r\nConnection: close\r\n\r\n{}"));
	stage_close(s);
}
