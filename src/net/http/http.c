/*
 * A state machine over messages: the head is http_head's, chunks are http_chunk's; lengths and ends are counted here.
 */
#include "net/http/http.h"

#include <assert.h>

#include "net/http/chunk.h"
#include "net/http/head.h"

enum at {
	AT_HEAD,    /* before a message, or inside its head */
	AT_LENGTH,
	AT_CHUNKS,
	AT_TO_END,
	AT_DONE,    /* HTTP_DONE is still to be given */
	AT_OVER,    /* behind the last message of the connection */
	AT_BAD,
};

struct http_reader {
	enum at at;
	bool given;        /* a head is out: the next message begins with an empty one */
	bool answers_head; /* the answer is to a HEAD request */
	bool after_cr;     /* with AT_OVER */
	uint64_t left;     /* with AT_LENGTH */
	uint64_t taken;    /* with AT_TO_END */
	const char *why;
	int status;
	struct http_chunks chunks;
	struct http_gather gather;
};

struct http_reader *http_reader_open(enum http_side side, const struct http_limits *limits)
{
	struct http_reader *r = mem_alloc(sizeof(*r));

	*r = (struct http_reader){ .at = AT_HEAD };
	http_gather_init(&r->gather, side, limits);
	return r;
}

void http_reader_close(struct http_reader *r)
{
	if (!r)
		return;
	http_gather_free(&r->gather);
	mem_free(r);
}

void http_reader_reset(struct http_reader *r)
{
	http_gather_restart(&r->gather);
	r->at = AT_HEAD;
	r->given = r->answers_head = r->after_cr = false;
	r->why = NULL;
	r->status = 0;
}

void http_reader_expect(struct http_reader *r, struct str method)
{
	r->answers_head = str_eq(method, STR("HEAD"));
}

static enum http_next http_bad(struct http_reader *r, int status, const char *why)
{
	r->at = AT_BAD;
	r->status = r->gather.side == HTTP_RESPONSE ? 502 : status;
	r->why = why;
	return HTTP_BAD;
}

/* The old head goes away only when bytes of the next one are there: callers hold its texts until then. */
static enum http_next read_head(struct http_reader *r, struct str *bytes)
{
	static const enum at after[] = {
		[HTTP_NONE] = AT_DONE, [HTTP_LENGTH] = AT_LENGTH, [HTTP_CHUNKED] = AT_CHUNKS, [HTTP_TO_END] = AT_TO_END,
	};

	if (bytes->n == 0)
		return HTTP_MORE;
	if (r->given) {
		http_gather_restart(&r->gather);
		r->given = false;
	}
	switch (http_gather_push(&r->gather, bytes, r->answers_head)) {
	case HTTP_GATHER_MORE:
		return HTTP_MORE;
	case HTTP_GATHER_BAD:
		return http_bad(r, r->gather.status, r->gather.why);
	case HTTP_GATHER_WHOLE:
		break;
	}
	r->at = after[r->gather.head.framing];
	r->left = r->gather.head.length;
	r->taken = 0;
	r->given = true;
	if (r->at == AT_CHUNKS)
		http_chunks_init(&r->chunks);
	if (r->at == AT_LENGTH && r->left == 0)
		r->at = AT_DONE;
	return HTTP_HEAD;
}

static struct str http_take(struct str *bytes, uint64_t at_most)
{
	struct str piece = str_of(bytes->p, bytes->n < at_most ? bytes->n : (size_t)at_most);

	*bytes = str_skip(*bytes, piece.n);
	return piece;
}

static enum http_next read_length(struct http_reader *r, struct str *bytes, struct str *body)
{
	if (bytes->n == 0)
		return HTTP_MORE;
	*body = http_take(bytes, r->left);
	r->left -= body->n;
	if (r->left == 0)
		r->at = AT_DONE;
	return HTTP_BODY;
}

static enum http_next read_to_end(struct http_reader *r, struct str *bytes, struct str *body)
{
	uint64_t limit = r->gather.limits.body;

	if (bytes->n == 0)
		return HTTP_MORE;
	if (limit && r->taken == limit)
		return http_bad(r, 413, "a body that is too large");
	*body = http_take(bytes, limit ? limit - r->taken : UINT64_MAX);
	r->taken += body->n;
	return HTTP_BODY;
}

/* Between messages. A 1xx answer is followed by another to the same request, so what is expected stays. */
static enum http_next http_finish(struct http_reader *r)
{
	const struct http_head *h = &r->gather.head;
	bool interim = h->status / 100 == 1 && h->status != 101;

	r->at = h->keep_alive || interim ? AT_HEAD : AT_OVER;
	r->answers_head &= interim;
	r->after_cr = false;
	return HTTP_DONE;
}

/* A stray empty line hurts nobody; anything else would be a message that one reader sees and another does not. */
static enum http_next read_over(struct http_reader *r, struct str *bytes)
{
	for (; bytes->n; *bytes = str_skip(*bytes, 1)) {
		if (bytes->p[0] != (r->after_cr ? '\n' : '\r'))
			return http_bad(r, 400, "bytes after the last message of the connection");
		r->after_cr = !r->after_cr;
	}
	return HTTP_MORE;
}

enum http_next http_next(struct http_reader *r, struct str *bytes, struct str *body)
{
	enum http_next next;

	*body = str_of(NULL, 0);
	switch (r->at) {
	case AT_HEAD:
		return read_head(r, bytes);
	case AT_LENGTH:
		return read_length(r, bytes, body);
	case AT_CHUNKS:
		next = http_chunks_next(&r->chunks, &r->gather.limits, bytes, body);
		if (next == HTTP_BAD)
			return http_bad(r, r->chunks.status, r->chunks.why);
		return next == HTTP_DONE ? http_finish(r) : next;
	case AT_TO_END:
		return read_to_end(r, bytes, body);
	case AT_DONE:
		return http_finish(r);
	case AT_OVER:
		return read_over(r, bytes);
	case AT_BAD:
		break;
	}
	return HTTP_BAD;
}

enum http_next http_end(struct http_reader *r)
{
	switch (r->at) {
	case AT_HEAD:
		if (r->given || r->gather.text.n == 0)
			return HTTP_MORE;
		return http_bad(r, 400, "the connection ended inside a head");
	case AT_TO_END:
	case AT_DONE:
		return http_finish(r);
	case AT_OVER:
		return r->after_cr ? http_bad(r, 400, "a CR without an LF") : HTTP_MORE;
	case AT_BAD:
		return HTTP_BAD;
	default:
		return http_bad(r, 400, "the connection ended inside a body");
	}
}

const struct http_head *http_reader_head(const struct http_reader *r)
{
	assert(r->given);
	return &r->gather.head;
}

const char *http_reader_why(const struct http_reader *r)
{
	return r->why;
}

int http_reader_status(const struct http_reader *r)
{
	return r->status;
}
