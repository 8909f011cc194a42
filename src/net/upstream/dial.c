#include "net/upstream/dial.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"

struct attempt {
	uv_poll_t poll; /* first */
	struct dial *dial;
	int fd; /* -1: over */
};

struct dial {
	uv_timer_t timer; /* of the next address, or of the end */
	uv_loop_t *loop;
	void (*done)(void *own, int fd, int error); /* NULL: given up, or over */
	void *own;
	int error; /* of those that failed */
	size_t count, at, running;
	size_t handles; /* that the loop has not let go of */
	union dial_address to[DIAL_MOST];
	struct attempt attempt[DIAL_MOST];
};

static void handle_gone(struct dial *d)
{
	if (--d->handles == 0)
		mem_free(d);
}

static void timer_gone(uv_handle_t *handle)
{
	handle_gone(handle->data);
}

static void attempt_gone(uv_handle_t *handle)
{
	handle_gone(((struct attempt *)handle)->dial);
}

/* The loop must let go of the socket before it is closed, or before somebody else has the loop watch it. */
static int attempt_end(struct attempt *a)
{
	int fd = a->fd;

	a->fd = -1;
	a->dial->running--;
	uv_close((uv_handle_t *)&a->poll, attempt_gone);
	return fd;
}

void dial_close(struct dial *d)
{
	d->done = NULL;
	for (size_t i = 0; i < d->at; i++)
		if (d->attempt[i].fd >= 0)
			close(attempt_end(&d->attempt[i]));
	uv_close((uv_handle_t *)&d->timer, timer_gone);
}

/* An address of a family that this machine has no way to says nothing of the service. */
static bool is_way_missing(int error)
{
	return error == 0 || error == ENETUNREACH || error == EADDRNOTAVAIL || error == EAFNOSUPPORT ||
	       error == EHOSTUNREACH;
}

static void note_error(struct dial *d, int error)
{
	if (is_way_missing(d->error) || !is_way_missing(error))
		d->error = error;
}

static void finish(struct dial *d, int fd)
{
	void (*done)(void *own, int fd, int error) = d->done;
	void *own = d->own;
	int error = fd >= 0 ? 0 : d->error;

	dial_close(d);
	done(own, fd, error);
}

static void attempt_event(uv_poll_t *poll, int status, int events);

/* False: it failed at once. */
static bool attempt_begin(struct dial *d, struct attempt *a, const struct sockaddr *to)
{
	socklen_t n = to->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	int error = 0;

	*a = (struct attempt){ .dial = d, .fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) };
	if (a->fd < 0 || (connect(a->fd, to, n) != 0 && errno != EINPROGRESS))
		error = errno;
	else if (uv_poll_init(d->loop, &a->poll, a->fd) != 0)
		error = EMFILE;
	if (error) {
		note_error(d, error);
		if (a->fd >= 0)
			close(a->fd);
		a->fd = -1;
		return false;
	}
	d->handles++;
	d->running++;
	uv_poll_start(&a->poll, UV_WRITABLE, attempt_event);
	return true;
}

static void next_due(uv_timer_t *timer);

/* The next address that can be tried at all. When none is left, and none is under way, that is told by the loop. */
static void dial_next(struct dial *d)
{
	bool begun = false;

	while (d->at < d->count && !begun) {
		begun = attempt_begin(d, &d->attempt[d->at], &d->to[d->at].any);
		d->at++;
	}
	if (d->running == 0)
		uv_timer_start(&d->timer, next_due, 0, 0);
	else if (d->at < d->count)
		uv_timer_start(&d->timer, next_due, DIAL_NEXT_MS, 0);
	else
		uv_timer_stop(&d->timer);
}

static void next_due(uv_timer_t *timer)
{
	struct dial *d = timer->data;

	if (d->at < d->count)
		dial_next(d);
	else
		finish(d, -1);
}

static void attempt_event(uv_poll_t *poll, int status, int events)
{
	struct attempt *a = (struct attempt *)poll;
	struct dial *d = a->dial;
	int error = 0;
	socklen_t n = sizeof(error);

	(void)status; /* the socket's own word is better */
	(void)events;
	if (getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &error, &n) != 0)
		error = errno;
	if (error == 0) {
		finish(d, attempt_end(a));
		return;
	}
	note_error(d, error);
	close(attempt_end(a));
	dial_next(d);
}

struct dial *dial_open(uv_loop_t *loop, const union dial_address *to, size_t count, uint16_t port,
		       void (*done)(void *own, int fd, int error), void *own)
{
	struct dial *d = mem_alloc(sizeof(*d));

	*d = (struct dial){ .loop = loop, .done = done, .own = own, .error = EADDRNOTAVAIL, .handles = 1 };
	uv_timer_init(loop, &d->timer);
	d->timer.data = d;
	for (; d->count < count && d->count < DIAL_MOST; d->count++) {
		d->to[d->count] = to[d->count];
		if (to[d->count].any.sa_family == AF_INET6)
			d->to[d->count].v6.sin6_port = htons(port);
		else
			d->to[d->count].v4.sin_port = htons(port);
	}
	dial_next(d);
	return d;
}
