#include "net/server/server.h"

#include <sys/resource.h>

#include "base/arena.h"
#include "unit/net/stage.h"

TEST(requests_are_answered_one_after_the_other_on_a_kept_connection)
{
	struct stage s;
	struct buf b = { 0 };
	int fd;

	stage_open(&s);
	fd = dial(server_port(s.server));
	for (unsigned i = 1; i <= 3; i++) {
		say(fd, STR("GET /reply?3 HTTP/1.1\r\nHost: a\r\n\r\n"));
		hear_until(&s.loop, fd, &b, STR("abc"));
		CHECK_STR(buf_str(&b), STR("HTTP/1.1 200 OK\r\nX-Kind: letters\r\nContent-Length: 3\r\n\r\nabc"));
		buf_clear(&b);
		CHECK_INT(s.whole, i);
	}
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(the_port_is_the_one_asked_for_and_a_taken_one_is_an_error)
{
	struct stage s;
	struct err err = { 0 };
	struct server_options o = { .ops = &stage_ops };
	char want[64];

	stage_open(&s);
	CHECK(server_port(s.server) != 0);
	o.port = server_port(s.server);
	CHECK(server_open(&s.loop, &o, &err) == NULL);
	CHECK_INT(err.kind, ERR_IO);
	snprintf(want, sizeof(want), "cannot listen on 127.0.0.1 port %u: ", o.port);
	CHECK(str_starts(str_from(err.text), str_from(want)));
	stage_close(&s);
}

TEST(what_is_no_address_cannot_be_listened_on)
{
	struct err err = { 0 };
	struct server_options o = { .ops = &stage_ops, .host = STR("nowhere.example") };

	CHECK(server_open(uv_default_loop(), &o, &err) == NULL);
	CHECK_INT(err.kind, ERR_USAGE);
	o.host = STR("127.0.0.1.................................................................................");
	CHECK(server_open(uv_default_loop(), &o, &err) == NULL);
}

TEST(an_ipv6_address_can_be_listened_on)
{
	struct stage s;
	struct buf b = { 0 };
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		SKIP("there is no IPv6 here");
	stage_open_with(&s, (struct server_options){ .host = STR("::1") });
	to.sin6_port = htons(server_port(s.server));
	CHECK(connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
	say(fd, STR("GET /reply?1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
	CHECK(str_ends(hear_all(&s.loop, fd, &b), STR("\r\n\r\na")));
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(a_connection_above_the_limit_is_told_503)
{
	struct stage s;
	struct buf b = { 0 };
	int one, two, three;

	stage_open_with(&s, (struct server_options){ .connections = 2 });
	one = dial(server_port(s.server)), two = dial(server_port(s.server));
	turn_for(&s.loop, 20);
	three = dial(server_port(s.server));
	say(three, STR("GET /reply?1 HTTP/1.1\r\nHost: a\r\n\r\n"));
	CHECK(str_starts(hear_all(&s.loop, three, &b), STR("HTTP/1.1 503 Service Unavailable\r\n")));
	CHECK(str_ends(buf_str(&b), STR("too many connections at once\",\"type\":\"trackway_request\"}}\n")));
	close(three), close(one);
	turn_for(&s.loop, 20);
	buf_clear(&b);
	three = dial(server_port(s.server));
	say(three, STR("GET /reply?1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
	CHECK(str_starts(hear_all(&s.loop, three, &b), STR("HTTP/1.1 200 OK\r\n")));
	CHECK_INT(s.heads, 1);
	close(two), close(three);
	buf_free(&b);
	stage_close(&s);
}

static unsigned turns_in(uv_loop_t *loop, unsigned ms)
{
	unsigned n = 0;

	for (uint64_t end = now_ms() + ms; now_ms() < end; n++)
		uv_run(loop, UV_RUN_ONCE);
	return n;
}

TEST(without_a_free_descriptor_connections_wait_and_the_loop_does_not_spin)
{
	struct stage s;
	struct rlimit limit = { 0 }, low;
	struct buf b = { 0 };
	int fd, spare;

	stage_open_with(&s, (struct server_options){ .head_ms = 400 });
	spare = dial(server_port(s.server));
	turn_for(&s.loop, 10);
	fd = dial(server_port(s.server));
	say(fd, STR("GET /reply?1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	low = (struct rlimit){ .rlim_cur = (rlim_t)fd + 1, .rlim_max = limit.rlim_max };
	CHECK(setrlimit(RLIMIT_NOFILE, &low) == 0);
	CHECK(turns_in(&s.loop, 300) < 50);
	CHECK_INT(s.heads, 0);
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	CHECK(str_ends(hear_all(&s.loop, fd, &b), STR("\r\n\r\na")));
	close(fd), close(spare);
	buf_free(&b);
	stage_close(&s);
}

TEST(stopping_closes_idle_connections_and_lets_answers_be_finished)
{
	struct stage s;
	struct buf b = { 0 };
	int idle, busy;

	stage_open(&s);
	idle = dial(server_port(s.server)), busy = dial(server_port(s.server));
	say(busy, STR("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
	TURN_UNTIL(&s.loop, s.held != NULL);
	server_stop(s.server, false);
	CHECK_STR(hear_all(&s.loop, idle, &b), STR(""));
	CHECK(listen_to(busy, &b));
	request_reply(s.held, 200, NULL, 0, STR("late"));
	CHECK_STR(hear_all(&s.loop, busy, &b), STR("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlate"));
	CHECK_INT(s.whole, 1);
	close(idle), close(busy);
	CHECK(uv_run(&s.loop, UV_RUN_DEFAULT) == 0); /* by itself */
	buf_free(&b);
	stage_close(&s);
}

TEST(stopping_does_not_wait_for_requests_that_are_not_there_or_answered_already)
{
	struct stage s;
	struct buf b = { 0 };
	int half, early;

	stage_open(&s);
	half = dial(server_port(s.server)), early = dial(server_port(s.server));
	say(half, STR("GET /reply?1 HTT"));
	say(early, STR("POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"));
	hear_until(&s.loop, early, &b, STR("no"));
	server_stop(s.server, false);
	hear_all(&s.loop, half, &b), hear_all(&s.loop, early, &b);
	CHECK(uv_run(&s.loop, UV_RUN_DEFAULT) == 0);
	close(half), close(early);
	buf_free(&b);
	stage_close(&s);
}

TEST(stopping_now_closes_everything_and_tells_the_handlers)
{
	struct stage s;
	struct buf b = { 0 };
	int fd;

	stage_open(&s);
	fd = dial(server_port(s.server));
	say(fd, STR("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
	TURN_UNTIL(&s.loop, s.held != NULL);
	server_stop(s.server, true);
	CHECK_INT(s.broken, 1);
	CHECK_STR(hear_all(&s.loop, fd, &b), STR(""));
	close(fd);
	buf_free(&b);
	stage_close(&s);
}

TEST(two_hundred_clients_at_once_get_their_own_answers)
{
	enum { CLIENTS = 200, ROUNDS = 5 };
	struct stage s;
	struct buf b = { 0 };
	int fd[CLIENTS];
	char ask[80], want[32];

	stage_open(&s);
	for (size_t i = 0; i < CLIENTS; i++)
		fd[i] = dial(server_port(s.server));
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < CLIENTS; i++) {
			snprintf(ask, sizeof(ask), "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n%06zu", i + round);
			say(fd[i], str_from(ask));
		}
		for (size_t i = 0; i < CLIENTS; i++) {
			snprintf(want, sizeof(want), "\r\n\r\n%06zu", i + round);
			buf_clear(&b);
			CHECK(str_ends(hear_until(&s.loop, fd[i], &b, STR("\r\n\r\n0")), str_from(want)) ||
			      str_ends(hear_some(&s.loop, fd[i], &b, b.n + 1), str_from(want)));
		}
	}
	CHECK_INT(s.whole, CLIENTS * ROUNDS);
	for (size_t i = 0; i < CLIENTS; i++)
		close(fd[i]);
	buf_free(&b);
	stage_close(&s);
}

TEST(a_thousand_idle_connections_cost_little)
{
	enum { IDLE = 1000 };
	struct stage s;
	struct rlimit limit;
	struct rusage before, after;
	static int fd[IDLE];

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	if (limit.rlim_cur < 2 * IDLE + 50)
		SKIP("only %u descriptors are allowed here", (unsigned)limit.rlim_cur);
	stage_open(&s);
	CHECK(getrusage(RUSAGE_SELF, &before) == 0);
	for (size_t i = 0; i < IDLE; i++) {
		fd[i] = dial(server_port(s.server));
		say(fd[i], STR("GET /reply?1 HTTP/1.1\r\nHost: a\r\n\r\n"));
		turn(&s.loop);
	}
	TURN_UNTIL(&s.loop, s.whole == IDLE);
	CHECK(getrusage(RUSAGE_SELF, &after) == 0);
	CHECK(after.ru_maxrss - before.ru_maxrss < 20 * 1024); /* KiB */
	for (size_t i = 0; i < IDLE; i++)
		close(fd[i]);
	stage_close(&s);
}

TEST(when_a_request_came_is_known_of_a_server_with_stamps_alone)
{
	for (int stamps = 0; stamps < 2; stamps++) {
		uint64_t before = 0, after = 0, read_at = 0;
		struct stage s;
		struct buf b = { 0 };
		int fd;

		test_case("%s stamps", stamps ? "with" : "without");
		stage_open_with(&s, (struct server_options){ .stamps = stamps });
		fd = dial(server_port(s.server));
		/* the kernel begins to stamp a moment after the first socket asked for it */
		for (unsigned i = 1; i <= 50 && s.came_ns == 0 && (stamps || i < 3); i++) {
			before = clock_mono_ns();
			say(fd, STR("POST /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"));
			after = clock_mono_ns();
			usleep(20000);
			TURN_UNTIL(&s.loop, s.ends == i);
			read_at = clock_mono_ns();
		}
		if (stamps && s.came_ns) {
			/* two clocks are read one after the other, and may be set between */
			CHECK(s.came_ns + 5000000 >= before && s.came_ns <= after + 5000000);
			CHECK(read_at - s.came_ns >= 14000000);
			/* one that was sent before the one ahead of it was answered has no time of its own */
			say(fd, STR("GET /hold HTTP/1.1\r\nHost: a\r\n\r\nGET /reply?1 HTTP/1.1\r\nHost: a\r\n\r\n"));
			TURN_UNTIL(&s.loop, s.held != NULL);
			CHECK(s.came_ns > 0);
			request_reply(s.held, 200, NULL, 0, STR(""));
			hear_until(&s.loop, fd, &b, STR("\r\n\r\na"));
		}
		CHECK(s.came_ns == 0);
		close(fd);
		buf_free(&b);
		stage_close(&s);
	}
}
