/* One call for one request: the pieces of the answer pass, and whoever leaves first ends the other. */
#include "replay/tape_live.h"

#include "json/write.h"
#include "net/http/head.h"

struct tape_live {
	struct tape_visitor visitor; /* first */
	struct tape_host *host;
	struct request *q;          /* NULL when it is gone */
	struct upstream_call *call; /* NULL when it is over */
	bool headed, busy;
};

/* Only when neither side has a use for it any more. */
static void live_rest(struct tape_live *l)
{
	if (l->q || l->call || l->busy)
		return;
	tape_host_leave(l->host);
	mem_free(l);
}

/* ---- what the service says ---- */

static bool live_passes(const struct http_head *h, struct str name)
{
	return !http_name_eq(name, STR("content-length")) && !http_is_hop(h, name);
}

static void live_on_head(void *own, const struct http_head *h)
{
	struct tape_live *l = own;
	struct http_header *headers;
	struct arena a;
	size_t n = 0;

	if (!l->q)
		return;
	arena_init_small(&a);
	headers = arena_array(&a, struct http_header, h->count + 1);
	for (size_t i = 0; i < h->count; i++)
		if (live_passes(h, h->headers[i].name))
			headers[n++] = h->headers[i];
	l->headed = true;
	request_respond(l->q, h->status, headers, n, h->framing == HTTP_LENGTH || h->framing == HTTP_NONE
			? h->framing : HTTP_CHUNKED, h->length);
	arena_free(&a);
}

static void live_on_body(void *own, struct str bytes)
{
	struct tape_live *l = own;

	if (l->q && !request_write(l->q, bytes) && l->call)
		upstream_pause(l->call);
}

static void live_on_end(void *own)
{
	struct tape_live *l = own;

	l->call = NULL;
	l->busy = true;
	if (l->q)
		request_finish(l->q);
	l->busy = false;
	live_rest(l);
}

/* A service that cannot be reached is answered as the recorder answers for it. */
static void live_on_fail(void *own, enum upstream_failure f, const char *why)
{
	static const struct http_header headers[] = { { { "Content-Type", 12 }, { "application/json", 16 } } };
	struct tape_live *l = own;
	struct buf b;

	l->call = NULL;
	l->busy = true;
	if (l->q && l->headed) {
		request_abort(l->q);
	} else if (l->q) {
		buf_init(&b);
		buf_add_str(&b, STR("{\"error\":{\"message\":"));
		json_write_quoted(&b, str_from(why));
		buf_add_str(&b, STR(",\"type\":\"trackway_upstream\"}}\n"));
		request_reply(l->q, f == UPSTREAM_LATE ? 504 : 502, headers, COUNT(headers), buf_str(&b));
		buf_free(&b);
	}
	l->busy = false;
	live_rest(l);
}

static void live_on_upstream_drain(void *own)
{
	(void)own; /* the body was given in one piece */
}

static const struct upstream_ops live_calls = {
	.head = live_on_head,
	.body = live_on_body,
	.end = live_on_end,
	.fail = live_on_fail,
	.drain = live_on_upstream_drain,
};

/* ---- what the client does ---- */

static void live_on_request_body(struct request *q, struct str bytes)
{
	(void)q, (void)bytes; /* it came whole */
}

static void live_on_request_end(struct request *q)
{
	(void)q;
}

static void live_on_drain(struct request *q)
{
	struct tape_live *l = q->own;

	if (l->call)
		upstream_resume(l->call);
}

static void live_on_gone(struct request *q, bool whole)
{
	struct tape_live *l = q->own;

	(void)whole;
	l->q = NULL;
	if (l->call)
		upstream_cancel(l->call);
	l->call = NULL;
	live_rest(l);
}

static const struct server_ops live_ops = {
	.body = live_on_request_body,
	.end = live_on_request_end,
	.drain = live_on_drain,
	.gone = live_on_gone,
};

/* ---- the question ---- */

/* As the client sent them, but for the host, which is another one, and for packing, which nobody could read. */
static size_t live_headers(const struct http_head *h, const struct url *url, struct http_header *out)
{
	size_t n = 0;

	out[n++] = (struct http_header){ STR("Host"), url->authority };
	out[n++] = (struct http_header){ STR("Accept-Encoding"), STR("identity") };
	for (size_t i = 0; i < h->count; i++) {
		struct str name = h->headers[i].name;

		if (live_passes(h, name) && !http_name_eq(name, STR("host")) && !http_name_eq(name, STR("expect")) &&
		    !http_name_eq(name, STR("accept-encoding")))
			out[n++] = h->headers[i];
	}
	return n;
}

void tape_live_begin(struct tape_host *host, struct request *q, const struct tape_way *way, struct str body)
{
	struct tape_live *l = mem_alloc(sizeof(*l));
	struct upstream_request r = { .url = way->url, .method = q->head->method, .target = way->target,
				      .framing = body.n ? HTTP_LENGTH : HTTP_NONE, .length = body.n };
	struct http_header *headers;
	struct arena a;

	*l = (struct tape_live){ .visitor = { &live_ops }, .host = host, .q = q };
	arena_init_small(&a);
	headers = arena_array(&a, struct http_header, q->head->count + 2);
	r.headers = headers;
	r.count = live_headers(q->head, way->url, headers);
	tape_host_enter(host);
	q->own = l;
	l->call = upstream_begin(host->services, &r, &live_calls, l);
	if (body.n)
		upstream_write(l->call, body);
	upstream_finish(l->call);
	arena_free(&a);
}
