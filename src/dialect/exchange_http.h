/*
 * What the envelope of an exchange says besides its bodies: where it went, when, how it ended. Headers and addresses
 * that let others in (keys, cookies, tokens) are dropped here, before anything can be kept of them.
 */
#ifndef DIALECT_EXCHANGE_HTTP_H
#define DIALECT_EXCHANGE_HTTP_H

#include "dialect/reading.h"

struct exchange_http {
	struct str endpoint;   /* without user, query and fragment; p NULL when there is none */
	struct str query;      /* without what may be a key; p NULL when there is none */
	struct str request_id; /* the service's */
	int status;            /* 0 when there is none */
	struct moment begun, ended;
	struct amount latency_ms, ttft_ms;
};

/* The path of an address, without query and fragment. */
struct str exchange_http_path(struct str url);

/* Reads it from the envelope and its halves, either of which may be VAL_NONE. */
void exchange_http_read(struct reading *r, struct exchange_http *http, struct val v, struct val request,
			struct val response);

/* An ERROR for a status that is one, unless the body gave one already among the events from `from` on. */
void exchange_http_add_error(struct reading *r, const struct exchange_http *http, size_t from);

/* Gives the events of an answer, from `from` on, what is known of it; `main` is the one it belongs to. */
void exchange_http_dress(struct reading *r, const struct exchange_http *http, size_t from, size_t main);

#endif
