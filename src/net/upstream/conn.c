/*
 * A connection to a service: how it sends, and how it ends. It is set up in upstream/setup.c; answers are taken in
 * upstream/answer.c.
 */
#include "net/upstream/conn.h"

#include <assert.h>

#include "base/arena.h"

enum {
	REQUEST_KEPT = 256 << 10, /* a request up to here can be sent again on another connection */
	REQUEST_IDLE = 16 << 10,  /* memory that a connection without a call may keep */
	SEALED_ONCE = 128 << 10,  /* bytes sealed before they are sent: a whole request, unless it is large */
};

struct upconn *upconn_new(struct upstreams *u, struct uphost *host)
{
	struct upconn *c = mem_alloc(sizeof(*c));

	*c = (struct upconn){ .pool = u, .host = host, .next = u->first };
	c->reader = http_reader_open(HTTP_RESPONSE, &u->o.limits);
	c->wire.fd = -1;
	if (c->next)
		c->next->prev = c;
	u->first = c;
	return c;
}

static void upconn_free(struct upconn *c)
{
	http_reader_close(c->reader);
	buf_free(&c->request);
	buf_free(&c->wire.queue);
	mem_free(c->why);
	mem_free(c);
}

void upconn_let_go(struct upconn *c)
{
	struct upstreams *u = c->pool;

	if (c->phase != UPCONN_GONE || c->wire.closed)
		return;
	if (c->prev)
		c->prev->next = c->next;
	else
		u->first = c->next;
	if (c->next)
		c->next->prev = c->prev;
	c->kept_next = u->dead;
	u->dead = c;
}

void upconns_bury(struct upstreams *u)
{
	struct upconn *next;

	for (struct upconn *c = u->dead; c; c = next) {
		next = c->kept_next;
		upconn_free(c);
	}
	u->dead = NULL;
}

static void upstream_conn_wire_gone(struct wire *w)
{
	upconn_let_go(upconn_of_wire(w));
}

void upconn_unkeep(struct upconn *c)
{
	assert(c->host->count > 0 && (c->kept_prev || c->host->kept == c));
	if (c->kept_prev)
		c->kept_prev->kept_next = c->kept_next;
	else
		c->host->kept = c->kept_next;
	if (c->kept_next)
		c->kept_next->kept_prev = c->kept_prev;
	c->kept_prev = c->kept_next = NULL;
	c->host->count--;
}

/* The other side is told where TLS has a word for it, and the wire takes it at once. */
void upconn_close(struct upconn *c, void (*closed)(struct wire *w))
{
	if (c->layers && c->phase != UPCONN_SETUP && !c->wire.broken) {
		tls_close(c->tls[c->layers - 1]);
		upconn_push(c);
	}
	for (unsigned i = 0; i < UPCONN_LAYERS; i++) {
		tls_free(c->tls[i]);
		c->tls[i] = NULL;
	}
	c->layers = 0;
	wire_close(&c->wire, closed);
}

void upconn_drop(struct upconn *c)
{
	if (c->phase == UPCONN_GONE)
		return;
	if (c->phase == UPCONN_KEPT)
		upconn_unkeep(c);
	else if (c->phase == UPCONN_SETUP)
		upconn_setup_end(c);
	if (c->wire.fd >= 0)
		upconn_close(c, upstream_conn_wire_gone);
	c->phase = UPCONN_GONE;
	upconn_let_go(c);
}

void upconn_keep(struct upconn *c)
{
	assert(c->finished && !wire_queued(&c->wire)); /* the next call must not find bytes of this one */
	c->phase = UPCONN_KEPT;
	c->kept_next = c->host->kept;
	if (c->kept_next)
		c->kept_next->kept_prev = c;
	c->host->kept = c;
	c->host->count++;
	c->wire.last = uv_now(c->pool->loop);
	buf_clear(&c->request);
	if (c->request.cap > REQUEST_IDLE)
		buf_free(&c->request);
	wire_read(&c->wire, true);
}

