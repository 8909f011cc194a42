/*
 * A second opinion. llhttp reads a head that we have read already; what it refuses we refuse, and where the two readers
 * see another framing the message is refused too: it is the differences between readers that requests are
 * smuggled through. Its names for things collide with ours, so it is included in http/second.c only.
 */
#ifndef NET_HTTP_SECOND_H
#define NET_HTTP_SECOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct http_second {
	size_t headers;
	int status, minor;
	bool has_length, chunked;
	uint64_t length; /* with has_length */
};

/*
 * A whole head, with the empty line at its end. For a request `rest` begins behind the method: which methods there are
 * is not asked of it, but for CONNECT (`tunnel`), whose target is of another kind. False, and *why (llhttp's constant
 * text or ours), when it is refused; *out is then not to be used.
 */
bool http_second_request(struct str rest, bool tunnel, struct http_second *out, const char **why);
bool http_second_answer(struct str head, struct http_second *out, const char **why);

#endif
