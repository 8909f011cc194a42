#include "net/proxy.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "base/build.h"
#include "unit/net/scene.h"
#include "unit/net/stage.h"

TEST(an_upstream_that_cannot_be_reached_is_a_502_that_says_who_and_why)
{
	struct scene s;
	struct buf b = { 0 };
	char want[200];
	int fd;

	scene_open(&s);
	s.url.port = dead_port();
	fd = dial(proxy_port(s.proxy));
	for (unsigned i = 0; i < 2; i++) { /* and the connection can be used again */
		buf_clear(&b), buf_clear(&s.seen);
		say(fd, STR("POST /x HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nhi"));
		hear_until(&s.loop, fd, &b, STR("}}\n"));
		snprintf(want, sizeof(want), "{\"error\":{\"message\":\"no answer from %s: Connection refused\",\"type\":\"trackway_upstream\"}}\n",
			 s.authority);
		CHECK(str_starts(buf_str(&b), STR("HTTP/1.1 502 Bad Gateway\r\n")));
		CHECK(str_ends(buf_str(&b), str_from(want)));
		CHECK_STR(buf_str(&s.seen), STR("POST /up/x <hi << refused."));
	}
	close(fd);
	buf_free(&b);
	scene_close(&s);
}

TEST(an_upstream_that_says_nothing_for_too_long_is_a_504)
{
	struct scene s;
	struct buf b = { 0 };
	int fd;

	/* the client's own limit does not come first */
	scene_open_with(&s, (struct proxy_options){ .upstream = { .idle_ms = 100 }, .server = { .idle_ms = 50 } });
	fd = dial(proxy_port(s.proxy));
	say(fd, STR("GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"));
	CHECK(str_starts(hear_all(&s.loop, fd, &b), STR("HTTP/1.1 504 Gateway Timeout\r\n")));
	CHECK_STR(buf_str(&s.seen), STR("GET /up/ << refused."));
	close(fd);
	buf_free(&b);
	scene_close(&s);
}

TEST(a_request_without_a_route_is_told_so)
{
	struct scene s;
	struct buf b = { 0 };
	int fd;

	scene_open(&s);
	s.lost = true;
	fd = dial(proxy_port(s.proxy));
	say(fd, STR("POST / HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"));
	hear_all(&s.loop, fd, &b);
	CHECK(str_starts(buf_str(&b), STR("HTTP/1.1 502 ")));
	CHECK(str_ends(buf_str(&b), STR("\r\n\r\n{\"error\":{\"message\":\"this request cannot be passed on: no \\\"route\\\"\","
					"\"type\":\"trackway_upstream\"}}\n")));
	CHECK_STR(buf_str(&s.seen), STR(""));
	close(fd);
	buf_clear(&b);
	s.lost_status = 404; /* the route's own */
	fd = dial(proxy_port(s.proxy));
	say(fd, STR("POST / HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"));
	hear_all(&s.loop, fd, &b);
	CHECK(str_starts(buf_str(&b), STR("HTTP/1.1 404 ")));
	close(fd);
	buf_free(&b);
	scene_close(&s);
}

TEST(a_request_that_could_be_read_in_two_ways_reaches_nobody)
{
	static const char *const asks[] = {
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded: 2\r\n\r\n",
		"GET / HTTP/1.1\nHost: a\n\n",
	};

	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		struct scene s;
		struct buf b = { 0 };
		int fd;

		test_case("%s", asks[i]);
		scene_open(&s);
		fd = dial(proxy_port(s.proxy));
		say(fd, str_from(asks[i]));
		hear_all(&s.loop, fd, &b);
		CHECK(str_starts(buf_str(&b), STR("HTTP/1.1 4")) || str_starts(buf_str(&b), STR("HTTP/1.1 5")));
		CHECK(accept(s.listener, NULL, NULL) < 0);
		CHECK_STR(buf_str(&s.seen), STR(""));
		close(fd);
		buf_free(&b);
		scene_close(&s);
	}
}

