/*
 * Two threads meet here: clients are read on the loop's, lines on the recorder's. Each has its own counts, and what
 * passes between them is a handoff.
 */
#include "capture/sight_socket.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "dialect/sighting/sighting_line.h"
#include "net/local.h"

#define SIGHT_READ ((size_t)64 << 10)
#define SIGHT_AGAIN_MS 100
#define SIGHT_GRACE_MS 100 /* for clients that are connected when the run is over */

struct sight_client {
	struct sight_client *next, **at;
	struct sight_socket *socket;
	uv_poll_t poll;
	int fd;
	struct buf held; /* the beginning of a line */
	size_t counted;  /* bytes of the room that it has */
	bool skips;      /* the rest of a line that is lost */
};

struct sight_socket {
	struct arena arena;
	uv_loop_t *loop;
	struct budget *room;
	struct feed *feed;
	struct str path;
	int fd;
	uv_poll_t poll;
	uv_timer_t again; /* runs when there was no descriptor for one who waits */
	struct sight_client *clients, **last; /* the oldest first: a command's begin comes before its end */
	size_t count;
	uint64_t lost, refused;
	/* of the recorder's thread */
	struct json_parser *parser;
	struct arena scratch;
	uint64_t seen, bad;
	char bytes[SIGHT_READ];
};

/* ---- the recorder's thread ---- */

static void sight_read_lines(struct recorder *d, struct handoff *w)
{
	struct sight_socket *s = w->own;
	struct json_record line;
	struct json_lines it;
	struct json_issue issue;
	struct sighting seen;
	enum json_line what;

	json_lines_begin(&it, s->parser, buf_str(&w->body), 1);
	while ((what = json_lines_next(&it, &line, &issue)) != JSON_LINE_END) {
		if (what == JSON_LINE_BLANK)
			continue;
		if (what == JSON_LINE_VALUE && sighting_line_read(&s->scratch, line.value, &seen)) {
			recorder_see(d, &seen);
			s->seen++;
		} else {
			s->bad++;
		}
		arena_reset(&s->scratch);
	}
	handoff_free(w);
}

/* ---- lines ---- */

static void sight_drop_line(struct sight_client *c)
{
	c->socket->lost++;
	budget_free(c->socket->room, &c->counted, &c->held);
}

/* Whole lines: what is held, and these bytes. */
static void sight_hand_over(struct sight_client *c, struct str bytes)
{
	struct sight_socket *s = c->socket;
	struct handoff *w = mem_alloc(sizeof(*w));

	*w = (struct handoff){ .job = sight_read_lines, .own = s };
	buf_init(&w->body);
	buf_grow(&w->body, c->held.n + bytes.n + JSON_PAD);
	buf_add_str(&w->body, buf_str(&c->held));
	buf_add_str(&w->body, bytes);
	memset(w->body.p + w->body.n, 0, JSON_PAD);
	budget_free(s->room, &c->counted, &c->held);
	w->item.size = sizeof(*w) + w->body.cap;
	if (feed_push(s->feed, &w->item, false))
		return;
	s->lost += str_count(buf_str(&w->body), '\n');
	handoff_free(w);
}

/* The bytes of a line that has not ended yet. */
static void sight_hold(struct sight_client *c, struct str bytes)
{
	if (c->skips || bytes.n == 0)
		return;
	if (c->held.n + bytes.n <= SIGHTING_LINE_MOST &&
	    budget_add(c->socket->room, &c->counted, &c->held, bytes))
		return;
	sight_drop_line(c);
	c->skips = true;
}

static void sight_take(struct sight_client *c, struct str bytes)
{
	const char *last = memrchr(bytes.p, '\n', bytes.n);
	size_t whole = last ? (size_t)(last - bytes.p) + 1 : 0;

	if (whole && c->skips) {
		struct str rest;

		str_cut(str_of(bytes.p, whole), '\n', &rest);
		c->skips = false;
		if (rest.n)
			sight_hand_over(c, rest);
	} else if (whole) {
		sight_hand_over(c, str_of(bytes.p, whole));
	}
	sight_hold(c, str_skip(bytes, whole));
}

/* ---- clients ---- */

static void sight_accept_event(uv_poll_t *poll, int status, int events);

static void sight_accept_again(uv_timer_t *timer)
{
	struct sight_socket *s = timer->data;

	if (s->count < SIGHT_SOCKET_CLIENTS)
		uv_poll_start(&s->poll, UV_READABLE, sight_accept_event);
}

static void sight_client_closed(uv_handle_t *handle)
{
	struct sight_client *c = handle->data;

	buf_free(&c->held);
	mem_free(c);
}

/* A line that its client never ended is one all the same: what it is worth, its JSON says. */
static void sight_leave(struct sight_client *c)
{
	struct sight_socket *s = c->socket;

	if (c->held.n)
		sight_hand_over(c, STR("\n"));
	*c->at = c->next;
	if (c->next)
		c->next->at = c->at;
	else
		s->last = c->at;
	s->count--;
	if (s->fd >= 0)
		uv_poll_start(&s->poll, UV_READABLE, sight_accept_event);
	uv_poll_stop(&c->poll);
	close(c->fd);
	uv_close((uv_handle_t *)&c->poll, sight_client_closed);
}

