#include "watch/watch_server.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit/watch/watch_kit.h"

struct serving {
	pid_t child;
	uint16_t port;
};

static void serve_child(const char *dir, int out)
{
	struct watch_server_options o = { .port = 0 };
	struct err err = { .kind = ERR_NONE };
	struct watch_server *s;
	struct window window;
	struct tail tail;
	uv_loop_t loop;
	uint16_t port;

	window_init(&window, WINDOW_EVENTS);
	tail_init(&tail, dir, &window, TAIL_FILES);
	o.tail = &tail;
	CHECK(uv_loop_init(&loop) == 0);
	s = watch_server_open(&loop, &o, &err);
	CHECK(s != NULL);
	port = watch_server_port(s);
	CHECK(write(out, &port, sizeof(port)) == sizeof(port));
	uv_run(&loop, UV_RUN_DEFAULT);
}

static struct serving serving_begin(const char *dir)
{
	struct serving v = { .child = 0 };
	int ends[2];

	CHECK(pipe(ends) == 0);
	v.child = fork();
	if (v.child == 0) {
		serve_child(dir, ends[1]);
		_exit(0);
	}
	CHECK(read(ends[0], &v.port, sizeof(v.port)) == sizeof(v.port));
	close(ends[0]);
	close(ends[1]);
	return v;
}

static void serving_end(struct serving *v)
{
	kill(v->child, SIGKILL);
	waitpid(v->child, NULL, 0);
}

/* The answer to a request with this first line and Host; PORT stands for the port there. */
static struct str serving_ask(const struct serving *v, const char *line, const char *host)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(v->port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char *got = test_alloc(65536), text[400];
	size_t n = 0;
	ssize_t more;
	int length = snprintf(text, sizeof(text), "%s HTTP/1.1\r\nHost: %s:%u\r\nConnection: close\r\n\r\n", line, host, v->port);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	CHECK(send(fd, text, (size_t)length, MSG_NOSIGNAL) == length);
	while (n < 65536 && (more = read(fd, got + n, 65536 - n)) > 0)
		n += (size_t)more;
	close(fd);
	return str_of(got, n);
}

/* Asks until the first pass is over. */
static struct str serving_metrics(const struct serving *v)
{
	for (;;) {
		struct str got = serving_ask(v, "GET /metrics", "localhost");

		if (!str_starts(got, STR("HTTP/1.1 503 ")))
			return got;
		usleep(1000);
	}
}

TEST(metrics_are_served_with_the_media_type_of_the_format)
{
	const char *dir = test_dir();
	struct buf text = { NULL, 0, 0 };
	char path[4096];
	struct serving v;
	struct str got;
	FILE *f;

	kit_add_node(&text, "t", 0, (double)KIT_NOW / 1e6 - (double)clock_wall_ns() / 1e9, "retry", "");
	snprintf(path, sizeof(path), "%s/agent-trace.jsonl", dir);
	f = fopen(path, "w");
	CHECK(f && fwrite(text.p, 1, text.n, f) == text.n && fclose(f) == 0);
	v = serving_begin(dir);
	got = serving_metrics(&v);
	CHECK(str_starts(got, STR("HTTP/1.1 200 OK\r\n")));
	CHECK(str_has(got, STR("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n")));
	CHECK(str_has(got, STR("\ntrackway_events 1\n")));
	CHECK(str_has(got, STR("\ntrackway_nodes{kind=\"retry\"} 1\n")));
	got = serving_ask(&v, "HEAD /metrics", "localhost");
	CHECK(str_starts(got, STR("HTTP/1.1 200 OK\r\n")));
	CHECK(str_ends(got, STR("\r\n\r\n")));
	serving_end(&v);
	buf_free(&text);
}

TEST(other_paths_methods_and_hosts_are_refused)
{
	static const struct {
		const char *line, *host, *want;
	} cases[] = {
		{ "GET /metrics?name[]=x", "127.0.0.1", "HTTP/1.1 200 " },
		{ "GET /", "localhost", "HTTP/1.1 200 " },
		{ "GET /metrics/", "localhost", "HTTP/1.1 404 " },
		{ "POST /nothing", "localhost", "HTTP/1.1 404 " },
		{ "POST /metrics", "localhost", "HTTP/1.1 405 " },
		{ "DELETE /", "localhost", "HTTP/1.1 405 " },
		{ "GET /metrics", "evil.example", "HTTP/1.1 403 " },
	};
	struct serving v = serving_begin(test_dir());

	serving_metrics(&v);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str got = serving_ask(&v, cases[i].line, cases[i].host);

		test_case("%s at %s", cases[i].line, cases[i].host);
		CHECK(str_starts(got, str_from(cases[i].want)));
		CHECK_INT(str_has(got, STR("Allow: GET, HEAD\r\n")), str_has(str_from(cases[i].want), STR(" 405 ")));
	}
	CHECK(str_has(serving_ask(&v, "GET /", "localhost"), STR("/metrics\n")));
	serving_end(&v);
}

/* Sends a request and waits for nothing: the loop is the caller's own. */
static int ask_early(uint16_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char text[100];
	int length = snprintf(text, sizeof(text), "GET /metrics HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", port);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	CHECK(send(fd, text, (size_t)length, MSG_NOSIGNAL) == length);
	return fd;
}

TEST(before_the_first_pass_is_over_the_answer_is_503)
{
	const char *dir = test_dir();
	struct window window;
	struct tail tail;
	struct watch_server_options o = { .tail = &tail };
	struct err err = { .kind = ERR_NONE };
	struct watch_server *s;
	char got[1000] = "";
	uv_loop_t loop;
	int fd;

	for (unsigned i = 0; i < 30000; i++) { /* more than some steps look at */
		char path[4096];

		snprintf(path, sizeof(path), "%s/%u", dir, i);
		CHECK(symlink("x", path) == 0);
	}
	window_init(&window, 100);
	tail_init(&tail, dir, &window, 100);
	CHECK(uv_loop_init(&loop) == 0);
	s = watch_server_open(&loop, &o, &err);
	CHECK(s != NULL);
	fd = ask_early(watch_server_port(s));
	while (recv(fd, got, sizeof(got) - 1, MSG_DONTWAIT) < 0)
		uv_run(&loop, UV_RUN_NOWAIT);
	CHECK(str_starts(str_from(got), STR("HTTP/1.1 503 ")) && str_has(str_from(got), STR("Retry-After: 1\r\n")));
	CHECK_INT(tail.passes, 0);
	while (tail.passes == 0)
		uv_run(&loop, UV_RUN_NOWAIT);
	close(fd);
	watch_server_stop(s);
	watch_server_stop(s);
	uv_run(&loop, UV_RUN_DEFAULT);
	watch_server_close(s);
	CHECK(uv_loop_close(&loop) == 0);
	tail_free(&tail);
	window_free(&window);
}
