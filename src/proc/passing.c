/*
 * Never more than one piece is held, and nothing is read before it has gone on: so a slow reader is felt by the child.
 * Whether the reader has room is asked through an epoll of its own, because libuv would make the descriptor itself
 * non-blocking, and with it that of everybody who shares it.
 */
#include "proc/passing.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "proc/standby.h"

#define PASSING_PIECE ((size_t)64 << 10)

struct passing {
	struct passing_options o;
	int from;          /* our end of the pipe; -1: closed */
	int to;            /* where it goes: the caller's descriptor, or the same pipe opened again */
	int room;          /* epoll that waits for `to`; -1: it never makes us wait */
	bool is_socket;
	size_t most;       /* to be written at once */
	struct standby standby; /* for the case that we are killed */
	uv_poll_t readable, writable;
	uv_timer_t grace;
	unsigned handles;
	bool limited;      /* `left` bytes are still to be read, and no more */
	size_t left;
	size_t held, done; /* bytes read, and those of them that were passed on */
	char bytes[PASSING_PIECE];
};

static void passing_handle_closed(uv_handle_t *h)
{
	struct passing *p = h->data;

	assert(p->handles > 0);
	p->handles--;
}

void passing_stop(struct passing *p)
{
	if (p->from < 0)
		return;
	uv_close((uv_handle_t *)&p->readable, passing_handle_closed);
	uv_close((uv_handle_t *)&p->grace, passing_handle_closed);
	if (p->room >= 0) {
		uv_close((uv_handle_t *)&p->writable, passing_handle_closed);
		close(p->room);
	}
	standby_close(&p->standby);
	close(p->from);
	if (p->to != p->o.to)
		close(p->to);
	p->from = -1;
}

void passing_free(struct passing *p)
{
	assert(!p || p->handles == 0);
	mem_free(p);
}

/* ---- what passes ---- */

/* The reader's leaving is told without a wish, too. */
static void passing_want_room(struct passing *p, bool wanted)
{
	struct epoll_event e = { .events = wanted ? EPOLLOUT : 0 };

	if (p->room >= 0)
		epoll_ctl(p->room, EPOLL_CTL_MOD, p->to, &e);
}

static ssize_t passing_write_some(struct passing *p)
{
	const char *from = p->bytes + p->done;
	size_t n = p->held - p->done < p->most ? p->held - p->done : p->most;

	return p->is_socket ? send(p->to, from, n, MSG_DONTWAIT | MSG_NOSIGNAL) : write(p->to, from, n);
}

/* Passes on what is held. False when the rest of it waits for room, or all is over. */
static bool passing_write(struct passing *p)
{
	while (p->done < p->held) {
		ssize_t n = passing_write_some(p);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno != EAGAIN || p->room < 0)) {
			passing_stop(p); /* whoever writes learns it, as without us */
			return false;
		}
		p->done += n > 0 ? (size_t)n : 0;
		/* where a write may wait, each is asked for */
		if (p->done < p->held && (n < 0 || p->most < PASSING_PIECE))
			return false;
	}
	p->held = p->done = 0;
	if (p->limited && p->left == 0)
		passing_stop(p);
	return p->from >= 0;
}

static void passing_read(uv_poll_t *readable, int status, int events)
{
	struct passing *p = readable->data;
	size_t most = p->limited && p->left < p->most ? p->left : p->most;
	ssize_t n = read(p->from, p->bytes, most);

	(void)status;
	(void)events;
	assert(p->held == 0);
	if (n <= 0) {
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			passing_stop(p);
		return;
	}
	p->left -= p->limited ? (size_t)n : 0;
	p->held = (size_t)n;
	p->o.seen(p->o.context, str_of(p->bytes, p->held));
	if (passing_write(p) || p->from < 0)
		return;
	uv_poll_stop(readable);
	passing_want_room(p, true);
}

static void passing_look_at_reader(uv_poll_t *writable, int status, int events)
{
	struct passing *p = writable->data;
	struct epoll_event e;

	(void)status;
	(void)events;
	if (epoll_wait(p->room, &e, 1, 0) != 1)
		return;
	if (p->held == 0) {
		if (e.events & (EPOLLERR | EPOLLHUP))
			passing_stop(p); /* a child that watches its output, and does not write, learns it too */
	} else if (passing_write(p)) {
		passing_want_room(p, false);
		uv_poll_start(&p->readable, UV_READABLE, passing_read);
	}
}

/* ---- its life ---- */

/*
 * A pipe is opened again, which gives us flags of our own: it can be made non-blocking for us alone. Where that is not
 * allowed, pieces are so small that a pipe with room takes them without waiting.
 */
static void passing_choose_way(struct passing *p)
{
	char name[32];
	struct stat st;
	int again = -1;

	p->to = p->o.to;
	p->most = PASSING_PIECE;
	if (fstat(p->to, &st) != 0)
		return;
	p->is_socket = S_ISSOCK(st.st_mode);
	if (!S_ISFIFO(st.st_mode))
		return;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", p->to);
	again = open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (again >= 0)
		p->to = again;
	else if (!(fcntl(p->to, F_GETFL) & O_NONBLOCK))
		p->most = PIPE_BUF;
}

/* A file always has room: epoll refuses it, and so is not needed. */
static void passing_open_room(struct passing *p)
{
	struct epoll_event e = { .events = 0 };

	p->room = epoll_create1(EPOLL_CLOEXEC);
	if (p->room >= 0 && epoll_ctl(p->room, EPOLL_CTL_ADD, p->to, &e) != 0) {
		close(p->room);
		p->room = -1;
	}
}

struct passing *passing_open(uv_loop_t *loop, const struct passing_options *o, int *end, struct err *err)
{
	struct passing *p;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0) {
		err_system(err, errno, "cannot make a pipe");
		return NULL;
	}
	p = mem_alloc(sizeof(*p));
	memset(p, 0, offsetof(struct passing, bytes));
	p->o = *o;
	p->from = ends[0];
	passing_choose_way(p);
	passing_open_room(p);
	/* these cannot fail for a pipe and an epoll that were just made */
	uv_poll_init(loop, &p->readable, p->from);
	uv_timer_init(loop, &p->grace);
	p->handles = 2;
	if (p->room >= 0) {
		uv_poll_init(loop, &p->writable, p->room);
		p->handles++;
		uv_poll_start(&p->writable, UV_READABLE, passing_look_at_reader);
	}
	p->readable.data = p->writable.data = p->grace.data = p;
	uv_poll_start(&p->readable, UV_READABLE, passing_read);
	standby_open(&p->standby, p->from, p->to); /* without one the pipe breaks with us */
	*end = ends[1];
	return p;
}

static void passing_grace_over(uv_timer_t *grace)
{
	struct passing *p = grace->data;
	int there = 0;

	if (ioctl(p->from, FIONREAD, &there) != 0)
		there = 0;
	p->limited = true;
	p->left = (size_t)there;
	if (p->left == 0 && p->held == 0)
		passing_stop(p);
}

void passing_end(struct passing *p, unsigned grace_ms)
{
	if (p->from >= 0)
		uv_timer_start(&p->grace, passing_grace_over, grace_ms, 0);
}
