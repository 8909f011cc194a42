/*
 * What passes between an MCP client and a server over standard streams, read from a copy: sightings of its calls
 * (dialect/mcp/calls.h) and, where content is kept, each message for the cassette. Bytes may come in any pieces; what
 * is no message is ignored.
 */
#ifndef CAPTURE_MCP_MCP_STREAM_H
#define CAPTURE_MCP_MCP_STREAM_H

#include "dialect/mcp/calls.h"

struct mcp_stream;

/* The texts need to live only for the call of mcp_stream_open. */
struct mcp_stream_options {
	struct str server, program; /* as mcp_calls_options has them */
	bool content, chunks;
	uint64_t instance; /* tells this server's process from others with its name */
	void (*see)(void *context, const struct sighting *s); /* texts last for the call */
	void *context;
};

/* Never NULL. */
struct mcp_stream *mcp_stream_open(const struct mcp_stream_options *o);
void mcp_stream_close(struct mcp_stream *s);

/* Bytes that one of them sent, at this time (since 1970). They must be followed by JSON_PAD readable ones. */
void mcp_stream_push(struct mcp_stream *s, enum mcp_sender sender, struct str bytes, int64_t ns);

/* Both are over: the last lines are read, and calls that are open end. */
void mcp_stream_end(struct mcp_stream *s, int64_t ns);

/* Lines that were too long to be read. */
uint64_t mcp_stream_too_long(const struct mcp_stream *s);

#endif
