#include "net/proxy.h"

#include "net/proxy_gate.h"

enum { SPARES_MOST = 256 };

/* A request on its way, and its answer. */
struct relay {
	struct proxy *proxy;
	struct request *q;
	struct upstream_call *call; /* NULL: not begun, or over */
	struct proxy_destination to;
	struct url host;    /* of CONNECT, and of a forward proxy's requests */
	struct arena arena; /* of the route */
	void *x;            /* of the tap, or of who answers here */
	bool headed, holding;
	bool connect; /* the client asked for a tunnel, */
	bool tunnel;  /* and has it */
	bool unread;  /* passed on to a host that is nobody's business */
	enum proxy_end how; /* when the server says that the request is gone, and the client took all */
	struct relay *next; /* of the spare ones */
};

struct proxy {
	struct proxy_options o;
	struct server *server;
	struct upstreams *upstreams;
	size_t count;
	bool stopping;
	struct relay *spare;
	size_t spares;
	struct http_header *headers; /* room for the largest head, while it is passed on */
	struct proxy_gate gate;
};

static int64_t now(const struct relay *r)
{
	return clock_line_ns(r->proxy->o.clock);
}

static struct relay *relay_new(struct proxy *p, struct request *q)
{
	struct relay *r = p->spare;
	struct arena arena;

	if (r) {
		p->spare = r->next;
		p->spares--;
		arena = r->arena;
		arena_reset(&arena);
	} else {
		r = mem_alloc(sizeof(*r));
		arena_init_small(&arena);
	}
	*r = (struct relay){ .proxy = p, .q = q, .arena = arena, .how = PROXY_CLIENT_LEFT };
	p->count++;
	return r;
}

/* The last one of a stopping proxy also closes the upstreams: nobody needs them any more. */
static void relay_free(struct relay *r)
{
	struct proxy *p = r->proxy;

	p->count--;
	if (p->spares < SPARES_MOST) {
		r->next = p->spare;
		p->spare = r;
		p->spares++;
	} else {
		arena_free(&r->arena);
		mem_free(r);
	}
	if (p->stopping && p->count == 0)
		upstreams_close(p->upstreams);
}

/* ---- heads ---- */

/* HTTP/2 would pass unread; and a body before the other protocol begins could be read in two ways. */
static bool is_upgrade(const struct http_head *h)
{
	return h->upgrade && h->framing == HTTP_NONE && !str_has(http_find(h, STR("upgrade")), STR("h2c"));
}

/* What hooks inside frameworks tell the recorder with a request is no business of the service. */
static bool is_for_us(struct str name)
{
	struct str ours = STR("x-trackway-");

	return name.n > ours.n && str_eq_nocase(str_of(name.p, ours.n), ours);
}

/* What is passed on of a head's own headers, besides what is said elsewhere: its framing. */
static bool is_passed(const struct http_head *h, struct str name)
{
	return !http_name_eq(name, STR("content-length")) && !http_is_hop(h, name) && !is_for_us(name);
}

/* Signed as Amazon has it: the headers that the signature covers must pass as they are, or it is refused. */
static bool proxy_is_signed(const struct http_head *h)
{
	return str_starts(http_find(h, STR("authorization")), STR("AWS4-HMAC-"));
}

/* The headers for the upstream, into p->headers. */
static size_t ask_headers(struct proxy *p, const struct http_head *h, const struct url *url, bool read)
{
	struct http_header *out = p->headers;
	size_t n = 0;

	read = read && !proxy_is_signed(h);
	for (size_t i = 0; i < h->count; i++) {
		struct http_header header = h->headers[i];

		if (http_name_eq(header.name, STR("host")))
			header.value = url->authority;
		else if (read && http_name_eq(header.name, STR("accept-encoding")))
			header.value = STR("identity");
		else if (http_name_eq(header.name, STR("expect")) || !is_passed(h, header.name))
			continue;
		out[n++] = header;
	}
	if (!http_find(h, STR("host")).p) /* HTTP/1.0 */
		out[n++] = (struct http_header){ STR("Host"), url->authority };
	if (is_upgrade(h)) {
		out[n++] = (struct http_header){ STR("Connection"), STR("Upgrade") };
		out[n++] = (struct http_header){ STR("Upgrade"), http_find(h, STR("upgrade")) };
	}
	return n;
}

