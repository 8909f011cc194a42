/*
 * What the messages of one MCP connection come to, as sightings: when each call of a tool began and ended, and when a
 * person was waited for in between. Both worlds of the protocol are read. In 2025-11-25 a server asks the client
 * (elicitation/create) while a call is open; in 2026-07-28 the answer to the call says "input_required", and the client
 * sends the call again with what was asked for: to us all these rounds are one call. Times are the caller's. Nothing of
 * arguments and results is kept but sizes.
 */
#ifndef DIALECT_MCP_CALLS_H
#define DIALECT_MCP_CALLS_H

#include "dialect/mcp/mcp.h"
#include "json/json.h"
#include "model/sighting.h"

#define MCP_CALLS_OPEN 1024     /* that are followed at once; of more nothing is known */
#define MCP_CALLS_PROGRESS 4096 /* times of progress that are kept of a call */

struct mcp_calls;

/* The texts need to live only for the call of mcp_calls_open. */
struct mcp_calls_options {
	struct str server;  /* the name that the user gave it; n 0: what it calls itself */
	struct str program; /* its name until it tells one */
	bool chunks;        /* keep the times of progress */
	void (*see)(void *context, const struct sighting *s); /* texts last for the call */
	void *context;
};

/* Never NULL. */
struct mcp_calls *mcp_calls_open(const struct mcp_calls_options *o);
void mcp_calls_close(struct mcp_calls *c);

/* By whom, when, and in which exchange of HTTP a message was sent. */
struct mcp_said {
	enum mcp_sender sender;
	uint64_t scope; /* 0: there are no exchanges */
	int64_t ns;
};

/* A message or a batch; anything else is ignored. The value must last for the call. */
void mcp_calls_read(struct mcp_calls *c, struct val v, const struct mcp_said *said);

/*
 * The connection is over, or (scope not 0) an exchange of it: calls that are open there end now, without their result.
 * Those whose answer asked for something ended when it did.
 */
void mcp_calls_end(struct mcp_calls *c, uint64_t scope, bool failed, int64_t ns);

/*
 * An answer of the server passed that could not be read, such as one that is too long: the calls of this exchange end,
 * or (scope 0) the one that is open when there is no other, and nothing is known of their results.
 */
void mcp_calls_unread(struct mcp_calls *c, uint64_t scope, int64_t ns);

/* The server's name, as it is known by now. Lasts until the next message. */
struct str mcp_calls_server(const struct mcp_calls *c);

/*
 * When progress was told of the call that the latest message ended, in microseconds after it began. NULL and *count 0
 * when it ended none. Lasts until the next message.
 */
const int64_t *mcp_calls_progress(const struct mcp_calls *c, size_t *count);

/* The trace and the span of a traceparent, lower case; false when it is none. */
bool mcp_read_traceparent(struct str text, struct str *trace, struct str *span);

#endif
