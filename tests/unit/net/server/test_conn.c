#include "net/server/private.h"

#include "unit/net/stage.h"

#define BAD(status, why)                                                                                \
	"HTTP/1.1 " status "\r\nContent-Type: application/json\r\nContent-Length: *\r\nConnection: close\r\n" \
	"\r\n{\"error\":{\"message\":\"" why "\",\"type\":\"trackway_request\"}}\n"

struct exchange {
	const char *ask, *answer;
	unsigned whole, broken;
};

static const struct exchange exchanges[] = {
	{ "GET /reply?5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabcde", 1, 0 },
	{ "POST /length HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody",
	  "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody", 1, 0 },
	{ "POST /length HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", 1, 0 },
	/* one behind the other, without waiting */
	{ "GET /reply?1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nxyz"
	  "GET /reply?2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 1\r\n\r\na"
	  "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nxyz"
	  "HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab", 3, 0 },
	/* nothing is read behind the last one */
	{ "GET /reply?1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /reply?2 HTTP/1.1\r\nHost: a\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 1\r\nConnection: close\r\n\r\na", 1, 0 },
	/* an answer before the request is complete: what is left of that is thrown away */
	{ "POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nunread"
	  "GET /reply?1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	  "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"
	  "HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 1\r\nConnection: close\r\n\r\na", 2, 0 },
	{ "POST /sink HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
	  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nsunk", 1, 0 },
	{ "POST /early HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
	  "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno", 1, 0 },
	/* what the reader refuses is answered by the server, and ends the connection */
	{ "nonsense\r\n\r\n", BAD("400 Bad Request", "*"), 0, 0 },
	{ "GET /reply?1 HTTP/1.1\r\n\r\n", BAD("400 Bad Request", "no Host header"), 0, 0 },
	{ "POST /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	  BAD("400 Bad Request", "*"), 0, 0 },
	{ "POST /sink HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbodyGET / HTTP/1.1\r\n\r\n",
	  BAD("400 Bad Request", "*"), 0, 1 },
	{ "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 0, 1 },
	{ "CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n", BAD("501 Not Implemented", "*"), 0, 0 },
	{ "GET /reply?1 HTTP/1.1\r\nHost: a\r\n\r\nGET /reply?1 HTTP/3.0\r\nHost: a\r\n\r\n",
	  "HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 1\r\n\r\na" BAD("505 HTTP Version Not Supported", "*"), 1, 0 },
};

/* Whether the text is as the pattern says, where "*" stands for anything. */
static bool is_like(struct str text, struct str pattern)
{
	while (pattern.n) {
		struct str rest, part = str_cut(pattern, '*', &rest);
		size_t at;

		if (!str_starts(text, part))
			return false;
		text = str_of(text.p + part.n, text.n - part.n);
		if (part.n == pattern.n)
			return text.n == 0;
		pattern = rest;
		part = str_cut(rest, '*', &rest);
		if (part.n == 0)
			return true;
		at = str_find(text, part);
		if (at == (size_t)-1)
			return false;
		text = str_of(text.p + at, text.n - at);
	}
	return text.n == 0;
}

static void check_exchange(const struct exchange *e, size_t step)
{
	struct stage s;
	struct buf b = { 0 };
	struct str ask = str_from(e->ask);
	int fd;

	test_case("%.60s... in pieces of %zu", e->ask, step);
	stage_open(&s);
	fd = dial(server_port(s.server));
	for (size_t at = 0; at < ask.n; at += step) {
		/* The server may have closed its side before the last bytes. */
		(void)!send(fd, ask.p + at, ask.n - at < step ? ask.n - at : step, MSG_NOSIGNAL);
		if (step < ask.n)
			turn(&s.loop);
	}
	hear_all(&s.loop, fd, &b);
	if (!is_like(buf_str(&b), str_from(e->answer)))
		CHECK_STR(buf_str(&b), str_from(e->answer));
	CHECK_INT(s.whole, e->whole);
	CHECK_INT(s.broken, e->broken);
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(an_exchange_is_the_same_however_the_request_is_cut)
{
	static const size_t steps[] = { 1 << 20, 1, 7 };

	for (size_t i = 0; i < sizeof(exchanges) / sizeof(exchanges[0]); i++)
		for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++)
			check_exchange(&exchanges[i], steps[k]);
}

TEST(strangers_are_refused_and_the_handler_never_knows)
{
	static const struct str known = { "known.example", 13 };
	static const struct { const char *host, *more, *status; } cases[] = {
		{ "127.0.0.1", "", "HTTP/1.1 200 " },
		{ "known.example", "", "HTTP/1.1 200 " },
		{ "evil.example", "", "HTTP/1.1 403 " },
		{ "127.0.0.1", "Origin: https://evil.example\r\n", "HTTP/1.1 403 " },
	};
	struct server_options o = { .guard = { .hosts = &known, .host_count = 1 } };
	struct buf b = { 0 };
	struct stage s;

	stage_open_with(&s, o);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = dial(server_port(s.server));

		test_case("%s %s", cases[i].host, cases[i].more);
		buf_clear(&b);
		buf_printf(&b, "GET /reply?5 HTTP/1.1\r\nConnection: close\r\nHost: %s:%u\r\n%s\r\n", cases[i].host,
			   server_port(s.server), cases[i].more);
		say(fd, buf_str(&b));
		buf_clear(&b);
		hear_all(&s.loop, fd, &b);
		CHECK(str_starts(buf_str(&b), str_from(cases[i].status)));
		close(fd);
	}
	CHECK_INT(s.whole, 2);
	CHECK_INT(s.broken, 0);
	CHECK_INT(server_strangers(s.server), 2);
	buf_free(&b);
	stage_close(&s);
}

TEST(limits_of_head_and_body_have_their_statuses)
{
	static const struct { const char *ask, *status; unsigned heads; } cases[] = {
		{ "GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa HTTP/1.1\r\n",
		  "HTTP/1.1 431 ", 0 },
		{ "POST /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", "HTTP/1.1 413 ", 0 },
		{ "POST /sink HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n6\r\nabcdef\r\n", "HTTP/1.1 413 ", 1 },
		{ "GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\n\r\n", "HTTP/1.1 431 ", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage s;
		struct buf b = { 0 };
		int fd;

		test_case("%.40s", cases[i].ask);
		stage_open_with(&s, (struct server_options){ .limits = { .head = 150, .headers = 4, .body = 10 } });
		fd = dial(server_port(s.server));
		say(fd, str_from(cases[i].ask));
		CHECK(str_starts(hear_all(&s.loop, fd, &b), str_from(cases[i].status)));
		CHECK_INT(s.heads, cases[i].heads);
		CHECK_INT(s.broken, cases[i].heads);
		close(fd);
		buf_free(&b);
		stage_close(&s);
	}
}

TEST(a_head_that_comes_too_slowly_is_given_up)
{
	struct stage s;
	struct buf b = { 0 };
	int drip, mute;

	stage_open_with(&s, (struct server_options){ .head_ms = 200 });
	drip = dial(server_port(s.server)), mute = dial(server_port(s.server));
	for (uint64_t end = now_ms() + 8000; now_ms() < end && b.n == 0; listen_to(drip, &b)) {
		(void)!send(drip, "G", 1, MSG_NOSIGNAL);
		turn_for(&s.loop, 20);
	}
	CHECK(str_starts(hear_all(&s.loop, drip, &b), STR("HTTP/1.1 4"))); /* 408, or what the reader says of so many Gs */
	buf_clear(&b);
	CHECK_STR(hear_all(&s.loop, mute, &b), STR(""));
	CHECK_INT(s.heads, 0);
	close(drip), close(mute);
	buf_free(&b);
	stage_close(&s);
}

TEST(a_slow_head_is_answered_408)
{
	struct stage s;
	struct buf b = { 0 };
	int fd;

	stage_open_with(&s, (struct server_options){ .head_ms = 100 });
	fd = dial(server_port(s.server));
	say(fd, STR("GET / HTTP/1.1\r\nHost:"));
	CHECK(str_starts(hear_all(&s.loop, fd, &b), STR("HTTP/1.1 408 ")));
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(a_connection_without_a_byte_for_too_long_is_closed)
{
	static const struct { const char *ask, *answer; unsigned broken; } cases[] = {
		{ "GET /reply?1 HTTP/1.1\r\nHost: a\r\n\r\n",
		  "HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 1\r\n\r\na", 0 }, /* between two */
		{ "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n", "", 1 },
		{ "POST /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc", "HTTP/1.1 408 ", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage s;
		struct buf b = { 0 };
		uint64_t begun = now_ms();
		int fd;

		test_case("%s", cases[i].ask);
		stage_open_with(&s, (struct server_options){ .idle_ms = 200 });
		fd = dial(server_port(s.server));
		say(fd, str_from(cases[i].ask));
		CHECK(str_starts(hear_all(&s.loop, fd, &b), str_from(cases[i].answer)));
		CHECK(now_ms() - begun >= 190);
		close(fd);
		CHECK_INT(s.broken, cases[i].broken);
		buf_free(&b);
		stage_close(&s);
	}
}

TEST(a_client_that_shuts_down_its_half_gets_its_answer)
{
	struct stage s;
	struct buf b = { 0 };
	int fd;

	stage_open_with(&s, (struct server_options){ .idle_ms = 4000 });
	fd = dial(server_port(s.server));
	say(fd, STR("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
	CHECK(shutdown(fd, SHUT_WR) == 0);
	TURN_UNTIL(&s.loop, s.held != NULL);
	turn_for(&s.loop, 1500); /* longer than it takes to look for clients that are gone */
	CHECK(s.held != NULL);
	request_reply(s.held, 200, NULL, 0, STR("patience"));
	CHECK_STR(hear_all(&s.loop, fd, &b), STR("HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\npatience"));
	CHECK_INT(s.whole, 1);
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(a_client_that_closes_while_it_waits_is_gone_at_once)
{
	struct stage s;
	uint64_t begun;
	int fd;

	stage_open_with(&s, (struct server_options){ .idle_ms = 60000 });
	fd = dial(server_port(s.server));
	say(fd, STR("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
	TURN_UNTIL(&s.loop, s.held != NULL);
	begun = uv_now(&s.loop);
	close(fd);
	TURN_UNTIL(&s.loop, s.broken == 1);
	CHECK(uv_now(&s.loop) - begun < 500); /* the sweep comes once a second */
	CHECK_INT(s.whole, 0);
	stage_close(&s);
}

TEST(pipelined_requests_of_a_half_closed_client_are_all_answered)
{
	struct stage s;
	struct buf b = { 0 };
	int fd;

	stage_open(&s);
	fd = dial(server_port(s.server));
	say(fd, STR("GET /hold HTTP/1.1\r\nHost: a\r\n\r\nGET /reply?1 HTTP/1.1\r\nHost: a\r\n\r\nGET /reply?2 HTTP/1.1\r\nHost: a\r\n\r\n"));
	CHECK(shutdown(fd, SHUT_WR) == 0);
	TURN_UNTIL(&s.loop, s.held != NULL);
	turn_for(&s.loop, 20);
	request_reply(s.held, 200, NULL, 0, STR("x"));
	hear_all(&s.loop, fd, &b);
	CHECK(str_ends(buf_str(&b), STR("\r\n\r\nab")));
	CHECK_INT(s.whole, 3);
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(a_client_that_is_gone_is_noticed_while_its_answer_is_awaited)
{
	for (int reset = 0; reset < 2; reset++) {
		struct stage s;
		int fd;

		test_case("%s", reset ? "reset" : "closed");
		stage_open(&s);
		fd = dial(server_port(s.server));
		say(fd, STR("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
		TURN_UNTIL(&s.loop, s.held != NULL);
		if (reset)
			slam(fd);
		else
			close(fd);
		TURN_UNTIL(&s.loop, s.broken == 1);
		CHECK(s.held == NULL);
		stage_close(&s);
	}
}

TEST(a_client_that_leaves_inside_its_request_is_gone)
{
	struct stage s;
	int fd;

	stage_open(&s);
	fd = dial(server_port(s.server));
	say(fd, STR("POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"));
	TURN_UNTIL(&s.loop, s.body == 3);
	close(fd);
	TURN_UNTIL(&s.loop, s.broken == 1);
	CHECK_INT(s.ends, 0);
	stage_close(&s);
}

TEST(many_pipelined_requests_wait_outside_while_one_is_answered)
{
	struct stage s;
	struct buf asks = { 0 }, b = { 0 };
	const struct str ask = STR("GET /reply?1 HTTP/1.1\r\nHost: a\r\n\r\n");
	size_t sent = 0;
	int fd;

	for (unsigned i = 0; i < 400000; i++)
		buf_add_str(&asks, ask);
	stage_open(&s);
	fd = dial(server_port(s.server));
	say(fd, STR("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
	TURN_UNTIL(&s.loop, s.held != NULL);
	for (unsigned quiet = 0; quiet < 200 && sent < asks.n; turn(&s.loop), quiet++) {
		ssize_t n = send(fd, asks.p + sent, asks.n - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			sent += (size_t)n, quiet = 0;
	}
	CHECK(sent < asks.n); /* what we do not read stays with the client */
	request_reply(s.held, 200, NULL, 0, STR("first"));
	TURN_UNTIL(&s.loop, (listen_to(fd, &b), s.whole == 1 + sent / ask.n));
	CHECK_INT(s.broken, 0);
	close(fd);
	buf_free(&asks), buf_free(&b);
	stage_close(&s);
}

TEST(an_unwanted_body_that_does_not_end_costs_the_connection)
{
	struct stage s;
	struct buf b = { 0 };
	static const char piece[65536];
	bool open = true;
	size_t sent = 0;
	int fd;

	stage_open(&s);
	fd = dial(server_port(s.server));
	say(fd, STR("POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n"));
	for (uint64_t end = now_ms() + 10000; open && now_ms() < end; turn(&s.loop)) {
		ssize_t n = send(fd, piece, sizeof(piece), MSG_NOSIGNAL | MSG_DONTWAIT);

		sent += n > 0 ? (size_t)n : 0;
		open = listen_to(fd, &b) && !(n < 0 && errno != EAGAIN);
	}
	CHECK(!open && sent < 50000000);
	CHECK_STR(buf_str(&b), STR("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"));
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(a_request_that_we_make_wait_is_not_blamed_for_it)
{
	struct stage s;
	int fd;

	stage_open_with(&s, (struct server_options){ .idle_ms = 100 });
	fd = dial(server_port(s.server));
	say(fd, STR("POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"));
	TURN_UNTIL(&s.loop, s.body == 3);
	request_pause(s.held);
	turn_for(&s.loop, 400);
	CHECK_INT(s.broken, 0);
	request_resume(s.held);
	TURN_UNTIL(&s.loop, s.broken == 1);
	close(fd);
	stage_close(&s);
}

TEST(settle_comes_once_for_bytes_that_came_together)
{
	struct stage s;
	int fd;

	stage_open(&s);
	fd = dial(server_port(s.server));
	say(fd, STR("POST /hold HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n"));
	TURN_UNTIL(&s.loop, s.body == 2);
	CHECK_INT(s.settles, 1);
	say(fd, STR("0\r\n\r\n"));
	TURN_UNTIL(&s.loop, s.ends == 1);
	CHECK_INT(s.settles, 2);
	close(fd);
	stage_close(&s);
}
