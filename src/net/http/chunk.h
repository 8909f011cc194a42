/*
 * Chunked bodies (RFC 9112, 7.1), a byte at a time outside the data: sizes in plain hex, extensions by the grammar
 * and without the spaces it tolerates, lines ended by CR LF only. Extensions and trailers are checked and dropped.
 */
#ifndef NET_HTTP_CHUNK_H
#define NET_HTTP_CHUNK_H

#include "net/http/http.h"

enum http_chunk_at {
	HTTP_CHUNK_SIZE_FIRST,
	HTTP_CHUNK_SIZE,
	HTTP_CHUNK_NAME_FIRST, /* of an extension */
	HTTP_CHUNK_NAME,
	HTTP_CHUNK_VALUE_FIRST,
	HTTP_CHUNK_VALUE,
	HTTP_CHUNK_QUOTED,
	HTTP_CHUNK_ESCAPED,
	HTTP_CHUNK_QUOTED_END,
	HTTP_CHUNK_SIZE_LF,
	HTTP_CHUNK_DATA,
	HTTP_CHUNK_DATA_CR,
	HTTP_CHUNK_DATA_LF,
	HTTP_CHUNK_TRAILER_FIRST,
	HTTP_CHUNK_TRAILER_NAME,
	HTTP_CHUNK_TRAILER_VALUE,
	HTTP_CHUNK_TRAILER_LF,
	HTTP_CHUNK_LAST_LF,
	HTTP_CHUNK_OVER,
};

struct http_chunks {
	const char *why;
	enum http_chunk_at at;
	uint64_t left;     /* of the size being read, then of its data */
	unsigned digits;
	uint64_t taken;    /* data, of all chunks */
	size_t extra;      /* bytes of extensions and trailers */
	size_t trailers;
	char name[20];     /* the beginning of a trailer's name, in lower case */
	size_t name_n;
	int status;
};

/* Before the first chunk of a body. Nothing is held, so nothing needs to be freed. */
void http_chunks_init(struct http_chunks *c);

/*
 * HTTP_BODY, HTTP_DONE, HTTP_MORE or HTTP_BAD (c->why, c->status), as http_next; *body is only set with HTTP_BODY and
 * points into *bytes. HTTP_BAD stays. A chunk that would take the body over its limit is refused at its size (413),
 * before any of its data.
 */
enum http_next http_chunks_next(struct http_chunks *c, const struct http_limits *limits, struct str *bytes,
				struct str *body);

#endif
