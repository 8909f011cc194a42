/* A witness behind HTTP: POST /add-checkpoint, and nothing else, on a libuv loop. */
#ifndef NOTARY_WITNESS_SERVER_H
#define NOTARY_WITNESS_SERVER_H

#include <uv.h>

#include "base/err.h"
#include "notary/witness.h"

struct witness_server_options {
	struct str host;         /* "127.0.0.1" when p is NULL */
	uint16_t port;           /* 0: a free one */
	struct witness *witness; /* must live as long as the server */
	unsigned patience_ms;    /* for a whole question, however its bytes trickle; 0 means a minute */
	/* Told of each answer; `trouble` (p NULL: none) is for the operator. Texts last for the call. May be NULL. */
	void (*told)(void *context, int status, struct str body, struct str trouble);
	void *context;
};

struct witness_server;

/* Listens on the caller's loop. NULL and *err when it cannot. Bodies are at most WITNESS_BODY_MAX bytes. */
struct witness_server *witness_server_open(uv_loop_t *loop, const struct witness_server_options *o, struct err *err);
/* The port it listens on, also when a free one was asked for. */
uint16_t witness_server_port(const struct witness_server *s);

/* No more connections; with `now` all are closed, else when their requests are answered. */
void witness_server_stop(struct witness_server *s, bool now);

/* After the loop has run dry. Frees the server, not the witness; NULL is fine. */
void witness_server_close(struct witness_server *s);

#endif
