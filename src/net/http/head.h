/*
 * A head, line by line: what stands in it is checked when its line is complete, bytes that no head may have as soon as
 * they come. The faults found, and their order, do not depend on the pieces the bytes come in.
 */
#ifndef NET_HTTP_HEAD_H
#define NET_HTTP_HEAD_H

#include "net/http/http.h"

/* Where something stands in the text, which moves while it grows. */
struct http_span {
	size_t at, n;
};

struct http_place {
	struct http_span name, value;
};

struct http_gather {
	enum http_side side;
	struct http_limits limits; /* with the defaults filled in */
	struct buf text;
	size_t line;    /* where the line at hand begins */
	size_t seen;    /* bytes up to here are no control characters */
	unsigned blank; /* empty lines before the first one */
	bool begun;     /* the first line is complete */
	struct http_place *places;
	struct http_header *headers;
	size_t count, room;
	struct http_span method, target, reason;
	/* what the headers say */
	bool has_length, chunked, has_host;
	bool tunnel; /* the method is CONNECT */
	bool close, keep, wants_upgrade, has_upgrade;
	uint64_t length;
	struct http_head head;
	const char *why; /* NULL: nothing is wrong */
	int status;
};

enum http_gathered { HTTP_GATHER_MORE, HTTP_GATHER_WHOLE, HTTP_GATHER_BAD };

/* Empty; zeros of the limits stand for their defaults. */
void http_gather_init(struct http_gather *g, enum http_side side, const struct http_limits *limits);

/* Frees the text that g->head points into. */
void http_gather_free(struct http_gather *g);

/* Ready for another head; keeps the memory. */
void http_gather_restart(struct http_gather *g);

/*
 * Takes bytes from the front of *bytes, at most those of one head. With HTTP_GATHER_WHOLE g->head is filled in, and its
 * texts last until g is pushed to, restarted or freed. With HTTP_GATHER_BAD g->why (a constant) and g->status are set;
 * what an answer does wrong is always 502. `answers_head`: an answer to HEAD, which has no body.
 */
enum http_gathered http_gather_push(struct http_gather *g, struct str *bytes, bool answers_head);

/* RFC 9110: token. An empty text is none. */
bool http_is_token(struct str s);

/* Digits only, at least one, at most INT64_MAX. False for anything else; *out may then hold 0. */
bool http_parse_length(struct str s, uint64_t *out);

/* The first byte that no line may have (a control character other than a tab), or n. */
size_t http_find_control(const char *p, size_t n);

#endif
