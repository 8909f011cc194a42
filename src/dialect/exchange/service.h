/*
 * The services that clients ask: where each is, how its clients are told to ask elsewhere, and what of a request says
 * that it is for this service. A service is a constant in its vendor's file; the rows of exchange.h name it, several of
 * them where one host has several APIs.
 */
#ifndef DIALECT_EXCHANGE_SERVICE_H
#define DIALECT_EXCHANGE_SERVICE_H

#include "base/arena.h"

#define SERVICE_SIGNS 6 /* texts in paths, and the empty one that ends them */

/* How clients read a variable, where that is not "an address that our name may stand behind". */
enum service_flags {
	SERVICE_BARE = 1,      /* they put the whole path behind the host: there is no place for a name of ours */
	SERVICE_WEBSOCKET = 2, /* the address is one of ws:// or wss://; it never says where the service is */
	SERVICE_IF_SET = 4,    /* being set changes what they do: replaced only where the user has set it */
};

/* A variable that clients read an address from. */
struct service_variable {
	const char *name;
	const char *path; /* what such addresses end in, behind the host: "/v1"; "": they end there */
	unsigned flags;   /* enum service_flags */
};

/* How paths of the service go on behind the version. */
struct service_path {
	struct str begins;   /* "/messages" */
	const char *version; /* that these need: "" for none; NULL: that of the service */
};

struct service {
	const char *name;     /* of its route, and in traces: "openai" */
	const char *alias;    /* another name that traces give it; NULL */
	const char *host;     /* its usual address, without a path; NULL: everybody has one of their own */
	const char *endpoint; /* the public address as traces tell it; NULL: it has none, everybody runs their own */
	const char *version;  /* what stands before the words of its API: "/v1", "/openai/v1"; NULL: nothing */
	/* The paths it has, ended by an empty one. NULL: nothing is known of them, and they pass as they are. */
	const struct service_path *paths;
	/* What its clients read, ended by a NULL name. The first that is set says where the service is. */
	const struct service_variable *variables;
	/* What tells a request that does not name its service; headers are looked at first, then signs. */
	const char *header;               /* only its requests have it; NULL */
	struct str signs[SERVICE_SIGNS];  /* texts in paths of its requests, and of nobody else's */
	bool (*owns_path)(struct str path); /* a path that no text tells; may be NULL */
	bool is_default;                  /* requests that nothing tells are for it. One service has this */
	/* Makes a URL, in the arena, of what its users write for an address. NULL: they write URLs. */
	struct str (*complete)(struct arena *a, struct str address);
};

/* Those that speak the API of another vendor, ended by one without a name. */
extern const struct service service_hosted[];

/* The paths of everybody who speaks OpenAI's APIs, with the version of the service. */
extern const struct service_path service_openai_paths[];

/*
 * The services of all APIs, each once, then those that speak the API of another; *at is 0 for the first. NULL when
 * there are no more.
 */
const struct service *service_next(size_t *at);

/* The service of this name; NULL for none. */
const struct service *service_find(struct str name);

/* Whether requests that do not name a service can be known as this one's. */
bool service_is_told(const struct service *s);

/* Whether a path (with or without query) begins with this part: "/v1" begins "/v1/x" and "/v1?x", not "/v1beta". */
bool service_path_begins(struct str path, struct str part);

/* Whether a part of a path is a version: v1, v2.1, v1beta, v1alpha2. */
bool service_is_version(struct str part);

/*
 * How many bytes at the beginning of a path, or at the end of one, are a version: the service's own (s may be NULL), or
 * a part that is one, or that stands for one ("/v1", "/v1beta", "/beta"). 0 for none.
 */
size_t service_version_first(const struct service *s, struct str path);
size_t service_version_last(const struct service *s, struct str path);

/* The row of a path without its version; NULL when it is none of the service's (s may be NULL). */
const struct service_path *service_find_path(const struct service *s, struct str path);

/*
 * Whether paths of a service begin with this name, so that no route may be called so: "v1", "api". False for an empty
 * name and for one of 64 bytes and more.
 */
bool service_is_root(struct str name);

#endif
