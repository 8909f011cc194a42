/* One poll for all: who has bytes, whose reader can take some or has left, and whether the command is over. */
#include "proc/relay.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"

#define RELAY_PIECES 4096             /* remembered apart; beyond that they are joined */
#define RELAY_JOIN_NS INT64_C(1000000) /* pieces that come as fast as this are one */
#define RELAY_PATIENCE_MS 50          /* for readers that take nothing while the command is over */

/* A pipe that can be written to takes this much without waiting. */
struct stream {
	int from, to; /* -1: closed */
	bool is_socket;
	size_t held, done; /* bytes read, and those of them that were passed on */
	char bytes[PIPE_BUF];
};

struct relay {
	const struct relay_options *o;
	struct stream streams[RELAY_STREAMS];
	int control; /* -1: it has said all it had to say */
	bool ending, told;
	char note[256];
	size_t note_size;
	struct relay_tally tally;
	struct buf kept;
	struct relay_piece *pieces;
	size_t cap;
};

/* ---- keeping ---- */

static void relay_keep(struct relay *r, unsigned stream, struct str bytes)
{
	struct relay_piece *last = r->tally.piece_count ? &r->pieces[r->tally.piece_count - 1] : NULL;
	size_t room = r->o->keep > r->kept.n ? r->o->keep - r->kept.n : 0;
	int64_t now = (int64_t)clock_wall_ns();

	if (r->o->keep == 0)
		return;
	r->tally.cut = r->tally.cut || bytes.n > room;
	bytes.n = bytes.n < room ? bytes.n : room;
	if (bytes.n == 0)
		return;
	buf_add_str(&r->kept, bytes);
	if (last && last->stream == stream &&
	    (now - last->ns < RELAY_JOIN_NS || r->tally.piece_count >= RELAY_PIECES)) {
		last->end = r->kept.n;
		return;
	}
	mem_grow(r->pieces, r->tally.piece_count, r->cap, 16);
	r->pieces[r->tally.piece_count++] = (struct relay_piece){ .stream = stream, .end = r->kept.n, .ns = now };
}

/* ---- passing on ---- */

/* Whoever writes learns that nobody reads any more, as without us. */
static void relay_close(struct stream *s)
{
	if (s->from >= 0)
		close(s->from);
	if (s->to >= 0)
		close(s->to);
	s->from = s->to = -1;
	s->held = s->done = 0;
}

static void relay_read(struct relay *r, unsigned i)
{
	struct stream *s = &r->streams[i];
	ssize_t n = read(s->from, s->bytes, sizeof(s->bytes));

	if (n > 0) {
		s->held = (size_t)n;
		s->done = 0;
		if (!r->told) {
			r->tally.bytes[i] += (uint64_t)n;
			relay_keep(r, i, str_of(s->bytes, (size_t)n));
		}
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		relay_close(s);
	}
}

static void relay_write(struct stream *s)
{
	const char *p = s->bytes + s->done;
	size_t left = s->held - s->done;
	ssize_t n = s->is_socket ? send(s->to, p, left, MSG_DONTWAIT | MSG_NOSIGNAL) : write(s->to, p, left);

	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		relay_close(s);
		return;
	}
	s->done += n > 0 ? (size_t)n : 0;
	if (s->done == s->held)
		s->held = s->done = 0;
}

/* ---- the end of the command ---- */