TEST(a_body_that_breaks_inside_is_not_completed_for_the_upstream)
{
	struct scene s;
	struct buf b = { 0 }, up = { 0 };
	int fd, upstream;

	scene_open(&s);
	fd = dial(proxy_port(s.proxy));
	say(fd, STR("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"));
	upstream = answer_call(&s.loop, s.listener);
	hear_until(&s.loop, upstream, &up, STR("abc\r\n"));
	say(fd, STR("3\r\nabcdef\r\n0\r\n\r\n"));
	CHECK(str_starts(hear_all(&s.loop, fd, &b), STR("HTTP/1.1 400 ")));
	CHECK(!str_ends(hear_all(&s.loop, upstream, &up), STR("0\r\n\r\n")));
	CHECK(str_ends(buf_str(&s.seen), STR(" left.")));
	close(fd), close(upstream);
	buf_free(&b), buf_free(&up);
	scene_close(&s);
}

/* A client that has asked, and its upstream, which has been told. */
static void meet(struct scene *s, int *client, int *up)
{
	struct buf b = { 0 };

	scene_open(s);
	*client = dial(proxy_port(s->proxy));
	say(*client, STR("GET / HTTP/1.1\r\nHost: here\r\n\r\n"));
	*up = answer_call(&s->loop, s->listener);
	hear_until(&s->loop, *up, &b, STR("\r\n\r\n"));
	buf_free(&b);
}

TEST(each_piece_reaches_the_client_before_the_next_is_sent)
{
	struct scene s;
	struct buf b = { 0 };
	int client, up;
	char event[40], want[60];

	meet(&s, &client, &up);
	say(up, STR("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"));
	hear_until(&s.loop, client, &b, STR("\r\n\r\n")); /* the head does not wait for the body */
	for (unsigned i = 0; i < 100; i++) {
		snprintf(event, sizeof(event), "%x\r\ndata: %03u\n\n\r\n", 11, i);
		snprintf(want, sizeof(want), "b\r\ndata: %03u\n\n\r\n", i);
		buf_clear(&b);
		say(up, str_from(event));
		CHECK_STR(hear_some(&s.loop, client, &b, strlen(want)), str_from(want));
	}
	CHECK_INT(s.passed, 1100);
	CHECK_INT(proxy_count(s.proxy), 1);
	say(up, STR("0\r\n\r\n"));
	buf_clear(&b);
	CHECK_STR(hear_some(&s.loop, client, &b, 5), STR("0\r\n\r\n"));
	CHECK_INT(proxy_count(s.proxy), 0);
	close(client), close(up);
	buf_free(&b);
	scene_close(&s);
}

