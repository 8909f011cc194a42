/* Calls by https to a server of this machine, and what comes of them. */
#ifndef UNIT_NET_HTTPS_STAGE_H
#define UNIT_NET_HTTPS_STAGE_H

#include "base/arena.h"
#include "net/upstream/upstream.h"
#include "unit/base/scratch.h"
#include "unit/net/tls_server.h"

#define NAMES "DNS:localhost,DNS:api.example.test,IP:127.0.0.1,IP:::1"
#define HOUR 3600L
#define WANTED_PIECES 40

struct got {
	struct upstream_call *call;
	int heads, status, ends, fails, drains, sents;
	enum http_framing framing;
	struct buf headers, body; /* headers as "Name=value;" */
	size_t pieces[WANTED_PIECES], count;
	uint64_t times[WANTED_PIECES]; /* of the pieces, in the loop's ms */
	enum upstream_failure failure;
	char why[1000];
	uv_loop_t *loop;
	/* what it does by itself */
	struct str rest;       /* of a request's body */
	size_t cancel_after;   /* pieces; 0: never */
	bool pause_each;
	uv_timer_t *resume;
};

static inline void got_head(void *own, const struct http_head *h)
{
	struct got *g = own;

	g->heads++;
	g->status = h->status;
	g->framing = h->framing;
	for (size_t i = 0; i < h->count; i++)
		buf_printf(&g->headers, "%.*s=%.*s;", STR_ARG(h->headers[i].name), STR_ARG(h->headers[i].value));
}

static inline void go_on(uv_timer_t *timer)
{
	upstream_resume(((struct got *)timer->data)->call);
}

static inline void got_body(void *own, struct str bytes)
{
	struct got *g = own;

	CHECK(g->heads == 1 && g->ends == 0 && g->fails == 0);
	buf_add_str(&g->body, bytes);
	if (g->count < WANTED_PIECES) {
		g->times[g->count] = uv_hrtime() / 1000000;
		g->pieces[g->count] = bytes.n;
	}
	g->count++;
	if (g->count == g->cancel_after) {
		upstream_cancel(g->call);
	} else if (g->pause_each) {
		CHECK(!uv_is_active((uv_handle_t *)g->resume)); /* nothing comes while it is paused */
		upstream_pause(g->call);
		uv_timer_start(g->resume, go_on, g->count < 5 ? 30 : 0, 0);
	}
}

static inline void got_end(void *own)
{
	struct got *g = own;

	g->ends++;
	if (g->pause_each)
		uv_timer_stop(g->resume); /* the last piece was all there was to wait for */
}

static inline void got_fail(void *own, enum upstream_failure f, const char *why)
{
	struct got *g = own;

	g->fails++;
	g->failure = f;
	snprintf(g->why, sizeof(g->why), "%s", why);
}

static inline void feed(struct got *g)
{
	while (g->rest.n) {
		size_t n = g->rest.n < 50000 ? g->rest.n : 50000;
		struct str piece = str_of(g->rest.p, n);

		g->rest = str_of(g->rest.p + n, g->rest.n - n);
		if (!upstream_write(g->call, piece))
			return;
	}
	upstream_finish(g->call);
}

static inline void got_drain(void *own)
{
	struct got *g = own;

	g->drains++;
	feed(g);
}

static inline void got_sent(void *own)
{
	struct got *g = own;

	CHECK(g->heads == 0);
	g->sents++;
}

static const struct upstream_ops stage_ops = {
	.head = got_head, .body = got_body, .end = got_end, .fail = got_fail, .drain = got_drain, .sent = got_sent,
};

/* ---- the stage: a loop, a pool, a server ---- */

struct stage {
	struct arena a;
	uv_loop_t loop;
	struct upstreams *pool;
	struct identity authority, leaf;
	pid_t server;
	uint16_t port;
	char dir[64];
};

