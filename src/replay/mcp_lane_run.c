/* A loop of poll(2) around one session: lines in, lines out, each when it is due. */
#include "replay/mcp_lane_run.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "replay/mcp_lane_session.h"

#define RUN_PIECE ((size_t)64 << 10)
#define RUN_LINE ((size_t)64 << 20)

struct mcp_run {
	int in, out; /* -1: closed */
	struct mcp_session *session;
	struct buf held;
};

static void mcp_run_send(void *context, struct str line)
{
	struct mcp_run *r = context;

	while (line.n && r->out >= 0) {
		struct pollfd p = { .fd = r->out, .events = POLLOUT };
		ssize_t n = write(r->out, line.p, line.n);

		if (n > 0)
			line = str_skip(line, (size_t)n);
		else if (n < 0 && errno == EAGAIN)
			poll(&p, 1, -1);
		else if (n < 0 && errno != EINTR)
			r->out = -1;
	}
}

/* Whole lines of what is held. */
static void mcp_run_lines(struct mcp_run *r)
{
	struct str left = buf_str(&r->held);
	const char *end;

	while (left.n && (end = memchr(left.p, '\n', left.n))) {
		struct str line = str_of(left.p, (size_t)(end - left.p));

		left = str_skip(left, line.n + 1);
		mcp_session_line(r->session, line, clock_mono_ns());
	}
	if (left.n && left.n < r->held.n)
		memmove(r->held.p, left.p, left.n);
	r->held.n = left.n;
}

static bool mcp_run_read(struct mcp_run *r, struct err *err)
{
	ssize_t n = read(r->in, buf_reserve(&r->held, RUN_PIECE), RUN_PIECE);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n < 0)
		return err_system(err, errno, "cannot read the client's messages");
	if (n == 0) {
		if (r->held.n)
			mcp_session_line(r->session, buf_str(&r->held), clock_mono_ns());
		r->in = -1;
		return true;
	}
	r->held.n += (size_t)n;
	mcp_run_lines(r);
	return r->held.n <= RUN_LINE || err_set(err, ERR_LIMIT, "a message of the client is longer than 64 MiB");
}

/* Until something can be read or is due; -1: for ever. */
static int mcp_run_timeout(const struct mcp_run *r)
{
	uint64_t due = mcp_session_due(r->session), now = clock_mono_ns();

	if (due == UINT64_MAX)
		return -1;
	if (due <= now)
		return 0;
	return due - now > UINT64_C(3600000000000) ? 3600000 : (int)((due - now) / 1000000) + 1;
}

bool mcp_replay_run(struct mcp_lane *lane, const struct mcp_caller *who, int in, int out, struct err *err)
{
	struct mcp_run r = { .in = in, .out = out };
	struct mcp_session_options o = { .lane = lane, .who = *who, .send = mcp_run_send, .context = &r };
	bool good = true;

	buf_init(&r.held);
	r.session = mcp_session_open(&o);
	while (good && r.out >= 0 && (r.in >= 0 || mcp_session_due(r.session) != UINT64_MAX)) {
		struct pollfd p = { .fd = r.in, .events = POLLIN };

		if (poll(&p, 1, mcp_run_timeout(&r)) > 0 && p.revents)
			good = mcp_run_read(&r, err);
		mcp_session_tick(r.session, clock_mono_ns());
	}
	mcp_session_close(r.session);
	buf_free(&r.held);
	return good;
}
