/*
 * A service that is far away: passes connections on to another port of this machine, every byte in either direction
 * late by half of a round trip.
 *
 *	relay PORT TO [--round-trip MS]
 *
 * Connecting itself takes no time: the system accepts before the relay knows.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"
#include "loop.h"

#define ROOM 65536

struct end {
	int fd;
	struct end *other;
	unsigned open; /* directions: it may say more, more may be said to it */
};

/* All are late by the same time, so they leave in the order they came. */
struct piece {
	struct piece *next;
	uint64_t due;
	struct end *to;
	size_t size; /* 0: the end */
	char bytes[];
};

struct relay {
	int loop;
	uint64_t delay;
	struct piece *first, **last;
};

static void close_direction(struct end *e)
{
	if (--e->open > 0)
		return;
	close(e->fd);
	e->fd = -1;
	if (e->other->fd < 0) {
		free(e->other);
		free(e);
	}
}

static void add_piece(struct relay *r, struct end *to, const char *bytes, size_t size)
{
	struct piece *p = malloc(sizeof(*p) + size);

	if (!p)
		bench_fail("relay", "no memory");
	*p = (struct piece){ .due = loop_now_ns() + r->delay, .to = to, .size = size };
	memcpy(p->bytes, bytes, size);
	*r->last = p;
	r->last = &p->next;
}

static void read_end(struct relay *r, struct end *e)
{
	char room[ROOM];
	ssize_t n = read(e->fd, room, sizeof(room));

	if (n < 0 && errno == EAGAIN)
		return;
	add_piece(r, e->other, room, n > 0 ? (size_t)n : 0);
	if (n > 0)
		return;
	epoll_ctl(r->loop, EPOLL_CTL_DEL, e->fd, NULL);
	close_direction(e);
}

/* Pieces are small and few at a time: one that does not fit into the socket is lost. */
static void send_piece(struct piece *p)
{
	if (p->size > 0) {
		(void)!write(p->to->fd, p->bytes, p->size);
	} else {
		shutdown(p->to->fd, SHUT_WR);
		close_direction(p->to);
	}
	free(p);
}

static int send_due(struct relay *r)
{
	uint64_t now = loop_now_ns();

	while (r->first && r->first->due <= now) {
		struct piece *p = r->first;

		r->first = p->next;
		if (!r->first)
			r->last = &r->first;
		send_piece(p);
	}
	return r->first ? (int)((r->first->due - now) / 1000000) + 1 : -1;
}

static void take_connection(struct relay *r, int fd, unsigned to)
{
	struct end *ends[2];

	for (int i = 0; i < 2; i++)
		ends[i] = calloc(1, sizeof(struct end));
	if (!ends[0] || !ends[1])
		bench_fail("relay", "no memory");
	*ends[0] = (struct end){ .fd = fd, .other = ends[1], .open = 2 };
	*ends[1] = (struct end){ .fd = loop_connect(to), .other = ends[0], .open = 2 };
	fcntl(ends[1]->fd, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 2; i++)
		loop_watch(r->loop, ends[i]->fd, ends[i]);
}

int main(int argc, char **argv)
{
	struct relay r = { .delay = bench_number(argc, argv, "--round-trip", 100) * 500000ull };
	struct epoll_event got[256];
	int listener, fd, wait = -1;

	if (argc < 3)
		bench_fail("usage", "relay PORT TO [--round-trip MS]");
	signal(SIGPIPE, SIG_IGN);
	loop_allow_many_files();
	r.last = &r.first;
	r.loop = epoll_create1(EPOLL_CLOEXEC);
	listener = loop_listen((unsigned)atoi(argv[1]));
	loop_watch(r.loop, listener, &r);
	for (;;) {
		int n = epoll_wait(r.loop, got, 256, wait);

		for (int i = 0; i < n; i++) {
			if (got[i].data.ptr != &r)
				read_end(&r, got[i].data.ptr);
			else
				while ((fd = loop_accept(listener)) >= 0)
					take_connection(&r, fd, (unsigned)atoi(argv[2]));
		}
		wait = send_due(&r);
	}
}
