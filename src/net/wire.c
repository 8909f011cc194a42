#include "net/wire.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { QUEUE_KEPT = 16 << 10 }; /* a queue that grew beyond is given back when it is empty */

#define STAMP_OLDEST_NS (UINT64_C(60) * 1000000000) /* bytes that lay longer: the clock was set */

static void poll_event(uv_poll_t *poll, int status, int events);

/* With nothing to wait for we ask for urgent data, which nobody sends: the loop then still tells of a reset. */
static void watch(struct wire *w)
{
	unsigned want = 0;

	if (w->reading && !w->ended)
		want |= UV_READABLE;
	if (wire_queued(w))
		want |= UV_WRITABLE;
	if (want == 0 && !w->deaf)
		want = UV_PRIORITIZED;
	if (want == w->events)
		return;
	w->events = want;
	if (want)
		uv_poll_start(&w->poll, (int)want, poll_event);
	else
		uv_poll_stop(&w->poll);
}

/* The front of the queue is moved away only when it is the larger part, so bytes are moved at most once on average. */
static void queue_sent(struct wire *w, size_t n)
{
	w->at += n;
	w->total += n;
	if (w->at == w->queue.n) {
		w->at = 0;
		buf_clear(&w->queue);
		if (w->queue.cap > QUEUE_KEPT)
			buf_free(&w->queue);
	} else if (w->at > WIRE_LOW && w->at > w->queue.n / 2) {
		memmove(w->queue.p, w->queue.p + w->at, wire_queued(w));
		w->queue.n -= w->at;
		w->at = 0;
	}
}

/* A failure is only noted: what the other side sent before it closed can still be read first. */
static void write_queue(struct wire *w)
{
	ssize_t n = send(w->fd, w->queue.p + w->at, wire_queued(w), MSG_NOSIGNAL);

	if (n < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return;
		w->broken = errno;
		w->at = 0;
		buf_clear(&w->queue);
		return;
	}
	w->last = uv_now(w->poll.loop);
	queue_sent(w, (size_t)n);
	w->ops->sent(w);
}

static int socket_error(const struct wire *w)
{
	int error = 0;
	socklen_t n = sizeof(error);

	if (getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &n) != 0)
		return errno;
	return error;
}

/* Tells the owner, with the best reason there is. The owner may free nothing before wire_close has called it back. */
static void lose(struct wire *w, int error)
{
	int pending = socket_error(w);

	w->ops->lost(w, error ? error : pending ? pending : ECONNRESET);
}

/* The kernel's stamps are wall time. Between a stamp and now lies the same by either clock, unless it is set. */
static uint64_t mono_of(const struct timespec *stamp)
{
	uint64_t came = (uint64_t)stamp->tv_sec * 1000000000 + (uint64_t)stamp->tv_nsec;
	uint64_t wall = clock_wall_ns(), now = clock_mono_ns();

	return came <= wall && wall - came < STAMP_OLDEST_NS && wall - came < now ? now - (wall - came) : 0;
}

/* As recv, with the kernel's time of the bytes in w->came_ns; 0 where it gave none. */
static ssize_t receive_stamped(struct wire *w)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct timespec)) + 64];
	} control;
	struct iovec into = { .iov_base = w->buffer, .iov_len = WIRE_BUFFER };
	struct msghdr m = {
		.msg_iov = &into, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(w->fd, &m, 0);
	struct timespec stamp;

	w->came_ns = 0;
	for (struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL; c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS &&
		    c->cmsg_len >= CMSG_LEN(sizeof(stamp))) {
			memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
			w->came_ns = mono_of(&stamp);
		}
	return n;
}

/* One read for an event, so that a fast connection does not keep the others waiting. */
static bool read_some(struct wire *w)
{
	ssize_t n = w->stamped ? receive_stamped(w) : recv(w->fd, w->buffer, WIRE_BUFFER, 0);

	if (n > 0) {
		w->last = uv_now(w->poll.loop);
		w->ops->read(w, str_of(w->buffer, (size_t)n));
		return true;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n < 0 || w->broken) {
		w->ops->lost(w, n < 0 ? errno : w->broken);
		return false;
	}
	w->ended = true;
	watch(w);
	w->ops->end(w);
	return false;
}

/* The loop has stopped watching. What came before the reset is still there to be read. */
static void poll_failed(struct wire *w)
{
	w->events = 0;
	while (w->fd >= 0 && w->reading && !w->ended && read_some(w))
		;
	if (w->fd >= 0)
		lose(w, w->broken);
}

/* Either a reset that shows as nothing but a hang-up, or urgent data. Once is enough for both. */
static void odd_event(struct wire *w)
{
	struct pollfd p = { .fd = w->fd };

	w->deaf = true; /* an owner that does not close yet would be told without end */
	watch(w);
	if (poll(&p, 1, 0) > 0)
		lose(w, w->broken);
}

/* Any of these may close the wire from inside an op, so the descriptor is looked at again before each step. */
static void poll_event(uv_poll_t *poll, int status, int events)
{
	struct wire *w = (struct wire *)poll;

	if (status < 0) {
		poll_failed(w);
	} else if (w->broken && !(events & UV_READABLE)) {
		lose(w, w->broken);
	} else if (events & UV_PRIORITIZED) {
		odd_event(w);
	} else {
		if (events & UV_WRITABLE && wire_queued(w))
			write_queue(w);
		if (w->fd >= 0 && events & UV_READABLE && w->reading && !w->ended)
			read_some(w);
		if (w->fd >= 0)
			watch(w);
	}
}