void upconn_fail(struct upconn *c, enum upstream_failure f, const char *why)
{
	const struct upstream_call call = c->call;

	upconn_drop(c);
	call.ops->fail(call.own, f, why);
}

/* ---- failures met inside begin or finish: the callers of these do not expect to be called back ---- */

static void soon(uv_timer_t *timer)
{
	struct upstreams *u = timer->data;
	struct upconn *next;

	for (struct upconn *c = u->first; c; c = next) {
		next = c->next;
		if (c->why && c->phase != UPCONN_GONE)
			upconn_fail(c, c->failure, c->why);
	}
}

/* The timer of a pool that is closed is closed too: this one is for one call. */
struct refusal {
	uv_timer_t timer; /* first: freed as it */
};

static void refusal_gone(uv_handle_t *handle)
{
	mem_free(handle);
}

static void refuse(uv_timer_t *timer)
{
	struct upconn *c = timer->data;

	if (c->phase != UPCONN_GONE) /* it stays in memory until the pool is freed */
		upconn_fail(c, c->failure, c->why);
	uv_close((uv_handle_t *)timer, refusal_gone);
}

void upconn_fail_soon(struct upconn *c, enum upstream_failure f, const char *why)
{
	size_t n = strlen(why) + 1;

	if (c->why)
		return;
	c->failure = f;
	c->why = mem_alloc(n);
	memcpy(c->why, why, n);
	if (c->pool->closed) {
		struct refusal *r = mem_alloc(sizeof(*r));

		uv_timer_init(c->pool->loop, &r->timer);
		r->timer.data = c;
		uv_timer_start(&r->timer, refuse, 0, 0);
		return;
	}
	uv_timer_start(&c->pool->soon, soon, 0, 0);
}

/* ---- sending ---- */

/* What was sealed for the service goes through the proxy's engine, if there is one, and out. */
void upconn_push(struct upconn *c)
{
	struct upstreams *u = c->pool;

	if (u->inner.n) {
		tls_seal(c->tls[0], buf_str(&u->inner));
		buf_clear(&u->inner);
	}
	if (u->out.text.n || u->out.count)
		outgoing_send(&u->out, &c->wire);
}

void upconn_put(struct upconn *c, struct str bytes)
{
	if (c->layers == 0)
		outgoing_add(&c->pool->out, bytes);
	while (c->layers && bytes.n) {
		struct str part = str_of(bytes.p, bytes.n < SEALED_ONCE ? bytes.n : SEALED_ONCE);

		if (!tls_seal(c->tls[c->layers - 1], part)) {
			upconn_fail_soon(c, UPSTREAM_CUT, tls_why(c->tls[c->layers - 1]));
			break;
		}
		bytes = str_skip(bytes, part.n);
		if (bytes.n)
			upconn_push(c);
	}
	upconn_push(c);
}

void upconn_end_half(struct upconn *c)
{
	if (c->raw && c->finished && c->phase == UPCONN_TUNNEL && !wire_queued(&c->wire) && c->layers == 0)
		wire_shutdown(&c->wire);
}

void upconn_tell_sent(struct upconn *c)
{
	bool is_out = c->phase == UPCONN_CALL && c->finished && c->request.n == c->flushed && !wire_queued(&c->wire);

	if (is_out && !c->wire.broken && c->call.ops->sent)
		c->call.ops->sent(c->call.own);
}

bool upconn_send(struct upconn *c)
{
	size_t waiting;

	if ((c->phase == UPCONN_CALL || c->phase == UPCONN_TUNNEL) && c->request.n > c->flushed) {
		upconn_put(c, str_skip(buf_str(&c->request), c->flushed));
		c->flushed = c->request.n;
		if (!c->reused || c->touched || c->request.n > REQUEST_KEPT) {
			c->forgot = true;
			c->flushed = 0;
			buf_clear(&c->request);
		}
	}
	upconn_tell_sent(c);
	waiting = c->request.n - c->flushed + (c->phase == UPCONN_SETUP ? 0 : wire_queued(&c->wire));
	c->slow = waiting > WIRE_HIGH;
	return !c->slow;
}
