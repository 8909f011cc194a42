/* Which proxy the environment names for an address: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY. */
#ifndef NET_UPSTREAM_ENV_H
#define NET_UPSTREAM_ENV_H

#include "net/url.h"

/* A proxy, as a variable has it. */
struct upproxy {
	struct upproxy *next;
	struct str value;         /* as the variable has it */
	const char *variable;     /* the one that names it */
	struct url url;
	struct str authorization; /* "Basic ..."; empty: none */
	struct str why;           /* it cannot be used, and why; empty: it can */
};

/*
 * The value of the variable that names a proxy for this address ("http://proxy:3128"), and the variable; NULL when
 * there is none, or NO_PROXY names the host, or the host is this machine. Lower-case names are looked at first, as
 * everybody does.
 */
const char *upstream_env_proxy(const struct url *url, const char **variable);

/*
 * Whether it names one for any address at all: asked once, so that most programs need not ask for each call. A change
 * of the environment after that is not seen.
 */
bool upstream_env_has_proxy(void);

/*
 * Reads such a value: http:// or https://, or nothing before the host, then http; user and password, percent-encoded
 * where they need it. *out lives in the arena. What is not understood, socks too, is said in out->why, which never
 * shows the value: it may hold a password.
 */
void upstream_env_parse(struct arena *a, const char *value, const char *variable, struct upproxy *out);

#endif
