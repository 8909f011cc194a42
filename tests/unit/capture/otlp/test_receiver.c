#include "capture/otlp/receiver.h"

#include <fcntl.h>

#include "unit/net/pack.h"
#include "unit/net/sockets.h"

#define JSON "Content-Type: application/json\r\n"
#define PROTO "Content-Type: application/x-protobuf\r\n"
#define EMPTY "{\"resourceSpans\":[]}"

struct setting {
	struct arena arena;
	uv_loop_t loop;
	struct clock_line clock;
	struct line_file trace;
	struct recorder_run run;
	struct recorder *recorder;
	struct feed *feed;
	struct budget room;
	struct otlp_receiver *receiver;
	struct proxy *proxy;
	struct buf heard;
};

static bool receiver_route(void *context, struct arena *a, const struct http_head *h, const struct url *host,
			   struct proxy_destination *to, int *status, const char **why)
{
	struct setting *s = context;

	(void)a, (void)host;
	*status = 404;
	*why = "not telemetry";
	to->local = otlp_receiver_takes(h->target) ? otlp_receiver_local(s->receiver) : NULL;
	return to->local != NULL;
}

static void open_setting(struct setting *s, struct otlp_receiver_options o)
{
	struct recorder_options d = { .run = &s->run, .room = &s->room };
	struct recorder_run_options run = { .run_id = STR("0193b3a1-7c00-7abc-8def-0123456789ab"), .trace = &s->trace };
	struct proxy_options p = { .route = receiver_route, .context = s, .clock = &s->clock };
	struct err err;

	*s = (struct setting){ .room.limit = HANDOFF_ROOM, .clock = clock_line_begin() };
	arena_init(&s->arena);
	CHECK(uv_loop_init(&s->loop) == 0);
	CHECK(line_file_open(&s->trace, AT_FDCWD,
			     arena_printf(&s->arena, "/tmp/trackway-receiver-%ld", (long)getpid()).p, 0600, &err));
	unlink(arena_printf(&s->arena, "/tmp/trackway-receiver-%ld", (long)getpid()).p);
	recorder_run_init(&s->run, &run);
	s->recorder = recorder_open(&s->arena, &d);
	s->feed = feed_open(&s->arena, &s->room, recorder_work(s->recorder));
	s->receiver = otlp_receiver_open(&s->loop, &o);
	otlp_receiver_begin(s->receiver, s->feed);
	s->proxy = proxy_open(&s->loop, &p, &err);
	CHECK(s->proxy != NULL);
}

/* Gives the tally. */
static struct otlp_receiver_tally close_setting(struct setting *s)
{
	struct otlp_receiver_tally tally;

	proxy_stop(s->proxy, true);
	otlp_receiver_end(s->receiver);
	CHECK(uv_run(&s->loop, UV_RUN_DEFAULT) == 0);
	otlp_receiver_stop(s->receiver);
	CHECK(uv_run(&s->loop, UV_RUN_DEFAULT) == 0);
	proxy_close(s->proxy);
	CHECK(uv_loop_close(&s->loop) == 0);
	feed_close(s->feed);
	tally = otlp_receiver_tally(s->receiver);
	otlp_receiver_close(s->receiver);
	recorder_close(s->recorder);
	recorder_run_free(&s->run);
	line_file_close(&s->trace);
	arena_free(&s->arena);
	buf_free(&s->heard);
	return tally;
}

/* One request on its own connection; the answer, whole. */
static struct str ask(struct setting *s, const char *line, const char *headers, struct str body)
{
	struct buf b = { 0 };
	int fd = dial(proxy_port(s->proxy));

	buf_printf(&b, "%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n", line,
		   proxy_port(s->proxy), headers, body.n);
	buf_add_str(&b, body);
	say(fd, buf_str(&b));
	buf_clear(&s->heard);
	hear_all(&s->loop, fd, &s->heard);
	close(fd);
	buf_free(&b);
	return buf_str(&s->heard);
}

static bool has(struct str text, const char *part)
{
	return str_find(text, str_from(part)) != (size_t)-1;
}

TEST(only_the_three_paths_are_the_receivers)
{
	static const struct { const char *target; bool is; } cases[] = {
		{ "/v1/traces", true }, { "/v1/logs", true }, { "/v1/metrics", true }, { "/v1/traces/", true },
		{ "/v1/traces?x=1", true }, { "http://127.0.0.1:1/v1/logs", true }, { "/v1/tracesx", false },
		{ "/openai/v1/traces", false }, { "/v1/profiles", false }, { "/", false }, { "*", false }, { "", false },
		{ "/v1/x://h/v1/traces", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].target);
		CHECK_INT(otlp_receiver_takes(str_from(cases[i].target)), cases[i].is);
	}
}

