#include "capture/otlp/pass.h"

#include <stdlib.h>

#include "unit/net/sockets.h"

struct setting {
	struct arena arena;
	uv_loop_t loop;
	struct otlp_pass *pass;
	struct str note;
	uint16_t port;
	int listener;
};

static const char *const (*given)[2]; /* names and values, ended by NULL */

static const char *get(const char *name)
{
	for (size_t i = 0; given && given[i][0]; i++)
		if (strcmp(given[i][0], name) == 0)
			return given[i][1];
	return NULL;
}

static void open_setting(struct setting *s, const char *const (*variables)[2])
{
	*s = (struct setting){ .listener = -1 };
	arena_init(&s->arena);
	CHECK(uv_loop_init(&s->loop) == 0);
	given = variables;
	s->pass = otlp_pass_open(&s->arena, &s->loop, get, &s->note);
}

/* A collector of the test at the base /base, with a header of the user's. */
static void open_collector(struct setting *s, const char *path)
{
	static char url[100];
	static const char *variables[][2] = {
		{ "OTEL_EXPORTER_OTLP_ENDPOINT", url },
		{ "OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret%20word,x-mine=1" },
		{ NULL, NULL },
	};
	uint16_t port;
	int fd = hear(&port);

	snprintf(url, sizeof(url), "http://127.0.0.1:%u%s", port, path);
	open_setting(s, (const char *const(*)[2])variables);
	s->listener = fd;
	s->port = port;
	CHECK(s->pass != NULL);
	CHECK_STR(s->note, STR(""));
}

static void close_setting(struct setting *s)
{
	if (s->pass) {
		otlp_pass_end(s->pass);
		CHECK(uv_run(&s->loop, UV_RUN_DEFAULT) == 0);
		otlp_pass_stop(s->pass);
		CHECK(uv_run(&s->loop, UV_RUN_DEFAULT) == 0);
		otlp_pass_close(s->pass);
	}
	CHECK(uv_loop_close(&s->loop) == 0);
	if (s->listener >= 0)
		close(s->listener);
	arena_free(&s->arena);
}

static const struct http_header headers[] = {
	{ { "Host", 4 }, { "127.0.0.1:1", 11 } },
	{ { "Content-Type", 12 }, { "application/x-protobuf", 22 } },
	{ { "Content-Encoding", 16 }, { "gzip", 4 } },
	{ { "X-Key", 5 }, { "of the client", 13 } },
	{ { "Connection", 10 }, { "keep-alive", 10 } },
	{ { "Content-Length", 14 }, { "3", 1 } },
	{ { "x-trackway-run", 14 }, { "r", 1 } },
	{ { "User-Agent", 10 }, { "sdk", 3 } },
};

static void send_one(struct setting *s, enum otlp_signal signal)
{
	struct http_head h = { .side = HTTP_REQUEST, .method = STR("POST"), .target = STR("/v1/traces"),
			       .headers = headers, .count = COUNT(headers), .framing = HTTP_LENGTH, .length = 3 };

	otlp_pass_send(s->pass, signal, &h, STR("a\0b"));
}

/* Takes one request, compares it where there is something to compare with, and answers. */
static void serve(struct setting *s, const char *wants, const char *answer)
{
	struct buf b = { 0 };
	int fd = answer_call(&s->loop, s->listener);

	hear_until(&s->loop, fd, &b, STR("a\0b"));
	if (wants)
		CHECK_STR(buf_str(&b), ARENA_JOIN(&s->arena, str_from(wants), STR("\r\n\r\na\0b")));
	say(fd, str_from(answer));
	turn_for(&s->loop, 10);
	close(fd);
	buf_free(&b);
}

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
#define BUSY "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

TEST(a_request_is_passed_on_unchanged_with_the_headers_of_both)
{
	struct setting s;

	open_collector(&s, "/base/?q=1");
	send_one(&s, OTLP_LOGS);
	serve(&s, arena_printf(&s.arena, "POST /base/v1/logs?q=1 HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
				"Content-Type: application/x-protobuf\r\nContent-Encoding: gzip\r\nX-Key: of the client\r\n"
				"User-Agent: sdk\r\nx-mine: 1\r\nContent-Length: 3", s.port).p, OK);
	TURN_UNTIL(&s.loop, otlp_pass_hosts(s.pass)->count == 1);
	CHECK_INT(otlp_pass_hosts(s.pass)->failed, 0);
	close_setting(&s);
}

