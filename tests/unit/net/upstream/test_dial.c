#include "net/upstream/dial.h"

#include <fcntl.h>

#include "unit/net/sockets.h"

struct call {
	int fd, error;
	unsigned calls;
};

static void call_done(void *own, int fd, int error)
{
	struct call *c = own;

	c->calls++;
	c->fd = fd;
	c->error = error;
}

static union dial_address v4(const char *text)
{
	union dial_address a;

	CHECK(uv_ip4_addr(text, 0, &a.v4) == 0);
	return a;
}

/* A port where connecting gets no answer: its queue is full. */
static int mute(uint16_t *port, int waiting[8])
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(bind(fd, (struct sockaddr *)&at, n) == 0 && listen(fd, 0) == 0 &&
	      getsockname(fd, (struct sockaddr *)&at, &n) == 0);
	for (size_t i = 0; i < 8; i++) {
		waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		connect(waiting[i], (struct sockaddr *)&at, n);
	}
	*port = ntohs(at.sin_port);
	return fd;
}

TEST(the_first_address_that_answers_is_taken)
{
	union dial_address to[3] = { v4("255.255.255.255"), v4("127.0.0.2"), v4("127.0.0.1") };
	struct call c = { .fd = -1 };
	uv_loop_t loop;
	uint16_t port;
	int listener = hear(&port), other;

	CHECK(uv_loop_init(&loop) == 0);
	dial_open(&loop, to, 3, port, call_done, &c); /* the first fails at once, the second is refused */
	CHECK_INT(c.calls, 0);
	TURN_UNTIL(&loop, c.calls == 1);
	CHECK_INT(c.error, 0);
	other = answer_call(&loop, listener);
	CHECK((fcntl(c.fd, F_GETFL) & O_NONBLOCK) && (fcntl(c.fd, F_GETFD) & FD_CLOEXEC));
	CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
	CHECK(uv_loop_close(&loop) == 0);
	close(c.fd), close(other), close(listener);
}

TEST(an_address_that_does_not_answer_is_not_waited_for)
{
	union dial_address to[2] = { v4("127.0.0.1"), v4("127.0.0.2") };
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000002) };
	struct call c = { .fd = -1 };
	uv_loop_t loop;
	uint16_t port;
	int waiting[8], full = mute(&port, waiting), second = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_port = htons(port);
	CHECK(bind(second, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(second, 5) == 0);
	CHECK(uv_loop_init(&loop) == 0);
	dial_open(&loop, to, 2, port, call_done, &c);
	TURN_UNTIL(&loop, c.calls == 1);
	CHECK_INT(c.error, 0);
	CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0); /* the other attempt holds nothing */
	CHECK(uv_loop_close(&loop) == 0);
	for (size_t i = 0; i < 8; i++)
		close(waiting[i]);
	close(c.fd), close(full), close(second);
}

TEST(when_none_answers_the_error_that_tells_most_is_given)
{
	static const struct { const char *to[2]; int error; } cases[] = {
		{ { "127.0.0.1", "255.255.255.255" }, ECONNREFUSED },
		{ { "255.255.255.255", "127.0.0.1" }, ECONNREFUSED },
		{ { "127.0.0.2", "127.0.0.1" }, ECONNREFUSED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		union dial_address to[2] = { v4(cases[i].to[0]), v4(cases[i].to[1]) };
		struct call c = { .fd = 7 };
		uv_loop_t loop;

		test_case("%s, %s", cases[i].to[0], cases[i].to[1]);
		CHECK(uv_loop_init(&loop) == 0);
		dial_open(&loop, to, 2, dead_port(), call_done, &c);
		CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
		CHECK_INT(c.calls, 1);
		CHECK_INT(c.fd, -1);
		CHECK_INT(c.error, cases[i].error);
		CHECK(uv_loop_close(&loop) == 0);
	}
}

TEST(a_dial_that_was_given_up_tells_nobody)
{
	union dial_address to[2] = { v4("127.0.0.1"), v4("255.255.255.255") };
	struct call c = { .fd = 7 };
	uv_loop_t loop;
	uint16_t port;
	int listener = hear(&port);

	CHECK(uv_loop_init(&loop) == 0);
	dial_close(dial_open(&loop, to, 2, port, call_done, &c));
	dial_close(dial_open(&loop, to + 1, 1, port, call_done, &c)); /* has failed already */
	CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
	CHECK_INT(c.calls, 0);
	dial_open(&loop, to, 0, port, call_done, &c); /* nowhere to go */
	CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
	CHECK_INT(c.calls, 1);
	CHECK_INT(c.fd, -1);
	CHECK(c.error != 0);
	CHECK(uv_loop_close(&loop) == 0);
	close(listener);
}
