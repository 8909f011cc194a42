/*
 * Our standard streams belong to others too, so they are never made non-blocking; and they may be files, which libuv
 * cannot poll. So the loop here is one poll(2), with libuv's descriptor (the child's signals and end) as one among
 * others. A write is never larger than what surely fits, or it is sent without waiting: nobody who does not read can
 * hold up the other direction.
 */
#include "capture/mcp/mcp_wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "base/clock.h"
#include "base/seed.h"
#include "capture/mcp/mcp_stream.h"
#include "capture/mcp/mcp_trace.h"
#include "capture/sight_teller.h"
#include "proc/child.h"

#define PIECE ((size_t)64 << 10)
#define LAST_MS 250 /* for what the recorder was not told yet, when the server has ended */

/* One direction. */
struct wrap_pipe {
	enum mcp_sender sender;
	int from, to;      /* -1: closed */
	struct str left;   /* read, and not written yet */
	struct buf traced; /* where `left` is, when lines are changed */
	char bytes[PIECE + JSON_PAD];
};

struct wrap {
	const struct mcp_wrap_options *o;
	struct mcp_wrap_outcome *out;
	struct clock_line clock;
	uv_loop_t loop;
	struct child *child;
	bool over; /* the server has ended */
	struct wrap_pipe in, from_server;
	struct mcp_trace trace;
	struct mcp_stream *stream;
	struct sight_teller teller;
};

/* Of our standard streams others learn that they are closed, while the number stays taken for those who use it. */
static void wrap_close(int *fd)
{
	int nothing = *fd == 0 || *fd == 1 ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;

	if (nothing >= 0) {
		dup2(nothing, *fd);
		close(nothing);
	} else if (*fd >= 0) {
		close(*fd);
	}
	*fd = -1;
}

/* ---- what is seen ---- */

static void wrap_see(void *context, const struct sighting *s)
{
	struct wrap *w = context;
	struct sighting told = *s;

	told.run = w->o->run;
	told.session = w->o->session;
	sight_teller_add(&w->teller, &told);
}

/* ---- bytes ---- */

/* As much as can be written without waiting: 0 when that is nothing, negative when nobody will read it. */
static ssize_t wrap_write_some(int fd, struct str bytes)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	ssize_t n = send(fd, bytes.p, bytes.n, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno == ENOTSOCK) {
		if (poll(&p, 1, 0) < 1)
			return 0;
		n = write(fd, bytes.p, bytes.n < PIPE_BUF ? bytes.n : PIPE_BUF);
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : n;
}

/* The reader has left: the writer is to notice as it would without us. */
static void wrap_cut(struct wrap_pipe *p)
{
	wrap_close(&p->to);
	wrap_close(&p->from);
	p->left.n = 0;
}

static void wrap_push(struct wrap_pipe *p)
{
	while (p->left.n && p->to >= 0) {
		ssize_t n = wrap_write_some(p->to, p->left);

		if (n == 0)
			break;
		if (n < 0)
			wrap_cut(p);
		else
			p->left = str_skip(p->left, (size_t)n);
	}
	if (!p->left.n && p->from < 0)
		wrap_close(&p->to); /* it was the end */
}

static bool wrap_changes(const struct wrap *w, const struct wrap_pipe *p)
{
	return w->o->set_traceparent && p->sender == MCP_CLIENT;
}

/* What was read, as it goes on. */
static struct str wrap_changed(struct wrap *w, struct wrap_pipe *p, struct str bytes)
{
	if (!wrap_changes(w, p))
		return bytes;
	buf_clear(&p->traced);
	if (bytes.n)
		mcp_trace_push(&w->trace, bytes, &p->traced);
	else
		mcp_trace_end(&w->trace, &p->traced);
	memset(buf_reserve(&p->traced, JSON_PAD), 0, JSON_PAD);
	return buf_str(&p->traced);
}

/* Reads once, writes, and only then looks at it. */
static void wrap_pull(struct wrap *w, struct wrap_pipe *p)
{
	ssize_t n = read(p->from, p->bytes, PIECE);
	int64_t ns = clock_line_ns(&w->clock);
	struct str passed;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0)
		wrap_close(&p->from);
	passed = p->left = wrap_changed(w, p, str_of(p->bytes, n > 0 ? (size_t)n : 0));
	wrap_push(p);
	if (passed.n)
		mcp_stream_push(w->stream, p->sender, passed, ns);
}

/* ---- the server ---- */

static void wrap_server_ended(void *context, int status, int signal)
{
	struct wrap *w = context;

	w->over = true;
	w->out->status = status;
	w->out->signal = signal;
	child_close(w->child);
}

