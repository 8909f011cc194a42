/* The sending half of the HTTP server: head, framing, pieces, end. */
#include <assert.h>

#include "net/server/private.h"

static struct conn *conn_of(const struct request *q)
{
	return (struct conn *)((uintptr_t)q - offsetof(struct conn, q));
}

/* The batch, for this connection. Whoever had it before has its bytes sent. */
static struct outgoing *batch(struct conn *c)
{
	struct server *s = c->server;

	if (s->out_of && s->out_of != c)
		conn_send(s->out_of);
	s->out_of = c;
	return &s->out;
}

/* False: the client is slow or gone, and whoever writes should wait. */
static bool send_batch(struct conn *c)
{
	struct server *s = c->server;

	if (s->out_of == c) {
		s->out_of = NULL;
		conn_send(c);
	}
	if (c->wire.broken) /* there is nothing to write for; the loop will say so */
		return false;
	c->slow = wire_queued(&c->wire) > WIRE_HIGH;
	return !c->slow;
}

void answer_reset(struct conn *c)
{
	c->held = c->headed = c->bodyless = c->finished = c->slow = false;
	c->framing = HTTP_NONE;
	c->left = 0;
}

void answer_text(struct conn *c, struct str text)
{
	buf_add_str(&batch(c)->text, text);
	send_batch(c);
}

bool answer_is_going(const struct conn *c)
{
	return wire_queued(&c->wire) > 0 || c->wire.broken;
}

void answer_sent(struct conn *c)
{
	if (c->slow && wire_queued(&c->wire) < WIRE_LOW) {
		c->slow = false;
		if (c->asked && !c->finished && c->server->o.ops->drain)
			c->server->o.ops->drain(&c->q);
	}
	if (c->wire.fd < 0 || answer_is_going(c))
		return;
	if (c->cut)
		conn_close(c);
	else if (c->finished)
		conn_run(c);
}

/* Both directions carry bytes as they are after such an answer. */
static bool is_tunnel(const struct conn *c, int status)
{
	return status == 101 || (status / 100 == 2 && str_eq(c->q.head->method, STR("CONNECT")));
}

/* For this client: chunks are unknown to HTTP/1.0, and an end by closing costs a connection. */
static void choose_framing(struct conn *c, int status, enum http_framing framing, uint64_t length)
{
	bool head = str_eq(c->q.head->method, STR("HEAD"));

	if (c->q.head->minor == 0 && framing == HTTP_CHUNKED)
		framing = HTTP_TO_END;
	else if (c->q.head->minor > 0 && framing == HTTP_TO_END)
		framing = HTTP_CHUNKED;
	c->bodyless = head || status == 204 || status == 304 || status < 200 || is_tunnel(c, status);
	if (status == 204 || status < 200 || is_tunnel(c, status) ||
	    (status == 304 && (framing != HTTP_LENGTH || !length)))
		framing = HTTP_NONE;
	if (framing == HTTP_NONE && !c->bodyless) {
		framing = HTTP_LENGTH;
		length = 0;
	}
	if (framing == HTTP_TO_END && !c->bodyless)
		c->close_after = true;
	c->framing = framing;
	c->left = c->bodyless ? 0 : length;
}

/* The last lines of a head. To HEAD and with 304 the length is that of the body that is not sent. */
static void add_framing(struct conn *c, struct buf *b, int status, uint64_t length)
{
	if (c->framing == HTTP_LENGTH) {
		buf_add_str(b, STR("Content-Length: "));
		http_add_number(b, c->bodyless ? length : c->left);
		buf_add_str(b, STR("\r\n"));
	} else if (c->framing == HTTP_CHUNKED) {
		buf_add_str(b, STR("Transfer-Encoding: chunked\r\n"));
	}
	if (status == 101)
		buf_add_str(b, STR("Connection: Upgrade\r\n"));
	else if (c->close_after && !is_tunnel(c, status))
		buf_add_str(b, STR("Connection: close\r\n"));
	else if (c->q.head->minor == 0 && !is_tunnel(c, status))
		buf_add_str(b, STR("Connection: keep-alive\r\n"));
	buf_add_str(b, STR("\r\n"));
}

/* The head, into the batch. */
static void add_head(struct conn *c, int status, const struct http_header *headers, size_t count,
		     enum http_framing framing, uint64_t length)
{
	struct buf *b = &batch(c)->text;

	if (!c->q.head->keep_alive || (c->wire.ended && !c->behind) || c->server->stopping)
		c->close_after = true;
	choose_framing(c, status, framing, length);
	buf_add_str(b, STR("HTTP/1.1 "));
	http_add_number(b, (uint64_t)status);
	buf_add_byte(b, ' ');
	buf_add_str(b, c->q.reason.p ? c->q.reason : str_from(http_reason(status)));
	buf_add_str(b, STR("\r\n"));
	for (size_t i = 0; i < count; i++)
		http_add_header(b, &headers[i]);
	add_framing(c, b, status, length);
	c->headed = true;
}

