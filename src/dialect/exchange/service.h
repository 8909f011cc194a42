/*
 * The services that clients ask: where each is, how its clients are told to ask elsewhere, and what of a request says
 * that it is for this service. A service is a constant in its vendor's file; the rows of exchange.h name it, several of
 * them where one host has several APIs.
 */
#ifndef DIALECT_EXCHANGE_SERVICE_H
#define DIALECT_EXCHANGE_SERVICE_H

#include "base/arena.h"

#define SERVICE_ENV 3   /* variables of a kind, and the NULL that ends them */
#define SERVICE_SIGNS 6 /* texts in paths, and the empty one that ends them */

struct service {
	const char *name;     /* of its route, and in traces: "openai" */
	const char *alias;    /* another name that traces give it; NULL */
	const char *host;     /* its usual address, without a path: "https://api.openai.com" */
	const char *endpoint; /* the public address as traces tell it; NULL: it has none, everybody runs their own */
	const char *version;  /* what its base URLs end in: "/v1"; NULL: they end at the host */
	/* What its clients read. The first that is set counts, those of the base before those of the host. */
	const char *base_env[SERVICE_ENV]; /* a base URL */
	const char *host_env[SERVICE_ENV]; /* an address that clients put the whole path behind */
	/* What tells a request that does not name its service; headers are looked at first, then signs. */
	const char *header;               /* only its requests have it; NULL */
	struct str signs[SERVICE_SIGNS];  /* texts in paths of its requests, and of nobody else's */
	bool (*owns_path)(struct str path); /* a path that no text tells; may be NULL */
	bool is_default;                  /* requests that nothing tells are for it. One service has this */
	/* Makes a URL, in the arena, of what its users write for an address. NULL: they write URLs. */
	struct str (*complete)(struct arena *a, struct str address);
};

/* The services of all APIs, each once; *at is 0 for the first. NULL when there are no more. */
const struct service *service_next(size_t *at);

/* Whether a path (with or without query) begins with this part: "/v1" begins "/v1/x" and "/v1?x", not "/v1beta". */
bool service_path_begins(struct str path, struct str part);

/*
 * Whether paths of a service begin with this name, so that no route may be called so: "v1", "api". False for an empty
 * name and for one of 64 bytes and more.
 */
bool service_is_root(struct str name);

#endif
