/*
 * Listening, limits on connections, and the timers of the HTTP server. A connection's own work is in server/conn.c
 * (what comes) and server/answer.c (what goes).
 */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/server/private.h"

enum {
	BACKLOG = 1024,
	REFUSED = 64, /* connections above the limit that are told so; the rest is only closed */
};

static void accept_event(uv_poll_t *poll, int status, int events);

static void listen_on(struct server *s, bool on)
{
	if (s->fd < 0)
		return;
	if (on)
		uv_poll_start(&s->listener, UV_READABLE, accept_event);
	else
		uv_poll_stop(&s->listener);
}

/* Applies the limits of time to all connections. It runs only while there are any, so an idle server wakes nobody. */
static void server_sweep(uv_timer_t *timer)
{
	struct server *s = timer->data;
	uint64_t now = uv_now(s->loop);
	struct conn *next;

	for (struct conn *c = s->first; c; c = next) {
		next = c->next; /* closing takes nothing out of the list before the loop goes round */
		conn_sweep(c, now);
	}
	if (s->full) {
		s->full = false;
		listen_on(s, true);
	}
	if (!s->first) {
		uv_timer_stop(&s->sweep);
		s->sweeping = false;
	}
}

/* At 2, 6, 14, 30 and 62 ms; after that the sweep will do. */
#define HURRIES 5

static void hurry(uv_timer_t *timer)
{
	struct server *s = timer->data;
	struct conn *next;

	for (struct conn *c = s->first; c; c = next) {
		next = c->next;
		conn_check_peer(c);
	}
	if (++s->hurried < HURRIES && !uv_is_closing((uv_handle_t *)timer))
		uv_timer_start(timer, hurry, (uint64_t)2 << s->hurried, 0);
}

void server_hurry(struct server *s)
{
	s->hurried = 0;
	if (!uv_is_closing((uv_handle_t *)&s->hurry))
		uv_timer_start(&s->hurry, hurry, 2, 0);
}

/* Four times within the shortest limit, between 10 ms and 1 s, so that a limit is overrun by little. */
static void server_need_sweep(struct server *s)
{
	uint64_t most = s->o.head_ms < s->o.idle_ms ? s->o.head_ms : s->o.idle_ms;
	uint64_t every = most / 4 < 10 ? 10 : most / 4 > 1000 ? 1000 : most / 4;

	if (s->sweeping)
		return;
	s->sweeping = true;
	uv_timer_start(&s->sweep, server_sweep, every, every);
}

/* Without a free descriptor the waiting connection would wake us for ever; it waits for the next sweep instead. */
static void accept_failed(struct server *s)
{
	if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
		s->full = true;
		listen_on(s, false);
		server_need_sweep(s);
	}
}

/*
 * Takes one of those who wait, for each event: a thousand clients that come at once must not keep the answers of those
 * who are connected waiting. Above the limit a few are told so (conn_accept), the rest only closed.
 */
static void accept_event(uv_poll_t *poll, int status, int events)
{
	struct server *s = poll->data;
	int fd;

	(void)status, (void)events;
	if (s->fd < 0)
		return;
	fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0) {
		accept_failed(s);
	} else if (s->count >= s->o.connections + REFUSED) {
		close(fd);
	} else {
		conn_accept(s, fd);
		server_need_sweep(s);
	}
}

static void handle_closed(uv_handle_t *handle)
{
	struct server *s = handle->data;

	s->open_handles--;
}

/* The last two handles of a stopped server go when its last connection has: then the loop runs dry. */
static void close_timer_when_done(struct server *s)
{
	if (!s->stopping || s->first || uv_is_closing((uv_handle_t *)&s->sweep))
		return;
	uv_close((uv_handle_t *)&s->sweep, handle_closed);
	uv_close((uv_handle_t *)&s->hurry, handle_closed);
}

void server_conn_closed(struct server *s)
{
	if (s->full) {
		s->full = false;
		listen_on(s, true);
	}
	close_timer_when_done(s);
}