/*
 * A piece, framed, into the batch. What goes beyond the length that was said is dropped: it would be read as the next
 * answer.
 */
static void add_piece(struct conn *c, struct str bytes)
{
	struct outgoing *o;

	assert(c->headed && !c->finished);
	if (c->framing == HTTP_LENGTH && c->phase != CONN_TUNNEL) {
		bytes.n = bytes.n < c->left ? bytes.n : (size_t)c->left;
		c->left -= bytes.n;
	}
	if (bytes.n == 0 || (c->bodyless && c->phase != CONN_TUNNEL))
		return;
	o = batch(c);
	if (c->framing == HTTP_CHUNKED && c->phase != CONN_TUNNEL) {
		http_add_chunk_size(&o->text, bytes.n);
		outgoing_add(o, bytes);
		buf_add_str(&o->text, STR("\r\n"));
	} else {
		outgoing_add(o, bytes);
	}
}

/* Sends what is left. The request is gone when the last byte of its answer is with the kernel. */
static void server_answer_finish(struct conn *c)
{
	if (c->phase == CONN_TUNNEL)
		c->close_after = true;
	if (c->framing == HTTP_LENGTH && c->left) { /* shorter than was said: the client must see it */
		send_batch(c);
		conn_cut(c);
		return;
	}
	if (c->framing == HTTP_CHUNKED && !c->bodyless)
		buf_add_str(&batch(c)->text, STR("0\r\n\r\n"));
	c->held = false;
	send_batch(c);
	c->finished = true;
	if (c->phase == CONN_TUNNEL)
		c->phase = CONN_ANSWER;
	if (!answer_is_going(c))
		conn_run(c);
}

void request_respond(struct request *q, int status, const struct http_header *headers, size_t count,
		     enum http_framing framing, uint64_t length)
{
	struct conn *c = conn_of(q);

	if (c->wire.fd < 0 || c->headed)
		return;
	add_head(c, status, headers, count, framing, length);
	if (is_tunnel(c, status))
		c->phase = CONN_TUNNEL;
	if (!c->held)
		send_batch(c);
	if (is_tunnel(c, status))
		conn_run(c);
}

bool request_write(struct request *q, struct str bytes)
{
	struct conn *c = conn_of(q);

	if (c->wire.fd < 0 || !c->headed || c->finished)
		return true;
	add_piece(c, bytes);
	return c->held ? wire_queued(&c->wire) <= WIRE_HIGH : send_batch(c);
}

void request_hold(struct request *q)
{
	conn_of(q)->held = true;
}

bool request_flush(struct request *q)
{
	struct conn *c = conn_of(q);

	c->held = false;
	return c->wire.fd < 0 ? true : send_batch(c);
}

void request_finish(struct request *q)
{
	struct conn *c = conn_of(q);

	if (c->wire.fd >= 0 && c->headed && !c->finished)
		server_answer_finish(c);
}

void request_reply(struct request *q, int status, const struct http_header *headers, size_t count, struct str body)
{
	struct conn *c = conn_of(q);

	if (c->wire.fd < 0 || c->headed)
		return;
	add_head(c, status, headers, count, HTTP_LENGTH, body.n);
	add_piece(c, body);
	server_answer_finish(c);
}

void request_abort(struct request *q)
{
	struct conn *c = conn_of(q);

	if (c->wire.fd < 0)
		return;
	c->held = false;
	send_batch(c);
	conn_cut(c);
}

static void server_answer_set_paused(struct conn *c, bool on)
{
	c->paused = on;
	if (c->wire.fd >= 0 && (c->phase == CONN_BODY || c->phase == CONN_TUNNEL))
		wire_read(&c->wire, !on);
}

void request_pause(struct request *q)
{
	server_answer_set_paused(conn_of(q), true);
}

void request_resume(struct request *q)
{
	server_answer_set_paused(conn_of(q), false);
}

void request_enter(struct request *q, void *through, struct tls_context *x)
{
	struct conn *c = conn_of(q);

	if (c->wire.fd < 0 || c->headed)
		return;
	assert(!c->through && str_eq(q->head->method, STR("CONNECT")));
	answer_text(c, STR("HTTP/1.1 200 Connection established\r\n\r\n"));
	c->through = through;
	c->entered = x;
	c->headed = c->finished = true;
}

size_t request_queued(const struct request *q)
{
	return wire_queued(&conn_of(q)->wire);
}

uint64_t request_came_ns(const struct request *q)
{
	return conn_of(q)->wire.came_ns;
}
