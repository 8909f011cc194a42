/* A proxy, and an upstream that is a socket of the test. What the tap sees is written down. */
#ifndef UNIT_NET_SCENE_H
#define UNIT_NET_SCENE_H

#include "base/arena.h"
#include "net/proxy.h"
#include "unit/net/sockets.h"

struct scene {
	uv_loop_t loop;
	struct proxy *proxy;
	struct clock_line clock;
	struct url url;
	char authority[32];
	int listener;
	uint16_t port;
	struct buf seen;
	int64_t last; /* time told to the tap */
	size_t passed;
	bool deaf, lost; /* begin wants nothing; route knows nothing */
	int lost_status; /* what it says then; 0: nothing */
	const struct proxy_local *local; /* who answers what begins with /here; NULL: nobody */
};

static inline bool scene_route(void *context, struct arena *a, const struct http_head *h, const struct url *host,
			       struct proxy_destination *to, int *status, const char **why)
{
	struct scene *s = context;

	(void)host;

	if (s->lost) {
		*status = s->lost_status ? s->lost_status : *status;
		*why = "no \"route\"";
		return false;
	}
	to->local = str_starts(h->target, STR("/here")) ? s->local : NULL;
	to->url = &s->url;
	to->target = arena_printf(a, "/up%.*s", STR_ARG(h->target));
	to->route = s;
	return true;
}

static inline void note_time(struct scene *s, int64_t ns)
{
	CHECK(ns >= s->last);
	s->last = ns;
}

static inline void *tap_begin(void *context, const struct http_head *h, const struct proxy_destination *to, int64_t ns)
{
	struct scene *s = context;

	if (s->deaf)
		return NULL;
	CHECK(to->route == s);
	s->last = ns;
	buf_printf(&s->seen, "%.*s %.*s ", STR_ARG(h->method), STR_ARG(to->target));
	return s;
}

static inline void tap_request(void *x, struct str bytes, int64_t ns)
{
	struct scene *s = x;

	note_time(s, ns);
	if (s->seen.n < 1 << 12)
		buf_printf(&s->seen, "<%.*s ", STR_ARG(bytes));
}

static inline void tap_request_end(void *x, int64_t ns)
{
	note_time(x, ns);
	buf_add_str(&((struct scene *)x)->seen, STR("<< "));
}

static inline void tap_head(void *x, const struct http_head *h, int64_t ns)
{
	note_time(x, ns);
	buf_printf(&((struct scene *)x)->seen, "%d ", h->status);
}

static inline void tap_answer(void *x, struct str bytes, int64_t ns)
{
	struct scene *s = x;

	note_time(s, ns);
	s->passed += bytes.n;
	if (s->seen.n < 1 << 12)
		buf_printf(&s->seen, ">%.*s ", STR_ARG(bytes));
}

static inline void tap_end(void *x, enum proxy_end how, int64_t ns)
{
	static const char *const names[] = {
		[PROXY_WHOLE] = "whole.", [PROXY_CLIENT_LEFT] = "left.", [PROXY_CUT] = "cut.", [PROXY_REFUSED] = "refused.",
	};

	note_time(x, ns);
	buf_printf(&((struct scene *)x)->seen, "%s", names[how]);
}

static const struct proxy_tap scene_tap = {
	.begin = tap_begin,
	.request = tap_request,
	.request_end = tap_request_end,
	.head = tap_head,
	.answer = tap_answer,
	.end = tap_end,
};

static inline void scene_open_with(struct scene *s, struct proxy_options o)
{
	struct err err;

	*s = (struct scene){ 0 };
	CHECK(uv_loop_init(&s->loop) == 0);
	s->clock = clock_line_begin();
	s->listener = hear(&s->port);
	s->url = (struct url){ .host = STR("127.0.0.1"), .port = s->port };
	snprintf(s->authority, sizeof(s->authority), "127.0.0.1:%u", s->port);
	s->url.authority = str_from(s->authority);
	o.route = scene_route;
	o.tap = &scene_tap;
	o.context = s;
	o.clock = &s->clock;
	o.server.guard.open = true; /* the Hosts of tests are any */
	s->proxy = proxy_open(&s->loop, &o, &err);
	CHECK(s->proxy != NULL);
}

static inline void scene_open(struct scene *s)
{
	scene_open_with(s, (struct proxy_options){ 0 });
}

static inline void scene_close(struct scene *s)
{
	proxy_stop(s->proxy, true);
	CHECK(uv_run(&s->loop, UV_RUN_DEFAULT) == 0);
	CHECK_INT(proxy_count(s->proxy), 0);
	proxy_close(s->proxy);
	CHECK(uv_loop_close(&s->loop) == 0);
	close(s->listener);
	buf_free(&s->seen);
}

/* The text with HOST replaced by the upstream's address. */
static inline struct str with_host(const struct scene *s, const char *text, char out[1000])
{
	struct str rest = str_from(text);
	size_t at = str_find(rest, STR("HOST")), n;

	if (at == (size_t)-1)
		return rest;
	n = (size_t)snprintf(out, 1000, "%.*s%s%s", (int)at, text, s->authority, text + at + 4);
	return str_of(out, n);
}

#endif
