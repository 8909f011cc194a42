/*
 * Where requests go. A route is a service: its name is the first part of a path at our proxy
 * (/openai/v1/chat/completions), its address that of the real service. Clients that cannot be given a path
 * of their own (Ollama's, goose) ask without a name; then the path and the headers tell the service. A path without
 * its version gets the one that the service needs, and one that has it twice has it once (service.h has the paths).
 */
#ifndef CAPTURE_ROUTE_H
#define CAPTURE_ROUTE_H

#include "base/arena.h"
#include "dialect/exchange/service.h"
#include "net/proxy.h"

struct route {
	struct str name; /* "openai"; NUL-terminated */
	struct url url; /* its path is what the words of the API follow, a version included: "/x/v1" */
	const struct service *service; /* NULL: one of the user's own */
	struct str version; /* of the service: "/v1"; empty for none */
	struct str hidden;  /* of `root`, a beginning that is our own: a recording leaves it out; p NULL: none */
	struct str root;    /* the path of the address before the version: "/x" */
	bool fixed;         /* the address says its own version, or that there is none: a client's does not count */
	const char *from; /* who gave the address: a variable, or what routes_set was told; NULL for a public one */
	struct url home;  /* where clients go when nobody leads them; host p NULL: nobody knows */
	struct url usual; /* the public address of the service; host p NULL: it has none */
	bool is_set;      /* by routes_set, so that routes_offer leaves it alone */
	const char *header;    /* requests that have it go by the route `account`; NULL for none */
	struct route *account; /* not in the list */
	struct route *next;
};

struct routes {
	struct arena *arena;
	struct route *first;
	struct route *further; /* known by their host only: see routes_add_hosts */
};

/*
 * The services everyone has: from the environment's own base URLs (`get` is getenv), else the public addresses. False
 * and *err (ERR_USAGE), which names the variable, when one is no address. Routes live in the arena.
 */
bool routes_init(struct routes *r, struct arena *a, const char *(*get)(const char *name), struct err *err);

/* Whether a service can have this name: letters, digits, '-' and '_', and not how paths of services begin. */
bool routes_is_name(struct str name);

/*
 * Replaces the address of a service, or adds one; the name must pass routes_is_name. `from` is kept, not copied. False
 * and *err (ERR_USAGE), which begins with `from`, when it is no address.
 */
bool routes_set(struct routes *r, struct str name, struct str address, const char *from, struct err *err);

/* The beginning of its address is our own: a recording leaves it out of paths. There is a service of this name. */
void routes_hide(struct routes *r, struct str name, struct str beginning);

/*
 * The same for an address that was not asked for, such as that of an agent's own settings. One that routes_set gave
 * stays, and this is only where the agent goes when nobody leads it.
 */
bool routes_offer(struct routes *r, struct str name, struct str address, const char *from, struct err *err);

/*
 * Requests for this service with this header (of people who are signed in, for instance) go to another address, which
 * must be one, unless routes_set gave the service's own. The header is kept, not copied.
 */
void routes_offer_account(struct routes *r, struct str name, const char *header, struct str address);

/*
 * When all addresses are there: one with user and password or a query is an error (ERR_USAGE) that names where it came
 * from and shows nothing of it. Clients send these with every request when they are given such an address themselves;
 * we would not, and must not for others.
 */
bool routes_check(const struct routes *r, struct err *err);

/* The route of this name; NULL for none. */
const struct route *routes_find(const struct routes *r, struct str name);

/*
 * Whether a request for this is telemetry (OTLP: /v1/traces, /v1/logs, /v1/metrics), which holds prompts and is for no
 * model's service.
 */
bool routes_is_telemetry(struct str target);

/* The route of a request; *to gets where and for what to ask, in the arena. Never NULL: one route is the default. */
const struct route *routes_choose(const struct routes *r, struct arena *a, const struct http_head *h,
				  struct proxy_destination *to);

/* ---- by host, where connections are intercepted (route_host.c) ---- */

/* Adds routes for further hosts of services, which nothing but their host leads to. Once. */
void routes_add_hosts(struct routes *r);

/* The route of requests to this host and port; NULL: it is no service that is known. */
const struct route *routes_find_host(const struct routes *r, const struct url *host);

/* Whether requests to this host go somewhere else. */
bool routes_is_moved(const struct route *t, const struct url *host);

/*
 * The route of a request that a client sent to this host, and *to as with routes_choose. NULL for a host that is no
 * service: *to then leads to the host itself. The host must live as long as *to.
 */
const struct route *routes_choose_host(const struct routes *r, struct arena *a, const struct http_head *h,
				       const struct url *host, struct proxy_destination *to);

/* The hosts of all routes, each once, in the arena; how many. */
size_t routes_list_hosts(const struct routes *r, struct arena *a, struct str **hosts);

#endif
