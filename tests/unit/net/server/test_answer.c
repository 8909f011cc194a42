#include <sys/resource.h>

#include "base/build.h"
#include "net/server/private.h"
#include "unit/net/stage.h"

struct exchange {
	const char *ask, *answer;
};

static const struct exchange exchanges[] = {
	{ "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n" },
	{ "POST /echo HTTP/1.0\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc" },
	{ "POST /echo HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc",
	  "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc" },
	{ "POST /toend HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc",
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n" },
	{ "POST /toend HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc" },
	{ "GET /reply?2 HTTP/1.0\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab" },
	{ "GET /reply?2 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /reply?1 HTTP/1.0\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nab"
	  "HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 1\r\nConnection: close\r\n\r\na" },
	{ "HEAD /reply?5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 5\r\nConnection: close\r\n\r\n" },
	{ "HEAD /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" },
	{ "GET /status/204 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n" },
	{ "GET /status/304 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n" },
	{ "GET /status/404 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" },
	/* less than was said: cut, so that the client sees it */
	{ "POST /short HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc" },
};

TEST(answers_come_in_a_framing_the_client_knows)
{
	for (size_t i = 0; i < sizeof(exchanges) / sizeof(exchanges[0]); i++) {
		struct stage s;
		struct buf b = { 0 };
		int fd;

		test_case("%s", exchanges[i].ask);
		stage_open(&s);
		fd = dial(server_port(s.server));
		say(fd, str_from(exchanges[i].ask));
		CHECK_STR(hear_all(&s.loop, fd, &b), str_from(exchanges[i].answer));
		CHECK_INT(s.whole + s.broken, s.heads);
		CHECK_INT(s.broken, i == sizeof(exchanges) / sizeof(exchanges[0]) - 1);
		close(fd);
		buf_free(&b);
		stage_close(&s);
	}
}

/* A stage whose one request waits to be answered by the test. */
static int stage_ask(struct stage *s)
{
	int fd;

	stage_open(s);
	fd = dial(server_port(s->server));
	say(fd, STR("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
	TURN_UNTIL(&s->loop, s->held != NULL && s->ends == 1);
	return fd;
}

TEST(each_piece_is_with_the_client_when_write_returns)
{
	struct stage s;
	struct buf b = { 0 };
	int fd = stage_ask(&s);

	request_respond(s.held, 200, NULL, 0, HTTP_CHUNKED, 0);
	listen_to(fd, &b); /* without a turn of the loop */
	CHECK_STR(buf_str(&b), STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
	buf_clear(&b);
	CHECK(request_write(s.held, STR("data: 1\n\n")));
	listen_to(fd, &b);
	CHECK_STR(buf_str(&b), STR("9\r\ndata: 1\n\n\r\n"));
	buf_clear(&b);
	CHECK(request_write(s.held, STR(""))); /* an empty chunk would be the end */
	CHECK(listen_to(fd, &b) && b.n == 0);
	request_finish(s.held);
	listen_to(fd, &b);
	CHECK_STR(buf_str(&b), STR("0\r\n\r\n"));
	CHECK_INT(s.whole, 1);
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(what_is_held_goes_out_at_the_flush_and_in_order)
{
	struct stage s;
	struct buf b = { 0 }, want = { 0 };
	static char large[5000];
	int fd = stage_ask(&s);

	memset(large, 'L', sizeof(large));
	request_hold(s.held);
	request_respond(s.held, 200, NULL, 0, HTTP_CHUNKED, 0);
	buf_add_str(&want, STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
	for (unsigned i = 0; i < 50; i++) { /* more pieces than one system call takes */
		CHECK(request_write(s.held, str_of(large, 1020 + i)));
		buf_printf(&want, "%x\r\n%.*s\r\n", 1020 + i, (int)(1020 + i), large);
	}
	CHECK(listen_to(fd, &b) && b.n == 0);
	CHECK(request_flush(s.held));
	CHECK_STR(hear_some(&s.loop, fd, &b, want.n), buf_str(&want));
	request_hold(s.held);
	CHECK(request_write(s.held, STR("end")));
	request_finish(s.held);
	buf_clear(&b);
	listen_to(fd, &b);
	CHECK_STR(buf_str(&b), STR("3\r\nend\r\n0\r\n\r\n"));
	close(fd);
	buf_free(&b), buf_free(&want);
	stage_close(&s);
}

TEST(two_requests_can_hold_at_the_same_time)
{
	struct stage s;
	struct request *first, *second;
	struct buf b = { 0 };
	int one = stage_ask(&s), two = dial(server_port(s.server));

	first = s.held;
	say(two, STR("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
	TURN_UNTIL(&s.loop, s.ends == 2);
	second = s.held;
	request_hold(first), request_hold(second);
	request_respond(first, 200, NULL, 0, HTTP_LENGTH, 2);
	request_respond(second, 201, NULL, 0, HTTP_LENGTH, 2);
	request_write(first, STR("a")), request_write(second, STR("b"));
	request_write(first, STR("A")), request_write(second, STR("B"));
	request_finish(second), request_finish(first);
	hear_until(&s.loop, one, &b, STR("aA"));
	CHECK_STR(buf_str(&b), STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\naA"));
	buf_clear(&b);
	hear_until(&s.loop, two, &b, STR("bB"));
	CHECK_STR(buf_str(&b), STR("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nbB"));
	close(one), close(two);
	buf_free(&b);
	stage_close(&s);
}

TEST(the_reason_can_be_another_one)
{
	struct stage s;
	struct buf b = { 0 };
	int fd = stage_ask(&s);

	s.held->reason = STR("Fine");
	request_reply(s.held, 200, NULL, 0, STR(""));
	listen_to(fd, &b);
	CHECK_STR(buf_str(&b), STR("HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n"));
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(an_aborted_answer_looks_broken_to_the_client)
{
	struct stage s;
	struct buf b = { 0 };
	int fd = stage_ask(&s);

	request_respond(s.held, 200, NULL, 0, HTTP_CHUNKED, 0);
	request_write(s.held, STR("half"));
	request_abort(s.held);
	CHECK_INT(s.broken, 1);
	CHECK_STR(hear_all(&s.loop, fd, &b), STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"));
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(an_aborted_answer_is_sent_as_far_as_it_was_written)
{
	struct stage s;
	struct buf b = { 0 };
	static const char piece[65536];
	size_t written = 0;
	int fd = stage_ask(&s);

	request_respond(s.held, 200, NULL, 0, HTTP_LENGTH, 1 << 30);
	while (request_write(s.held, str_of(piece, sizeof(piece))))
		written += sizeof(piece);
	written += sizeof(piece);
	CHECK(request_queued(s.held) > 0);
	request_abort(s.held);
	CHECK_INT(s.broken, 1);
	hear_all(&s.loop, fd, &b);
	CHECK_INT(b.n - (str_find(buf_str(&b), STR("\r\n\r\n")) + 4), written);
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(after_101_bytes_pass_as_they_are_both_ways)
{
	struct stage s;
	struct buf b = { 0 };
	static const char head[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: bytes\r\nConnection: Upgrade\r\n\r\n";
	int fd;

	stage_open(&s);
	fd = dial(server_port(s.server));
	say(fd, STR("GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: bytes\r\n\r\nalready"));
	hear_until(&s.loop, fd, &b, STR("already"));
	CHECK(str_starts(buf_str(&b), STR(head)));
	say(fd, STR("GET no head"));
	hear_until(&s.loop, fd, &b, STR("GET no head"));
	close(fd);
	TURN_UNTIL(&s.loop, s.whole == 1);
	buf_free(&b);
	stage_close(&s);
}

TEST(a_tunnel_that_the_handler_ends_is_closed)
{
	struct stage s;
	struct buf b = { 0 };
	int fd;

	stage_open(&s);
	fd = dial(server_port(s.server));
	say(fd, STR("GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: bytes\r\n\r\nhello"));
	hear_until(&s.loop, fd, &b, STR("hello"));
	say(fd, STR("good bye"));
	CHECK(str_ends(hear_all(&s.loop, fd, &b), STR("hellogood bye")));
	CHECK_INT(s.whole, 1);
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(a_slow_client_makes_the_writer_wait_and_memory_stays_bounded)
{
	struct stage s;
	struct rusage before, after;
	size_t got = 0;
	static char take[1 << 16];
	int fd;
	bool open = true;

	stage_open(&s);
	s.gush = 50 << 20;
	fd = dial(server_port(s.server));
	CHECK(getrusage(RUSAGE_SELF, &before) == 0);
	say(fd, STR("GET /gush HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
	turn_for(&s.loop, 200); /* nobody reads */
	CHECK(s.gushed < 10 << 20);
	while (open) {
		ssize_t n = recv(fd, take, sizeof(take), MSG_DONTWAIT);

		open = n > 0 || (n < 0 && errno == EAGAIN);
		got += n > 0 ? (size_t)n : 0;
		uv_run(&s.loop, UV_RUN_NOWAIT);
	}
	CHECK(got > 50 << 20);
	CHECK_INT(s.whole, 1);
	CHECK(s.drains > 10);
	CHECK(s.most_queued <= WIRE_HIGH + 16384 + 64);
	CHECK(getrusage(RUSAGE_SELF, &after) == 0);
	CHECK(build_has_sanitizer() || after.ru_maxrss - before.ru_maxrss < 8 * 1024);
	close(fd);
	stage_close(&s);
}

TEST(a_client_that_leaves_in_the_middle_of_an_answer_is_gone)
{
	struct stage s;
	struct buf b = { 0 };
	int fd;

	stage_open(&s);
	s.gush = 50 << 20;
	fd = dial(server_port(s.server));
	say(fd, STR("GET /gush HTTP/1.1\r\nHost: a\r\n\r\n"));
	hear_some(&s.loop, fd, &b, 100000);
	close(fd);
	TURN_UNTIL(&s.loop, s.broken == 1);
	CHECK_INT(s.whole, 0);
	CHECK(s.gushed < s.gush);
	buf_free(&b);
	stage_close(&s);
}

TEST(a_paused_request_is_not_read)
{
	struct stage s;
	static const char piece[65536];
	size_t sent = 0, then;
	int fd;

	stage_open(&s);
	fd = dial(server_port(s.server));
	say(fd, STR("POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n"));
	TURN_UNTIL(&s.loop, s.held != NULL);
	request_pause(s.held);
	for (unsigned quiet = 0; quiet < 100; quiet++, turn(&s.loop)) {
		ssize_t n = send(fd, piece, sizeof(piece), MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			sent += (size_t)n, quiet = 0;
	}
	CHECK(sent < 50000000);
	CHECK_INT(s.body, 0);
	request_resume(s.held);
	then = sent;
	TURN_UNTIL(&s.loop, s.body == then);
	request_pause(s.held);
	slam(fd); /* and yet it is seen to go */
	TURN_UNTIL(&s.loop, s.broken == 1);
	stage_close(&s);
}

TEST(what_is_done_to_a_request_whose_client_is_gone_does_nothing)
{
	struct stage s;
	static const char piece[65536];
	int fd = stage_ask(&s);

	request_respond(s.held, 200, NULL, 0, HTTP_CHUNKED, 0);
	slam(fd);
	usleep(1000);
	for (unsigned i = 0; i < 20; i++)
		request_write(s.held, str_of(piece, sizeof(piece))); /* gone is told by the loop, not from in here */
	CHECK(s.held != NULL);
	request_finish(s.held);
	CHECK(s.held != NULL);
	TURN_UNTIL(&s.loop, s.broken == 1);
	stage_close(&s);
}