/* The headers for the client, into p->headers. Upgrade is a hop's own, and is put back for 101. */
static size_t answer_headers(struct proxy *p, const struct http_head *h)
{
	struct http_header *out = p->headers;
	size_t n = 0;

	for (size_t i = 0; i < h->count; i++)
		if (is_passed(h, h->headers[i].name))
			out[n++] = h->headers[i];
	if (h->status == 101)
		out[n++] = (struct http_header){ STR("Upgrade"), http_find(h, STR("upgrade")) };
	return n;
}

/* ---- errors of our own ---- */

static void add_escaped(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"' || s.p[i] == '\\')
			buf_add_byte(b, '\\');
		buf_add_byte(b, (unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f ? ' ' : s.p[i]);
	}
}

/* An answer of our own, as the JSON error that clients of these services can read. `r` may be gone after it. */
static void reply_error(struct relay *r, int status, const char *what, const char *why)
{
	static const struct http_header type = { { "Content-Type", 12 }, { "application/json", 16 } };
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, STR("{\"error\":{\"message\":\""));
	add_escaped(&b, str_from(what));
	if (r->to.url) {
		buf_add_byte(&b, ' ');
		add_escaped(&b, r->to.url->authority);
	}
	buf_add_str(&b, STR(": "));
	add_escaped(&b, str_from(why));
	buf_add_str(&b, STR("\",\"type\":\"trackway_upstream\"}}\n"));
	r->how = PROXY_REFUSED;
	request_reply(r->q, status, &type, 1, buf_str(&b));
	buf_free(&b);
}

/* ---- the answer: what the upstream says ---- */

/* What came together goes out together, at answer_settle. */
static void hold(struct relay *r)
{
	if (r->holding)
		return;
	request_hold(r->q);
	r->holding = true;
}

/* The tap sees the upstream's own head; the client gets it without what concerns one connection only. */
static void answer_head(void *own, const struct http_head *h)
{
	struct relay *r = own;
	struct str length = { NULL, 0 };
	enum http_framing framing = h->framing;

	if (r->x)
		r->proxy->o.tap->head(r->x, h, now(r));
	/* An answer without a body can still say how long it would be: to HEAD, and 304. */
	if (framing == HTTP_NONE)
		length = http_find(h, STR("content-length"));
	if (length.p)
		framing = HTTP_LENGTH;
	r->headed = true;
	r->tunnel = r->connect;
	r->q->reason = h->reason;
	hold(r);
	request_respond(r->q, h->status, r->proxy->headers, answer_headers(r->proxy, h), framing, h->length);
}

static void answer_body(void *own, struct str bytes)
{
	struct relay *r = own;

	if (r->x)
		r->proxy->o.tap->answer(r->x, bytes, now(r));
	hold(r);
	if (!request_write(r->q, bytes))
		upstream_pause(r->call);
}

static void answer_settle(void *own)
{
	struct relay *r = own;

	r->holding = false;
	if (!request_flush(r->q))
		upstream_pause(r->call);
}

static void answer_end(void *own)
{
	struct relay *r = own;

	r->call = NULL;
	r->how = PROXY_WHOLE;
	request_finish(r->q);
}

/* Before the head the client can still be told why; after it the answer is cut. */
static void answer_fail(void *own, enum upstream_failure f, const char *why)
{
	struct relay *r = own;

	r->call = NULL;
	if (r->headed) {
		r->how = PROXY_CUT;
		request_abort(r->q);
	} else {
		if (r->proxy->o.refused && !r->unread)
			r->proxy->o.refused(r->proxy->o.context, r->to.url, why);
		reply_error(r, f == UPSTREAM_LATE ? 504 : 502, "no answer from", why);
	}
}

