#include "net/upstream/upstream.h"

#include "net/upstream/conn.h"

enum { KEPT_MS = 60 * 1000 }; /* for how long a connection without a call is kept */

/* ---- the request ---- */

static void compose(struct upconn *c, const struct upstream_request *r)
{
	const struct upproxy *proxy = c->host->tunnel ? NULL : c->host->proxy;
	struct buf *b = &c->request;

	buf_add_str(b, r->method);
	buf_add_byte(b, ' ');
	if (proxy) { /* it has to be told where to go */
		buf_add_str(b, STR("http://"));
		buf_add_str(b, r->url->authority);
	}
	buf_add_str(b, r->target.n ? r->target : STR("/"));
	buf_add_str(b, STR(" HTTP/1.1\r\n"));
	for (size_t i = 0; i < r->count; i++)
		http_add_header(b, &r->headers[i]);
	if (proxy && proxy->authorization.n)
		http_add_header(b, &(struct http_header){ STR("Proxy-Authorization"), proxy->authorization });
	if (r->framing == HTTP_LENGTH) {
		buf_add_str(b, STR("Content-Length: "));
		http_add_number(b, r->length);
		buf_add_str(b, STR("\r\n"));
	} else if (r->framing == HTTP_CHUNKED) {
		buf_add_str(b, STR("Transfer-Encoding: chunked\r\n"));
	}
	buf_add_str(b, STR("\r\n"));
}

/* Bytes are framed into c->request, which is kept while all of it might have to be sent on another connection. */
bool upstream_write(struct upstream_call *call, struct str bytes)
{
	struct upconn *c = (struct upconn *)call;
	bool raw = c->phase == UPCONN_TUNNEL || c->raw;

	if (c->finished && !raw)
		return true;
	if (c->framing == HTTP_LENGTH && !raw) {
		bytes.n = bytes.n < c->left ? bytes.n : (size_t)c->left;
		c->left -= bytes.n;
	}
	if (bytes.n && c->framing == HTTP_CHUNKED && !raw) {
		http_add_chunk_size(&c->request, bytes.n);
		buf_add_str(&c->request, bytes);
		buf_add_str(&c->request, STR("\r\n"));
	} else if (c->framing != HTTP_NONE || raw) {
		buf_add_str(&c->request, bytes);
	}
	return c->held ? true : upconn_send(c);
}

void upstream_hold(struct upstream_call *call)
{
	((struct upconn *)call)->held = true;
}

bool upstream_flush(struct upstream_call *call)
{
	struct upconn *c = (struct upconn *)call;

	c->held = false;
	return upconn_send(c);
}

/* A request shorter than it said cannot be ended well: the call fails, and the connection goes with it. */
void upstream_finish(struct upstream_call *call)
{
	struct upconn *c = (struct upconn *)call;

	if (c->finished)
		return;
	c->finished = true;
	c->held = false;
	if (c->raw) {
		if (upconn_send(c))
			upconn_end_half(c);
		return;
	}
	if (c->framing == HTTP_LENGTH && c->left) {
		upconn_fail_soon(c, UPSTREAM_CUT, "the request was shorter than it said");
		return;
	}
	if (c->framing == HTTP_CHUNKED)
		buf_add_str(&c->request, STR("0\r\n\r\n"));
	upconn_send(c);
}

/* ---- calls ---- */

static const struct upproxy *proxy_get(struct upstreams *u, const struct url *url)
{
	const char *variable, *value = u->proxied ? upstream_env_proxy(url, &variable) : NULL;
	struct upproxy *p;

	if (!value)
		return NULL;
	for (p = u->proxies; p; p = p->next)
		if (str_eq(p->value, str_from(value)) && p->variable == variable)
			return p;
	p = arena_new(&u->arena, struct upproxy);
	upstream_env_parse(&u->arena, value, variable, p);
	p->next = u->proxies;
	u->proxies = p;
	return p;
}

/* Never NULL. Hosts are few, and stay until the pool is freed. */
static struct uphost *host_get(struct upstreams *u, const struct upstream_request *r)
{
	const struct upproxy *proxy = proxy_get(u, r->url);
	bool tunnel = proxy && (r->url->tls || r->upgrade || r->tunnel), tls = r->url->tls && !r->tunnel;
	struct uphost *h;

	for (h = u->hosts; h; h = h->next)
		if (h->port == r->url->port && h->tls == tls && h->proxy == proxy && h->tunnel == tunnel &&
		    str_eq(h->name, r->url->host))
			return h;
	h = arena_new(&u->arena, struct uphost);
	*h = (struct uphost){ .next = u->hosts, .name = arena_copy(&u->arena, r->url->host), .port = r->url->port,
			      .tls = tls, .proxy = proxy, .tunnel = tunnel };
	u->hosts = h;
	return h;
}

static void upstream_sweep(uv_timer_t *timer);

static void need_sweep(struct upstreams *u)
{
	uint64_t most = u->o.connect_ms < u->o.idle_ms ? u->o.connect_ms : u->o.idle_ms;
	uint64_t every = most / 4 < 10 ? 10 : most / 4 > 1000 ? 1000 : most / 4;

	if (u->sweeping || u->closed)
		return;
	u->sweeping = true;
	uv_timer_start(&u->sweep, upstream_sweep, every, every);
}

