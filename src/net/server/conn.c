/* The receiving half of the HTTP server: connections, requests as they come, limits of time, and closing. */
#include <assert.h>

#include "net/server/private.h"

#include "net/peer.h"

enum {
	AHEAD_MOST = 64 << 10,  /* pipelined bytes kept; beyond we read no more for a while */
	THROWN_MOST = 1 << 20,  /* of an unwanted body; then the connection is worth less than the bytes */
	LINGER_MS = 2000,
	SPARES_MOST = 256,
	TLS_HANDSHAKE = 22,     /* the first byte of a client that speaks TLS */
};

/* Reads unless too much stands behind a request, or the handler does not want the body now. */
static void update_reading(struct conn *c)
{
	bool full = c->ahead.n - c->ahead_at > AHEAD_MOST;
	bool stopped = c->paused && (c->phase == CONN_BODY || c->phase == CONN_TUNNEL);

	wire_read(&c->wire, !full && !stopped);
}

/* At most once for a request: `asked` is cleared before the handler is called, which may come back here. */
static void tell_gone(struct conn *c, bool whole)
{
	if (!c->asked)
		return;
	c->asked = false;
	c->server->o.ops->gone(&c->q, whole);
}

void conn_free(struct conn *c)
{
	http_reader_close(c->reader);
	tls_free(c->tls);
	buf_free(&c->wire.queue);
	buf_free(&c->ahead);
	mem_free(c);
}

/* The loop has let go. The connection leaves the list only here, so walks over all of them survive a close. */
static void closed(struct wire *w)
{
	struct conn *c = (struct conn *)w;
	struct server *s = c->server;

	if (c->prev)
		c->prev->next = c->next;
	else
		s->first = c->next;
	if (c->next)
		c->next->prev = c->prev;
	assert(s->count > 0);
	s->count--;
	if (s->spares < SPARES_MOST && !s->stopping) {
		tls_free(c->tls);
		c->tls = NULL;
		c->next = s->spare;
		s->spare = c;
		s->spares++;
	} else {
		conn_free(c);
	}
	server_conn_closed(s);
}

void conn_close(struct conn *c)
{
	if (c->wire.fd < 0)
		return;
	if (c->server->out_of == c) {
		c->server->out_of = NULL;
		outgoing_clear(&c->server->out);
	}
	wire_close(&c->wire, closed);
	conn_tls_lost(c);
	tell_gone(c, false);
}

void conn_cut(struct conn *c)
{
	if (!wire_queued(&c->wire)) {
		conn_close(c);
		return;
	}
	c->cut = true;
	c->phase = CONN_LINGER;
	c->since = uv_now(c->server->loop);
	tell_gone(c, false);
}

/* The answer is out. A close now, with bytes of the client unread, would take the answer away from it again. */
void conn_linger(struct conn *c)
{
	conn_tls_part(c);
	if (c->wire.ended) {
		conn_close(c);
		return;
	}
	if (wire_queued(&c->wire))
		c->cut = true; /* its last bytes have not gone yet */
	else
		wire_shutdown(&c->wire);
	c->phase = CONN_LINGER;
	c->since = uv_now(c->server->loop);
	c->thrown = 0;
	c->paused = false;
	buf_free(&c->ahead);
	c->ahead_at = 0;
	update_reading(c);
}

static void await_head(struct conn *c)
{
	c->phase = CONN_HEAD;
	c->begun = false;
	c->since = uv_now(c->server->loop);
}

/* After the last byte of an answer has left us. */
static void answered(struct conn *c)
{
	bool complete = c->phase == CONN_ANSWER; /* the request, too */

	tell_gone(c, true);
	if (c->wire.fd < 0)
		return;
	answer_reset(c);
	if (complete && c->close_after && !c->behind) {
		conn_tls_part(c);
		conn_close(c);
	} else if (c->close_after) {
		conn_linger(c);
	} else if (complete) {
		await_head(c);
	} else {
		c->phase = CONN_DRAIN;
		c->thrown = 0;
	}
}

