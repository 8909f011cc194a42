/* A visit for each request: read whole, asked, and answered in pieces. Sockets are tape_socket.c's. */
#include "replay/tape_server.h"

#include <assert.h>

#include "base/clock.h"
#include "capture/cassette.h"
#include "capture/cassette_unpack.h"
#include "net/http/head.h"
#include "replay/tape_give.h"
#include "replay/tape_host.h"
#include "replay/tape_live.h"
#include "replay/tape_miss.h"
#include "replay/tape_socket.h"
#include "replay/versions.h"

enum {
	VISIT_GATHERED = 16 << 10, /* bytes that go out together when nothing is to be waited for */
	PIECE_COST = 16,           /* of a piece besides its bytes, nearly */
	CONNECTIONS = 16384,
	IDLE_MS = 2 * 60 * 60 * 1000, /* a recorded answer may have taken an hour */
	CONNECT_US = 30 * 1000000,    /* how long the recorder waits for a connection, and for a byte of an answer */
	BYTE_US = 600 * 1000000,
};

struct tape_server {
	struct tape_host host;
	struct server *server;
};

/* A request and its answer. */
struct tape_visit {
	struct tape_visitor visitor; /* first */
	struct tape_give give;
	struct tape_host *host;
	struct request *q; /* NULL when it is gone */
	struct arena arena;
	struct buf body;
	/* the answer */
	int status; /* 0: there is no head to give */
	struct http_header *headers;
	size_t header_count;
	enum http_framing framing;
	uint64_t length;
	enum tape_end end;
	bool is_answering, is_headed, is_held, is_lingering, is_busy;
};

static void visit_free(struct tape_visit *v)
{
	tape_give_stop(&v->give);
	arena_free(&v->arena);
	buf_free(&v->body);
	tape_host_leave(v->host);
	mem_free(v);
}

/* Ends a stretch in which the server may have told us that the request is gone; then it is freed here. */
static void visit_rest(struct tape_visit *v)
{
	v->is_busy = false;
	if (!v->q)
		visit_free(v);
}

/* ---- giving ---- */

static void visit_hold(struct tape_visit *v)
{
	if (!v->is_held)
		request_hold(v->q);
	v->is_held = true;
}

/* False: the client is slow, or gone. */
static bool visit_flush(struct tape_visit *v)
{
	bool fast = true;

	if (v->is_held)
		fast = request_flush(v->q);
	v->is_held = false;
	return fast && v->q;
}

/* As the recorded answer ended. A client that has not left by now is cut off: what follows is not known. */
static void visit_end(struct tape_visit *v)
{
	if (v->end == TAPE_EOF) {
		request_finish(v->q);
	} else if (v->end == TAPE_CLIENT_LEFT && !v->is_lingering) {
		visit_flush(v);
		v->is_lingering = true;
		alarms_set(v->host->alarms, &v->give.alarm, tape_host_patience(v->host));
	} else {
		request_abort(v->q);
	}
}

/* The head goes with the first piece: nothing is recorded of when it came. */
static void visit_head(struct tape_visit *v)
{
	if (v->is_headed || !v->status)
		return;
	v->is_headed = true;
	visit_hold(v);
	request_respond(v->q, v->status, v->headers, v->header_count, v->framing, v->length);
}

/* Until something is to be waited for: time, a slow client, the end. */
static void visit_give(struct tape_visit *v)
{
	size_t gathered = 0;
	struct str piece;

	for (;;) {
		enum tape_given given = tape_give_next(&v->give, &piece);

		if (given == TAPE_GIVE_LATER) {
			visit_flush(v);
			return;
		}
		visit_head(v);
		if (given == TAPE_GIVE_END)
			break;
		visit_hold(v);
		request_write(v->q, piece);
		gathered += piece.n + PIECE_COST;
		if (gathered >= VISIT_GATHERED && !visit_flush(v))
			return; /* drain goes on with it */
		gathered = v->is_held ? gathered : 0;
	}
	visit_end(v);
}

static void visit_ring(struct alarm *a)
{
	struct tape_visit *v = (struct tape_visit *)((uintptr_t)a - offsetof(struct tape_visit, give.alarm));

	v->is_busy = true;
	if (v->is_lingering)
		visit_end(v);
	else
		visit_give(v);
	visit_rest(v);
}

/* ---- answers ---- */