static void answer_drain(void *own)
{
	request_resume(((struct relay *)own)->q);
}

static const struct upstream_ops upstream_ops = {
	.head = answer_head,
	.body = answer_body,
	.end = answer_end,
	.fail = answer_fail,
	.drain = answer_drain,
	.settle = answer_settle,
};

/* ---- the request: what the client says ---- */

/* A tunnel to a host: bytes pass as they are, or we take its place. */
static void ask_connect(struct relay *r, struct request *q)
{
	struct proxy *p = r->proxy;
	struct upstream_request ask = { .url = &r->host, .method = q->head->method, .tunnel = true };
	struct gate_host *host;

	r->connect = true;
	if (q->through || !gate_read_authority(&r->arena, q->head->target, &r->host)) {
		reply_error(r, 400, "this CONNECT cannot be served",
			    q->through ? "it came through another CONNECT" : "its target is not a host and a port");
		return;
	}
	host = gate_find(&p->gate, &r->host);
	if (host && gate_enters(host, p->o.enters(p->o.context, &r->host))) {
		request_enter(q, host, gate_context(host));
		return;
	}
	gate_count_passed(host);
	r->unread = true;
	r->to.url = &r->host;
	r->call = upstream_begin(p->upstreams, &ask, &upstream_ops, r);
	upstream_hold(r->call);
}

/* Whom the client means to ask; NULL when it is us. False: an address that is none. */
static bool ask_host(struct relay *r, struct request *q, const struct url **host)
{
	const struct server_options *o = &r->proxy->o.server;
	struct str authority = http_authority(q->head->target);
	struct err err;

	*host = q->through ? gate_url(q->through) : NULL;
	if (q->through || !o->forward || !authority.p ||
	    guard_is_own(&o->guard, o->host, server_port(r->proxy->server), authority))
		return true;
	*host = &r->host;
	return url_parse(&r->arena, q->head->target, &r->host, &err);
}

/*
 * Routes the request and begins the call. It is held: the head goes out with the first bytes of the body (ask_settle).
 */
static void ask_head(void *context, struct request *q)
{
	struct proxy *p = context;
	struct relay *r = relay_new(p, q);
	const char *why = "nothing is known of where it goes";
	struct upstream_request ask;
	const struct url *host;
	int status = 502;

	q->own = r;
	if (str_eq(q->head->method, STR("CONNECT"))) {
		ask_connect(r, q);
		return;
	}
	if (!ask_host(r, q, &host) ||
	    !p->o.route(p->o.context, &r->arena, q->head, host, &r->to, &status, &why)) {
		r->to.url = NULL;
		reply_error(r, status, "this request cannot be passed on", why);
		return;
	}
	if (r->to.local) { /* r may be gone after it */
		r->to.local->begin(r->to.local->context, q, &r->x);
		return;
	}
	r->unread = host && !r->to.route;
	if (r->unread)
		gate_count_passed(gate_find(&p->gate, host));
	if (p->o.tap && !r->unread)
		r->x = p->o.tap->begin(p->o.context, q->head, &r->to, now(r));
	ask = (struct upstream_request){
		.url = r->to.url,
		.method = q->head->method,
		.target = r->to.target,
		.headers = p->headers,
		.count = ask_headers(p, q->head, r->to.url, !r->unread),
		.framing = q->head->framing,
		.length = q->head->length,
		.upgrade = is_upgrade(q->head),
	};
	r->call = upstream_begin(p->upstreams, &ask, &upstream_ops, r);
	upstream_hold(r->call);
}

static void ask_body(struct request *q, struct str bytes)
{
	struct relay *r = q->own;

	if (r->to.local) {
		r->to.local->body(r->x, bytes);
		return;
	}
	if (r->x)
		r->proxy->o.tap->request(r->x, bytes, now(r));
	if (r->call && !upstream_write(r->call, bytes))
		request_pause(q);
}