void conn_refuse(struct conn *c, int status, const char *why)
{
	struct outgoing *o = &c->server->out;
	struct buf body;

	/* too late for another answer, or too early: TLS is not there yet */
	if (c->headed || c->entered || (c->tls && !tls_is_ready(c->tls))) {
		conn_close(c);
		return;
	}
	buf_init(&body);
	buf_printf(&body, "{\"error\":{\"message\":\"%s\",\"type\":\"trackway_request\"}}\n", why);
	if (c->server->out_of && c->server->out_of != c)
		conn_send(c->server->out_of);
	c->server->out_of = NULL;
	outgoing_clear(o);
	buf_printf(&o->text, "HTTP/1.1 %d %s\r\n", status, http_reason(status));
	buf_printf(&o->text, "Content-Type: application/json\r\nContent-Length: %zu\r\n", body.n);
	buf_add_str(&o->text, STR("Connection: close\r\n\r\n"));
	buf_add_str(&o->text, buf_str(&body));
	buf_free(&body);
	conn_send(c);
	tell_gone(c, false);
	if (c->wire.fd >= 0)
		conn_linger(c);
}

/* Whether the client takes us for a forward proxy: then the host it names is not ours, and no page can do that. */
static bool is_forwarded(const struct server *s, const struct http_head *h)
{
	size_t at = str_find(h->target, STR("://"));

	if (!s->o.forward || str_eq(h->method, STR("CONNECT")))
		return s->o.forward;
	if (h->target.p[0] == '/' || at == (size_t)-1)
		return false;
	return !guard_is_own(&s->o.guard, s->o.host, s->port, http_authority(h->target));
}

/* A head is read: refused, or given to the handler. 100 Continue only where the handler has not answered yet. */
static void request_begin(struct conn *c)
{
	const struct http_head *h = http_reader_head(c->reader);
	struct server *s = c->server;
	const char *why;

	c->phase = CONN_BODY;
	c->paused = false;
	answer_reset(c);
	c->q = (struct request){ .head = h, .server = s, .through = c->through };
	if (!c->through && !is_forwarded(s, h) && !guard_admits(&s->o.guard, s->o.host, s->port, h, &why)) {
		s->strangers++;
		conn_refuse(c, 403, why);
		return;
	}
	c->asked = true;
	s->o.ops->head(s->o.context, &c->q);
	if (h->expect_continue && h->minor > 0 && c->asked && !c->headed && h->framing != HTTP_NONE)
		answer_text(c, STR("HTTP/1.1 100 Continue\r\n\r\n"));
}

static void request_complete(struct conn *c)
{
	if (c->phase == CONN_DRAIN) {
		await_head(c);
		return;
	}
	c->phase = CONN_ANSWER;
	if (c->asked)
		c->server->o.ops->end(&c->q);
}

static void request_body(struct conn *c, struct str body)
{
	if (c->phase == CONN_BODY && c->asked) {
		c->server->o.ops->body(&c->q, body);
		return;
	}
	c->thrown += body.n;
	if (c->thrown > THROWN_MOST)
		conn_linger(c);
}

/* One step of reading a request; false: all is read. */
static bool take_step(struct conn *c, struct str *bytes)
{
	struct str body;
	enum http_next next = http_next(c->reader, bytes, &body);

	c->behind = bytes->n;
	switch (next) {
	case HTTP_MORE:
		return false;
	case HTTP_HEAD:
		request_begin(c);
		break;
	case HTTP_BODY:
		request_body(c, body);
		break;
	case HTTP_DONE:
		request_complete(c);
		break;
	case HTTP_BAD:
		conn_refuse(c, http_reader_status(c->reader), http_reader_why(c->reader));
		break;
	}
	return true;
}

