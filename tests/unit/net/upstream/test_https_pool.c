/* Calls by https: their connections, proxies, and other protocols. */
#include "net/upstream/upstream.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "unit/net/https_stage.h"

/* ---- connections ---- */

TEST(a_connection_is_used_again)
{
	struct stage s;
	struct got *g;

	open_usual(&s);
	for (int i = 0; i < 3; i++) {
		g = ask(&s, "https://localhost", "GET", "/hello");
		check_whole(g, 200, STR("hello"));
		CHECK(str_starts(buf_str(&g->headers), STR("X-Connection=1;")));
		done(g);
	}
	close_stage(&s);
}

TEST(a_kept_connection_that_was_closed_is_replaced)
{
	struct stage s;
	struct got *g;

	open_usual(&s);
	for (int i = 0; i < 5; i++) {
		g = ask(&s, "https://localhost", "GET", "/once"); /* closes after it said it would not */
		check_whole(g, 200, STR("once"));
		done(g);
		usleep(50000); /* a request that meets the end on its way is lost: nobody could tell whether it arrived */
		g = arena_new(&s.a, struct got);
		begin(&s, g, "https://localhost", "POST", "/sum", HTTP_LENGTH, STR("short body"));
		run_call(&s, g);
		check_whole(g, 200, sum_of(&s.a, STR("short body")));
		done(g);
	}
	close_stage(&s);
}

TEST(nobody_listening_is_a_refusal_that_names_the_cause)
{
	struct stage s;

	open_usual(&s);
	stop_group(s.server);
	check_failed(ask(&s, "https://127.0.0.1", "GET", "/"), UPSTREAM_REFUSED,
		     "Connection refused");
	s.server = start_tls(&s.leaf, false, &s.port);
	check_failed(ask(&s, "https://no-such-host.invalid", "GET", "/"), UPSTREAM_REFUSED,
		     "no address of this name was found");
	close_stage(&s);
}

TEST(a_cancelled_call_is_told_nothing_more)
{
	static const size_t after[] = { 1, 2, 3 };
	struct stage s;

	open_usual(&s);
	for (size_t i = 0; i < 3; i++) {
		struct got *g = arena_new(&s.a, struct got), *other;

		g->cancel_after = after[i];
		begin(&s, g, "https://localhost", "GET", "/stream", HTTP_NONE, STR(""));
		while (g->count < after[i])
			CHECK(uv_run(&s.loop, UV_RUN_ONCE) != 0 || g->count >= after[i]);
		other = ask(&s, "https://localhost", "GET", "/stream"); /* long enough for what must not come */
		check_whole(other, 200, STR("onetwothree"));
		CHECK_INT(g->count, after[i]);
		CHECK_INT(g->ends + g->fails, 0);
		done(g);
		done(other);
	}
	close_stage(&s);
}

TEST(a_call_can_be_cancelled_before_it_began)
{
	struct stage s;
	struct got *g, *other;

	open_usual(&s);
	g = arena_new(&s.a, struct got);
	begin(&s, g, "https://localhost", "GET", "/hello", HTTP_NONE, STR(""));
	upstream_cancel(g->call);
	other = ask(&s, "https://localhost", "GET", "/hello");
	check_whole(other, 200, STR("hello"));
	CHECK_INT(g->heads + g->ends + g->fails, 0);
	done(other);
	close_stage(&s);
}

TEST(calls_that_are_left_when_the_pool_closes_are_failed)
{
	struct stage s;
	struct got *g[3];

	open_usual(&s);
	for (size_t i = 0; i < 3; i++) {
		g[i] = test_alloc(sizeof(*g[i])); /* looked at when the stage is gone */
		begin(&s, g[i], "https://localhost", "GET", "/silent", HTTP_NONE, STR(""));
	}
	while (g[0]->count + g[1]->count + g[2]->count < 2)
		uv_run(&s.loop, UV_RUN_ONCE);
	close_stage(&s);
	for (size_t i = 0; i < 3; i++) {
		CHECK_INT(g[i]->fails, 1);
		CHECK_INT(g[i]->failure, UPSTREAM_CUT);
		done(g[i]);
	}
}