TEST(a_client_that_leaves_in_the_middle_ends_the_upstreams_work)
{
	struct scene s;
	struct buf b = { 0 };
	int client, up;

	meet(&s, &client, &up);
	say(up, STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"));
	hear_until(&s.loop, client, &b, STR("a\r\n"));
	close(client);
	buf_clear(&b);
	TURN_UNTIL(&s.loop, ((void)!send(up, "1\r\nb\r\n", 6, MSG_NOSIGNAL), !listen_to(up, &b)));
	CHECK(str_ends(buf_str(&s.seen), STR("left.")));
	CHECK_INT(proxy_count(s.proxy), 0);
	close(up);
	buf_free(&b);
	scene_close(&s);
}

TEST(a_client_that_leaves_before_the_answer_ends_the_upstreams_work)
{
	for (int reset = 0; reset < 2; reset++) {
		struct scene s;
		struct buf b = { 0 };
		int client, up;

		test_case("%s", reset ? "reset" : "closed");
		meet(&s, &client, &up);
		if (reset)
			slam(client);
		else
			close(client);
		hear_all(&s.loop, up, &b);
		CHECK_STR(buf_str(&s.seen), STR("GET /up/ << left."));
		close(up);
		buf_free(&b);
		scene_close(&s);
	}
}

TEST(a_client_that_shuts_down_its_half_gets_the_whole_answer)
{
	struct scene s;
	struct buf b = { 0 };
	int client, up;

	meet(&s, &client, &up);
	CHECK(shutdown(client, SHUT_WR) == 0);
	turn_for(&s.loop, 1200);
	say(up, STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"));
	turn_for(&s.loop, 1200);
	say(up, STR("1\r\nb\r\n0\r\n\r\n"));
	CHECK_STR(hear_all(&s.loop, client, &b), STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
						     "\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n"));
	CHECK(str_ends(buf_str(&s.seen), STR(" whole.")));
	close(client), close(up);
	buf_free(&b);
	scene_close(&s);
}

TEST(connections_are_kept_on_both_sides_and_pipelined_requests_keep_their_order)
{
	struct scene s;
	struct buf b = { 0 };
	int client, up;

	meet(&s, &client, &up);
	say(client, STR("GET /2 HTTP/1.1\r\nHost: h\r\n\r\nGET /3 HTTP/1.1\r\nHost: h\r\n\r\n"));
	turn_for(&s.loop, 10);
	CHECK(accept(s.listener, NULL, NULL) < 0); /* one at a time */
	for (unsigned i = 1; i <= 3; i++) {
		char text[80];

		snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%u", i);
		say(up, str_from(text));
		CHECK_STR(hear_some(&s.loop, client, &b, strlen(text)), str_from(text));
		buf_clear(&b);
		if (i < 3)
			hear_until(&s.loop, up, &b, STR("\r\n\r\n"));
		buf_clear(&b);
	}
	CHECK_STR(buf_str(&s.seen), STR("GET /up/ << 200 >1 whole.GET /up/2 << 200 >2 whole.GET /up/3 << 200 >3 whole."));
	CHECK(accept(s.listener, NULL, NULL) < 0);
	close(client), close(up);
	buf_free(&b);
	scene_close(&s);
}

TEST(an_upgraded_connection_is_a_tunnel_of_which_the_tap_sees_all)
{
	for (int client_closes = 0; client_closes < 2; client_closes++) {
		struct scene s;
		struct buf b = { 0 };
		char text[1000];
		int client, up;

		test_case("%s closes", client_closes ? "the client" : "the upstream");
		scene_open(&s);
		client = dial(proxy_port(s.proxy));
		say(client, STR("GET /ws HTTP/1.1\r\nHost: here\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
				"Sec-WebSocket-Key: k\r\n\r\n"));
		up = answer_call(&s.loop, s.listener);
		CHECK_STR(hear_until(&s.loop, up, &b, STR("\r\n\r\n")),
			  with_host(&s, "GET /up/ws HTTP/1.1\r\nHost: HOST\r\nSec-WebSocket-Key: k\r\nConnection: Upgrade\r\n"
					"Upgrade: websocket\r\n\r\n", text));
		buf_clear(&b);
		say(up, STR("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX: y\r\n\r\nhello"));
		snprintf(text, sizeof(text), "HTTP/1.1 101 Switching Protocols\r\nX: y\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello");
		CHECK_STR(hear_until(&s.loop, client, &b, STR("hello")), str_from(text));
		buf_clear(&b);
		say(client, STR("GET / HTTP/1.1\r\n\r\n"));
		CHECK_STR(hear_until(&s.loop, up, &b, STR("\r\n\r\n")), STR("GET / HTTP/1.1\r\n\r\n"));
		buf_clear(&b);
		close(client_closes ? client : up);
		CHECK_STR(hear_all(&s.loop, client_closes ? up : client, &b), STR(""));
		close(client_closes ? up : client);
		snprintf(text, sizeof(text), "GET /up/ws << 101 >hello <GET / HTTP/1.1\r\n\r\n %s", client_closes ? "left." : "whole.");
		CHECK_STR(buf_str(&s.seen), str_from(text));
		buf_free(&b);
		scene_close(&s);
	}
}

TEST(an_upgrade_that_is_refused_is_an_answer_like_others)
{
	struct scene s;
	struct buf b = { 0 };
	int client, up;

	scene_open(&s);
	client = dial(proxy_port(s.proxy));
	say(client, STR("GET /ws HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"));
	up = answer_call(&s.loop, s.listener);
	say(up, STR("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\n\r\nno"));
	CHECK_STR(hear_until(&s.loop, client, &b, STR("no")), STR("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\n\r\nno"));
	CHECK_STR(buf_str(&s.seen), STR("GET /up/ws << 426 >no whole."));
	close(client), close(up);
	buf_free(&b);
	scene_close(&s);
}

/* Moves as much as goes from one to the other through the loop; false when the receiver is at its end. */
static bool push_and_take(uv_loop_t *loop, int from, size_t *left, int to, size_t *got)
{
	static const char out[65536];
	static char in[65536];
	ssize_t n = *left ? send(from, out, *left < sizeof(out) ? *left : sizeof(out), MSG_NOSIGNAL | MSG_DONTWAIT) : 0;

	*left -= n > 0 ? (size_t)n : 0;
	uv_run(loop, UV_RUN_NOWAIT);
	if (to < 0)
		return true;
	n = recv(to, in, sizeof(in), MSG_DONTWAIT);
	*got += n > 0 ? (size_t)n : 0;
	return n > 0 || (n < 0 && errno == EAGAIN);
}

TEST(a_slow_reader_holds_the_upstream_up_and_memory_stays_bounded)
{
	enum { WHOLE = 50 << 20 };
	struct scene s;
	struct rusage before, after;
	size_t left = WHOLE, got = 0;
	int client, up;

	meet(&s, &client, &up);
	CHECK(getrusage(RUSAGE_SELF, &before) == 0);
	say(up, STR("HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\n\r\n"));
	for (uint64_t end = now_ms() + 300; now_ms() < end;)
		push_and_take(&s.loop, up, &left, -1, &got); /* nobody reads */
	CHECK(s.passed < 10 << 20);
	CHECK(left > 20 << 20);
	while (got < WHOLE)
		CHECK(push_and_take(&s.loop, up, &left, client, &got));
	CHECK_INT(s.passed, WHOLE);
	CHECK(getrusage(RUSAGE_SELF, &after) == 0);
	CHECK(build_has_sanitizer() || after.ru_maxrss - before.ru_maxrss < 8 * 1024);
	close(client), close(up);
	scene_close(&s);
}

TEST(a_slow_upstream_holds_the_client_up)
{
	enum { WHOLE = 50 << 20 };
	struct scene s;
	struct rusage before, after;
	size_t left = WHOLE, got = 0;
	int client, up;

	scene_open(&s);
	client = dial(proxy_port(s.proxy));
	CHECK(getrusage(RUSAGE_SELF, &before) == 0);
	say(client, STR("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 52428800\r\n\r\n"));
	up = answer_call(&s.loop, s.listener);
	for (uint64_t end = now_ms() + 300; now_ms() < end;)
		push_and_take(&s.loop, client, &left, -1, &got);
	CHECK(left > 20 << 20);
	while (got < WHOLE)
		CHECK(push_and_take(&s.loop, client, &left, up, &got));
	CHECK(getrusage(RUSAGE_SELF, &after) == 0);
	CHECK(build_has_sanitizer() || after.ru_maxrss - before.ru_maxrss < 8 * 1024);
	close(client), close(up);
	scene_close(&s);
}

TEST(an_answer_before_the_request_is_complete_is_passed_on)
{
	struct scene s;
	struct buf b = { 0 };
	int client, up;

	scene_open(&s);
	client = dial(proxy_port(s.proxy));
	say(client, STR("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\nhalf "));
	up = answer_call(&s.loop, s.listener);
	hear_until(&s.loop, up, &b, STR("half "));
	buf_clear(&b);
	say(up, STR("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"));
	CHECK_STR(hear_until(&s.loop, client, &b, STR("no")), STR("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"));
	CHECK_STR(buf_str(&s.seen), STR("POST /up/ <half  413 >no whole."));
	close(client), close(up);
	buf_free(&b);
	scene_close(&s);
}

TEST(nobody_need_watch)
{
	struct scene s;
	struct buf b = { 0 };
	int client, up;

	scene_open(&s);
	s.deaf = true;
	client = dial(proxy_port(s.proxy));
	say(client, STR("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nhi"));
	up = answer_call(&s.loop, s.listener);
	say(up, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
	hear_until(&s.loop, client, &b, STR("ok"));
	CHECK_STR(buf_str(&s.seen), STR(""));
	close(client), close(up);
	buf_free(&b);
	scene_close(&s);
}

TEST(stopping_lets_what_is_under_way_be_finished)
{
	struct scene s;
	struct buf b = { 0 };
	int client, up;

	meet(&s, &client, &up);
	proxy_stop(s.proxy, false);
	turn_for(&s.loop, 20);
	CHECK_INT(proxy_count(s.proxy), 1);
	say(up, STR("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
	CHECK(str_ends(hear_all(&s.loop, client, &b), STR("Connection: close\r\n\r\nok")));
	CHECK(uv_run(&s.loop, UV_RUN_DEFAULT) == 0); /* nothing is left to wait for */
	CHECK(str_ends(buf_str(&s.seen), STR("whole.")));
	close(client), close(up);
	buf_free(&b);
	scene_close(&s);
}

TEST(stopping_now_ends_everything)
{
	struct scene s;
	struct buf b = { 0 };
	int client, up;

	meet(&s, &client, &up);
	proxy_stop(s.proxy, true);
	CHECK(uv_run(&s.loop, UV_RUN_DEFAULT) == 0);
	CHECK_STR(buf_str(&s.seen), STR("GET /up/ << left."));
	CHECK(!listen_to(client, &b) && !listen_to(up, &b));
	close(client), close(up);
	buf_free(&b);
	scene_close(&s);
}

TEST(two_hundred_clients_at_once_get_their_own_answers)
{
	enum { CLIENTS = 200, ROUNDS = 4 };
	struct scene s;
	struct stage up = { 0 };
	struct server_options o = { .guard = { .open = true }, .ops = &stage_ops, .context = &up };
	struct err err;
	struct buf b = { 0 };
	int fd[CLIENTS];
	char ask[100], want[40];

	scene_open(&s);
	s.deaf = true;
	up.server = server_open(&s.loop, &o, &err); /* on the same loop */
	CHECK(up.server != NULL);
	s.url.port = server_port(up.server);
	for (size_t i = 0; i < CLIENTS; i++)
		fd[i] = dial(proxy_port(s.proxy));
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < CLIENTS; i++) {
			snprintf(ask, sizeof(ask), "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n<%07zu>", i * 10 + round);
			say(fd[i], str_from(ask));
		}
		for (size_t i = 0; i < CLIENTS; i++) {
			snprintf(want, sizeof(want), "\r\n\r\n<%07zu>", i * 10 + round);
			buf_clear(&b);
			CHECK(str_ends(hear_until(&s.loop, fd[i], &b, STR(">")), str_from(want)));
		}
	}
	for (size_t i = 0; i < CLIENTS; i++)
		close(fd[i]);
	buf_free(&b), buf_free(&up.got);
	server_stop(up.server, true);
	turn_for(&s.loop, 50);
	proxy_stop(s.proxy, true);
	CHECK(uv_run(&s.loop, UV_RUN_DEFAULT) == 0);
	server_close(up.server);
	scene_close(&s);
}

TEST(each_piece_passes_at_once_on_the_way_over_another_proxy_too)
{
	struct scene s;
	struct buf b = { 0 };
	char proxy[40];
	int client, up;

	CHECK(setenv("http_proxy", "http://127.0.0.1:9", 1) == 0);
	scene_open(&s);
	snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%u", s.port);
	CHECK(setenv("http_proxy", proxy, 1) == 0);
	s.url = (struct url){ .host = STR("model.example"), .port = 80, .authority = STR("model.example") };
	client = dial(proxy_port(s.proxy));
	say(client, STR("POST /x HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nhi"));
	up = answer_call(&s.loop, s.listener);
	CHECK(str_starts(hear_until(&s.loop, up, &b, STR("\r\n\r\nhi")), STR("POST http://model.example/up/x HTTP/1.1\r\nHost: model.example\r\n")));
	buf_clear(&b);
	say(up, STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"));
	hear_until(&s.loop, client, &b, STR("3\r\none\r\n"));
	say(up, STR("3\r\ntwo\r\n"));
	hear_until(&s.loop, client, &b, STR("3\r\none\r\n3\r\ntwo\r\n"));
	say(up, STR("0\r\n\r\n"));
	hear_until(&s.loop, client, &b, STR("0\r\n\r\n"));
	CHECK_STR(buf_str(&s.seen), STR("POST /up/x <hi << 200 >one >two whole."));
	close(client), close(up);
	buf_free(&b);
	scene_close(&s);
}

/* An endpoint that answers with its own body, at the end or (/here/early) with the head. */
struct own_place {
	struct request *q;
	struct buf body;
	unsigned begun, ended, gone;
};

static void place_begin(void *context, struct request *q, void **own)
{
	struct own_place *p = context;

	*own = p;
	p->q = q;
	p->begun++;
	if (str_ends(q->head->target, STR("early")))
		request_reply(q, 400, NULL, 0, STR("early"));
}

static void place_body(void *own, struct str bytes)
{
	buf_add_str(&((struct own_place *)own)->body, bytes);
}

static void place_end(void *own)
{
	struct own_place *p = own;

	p->ended++;
	request_reply(p->q, 200, NULL, 0, buf_str(&p->body));
}

static void place_gone(void *own)
{
	((struct own_place *)own)->gone++;
}

TEST(an_endpoint_of_the_proxy_itself_answers_and_nothing_is_passed_on)
{
	struct own_place p = { .begun = 0 };
	struct proxy_local local = { place_begin, place_body, place_end, place_gone, &p };
	struct scene s;
	struct buf b = { 0 };
	int fd, up;

	scene_open(&s);
	s.local = &local;
	fd = dial(proxy_port(s.proxy));
	say(fd, STR("POST /here HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n"));
	turn_for(&s.loop, 5);
	say(fd, STR("1\r\n!\r\n0\r\n\r\n"));
	hear_until(&s.loop, fd, &b, STR("\r\n\r\nhi!"));
	say(fd, STR("POST /here/early HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nhi"));
	hear_until(&s.loop, fd, &b, STR("early"));
	CHECK_INT(p.begun, 2);
	CHECK_INT(p.ended, 1);
	TURN_UNTIL(&s.loop, p.gone == 2);
	CHECK_STR(buf_str(&s.seen), STR("")); /* the tap is not told */
	buf_clear(&b);
	say(fd, STR("GET /x HTTP/1.1\r\nHost: here\r\n\r\n")); /* all else goes on as before */
	up = answer_call(&s.loop, s.listener);
	hear_until(&s.loop, up, &b, STR("\r\n\r\n"));
	CHECK(str_starts(buf_str(&b), STR("GET /up/x ")));
	close(up);
	close(fd);
	turn_for(&s.loop, 5);
	fd = dial(proxy_port(s.proxy)); /* a client that leaves in the middle */
	say(fd, STR("POST /here HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nhi"));
	TURN_UNTIL(&s.loop, p.begun == 3);
	slam(fd);
	TURN_UNTIL(&s.loop, p.gone == 3);
	CHECK_INT(p.ended, 1);
	buf_free(&b);
	buf_free(&p.body);
	scene_close(&s);
}