TEST(every_request_gets_the_answer_of_the_protocol)
{
	static const struct {
		const char *line, *headers, *body, *status, *wants;
	} cases[] = {
		{ "POST /v1/traces", JSON, EMPTY, "200 OK", "\r\n\r\n{}" },
		{ "POST /v1/logs", "Content-Type: application/json; charset=utf-8\r\n", "{\"resourceLogs\":[]}", "200 OK",
		  "Content-Type: application/json\r\n" },
		{ "POST /v1/metrics", JSON, "{}", "200 OK", "\r\n\r\n{}" },
		{ "POST /v1/traces", PROTO, "", "200 OK", "Content-Length: 0\r\n" },
		{ "POST /v1/traces", PROTO, "", "200 OK", "Content-Type: application/x-protobuf\r\n" },
		{ "POST /v1/traces", JSON "Content-Encoding: identity\r\n", EMPTY, "200 OK", "\r\n\r\n{}" },
		{ "GET /v1/traces", "", "", "405 Method Not Allowed", "Allow: POST\r\n" },
		{ "PUT /v1/traces", JSON, "{}", "405 Method Not Allowed", "\"code\":12" },
		{ "POST /v1/traces", "", "{}", "415 Unsupported Media Type", "\"code\":3" },
		{ "POST /v1/traces", "Content-Type: text/plain\r\n", "{}", "415 Unsupported Media Type", "application/json" },
		{ "POST /v1/traces", JSON "Content-Encoding: br\r\n", "x", "415 Unsupported Media Type", "gzip" },
		{ "POST /v1/traces", JSON, "{BROKEN", "400 Bad Request", "{\"code\":3,\"message\":\"" },
		{ "POST /v1/traces", JSON "Content-Encoding: gzip\r\n", "not gzip", "400 Bad Request", "cannot be unpacked" },
		{ "POST /v1/traces", PROTO "Content-Encoding: gzip\r\n", "not gzip", "400 Bad Request", "\x08\x03\x12" },
		{ "POST /v1/other", JSON, "{}", "404 Not Found", "not telemetry" },
	};
	struct otlp_receiver_tally t;
	struct setting s;

	open_setting(&s, (struct otlp_receiver_options){ 0 });
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str got = ask(&s, cases[i].line, cases[i].headers, str_from(cases[i].body));

		test_case("%zu: %s: %.*s", i, cases[i].line, STR_ARG(got));
		CHECK(str_starts(str_skip(got, 9), str_from(cases[i].status)));
		CHECK(has(got, cases[i].wants));
	}
	t = close_setting(&s);
	CHECK_INT(t.requests, 6);
	CHECK_INT(t.refused, 8);
}

TEST(packed_bodies_are_unpacked)
{
	static const struct { enum unpack_kind kind; const char *header; bool raw; } cases[] = {
		{ UNPACK_GZIP, PROTO "Content-Encoding: gzip\r\n", false },
		{ UNPACK_ZSTD, PROTO "Content-Encoding: zstd\r\n", false },
		{ UNPACK_DEFLATE, PROTO "Content-Encoding: deflate\r\n", false },
		{ UNPACK_DEFLATE, PROTO "Content-Encoding: deflate\r\n", true },
	};
	struct setting s;

	open_setting(&s, (struct otlp_receiver_options){ 0 });
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str packed = pack(STR("\x0a\x00"), cases[i].kind, cases[i].raw);

		test_case("%zu", i);
		CHECK(has(ask(&s, "POST /v1/traces", cases[i].header, packed), "HTTP/1.1 200 "));
		packed.n--; /* broken off */
		CHECK(has(ask(&s, "POST /v1/traces", cases[i].header, packed), "HTTP/1.1 400 "));
	}
	CHECK_INT(close_setting(&s).requests, COUNT(cases));
}

TEST(what_is_too_large_is_a_413_packed_or_not)
{
	struct setting s;
	char zeros[3000] = { 0 };
	struct str exact = str_of(zeros, 1000), more = str_of(zeros, 1001), most = str_of(zeros, sizeof(zeros));
	char line[] = "POST /v1/traces";
	struct buf b = { 0 };
	int fd;

	open_setting(&s, (struct otlp_receiver_options){ .body = 1000 });
	memset(zeros, ' ', sizeof(zeros)); /* blanks are no JSON, but they are read */
	CHECK(has(ask(&s, line, JSON, exact), "HTTP/1.1 400 "));
	CHECK(has(ask(&s, line, JSON, more), "HTTP/1.1 413 "));
	CHECK(has(ask(&s, line, JSON "Content-Encoding: gzip\r\n", pack(exact, UNPACK_GZIP, false)), "HTTP/1.1 400 "));
	CHECK(has(ask(&s, line, JSON "Content-Encoding: gzip\r\n", pack(more, UNPACK_GZIP, false)), "HTTP/1.1 413 "));
	CHECK(has(ask(&s, line, JSON "Content-Encoding: zstd\r\n", pack(exact, UNPACK_ZSTD, false)), "HTTP/1.1 400 "));
	CHECK(has(ask(&s, line, JSON "Content-Encoding: zstd\r\n", pack(most, UNPACK_ZSTD, false)), "\"code\":8"));
	/* in chunks, so that nobody knows before */
	fd = dial(proxy_port(s.proxy));
	buf_printf(&b, "POST /v1/traces HTTP/1.1\r\nHost: localhost:%u\r\n" JSON "Transfer-Encoding: chunked\r\n\r\nbb8\r\n",
		   proxy_port(s.proxy));
	buf_add_str(&b, most);
	buf_add_str(&b, STR("\r\n0\r\n\r\n"));
	say(fd, buf_str(&b));
	buf_clear(&b);
	hear_until(&s.loop, fd, &b, STR("HTTP/1.1 413 "));
	close(fd);
	buf_free(&b);
	close_setting(&s);
}

