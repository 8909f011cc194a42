/*
 * An MCP server with us between it and its client: what the client writes to our standard input goes to the server, and
 * what the server writes to our standard output, byte for byte and at once; its standard error is ours. A copy is read
 * (mcp_stream.h), after the bytes have gone on, and the recorder is told what it says. Nothing of that can hold up
 * or stop the server.
 */
#ifndef CAPTURE_MCP_MCP_WRAP_H
#define CAPTURE_MCP_MCP_WRAP_H

#include "base/arena.h"
#include "base/err.h"

struct mcp_wrap_options {
	const char *const *argv; /* NULL-ended: the server */
	const char *const *env;  /* NULL-ended "NAME=value" */
	struct str name;         /* of the server; p NULL: what it calls itself */
	bool set_traceparent, chunks;
	bool content;            /* the recorder keeps it */
	struct str socket;       /* the recorder's; n 0: there is none */
	struct str run, session; /* that the calls are of; p NULL: not known */
	struct str traceparent;  /* of our environment; n 0: none */
};

struct mcp_wrap_outcome {
	int status, signal; /* of the server's end */
	bool heard;         /* a recorder was there at the beginning */
	uint64_t told, dropped; /* lines for the recorder */
	uint64_t too_long;  /* messages that were not read */
};

/*
 * Runs the server until it ends. False and *err only when it cannot be started. Our standard input and output are as
 * they were, but for those whose other end is closed; nobody else uses them meanwhile. SIGPIPE must not end us.
 */
bool mcp_wrap_run(struct arena *a, const struct mcp_wrap_options *o, struct mcp_wrap_outcome *out, struct err *err);

#endif
