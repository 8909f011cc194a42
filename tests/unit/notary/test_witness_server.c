#include "notary/witness_server.h"

#include "unit/notary/serving.h"

TEST(a_checkpoint_that_is_posted_comes_back_cosigned)
{
	struct sample *s = sample_open();
	struct serving v = serving_begin(s);
	struct str got = serving_post(s, &v, "POST /add-checkpoint", sample_body(s, 0, 5));
	size_t at = str_find(got, STR("\r\n\r\n")) + 4;

	CHECK(str_starts(got, STR("HTTP/1.1 200 OK\r\n")));
	s->x.body = str_of(got.p + at, got.n - at);
	CHECK(sample_is_cosigned(s, 5));
	serving_end(&v);
	sample_close(s);
}

TEST(the_size_it_has_comes_with_its_own_media_type)
{
	struct sample *s = sample_open();
	struct serving v = serving_begin(s);
	struct str got;

	serving_post(s, &v, "POST /add-checkpoint", sample_body(s, 0, 5));
	got = serving_post(s, &v, "POST /add-checkpoint", sample_body(s, 0, 7));
	CHECK(str_starts(got, STR("HTTP/1.1 409 ")));
	CHECK(str_find(got, STR("Content-Type: text/x.tlog.size\r\n")) != (size_t)-1);
	CHECK(str_ends(got, STR("\r\n\r\n5\n")));
	serving_end(&v);
	sample_close(s);
}

TEST(there_is_nothing_else_to_ask_for)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		{ "GET /add-checkpoint", "HTTP/1.1 405 " }, { "POST /", "HTTP/1.1 404 " }, { "POST /add-checkpoint/", "HTTP/1.1 404 " },
		{ "POST /add-checkpoint?x=1", "HTTP/1.1 404 " }, { "POST /add-checkpoint", "HTTP/1.1 400 " },
	};
	struct sample *s = sample_open();
	struct serving v = serving_begin(s);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str got = serving_post(s, &v, cases[i].line, STR("x"));

		test_case("%s", cases[i].line);
		CHECK(str_starts(got, str_from(cases[i].want)));
		CHECK_INT(str_find(got, STR("Allow: POST")) != (size_t)-1, i == 0);
	}
	serving_end(&v);
	sample_close(s);
}

TEST(a_body_beyond_the_limit_is_refused_and_the_next_one_served)
{
	struct sample *s = sample_open();
	struct serving v = serving_begin(s);
	size_t n = WITNESS_BODY_MAX + 1;
	char *large = test_alloc(n);

	memset(large, 'x', n);
	CHECK(str_starts(serving_post(s, &v, "POST /add-checkpoint", str_of(large, n)), STR("HTTP/1.1 413 ")));
	CHECK(str_starts(serving_post(s, &v, "POST /add-checkpoint", sample_body(s, 0, 5)), STR("HTTP/1.1 200 ")));
	serving_end(&v);
	sample_close(s);
}

TEST(who_sends_a_byte_now_and_then_is_not_waited_for)
{
	struct sample *s = sample_open();
	struct serving v = serving_begin_with(s, 100);
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(v.port) };
	struct str head = STR("POST /add-checkpoint HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n");
	int fd = socket(AF_INET, SOCK_STREAM, 0), sent = 0;
	char got;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	CHECK(send(fd, head.p, head.n, MSG_NOSIGNAL) == (ssize_t)head.n);
	while (sent < 500 && send(fd, "x", 1, MSG_NOSIGNAL) == 1 && recv(fd, &got, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN) {
		usleep(20000);
		sent++;
	}
	CHECK(sent < 500);
	close(fd);
	CHECK(str_starts(serving_post(s, &v, "POST /add-checkpoint", sample_body(s, 0, 5)), STR("HTTP/1.1 200 ")));
	serving_end(&v);
	sample_close(s);
}

TEST(two_questions_on_one_connection_are_both_answered)
{
	struct sample *s = sample_open();
	struct serving v = serving_begin(s);
	struct str one = sample_body(s, 0, 5), two = sample_body(s, 5, 9);
	struct str got = serving_send(s, &v, ARENA_JOIN(&s->a,
		arena_printf(&s->a, "POST /add-checkpoint HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n", one.n), one,
		arena_printf(&s->a, "POST /add-checkpoint HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n", two.n), two));
	struct str rest = str_of(got.p + 12, got.n - 12);

	CHECK(str_starts(got, STR("HTTP/1.1 200 ")));
	CHECK(str_find(rest, STR("HTTP/1.1 200 ")) != (size_t)-1);
	serving_end(&v);
	sample_close(s);
}

TEST(stopping_lets_the_loop_run_dry)
{
	struct sample *s = sample_open();
	struct witness_server_options o = { .witness = s->w };
	struct witness_server *server, *second;
	uv_loop_t loop;

	CHECK(uv_loop_init(&loop) == 0);
	server = witness_server_open(&loop, &o, &s->err);
	CHECK(server && witness_server_port(server) > 0);
	o.port = witness_server_port(server);
	second = witness_server_open(&loop, &o, &s->err); /* the port is taken */
	CHECK(second == NULL && s->err.kind == ERR_IO);
	witness_server_stop(server, true);
	CHECK_INT(uv_run(&loop, UV_RUN_DEFAULT), 0);
	witness_server_close(server);
	CHECK_INT(uv_loop_close(&loop), 0);
	sample_close(s);
}