/* Reads once. False: there was nothing, or the client has left and is no more. */
static bool sight_read(struct sight_client *c)
{
	struct sight_socket *s = c->socket;
	ssize_t n = recv(c->fd, s->bytes, sizeof(s->bytes), 0);

	if (n > 0) {
		sight_take(c, str_of(s->bytes, (size_t)n));
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		sight_leave(c);
	return false;
}

static void sight_client_event(uv_poll_t *poll, int status, int events)
{
	(void)status, (void)events;
	sight_read(poll->data);
}

/* Takes one who waits. False: nobody does, or nobody else can be taken now. */
static bool sight_accept(struct sight_socket *s)
{
	struct sight_client *c;
	int fd = s->count < SIGHT_SOCKET_CLIENTS ? accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;

	if (fd < 0) {
		/* without a free descriptor they wait for a moment: the proxy may have them all */
		if (s->count < SIGHT_SOCKET_CLIENTS && (errno == EMFILE || errno == ENFILE)) {
			uv_poll_stop(&s->poll);
			uv_timer_start(&s->again, sight_accept_again, SIGHT_AGAIN_MS, 0);
		}
		return false;
	}
	if (!local_is_ours(fd)) {
		s->refused++;
		close(fd);
		return true;
	}
	c = mem_alloc(sizeof(*c));
	*c = (struct sight_client){ .at = s->last, .socket = s, .fd = fd };
	buf_init(&c->held);
	*s->last = c;
	s->last = &c->next;
	uv_poll_init(s->loop, &c->poll, fd);
	c->poll.data = c;
	uv_poll_start(&c->poll, UV_READABLE, sight_client_event);
	uv_unref((uv_handle_t *)&c->poll);
	if (++s->count == SIGHT_SOCKET_CLIENTS)
		uv_poll_stop(&s->poll); /* the others wait where they are */
	return true;
}

static void sight_accept_event(uv_poll_t *poll, int status, int events)
{
	(void)status, (void)events;
	sight_accept(poll->data);
}

/* ---- the socket ---- */

struct sight_socket *sight_socket_open(uv_loop_t *loop, struct budget *room, const char *runtime, struct str name,
				       struct err *err)
{
	struct sight_socket *s = mem_alloc(sizeof(*s));
	struct str dir;

	memset(s, 0, offsetof(struct sight_socket, bytes));
	arena_init(&s->arena);
	arena_init(&s->scratch);
	s->loop = loop;
	s->room = room;
	s->fd = -1;
	s->last = &s->clients;
	if (local_dir(&s->arena, runtime, true, &dir, err)) {
		s->path = ARENA_JOIN(&s->arena, dir, STR("/"), name);
		s->fd = local_listen(s->path, err);
	}
	if (s->fd < 0) {
		sight_socket_close(s);
		return NULL;
	}
	s->parser = json_parser_open((struct json_options){
		.allow_duplicates = true, .allow_lone = true, .allow_bom = true, .max_depth = 64 });
	uv_poll_init(loop, &s->poll, s->fd);
	s->poll.data = s;
	uv_poll_start(&s->poll, UV_READABLE, sight_accept_event);
	uv_unref((uv_handle_t *)&s->poll);
	uv_timer_init(loop, &s->again);
	uv_unref((uv_handle_t *)&s->again);
	s->again.data = s;
	return s;
}

struct str sight_socket_path(const struct sight_socket *s)
{
	return s->path;
}

void sight_socket_begin(struct sight_socket *s, struct feed *feed)
{
	s->feed = feed;
}

/* Everything that is there now; a client that never stops is cut off. */
static void sight_drain(struct sight_socket *s, uint64_t until)
{
	struct sight_client *next;
	bool any = true;

	while (any && clock_mono_ns() < until) {
		size_t count;

		any = false;
		while (sight_accept(s))
			any = true;
		count = s->count;
		for (struct sight_client *c = s->clients; c; c = next) {
			next = c->next;
			any |= sight_read(c);
		}
		any |= s->count < count; /* one who waited may have their place */
	}
}

void sight_socket_look(struct sight_socket *s)
{
	struct sight_client *next;
	struct pollfd waiting = { .fd = s ? s->fd : -1, .events = POLLIN };

	if (!s || !s->feed)
		return;
	/* an accept that finds nobody costs as much as one that does */
	while (poll(&waiting, 1, 0) > 0 && sight_accept(s))
		;
	for (struct sight_client *c = s->clients; c; c = next) {
		next = c->next;
		sight_read(c);
	}
}

/* Until one of the clients sends something or leaves, but not longer than this. */
static void sight_wait(const struct sight_socket *s, uint64_t ns)
{
	struct pollfd fds[SIGHT_SOCKET_CLIENTS];
	nfds_t n = 0;

	for (const struct sight_client *c = s->clients; c; c = c->next)
		fds[n++] = (struct pollfd){ .fd = c->fd, .events = POLLIN };
	poll(fds, n, (int)(ns / 1000000) + 1);
}

void sight_socket_stop(struct sight_socket *s)
{
	uint64_t now, until = clock_mono_ns() + SIGHT_GRACE_MS * UINT64_C(1000000);

	if (s->feed)
		sight_drain(s, until);
	for (now = clock_mono_ns(); s->clients && now < until; now = clock_mono_ns()) {
		sight_wait(s, until - now);
		sight_drain(s, until);
	}
	uv_poll_stop(&s->poll);
	close(s->fd);
	s->fd = -1;
	while (s->clients)
		sight_leave(s->clients);
	uv_close((uv_handle_t *)&s->poll, NULL);
	uv_close((uv_handle_t *)&s->again, NULL);
	unlink(s->path.p);
}

struct sight_tally sight_socket_tally(const struct sight_socket *s)
{
	return (struct sight_tally){ .seen = s->seen, .bad = s->bad, .lost = s->lost, .refused = s->refused };
}

void sight_socket_close(struct sight_socket *s)
{
	if (!s)
		return;
	json_parser_close(s->parser);
	arena_free(&s->scratch);
	arena_free(&s->arena);
	mem_free(s);
}