/* `text` is the address with a NUL, for messages. Names are not looked up: what they stand for may change. */
static bool address_make(const struct server_options *o, struct sockaddr_storage *out, char text[64])
{
	struct str host = o->host.p ? o->host : STR("127.0.0.1");

	if (host.n >= 64)
		return false;
	memcpy(text, host.p, host.n);
	text[host.n] = '\0';
	return uv_ip4_addr(text, o->port, (struct sockaddr_in *)out) == 0 ||
	       uv_ip6_addr(text, o->port, (struct sockaddr_in6 *)out) == 0;
}

static uint16_t port_of(int fd)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);

	if (getsockname(fd, (struct sockaddr *)&at, &n) != 0)
		return 0;
	return ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
					      : ((struct sockaddr_in *)&at)->sin_port);
}

/* A listening socket, or -1 and *err. */
static int listen_open(const struct server_options *o, struct err *err)
{
	struct sockaddr_storage at = { 0 };
	char text[64];
	int one = 1, fd, error;
	socklen_t n;

	if (!address_make(o, &at, text)) {
		err_set(err, ERR_USAGE, "%.*s is not an address to listen on; 127.0.0.1 or ::1 is", STR_ARG(o->host));
		return -1;
	}
	n = at.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	fd = socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (o->stamps) /* for what comes before a connection is accepted */
			setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one));
		if (bind(fd, (struct sockaddr *)&at, n) == 0 && listen(fd, BACKLOG) == 0)
			return fd;
	}
	error = errno;
	if (fd >= 0)
		close(fd);
	if (error == EADDRINUSE)
		err_set(err, ERR_IO, "cannot listen on %s port %u: another program listens there" ERR_HELP
			"choose another port; port 0 picks a free one", text, o->port);
	else
		err_system(err, error, "cannot listen on %s port %u", text, o->port);
	return -1;
}

static void fill_defaults(struct server_options *o)
{
	if (!o->connections)
		o->connections = 4096;
	if (!o->head_ms)
		o->head_ms = 30 * 1000;
	if (!o->idle_ms)
		o->idle_ms = 10 * 60 * 1000;
	o->limits.connect = o->forward;
}

struct server *server_open(uv_loop_t *loop, const struct server_options *o, struct err *err)
{
	struct server *s;
	int fd = listen_open(o, err);

	if (fd < 0)
		return NULL;
	s = mem_alloc(sizeof(*s));
	memset(s, 0, offsetof(struct server, buffer));
	s->loop = loop;
	s->o = *o;
	s->fd = fd;
	s->port = port_of(fd);
	fill_defaults(&s->o);
	outgoing_init(&s->out);
	outgoing_init(&s->sealed);
	buf_init(&s->gathered);
	if (uv_poll_init(loop, &s->listener, fd) != 0) {
		close(fd);
		mem_free(s);
		err_set(err, ERR_IO, "the loop cannot watch the listening socket");
		return NULL;
	}
	s->listener.data = s;
	uv_timer_init(loop, &s->sweep);
	uv_timer_init(loop, &s->hurry);
	s->sweep.data = s->hurry.data = s;
	s->open_handles = 3;
	listen_on(s, true);
	return s;
}

uint16_t server_port(const struct server *s)
{
	return s->port;
}

uint64_t server_strangers(const struct server *s)
{
	return s->strangers;
}

/* No answer is owed: there is no request, or it has been answered before it was complete. */
static bool is_idle(const struct conn *c)
{
	return c->phase == CONN_HEAD || c->phase == CONN_DRAIN;
}

void server_stop(struct server *s, bool now)
{
	struct conn *next;

	if (s->fd >= 0) {
		s->stopping = true;
		uv_close((uv_handle_t *)&s->listener, handle_closed);
		close(s->fd);
		s->fd = -1;
	}
	for (struct conn *c = s->first; c; c = next) {
		next = c->next;
		if (now || is_idle(c))
			conn_close(c);
		else
			c->close_after = true;
	}
	close_timer_when_done(s);
}

void server_close(struct server *s)
{
	struct conn *next;

	for (struct conn *c = s->spare; c; c = next) {
		next = c->next;
		conn_free(c);
	}
	outgoing_free(&s->out);
	outgoing_free(&s->sealed);
	buf_free(&s->gathered);
	mem_free(s->room);
	mem_free(s);
}
