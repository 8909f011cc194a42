/*
 * A deterministic model server: the wire shapes of OpenAI, Anthropic, Gemini and Ollama, with answers from a script
 * or, without one, the request's own words. For tests, demonstrations and load: it never asks anything of anybody.
 * doc/mock.md tells what it serves.
 */
#ifndef PROVIDER_MOCK_H
#define PROVIDER_MOCK_H

#include <uv.h>

#include "base/err.h"
#include "net/guard.h"
#include "provider/mock_script.h"

struct mock_options {
	struct str host; /* "127.0.0.1" when p is NULL */
	uint16_t port;   /* 0: a free one */
	struct guard guard; /* who may ask */
	const struct mock_script *script; /* NULL: echoes. Must live as long as the server */
	/*
	 * Told of each request when it is over: a line of JSON without its newline, with method, path (without query),
	 * model, stream, status, ms, rule, whole, id, events, and three times of clock_mono_ns. No content. May be
	 * NULL.
	 */
	void (*log)(void *context, struct str line);
	void *context;
};

struct mock;

/*
 * Listens. NULL and *err when it cannot: ERR_USAGE when the host is not an address, ERR_IO with address and reason when
 * the system refuses. Lives until mock_close.
 */
struct mock *mock_open(uv_loop_t *loop, const struct mock_options *o, struct err *err);
/* The port it listens on, also when 0 was asked for. */
uint16_t mock_port(const struct mock *m);

/* Requests that are not over: a client that reads slowly, or an answer that waits by its script. */
size_t mock_count(const struct mock *m);

/* No more connections; with `now` all are closed, else when their requests are answered. */
void mock_stop(struct mock *m, bool now);

/* Frees the server, after mock_stop and when the loop has run dry. */
void mock_close(struct mock *m);

#endif
