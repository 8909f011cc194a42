#include "net/upstream/upstream.h"

#include "unit/net/https_stage.h"

/* ---- certificates ---- */

TEST(a_server_with_a_good_certificate_is_asked)
{
	static const char *const hosts[] = { "https://localhost", "https://127.0.0.1" };
	struct stage s;

	open_usual(&s);
	for (size_t i = 0; i < 2; i++) {
		struct got *g = ask(&s, hosts[i], "GET", "/hello");

		check_whole(g, 200, STR("hello"));
		CHECK_INT(g->framing, HTTP_LENGTH);
		done(g);
	}
	close_stage(&s);
}

TEST(an_address_may_be_ipv6)
{
	struct stage s;
	struct got *g;

	open_stage(&s, NAMES, -HOUR, HOUR, true);
	g = ask(&s, "https://[::1]", "GET", "/hello");
	check_whole(g, 200, STR("hello"));
	done(g);
	close_stage(&s);
}

TEST(certificates_that_are_not_good_are_refused_by_name)
{
	static const struct {
		const char *host, *names, *why;
		long from, until;
	} cases[] = {
		{ "https://localhost", "DNS:other.example", "it is for another host: other.example", -HOUR, HOUR },
		{ "https://127.0.0.1", "DNS:localhost", "it is for another host: localhost", -HOUR, HOUR },
		{ "https://localhost", NULL, "it names no host", -HOUR, HOUR },
		{ "https://localhost", NAMES, "it expired on 20", -HOUR, -60 },
		{ "https://localhost", NAMES, "it is not valid before 20", 1800, HOUR },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage s;
		struct got *g;

		open_stage(&s, cases[i].names, cases[i].from, cases[i].until, false);
		g = ask(&s, cases[i].host, "GET", "/hello");
		test_case("%s: %s", cases[i].why, g->why);
		CHECK(g->fails == 1 && g->ends == 0);
		CHECK_INT(g->failure, UPSTREAM_REFUSED);
		CHECK(str_starts(str_from(g->why), arena_printf(&s.a, "the certificate is not trusted: %s", cases[i].why)));
		close_stage(&s);
	}
}

TEST(an_authority_nobody_knows_is_not_trusted)
{
	struct identity other = make_identity("Other Authority", NULL, NULL, -HOUR, HOUR);
	struct stage s;

	open_usual(&s);
	trust(&other, "other.pem");
	open_pool_again(&s, &(struct upstream_options){ .connect_ms = 10000 });
	check_failed(ask(&s, "https://localhost", "GET", "/hello"), UPSTREAM_REFUSED,
		     "the certificate is not trusted: its issuer is not known here: Test Authority (SSL_CERT_FILE may "
		     "name a file of authorities to trust)");
	free_identity(&other);
	close_stage(&s);
}

TEST(a_file_of_authorities_that_is_absent_is_named)
{
	struct stage s;

	open_usual(&s);
	setenv("SSL_CERT_FILE", "/nowhere/ca.pem", 1);
	open_pool_again(&s, &(struct upstream_options){ .connect_ms = 10000 });
	check_failed(ask(&s, "https://localhost", "GET", "/hello"), UPSTREAM_REFUSED,
		     "the authorities to trust cannot be read from /nowhere/ca.pem; look at SSL_CERT_FILE and SSL_CERT_DIR");
	close_stage(&s);
}

/* ---- requests ---- */

TEST(a_request_is_sent_as_it_was_given_and_nothing_is_added)
{
	struct stage s;
	struct got *g;
	struct str want;

	open_usual(&s);
	g = ask(&s, "https://localhost", "PATCH", "/echo");
	want = arena_printf(&s.a, "PATCH /echo HTTP/1.1\r\nHost: localhost:%u\r\nX-Empty: \r\nauthorization: Bearer k\r\n\r\n",
			    (unsigned)s.port);
	check_whole(g, 200, want);
	done(g);
	close_stage(&s);
}

