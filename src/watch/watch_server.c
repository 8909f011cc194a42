/* A timer makes the steps: one after the other while a pass is under way, a second later when it is over. */
#include "watch/watch_server.h"

#include "base/arena.h"
#include "base/clock.h"
#include "net/server/server.h"
#include "watch/text.h"

enum {
	CONNECTIONS = 256,
	HEAD_MS = 10 * 1000,
	IDLE_MS = 2 * 60 * 1000, /* Prometheus keeps a connection from one scrape to the next, usually a minute */
	PASS_MS = 1000,          /* from the end of a pass to the next, at least */
	PASS_MOST_MS = 10000,    /* and at most */
	PASS_REST = 9,           /* so many times as long as the pass took: a large tree costs a tenth of a processor */
	STEP_MS = 1,             /* between steps; 0 would let no request in: libuv runs due timers first */
	BODY_MAX = 4096,         /* no request of ours has a body */
};

struct watch_server {
	struct watch_server_options o;
	struct server *server;
	uv_timer_t timer;
	uint64_t busy_ns; /* of the pass under way, in steps */
	struct buf page; /* of the answer being sent */
};

static int64_t watch_now_us(void)
{
	return (int64_t)(clock_wall_ns() / 1000);
}

/* How long to wait for the next pass. */
static uint64_t watch_rest_ms(uint64_t busy_ns)
{
	uint64_t ms = busy_ns / 1000000 * PASS_REST;

	return ms < PASS_MS ? PASS_MS : ms < PASS_MOST_MS ? ms : PASS_MOST_MS;
}

static void watch_timer_rang(uv_timer_t *timer)
{
	struct watch_server *s = timer->data;
	uint64_t begin_ns = clock_mono_ns();
	bool is_over = tail_step(s->o.tail, watch_now_us());

	s->busy_ns += clock_mono_ns() - begin_ns;
	uv_timer_start(timer, watch_timer_rang, is_over ? watch_rest_ms(s->busy_ns) : STEP_MS, 0);
	if (!is_over)
		return;
	s->busy_ns = 0;
	if (s->o.passed)
		s->o.passed(s->o.context, s->o.tail);
}

/* ---- answers ---- */

struct watch_answer {
	int status;
	struct str media, body;
};

static void watch_answer_metrics(struct watch_server *s, struct watch_answer *x)
{
	struct figures f;

	if (s->o.tail->passes == 0) {
		x->status = 503;
		x->body = STR("the files are being read for the first time; ask again soon\n");
		return;
	}
	window_sum(s->o.tail->lines.window, watch_now_us(), &f);
	buf_clear(&s->page);
	text_add(&s->page, &f, s->o.tail);
	x->media = STR(TEXT_MEDIA);
	x->body = buf_str(&s->page);
}

static void watch_answer_root(struct watch_server *s, struct watch_answer *x)
{
	(void)s;
	x->body = STR("trackway watch: metrics of agents, for Prometheus, are at /metrics\n");
}

static const struct {
	struct str path;
	void (*answer)(struct watch_server *s, struct watch_answer *x);
} pages[] = {
	{ { "/metrics", 8 }, watch_answer_metrics },
	{ { "/", 1 }, watch_answer_root },
};

static void watch_find_answer(struct watch_server *s, const struct http_head *head, struct watch_answer *x)
{
	struct str query, path = str_cut(head->target, '?', &query);

	x->status = 404;
	x->media = STR("text/plain; charset=utf-8");
	x->body = STR("there is nothing here but /metrics\n");
	for (size_t i = 0; i < COUNT(pages); i++) {
		if (!str_eq(path, pages[i].path))
			continue;
		if (!str_eq(head->method, STR("GET")) && !str_eq(head->method, STR("HEAD"))) {
			x->status = 405;
			x->body = STR("this page is read with GET\n");
			return;
		}
		x->status = 200;
		pages[i].answer(s, x);
	}
}

/* ---- requests ---- */

static void watch_head_came(void *context, struct request *q)
{
	q->own = context;
}

static void watch_body_came(struct request *q, struct str bytes)
{
	(void)q;
	(void)bytes; /* of a POST, which gets its 405 */
}

static void watch_request_came(struct request *q)
{
	struct watch_answer x;
	struct http_header headers[2];
	size_t count = 1;

	watch_find_answer(q->own, q->head, &x);
	headers[0] = (struct http_header){ STR("Content-Type"), x.media };
	if (x.status == 405)
		headers[count++] = (struct http_header){ STR("Allow"), STR("GET, HEAD") };
	if (x.status == 503)
		headers[count++] = (struct http_header){ STR("Retry-After"), STR("1") };
	request_reply(q, x.status, headers, count, x.body);
}

static void watch_request_gone(struct request *q, bool whole)
{
	(void)q;
	(void)whole;
}

static const struct server_ops watch_ops = {
	.head = watch_head_came,
	.body = watch_body_came,
	.end = watch_request_came,
	.gone = watch_request_gone,
};

struct watch_server *watch_server_open(uv_loop_t *loop, const struct watch_server_options *o, struct err *err)
{
	struct watch_server *s = mem_alloc(sizeof(*s));
	struct server_options so = {
		.host = o->host,
		.port = o->port,
		.limits = { .body = BODY_MAX },
		.connections = CONNECTIONS,
		.head_ms = HEAD_MS,
		.idle_ms = IDLE_MS,
		.guard = o->guard,
		.ops = &watch_ops,
		.context = s,
	};

	*s = (struct watch_server){ .o = *o };
	s->server = server_open(loop, &so, err);
	if (!s->server) {
		mem_free(s);
		return NULL;
	}
	buf_init(&s->page);
	uv_timer_init(loop, &s->timer);
	s->timer.data = s;
	uv_timer_start(&s->timer, watch_timer_rang, 0, 0);
	return s;
}

uint16_t watch_server_port(const struct watch_server *s)
{
	return server_port(s->server);
}

void watch_server_stop(struct watch_server *s)
{
	if (!uv_is_closing((uv_handle_t *)&s->timer))
		uv_close((uv_handle_t *)&s->timer, NULL);
	server_stop(s->server, true);
}

void watch_server_close(struct watch_server *s)
{
	if (!s)
		return;
	server_close(s->server);
	buf_free(&s->page);
	mem_free(s);
}
