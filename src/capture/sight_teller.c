/* The client's half of the recorder's socket: whole lines, in order, from a buffer that is moved up when it is sent. */
#include "capture/sight_teller.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/sight_socket.h"
#include "dialect/sighting/sighting_line.h"
#include "net/local.h"

#define RETRY_NS UINT64_C(1000000000)

bool sight_teller_find(struct arena *a, const char *given, const char *runtime, struct str *path)
{
	struct str dir;
	struct err err;

	if (given && given[0]) {
		*path = str_from(given);
		return true;
	}
	if (!local_dir(a, runtime, false, &dir, &err))
		return false;
	*path = ARENA_JOIN(a, dir, STR("/" SIGHT_SOCKET_LISTEN));
	return access(path->p, W_OK) == 0;
}

static void teller_connect(struct sight_teller *t)
{
	if (t->fd >= 0 || !t->path.n || clock_mono_ns() < t->retry_ns)
		return;
	t->fd = local_connect(t->path);
	t->retry_ns = clock_mono_ns() + RETRY_NS;
}

void sight_teller_open(struct sight_teller *t, struct str path)
{
	*t = (struct sight_teller){ .path = path, .fd = -1 };
	buf_init(&t->queue);
	teller_connect(t);
}

/* The recorder has left: what it was not told is lost, the line that it got half of included. */
static void teller_lose(struct sight_teller *t)
{
	size_t lines = t->queue.n > t->at ? str_count(str_skip(buf_str(&t->queue), t->at), '\n') : 0;

	t->dropped += lines;
	t->told -= lines;
	t->at = t->queue.n = 0;
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

void sight_teller_send(struct sight_teller *t)
{
	while (sight_teller_waits(t)) {
		ssize_t n = send(t->fd, t->queue.p + t->at, t->queue.n - t->at, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			t->at += (size_t)n;
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR)
			teller_lose(t);
	}
	t->at = 0;
	buf_clear(&t->queue);
}

void sight_teller_add(struct sight_teller *t, const struct sighting *s)
{
	size_t before = t->queue.n;

	teller_connect(t);
	if (t->fd < 0) {
		t->dropped += t->path.n > 0;
		return;
	}
	if (t->at > SIGHT_TELLER_ROOM / 2) {
		memmove(t->queue.p, t->queue.p + t->at, t->queue.n - t->at);
		before = t->queue.n -= t->at;
		t->at = 0;
	}
	sighting_line_add(&t->queue, s);
	if (t->queue.n - before > SIGHTING_LINE_MOST || t->queue.n - t->at > SIGHT_TELLER_ROOM) {
		t->queue.n = before;
		t->dropped++;
		return;
	}
	t->told++;
	sight_teller_send(t);
}

void sight_teller_close(struct sight_teller *t, unsigned most_ms)
{
	uint64_t now, until = clock_mono_ns() + most_ms * UINT64_C(1000000);

	for (now = clock_mono_ns(); sight_teller_waits(t) && now < until; now = clock_mono_ns()) {
		struct pollfd p = { .fd = t->fd, .events = POLLOUT };

		poll(&p, 1, (int)((until - now) / 1000000) + 1);
		sight_teller_send(t);
	}
	teller_lose(t);
	buf_free(&t->queue);
}