static void relay_tell(struct relay *r)
{
	char answer;

	if (r->told)
		return;
	r->told = true;
	r->tally.kept = buf_str(&r->kept);
	r->tally.pieces = r->pieces;
	r->o->over(r->o->context, str_of(r->note, r->note_size), &r->tally);
	buf_free(&r->kept);
	if (r->control < 0)
		return;
	answer = r->streams[0].from < 0 && r->streams[1].from < 0 ? RELAY_ENDS : RELAY_STAYS;
	while (send(r->control, &answer, 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
	close(r->control);
	r->control = -1;
}

/* What was written before the command ended is read first: the streams' turn comes before this one's. */
static void relay_listen(struct relay *r)
{
	ssize_t n = recv(r->control, r->note, sizeof(r->note), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	r->note_size = n > 0 ? (size_t)n : 0;
	r->ending = true;
	if (n <= 0) {
		close(r->control);
		r->control = -1;
	}
}

/* ---- all of it ---- */

static struct pollfd relay_wish(const struct stream *s, bool writes)
{
	if (s->from < 0)
		return (struct pollfd){ .fd = -1 };
	if (writes) /* without a wish too: the reader may leave */
		return (struct pollfd){ .fd = s->to, .events = s->held ? POLLOUT : 0 };
	return (struct pollfd){ .fd = s->held ? -1 : s->from, .events = POLLIN };
}

/* Whether a round found something to do. */
static bool relay_step(struct relay *r)
{
	struct pollfd fds[2 * RELAY_STREAMS + 1];
	bool listens = r->control >= 0 && !r->ending;
	int n;

	for (unsigned i = 0; i < RELAY_STREAMS; i++) {
		fds[2 * i] = relay_wish(&r->streams[i], false);
		fds[2 * i + 1] = relay_wish(&r->streams[i], true);
	}
	fds[2 * RELAY_STREAMS] = (struct pollfd){ .fd = listens ? r->control : -1, .events = POLLIN };
	/* in the end: what is there at once, and a moment for a reader that has to make room for it */
	n = poll(fds, 2 * RELAY_STREAMS + 1,
		 !r->ending || r->told			     ? -1
		 : r->streams[0].held || r->streams[1].held ? RELAY_PATIENCE_MS
							     : 0);
	if (n == 0)
		return false;
	for (unsigned i = 0; i < RELAY_STREAMS && n > 0; i++) {
		struct stream *s = &r->streams[i];

		if (fds[2 * i + 1].revents & (POLLERR | POLLHUP | POLLNVAL))
			relay_close(s);
		else if (fds[2 * i + 1].revents & POLLOUT)
			relay_write(s);
		else if (fds[2 * i].revents)
			relay_read(r, i);
	}
	if (n > 0 && fds[2 * RELAY_STREAMS].revents)
		relay_listen(r);
	return true;
}

static bool relay_is_open(const struct relay *r)
{
	for (unsigned i = 0; i < RELAY_STREAMS; i++)
		if (r->streams[i].from >= 0)
			return true;
	return !r->told;
}

/* Everything else belongs to others, who wait for its end. */
static void relay_leave_others(const struct relay *r)
{
	int last = -1;

	for (;;) {
		int next = r->control > last ? r->control : INT_MAX;

		for (unsigned i = 0; i < RELAY_STREAMS; i++) {
			next = r->streams[i].from > last && r->streams[i].from < next ? r->streams[i].from : next;
			next = r->streams[i].to > last && r->streams[i].to < next ? r->streams[i].to : next;
		}
		if (next > last + 1)
			close_range((unsigned)last + 1, next == INT_MAX ? UINT_MAX : (unsigned)next - 1, 0);
		if (next == INT_MAX)
			return;
		last = next;
	}
}

void relay_run(const struct relay_options *o)
{
	struct relay r = { .o = o, .control = o->control };
	sigset_t all;

	buf_init(&r.kept);
	for (unsigned i = 0; i < RELAY_STREAMS; i++) {
		struct stat st;

		r.streams[i].from = o->from[i];
		r.streams[i].to = o->from[i] < 0 ? -1 : o->to[i];
		r.streams[i].is_socket = o->from[i] >= 0 && fstat(o->to[i], &st) == 0 && S_ISSOCK(st.st_mode);
	}
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	relay_leave_others(&r);
	while (relay_is_open(&r))
		if (!relay_step(&r) || (r.ending && r.streams[0].from < 0 && r.streams[1].from < 0))
			relay_tell(&r);
	mem_free(r.pieces);
}
