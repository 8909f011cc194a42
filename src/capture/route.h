/*
 * Where requests go. A route is a service: its name is the first part of a path at our proxy
 * (/openai/v1/chat/completions), its address that of the real service. Clients that cannot be given a path
 * of their own (Ollama's, goose) ask without a name; then the path and the headers tell the service.
 */
#ifndef CAPTURE_ROUTE_H
#define CAPTURE_ROUTE_H

#include "base/arena.h"
#include "dialect/exchange/service.h"
#include "net/proxy.h"

struct route {
	struct str name; /* "openai"; NUL-terminated */
	struct url url;
	const struct service *service; /* NULL: one of the user's own */
	struct str version; /* the address includes it, and the client's path may too: "/v1"; empty for none */
	const char *from; /* who gave the address: a variable, or what routes_set was told; NULL for a public one */
	struct route *next;
};

struct routes {
	struct arena *arena;
	struct route *first;
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

#endif
