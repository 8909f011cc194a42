/*
 * From a name to a connection, in steps: the name is looked up, one of its addresses answers, an https proxy shows its
 * certificate, a proxy connects to the service, the service shows its certificate. All of it has one limit of time.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "net/upstream/conn.h"

#define THROUGH "through the proxy of the environment: "

enum {
	HANDS_FIRST = 4,         /* and the least: fewer begin late when the machine is busy */
	HANDS_SLOW = 4,          /* times the fastest: more is slow */
	HANDS_STUCK_MS = 1000,   /* who takes longer no longer keeps others waiting */
	HANDS_FAR_NS = 10000000, /* of the fastest: it is mostly waiting, and many may wait at once, */
	HANDS_FAR_MORE = 8,      /* as long as that makes none take much longer */
	HANDS_FAR_MS = 10,       /* the same time: without any answer by then, */
	HANDS_FAR_BLIND = 64,    /* so many more begin */
};

static void next_step(struct upconn *c);

/* ---- failing ---- */

/* Whether what goes wrong now is between us and the proxy. */
static bool is_at_proxy(const struct upconn *c)
{
	return c->host->proxy && c->step < STEP_TLS;
}

static void setup_fail(struct upconn *c, enum upstream_failure f, const char *why)
{
	char text[UPSTREAM_WHY];

	snprintf(text, sizeof(text), "%s%s", is_at_proxy(c) ? THROUGH : "", why);
	upconn_fail_soon(c, f, text);
	wire_read(&c->wire, false); /* there is no more to learn from it */
}

void upconn_setup_broke(struct upconn *c, const char *why)
{
	if (why)
		setup_fail(c, UPSTREAM_REFUSED, why);
	else if (c->step == STEP_CONNECT)
		setup_fail(c, UPSTREAM_REFUSED, "it closed the connection without an answer");
	else
		setup_fail(c, UPSTREAM_REFUSED, "it closed the connection during the TLS handshake");
}

/* ---- handshakes ---- */

static uint64_t now_ns(void)
{
	return clock_mono_ns();
}

static void shake(struct upconn *c);

static void let_next_in(struct uphost *h)
{
	while (h->hands.first && h->hands.running < h->hands.most && !h->hands.first->pool->closed) {
		struct upconn *c = h->hands.first;

		h->hands.first = c->wait_next;
		c->waits = false;
		shake(c);
	}
}

/* It is over, well or not, or takes too long. */
static void hands_end(struct upconn *c, bool well)
{
	struct uphands *h = &c->host->hands;
	uint64_t took = now_ns() - c->shakes_ns;

	if (!c->shakes)
		return;
	c->shakes = false;
	h->running--;
	if (well && (h->fastest_ns == 0 || took < h->fastest_ns))
		h->fastest_ns = took;
	if (well && h->fastest_ns >= HANDS_FAR_NS && took <= 2 * h->fastest_ns)
		h->most += HANDS_FAR_MORE;
	else if (well && took <= HANDS_SLOW * h->fastest_ns)
		h->most++;
	else if (h->most > HANDS_FIRST)
		h->most--;
	let_next_in(c->host);
}

static void wait_end(struct upconn *c)
{
	struct uphands *h = &c->host->hands;
	struct upconn *before = NULL;

	if (!c->waits)
		return;
	c->waits = false;
	for (struct upconn *x = h->first; x != c; x = x->wait_next)
		before = x;
	*(before ? &before->wait_next : &h->first) = c->wait_next;
	if (h->last == c)
		h->last = before;
}

/* A new layer of TLS, which says hello. */
static void shake(struct upconn *c)
{
	struct upstreams *u = c->pool;
	struct uphost *h = c->host;
	bool proxy = c->step == STEP_PROXY_TLS;
	unsigned layer = c->layers++;
	struct str none = { NULL, 0 };

	if (!u->room[layer])
		u->room[layer] = mem_alloc(TLS_ROOM);
	h->hands.running++;
	c->shakes = true;
	c->shakes_ns = now_ns();
	c->tls[layer] = tls_client(u->tls, proxy ? h->proxy->url.host : h->name,
				   proxy ? &h->proxy_session : &h->session, layer ? &u->inner : &u->out.text);
	upconn_push(c);
	if (tls_open(c->tls[layer], &none, u->room[layer], TLS_ROOM, &none) == TLS_FAILED)
		setup_fail(c, UPSTREAM_REFUSED, tls_why(c->tls[layer]));
}

