/*
 * The server of a model call. The conventions want its address and its port, never an URL: what else an endpoint says
 * (the scheme, and the path on the server) is in attributes of our own, so that it comes back.
 */
#ifndef DIALECT_OTLP_SERVER_H
#define DIALECT_OTLP_SERVER_H

#include "base/buf.h"
#include "base/str.h"

struct otlp_server {
	struct str scheme;  /* p NULL when it does not say */
	struct str address; /* an IPv6 address without brackets */
	uint16_t port;      /* 0 when neither it nor its scheme says */
	struct str path;    /* with its slash; empty for none */
};

/*
 * Takes an endpoint apart; texts of *out point into it. Users, passwords, queries and fragments are left out. False,
 * with *out undefined, when no server can be found in it.
 */
bool otlp_server_split(struct str endpoint, struct otlp_server *out);

/*
 * Adds the attributes, joined as otlp/put.h says. False, with nothing added, when there is an endpoint and no server
 * in it. An empty one and "unknown" are no endpoint: true.
 */
bool otlp_server_put(struct buf *out, struct str endpoint);

/* Adds the endpoint again; the port is left out when its scheme has it anyway. The address must not be empty. */
void otlp_server_join(struct buf *out, const struct otlp_server *s);

#endif
