/* The answers of plain upstreams: bytes from the wire to the call, and connections that close under a request. */
#include <errno.h>

#include "net/peer.h"
#include "net/upstream_plain.h"

/* The answer is complete. Its connection waits for the next call when both sides are through and willing. */
static void complete(struct plain *p, bool clean)
{
	const struct upstream_call call = p->call;
	bool willing = clean && p->finished && http_reader_head(p->reader)->keep_alive && !p->wire.ended &&
		       !p->wire.broken && !wire_queued(&p->wire) && !p->state->closed;

	if (willing && p->host->count < p->state->o->kept)
		plain_keep(p);
	else
		plain_drop(p);
	call.ops->end(call.own);
}

/* A head: false when the call is over. */
static bool take_head(struct plain *p)
{
	const struct http_head *h = http_reader_head(p->reader);

	if (h->status == 101) {
		if (!p->upgrade) {
			plain_fail(p, UPSTREAM_CUT, "it switched to another protocol without being asked");
			return false;
		}
		p->phase = PLAIN_TUNNEL;
		p->finished = true;
	}
	if (h->status < 200 && h->status != 101)
		return true;
	p->headed = true;
	p->call.ops->head(p->call.own, h);
	return p->phase == PLAIN_CALL || p->phase == PLAIN_TUNNEL;
}

/* One step of an answer; false when there is no more to do with these bytes. */
static bool upstream_plain_answer_take(struct plain *p, struct str *bytes)
{
	struct str body;

	if (p->phase == PLAIN_TUNNEL) {
		if (bytes->n)
			p->call.ops->body(p->call.own, *bytes);
		return false;
	}
	switch (http_next(p->reader, bytes, &body)) {
	case HTTP_MORE:
		return false;
	case HTTP_HEAD:
		return take_head(p);
	case HTTP_BODY:
		p->call.ops->body(p->call.own, body);
		return p->phase == PLAIN_CALL;
	case HTTP_DONE:
		if (!p->headed)
			return true;
		complete(p, bytes->n == 0);
		return false;
	case HTTP_BAD:
		break;
	}
	plain_fail(p, UPSTREAM_CUT, http_reader_why(p->reader));
	return false;
}

/* A call may end in here and another begin on the same connection; p->calls tells whether `settle` is still due. */
static void upstream_plain_answer_on_read(struct wire *w, struct str bytes)
{
	struct plain *p = plain_of_wire(w);
	uint64_t this = p->calls;

	if (p->phase == PLAIN_KEPT) { /* an answer to nothing */
		plain_drop(p);
		return;
	}
	p->touched = true;
	while (p->phase != PLAIN_GONE && upstream_plain_answer_take(p, &bytes))
		;
	if (p->calls == this && (p->phase == PLAIN_CALL || p->phase == PLAIN_TUNNEL) && p->call.ops->settle)
		p->call.ops->settle(p->call.own);
}

/* Methods that change nothing: asking twice is as good as asking once. */
static bool is_safe(const struct plain *p)
{
	struct str method = str_of(p->method.text, p->method.n);

	return str_eq(method, STR("GET")) || str_eq(method, STR("HEAD")) || str_eq(method, STR("OPTIONS"));
}

/*
 * Closed while we thought it was ours. The request can go to a new connection when nothing of it was sent, or when the
 * other side had closed (`ended`) before any of it reached it, or when it may be asked twice. Of a reset alone it
 * cannot be known whether it arrived: what was received and read may not have been acknowledged yet.
 */
static bool is_stale(const struct plain *p, bool ended)
{
	if (p->phase != PLAIN_CALL || !p->reused || p->touched || p->forgot)
		return false;
	return is_safe(p) || p->wire.total == p->before || (ended && peer_acked(p->wire.fd) <= p->before);
}

static void send_anew(struct plain *p)
{
	p->reused = false;
	p->flushed = 0;
	plain_dial_anew(p);
}

/* The upstream sends no more: the end of the answer, a stale connection, or a break. */
static void upstream_plain_answer_on_end(struct wire *w)
{
	struct plain *p = plain_of_wire(w);

	if (p->phase == PLAIN_KEPT) {
		plain_drop(p);
	} else if (p->phase == PLAIN_TUNNEL) {
		complete(p, false);
	} else if (is_stale(p, true)) {
		send_anew(p);
	} else {
		enum http_next next = http_end(p->reader);

		if (next == HTTP_DONE && p->headed)
			complete(p, false);
		else if (next == HTTP_BAD && p->headed)
			plain_fail(p, UPSTREAM_CUT, http_reader_why(p->reader));
		else
			plain_fail(p, UPSTREAM_CUT, "closed the connection without an answer");
	}
}

static void upstream_plain_answer_on_lost(struct wire *w, int error)
{
	struct plain *p = plain_of_wire(w);

	if (p->phase == PLAIN_KEPT)
		plain_drop(p);
	else if (p->phase == PLAIN_TUNNEL)
		complete(p, false);
	else if (is_stale(p, error == EPIPE)) /* we were told of the end before */
		send_anew(p);
	else if (!p->paused) /* else there may be more to read before the end, when somebody wants it */
		plain_fail(p, UPSTREAM_CUT, strerror(error));
}

static void upstream_plain_answer_on_sent(struct wire *w)
{
	struct plain *p = plain_of_wire(w);

	plain_tell_sent(p);
	if (!p->slow || p->phase == PLAIN_KEPT || wire_queued(w) >= WIRE_LOW)
		return;
	p->slow = false;
	if (p->call.ops->drain)
		p->call.ops->drain(p->call.own);
}

static void on_connected(struct wire *w, int error)
{
	plain_dialled(plain_of_wire(w), error);
}

const struct wire_ops plain_wire_ops = {
	.read = upstream_plain_answer_on_read,
	.end = upstream_plain_answer_on_end,
	.lost = upstream_plain_answer_on_lost,
	.sent = upstream_plain_answer_on_sent,
	.connected = on_connected,
};

void plain_connected(struct plain *p)
{
	bool slow = p->slow;

	p->phase = PLAIN_CALL;
	p->before = 0;
	http_reader_reset(p->reader);
	http_reader_expect(p->reader, str_of(p->method.text, p->method.n));
	if (p->state->o->stamps)
		wire_stamp(&p->wire);
	wire_read(&p->wire, !p->paused);
	if (p->held)
		return;
	if (plain_send(p) && slow && p->call.ops->drain)
		p->call.ops->drain(p->call.own);
}