/*
 * Where no handshake was over in a short time, those under way wait for a service far away and cost nothing: others
 * need not wait for them, or the last would begin several round trips late.
 */
static void let_far_ones_in(uv_timer_t *timer)
{
	struct upstreams *u = timer->data;
	bool more = false;

	for (struct uphost *h = u->hosts; h; h = h->next) {
		if (!h->hands.first || (h->hands.fastest_ns && h->hands.fastest_ns < HANDS_FAR_NS))
			continue;
		h->hands.most += HANDS_FAR_BLIND;
		let_next_in(h);
		more = more || h->hands.first;
	}
	if (more && !u->closed)
		uv_timer_start(&u->far, let_far_ones_in, HANDS_FAR_MS, 0);
}

/* Takes its turn, now or later. */
static void begin_tls(struct upconn *c)
{
	struct uphands *h = &c->host->hands;
	struct err err;

	if (!c->pool->tls && !(c->pool->tls = tls_context_client(&err))) {
		setup_fail(c, UPSTREAM_REFUSED, err.text);
		return;
	}
	if (h->most == 0)
		h->most = HANDS_FIRST;
	c->waits = true;
	c->wait_next = NULL;
	*(h->first ? &h->last->wait_next : &h->first) = c;
	h->last = c;
	let_next_in(c->host);
	if (c->waits && !uv_is_active((uv_handle_t *)&c->pool->far))
		uv_timer_start(&c->pool->far, let_far_ones_in, HANDS_FAR_MS, 0);
}

void upconn_setup_ready(struct upconn *c)
{
	hands_end(c, true);
	if (!c->why)
		next_step(c);
}

/* ---- through a proxy ---- */

static void begin_connect(struct upconn *c)
{
	const struct uphost *h = c->host;
	bool v6 = memchr(h->name.p, ':', h->name.n) != NULL;
	struct buf b;

	buf_init(&b);
	for (int i = 0; i < 2; i++)
		buf_printf(&b, "%s%s%.*s%s:%u%s", i ? "Host: " : "CONNECT ", v6 ? "[" : "", STR_ARG(h->name),
			   v6 ? "]" : "", (unsigned)h->port, i ? "\r\n" : " HTTP/1.1\r\n");
	if (h->proxy->authorization.n)
		http_add_header(&b, &(struct http_header){ STR("Proxy-Authorization"), h->proxy->authorization });
	buf_add_str(&b, STR("\r\n"));
	http_reader_reset(c->reader);
	upconn_put(c, buf_str(&b));
	buf_free(&b);
}

static void refused_by_proxy(struct upconn *c, int status)
{
	char why[UPSTREAM_WHY];

	if (status == 407)
		snprintf(why, sizeof(why), "it answered 407: it wants %s user and password; %s may hold them, as in "
			 "http://user:password@proxy:3128", c->host->proxy->authorization.n ? "another" : "a",
			 c->host->proxy->variable);
	else
		snprintf(why, sizeof(why), "it answered %d (%s) when it was asked to connect", status,
			 http_reason(status));
	setup_fail(c, UPSTREAM_REFUSED, why);
}

/* Of an answer to CONNECT only the head counts; behind it the service speaks, and not before we have spoken. */
void upconn_setup_take(struct upconn *c, struct str bytes)
{
	struct str body;
	char why[UPSTREAM_WHY];
	enum http_next next;
	int status;

	if (c->why)
		return;
	if (c->step != STEP_CONNECT) {
		upconn_setup_broke(c, "it sent bytes before it was asked");
		return;
	}
	while ((next = http_next(c->reader, &bytes, &body)) == HTTP_DONE ||
	       (next == HTTP_HEAD && http_reader_head(c->reader)->status < 200))
		;
	if (next == HTTP_MORE)
		return;
	if (next != HTTP_HEAD) {
		snprintf(why, sizeof(why), "its answer is not HTTP: %s", http_reader_why(c->reader));
		upconn_setup_broke(c, why);
		return;
	}
	status = http_reader_head(c->reader)->status;
	if (status > 299)
		refused_by_proxy(c, status);
	else if (bytes.n)
		upconn_setup_broke(c, "it sent bytes before it was asked");
	else
		next_step(c);
}

