/*
 * Plain HTTP over our own connections: the request, the pool of kept connections, limits of time. Dialling is in
 * upstream_dial.c, the answer in upstream_plain_answer.c.
 */
#include "net/upstream_plain.h"

#include <assert.h>
#include <stdio.h>

#include "base/arena.h"

enum {
	REQUEST_KEPT = 256 << 10, /* a request up to here can be sent again on another connection */
	REQUEST_IDLE = 16 << 10,  /* memory that a connection without a call may keep */
	KEPT_MS = 60 * 1000,      /* for how long a connection without a call is kept */
};

static void free_plain(struct plain *p)
{
	http_reader_close(p->reader);
	buf_free(&p->request);
	buf_free(&p->wire.queue);
	mem_free(p);
}

static void upstream_plain_sweep(uv_timer_t *timer);

static void upstream_plain_need_sweep(struct plain_state *s)
{
	uint64_t most = s->o->connect_ms < s->o->idle_ms ? s->o->connect_ms : s->o->idle_ms;
	uint64_t every = most / 4 < 10 ? 10 : most / 4 > 1000 ? 1000 : most / 4;

	if (s->sweeping || s->closed)
		return;
	s->sweeping = true;
	uv_timer_start(&s->sweep, upstream_plain_sweep, every, every);
}

void plain_let_go(struct plain *p)
{
	struct plain_state *s = p->state;

	if (p->phase != PLAIN_GONE || p->looking || p->wire.closed)
		return;
	if (p->prev)
		p->prev->next = p->next;
	else
		s->first = p->next;
	if (p->next)
		p->next->prev = p->prev;
	p->kept_next = s->dead;
	s->dead = p;
}

static void bury(struct plain_state *s)
{
	struct plain *next;

	for (struct plain *p = s->dead; p; p = next) {
		next = p->kept_next;
		free_plain(p);
	}
	s->dead = NULL;
}

static void upstream_plain_wire_gone(struct wire *w)
{
	plain_let_go(plain_of_wire(w));
}

static void unkeep(struct plain *p)
{
	assert(p->host->count > 0 && (p->kept_prev || p->host->kept == p));
	if (p->kept_prev)
		p->kept_prev->kept_next = p->kept_next;
	else
		p->host->kept = p->kept_next;
	if (p->kept_next)
		p->kept_next->kept_prev = p->kept_prev;
	p->kept_prev = p->kept_next = NULL;
	p->host->count--;
}

void plain_drop(struct plain *p)
{
	if (p->phase == PLAIN_GONE)
		return;
	if (p->phase == PLAIN_KEPT)
		unkeep(p);
	else if (p->phase == PLAIN_DIAL)
		plain_dial_end(p);
	p->phase = PLAIN_GONE;
	if (p->wire.fd >= 0)
		wire_close(&p->wire, upstream_plain_wire_gone);
	else
		plain_let_go(p);
}

void plain_keep(struct plain *p)
{
	assert(p->finished && !wire_queued(&p->wire)); /* the next call must not find bytes of this one */
	p->phase = PLAIN_KEPT;
	p->kept_next = p->host->kept;
	if (p->kept_next)
		p->kept_next->kept_prev = p;
	p->host->kept = p;
	p->host->count++;
	p->wire.last = uv_now(p->state->loop);
	buf_clear(&p->request);
	if (p->request.cap > REQUEST_IDLE)
		buf_free(&p->request);
	wire_read(&p->wire, true);
}

void plain_fail(struct plain *p, enum upstream_failure f, const char *why)
{
	const struct upstream_call call = p->call;

	plain_drop(p);
	call.ops->fail(call.own, f, why);
}

/* Failures met inside begin or finish. The callers of these do not expect to be called back. */
static void soon(uv_timer_t *timer)
{
	struct plain_state *s = timer->data;
	struct plain *next;

	for (struct plain *p = s->first; p; p = next) {
		next = p->next;
		if (p->why[0] && p->phase != PLAIN_GONE)
			plain_fail(p, p->failure, p->why);
	}
}

void plain_fail_soon(struct plain *p, enum upstream_failure f, const char *why)
{
	p->failure = f;
	snprintf(p->why, sizeof(p->why), "%s", why);
	uv_timer_start(&p->state->soon, soon, 0, 0);
}

/* ---- the request ---- */

void plain_tell_sent(struct plain *p)
{
	bool is_out = p->phase == PLAIN_CALL && p->finished && p->request.n == p->flushed && !wire_queued(&p->wire);

	if (is_out && !p->wire.broken && p->call.ops->sent)
		p->call.ops->sent(p->call.own);
}

