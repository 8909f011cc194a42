/* The answers of upstreams: bytes from the wire to the call, and connections that close under a request. */
#include <errno.h>
#include <stdio.h>

#include "net/peer.h"
#include "net/upstream/conn.h"

/* The answer is complete. Its connection waits for the next call when both sides are through and willing. */
static void complete(struct upconn *c, bool clean)
{
	const struct upstream_call call = c->call;
	bool willing = clean && c->finished && http_reader_head(c->reader)->keep_alive && !c->wire.ended &&
		       !c->wire.broken && !wire_queued(&c->wire) && !c->pool->closed;

	if (willing && c->host->count < c->pool->o.kept)
		upconn_keep(c);
	else
		upconn_drop(c);
	call.ops->end(call.own);
}

/* A head: false when the call is over. */
static bool take_head(struct upconn *c)
{
	const struct http_head *h = http_reader_head(c->reader);

	if (h->status == 101) {
		if (!c->upgrade) {
			upconn_fail(c, UPSTREAM_CUT, "it switched to another protocol without being asked");
			return false;
		}
		c->phase = UPCONN_TUNNEL;
		c->finished = true;
	}
	if (h->status < 200 && h->status != 101)
		return true;
	c->headed = true;
	c->call.ops->head(c->call.own, h);
	return c->phase == UPCONN_CALL || c->phase == UPCONN_TUNNEL;
}

/* One step of an answer; false when there is no more to do with these bytes. */
static bool upstream_answer_take(struct upconn *c, struct str *bytes)
{
	struct str body;

	if (c->phase == UPCONN_TUNNEL) {
		if (bytes->n)
			c->call.ops->body(c->call.own, *bytes);
		return false;
	}
	switch (http_next(c->reader, bytes, &body)) {
	case HTTP_MORE:
		return false;
	case HTTP_HEAD:
		return take_head(c);
	case HTTP_BODY:
		c->call.ops->body(c->call.own, body);
		return c->phase == UPCONN_CALL;
	case HTTP_DONE:
		if (!c->headed)
			return true;
		complete(c, bytes->n == 0);
		return false;
	case HTTP_BAD:
		break;
	}
	upconn_fail(c, UPSTREAM_CUT, http_reader_why(c->reader));
	return false;
}

/*
 * Bytes of a message. A call may end in here and another begin on the same connection; c->calls tells whether `settle`
 * is still due.
 */
static void take_message(struct upconn *c, struct str bytes)
{
	uint64_t this = c->calls;

	if (c->phase == UPCONN_SETUP) {
		upconn_setup_take(c, bytes);
		return;
	}
	if (c->phase == UPCONN_KEPT) { /* an answer to nothing */
		upconn_drop(c);
		return;
	}
	c->touched = true;
	while (c->phase != UPCONN_GONE && upstream_answer_take(c, &bytes))
		;
	if (c->calls == this && (c->phase == UPCONN_CALL || c->phase == UPCONN_TUNNEL) && c->call.ops->settle)
		c->call.ops->settle(c->call.own);
}

/* Methods that change nothing: asking twice is as good as asking once. */
static bool is_safe(const struct upconn *c)
{
	struct str method = str_of(c->method.text, c->method.n);

	return str_eq(method, STR("GET")) || str_eq(method, STR("HEAD")) || str_eq(method, STR("OPTIONS"));
}

/*
 * Closed while we thought it was ours. The request can go to a new connection when nothing of it was sent, or when the
 * other side had closed (`ended`) before any of it reached it, or when it may be asked twice. Of a reset alone it
 * cannot be known whether it arrived: what was received and read may not have been acknowledged yet.
 */
static bool is_stale(const struct upconn *c, bool ended)
{
	if (c->phase != UPCONN_CALL || !c->reused || c->touched || c->forgot)
		return false;
	return is_safe(c) || c->wire.total == c->before || (ended && peer_acked(c->wire.fd) <= c->before);
}

static void send_anew(struct upconn *c)
{
	c->reused = false;
	c->flushed = 0;
	upconn_setup_anew(c);
}

/* An answer whose connection has ended. Of TLS, an end without its word may be anybody's doing. */
static void take_end(struct upconn *c, bool clean)
{
	enum http_next next = http_end(c->reader);

	if (next == HTTP_DONE && c->headed && clean)
		complete(c, false);
	else if (next == HTTP_DONE && c->headed)
		upconn_fail(c, UPSTREAM_CUT, "it closed the connection without the end that TLS has for it, so the "
			    "answer may not be whole");
	else if (next == HTTP_BAD && c->headed)
		upconn_fail(c, UPSTREAM_CUT, http_reader_why(c->reader));
	else
		upconn_fail(c, UPSTREAM_CUT, "closed the connection without an answer");
}

/* The upstream sends no more: the end of the answer, a stale connection, or a break. */
static void end_of_stream(struct upconn *c, bool clean)
{
	if (c->phase == UPCONN_SETUP)
		upconn_setup_broke(c, NULL);
	else if (c->phase == UPCONN_KEPT)
		upconn_drop(c);
	else if (c->phase == UPCONN_TUNNEL)
		complete(c, false);
	else if (is_stale(c, true))
		send_anew(c);
	else if (c->phase == UPCONN_CALL)
		take_end(c, clean);
}

