/* As in mcp_wrap.c, our standard streams are never made non-blocking: they belong to others, too. */
#include "capture/mcp/mcp_relay.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "json/put.h"
#include "net/local.h"

#define RELAY_PIECE ((size_t)64 << 10)
#define RELAY_ANSWER 16 /* bytes of the first line of an answer at most */

/* One direction. */
struct relay_way {
	int from, to; /* -1: closed */
	size_t at, n; /* what was read and not written */
	char bytes[RELAY_PIECE];
};

static bool relay_hello(int fd, const struct mcp_relay_options *o)
{
	struct json_writer w;
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	struct buf line;
	struct str left;

	buf_init(&line);
	json_write_init(&w, &line, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "lane", STR("mcp"));
	json_put_array(&w, "argv");
	for (size_t i = 0; o->argv[i]; i++)
		json_write_string(&w, str_from(o->argv[i]));
	json_write_end_array(&w);
	json_put_text_or_null(&w, "name", o->name);
	json_write_end_object(&w);
	buf_add_byte(&line, '\n');
	for (left = buf_str(&line); left.n;) {
		ssize_t n = send(fd, left.p, left.n, MSG_NOSIGNAL);

		if (n > 0)
			left = str_skip(left, (size_t)n);
		else if (errno == EAGAIN)
			poll(&p, 1, -1);
		else if (errno != EINTR)
			break;
	}
	buf_free(&line);
	return left.n == 0;
}

/* The first line of the answer, byte by byte: what follows it are messages. */
static bool relay_answer(int fd, char line[RELAY_ANSWER])
{
	size_t n = 0;

	while (n < RELAY_ANSWER) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t got = recv(fd, line + n, 1, MSG_DONTWAIT);

		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		if (got < 0) {
			poll(&p, 1, -1);
		} else if (line[n++] == '\n') {
			line[n - 1] = '\0';
			return true;
		}
	}
	return false;
}

static void relay_write(struct relay_way *w)
{
	ssize_t n = send(w->to, w->bytes + w->at, w->n - w->at, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno == ENOTSOCK)
		n = write(w->to, w->bytes + w->at, w->n - w->at < PIPE_BUF ? w->n - w->at : PIPE_BUF);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0)
		w->from = w->to = -1; /* the reader has left */
	else
		w->at += (size_t)n;
}

/* The socket's other direction is told of the end of ours. */
static void relay_read(struct relay_way *w)
{
	ssize_t n = read(w->from, w->bytes, sizeof(w->bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		shutdown(w->to, SHUT_WR);
		w->from = -1;
		return;
	}
	w->at = 0;
	w->n = (size_t)n;
}

static struct pollfd relay_wants(const struct relay_way *w)
{
	if (w->at < w->n)
		return (struct pollfd){ .fd = w->to, .events = POLLOUT };
	return (struct pollfd){ .fd = w->from, .events = POLLIN };
}

static void relay_move(struct relay_way *w, const struct pollfd *ready)
{
	if (ready->fd < 0 || !ready->revents)
		return;
	if (w->at < w->n)
		relay_write(w);
	else
		relay_read(w);
}

/* Until the replayer has sent its last, or nobody reads it. */
static void relay_pass(int fd)
{
	struct relay_way in = { .from = 0, .to = fd }, out = { .from = fd, .to = 1 };

	while (out.to >= 0 && (out.from >= 0 || out.at < out.n)) {
		struct pollfd fds[2] = { relay_wants(&in), relay_wants(&out) };

		if (poll(fds, COUNT(fds), -1) < 0)
			continue;
		relay_move(&in, &fds[0]);
		relay_move(&out, &fds[1]);
	}
}

enum mcp_relay_end mcp_relay_run(const struct mcp_relay_options *o, struct err *err)
{
	enum mcp_relay_end end = MCP_RELAY_FAIL;
	char answer[RELAY_ANSWER];
	int fd = local_connect(o->socket);

	if (fd < 0) {
		err_system(err, errno, "the replayer does not answer at %.*s", STR_ARG(o->socket));
		return MCP_RELAY_FAIL;
	}
	if (!relay_hello(fd, o) || !relay_answer(fd, answer)) {
		err_set(err, ERR_IO, "the replayer broke off");
	} else if (strcmp(answer, "run") == 0) {
		end = MCP_RELAY_RUN;
	} else if (strcmp(answer, "serve") == 0) {
		relay_pass(fd);
		end = MCP_RELAY_OVER;
	} else {
		err_set(err, ERR_IO, "the replayer said '%s', which is not known", answer);
	}
	close(fd);
	return end;
}
