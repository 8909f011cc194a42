/*
 * Who may ask a server of this machine. A web page in the user's browser can send requests to loopback: with its own
 * name as Host, when that name is led to 127.0.0.1 (DNS rebinding; the page then reads the answers too), or to our
 * address with an Origin. So a request is taken when its Host is one of the server's own, and when no page sent it.
 */
#ifndef NET_GUARD_H
#define NET_GUARD_H

#include "base/err.h"
#include "net/http/http.h"

struct guard {
	const struct str *hosts; /* further ones: "name" (any port) or "name:port" */
	size_t host_count;
	const struct str *origins; /* pages that may ask: "https://app.example", "null" */
	size_t origin_count;
	bool open; /* no check at all: for a service of the public, which is asked by names that it does not know */
};

/*
 * Whether a server that listens on `address` (p NULL: 127.0.0.1) and `port` takes a request with this head. Its own
 * hosts are 127.0.0.1, localhost and [::1] with that port; where it listens beyond loopback, any address with the port,
 * for no page has an address as its name. False: *why is a sentence with the remedy.
 */
bool guard_admits(const struct guard *g, struct str address, uint16_t port, const struct http_head *h,
		  const char **why);

/* Whether "host:port" (80 where there is none) is one of the server's own hosts, or a further one of the guard's. */
bool guard_is_own(const struct guard *g, struct str address, uint16_t port, struct str host);

/* Whether these can be entries of a guard. False and *err (ERR_USAGE, with what is right). Nothing is looked up. */
bool guard_check_host(struct str host, struct err *err);
bool guard_check_origin(struct str origin, struct err *err);

#endif