static void ask_end(struct request *q)
{
	struct relay *r = q->own;

	if (r->connect && !r->tunnel)
		return; /* the CONNECT itself is complete; what it is for begins with our answer */
	if (r->to.local) {
		r->to.local->end(r->x);
		return;
	}
	if (r->x)
		r->proxy->o.tap->request_end(r->x, now(r));
	if (r->call)
		upstream_finish(r->call);
}

static void ask_settle(struct request *q)
{
	struct relay *r = q->own;

	if (r->call && !upstream_flush(r->call))
		request_pause(q);
}

static void ask_drain(struct request *q)
{
	struct relay *r = q->own;

	if (r->call)
		upstream_resume(r->call);
}

static void ask_gone(struct request *q, bool whole)
{
	struct relay *r = q->own;

	if (r->call)
		upstream_cancel(r->call);
	r->call = NULL;
	if (!whole && r->how != PROXY_CUT)
		r->how = PROXY_CLIENT_LEFT;
	if (r->to.local)
		r->to.local->gone(r->x);
	else if (r->x)
		r->proxy->o.tap->end(r->x, r->how, now(r));
	relay_free(r);
}

static void ask_shaken(void *context, void *through, const struct tls *t)
{
	(void)context;
	gate_count_handshake(through, t);
}

static const struct server_ops server_ops = {
	.head = ask_head,
	.body = ask_body,
	.end = ask_end,
	.drain = ask_drain,
	.gone = ask_gone,
	.settle = ask_settle,
	.shaken = ask_shaken,
};

/* ---- the proxy ---- */

/* A client waits longer than we wait for its upstream, or it would be cut off instead of being told. */
static void outlive_upstream(struct proxy_options *o)
{
	unsigned idle = o->upstream.idle_ms ? o->upstream.idle_ms : UPSTREAM_IDLE_MS;
	unsigned connect = o->upstream.connect_ms ? o->upstream.connect_ms : UPSTREAM_CONNECT_MS;

	if (o->server.idle_ms <= idle + connect)
		o->server.idle_ms = idle + connect + 1000;
}

struct proxy *proxy_open(uv_loop_t *loop, const struct proxy_options *o, struct err *err)
{
	struct proxy *p = mem_alloc(sizeof(*p));
	size_t asked = o->server.limits.headers ? o->server.limits.headers : 200;
	size_t answered = o->upstream.limits.headers ? o->upstream.limits.headers : 200;

	*p = (struct proxy){ .o = *o };
	outlive_upstream(&p->o);
	p->o.server.ops = &server_ops;
	p->o.server.context = p;
	p->server = server_open(loop, &p->o.server, err);
	if (!p->server) {
		mem_free(p);
		return NULL;
	}
	gate_init(&p->gate, p->o.authority);
	p->upstreams = upstreams_open(loop, &p->o.upstream);
	p->headers = mem_alloc(((asked > answered ? asked : answered) + 4) * sizeof(*p->headers));
	return p;
}

uint16_t proxy_port(const struct proxy *p)
{
	return server_port(p->server);
}

uint64_t proxy_strangers(const struct proxy *p)
{
	return server_strangers(p->server);
}

const struct proxy_host *proxy_hosts(const struct proxy *p)
{
	return gate_hosts(&p->gate);
}

size_t proxy_count(const struct proxy *p)
{
	return p->count;
}

void proxy_stop(struct proxy *p, bool at_once)
{
	p->stopping = true;
	server_stop(p->server, at_once);
	if (p->count == 0)
		upstreams_close(p->upstreams);
}

void proxy_close(struct proxy *p)
{
	struct relay *next;

	server_close(p->server);
	upstreams_free(p->upstreams);
	for (struct relay *r = p->spare; r; r = next) {
		next = r->next;
		arena_free(&r->arena);
		mem_free(r);
	}
	gate_free(&p->gate);
	mem_free(p->headers);
	mem_free(p);
}