bool plain_send(struct plain *p)
{
	size_t waiting;

	if ((p->phase == PLAIN_CALL || p->phase == PLAIN_TUNNEL) && p->request.n > p->flushed) {
		outgoing_add(&p->state->out, str_skip(buf_str(&p->request), p->flushed));
		outgoing_send(&p->state->out, &p->wire);
		p->flushed = p->request.n;
		if (!p->reused || p->touched || p->request.n > REQUEST_KEPT) {
			p->forgot = true;
			p->flushed = 0;
			buf_clear(&p->request);
		}
	}
	plain_tell_sent(p);
	waiting = p->request.n - p->flushed + (p->phase == PLAIN_DIAL ? 0 : wire_queued(&p->wire));
	p->slow = waiting > WIRE_HIGH;
	return !p->slow;
}

/* Bytes are framed into p->request, which is kept while all of it might have to be sent on another connection. */
static bool plain_write(struct upstream_call *c, struct str bytes)
{
	struct plain *p = (struct plain *)c;
	bool raw = p->phase == PLAIN_TUNNEL;

	if (p->finished && !raw)
		return true;
	if (p->framing == HTTP_LENGTH && !raw) {
		bytes.n = bytes.n < p->left ? bytes.n : (size_t)p->left;
		p->left -= bytes.n;
	}
	if (bytes.n && p->framing == HTTP_CHUNKED && !raw) {
		http_add_chunk_size(&p->request, bytes.n);
		buf_add_str(&p->request, bytes);
		buf_add_str(&p->request, STR("\r\n"));
	} else if (p->framing != HTTP_NONE || raw) {
		buf_add_str(&p->request, bytes);
	}
	return p->held ? true : plain_send(p);
}

static void plain_hold(struct upstream_call *c)
{
	((struct plain *)c)->held = true;
}

static bool plain_flush(struct upstream_call *c)
{
	struct plain *p = (struct plain *)c;

	p->held = false;
	return plain_send(p);
}

/* A request shorter than it said cannot be ended well: the call fails, and the connection goes with it. */
static void plain_finish(struct upstream_call *c)
{
	struct plain *p = (struct plain *)c;

	if (p->finished)
		return;
	p->finished = true;
	p->held = false;
	if (p->framing == HTTP_LENGTH && p->left) {
		plain_fail_soon(p, UPSTREAM_CUT, "the request was shorter than it said");
		return;
	}
	if (p->framing == HTTP_CHUNKED)
		buf_add_str(&p->request, STR("0\r\n\r\n"));
	plain_send(p);
}

static void compose(struct plain *p, const struct upstream_request *r)
{
	struct buf *b = &p->request;

	buf_add_str(b, r->method);
	buf_add_byte(b, ' ');
	buf_add_str(b, r->target.n ? r->target : STR("/"));
	buf_add_str(b, STR(" HTTP/1.1\r\n"));
	for (size_t i = 0; i < r->count; i++)
		http_add_header(b, &r->headers[i]);
	if (r->framing == HTTP_LENGTH)
		buf_printf(b, "Content-Length: %llu\r\n", (unsigned long long)r->length);
	else if (r->framing == HTTP_CHUNKED)
		buf_add_str(b, STR("Transfer-Encoding: chunked\r\n"));
	buf_add_str(b, STR("\r\n"));
}

/* ---- calls ---- */

/* Never NULL. Hosts are few, and stay until the pool is freed. */
static struct plain_host *host_get(struct plain_state *s, const struct url *url)
{
	struct plain_host *h;

	for (h = s->hosts; h; h = h->next)
		if (h->port == url->port && str_eq(str_from(h->name), url->host))
			return h;
	h = mem_alloc(sizeof(*h));
	*h = (struct plain_host){ .next = s->hosts, .name = mem_alloc(url->host.n + 1), .port = url->port };
	memcpy(h->name, url->host.p, url->host.n);
	h->name[url->host.n] = '\0';
	s->hosts = h;
	return h;
}

static struct plain *plain_new(struct plain_state *s, struct plain_host *host)
{
	struct plain *p = mem_alloc(sizeof(*p));

	*p = (struct plain){ .state = s, .host = host, .next = s->first };
	p->reader = http_reader_open(HTTP_RESPONSE, &s->o->limits);
	p->wire.fd = -1;
	if (p->next)
		p->next->prev = p;
	s->first = p;
	return p;
}