TEST(without_an_address_nothing_is_passed_on)
{
	static const char *const none[][2] = { { "OTEL_EXPORTER_OTLP_HEADERS", "a=b" }, { NULL, NULL } };
	static const char *const logs[][2] = { { "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "http://127.0.0.1:1/as/it/is" },
					       { NULL, NULL } };
	struct setting s;

	open_setting(&s, none);
	CHECK(!s.pass);
	CHECK_STR(s.note, STR(""));
	close_setting(&s);
	open_setting(&s, logs);
	CHECK(s.pass != NULL);
	send_one(&s, OTLP_TRACES); /* of a signal that has none */
	CHECK_INT(otlp_pass_hosts(s.pass)->count, 0);
	close_setting(&s);
}

TEST(what_cannot_be_passed_on_is_said)
{
	static const struct { const char *variables[4][2]; const char *wants; } cases[] = {
		{ { { "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317" }, { "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc" } },
		  "grpc, which cannot be passed on" },
		{ { { "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317" } }, "4317 is the port of gRPC" },
		{ { { "OTEL_EXPORTER_OTLP_ENDPOINT", "c" } }, "OTEL_EXPORTER_OTLP_ENDPOINT" },
		{ { { "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "http://c:4317" } }, "set OTEL_EXPORTER_OTLP_LOGS_ENDPOINT to its" },
		{ { { "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "http://c" }, { "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "GRPC" } },
		  "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL is grpc" },
		{ { { "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c" }, { "OTEL_EXPORTER_OTLP_HEADERS", "=x" } },
		  "nothing before its '='; write key=value" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct setting s;

		test_case("%zu", i);
		open_setting(&s, cases[i].variables);
		CHECK(!s.pass);
		CHECK(str_find(s.note, str_from(cases[i].wants)) != (size_t)-1);
		CHECK(str_starts(s.note, STR("telemetry goes to the recorder only, not to your collector: ")));
		close_setting(&s);
	}
}

TEST(what_is_passed_on_of_one_signal_alone_is_said)
{
	static const char *const some[][2] = { { "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c" },
					       { "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc" }, { NULL, NULL } };
	struct setting s;

	open_setting(&s, some);
	CHECK(s.pass != NULL);
	CHECK(str_starts(s.note, STR("some telemetry goes to the recorder only, not to your collector: "
				     "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is grpc")));
	close_setting(&s);
}

/* The bytes are the client's. */
TEST(how_the_client_packs_and_encodes_is_no_reason_to_pass_nothing_on)
{
	static const char *const some[][2] = { { "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c" },
					       { "OTEL_EXPORTER_OTLP_COMPRESSION", "zstd" },
					       { "OTEL_EXPORTER_OTLP_PROTOCOL", "http/x" }, { NULL, NULL } };
	struct setting s;

	open_setting(&s, some);
	CHECK(s.pass != NULL);
	CHECK_STR(s.note, STR(""));
	close_setting(&s);
}

TEST(a_collector_that_is_busy_is_asked_again_three_times)
{
	struct setting s;

	open_collector(&s, "");
	send_one(&s, OTLP_TRACES);
	serve(&s, NULL, BUSY);
	serve(&s, NULL, OK);
	turn_for(&s.loop, 20);
	CHECK_INT(otlp_pass_hosts(s.pass)->failed, 0);
	send_one(&s, OTLP_TRACES);
	for (unsigned i = 0; i < OTLP_PASS_TRIES; i++)
		serve(&s, NULL, BUSY);
	TURN_UNTIL(&s.loop, otlp_pass_hosts(s.pass)->failed == 1);
	CHECK_STR(str_from(otlp_pass_hosts(s.pass)->why), STR("503 Service Unavailable"));
	send_one(&s, OTLP_TRACES);
	serve(&s, NULL, "HTTP/1.1 401 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"); /* and not again */
	TURN_UNTIL(&s.loop, otlp_pass_hosts(s.pass)->failed == 2);
	close_setting(&s);
}

TEST(the_end_does_not_wait_long_for_a_collector_that_says_nothing)
{
	struct setting s;
	uint64_t begun = now_ms();

	open_collector(&s, "");
	for (unsigned i = 0; i < 10; i++)
		send_one(&s, i % 2 ? OTLP_TRACES : OTLP_METRICS);
	otlp_pass_end(s.pass);
	CHECK(uv_run(&s.loop, UV_RUN_DEFAULT) == 0);
	CHECK(now_ms() - begun < OTLP_PASS_GRACE_MS + 2000 * test_slower());
	CHECK_INT(otlp_pass_hosts(s.pass)->count, 10);
	CHECK_INT(otlp_pass_hosts(s.pass)->failed, 10);
	CHECK(str_find(str_from(otlp_pass_hosts(s.pass)->why), STR("before the end of the run")) != (size_t)-1);
	send_one(&s, OTLP_TRACES);
	CHECK_INT(otlp_pass_hosts(s.pass)->failed, 11);
	close_setting(&s);
}

TEST(a_collector_that_is_not_there_fails_all_and_at_the_end_at_once)
{
	struct setting s;

	open_collector(&s, "");
	close(s.listener);
	s.listener = -1;
	for (unsigned i = 0; i < 20; i++)
		send_one(&s, OTLP_TRACES);
	turn_for(&s.loop, 30); /* some wait for their next try now */
	close_setting(&s);
}

TEST(the_queue_is_bounded)
{
	struct setting s;

	open_collector(&s, "");
	for (unsigned i = 0; i < OTLP_PASS_MOST + 100; i++)
		send_one(&s, OTLP_TRACES);
	CHECK(otlp_pass_hosts(s.pass)->failed >= 90);
	CHECK_STR(str_from(otlp_pass_hosts(s.pass)->why), STR("too many waited for it"));
	close_setting(&s);
}
