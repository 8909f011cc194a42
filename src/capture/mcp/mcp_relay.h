/*
 * `trackway mcp` in a replay: the server is not started, and its client talks to the replayer at a socket instead
 * (TRACKWAY_REPLAY; replay/door.h has the protocol). Nothing but the server's messages is written to standard output.
 */
#ifndef CAPTURE_MCP_MCP_RELAY_H
#define CAPTURE_MCP_MCP_RELAY_H

#include "base/err.h"
#include "base/str.h"

struct mcp_relay_options {
	struct str socket;
	struct str name;         /* that the user gave the server; p NULL: none */
	const char *const *argv; /* NULL-ended: the server */
};

enum mcp_relay_end {
	MCP_RELAY_OVER, /* the client or the replayer has left */
	MCP_RELAY_RUN,  /* nothing was read or written: the server is to run, and to be told of to that socket */
	MCP_RELAY_FAIL, /* *err: nobody listens there, or what answers is no replayer */
};

/* Passes lines until one of them has left. SIGPIPE must not end us. */
enum mcp_relay_end mcp_relay_run(const struct mcp_relay_options *o, struct err *err);

#endif
