/* Gathers a body, asks the witness in one piece, and answers: the loop stands still while the disk syncs. */
#include "notary/witness_server.h"

#include "base/arena.h"
#include "base/clock.h"
#include "net/server/server.h"

enum {
	CONNECTIONS = 256,
	HEAD_MS = 10 * 1000,
	IDLE_MS = 60 * 1000, /* a question is small: who takes longer is not asking */
};

struct witness_server {
	struct witness_server_options o;
	struct server *server;
};

/* A request. */
struct visit {
	struct witness_server *s;
	uint64_t until_ns;
	struct buf body;
	struct arena arena;
};

static void on_head(void *context, struct request *q)
{
	struct visit *v = mem_alloc(sizeof(*v));

	*v = (struct visit){ .s = context };
	v->until_ns = clock_mono_ns() + (uint64_t)(v->s->o.patience_ms ? v->s->o.patience_ms : IDLE_MS) * 1000000;
	buf_init(&v->body);
	arena_init(&v->arena);
	q->own = v;
}

/* The server's limit on bodies keeps it small; who sends a byte now and then would keep a place for ever. */
static void on_body(struct request *q, struct str bytes)
{
	struct visit *v = q->own;

	if (clock_mono_ns() > v->until_ns)
		request_abort(q);
	else
		buf_add_str(&v->body, bytes);
}

/* The request is whole. Other paths and methods are answered here, without asking the witness. */
static void on_end(struct request *q)
{
	struct visit *v = q->own;
	struct witness_server *s = v->s;
	struct witness_answer x = { .media = "text/plain; charset=utf-8" };
	struct http_header headers[2];

	if (!str_eq(q->head->target, STR("/add-checkpoint"))) {
		x.status = 404;
		x.body = STR("there is nothing here but /add-checkpoint\n");
	} else if (!str_eq(q->head->method, STR("POST"))) {
		x.status = 405;
		x.body = STR("checkpoints are sent with POST\n");
	} else {
		witness_add_checkpoint(s->o.witness, &v->arena, buf_str(&v->body), &x);
	}
	headers[0] = (struct http_header){ STR("Content-Type"), str_from(x.media) };
	headers[1] = (struct http_header){ STR("Allow"), STR("POST") };
	if (s->o.told)
		s->o.told(s->o.context, x.status, x.body, x.trouble);
	request_reply(q, x.status, headers, x.status == 405 ? 2 : 1, x.body);
}

static void on_gone(struct request *q, bool whole)
{
	struct visit *v = q->own;

	(void)whole;
	buf_free(&v->body);
	arena_free(&v->arena);
	mem_free(v);
}

static const struct server_ops ops = { .head = on_head, .body = on_body, .end = on_end, .gone = on_gone };

struct witness_server *witness_server_open(uv_loop_t *loop, const struct witness_server_options *o, struct err *err)
{
	struct witness_server *s = mem_alloc(sizeof(*s));
	struct server_options so = {
		.host = o->host,
		.port = o->port,
		.limits = { .body = WITNESS_BODY_MAX },
		.connections = CONNECTIONS,
		.head_ms = HEAD_MS,
		.idle_ms = IDLE_MS,
		.guard = { .open = true }, /* logs of others ask it by its public name, and it has nothing to hide */
		.ops = &ops,
		.context = s,
	};

	*s = (struct witness_server){ .o = *o };
	s->server = server_open(loop, &so, err);
	if (s->server)
		return s;
	mem_free(s);
	return NULL;
}

uint16_t witness_server_port(const struct witness_server *s)
{
	return server_port(s->server);
}

void witness_server_stop(struct witness_server *s, bool now)
{
	server_stop(s->server, now);
}

void witness_server_close(struct witness_server *s)
{
	if (!s)
		return;
	server_close(s->server);
	mem_free(s);
}