/* The first bytes after CONNECT, or to a server with TLS. A handshake begins with a 22, which no method does. */
static void server_conn_enter(struct conn *c, struct str *bytes)
{
	struct str all = *bytes;

	http_reader_reset(c->reader); /* a CONNECT of HTTP/1.0 was the last message of its kind */
	if ((unsigned char)all.p[0] != TLS_HANDSHAKE) {
		c->entered = NULL;
		if (c->server->o.tls && !c->through)
			conn_refuse(c, 400, "this server speaks TLS: the address begins with https");
		return;
	}
	*bytes = (struct str){ NULL, 0 };
	if (c->ahead.n) /* they were sent before our answer to CONNECT, and lie where opened bytes would go */
		conn_close(c);
	else
		conn_tls_begin(c, all);
}

/* Takes what can be taken now; what is left stands behind a request that is still being answered. */
static void server_conn_take(struct conn *c, struct str *bytes)
{
	while (c->wire.fd >= 0) {
		c->behind = bytes->n;
		/* An answer given from inside the handler's calls: nobody else goes on to the next request. */
		if (c->finished && !answer_is_going(c))
			answered(c);
		if (c->wire.fd < 0 || c->phase == CONN_ANSWER)
			return;
		if (c->phase == CONN_LINGER) {
			c->thrown += bytes->n;
			*bytes = (struct str){ NULL, 0 };
			if (c->thrown > THROWN_MOST)
				conn_close(c);
			return;
		}
		if (c->phase == CONN_TUNNEL) {
			struct str all = *bytes;

			*bytes = (struct str){ NULL, 0 };
			if (all.n && c->asked)
				c->server->o.ops->body(&c->q, all);
			if (!c->finished)
				return;
			continue; /* ended from inside: nobody else closes it */
		}
		if (c->entered && c->phase == CONN_HEAD && bytes->n) {
			server_conn_enter(c, bytes);
			continue;
		}
		if (!take_step(c, bytes))
			return;
	}
}

void conn_check_peer(struct conn *c)
{
	if (c->wire.fd >= 0 && c->wire.ended && c->phase == CONN_ANSWER && !peer_is_there(c->wire.fd))
		conn_close(c);
}

/* The client sends no more. It may still wait for an answer. */
static void half_closed(struct conn *c)
{
	c->close_after = true;
	switch (c->phase) {
	case CONN_ANSWER:
		conn_check_peer(c);
		/* closing sends the end before the kernel has taken the socket from its process */
		if (c->wire.fd >= 0)
			server_hurry(c->server);
		return;
	case CONN_TUNNEL:
		if (str_eq(c->q.head->method, STR("CONNECT")) && c->asked) {
			if (!c->half)
				c->server->o.ops->end(&c->q);
			c->half = true;
			return;
		}
		tell_gone(c, true);
		break;
	case CONN_HEAD:
		if (http_end(c->reader) == HTTP_BAD) {
			conn_refuse(c, http_reader_status(c->reader), http_reader_why(c->reader));
			return;
		}
		break;
	default:
		break;
	}
	conn_close(c);
}

/* After a run of bytes: what came together is over, and an end that came with them is looked at only now. */
static void settle(struct conn *c)
{
	if (c->wire.fd < 0)
		return;
	if (c->asked && c->server->o.ops->settle)
		c->server->o.ops->settle(&c->q);
	if (c->wire.fd >= 0 && c->wire.ended && c->ahead_at == c->ahead.n)
		half_closed(c);
	if (c->wire.fd >= 0)
		update_reading(c);
}

void conn_run(struct conn *c)
{
	struct str rest = str_of(c->ahead.p ? c->ahead.p + c->ahead_at : NULL, c->ahead.n - c->ahead_at);

	if (c->busy || c->wire.fd < 0)
		return;
	c->wire.came_ns = 0; /* of several reads, perhaps */
	c->busy = true;
	server_conn_take(c, &rest);
	c->busy = false;
	if (c->wire.fd < 0)
		return;
	if (c->ahead.n) /* conn_linger() may have given it back */
		c->ahead_at = c->ahead.n - rest.n;
	if (rest.n == 0) {
		buf_clear(&c->ahead);
		c->ahead_at = 0;
	}
	settle(c);
}

