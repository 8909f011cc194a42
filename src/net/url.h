/* Addresses of services: http://[user@]host[:port][/path][?query][#fragment]. */
#ifndef NET_URL_H
#define NET_URL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct url {
	bool tls;             /* https */
	struct str user;      /* "user:password"; p NULL when there is none */
	struct str host;      /* without the brackets of an IPv6 address; NUL-terminated */
	uint16_t port;        /* 80 or 443 when not given */
	struct str authority; /* "host:port" as a Host header has it: without the port when it is the usual one */
	struct str path;      /* without a slash at its end; empty for "/" */
	struct str query;     /* p NULL when there is none */
};

/*
 * All texts of *out live in the arena. False and *err (ERR_USAGE, with an example) when the text is no address; *out is
 * untouched then. A message never shows the text whole, since it may hold a password.
 */
bool url_parse(struct arena *a, struct str text, struct url *out, struct err *err);

/* "http://host:port/path", in the arena: without user, query and fragment, as a trace may have it. */
struct str url_format(struct arena *a, const struct url *u);

/* The value of Authorization for its user, of whom a password may be encoded (%40); p NULL when there is none. */
struct str url_authorization(struct arena *a, const struct url *u);

#endif
