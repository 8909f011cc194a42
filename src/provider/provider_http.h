/* Inside the HTTP engine: provider_http.c reads answers, provider_http_ask.c asks and has the clients. */
#ifndef PROVIDER_PROVIDER_HTTP_H
#define PROVIDER_PROVIDER_HTTP_H

#include "dialect/exchange/answer_stream.h"
#include "net/upstream/upstream.h"
#include "provider/provider_row.h"
#include "provider/provider_said.h"

/* What the clients of a pool share. */
struct http_shared {
	struct provider_shared head;
	struct http_call *unused; /* kept for later */
	size_t unused_count, open;
	struct buf body;          /* of the request that is made */
	uv_prepare_t prepare;
	uint64_t poll_ns, poll_idle; /* when the loop went to look for bytes, and how long it had waited till then */
	uint64_t before_ns;          /* when the look before that ended */
};

struct http_client {
	struct upstreams *up;
	struct url url;
};

/* With a thousand of them what each piece needs should lie together. */
struct http_call {
	struct provider_call head;
	struct http_shared *shared;
	struct upstream_call *up; /* NULL: nothing is under way */
	uint64_t now_ns; /* of the bytes at hand */
	size_t bytes;    /* of the body so far */
	bool in_batch, unsent;
	struct answer_stream stream;
	struct provider_said said;
	struct http_call *next; /* of the unused */
	struct arena arena;
	struct buf refusal;
};

/* ---- provider_http.c ---- */

/* What a call is told while its answer comes. */
extern const struct upstream_ops http_call_ops;

/* An unused call, or a new one, with empty buffers; not under way yet. Never NULL. */
struct http_call *http_call_new(struct http_shared *s);

/* Frees the memory of a call that is not under way. */
void http_call_free(struct http_call *c);
void http_call_unlink(struct http_call *c);   /* it is under way no more */
void http_call_put_away(struct http_call *c); /* nobody needs what it has: kept for another question */

/*
 * All that is known is put into c->a; its texts last until the call is put away. `closed`: the answer ended as it
 * should; `why`, the reason it did not, may be NULL.
 */
void http_call_settle(struct http_call *c, bool closed, const char *why);

/* The same, and whoever asked is told. The call is gone. */
void http_call_finish(struct http_call *c, bool closed, const char *why);

/* Of the loop's prepare handle: a poll follows. */
void http_before_poll(uv_prepare_t *h);

#endif
