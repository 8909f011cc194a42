/*
 * MCP over streamable HTTP, read from exchanges that pass the proxy: a request is a POST with a message, its answer is
 * JSON or a stream of events; in 2025-11-25 the server may also speak in the stream of a GET. Gives the same sightings
 * as the wrapper of a server's standard streams (dialect/mcp/calls.h). On the recorder's thread; bytes are only read.
 */
#ifndef CAPTURE_MCP_MCP_HTTP_H
#define CAPTURE_MCP_MCP_HTTP_H

#include "base/budget.h"
#include "capture/observe/observer.h"
#include "model/sighting.h"

#define MCP_HTTP_CONNECTIONS 256 /* that are known at once; the one that was quiet for longest goes */

struct mcp_http;
struct mcp_exchange;

struct mcp_http_options {
	struct budget *room; /* what is held of answers is taken from it */
	void (*see)(void *context, void *run, const struct sighting *s); /* texts last for the call */
	void *context;
};

/* Never NULL. To be closed after its exchanges. */
struct mcp_http *mcp_http_open(const struct mcp_http_options *o);
void mcp_http_close(struct mcp_http *h);

/* The run is no more, and nothing of it is told. */
void mcp_http_forget(struct mcp_http *h, const void *run);

struct mcp_http_request {
	const struct http_head *head;
	struct str body, server; /* server: the name of the route */
	void *run;
	uint64_t number; /* of the exchange, not 0 */
	int64_t ns;      /* when the whole request was here */
};

/* Whether it can be MCP, by its head alone: then nobody is to wait for the rest of its answer. */
bool mcp_http_may_be(const struct http_head *head);

/* Reads a request. NULL: it is none of MCP. */
struct mcp_exchange *mcp_http_begin(struct mcp_http *h, const struct mcp_http_request *r);

/* Its answer, as observer.h has it. NULL is allowed. */
void mcp_exchange_head(struct mcp_exchange *x, const struct http_head *head);
void mcp_exchange_answer(struct mcp_exchange *x, struct str bytes, const struct observer_arrival *arrivals,
			 size_t count, bool lost);
void mcp_exchange_end(struct mcp_exchange *x, enum proxy_end how, int64_t ns);

/* Frees it, at whatever point it is. NULL is allowed. */
void mcp_exchange_close(struct mcp_exchange *x);

#endif
