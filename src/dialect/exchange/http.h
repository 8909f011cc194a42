/*
 * What the envelope of an exchange says besides its bodies: where it went, when, how it ended. Headers and addresses
 * that let others in (keys, cookies, tokens) are dropped here, before anything can be kept of them.
 */
#ifndef DIALECT_EXCHANGE_HTTP_H
#define DIALECT_EXCHANGE_HTTP_H

#include "dialect/reading/reading.h"

struct exchange_http {
	struct str endpoint;   /* without user, query and fragment; p NULL when there is none */
	struct str query;      /* without what may be a key; p NULL when there is none */
	struct str request_id; /* the service's */
	int status;            /* 0 when there is none */
	struct moment begun, ended;
	struct amount latency_ms, ttft_ms;
	struct amount usd; /* that a header states */
};

/*
 * The path of an address, without query and fragment, and without slashes at its end; an address without a path gives
 * "". A part of `url`.
 */
struct str exchange_http_path(struct str url);

/* Whether a header of an answer, in any case, has the service's id of the request. */
bool exchange_http_is_id(struct str name);

/*
 * Whether what has this name, a header or a parameter in any case, lets others in. A name of more than 128 bytes does.
 */
bool exchange_http_is_secret(struct str name);

/* An address without "user:password@", query and fragment. In the arena, or a part of `url`. */
struct str exchange_http_clean_url(struct arena *a, struct str url);

/* The parameters of an address that are no keys; p NULL when there are none. */
struct str exchange_http_clean_query(struct arena *a, struct str url);

/* The model that an address names; p NULL when it names none. A part of `url`. */
struct str exchange_http_model(struct str url);

/*
 * Reads it from the envelope and its halves, either of which may be VAL_NONE. *http is set in any case. Secrets are
 * marked as dropped; what was not understood stays for the rest.
 */
void exchange_http_read(struct reading *r, struct exchange_http *http, struct val v, struct val request,
			struct val response);

/*
 * How long after the request the byte before `end` of an answer came, by a list of [offset, microseconds since the one
 * before] (cassette.h of capture). Absent when the list is none. Delays that are negative, or add up to thirty years,
 * make it none.
 */
struct amount exchange_http_arrival(struct val chunks, size_t end);

/* An ERROR for a status that is one, unless the body gave one already among the events from `from` on. */
void exchange_http_add_error(struct reading *r, const struct exchange_http *http, size_t from);

/* Gives the events of an answer, from `from` on, what is known of it; `main` is the one it belongs to. */
void exchange_http_dress(struct reading *r, const struct exchange_http *http, size_t from, size_t main);

#endif
