/* The server side of the mock: a visit for each request, a timer for its delays. What is said is mock_answer.c's. */
#include "provider/mock.h"

#include <assert.h>

#include "base/clock.h"
#include "json/put.h"
#include "net/server/server.h"
#include "provider/mock_answer.h"
#include "provider/mock_socket.h"

enum {
	GATHERED = 16 << 10,           /* bytes that go out together when nothing is to be waited for */
	CONNECTIONS = 16384,
	IDLE_MS = 2 * 60 * 60 * 1000, /* a script may wait for an hour */
};

struct mock {
	struct mock_options o;
	struct mock_maker maker;
	struct server *server;
	uv_loop_t *loop;
	size_t count;
	struct mock_host host; /* of its sockets */
};

/* A request and its answer. */
struct visit {
	struct mock_visitor visitor; /* first */
	struct mock *m;
	struct request *q; /* NULL when it is gone */
	struct arena arena;
	struct buf body;
	struct buf out; /* made, but not sent */
	struct mock_answer x;
	uv_timer_t timer;
	enum mock_next next; /* what the bytes in `out` are followed by */
	bool has_timer, waiting, answered, busy;
	uint64_t begun_ns;
	/* The request was complete, by the kernel's stamp where there is one; its first words went out. 0: not yet */
	uint64_t arrived_ns, first_ns;
	uint64_t due; /* loop time: when what is made next is to go out */
	struct str method; /* in the arena */
};

/* ---- the end ---- */

static void visit_free(struct visit *v)
{
	assert(v->m->count > 0);
	v->m->count--;
	arena_free(&v->arena);
	buf_free(&v->body);
	buf_free(&v->out);
	mem_free(v);
}

static void timer_closed(uv_handle_t *h)
{
	visit_free(h->data);
}

static void visit_release(struct visit *v)
{
	if (v->has_timer)
		uv_close((uv_handle_t *)&v->timer, timer_closed);
	else
		visit_free(v);
}

/* One line of JSON for the log when a request is over; see struct mock_options for its members. */
static void log_answer(void *mock, const struct mock_logged *l)
{
	uint64_t now = clock_mono_ns(), us = (now - l->begun_ns) / 1000;
	const struct mock_answer *x = l->answer;
	const struct mock *m = mock;
	struct json_writer w;
	struct buf line;

	if (!m->o.log)
		return;
	buf_init(&line);
	json_write_init(&w, &line, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "method", l->method);
	json_put_text(&w, "path", x->path);
	json_put_text(&w, "model", x->model);
	json_put_bool(&w, "stream", x->streamed);
	json_put_u64_or_null(&w, "status", (uint64_t)x->status, l->answered);
	json_put_double(&w, "ms", (double)us / 1000);
	json_put_i64_or_null(&w, "rule", x->rule ? x->rule - m->o.script->rules : -1);
	json_put_bool(&w, "whole", l->whole);
	json_put_text_or_null(&w, "id", x->id.n ? x->id : str_of(NULL, 0));
	json_put_u64(&w, "events", x->talk.events);
	json_put_u64_or_null(&w, "arrived_ns", l->arrived_ns, l->arrived_ns);
	json_put_u64_or_null(&w, "first_ns", l->first_ns, l->first_ns);
	json_put_u64(&w, "ended_ns", now);
	json_write_end_object(&w);
	m->o.log(m->o.context, buf_str(&line));
	buf_free(&line);
}

/* ---- sending ---- */

static void pump(struct visit *v);

/* Words are about to be given to the socket: a client cannot have them before. */
static void note_words(struct visit *v, bool has_words)
{
	if (has_words && !v->first_ns)
		v->first_ns = clock_mono_ns();
}

/* The first `n` bytes of what was made, and the head if it waits. False: the client is slow. */
static bool send_made(struct visit *v, size_t n)
{
	bool fast;

	if (n)
		request_write(v->q, str_of(v->out.p, n));
	fast = request_flush(v->q); /* until here they must stay where they are */
	if (n && n < v->out.n)
		memmove(v->out.p, v->out.p + n, v->out.n - n);
	v->out.n -= n;
	return fast;
}

/* Sends all that was made. True when more is to be made now. */
static bool go_on(struct visit *v)
{
	note_words(v, v->x.has_words);
	if (v->next == MOCK_MORE)
		return send_made(v, v->out.n) && v->q;
	if (v->out.n)
		request_write(v->q, buf_str(&v->out));
	if (v->next == MOCK_DONE)
		request_finish(v->q);
	else
		request_abort(v->q);
	return false;
}

/* Ends a stretch in which calls to the server may have told us that the request is gone; then it is freed here. */
static void leave(struct visit *v)
{
	v->busy = false;
	if (!v->q)
		visit_release(v);
}

static void begin_answer(struct visit *v)
{
	struct mock_answer *x = &v->x;

	v->answered = true;
	request_hold(v->q);
	request_respond(v->q, x->status, x->headers, x->header_count, x->streamed ? HTTP_CHUNKED : HTTP_LENGTH,
			x->body.n);
}

static void timer_fired(uv_timer_t *t)
{
	struct visit *v = t->data;
	bool more = true;

	v->waiting = false;
	v->busy = true;
	if (!v->answered)
		begin_answer(v);
	else
		more = go_on(v);
	if (more && v->q)
		pump(v);
	leave(v);
}

/*
 * Times are counted from the request on, not from one timer to the next: what fires late makes nothing after it
 * late, and on a busy machine the pieces that are due go out together.
 */
static bool is_due(struct visit *v, uint64_t delay_ms)
{
	v->due += delay_ms;
	return v->due <= uv_now(v->m->loop);
}