TEST(chunks_are_put_together)
{
	struct setting s;
	struct buf b = { 0 };
	int fd;

	open_setting(&s, (struct otlp_receiver_options){ 0 });
	fd = dial(proxy_port(s.proxy));
	buf_printf(&b, "POST /v1/traces HTTP/1.1\r\nHost: localhost:%u\r\nConnection: close\r\n" JSON
		   "Transfer-Encoding: chunked\r\n\r\n2\r\n{\"\r\n", proxy_port(s.proxy));
	say(fd, buf_str(&b));
	turn_for(&s.loop, 5);
	say(fd, STR("12\r\nresourceSpans\":[]}\r\n0\r\n\r\n"));
	buf_clear(&b);
	CHECK(has(hear_all(&s.loop, fd, &b), "HTTP/1.1 200 OK"));
	CHECK(str_ends(buf_str(&b), STR("{}")));
	close(fd);
	buf_free(&b);
	CHECK_INT(close_setting(&s).requests, 1);
}

TEST(several_requests_on_one_connection_are_answered_in_order)
{
	struct setting s;
	struct buf b = { 0 };
	int fd;

	open_setting(&s, (struct otlp_receiver_options){ 0 });
	fd = dial(proxy_port(s.proxy));
	for (unsigned i = 0; i < 3; i++)
		buf_printf(&b, "POST /v1/traces HTTP/1.1\r\nHost: localhost:%u\r\n" JSON "Content-Length: 2\r\n\r\n{%c",
			   proxy_port(s.proxy), i == 1 ? '!' : '}');
	say(fd, buf_str(&b));
	buf_clear(&b);
	TURN_UNTIL(&s.loop, (listen_to(fd, &b), str_count(buf_str(&b), 'H') >= 3));
	CHECK(str_find(buf_str(&b), STR("200 OK")) < str_find(buf_str(&b), STR("400 Bad")));
	CHECK(has(str_skip(buf_str(&b), str_find(buf_str(&b), STR("400 Bad"))), "200 OK"));
	close(fd);
	buf_free(&b);
	CHECK_INT(close_setting(&s).requests, 2);
}

TEST(who_comes_when_all_room_is_taken_is_told_to_come_again)
{
	struct setting s;
	struct buf b = { 0 };
	char text[900];
	struct str got;
	int fd;

	open_setting(&s, (struct otlp_receiver_options){ .room = 1500 });
	memset(text, ' ', sizeof(text));
	fd = dial(proxy_port(s.proxy)); /* holds 900 of it, and does not go on */
	buf_printf(&b, "POST /v1/traces HTTP/1.1\r\nHost: localhost:%u\r\n" JSON "Content-Length: 901\r\n\r\n",
		   proxy_port(s.proxy));
	buf_add_str(&b, str_of(text, sizeof(text)));
	say(fd, buf_str(&b));
	turn_for(&s.loop, 20);
	got = ask(&s, "POST /v1/traces", JSON, str_of(text, sizeof(text)));
	CHECK(has(got, "HTTP/1.1 503 "));
	CHECK(has(got, "Retry-After: 1\r\n"));
	CHECK(has(got, "\"code\":14"));
	close(fd);
	turn_for(&s.loop, 20);
	CHECK(has(ask(&s, "POST /v1/traces", JSON, str_of(text, sizeof(text))), "HTTP/1.1 400 "));
	buf_free(&b);
	CHECK_INT(close_setting(&s).refused, 2);
}

/* The body of a request is with the recorder when its client leaves, or the proxy is stopped. */
TEST(a_client_that_leaves_does_no_harm)
{
	struct setting s;
	struct buf b = { 0 };

	open_setting(&s, (struct otlp_receiver_options){ 0 });
	buf_printf(&b, "POST /v1/traces HTTP/1.1\r\nHost: localhost:%u\r\n" JSON "Content-Length: 20\r\n\r\n" EMPTY,
		   proxy_port(s.proxy));
	for (unsigned i = 0; i < 50; i++) {
		int fd = dial(proxy_port(s.proxy));

		say(fd, str_of(buf_str(&b).p, b.n - i % 3));
		if (i % 2)
			turn(&s.loop);
		slam(fd);
	}
	buf_free(&b);
	close_setting(&s);
}

TEST(pages_and_foreign_hosts_are_not_let_in)
{
	struct setting s;

	open_setting(&s, (struct otlp_receiver_options){ 0 });
	CHECK(has(ask(&s, "POST /v1/traces", JSON "Origin: https://page.example\r\n", STR("{}")), "HTTP/1.1 403 "));
	CHECK_INT(close_setting(&s).requests, 0);
}