bool wire_open(struct wire *w, uv_loop_t *loop, int fd, char *buffer, const struct wire_ops *ops)
{
	int one = 1;
	struct buf queue = w->queue;

	*w = (struct wire){ .fd = fd, .buffer = buffer, .ops = ops, .last = uv_now(loop), .queue = queue };
	buf_clear(&w->queue);
	if (uv_poll_init(loop, &w->poll, fd) != 0) {
		close(fd);
		w->fd = -1;
		return false;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	return true;
}

static void poll_closed(uv_handle_t *handle)
{
	struct wire *w = (struct wire *)handle;
	void (*closed)(struct wire *w) = w->closed;

	w->closed = NULL;
	closed(w);
}

void wire_close(struct wire *w, void (*closed)(struct wire *w))
{
	if (w->fd < 0)
		return;
	w->closed = closed;
	uv_close((uv_handle_t *)&w->poll, poll_closed);
	close(w->fd);
	w->fd = -1;
	w->at = 0;
	buf_free(&w->queue);
}

void wire_end(struct wire *w)
{
	w->ended = true;
	if (w->fd >= 0)
		watch(w);
}

void wire_read(struct wire *w, bool on)
{
	if (w->reading == on)
		return;
	w->reading = on;
	if (w->fd >= 0)
		watch(w);
}

void wire_stamp(struct wire *w)
{
	int one = 1;

	w->stamped = w->fd >= 0 && setsockopt(w->fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one)) == 0;
}

void wire_shutdown(struct wire *w)
{
	shutdown(w->fd, SHUT_WR);
}

void outgoing_init(struct outgoing *o)
{
	*o = (struct outgoing){ 0 };
}

void outgoing_free(struct outgoing *o)
{
	buf_free(&o->text);
}

void outgoing_clear(struct outgoing *o)
{
	buf_clear(&o->text);
	o->marked = 0;
	o->count = 0;
}

/* Makes a piece of the text added since the last one, by its place: the text may move when it grows. */
static void mark(struct outgoing *o)
{
	if (o->text.n == o->marked)
		return;
	o->piece[o->count].p = NULL;
	o->piece[o->count].at = o->marked;
	o->piece[o->count].n = o->text.n - o->marked;
	o->count++;
	o->marked = o->text.n;
}

void outgoing_add(struct outgoing *o, struct str bytes)
{
	/* Room for the text before it, itself, and the text behind it. */
	if (bytes.n <= OUTGOING_SMALL || o->count + 3 > OUTGOING_PIECES) {
		buf_add_str(&o->text, bytes);
		return;
	}
	mark(o);
	o->piece[o->count].p = bytes.p;
	o->piece[o->count].n = bytes.n;
	o->count++;
}

static struct str piece_text(const struct outgoing *o, unsigned i)
{
	return str_of(o->piece[i].p ? o->piece[i].p : o->text.p + o->piece[i].at, o->piece[i].n);
}

void outgoing_gather(struct outgoing *o, struct buf *out)
{
	mark(o);
	for (unsigned i = 0; i < o->count; i++)
		buf_add_str(out, piece_text(o, i));
	outgoing_clear(o);
}

/* What is left of the pieces behind the first `sent` bytes. */
static void queue_rest(struct wire *w, const struct iovec *v, size_t count, size_t sent)
{
	for (size_t i = 0; i < count; i++) {
		size_t skip = sent < v[i].iov_len ? sent : v[i].iov_len;

		buf_add(&w->queue, (const char *)v[i].iov_base + skip, v[i].iov_len - skip);
		sent -= skip;
	}
}

/* How many bytes the kernel took. 0 also for an error, which stays in w->broken unless it is a full buffer. */
static size_t send_now(struct wire *w, struct iovec *v, size_t count)
{
	struct msghdr m = { .msg_iov = v, .msg_iovlen = count };
	ssize_t n;

	do
		n = count == 1 ? send(w->fd, v->iov_base, v->iov_len, MSG_NOSIGNAL) : sendmsg(w->fd, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0) {
		w->last = uv_now(w->poll.loop);
		w->total += (size_t)n;
		return (size_t)n;
	}
	if (errno != EAGAIN)
		w->broken = errno;
	return 0;
}

void outgoing_send(struct outgoing *o, struct wire *w)
{
	struct iovec v[OUTGOING_PIECES];
	size_t whole = 0, sent = 0;

	mark(o);
	for (unsigned i = 0; i < o->count; i++) {
		struct str piece = piece_text(o, i);

		v[i].iov_base = (void *)(uintptr_t)piece.p; /* sendmsg only reads */
		v[i].iov_len = piece.n;
		whole += piece.n;
	}
	if (whole && w->fd >= 0 && !w->broken) {
		if (!wire_queued(w))
			sent = send_now(w, v, o->count);
		if (sent < whole && !w->broken) {
			queue_rest(w, v, o->count, sent);
			watch(w);
		}
	}
	outgoing_clear(o);
}
