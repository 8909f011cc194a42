/*
 * Inside the upstream: what upstream.c asks of a kind of connection. There are two: upstream_plain (our own) and
 * upstream_curl (TLS, and proxies of the environment). A kind's state in a pool is made when the first call needs
 * it, so a program that never calls https never starts libcurl.
 */
#ifndef NET_UPSTREAM_PRIVATE_H
#define NET_UPSTREAM_PRIVATE_H

#include "net/upstream.h"

/* Begins the call's own struct in each kind. What `begin` gives has kind, ops and own filled in. */
struct upstream_call {
	const struct upstream_kind *kind;
	const struct upstream_ops *ops;
	void *own;
};

struct upstream_kind {
	/* `o` has its zeros replaced by what they mean, and lives as long as the state. */
	void *(*open)(uv_loop_t *loop, const struct upstream_options *o);
	struct upstream_call *(*begin)(void *state, const struct upstream_request *r, const struct upstream_ops *ops,
				       void *own);
	bool (*write)(struct upstream_call *c, struct str bytes);
	void (*finish)(struct upstream_call *c);
	void (*cancel)(struct upstream_call *c);
	void (*pause)(struct upstream_call *c);
	void (*resume)(struct upstream_call *c);
	/* Both NULL: what is written is sent or copied at once, and `settle` of the ops is never called. */
	void (*hold)(struct upstream_call *c);
	bool (*flush)(struct upstream_call *c);
	uint64_t (*came)(const struct upstream_call *c); /* NULL: not known */
	void (*close)(void *state); /* fails the calls that are left (UPSTREAM_CUT), closes every handle */
	void (*free)(void *state);  /* after the loop has run dry */
};

extern const struct upstream_kind upstream_plain, upstream_curl;

/*
 * The proxy that the environment names for this address ("http://proxy:3128"), or NULL when there is none, or NO_PROXY
 * names the host, or the host is this machine. Lower-case names are looked at first, as everybody does.
 */
const char *upstream_env_proxy(const struct url *url);

/*
 * Whether it names one for any address at all: asked once, so that most programs need not ask for each call. A change
 * of the environment after that is not seen.
 */
bool upstream_env_has_proxy(void);

#endif
