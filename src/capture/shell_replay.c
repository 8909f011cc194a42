/* Plain blocking reads: there is nothing else for this process to do. */
#include "capture/shell_replay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "json/put.h"
#include "net/local.h"

#define REPLAY_PIECE 65536
#define REPLAY_HEAD 64          /* bytes of a line of the answer at most */
#define REPLAY_CONNECT_MS 10000 /* while too many wait */

struct shell_replay {
	int fd;
	char bytes[REPLAY_PIECE];
	size_t at, n; /* what was read and not taken */
};

/* All of it; who does not read any more ends us as it would end the command. */
static void replay_write(int to, struct str bytes)
{
	while (bytes.n) {
		ssize_t n = write(to, bytes.p, bytes.n);
		struct pollfd p = { .fd = to, .events = POLLOUT };

		if (n > 0)
			bytes = str_skip(bytes, (size_t)n);
		else if (errno == EAGAIN)
			poll(&p, 1, -1);
		else if (errno != EINTR)
			return;
	}
}

static int replay_miss(struct str why)
{
	replay_write(2, STR("trackway replay: "));
	replay_write(2, why);
	replay_write(2, STR("\n"));
	return SHELL_REPLAY_MISS << 8;
}

/* ---- the question ---- */

static int replay_connect(struct str socket)
{
	uint64_t until = clock_mono_ns() + REPLAY_CONNECT_MS * UINT64_C(1000000);
	struct timespec rest = { .tv_nsec = 2000000 };
	int fd;

	while ((fd = local_connect(socket)) < 0 && errno == EAGAIN && clock_mono_ns() < until)
		nanosleep(&rest, NULL);
	if (fd >= 0)
		fcntl(fd, F_SETFL, 0); /* it blocks from here on */
	return fd;
}

static bool replay_ask(int fd, const struct shell_tape *t)
{
	struct json_writer w;
	struct buf line, req;
	struct str left;

	buf_init(&line);
	buf_init(&req);
	shell_tape_add_request(&req, t);
	json_write_init(&w, &line, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "lane", STR("shell"));
	json_put_text(&w, "command", t->id);
	json_put_text_or_null(&w, "parent", t->parent);
	json_put_raw(&w, "req", buf_str(&req));
	json_write_end_object(&w);
	buf_add_byte(&line, '\n');
	for (left = buf_str(&line); left.n;) {
		ssize_t n = send(fd, left.p, left.n, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			break;
		left = str_skip(left, n > 0 ? (size_t)n : 0);
	}
	buf_free(&line);
	buf_free(&req);
	return left.n == 0;
}

/* ---- the answer ---- */

/* Whether there are bytes at hand, waiting for them if there are none. */
static bool replay_fill(struct shell_replay *r)
{
	ssize_t n;

	if (r->at < r->n)
		return true;
	do
		n = recv(r->fd, r->bytes, sizeof(r->bytes), 0);
	while (n < 0 && errno == EINTR);
	r->at = 0;
	r->n = n > 0 ? (size_t)n : 0;
	return n > 0;
}

static bool replay_read_head(struct shell_replay *r, char head[REPLAY_HEAD])
{
	for (size_t i = 0; i < REPLAY_HEAD && replay_fill(r); i++) {
		head[i] = r->bytes[r->at++];
		if (head[i] == '\n') {
			head[i] = '\0';
			return true;
		}
	}
	return false;
}

/* So many bytes of the answer, to a descriptor. */
static bool replay_pass(struct shell_replay *r, unsigned long long size, int to)
{
	while (size && replay_fill(r)) {
		size_t n = r->n - r->at < size ? r->n - r->at : (size_t)size;

		replay_write(to, str_of(r->bytes + r->at, n));
		r->at += n;
		size -= n;
	}
	return size == 0;
}

/* One line of the answer. False: it was the last. */
static bool replay_follow(struct shell_replay *r, const char *head, int *status)
{
	const char *space = strchr(head, ' ');
	unsigned long long n = space ? strtoull(space + 1, NULL, 10) : 0;

	if (strncmp(head, "o ", 2) == 0 || strncmp(head, "e ", 2) == 0)
		return replay_pass(r, n, head[0] == 'o' ? 1 : 2);
	if (strncmp(head, "exit ", 5) == 0) {
		*status = (int)(n & 0xff) << 8;
	} else if (strncmp(head, "signal ", 7) == 0) {
		*status = (int)(n & 0x7f);
	} else if (strncmp(head, "miss ", 5) == 0) {
		replay_write(2, STR("trackway replay: "));
		replay_pass(r, n, 2);
		replay_write(2, STR("\n"));
		*status = SHELL_REPLAY_MISS << 8;
	}
	return false;
}

bool shell_replay_run(struct str socket, const struct shell_tape *t, int *status)
{
	struct shell_replay r = { .fd = replay_connect(socket) };
	char head[REPLAY_HEAD];
	bool live = false;

	*status = -1;
	if (r.fd < 0 || !replay_ask(r.fd, t)) {
		*status = replay_miss(STR("the replayer does not answer"));
	} else {
		while (replay_read_head(&r, head) && !(live = strcmp(head, "run") == 0) &&
		       replay_follow(&r, head, status))
			;
		if (*status < 0 && !live)
			*status = replay_miss(STR("the replayer broke off"));
	}
	if (r.fd >= 0)
		close(r.fd);
	return !live;
}