/* `why` may belong to what is closed here. */
static void break_of_stream(struct upconn *c, const char *why)
{
	char copy[UPSTREAM_WHY];

	snprintf(copy, sizeof(copy), "%s", why);
	if (c->phase == UPCONN_SETUP)
		upconn_setup_broke(c, copy);
	else if (c->phase == UPCONN_KEPT)
		upconn_drop(c);
	else if (c->phase != UPCONN_GONE)
		upconn_fail(c, UPSTREAM_CUT, copy);
}

/* ---- the wire, and what lies between it and the messages ---- */

/* What an engine of TLS found; false when there is no more to do with these bytes. */
static bool take_opened(struct upconn *c, unsigned layer, enum tls_next next, struct str plain)
{
	switch (next) {
	case TLS_READY:
		upconn_setup_ready(c);
		return true;
	case TLS_OPENED:
		take_message(c, plain);
		return true;
	case TLS_CLOSED:
		end_of_stream(c, layer + 1 == c->layers);
		return false;
	case TLS_FAILED:
		break_of_stream(c, tls_why(c->tls[layer]));
		return false;
	case TLS_MORE:
		break;
	}
	return false;
}

/*
 * Opens what came, layer by layer. What an engine has to say to the other side goes out before anybody is told
 * anything: whoever is told may send on another connection, and the buffers are shared.
 */
static void open_layers(struct upconn *c, struct str bytes)
{
	struct str sealed[UPCONN_LAYERS] = { bytes }, plain;
	const struct tls *outer = c->tls[0];
	unsigned layer = 0;
	bool more = true;

	while (more && c->tls[0] == outer) { /* it is gone when the connection was closed meanwhile */
		enum tls_next next = tls_open(c->tls[layer], &sealed[layer], c->pool->room[layer], TLS_ROOM, &plain);

		upconn_push(c);
		if (next == TLS_MORE && layer > 0)
			layer--;
		else if (next == TLS_OPENED && layer + 1 < c->layers)
			sealed[++layer] = plain;
		else
			more = take_opened(c, layer, next, plain);
	}
}

static void upstream_answer_on_read(struct wire *w, struct str bytes)
{
	struct upconn *c = upconn_of_wire(w);

	if (c->layers)
		open_layers(c, bytes);
	else
		take_message(c, bytes);
}

static void upstream_answer_on_end(struct wire *w)
{
	struct upconn *c = upconn_of_wire(w);

	end_of_stream(c, c->layers == 0);
}

static void upstream_answer_on_lost(struct wire *w, int error)
{
	struct upconn *c = upconn_of_wire(w);

	if (c->phase == UPCONN_TUNNEL)
		complete(c, false);
	else if (is_stale(c, error == EPIPE)) /* we were told of the end before */
		send_anew(c);
	else if (!c->paused || c->phase != UPCONN_CALL) /* else there may be more to read, when somebody wants it */
		break_of_stream(c, strerror(error));
}

static void upstream_answer_on_sent(struct wire *w)
{
	struct upconn *c = upconn_of_wire(w);

	upconn_tell_sent(c);
	upconn_end_half(c);
	if (!c->slow || (c->phase != UPCONN_CALL && c->phase != UPCONN_TUNNEL) || wire_queued(w) >= WIRE_LOW)
		return;
	c->slow = false;
	if (c->call.ops->drain)
		c->call.ops->drain(c->call.own);
}

const struct wire_ops upconn_wire_ops = {
	.read = upstream_answer_on_read,
	.end = upstream_answer_on_end,
	.lost = upstream_answer_on_lost,
	.sent = upstream_answer_on_sent,
};

/* There is no answer to wait for: the connection is all that was asked for. False when the call is over. */
static bool begin_raw(struct upconn *c)
{
	static const struct http_head established = {
		.side = HTTP_RESPONSE, .status = 200, .reason = { "Connection established", 22 }, .minor = 1,
	};

	c->phase = UPCONN_TUNNEL;
	c->headed = true;
	c->call.ops->head(c->call.own, &established);
	if (c->phase == UPCONN_TUNNEL && c->call.ops->settle)
		c->call.ops->settle(c->call.own);
	return c->phase == UPCONN_TUNNEL;
}

void upconn_connected(struct upconn *c)
{
	bool slow = c->slow;

	c->phase = UPCONN_CALL;
	c->before = 0;
	http_reader_reset(c->reader);
	http_reader_expect(c->reader, str_of(c->method.text, c->method.n));
	if (c->pool->o.stamps)
		wire_stamp(&c->wire);
	wire_read(&c->wire, !c->paused);
	if ((c->raw && !begin_raw(c)) || c->held)
		return;
	if (upconn_send(c) && slow && c->call.ops->drain)
		c->call.ops->drain(c->call.own);
}
