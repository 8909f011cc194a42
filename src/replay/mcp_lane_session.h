/*
 * A client of MCP that is served from the tape: its lines in, the recorded server's lines out, with the ids of this
 * run. It has no streams and no clock of its own: whoever has them gives lines and times, and asks when something is
 * due.
 *
 * A request that the tape has no answer to gets an error with the code RPC_MISS, and what differs in its data.
 */
#ifndef REPLAY_MCP_LANE_SESSION_H
#define REPLAY_MCP_LANE_SESSION_H

#include "replay/mcp_lane.h"

#define MCP_SESSION_OPEN 4096 /* messages of a client that are being served at once */

struct mcp_session;

/* `who` needs to live only until mcp_session_open returns. */
struct mcp_session_options {
	struct mcp_lane *lane;
	struct mcp_caller who;
	void (*send)(void *context, struct str line); /* with its LF; lasts for the call */
	void *context;
};

/* Never NULL. */
struct mcp_session *mcp_session_open(const struct mcp_session_options *o);
void mcp_session_close(struct mcp_session *s);

/* A line of the client, without its end; now_ns is a clock that never goes back. */
void mcp_session_line(struct mcp_session *s, struct str line, uint64_t now_ns);

/* Sends what is due. */
void mcp_session_tick(struct mcp_session *s, uint64_t now_ns);

/* When mcp_session_tick has something to do; UINT64_MAX: never, unless the client says something. */
uint64_t mcp_session_due(const struct mcp_session *s);

#endif