/* `names` and times of the server's certificate. */
static inline void open_stage(struct stage *s, const char *names, long from, long until, bool v6)
{
	static const char *const variables[] = { "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
						 "all_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_DIR" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
	signal(SIGPIPE, SIG_IGN);
	enter_dir(s->dir);
	arena_init(&s->a);
	s->authority = make_identity("Test Authority", NULL, NULL, -HOUR, HOUR);
	s->leaf = make_identity("server", names, &s->authority, from, until);
	trust(&s->authority, "ca.pem");
	s->server = start_tls(&s->leaf, v6, &s->port);
	CHECK(uv_loop_init(&s->loop) == 0);
	s->pool = upstreams_open(&s->loop, &(struct upstream_options){ .connect_ms = 10000 });
}

/* Another pool, for other options or another environment. */
static inline void open_pool_again(struct stage *s, const struct upstream_options *o)
{
	upstreams_close(s->pool);
	CHECK(uv_run(&s->loop, UV_RUN_DEFAULT) == 0);
	upstreams_free(s->pool);
	s->pool = upstreams_open(&s->loop, o);
}

static inline void open_usual(struct stage *s)
{
	open_stage(s, NAMES, -HOUR, HOUR, false);
}

static inline void close_stage(struct stage *s)
{
	upstreams_close(s->pool);
	CHECK(uv_run(&s->loop, UV_RUN_DEFAULT) == 0);
	upstreams_free(s->pool);
	CHECK(uv_loop_close(&s->loop) == 0);
	stop_group(s->server);
	free_identity(&s->authority);
	free_identity(&s->leaf);
	arena_free(&s->a);
	leave_dir(s->dir);
}

static inline struct url *url_to(struct stage *s, const char *scheme_and_host)
{
	struct url *u = arena_new(&s->a, struct url);
	struct err err = { .kind = ERR_NONE };
	struct str text = arena_printf(&s->a, "%s:%u", scheme_and_host, (unsigned)s->port);

	if (!url_parse(&s->a, text, u, &err))
		FAIL("%s", err.text);
	return u;
}

static inline void begin(struct stage *s, struct got *g, const char *host, const char *method, const char *target,
		  enum http_framing framing, struct str body)
{
	const struct url *u = url_to(s, host);
	struct http_header headers[] = {
		{ STR("Host"), u->authority }, { STR("X-Empty"), STR("") }, { STR("authorization"), STR("Bearer k") },
	};
	struct upstream_request r = {
		.url = u, .method = str_from(method), .target = str_from(target), .headers = headers, .count = 3,
		.framing = framing, .length = body.n,
	};

	g->loop = &s->loop;
	g->rest = body;
	g->call = upstream_begin(s->pool, &r, &stage_ops, g);
	CHECK(g->call != NULL && g->heads == 0 && g->fails == 0);
	if (framing != HTTP_NONE)
		feed(g);
	else
		upstream_finish(g->call);
}

static inline void run_call(struct stage *s, struct got *g)
{
	while (g->ends + g->fails == 0)
		CHECK(uv_run(&s->loop, UV_RUN_ONCE) != 0 || g->ends + g->fails > 0);
}

static inline struct got *ask(struct stage *s, const char *host, const char *method, const char *target)
{
	struct got *g = arena_new(&s->a, struct got);

	begin(s, g, host, method, target, HTTP_NONE, STR(""));
	run_call(s, g);
	return g;
}

static inline void done(struct got *g)
{
	buf_free(&g->headers);
	buf_free(&g->body);
}

static inline void check_whole(const struct got *g, int status, struct str body)
{
	if (g->fails)
		FAIL("it failed: %s", g->why);
	CHECK_INT(g->heads, 1);
	CHECK_INT(g->ends, 1);
	CHECK_INT(g->status, status);
	CHECK_STR(buf_str(&g->body), body);
}

static inline void check_failed(const struct got *g, enum upstream_failure f, const char *why)
{
	CHECK_INT(g->fails, 1);
	CHECK_INT(g->ends, 0);
	CHECK_STR(str_from(g->why), str_from(why));
	CHECK_INT(g->failure, f);
}

/* What the server's "/sum" answers. */
static inline struct str sum_of(struct arena *a, struct str bytes)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < bytes.n; i++)
		sum = sum * 31 + (unsigned char)bytes.p[i];
	return arena_printf(a, "%zu %llu", bytes.n, (unsigned long long)sum);
}

#endif
