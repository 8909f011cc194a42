/*
 * Sets `_meta.traceparent` in requests that have none. Only that is inserted; every other byte of a line stays. Lines
 * that are no request, batches, and lines longer than MCP_LINE_MOST pass as they are.
 */
#ifndef CAPTURE_MCP_MCP_TRACE_H
#define CAPTURE_MCP_MCP_TRACE_H

#include "base/buf.h"

struct json_parser;

/* "00-" trace "-" span "-01" and its terminator. */
#define MCP_TRACEPARENT 56

/* What lines of one direction are held until they are whole. */
struct mcp_trace {
	struct json_parser *parser;
	struct buf held;
	bool passes;      /* the rest of a line that is too long */
	char trace[32];   /* hexadecimal */
	void (*span)(void *out, size_t n); /* random bytes: seed_random */
};

/* `parent` is the value of TRACEPARENT, whose trace is used; n 0 or wrong: a new one. */
void mcp_trace_init(struct mcp_trace *t, struct str parent, void (*random)(void *out, size_t n));
void mcp_trace_free(struct mcp_trace *t);

/* Takes bytes, and adds to `out` what goes on. */
void mcp_trace_push(struct mcp_trace *t, struct str bytes, struct buf *out);

/* The stream is over: what is held goes on as it is. */
void mcp_trace_end(struct mcp_trace *t, struct buf *out);

#endif
