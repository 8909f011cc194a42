/*
 * A server with a handler that does what the target says: /reply?N gives N letters in one piece; /echo streams the body
 * back in chunks, /length and /toend in other framings; /early answers at the head; /status/NNN at the end; /short says
 * more than it gives; /tunnel becomes one, until "bye"; /hold waits for the test; /sink only counts; /gush writes without end.
 */
#ifndef UNIT_NET_STAGE_H
#define UNIT_NET_STAGE_H

#include "net/server/server.h"
#include "unit/net/sockets.h"

struct stage {
	uv_loop_t loop;
	struct server *server;
	struct request *held;
	unsigned heads, ends, whole, broken, drains, settles;
	size_t body, gushed, gush; /* gush: bytes to write in all */
	size_t most_queued;
	uint64_t came_ns; /* of the last request that was complete */
	struct buf got;
};

static inline bool stage_is(const struct request *q, const char *target)
{
	return str_starts(q->head->target, str_from(target));
}

/* As much as the client takes. */
static inline void stage_gush(struct request *q)
{
	struct stage *s = q->own;
	static const char piece[16384];

	while (s->gushed < s->gush) {
		bool more = request_write(q, str_of(piece, sizeof(piece)));

		s->gushed += sizeof(piece);
		if (request_queued(q) > s->most_queued)
			s->most_queued = request_queued(q);
		if (!more)
			return;
	}
	request_finish(q);
}

static inline void stage_head(void *context, struct request *q)
{
	struct stage *s = context;
	static const struct http_header upgrade = { { "Upgrade", 7 }, { "bytes", 5 } };

	s->heads++;
	q->own = s;
	if (stage_is(q, "/echo") || stage_is(q, "/up/echo"))
		request_respond(q, 200, NULL, 0, HTTP_CHUNKED, 0);
	else if (stage_is(q, "/length") || stage_is(q, "/up/x"))
		request_respond(q, 200, NULL, 0, HTTP_LENGTH, q->head->length);
	else if (stage_is(q, "/toend"))
		request_respond(q, 200, NULL, 0, HTTP_TO_END, 0);
	else if (stage_is(q, "/short"))
		request_respond(q, 200, NULL, 0, HTTP_LENGTH, q->head->length + 1);
	else if (stage_is(q, "/early"))
		request_reply(q, 403, NULL, 0, STR("no"));
	else if (stage_is(q, "/tunnel"))
		request_respond(q, 101, &upgrade, 1, HTTP_NONE, 0);
	else if (stage_is(q, "/hold"))
		s->held = q;
}

static inline void stage_body(struct request *q, struct str bytes)
{
	struct stage *s = q->own;

	s->body += bytes.n;
	if (s->got.n < 1 << 20)
		buf_add_str(&s->got, bytes);
	if (!stage_is(q, "/reply") && !stage_is(q, "/hold") && !stage_is(q, "/sink"))
		request_write(q, bytes);
	if (stage_is(q, "/tunnel") && str_ends(bytes, STR("bye")))
		request_finish(q);
}

static inline void stage_end(struct request *q)
{
	struct stage *s = q->own;
	static const struct http_header kind = { { "X-Kind", 6 }, { "letters", 7 } };
	const char *t = q->head->target.p;

	s->ends++;
	s->came_ns = request_came_ns(q);
	if (stage_is(q, "/reply")) {
		request_reply(q, 200, &kind, 1, str_of("abcdefghij", (size_t)(t[7] - '0')));
	} else if (stage_is(q, "/status/")) {
		request_reply(q, (t[8] - '0') * 100 + (t[9] - '0') * 10 + t[10] - '0', NULL, 0, STR(""));
	} else if (stage_is(q, "/sink")) {
		request_reply(q, 200, NULL, 0, STR("sunk"));
	} else if (stage_is(q, "/gush")) {
		request_respond(q, 200, NULL, 0, HTTP_CHUNKED, 0);
		stage_gush(q);
	} else if (!stage_is(q, "/hold") && !stage_is(q, "/tunnel")) {
		request_finish(q);
	}
}

static inline void stage_drain(struct request *q)
{
	struct stage *s = q->own;

	s->drains++;
	if (stage_is(q, "/gush"))
		stage_gush(q);
}

static inline void stage_gone(struct request *q, bool whole)
{
	struct stage *s = q->own;

	if (s->held == q)
		s->held = NULL;
	if (whole)
		s->whole++;
	else
		s->broken++;
}

static inline void stage_settle(struct request *q)
{
	((struct stage *)q->own)->settles++;
}

static const struct server_ops stage_ops = {
	.head = stage_head,
	.body = stage_body,
	.end = stage_end,
	.drain = stage_drain,
	.gone = stage_gone,
	.settle = stage_settle,
};

static inline void stage_open_with(struct stage *s, struct server_options o)
{
	struct err err;

	*s = (struct stage){ 0 };
	CHECK(uv_loop_init(&s->loop) == 0);
	o.guard.open = o.guard.host_count == 0; /* the Hosts of tests are any, but for those about Hosts */
	o.ops = &stage_ops;
	o.context = s;
	s->server = server_open(&s->loop, &o, &err);
	CHECK(s->server != NULL);
}

static inline void stage_open(struct stage *s)
{
	stage_open_with(s, (struct server_options){ 0 });
}

/* Everything that was opened must let go of the loop. */
static inline void stage_close(struct stage *s)
{
	server_stop(s->server, true);
	CHECK(uv_run(&s->loop, UV_RUN_DEFAULT) == 0);
	server_close(s->server);
	CHECK(uv_loop_close(&s->loop) == 0);
	buf_free(&s->got);
}

#endif