static void wait_until_due(struct visit *v)
{
	if (!v->has_timer) {
		uv_timer_init(v->m->loop, &v->timer);
		v->timer.data = v;
		v->has_timer = true;
	}
	v->waiting = true;
	uv_timer_start(&v->timer, timer_fired, v->due - uv_now(v->m->loop), 0);
}

/* Makes and sends until something is to be waited for: time, a slow client, the end. */
static void pump(struct visit *v)
{
	uint64_t delay_ms;
	size_t ready;
	bool due, has_words;

	do {
		do {
			ready = v->out.n;
			has_words = v->x.has_words;
			v->next = mock_answer_next(&v->x, &v->out, &delay_ms);
			due = is_due(v, delay_ms);
		} while (due && v->next == MOCK_MORE && v->out.n < GATHERED);
		if (!due) {
			note_words(v, has_words);
			send_made(v, ready);
			if (v->q)
				wait_until_due(v);
			return;
		}
	} while (go_on(v)); /* after a slow client, drain goes on with it */
}

/* ---- what the server tells ---- */

static const struct server_ops visit_ops;

static void on_head(void *context, struct request *q)
{
	struct mock *m = context;
	struct visit *v;

	if (mock_socket_wants(q->head)) {
		mock_socket_begin(&m->host, q);
		return;
	}
	v = mem_alloc(sizeof(*v));
	*v = (struct visit){ .visitor = { &visit_ops }, .m = m, .q = q, .begun_ns = clock_mono_ns() };
	arena_init(&v->arena);
	buf_init(&v->body);
	buf_init(&v->out);
	v->method = arena_copy(&v->arena, q->head->method);
	v->x.path = v->x.model = STR("");
	v->m->count++;
	q->own = v;
}

static void on_body(struct request *q, struct str bytes)
{
	struct visit *v = q->own;

	buf_add_str(&v->body, bytes);
}

/* The answer is decided when the request is complete. Its delays count from here. */
static void on_end(struct request *q)
{
	struct visit *v = q->own;

	v->arrived_ns = request_came_ns(q);
	if (!v->arrived_ns)
		v->arrived_ns = clock_mono_ns();
	mock_answer_make(&v->m->maker, &v->arena, q->head, buf_str(&v->body), &v->x);
	buf_free(&v->body); /* a stream may last long */
	buf_init(&v->body);
	v->due = uv_now(v->m->loop);
	if (!is_due(v, v->x.delay_ms)) {
		wait_until_due(v);
		return;
	}
	v->busy = true;
	begin_answer(v);
	if (v->q)
		pump(v);
	leave(v);
}

static void on_drain(struct request *q)
{
	struct visit *v = q->own;

	if (v->waiting || v->busy)
		return;
	v->busy = true;
	pump(v);
	leave(v);
}

/* While `busy` somebody up the stack still uses the visit, and frees it (leave). */
static void on_gone(struct request *q, bool whole)
{
	struct visit *v = q->own;

	log_answer(v->m, &(struct mock_logged){ .method = v->method, .answer = &v->x, .answered = v->answered,
						.whole = whole, .begun_ns = v->begun_ns,
						.arrived_ns = v->arrived_ns, .first_ns = v->first_ns });
	v->q = NULL;
	if (v->has_timer)
		uv_timer_stop(&v->timer);
	if (!v->busy)
		visit_release(v);
}

/* ---- all ---- */

static const struct server_ops visit_ops = {
	.body = on_body,
	.end = on_end,
	.drain = on_drain,
	.gone = on_gone,
};

/* Whoever began with a request is told of it. */
static const struct server_ops *ops_of(const struct request *q)
{
	return ((const struct mock_visitor *)q->own)->ops;
}

static void pass_body(struct request *q, struct str bytes)
{
	ops_of(q)->body(q, bytes);
}

static void pass_end(struct request *q)
{
	ops_of(q)->end(q);
}

static void pass_drain(struct request *q)
{
	ops_of(q)->drain(q);
}

static void pass_gone(struct request *q, bool whole)
{
	ops_of(q)->gone(q, whole);
}

static const struct server_ops ops = {
	.head = on_head,
	.body = pass_body,
	.end = pass_end,
	.drain = pass_drain,
	.gone = pass_gone,
};

struct mock *mock_open(uv_loop_t *loop, const struct mock_options *o, struct err *err)
{
	struct mock *m = mem_alloc(sizeof(*m));
	struct server_options so = {
		.host = o->host,
		.port = o->port,
		.limits = { .body = MOCK_BODY_MOST },
		.connections = CONNECTIONS,
		.idle_ms = IDLE_MS,
		.stamps = o->log != NULL,
		.guard = o->guard,
		.ops = &ops,
		.context = m,
	};

	*m = (struct mock){ .o = *o, .loop = loop };
	mock_maker_init(&m->maker, o->script);
	m->host = (struct mock_host){ .loop = loop, .maker = &m->maker, .count = &m->count, .log = log_answer,
				      .refuses = o->script && o->script->no_websocket, .context = m };
	m->server = server_open(loop, &so, err);
	if (m->server)
		return m;
	mock_maker_free(&m->maker);
	mem_free(m);
	return NULL;
}

uint16_t mock_port(const struct mock *m)
{
	return server_port(m->server);
}

size_t mock_count(const struct mock *m)
{
	return m->count;
}

void mock_stop(struct mock *m, bool now)
{
	server_stop(m->server, now);
}

void mock_close(struct mock *m)
{
	server_close(m->server);
	mock_maker_free(&m->maker);
	mem_free(m);
}
