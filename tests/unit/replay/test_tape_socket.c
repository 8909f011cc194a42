/* A WebSocket of the server: requests are messages, and so are events. */
#include "replay/tape_socket.h"

#include "net/websocket/websocket.h"
#include "unit/replay/tape_stage.h"

#define TARGET "/v1/responses"
#define CREATE(n) "{\"type\":\"response.create\",\"input\":\"" n "\",\"previous_response_id\":\"r0\"}"
#define ANSWER "{\"type\":\"response.created\"}\n{\"type\":\n\"response.output_text.delta\"}\n{\"type\":\"response.completed\"}\n"
#define HEARD "{\"type\":\"response.created\"}|{\"type\":\n\"response.output_text.delta\"}|{\"type\":\"response.completed\"}|"

struct talk {
	struct stage *s;
	int fd;
	struct websocket_reader *reader;
	struct websocket_writer *writer;
	struct buf heard; /* messages with a bar behind each; a close is "close CODE|" */
	bool ended;
};

static void talk_open(struct talk *t, struct fake *f, const char *offer)
{
	struct websocket_deflate agreed = { .on = offer != NULL };
	struct buf ask = { 0 };

	*t = (struct talk){ .s = stage_open(f) };
	t->reader = websocket_reader_open(WEBSOCKET_SERVER, 1 << 20, &agreed);
	t->writer = websocket_writer_open(WEBSOCKET_CLIENT, &agreed);
	t->fd = dial(tape_server_port(t->s->server));
	buf_printf(&ask, "GET " TARGET " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
			 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s%s%s\r\n",
		   offer ? "Sec-WebSocket-Extensions: " : "", offer ? offer : "", offer ? "\r\n" : "");
	say(t->fd, buf_str(&ask));
	buf_free(&ask);
	hear_until(&t->s->loop, t->fd, &t->s->got, STR("\r\n\r\n"));
}

static void talk_close(struct talk *t)
{
	close(t->fd);
	stage_close(t->s);
	websocket_reader_close(t->reader);
	websocket_writer_close(t->writer);
	buf_free(&t->heard);
}

static void tell(struct talk *t, enum websocket_kind kind, const char *text)
{
	struct buf b = { 0 };

	websocket_write(t->writer, &b, kind, str_from(text), 0x31415926);
	say(t->fd, buf_str(&b));
	buf_free(&b);
}

/* Takes what is there. */
static void talk_listen(struct talk *t)
{
	struct websocket_message m;
	struct buf bytes = { 0 };
	enum websocket_next next;
	struct str left;

	t->ended = !listen_to(t->fd, &bytes) || t->ended;
	left = buf_str(&bytes);
	while (left.n && (next = websocket_next(t->reader, &left, &m)) != WEBSOCKET_MORE) {
		CHECK(next == WEBSOCKET_MESSAGE || next == WEBSOCKET_CONTROL);
		if (m.kind == WEBSOCKET_CLOSE)
			buf_printf(&t->heard, "close %u|", m.code);
		else
			buf_printf(&t->heard, "%s%.*s|", m.kind == WEBSOCKET_PONG ? "pong " : "", STR_ARG(m.bytes));
	}
	buf_free(&bytes);
}

static struct str talk_hear(struct talk *t, size_t n)
{
	TURN_UNTIL(&t->s->loop, (talk_listen(t), t->heard.n >= n || t->ended));
	return t->heard.n ? buf_str(&t->heard) : STR("");
}

/* The line that opens a socket, and one for each request. */
static void fake_open_socket(struct fake *f)
{
	fake_add(f, "GET", TARGET, "", "", STR(""))->http.status = 101;
}

static struct tape_line *fake_add_request(struct fake *f, const char *body, const char *answer)
{
	struct tape_line *l = fake_add(f, "POST", TARGET, body, "application/x-ndjson", str_from(answer));

	l->http.socket = 1;
	return l;
}