/* What was of the recorded connection, or would be untrue of what is sent now; and what no head may have. */
static bool is_given_header(const struct http_header *h)
{
	static const char *const names[] = { "content-length", "content-encoding", "transfer-encoding", "date",
					     "connection",     "keep-alive",       "upgrade" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (http_name_eq(h->name, str_from(names[i])))
			return false;
	return http_is_token(h->name) && http_find_control(h->value.p, h->value.n) == h->value.n;
}

static struct str visit_copy_headers(struct tape_visit *v, const struct tape_http *h)
{
	struct str type = { NULL, 0 };

	v->headers = arena_array(&v->arena, struct http_header, h->header_count + 1);
	for (size_t i = 0; i < h->header_count; i++) {
		if (!is_given_header(&h->headers[i]))
			continue;
		v->headers[v->header_count++] = h->headers[i];
		if (http_name_eq(h->headers[i].name, STR("content-type")))
			type = h->headers[i].value;
	}
	return type;
}

/* The proxy of the recorder answered itself, and its answer is on no tape: by its time it was the one or the other. */
static struct str visit_make_refusal(struct tape_visit *v, const struct tape_line *line)
{
	int64_t us = line->ended_us - line->begun_us;
	struct str endpoint = line->http.endpoint, host = http_authority(endpoint);
	struct buf b;

	v->headers = arena_new(&v->arena, struct http_header);
	v->headers[v->header_count++] = (struct http_header){ STR("Content-Type"), STR("application/json") };
	v->status = line->http.status;
	if (!v->status)
		v->status = us >= BYTE_US || (us >= CONNECT_US && us < CONNECT_US + 1000000) ? 504 : 502;
	v->end = TAPE_EOF;
	v->framing = HTTP_LENGTH;
	buf_init(&b);
	buf_add_str(&b, STR("{\"error\":{\"message\":"));
	json_write_quoted(&b, ARENA_JOIN(&v->arena, STR("no answer from "), host.n ? host : STR("the service"),
					 STR(": it could not be reached when this was recorded")));
	buf_add_str(&b, STR(",\"type\":\"trackway_upstream\"}}\n"));
	return arena_take(&v->arena, &b);
}

/* One that breaks off has no length, for then a client could not tell. */
static enum http_framing visit_framing(const struct tape_visit *v, const struct tape_http *h, enum tape_form form)
{
	if (str_eq(v->q->head->method, STR("HEAD")))
		return HTTP_NONE;
	if (v->end != TAPE_EOF || (form != TAPE_WHOLE && h->chunk_count))
		return HTTP_CHUNKED;
	return HTTP_LENGTH;
}

static void visit_answer(struct tape_visit *v, const struct tape_line *line, struct str answer)
{
	const struct tape_http *h = &line->http;
	enum tape_form form = TAPE_WHOLE;

	if (h->end == TAPE_REFUSED || (h->status == 0 && h->end == TAPE_EOF)) {
		answer = visit_make_refusal(v, line);
	} else {
		form = tape_form_of(visit_copy_headers(v, h));
		v->status = h->status;
		v->end = h->end == TAPE_EOF && h->answer.lost ? TAPE_CUT : h->end;
		v->framing = visit_framing(v, h, form);
	}
	v->length = answer.n;
	v->is_answering = true;
	tape_give_begin(&v->give, v->host->alarms, tape_host_begun(v->host, v->q), line, answer, form, v->host->o.pace);
	visit_give(v);
}

static void visit_miss(struct tape_visit *v, const struct match_question *q, struct str why)
{
	static const struct http_header headers[] = {
		{ { "Content-Type", 12 }, { "application/json", 16 } },
		{ { "x-should-retry", 14 }, { "false", 5 } },
	};
	struct buf b;
	int status;

	buf_init(&b);
	status = tape_miss_add(&b, q, why);
	request_reply(v->q, status, headers, COUNT(headers), buf_str(&b));
	buf_free(&b);
}

/* ---- questions ---- */

/* The body without its packing, as cassettes have it. */
static struct match_question visit_question(struct tape_visit *v, struct buf *unpacked)
{
	const struct http_head *h = v->q->head;
	struct match_question q = { .lane = STR("model"), .method = h->method, .target = h->target,
				    .versions = versions_of_head(&v->arena, h) };
	struct cassette_half half = { .body = buf_str(&v->body) };

	cassette_unpack(&half, h, &v->arena, unpacked);
	q.body = half.body.p ? half.body : STR("");
	if (v->host->o.ops->route)
		v->host->o.ops->route(v->host->o.context, &v->arena, h, &q);
	q.target = cassette_clean_target(&v->arena, q.target);
	return q;
}

/* True: the service itself is asked, and takes the visit's place. */
static bool visit_goes_out(struct tape_visit *v)
{
	const struct tape_server_ops *ops = v->host->o.ops;
	struct tape_way way = { .url = NULL };

	if (!ops->goes_out || !ops->goes_out(v->host->o.context, &v->arena, v->q->head, &way) || !way.url)
		return false;
	tape_live_begin(v->host, v->q, &way, buf_str(&v->body));
	return true;
}

/* A socket, or a service, may take the visit's place: then the request is no longer its. */
static void visit_decide(struct tape_visit *v, const struct match_question *q)
{
	struct str answer = STR(""), why = STR("");
	const struct tape_line *line = NULL;

	if (!tape_host_ask(v->host, &v->arena, q, &line, &answer, &why)) {
		if (visit_goes_out(v)) {
			v->q = NULL;
			return;
		}
		visit_miss(v, q, why);
	} else if (line->http.status == 101 && tape_socket_is_asked(v->q->head)) {
		tape_socket_begin(v->host, v->q, q);
		v->q = NULL;
	} else if (line->http.status && line->http.status < 200) {
		tape_host_note(v->host, q, "the recorded answer changed to a protocol that cannot be replayed");
		visit_miss(v, q, STR("the recorded answer changed to a protocol that cannot be replayed"));
	} else {
		visit_answer(v, line, answer);
	}
}

/* ---- what the server tells ---- */

static void visit_on_body(struct request *r, struct str bytes)
{
	buf_add_str(&((struct tape_visit *)r->own)->body, bytes);
}

static void visit_on_end(struct request *r)
{
	struct tape_visit *v = r->own;
	struct match_question q;
	struct buf unpacked;

	buf_init(&unpacked);
	v->is_busy = true;
	q = visit_question(v, &unpacked);
	visit_decide(v, &q);
	buf_free(&unpacked);
	buf_free(&v->body); /* a stream may last long */
	visit_rest(v);
}

static void visit_on_drain(struct request *r)
{
	struct tape_visit *v = r->own;

	if (v->is_busy || !v->is_answering || v->is_lingering)
		return;
	v->is_busy = true;
	visit_give(v);
	visit_rest(v);
}

/* While it is busy somebody up the stack still uses the visit, and frees it (visit_rest). */
static void visit_on_gone(struct request *r, bool whole)
{
	struct tape_visit *v = r->own;

	(void)whole;
	v->q = NULL;
	tape_give_stop(&v->give);
	if (!v->is_busy)
		visit_free(v);
}

static const struct server_ops visit_ops = {
	.body = visit_on_body,
	.end = visit_on_end,
	.drain = visit_on_drain,
	.gone = visit_on_gone,
};

static void tape_server_head(void *context, struct request *q)
{
	struct tape_server *s = context;
	struct tape_visit *v = mem_alloc(sizeof(*v));

	*v = (struct tape_visit){ .visitor = { &visit_ops }, .host = &s->host, .q = q };
	v->give.alarm.ring = visit_ring;
	arena_init_small(&v->arena);
	buf_init(&v->body);
	tape_host_enter(&s->host);
	q->own = v;
}

/* Whoever has a request is told of it. */
static const struct server_ops *visitor_of(const struct request *q)
{
	return ((const struct tape_visitor *)q->own)->ops;
}

static void tape_server_body(struct request *q, struct str bytes)
{
	visitor_of(q)->body(q, bytes);
}

static void tape_server_end(struct request *q)
{
	visitor_of(q)->end(q);
}

static void tape_server_drain(struct request *q)
{
	visitor_of(q)->drain(q);
}

static void tape_server_gone(struct request *q, bool whole)
{
	visitor_of(q)->gone(q, whole);
}

static const struct server_ops tape_ops = {
	.head = tape_server_head,
	.body = tape_server_body,
	.end = tape_server_end,
	.drain = tape_server_drain,
	.gone = tape_server_gone,
};

/* ---- all ---- */

struct tape_server *tape_server_open(uv_loop_t *loop, const struct tape_server_options *o, struct err *err)
{
	struct alarms *alarms = alarms_open(loop, err);
	struct tape_server *s;
	struct server_options so = {
		.host = o->host,
		.port = o->port,
		.limits = { .body = TAPE_BODY_MOST },
		.connections = CONNECTIONS,
		.idle_ms = IDLE_MS,
		.stamps = o->pace->speed > 0,
		.guard = o->guard,
		.ops = &tape_ops,
	};

	if (!alarms)
		return NULL;
	s = mem_alloc(sizeof(*s));
	*s = (struct tape_server){ .host = { .o = *o, .loop = loop, .alarms = alarms } };
	answer_parser_init(&s->host.messages);
	if (o->ops->goes_out)
		s->host.services = upstreams_open(loop, &(struct upstream_options){ .idle_ms = BYTE_US / 1000 });
	so.context = s;
	s->server = server_open(loop, &so, err);
	if (s->server)
		return s;
	tape_server_close(s);
	return NULL;
}

uint16_t tape_server_port(const struct tape_server *s)
{
	return server_port(s->server);
}

size_t tape_server_count(const struct tape_server *s)
{
	return s->host.count;
}

void tape_server_stop(struct tape_server *s, bool now)
{
	server_stop(s->server, now);
	if (now && s->host.services)
		upstreams_close(s->host.services);
}

void tape_server_close(struct tape_server *s)
{
	if (s->server)
		server_close(s->server);
	if (s->host.services)
		upstreams_free(s->host.services);
	alarms_close(s->host.alarms);
	answer_parser_free(&s->host.messages);
	mem_free(s);
}