/* Bytes behind a request that is being answered wait in `ahead`, a copy; all others are read where they are. */
void conn_take(struct conn *c, struct str bytes)
{
	if (c->phase == CONN_ANSWER || c->ahead.n) {
		buf_add_str(&c->ahead, bytes);
		c->behind = c->ahead.n - c->ahead_at;
		if (c->phase == CONN_ANSWER)
			update_reading(c);
		else
			conn_run(c);
		return;
	}
	if (!c->begun) {
		c->begun = true;
		c->since = uv_now(c->server->loop);
	}
	c->busy = true;
	server_conn_take(c, &bytes);
	c->busy = false;
	if (c->wire.fd >= 0 && bytes.n)
		buf_add_str(&c->ahead, bytes);
	settle(c);
}

void conn_ended(struct conn *c)
{
	if (c->ahead_at == c->ahead.n)
		half_closed(c);
}

static void server_conn_on_read(struct wire *w, struct str bytes)
{
	struct conn *c = (struct conn *)w;

	if (c->tls && c->phase != CONN_LINGER)
		conn_tls_read(c, bytes);
	else
		conn_take(c, bytes);
}

static void server_conn_on_end(struct wire *w)
{
	conn_ended((struct conn *)w);
}

static void server_conn_on_lost(struct wire *w, int error)
{
	(void)error;
	conn_close((struct conn *)w);
}

static void server_conn_on_sent(struct wire *w)
{
	answer_sent((struct conn *)w);
}

static const struct wire_ops ops = { .read = server_conn_on_read,
				     .end = server_conn_on_end,
				     .lost = server_conn_on_lost,
				     .sent = server_conn_on_sent };

/* A spare one keeps its reader and its buffer, so that clients which come and go cost few allocations. */
static struct conn *conn_new(struct server *s)
{
	struct conn *c = s->spare;

	if (c) {
		struct conn old = *c;

		s->spare = c->next;
		s->spares--;
		http_reader_reset(old.reader);
		*c = (struct conn){ .server = s, .reader = old.reader, .ahead = old.ahead };
		buf_clear(&c->ahead);
		return c;
	}
	c = mem_alloc(sizeof(*c));
	*c = (struct conn){ .server = s, .reader = http_reader_open(HTTP_REQUEST, &s->o.limits) };
	return c;
}

void conn_accept(struct server *s, int fd)
{
	struct conn *c = conn_new(s);

	if (!wire_open(&c->wire, s->loop, fd, s->buffer, &ops)) {
		conn_free(c);
		return;
	}
	c->next = s->first;
	if (c->next)
		c->next->prev = c;
	s->first = c;
	c->since = uv_now(s->loop);
	c->entered = s->o.tls;
	if (s->o.stamps)
		wire_stamp(&c->wire);
	if (++s->count > s->o.connections)
		conn_refuse(c, 503, "too many connections at once");
	else
		wire_read(&c->wire, true);
}

/* Between requests a client may wait for long; but a head, once begun, has to come, and the first one too. */
static void sweep_head(struct conn *c, uint64_t now)
{
	const struct server_options *o = &c->server->o;
	uint64_t waited = now - c->since;

	if ((c->entered || (c->tls && !tls_is_ready(c->tls))) && waited > o->head_ms)
		conn_close(c);
	else if (c->begun && waited > o->head_ms)
		conn_refuse(c, 408, "the request did not come in time");
	else if (!c->begun && waited > (c->wire.total ? o->idle_ms : o->head_ms))
		conn_close(c);
}

void conn_sweep(struct conn *c, uint64_t now)
{
	const struct server_options *o = &c->server->o;

	if (c->wire.fd < 0)
		return;
	if (c->phase == CONN_HEAD) {
		sweep_head(c, now);
	} else if (c->phase == CONN_LINGER) {
		if (now - c->since > LINGER_MS)
			conn_close(c);
	} else if (c->paused && c->phase == CONN_BODY) {
		c->wire.last = now; /* it is we who make it wait */
	} else if (now - c->wire.last > o->idle_ms) {
		if (c->phase == CONN_BODY)
			conn_refuse(c, 408, "the request did not come in time");
		else
			conn_close(c);
	} else {
		conn_check_peer(c);
	}
}