TEST(messages_are_questions_and_events_are_messages)
{
	static const char *const offers[] = { NULL, "permessage-deflate" };
	static const struct player_pace paces[] = { { CHUNKS_SINGLE, 0, 0 }, { CHUNKS_BYTES, 1, 0 } };

	for (size_t i = 0; i < COUNT(offers); i++) {
		struct fake f = { .pace = paces[i] };
		struct talk t;

		fake_open_socket(&f);
		fake_add_request(&f, CREATE("1"), ANSWER);
		fake_add_request(&f, "{\"input\":\"2\"}", "{\"n\":2}\n");
		talk_open(&t, &f, offers[i]);
		CHECK(str_starts(buf_str(&t.s->got), STR("HTTP/1.1 101 ")));
		CHECK(contains(buf_str(&t.s->got), "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
		tell(&t, WEBSOCKET_TEXT, CREATE("1"));
		tell(&t, WEBSOCKET_TEXT, "{\"type\":\"session.update\"}");
		tell(&t, WEBSOCKET_TEXT, "no json");
		tell(&t, WEBSOCKET_TEXT, "{\"type\":\"response.create\",\"response\":{\"input\":\"2\"}}");
		CHECK_STR(talk_hear(&t, strlen(HEARD "{\"n\":2}|")), STR(HEARD "{\"n\":2}|"));
		CHECK_INT(f.asked, 3);
		tell(&t, WEBSOCKET_PING, "p");
		tell(&t, WEBSOCKET_CLOSE, "");
		buf_clear(&t.heard);
		CHECK_STR(talk_hear(&t, strlen("pong p|close 1000|")), STR("pong p|close 1000|"));
		talk_close(&t);
	}
}

TEST(after_a_miss_the_socket_stays_open)
{
	struct fake f = { 0 };
	struct talk t;

	fake_open_socket(&f);
	fake_add_request(&f, CREATE("1"), ANSWER);
	talk_open(&t, &f, NULL);
	tell(&t, WEBSOCKET_TEXT, CREATE("other"));
	talk_hear(&t, 1);
	CHECK_STR(buf_str(&t.heard), STR("{\"type\":\"error\",\"status\":400,\"error\":{\"type\":\"invalid_request_error\",\"code\":\"replay_miss\","
					 "\"message\":\"replay miss: nobody asked \\\"this\\\"\",\"param\":null}}|"));
	CHECK_STR(buf_str(&f.missed), STR("model POST " TARGET " " CREATE("other") "\n"));
	buf_clear(&t.heard);
	tell(&t, WEBSOCKET_TEXT, CREATE("1"));
	CHECK_STR(talk_hear(&t, strlen(HEARD)), STR(HEARD));
	talk_close(&t);
}

TEST(a_socket_ends_inside_an_answer_where_it_did)
{
	static const enum tape_end ends[] = { TAPE_CUT, TAPE_CLIENT_LEFT };

	for (size_t i = 0; i < COUNT(ends); i++) {
		struct fake f = { 0 };
		struct talk t;

		fake_open_socket(&f);
		fake_add_request(&f, CREATE("1"), "{\"n\":1}\n{\"n\":2}\n")->http.end = ends[i];
		talk_open(&t, &f, NULL);
		tell(&t, WEBSOCKET_TEXT, CREATE("1"));
		CHECK_STR(talk_hear(&t, 1000), STR("{\"n\":1}|{\"n\":2}|"));
		CHECK(t.ended);
		talk_close(&t);
	}
}

TEST(a_socket_that_was_refused_is_refused_again)
{
	struct fake f = { 0 };
	struct talk t;

	fake_add(&f, "GET", TARGET, "", "application/json", STR("{}"))->http.status = 426;
	talk_open(&t, &f, NULL);
	CHECK(str_starts(buf_str(&t.s->got), STR("HTTP/1.1 426 ")));
	talk_close(&t);
	f = (struct fake){ .count = 0 };
	talk_open(&t, &f, NULL);
	CHECK(str_starts(buf_str(&t.s->got), STR("HTTP/1.1 400 ")));
	talk_close(&t);
}

TEST(events_come_at_their_pace_and_one_answer_after_the_other)
{
	struct fake f = { .pace = { CHUNKS_SINGLE, 0, 1 } };
	struct talk t;
	uint64_t begun;

	fake_open_socket(&f);
	fake_chunks(fake_add_request(&f, CREATE("1"), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n"), 3, 8, 20000);
	fake_chunks(fake_add_request(&f, CREATE("2"), "{\"n\":4}\n"), 1, 8, 1000);
	talk_open(&t, &f, NULL);
	begun = clock_mono_ns();
	tell(&t, WEBSOCKET_TEXT, CREATE("1"));
	tell(&t, WEBSOCKET_TEXT, CREATE("2"));
	talk_hear(&t, 1);
	CHECK(clock_mono_ns() - begun >= 20000000);
	CHECK_STR(talk_hear(&t, 32), STR("{\"n\":1}|{\"n\":2}|{\"n\":3}|{\"n\":4}|"));
	CHECK(clock_mono_ns() - begun >= 61000000);
	talk_close(&t);
}

TEST(a_client_that_breaks_the_protocol_is_told_and_noted)
{
	struct fake f = { 0 };
	struct talk t;

	fake_open_socket(&f);
	talk_open(&t, &f, NULL);
	say(t.fd, STR("\x83\x80zzzz"));
	CHECK_STR(talk_hear(&t, 11), STR("close 1002|"));
	CHECK_INT(f.notes, 1);
	talk_close(&t);
}

TEST(a_server_that_stops_closes_its_sockets)
{
	struct fake f = { .pace = { CHUNKS_EVENT, 0, 1 } };
	struct talk t;

	fake_open_socket(&f);
	fake_chunks(fake_add_request(&f, CREATE("1"), ANSWER), 1, 1, 60000000);
	talk_open(&t, &f, NULL);
	tell(&t, WEBSOCKET_TEXT, CREATE("1"));
	TURN_UNTIL(&t.s->loop, f.asked == 2);
	CHECK_INT(tape_server_count(t.s->server), 1);
	talk_close(&t);
}