TEST(a_large_body_is_streamed_and_the_writer_is_asked_to_wait)
{
	static const enum http_framing framings[] = { HTTP_LENGTH, HTTP_CHUNKED };
	size_t n = 20000000; /* more than the kernel takes */
	char *bytes = test_alloc(n);

	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(i * 131 + (i >> 8));
	for (size_t i = 0; i < 2; i++) {
		struct stage s;
		struct got *g;

		test_case("framing %d", (int)framings[i]);
		open_usual(&s);
		g = arena_new(&s.a, struct got);
		begin(&s, g, "https://localhost", "POST", "/sum", framings[i], str_of(bytes, n));
		CHECK(g->rest.n > n / 2); /* it waits, and does not hold all of it */
		run_call(&s, g);
		check_whole(g, 200, sum_of(&s.a, str_of(bytes, n)));
		CHECK(g->drains > 0);
		if (framings[i] == HTTP_LENGTH)
			CHECK_INT(g->sents, 1);
		done(g);
		close_stage(&s);
	}
}

TEST(an_empty_body_is_a_body)
{
	static const enum http_framing framings[] = { HTTP_LENGTH, HTTP_CHUNKED };
	struct stage s;

	open_usual(&s);
	for (size_t i = 0; i < 2; i++) {
		struct got *g = arena_new(&s.a, struct got);

		begin(&s, g, "https://localhost", "POST", "/sum", framings[i], STR(""));
		run_call(&s, g);
		check_whole(g, 200, STR("0 0"));
		done(g);
	}
	close_stage(&s);
}

static void begin_unfinished(struct stage *s, struct got *g, const char *target)
{
	struct upstream_request r = { .method = STR("POST"), .target = str_from(target), .framing = HTTP_CHUNKED };

	r.url = url_to(s, "https://localhost");
	r.headers = &(struct http_header){ STR("Host"), r.url->authority };
	r.count = 1;
	g->call = upstream_begin(s->pool, &r, &stage_ops, g);
}

static void write_late(uv_timer_t *timer)
{
	struct got *g = timer->data;

	if (g->rest.n == 0) {
		uv_timer_stop(timer);
		upstream_finish(g->call);
		return;
	}
	upstream_write(g->call, str_of(g->rest.p, 1));
	g->rest = str_of(g->rest.p + 1, g->rest.n - 1);
}

TEST(a_body_that_comes_slowly_is_waited_for)
{
	struct stage s;
	struct got *g;
	uv_timer_t timer;

	open_usual(&s);
	g = arena_new(&s.a, struct got);
	begin_unfinished(&s, g, "/sum");
	g->rest = STR("slowly");
	uv_timer_init(&s.loop, &timer);
	timer.data = g;
	uv_timer_start(&timer, write_late, 20, 20);
	run_call(&s, g);
	check_whole(g, 200, sum_of(&s.a, STR("slowly")));
	done(g);
	uv_close((uv_handle_t *)&timer, NULL);
	close_stage(&s);
}

TEST(an_answer_may_come_before_the_request_is_complete)
{
	struct stage s;
	struct got *g;
	struct str body = str_of(test_alloc(5000000), 5000000);

	open_usual(&s);
	g = arena_new(&s.a, struct got);
	begin(&s, g, "https://localhost", "POST", "/refuse", HTTP_LENGTH, body);
	run_call(&s, g);
	check_whole(g, 413, STR("too much"));
	done(g);
	/* and when the rest of the request never comes */
	g = arena_new(&s.a, struct got);
	begin_unfinished(&s, g, "/refuse");
	upstream_write(g->call, STR("a part"));
	run_call(&s, g);
	check_whole(g, 413, STR("too much"));
	done(g);
	close_stage(&s);
}

/* ---- answers ---- */

TEST(an_answer_arrives_piece_by_piece)
{
	struct stage s;
	struct got *g;

	open_usual(&s);
	g = ask(&s, "https://localhost", "GET", "/stream");
	check_whole(g, 200, STR("onetwothree"));
	CHECK_STR(buf_str(&g->headers), STR("Transfer-Encoding=chunked;")); /* trailers are not passed on */
	CHECK_INT(g->framing, HTTP_CHUNKED);
	CHECK(g->count >= 2); /* on a busy machine two of the three may come together */
	done(g);
	close_stage(&s);
}

