/*
 * Follows a directory and serves its metrics, on a libuv loop: a step of the tail at a time, so that no request waits
 * for a large file.
 */
#ifndef WATCH_WATCH_SERVER_H
#define WATCH_WATCH_SERVER_H

#include <uv.h>

#include "base/err.h"
#include "net/guard.h"
#include "watch/tail.h"

struct watch_server_options {
	struct str host; /* "127.0.0.1" when p is NULL */
	uint16_t port;   /* 0: a free one */
	struct guard guard;
	struct tail *tail; /* must live as long as the server */
	/* Told after each pass over the files. May be NULL. */
	void (*passed)(void *context, const struct tail *t);
	void *context;
};

struct watch_server;

/*
 * Listens on the caller's loop. GET and HEAD of /metrics give the metrics, 503 before the first pass is over; / is a
 * short page. NULL and *err when it cannot listen.
 */
struct watch_server *watch_server_open(uv_loop_t *loop, const struct watch_server_options *o, struct err *err);

/* The port it listens on, also when a free one was asked for. */
uint16_t watch_server_port(const struct watch_server *s);

/* Closes all connections and looks at no more files; the loop then runs dry. May be called again. */
void watch_server_stop(struct watch_server *s);

/* After the loop has run dry. Frees the server, not the tail; NULL is fine. */
void watch_server_close(struct watch_server *s);

#endif