/* On the newest kept connection to the host, or on one that is dialled now. The request is kept until it is sent. */
static struct upstream_call *plain_begin(void *state, const struct upstream_request *r, const struct upstream_ops *ops,
					 void *own)
{
	struct plain_state *s = state;
	struct plain_host *host = host_get(s, r->url);
	struct plain *p = host->kept;
	bool reused = p != NULL;

	if (reused)
		unkeep(p);
	else
		p = plain_new(s, host);
	p->call = (struct upstream_call){ .kind = &upstream_plain, .ops = ops, .own = own };
	p->calls++;
	p->framing = r->framing;
	p->left = r->length;
	p->upgrade = r->upgrade;
	p->finished = p->held = p->slow = p->forgot = p->headed = p->paused = p->touched = false;
	p->reused = reused;
	p->flushed = 0;
	p->method.n = r->method.n < sizeof(p->method.text) ? r->method.n : 0;
	memcpy(p->method.text, r->method.p, p->method.n);
	buf_clear(&p->request);
	compose(p, r);
	if (reused) {
		p->phase = PLAIN_CALL;
		p->before = p->wire.total;
		p->wire.last = uv_now(s->loop);
		http_reader_expect(p->reader, str_of(p->method.text, p->method.n));
	} else if (s->closed) {
		plain_fail_soon(p, UPSTREAM_REFUSED, "the program is stopping");
	} else {
		plain_dial(p);
	}
	upstream_plain_need_sweep(s);
	return &p->call;
}

static void plain_cancel(struct upstream_call *c)
{
	plain_drop((struct plain *)c);
}

static void upstream_plain_set_paused(struct plain *p, bool on)
{
	p->paused = on;
	if (p->phase == PLAIN_CALL || p->phase == PLAIN_TUNNEL)
		wire_read(&p->wire, !on);
}

static void plain_pause(struct upstream_call *c)
{
	upstream_plain_set_paused((struct plain *)c, true);
}

static void plain_resume(struct upstream_call *c)
{
	upstream_plain_set_paused((struct plain *)c, false);
}

/* ---- the pool ---- */

/* The limits of time. They hold the upstream to account only, not a caller that has not finished or has paused. */
static void sweep_one(struct plain *p, uint64_t now)
{
	const struct upstream_options *o = p->state->o;

	switch (p->phase) {
	case PLAIN_DIAL:
		plain_dial_sweep(p, now);
		break;
	case PLAIN_KEPT:
		if (now - p->wire.last > KEPT_MS)
			plain_drop(p);
		break;
	case PLAIN_CALL:
	case PLAIN_TUNNEL:
		if (p->paused || !p->finished)
			p->wire.last = now; /* the wait is not the upstream's fault */
		else if (now - p->wire.last > o->idle_ms)
			plain_fail(p, UPSTREAM_LATE, "no byte of an answer in time");
		break;
	case PLAIN_GONE:
		break;
	}
}

/* Frees first what earlier walks left; stops itself when there are no connections. */
static void upstream_plain_sweep(uv_timer_t *timer)
{
	struct plain_state *s = timer->data;
	uint64_t now = uv_now(s->loop);
	struct plain *next;

	bury(s);
	for (struct plain *p = s->first; p; p = next) {
		next = p->next;
		sweep_one(p, now);
	}
	if (!s->first) {
		uv_timer_stop(&s->sweep);
		s->sweeping = false;
	}
}

static void *plain_open(uv_loop_t *loop, const struct upstream_options *o)
{
	struct plain_state *s = mem_alloc(sizeof(*s));

	memset(s, 0, offsetof(struct plain_state, buffer));
	s->loop = loop;
	s->o = o;
	uv_timer_init(loop, &s->sweep);
	uv_timer_init(loop, &s->soon);
	s->sweep.data = s->soon.data = s;
	outgoing_init(&s->out);
	return s;
}

/* The calls are told from within. The list stays whole meanwhile: what is dropped leaves it when its wire is closed. */
static void plain_close(void *state)
{
	struct plain_state *s = state;
	struct plain *next;

	s->closed = true;
	for (struct plain *p = s->first; p; p = next) {
		next = p->next;
		if (p->phase == PLAIN_KEPT)
			plain_drop(p);
		else if (p->phase != PLAIN_GONE)
			plain_fail(p, UPSTREAM_CUT, "the program is stopping");
	}
	uv_close((uv_handle_t *)&s->sweep, NULL);
	uv_close((uv_handle_t *)&s->soon, NULL);
}

static void plain_free(void *state)
{
	struct plain_state *s = state;
	struct plain_host *next;

	bury(s);
	for (struct plain_host *h = s->hosts; h; h = next) {
		next = h->next;
		mem_free(h->name);
		mem_free(h);
	}
	outgoing_free(&s->out);
	mem_free(s);
}

static uint64_t plain_came(const struct upstream_call *c)
{
	return ((const struct plain *)c)->wire.came_ns;
}

const struct upstream_kind upstream_plain = {
	.open = plain_open,
	.begin = plain_begin,
	.write = plain_write,
	.finish = plain_finish,
	.cancel = plain_cancel,
	.pause = plain_pause,
	.resume = plain_resume,
	.hold = plain_hold,
	.flush = plain_flush,
	.came = plain_came,
	.close = plain_close,
	.free = plain_free,
};