TEST(a_consumer_that_pauses_gets_everything_in_its_own_time)
{
	struct stage s;
	struct got *g;
	uv_timer_t resume;

	open_usual(&s);
	g = arena_new(&s.a, struct got);
	g->pause_each = true;
	g->resume = &resume;
	uv_timer_init(&s.loop, &resume);
	resume.data = g;
	begin(&s, g, "https://localhost", "GET", "/large", HTTP_NONE, STR(""));
	run_call(&s, g);
	CHECK_INT(g->ends, 1);
	CHECK_INT(g->body.n, 8000000);
	for (size_t i = 0; i < g->body.n; i++)
		if (g->body.p[i] != (char)('a' + i % 23))
			FAIL("byte %zu is wrong", i);
	done(g);
	uv_close((uv_handle_t *)&resume, NULL);
	close_stage(&s);
}

TEST(answers_are_passed_as_they_are)
{
	struct stage s;
	struct got *g;

	open_usual(&s);
	g = ask(&s, "https://localhost", "GET", "/gzip"); /* no redirect is followed, nothing is decoded */
	check_whole(g, 302, STR("raw!"));
	CHECK_STR(buf_str(&g->headers), STR("Location=/hello;Content-Encoding=gzip;Set-Cookie=a=b;Content-Length=4;"));
	done(g);
	g = ask(&s, "https://localhost", "GET", "/echo"); /* and no cookie is kept */
	CHECK(g->ends == 1 && str_find(buf_str(&g->body), STR("ookie")) == (size_t)-1);
	done(g);
	g = ask(&s, "https://localhost", "GET", "/early"); /* 1xx are not given */
	check_whole(g, 200, STR("late"));
	done(g);
	g = ask(&s, "https://localhost", "HEAD", "/head"); /* an answer to HEAD has no body, whatever its length says */
	check_whole(g, 200, STR(""));
	CHECK_INT(g->framing, HTTP_NONE);
	done(g);
	g = ask(&s, "https://localhost", "GET", "/to-end");
	check_whole(g, 200, STR("until the end"));
	done(g);
	close_stage(&s);
}

TEST(an_answer_that_breaks_off_is_cut)
{
	static const struct {
		const char *path, *body, *why;
	} cases[] = {
		{ "/cut", "0123456789", "the connection ended inside a body" },
		{ "/cut-chunk", "one", "the connection ended inside a body" },
		{ "/cut-end", "until the", "it closed the connection without the end that TLS has for it" },
		{ "/nothing", "", "closed the connection without an answer" },
		{ "/bad", "", "" },
	};
	struct stage s;

	open_usual(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct got *g = ask(&s, "https://localhost", "GET", cases[i].path);

		test_case("%s: %s", cases[i].path, g->why);
		CHECK_INT(g->fails, 1);
		CHECK_INT(g->ends, 0);
		CHECK_INT(g->failure, UPSTREAM_CUT);
		CHECK(str_starts(str_from(g->why), str_from(cases[i].why)));
		CHECK_STR(buf_str(&g->body), str_from(cases[i].body));
		done(g);
	}
	close_stage(&s);
}

TEST(a_silent_upstream_is_given_up)
{
	struct stage s;
	struct got *g;

	open_usual(&s);
	open_pool_again(&s, &(struct upstream_options){ .idle_ms = 200 });
	g = ask(&s, "https://localhost", "GET", "/silent");
	check_failed(g, UPSTREAM_LATE, "no byte of an answer in time");
	CHECK_STR(buf_str(&g->body), STR("first"));
	done(g);
	close_stage(&s);
}

TEST(a_body_beyond_the_limit_is_not_taken)
{
	struct stage s;
	struct got *g;

	open_usual(&s);
	open_pool_again(&s, &(struct upstream_options){ .limits = { .body = 1000000 } });
	g = ask(&s, "https://localhost", "GET", "/large");
	check_failed(g, UPSTREAM_CUT, "a body that is too large");
	CHECK(g->body.n <= 1000000);
	done(g);
	close_stage(&s);
}