/* ---- the steps ---- */

static void dialled(void *own, int fd, int error)
{
	struct upconn *c = own;

	c->dial = NULL;
	if (error) {
		lookup_forget(c->pool->lookups, c->host->proxy ? c->host->proxy->url.host : c->host->name);
		setup_fail(c, UPSTREAM_REFUSED, strerror(error));
	} else if (!wire_open(&c->wire, c->pool->loop, fd, c->pool->buffer, &upconn_wire_ops)) {
		setup_fail(c, UPSTREAM_REFUSED, strerror(EMFILE));
	} else {
		wire_read(&c->wire, true);
		next_step(c);
	}
}

static void name_found(struct lookup *l, const union dial_address *to, size_t count, const char *why)
{
	struct upconn *c = (struct upconn *)((uintptr_t)l - offsetof(struct upconn, lookup));
	const struct uphost *h = c->host;

	if (count == 0) {
		setup_fail(c, UPSTREAM_REFUSED, why);
		return;
	}
	c->step = STEP_DIAL;
	c->dial = dial_open(c->pool->loop, to, count, h->proxy ? h->proxy->url.port : h->port, dialled, c);
}

static bool is_needed(const struct upconn *c, enum upconn_step step)
{
	const struct uphost *h = c->host;

	switch (step) {
	case STEP_PROXY_TLS:
		return h->proxy && h->proxy->url.tls;
	case STEP_CONNECT:
		return h->tunnel;
	case STEP_TLS:
		return h->tls;
	default:
		return true;
	}
}

static void next_step(struct upconn *c)
{
	do
		c->step++;
	while (!is_needed(c, c->step));
	if (c->step == STEP_DONE)
		upconn_connected(c);
	else if (c->step == STEP_CONNECT)
		begin_connect(c);
	else
		begin_tls(c);
}

void upconn_setup(struct upconn *c)
{
	const struct uphost *h = c->host;

	c->phase = UPCONN_SETUP;
	c->step = STEP_NAME;
	c->anew = false;
	c->deadline = uv_now(c->pool->loop) + c->pool->o.connect_ms;
	if (h->proxy && h->proxy->why.n)
		upconn_fail_soon(c, UPSTREAM_REFUSED, h->proxy->why.p);
	else
		lookup_begin(c->pool->lookups, h->proxy ? h->proxy->url.host : h->name, &c->lookup, name_found);
}

static void upstream_setup_wire_gone(struct wire *w)
{
	struct upconn *c = upconn_of_wire(w);

	if (c->phase == UPCONN_SETUP)
		upconn_setup(c);
	else
		upconn_let_go(c);
}

void upconn_setup_anew(struct upconn *c)
{
	upconn_close(c, upstream_setup_wire_gone);
	c->phase = UPCONN_SETUP;
	c->step = STEP_NAME;
	c->anew = true;
	c->deadline = UINT64_MAX;
}

void upconn_setup_end(struct upconn *c)
{
	lookup_end(&c->lookup);
	if (c->dial)
		dial_close(c->dial);
	c->dial = NULL;
	wait_end(c);
	hands_end(c, false);
	c->anew = false;
}

/* A handshake that takes long is given its time, but others need not wait for it. */
void upconn_setup_sweep(struct upconn *c, uint64_t now)
{
	static const char *const late[] = {
		[STEP_NAME] = "looking up the name took too long",
		[STEP_DIAL] = "no answer to connecting",
		[STEP_PROXY_TLS] = "the TLS handshake took too long",
		[STEP_CONNECT] = "no answer to CONNECT in time",
		[STEP_TLS] = "the TLS handshake took too long",
	};

	if (c->why || c->anew)
		return;
	if (now >= c->deadline) {
		char why[UPSTREAM_WHY];

		snprintf(why, sizeof(why), "%s%s", is_at_proxy(c) ? THROUGH : "", late[c->step]);
		upconn_fail(c, UPSTREAM_LATE, why);
	} else if (c->shakes && now_ns() - c->shakes_ns > HANDS_STUCK_MS * UINT64_C(1000000)) {
		hands_end(c, false);
	}
}
