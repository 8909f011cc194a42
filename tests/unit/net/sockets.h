/* Raw clients and servers on loopback, in the process of the loop that is tested: nothing here blocks. */
#ifndef UNIT_NET_SOCKETS_H
#define UNIT_NET_SOCKETS_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "base/buf.h"
#include "base/clock.h"
#include "harness/test.h"

static inline uint64_t now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

/* One round of the loop, and a little sleep when nothing happens. */
static inline void turn(uv_loop_t *loop)
{
	uv_run(loop, UV_RUN_NOWAIT);
	usleep(100);
}

static inline void turn_for(uv_loop_t *loop, unsigned ms)
{
	for (uint64_t end = now_ms() + ms; now_ms() < end;)
		turn(loop);
}

#define TURN_UNTIL(loop, condition)                                                                 \
	do {                                                                                        \
		uint64_t end_ = now_ms() + 10000 * test_slower();                                   \
		bool is_;                                                                           \
		while (!(is_ = (condition)) && now_ms() < end_)                                     \
			turn(loop);                                                                 \
		if (!is_)                                                                           \
			test_fail(__FILE__, __LINE__, "waited in vain for %s", #condition); \
	} while (0)

static inline int dial(uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static inline int hear(uint16_t *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&at, n) == 0 && listen(fd, 512) == 0);
	CHECK(getsockname(fd, (struct sockaddr *)&at, &n) == 0);
	*port = ntohs(at.sin_port);
	return fd;
}

/* A port on which nobody listens. */
static inline uint16_t dead_port(void)
{
	uint16_t port;

	close(hear(&port));
	return port;
}

static inline int answer_call(uv_loop_t *loop, int listener)
{
	int fd = -1;

	TURN_UNTIL(loop, (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0);
	return fd;
}

static inline void say(int fd, struct str bytes)
{
	CHECK_INT(send(fd, bytes.p, bytes.n, MSG_NOSIGNAL), bytes.n);
}

/* Adds what is there. False: the other side has closed. */
static inline bool listen_to(int fd, struct buf *b)
{
	for (;;) {
		ssize_t n = recv(fd, buf_reserve(b, 65536), 65536, MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN)
			return true;
		if (n <= 0)
			return false;
		b->n += (size_t)n;
	}
}

/* Until the other side closes. */
static inline struct str hear_all(uv_loop_t *loop, int fd, struct buf *b)
{
	TURN_UNTIL(loop, !listen_to(fd, b));
	return buf_str(b);
}

/* Until so many bytes came. */
static inline struct str hear_some(uv_loop_t *loop, int fd, struct buf *b, size_t n)
{
	TURN_UNTIL(loop, (listen_to(fd, b), b->n >= n));
	return buf_str(b);
}

static inline struct str hear_until(uv_loop_t *loop, int fd, struct buf *b, struct str end)
{
	TURN_UNTIL(loop, (listen_to(fd, b), str_find(buf_str(b), end) != (size_t)-1));
	return buf_str(b);
}

/* Closed, without a byte: as a process that dies with bytes unread. */
static inline void slam(int fd)
{
	struct linger l = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
	close(fd);
}

#endif