/* Our ends do not block, and no other process gets them; the server's block, as every program expects. */
static bool wrap_open_pipes(struct wrap *w, int theirs[2], struct err *err)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };

	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
		err_system(err, errno, "cannot make pipes for the server");
		wrap_close(&in[0]);
		wrap_close(&in[1]);
		return false;
	}
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	w->in.to = in[1];
	w->from_server.from = out[0];
	theirs[0] = in[0];
	theirs[1] = out[1];
	return true;
}

static bool wrap_start(struct wrap *w, struct err *err)
{
	struct child_options c = { .argv = w->o->argv, .env = w->o->env, .ended = wrap_server_ended, .context = w,
				   .dies_with_us = true };
	int theirs[2];

	if (!wrap_open_pipes(w, theirs, err))
		return false;
	c.in = theirs[0];
	c.out = theirs[1];
	w->child = child_start(&w->loop, &c, err);
	close(theirs[0]);
	close(theirs[1]);
	uv_run(&w->loop, UV_RUN_NOWAIT); /* the loop begins to watch */
	return w->child != NULL;
}

/* ---- the loop ---- */

/* Reads while nothing is left to be written, else waits until it can be. */
static struct pollfd wrap_wants(const struct wrap_pipe *p)
{
	if (p->left.n)
		return (struct pollfd){ .fd = p->to, .events = POLLOUT };
	return (struct pollfd){ .fd = p->from, .events = POLLIN };
}

static void wrap_move(struct wrap *w, struct wrap_pipe *p, const struct pollfd *ready)
{
	if (ready->fd < 0 || !ready->revents)
		return;
	if (p->left.n)
		wrap_push(p);
	else
		wrap_pull(w, p);
}

static void wrap_step(struct wrap *w)
{
	struct pollfd fds[4] = {
		{ .fd = uv_backend_fd(&w->loop), .events = POLLIN },
		wrap_wants(&w->in),
		wrap_wants(&w->from_server),
		{ .fd = sight_teller_waits(&w->teller) ? w->teller.fd : -1, .events = POLLOUT },
	};

	poll(fds, COUNT(fds), uv_backend_timeout(&w->loop));
	wrap_move(w, &w->in, &fds[1]);
	wrap_move(w, &w->from_server, &fds[2]);
	if (fds[3].fd >= 0 && fds[3].revents)
		sight_teller_send(&w->teller);
	uv_run(&w->loop, UV_RUN_NOWAIT);
}

/* What the server wrote before it ended is in the pipe: the client may take its time to read it. */
static void wrap_drain(struct wrap *w)
{
	struct wrap_pipe *p = &w->from_server;

	while (p->to >= 0 && (p->left.n || p->from >= 0)) {
		struct pollfd ready = wrap_wants(p);

		if (!p->left.n && poll(&ready, 1, 0) < 1)
			break; /* who has its output now was left behind by it */
		if (p->left.n)
			poll(&ready, 1, -1);
		wrap_move(w, p, &ready);
	}
}

static void wrap_init(struct wrap *w)
{
	struct mcp_stream_options s = {
		.server = w->o->name,
		.program = str_basename(str_from(w->o->argv[0])),
		.content = w->o->content,
		.chunks = w->o->chunks,
		.see = wrap_see,
		.context = w,
	};

	seed_random(&s.instance, sizeof(s.instance));
	w->clock = clock_line_begin();
	w->in.sender = MCP_CLIENT;
	w->from_server.sender = MCP_SERVER;
	w->in.from = 0;
	w->in.to = w->from_server.from = -1;
	w->from_server.to = 1;
	buf_init(&w->in.traced);
	mcp_trace_init(&w->trace, w->o->traceparent, seed_random);
	w->stream = mcp_stream_open(&s);
	sight_teller_open(&w->teller, w->o->socket);
	w->out->heard = w->teller.fd >= 0;
	uv_loop_init(&w->loop);
}

bool mcp_wrap_run(struct arena *a, const struct mcp_wrap_options *o, struct mcp_wrap_outcome *out, struct err *err)
{
	struct wrap *w = arena_new(a, struct wrap);
	bool begun;

	*out = (struct mcp_wrap_outcome){ .status = 0 };
	w->o = o;
	w->out = out;
	wrap_init(w);
	begun = wrap_start(w, err);
	while (begun && !w->over)
		wrap_step(w);
	if (begun) {
		wrap_drain(w);
		mcp_stream_end(w->stream, clock_line_ns(&w->clock));
	}
	sight_teller_close(&w->teller, LAST_MS);
	out->told = w->teller.told;
	out->dropped = w->teller.dropped;
	out->too_long = mcp_stream_too_long(w->stream);
	wrap_close(&w->in.to);
	wrap_close(&w->from_server.from);
	uv_run(&w->loop, UV_RUN_DEFAULT);
	if (w->child)
		child_free(w->child);
	uv_loop_close(&w->loop);
	mcp_stream_close(w->stream);
	mcp_trace_free(&w->trace);
	buf_free(&w->in.traced);
	return begun;
}