static void close_in_body(void *own, struct str bytes)
{
	struct got *g = own;

	(void)bytes;
	if (g->count++ == 0)
		upstreams_close((struct upstreams *)(void *)g->resume);
}

TEST(the_pool_may_be_closed_from_inside_a_call)
{
	static const struct upstream_ops closing = {
		.head = got_head, .body = close_in_body, .end = got_end, .fail = got_fail, .drain = got_drain,
	};
	struct stage s;
	struct got *g;
	struct upstream_request r = { .method = STR("GET"), .target = STR("/large"), .framing = HTTP_NONE };

	open_usual(&s);
	g = arena_new(&s.a, struct got);
	r.url = url_to(&s, "https://localhost");
	r.headers = &(struct http_header){ STR("Host"), r.url->authority };
	r.count = 1;
	g->resume = (uv_timer_t *)(void *)s.pool;
	g->call = upstream_begin(s.pool, &r, &closing, g);
	CHECK(uv_run(&s.loop, UV_RUN_DEFAULT) == 0);
	CHECK_INT(g->fails, 1);
	CHECK_INT(g->count, 1);
	done(g);
	upstreams_free(s.pool);
	s.pool = upstreams_open(&s.loop, &(struct upstream_options){ .kept = 1 });
	close_stage(&s);
}

TEST(sockets_are_not_inherited)
{
	struct stage s;
	struct got *g;

	closefrom(3);
	open_usual(&s);
	g = ask(&s, "https://localhost", "GET", "/hello");
	check_whole(g, 200, STR("hello"));
	for (int fd = 3; fd < 100; fd++) {
		int flags = fcntl(fd, F_GETFD);

		test_case("descriptor %d", fd);
		CHECK(flags < 0 || (flags & FD_CLOEXEC) != 0);
	}
	done(g);
	close_stage(&s);
}

/* ---- proxies ---- */

static size_t read_head(int fd, char *head, size_t room)
{
	size_t n = 0;

	while (n < room - 1 && str_find(str_of(head, n), STR("\r\n\r\n")) == (size_t)-1) {
		ssize_t got = read(fd, head + n, 1);

		if (got <= 0)
			_exit(1);
		n += (size_t)got;
	}
	head[n] = '\0';
	return n;
}

static void tunnel(int a, int b)
{
	struct pollfd p[2] = { { .fd = a, .events = POLLIN }, { .fd = b, .events = POLLIN } };
	char bytes[20000];

	while (poll(p, 2, -1) > 0) {
		for (int i = 0; i < 2; i++) {
			ssize_t n = p[i].revents ? read(p[i].fd, bytes, sizeof(bytes)) : -2;

			if (n == 0 || n == -1 || (n > 0 && write(p[1 - i].fd, bytes, (size_t)n) != n))
				_exit(0);
		}
	}
}

