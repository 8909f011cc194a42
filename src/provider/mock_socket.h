/*
 * The mock over a WebSocket: each message of the type response.create is a request of the Responses API, answered by
 * the same script with the same events, a message each. A request may go on from an answer of the same socket
 * (previous_response_id): then rules see the whole conversation, as they do over plain HTTP. One that only warms up
 * (generate false) is answered with nothing said, and no rule is asked.
 */
#ifndef PROVIDER_MOCK_SOCKET_H
#define PROVIDER_MOCK_SOCKET_H

#include <uv.h>

#include "net/server/server.h"
#include "provider/mock_answer.h"

/* Begins whatever a request's `own` is: who is told of it. */
struct mock_visitor {
	const struct server_ops *ops;
};

/* An answer that is over, for the log. */
struct mock_logged {
	struct str method;
	const struct mock_answer *answer;
	bool answered, whole;
	uint64_t begun_ns, arrived_ns, first_ns; /* by clock_mono_ns; 0: not yet */
};

/* What sockets have of the server they belong to. */
struct mock_host {
	uv_loop_t *loop;
	struct mock_maker *maker;
	bool refuses;   /* requests for a socket are answered 426 */
	size_t *count;  /* of visitors */
	void (*log)(void *context, const struct mock_logged *l);
	void *context;
};

/* Whether a request asks for a socket at a path that has one. */
bool mock_socket_wants(const struct http_head *h);

/* Sets q->own to a visitor, which frees itself when the request is gone. The host must outlive it. */
void mock_socket_begin(const struct mock_host *host, struct request *q);

#endif
