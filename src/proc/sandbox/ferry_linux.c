/*
 * Each connection is two sockets with a piece of memory for each way. What one end cannot take is kept, and the other
 * is not read meanwhile, so a slow reader is felt on the other side. Epoll tells changes only, so every socket is used
 * until it would make us wait.
 */
#include "proc/sandbox/ferry.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"

#define FERRY_PIECE ((size_t)64 << 10)

struct ferry_way {
	size_t held, done;
	bool ended, passed; /* nothing more comes; and the other end was told so */
	char bytes[FERRY_PIECE];
};

struct ferry_pair {
	int fd[2]; /* inside, outside */
	struct ferry_way way[2]; /* from fd[i] to the other */
};

struct sandbox_ferry {
	int epoll, listener;
	uint16_t port;
	bool full; /* connections wait: the listener told us, and we had no room */
	struct ferry_pair *pairs[SANDBOX_FERRIES];
};

static bool ferry_add(struct sandbox_ferry *f, int fd, uint32_t events)
{
	struct epoll_event e = { .events = events | EPOLLET, .data = { .fd = fd } };

	return epoll_ctl(f->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

/* ---- bytes ---- */

static bool ferry_waits(ssize_t n)
{
	return n < 0 && (errno == EAGAIN || errno == ENOTCONN); /* the one outside may not be connected yet */
}

/* False when this connection is over. */
static bool ferry_write(struct ferry_way *w, int to)
{
	while (w->done < w->held) {
		ssize_t n = send(to, w->bytes + w->done, w->held - w->done, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ferry_waits(n);
		w->done += (size_t)n;
	}
	w->held = w->done = 0;
	if (w->ended && !w->passed) {
		w->passed = shutdown(to, SHUT_WR) == 0;
		return w->passed || errno == ENOTCONN;
	}
	return true;
}

static bool ferry_move(struct ferry_way *w, int from, int to)
{
	for (;;) {
		ssize_t n;

		if (!ferry_write(w, to))
			return false;
		if (w->held || w->ended)
			return true;
		n = recv(from, w->bytes, FERRY_PIECE, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ferry_waits(n);
		w->held = (size_t)n;
		w->ended = n == 0;
	}
}

/* ---- connections ---- */

static void ferry_free(struct ferry_pair **p)
{
	close((*p)->fd[0]);
	if ((*p)->fd[1] >= 0)
		close((*p)->fd[1]);
	mem_free(*p);
	*p = NULL;
}

static int ferry_connect(uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 || errno == EINPROGRESS)
		return fd;
	close(fd);
	return -1;
}

/* What comes is sent at once: it was gathered, or not, by whoever sent it first. */
static void ferry_hurry(int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static void ferry_begin(struct sandbox_ferry *f, struct ferry_pair **place, int inside)
{
	struct ferry_pair *p = mem_alloc(sizeof(*p));

	for (int i = 0; i < 2; i++)
		memset(&p->way[i], 0, offsetof(struct ferry_way, bytes));
	p->fd[0] = inside;
	p->fd[1] = ferry_connect(f->port);
	*place = p;
	if (p->fd[1] < 0 || !ferry_add(f, p->fd[0], EPOLLIN | EPOLLOUT | EPOLLRDHUP) ||
	    !ferry_add(f, p->fd[1], EPOLLIN | EPOLLOUT | EPOLLRDHUP)) {
		ferry_free(place); /* it sees a connection that was closed */
		return;
	}
	ferry_hurry(p->fd[0]);
	ferry_hurry(p->fd[1]);
}

static void ferry_accept(struct sandbox_ferry *f)
{
	f->full = false;
	for (size_t i = 0; i < SANDBOX_FERRIES; i++) {
		int fd;

		if (f->pairs[i])
			continue;
		fd = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && errno != ECONNABORTED && errno != EINTR)
			return;
		if (fd >= 0)
			ferry_begin(f, &f->pairs[i], fd);
	}
	f->full = true;
}

bool sandbox_ferry_take(struct sandbox_ferry *f, int fd)
{
	if (f && fd == f->listener) {
		ferry_accept(f);
		return true;
	}
	for (size_t i = 0; f && i < SANDBOX_FERRIES; i++) {
		struct ferry_pair *p = f->pairs[i];
		bool good;

		if (!p || (p->fd[0] != fd && p->fd[1] != fd))
			continue;
		good = ferry_move(&p->way[0], p->fd[0], p->fd[1]) && ferry_move(&p->way[1], p->fd[1], p->fd[0]);
		if (good && !(p->way[0].passed && p->way[1].passed))
			return true;
		ferry_free(&f->pairs[i]);
		if (f->full)
			ferry_accept(f);
		return true;
	}
	return false;
}

struct sandbox_ferry *sandbox_ferry_open(int epoll, int listener, uint16_t port)
{
	struct sandbox_ferry *f = mem_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	f->epoll = epoll;
	f->listener = listener;
	f->port = port;
	if (ferry_add(f, listener, EPOLLIN))
		return f;
	sandbox_ferry_close(f);
	return NULL;
}

void sandbox_ferry_close(struct sandbox_ferry *f)
{
	for (size_t i = 0; f && i < SANDBOX_FERRIES; i++)
		if (f->pairs[i])
			ferry_free(&f->pairs[i]);
	if (f)
		close(f->listener);
	mem_free(f);
}