/* Connects to `port` of this machine whatever it is asked for; writes what it was asked to `log`. */
static void be_proxy(int client, uint16_t port, int log)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = { htonl(INADDR_LOOPBACK) } };
	char head[4000], answer[5000];
	size_t n = read_head(client, head, sizeof(head));
	int fd = socket(AF_INET, SOCK_STREAM, 0), length;

	if (write(log, head, n) != (ssize_t)n)
		_exit(2);
	if (strncmp(head, "CONNECT forbidden", 17) == 0) {
		length = snprintf(answer, sizeof(answer), "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
	} else if (strncmp(head, "CONNECT ", 8) == 0) {
		if (connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
			_exit(3);
		length = snprintf(answer, sizeof(answer), "HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n");
		if (write(client, answer, (size_t)length) != length)
			_exit(4);
		tunnel(client, fd);
	} else {
		length = snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", n, head);
	}
	_exit(write(client, answer, (size_t)length) == length ? 0 : 5);
}

static pid_t start_proxy(uint16_t to, uint16_t *port, int *log)
{
	int fd = listen_loopback(false, port), ends[2];
	pid_t pid;

	CHECK(fd >= 0 && pipe2(ends, O_CLOEXEC) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		setpgid(0, 0);
		signal(SIGCHLD, SIG_IGN);
		alarm(60);
		for (;;) {
			int client = accept(fd, NULL, NULL);

			if (client >= 0 && fork() == 0) {
				close(fd);
				be_proxy(client, to, ends[1]);
			}
			close(client);
		}
	}
	setpgid(pid, pid);
	close(fd);
	close(ends[1]);
	*log = ends[0];
	return pid;
}

static void use_proxy(const char *variable, const char *before, uint16_t port)
{
	char text[100];

	snprintf(text, sizeof(text), "http://%s127.0.0.1:%u", before, (unsigned)port);
	setenv(variable, text, 1);
}

TEST(https_goes_through_the_tunnel_of_a_proxy)
{
	struct stage s;
	struct got *g;
	uint16_t port;
	char log[4000];
	pid_t proxy;
	int fd;

	open_usual(&s);
	proxy = start_proxy(s.port, &port, &fd);
	use_proxy("HTTPS_PROXY", "jo:pw@", port);
	open_pool_again(&s, &(struct upstream_options){ .connect_ms = 10000 });
	g = ask(&s, "https://api.example.test", "GET", "/hello");
	check_whole(g, 200, STR("hello"));
	CHECK(str_starts(buf_str(&g->headers), STR("X-Connection=1;"))); /* the proxy's own answer is not given */
	read_head(fd, log, sizeof(log));
	CHECK(str_starts(str_from(log), arena_printf(&s.a, "CONNECT api.example.test:%u HTTP/1.1\r\n", (unsigned)s.port)));
	CHECK(strstr(log, "Proxy-Authorization: Basic am86cHc=\r\n") != NULL);
	CHECK(strstr(log, "Bearer") == NULL); /* keys are not the proxy's business */
	done(g);
	check_failed(ask(&s, "https://forbidden.example", "GET", "/hello"), UPSTREAM_REFUSED,
		     "through the proxy of the environment: it answered 403 (Forbidden) when it was asked to connect");
	stop_group(proxy);
	check_failed(ask(&s, "https://elsewhere.example", "GET", "/hello"), UPSTREAM_REFUSED,
		     "through the proxy of the environment: Connection refused");
	close(fd);
	close_stage(&s);
}

TEST(plain_http_asks_a_proxy_for_the_whole_address)
{
	struct stage s;
	struct got *g;
	uint16_t port;
	pid_t proxy;
	int fd;

	open_usual(&s);
	proxy = start_proxy(s.port, &port, &fd);
	use_proxy("http_proxy", "", port);
	open_pool_again(&s, &(struct upstream_options){ .connect_ms = 10000 });
	g = ask(&s, "http://api.example.test", "GET", "/v1?a=b");
	check_whole(g, 200, arena_printf(&s.a, "GET http://api.example.test:%u/v1?a=b HTTP/1.1\r\nHost: api.example.test:%u\r\n"
					 "X-Empty: \r\nauthorization: Bearer k\r\n\r\n", (unsigned)s.port, (unsigned)s.port));
	done(g);
	stop_group(proxy);
	close(fd);
	close_stage(&s);
}

/* ---- other protocols ---- */

static void begin_upgrade(struct stage *s, struct got *g, const char *target)
{
	const struct url *u = url_to(s, "https://localhost");
	struct http_header headers[] = {
		{ STR("Host"), u->authority }, { STR("Connection"), STR("Upgrade") }, { STR("Upgrade"), STR("parrot") },
	};
	struct upstream_request r = {
		.url = u, .method = STR("GET"), .target = str_from(target), .headers = headers, .count = 3, .upgrade = true,
	};

	g->call = upstream_begin(s->pool, &r, &stage_ops, g);
	upstream_finish(g->call);
}

static void run_until_body(struct stage *s, struct got *g, size_t n)
{
	while (g->body.n < n && g->fails == 0)
		CHECK(uv_run(&s->loop, UV_RUN_ONCE) != 0 || g->body.n >= n);
}

TEST(another_protocol_passes_both_ways)
{
	struct stage s;
	struct got *g;

	open_usual(&s);
	g = arena_new(&s.a, struct got);
	begin_upgrade(&s, g, "/socket");
	run_until_body(&s, g, 10);
	CHECK_INT(g->status, 101);
	CHECK_STR(buf_str(&g->headers), STR("Connection=Upgrade;Upgrade=parrot;"));
	upstream_write(g->call, STR("one,"));
	run_until_body(&s, g, 14);
	upstream_pause(g->call);
	upstream_write(g->call, STR("two,"));
	for (int i = 0; i < 20; i++) {
		wait_ms(5);
		uv_run(&s.loop, UV_RUN_NOWAIT);
	}
	CHECK_STR(buf_str(&g->body), STR("greetings;one,")); /* it waits */
	upstream_resume(g->call);
	run_until_body(&s, g, 18);
	upstream_write(g->call, STR("."));
	run_call(&s, g);
	CHECK_INT(g->fails, 0);
	CHECK_STR(buf_str(&g->body), STR("greetings;one,two,."));
	done(g);
	close_stage(&s);
}

TEST(a_lot_passes_through_another_protocol_and_the_writer_waits)
{
	size_t n = 20000000;
	char *bytes = test_alloc(n);
	struct stage s;
	struct got *g;

	memset(bytes, 'x', n);
	bytes[n - 1] = '.';
	open_usual(&s);
	g = arena_new(&s.a, struct got);
	begin_upgrade(&s, g, "/socket");
	run_until_body(&s, g, 10);
	g->rest = str_of(bytes, n);
	feed(g);
	CHECK(g->rest.n > 0); /* how much depends on how fast the other side reads */
	run_call(&s, g);
	CHECK_INT(g->fails, 0);
	CHECK_INT(g->body.n, n + 10);
	CHECK(g->drains > 0);
	done(g);
	close_stage(&s);
}

TEST(who_asks_for_another_protocol_may_get_a_plain_answer)
{
	struct stage s;
	struct got *g;

	open_usual(&s);
	for (int i = 0; i < 2; i++) {
		g = arena_new(&s.a, struct got);
		begin_upgrade(&s, g, i ? "/stream" : "/echo");
		run_call(&s, g);
		if (i == 0)
			CHECK(strstr(g->body.p, "Connection: Upgrade\r\nUpgrade: parrot\r\n\r\n") != NULL);
		else
			check_whole(g, 200, STR("onetwothree"));
		done(g);
	}
	g = arena_new(&s.a, struct got);
	begin_upgrade(&s, g, "/cut");
	run_call(&s, g);
	CHECK_INT(g->fails, 1);
	CHECK_INT(g->failure, UPSTREAM_CUT);
	done(g);
	close_stage(&s);
}

TEST(another_protocol_can_be_cancelled_and_closed_with_the_pool)
{
	struct stage s;
	struct got *g, *other = test_alloc(sizeof(*other));

	open_usual(&s);
	g = arena_new(&s.a, struct got);
	g->cancel_after = 1;
	begin_upgrade(&s, g, "/socket");
	begin_upgrade(&s, other, "/socket");
	run_until_body(&s, other, 10);
	run_until_body(&s, g, 1);
	for (int i = 0; i < 10; i++)
		uv_run(&s.loop, UV_RUN_NOWAIT);
	CHECK_INT(g->ends + g->fails, 0);
	CHECK_INT(g->count, 1);
	done(g);
	close_stage(&s);
	CHECK_INT(other->fails, 1);
	done(other);
}

TEST(a_call_after_the_pool_was_closed_is_refused_and_may_be_cancelled)
{
	struct stage s;
	struct got *g[2];

	open_usual(&s);
	done(ask(&s, "https://localhost", "GET", "/hello"));
	upstreams_close(s.pool);
	for (int i = 0; i < 2; i++) {
		g[i] = arena_new(&s.a, struct got);
		begin(&s, g[i], "https://localhost", "POST", "/sum", HTTP_LENGTH, STR("abc"));
	}
	upstream_cancel(g[1]->call);
	CHECK(uv_run(&s.loop, UV_RUN_DEFAULT) == 0);
	check_failed(g[0], UPSTREAM_REFUSED, "the program is stopping");
	CHECK_INT(g[1]->fails + g[1]->ends, 0);
	upstreams_free(s.pool);
	s.pool = upstreams_open(&s.loop, &(struct upstream_options){ .kept = 1 });
	close_stage(&s);
}
