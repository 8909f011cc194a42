/* A call to an upstream and what became of it; upstreams are raw sockets of the test. */
#ifndef UNIT_NET_WISH_H
#define UNIT_NET_WISH_H

#include "base/arena.h"
#include "net/upstream/upstream.h"
#include "unit/net/sockets.h"

struct wish {
	struct upstream_call *call;
	int status;
	unsigned heads, ends, fails, drains, settles, sents;
	enum upstream_failure failure;
	char why[200];
	size_t bytes;
	struct buf body; /* the first of them */
};

static inline void wish_head(void *own, const struct http_head *h)
{
	struct wish *w = own;

	w->heads++;
	w->status = h->status;
}

static inline void wish_body(void *own, struct str bytes)
{
	struct wish *w = own;

	w->bytes += bytes.n;
	if (w->body.n < 1 << 16)
		buf_add_str(&w->body, bytes);
}

static inline void wish_end(void *own)
{
	((struct wish *)own)->ends++;
}

static inline void wish_fail(void *own, enum upstream_failure f, const char *why)
{
	struct wish *w = own;

	w->fails++;
	w->failure = f;
	snprintf(w->why, sizeof(w->why), "%s", why);
}

static inline void wish_drain(void *own)
{
	((struct wish *)own)->drains++;
}

static inline void wish_settle(void *own)
{
	((struct wish *)own)->settles++;
}

static inline void wish_sent(void *own)
{
	((struct wish *)own)->sents++;
}

static const struct upstream_ops wish_ops = {
	.head = wish_head,
	.body = wish_body,
	.end = wish_end,
	.fail = wish_fail,
	.drain = wish_drain,
	.settle = wish_settle,
	.sent = wish_sent,
};

/* A pool, a loop, and one upstream that listens. */
struct well {
	uv_loop_t loop;
	struct upstreams *pool;
	int listener;
	uint16_t port;
	struct url url;
	struct arena arena;
};

static inline struct url well_url(struct well *w, const char *host, uint16_t port)
{
	struct url url = { .host = str_from(host), .port = port };

	url.authority = arena_printf(&w->arena, "%s:%u", host, port);
	return url;
}

static inline void well_open(struct well *w, struct upstream_options o)
{
	*w = (struct well){ 0 };
	arena_init(&w->arena);
	CHECK(uv_loop_init(&w->loop) == 0);
	w->pool = upstreams_open(&w->loop, &o);
	w->listener = hear(&w->port);
	w->url = well_url(w, "127.0.0.1", w->port);
}

static inline void well_close(struct well *w)
{
	upstreams_close(w->pool);
	CHECK(uv_run(&w->loop, UV_RUN_DEFAULT) == 0);
	upstreams_free(w->pool);
	CHECK(uv_loop_close(&w->loop) == 0);
	close(w->listener);
	arena_free(&w->arena);
}

static inline void wish_begin(struct well *w, struct wish *x, const char *method, enum http_framing framing, uint64_t length)
{
	static const struct http_header host = { { "Host", 4 }, { "up", 2 } };
	struct upstream_request r = { .url = &w->url, .method = str_from(method), .target = STR("/t"), .headers = &host,
				      .count = 1, .framing = framing, .length = length };

	*x = (struct wish){ 0 };
	x->call = upstream_begin(w->pool, &r, &wish_ops, x);
	CHECK_INT(x->heads + x->ends + x->fails, 0); /* nothing before begin has returned */
}

static inline void wish_get(struct well *w, struct wish *x)
{
	wish_begin(w, x, "GET", HTTP_NONE, 0);
	upstream_finish(x->call);
}

static inline bool wish_is_over(const struct wish *x)
{
	return x->ends + x->fails > 0;
}

#endif