/* On the newest kept connection to the host, or on one that is set up now. The request is kept until it is sent. */
struct upstream_call *upstream_begin(struct upstreams *u, const struct upstream_request *r,
				     const struct upstream_ops *ops, void *own)
{
	struct uphost *host = host_get(u, r);
	struct upconn *c = r->tunnel ? NULL : host->kept;
	bool reused = c != NULL;

	if (reused)
		upconn_unkeep(c);
	else
		c = upconn_new(u, host);
	c->call = (struct upstream_call){ .ops = ops, .own = own };
	c->calls++;
	c->framing = r->framing;
	c->left = r->length;
	c->upgrade = r->upgrade;
	c->raw = r->tunnel;
	c->finished = c->held = c->slow = c->forgot = c->headed = c->paused = c->touched = false;
	c->reused = reused;
	c->flushed = 0;
	c->method.n = r->method.n < sizeof(c->method.text) ? r->method.n : 0;
	memcpy(c->method.text, r->method.p, c->method.n);
	buf_clear(&c->request);
	if (!r->tunnel)
		compose(c, r);
	if (reused) {
		c->phase = UPCONN_CALL;
		c->before = c->wire.total;
		c->wire.last = uv_now(u->loop);
		http_reader_expect(c->reader, str_of(c->method.text, c->method.n));
	} else if (u->closed) {
		upconn_fail_soon(c, UPSTREAM_REFUSED, "the program is stopping");
	} else {
		upconn_setup(c);
	}
	need_sweep(u);
	return &c->call;
}

void upstream_cancel(struct upstream_call *call)
{
	upconn_drop((struct upconn *)call);
}

static void upstream_set_paused(struct upconn *c, bool on)
{
	c->paused = on;
	if (c->phase == UPCONN_CALL || c->phase == UPCONN_TUNNEL)
		wire_read(&c->wire, !on);
}

void upstream_pause(struct upstream_call *call)
{
	upstream_set_paused((struct upconn *)call, true);
}

void upstream_resume(struct upstream_call *call)
{
	upstream_set_paused((struct upconn *)call, false);
}

uint64_t upstream_came_ns(const struct upstream_call *call)
{
	return ((const struct upconn *)call)->wire.came_ns;
}

/* ---- the pool ---- */

/* The limits of time. They hold the upstream to account only, not a caller that has not finished or has paused. */
static void sweep_one(struct upconn *c, uint64_t now)
{
	switch (c->phase) {
	case UPCONN_SETUP:
		upconn_setup_sweep(c, now);
		break;
	case UPCONN_KEPT:
		if (now - c->wire.last > KEPT_MS)
			upconn_drop(c);
		break;
	case UPCONN_CALL:
	case UPCONN_TUNNEL:
		if (c->paused || !c->finished)
			c->wire.last = now; /* the wait is not the upstream's fault */
		else if (now - c->wire.last > c->pool->o.idle_ms)
			upconn_fail(c, UPSTREAM_LATE, "no byte of an answer in time");
		break;
	case UPCONN_GONE:
		break;
	}
}

/* Frees first what earlier walks left; stops itself when there are no connections. */
static void upstream_sweep(uv_timer_t *timer)
{
	struct upstreams *u = timer->data;
	uint64_t now = uv_now(u->loop);
	struct upconn *next;

	upconns_bury(u);
	for (struct upconn *c = u->first; c; c = next) {
		next = c->next;
		sweep_one(c, now);
	}
	if (!u->first) {
		uv_timer_stop(&u->sweep);
		u->sweeping = false;
	}
}

struct upstreams *upstreams_open(uv_loop_t *loop, const struct upstream_options *o)
{
	struct upstreams *u = mem_alloc(sizeof(*u));

	memset(u, 0, offsetof(struct upstreams, buffer));
	u->loop = loop;
	u->o = *o;
	if (!u->o.connect_ms)
		u->o.connect_ms = UPSTREAM_CONNECT_MS;
	if (!u->o.idle_ms)
		u->o.idle_ms = UPSTREAM_IDLE_MS;
	if (!u->o.kept)
		u->o.kept = 64;
	u->proxied = upstream_env_has_proxy();
	uv_timer_init(loop, &u->sweep);
	uv_timer_init(loop, &u->soon);
	uv_timer_init(loop, &u->far);
	u->sweep.data = u->soon.data = u->far.data = u;
	arena_init(&u->arena);
	outgoing_init(&u->out);
	u->lookups = lookups_open(loop);
	return u;
}

/* The calls are told from within. The list stays whole meanwhile: what is dropped leaves it when its wire is closed. */
void upstreams_close(struct upstreams *u)
{
	struct upconn *next;

	if (u->closed)
		return;
	u->closed = true;
	for (struct upconn *c = u->first; c; c = next) {
		next = c->next;
		if (c->phase == UPCONN_KEPT)
			upconn_drop(c);
		else if (c->phase != UPCONN_GONE)
			upconn_fail(c, UPSTREAM_CUT, "the program is stopping");
	}
	lookups_close(u->lookups);
	uv_close((uv_handle_t *)&u->sweep, NULL);
	uv_close((uv_handle_t *)&u->soon, NULL);
	uv_close((uv_handle_t *)&u->far, NULL);
}

void upstreams_free(struct upstreams *u)
{
	upconns_bury(u);
	for (struct uphost *h = u->hosts; h; h = h->next) {
		tls_session_forget(&h->session);
		tls_session_forget(&h->proxy_session);
	}
	tls_context_close(u->tls);
	lookups_free(u->lookups);
	for (unsigned i = 0; i < UPCONN_LAYERS; i++)
		mem_free(u->room[i]);
	buf_free(&u->inner);
	outgoing_free(&u->out);
	arena_free(&u->arena);
	mem_free(u);
}
