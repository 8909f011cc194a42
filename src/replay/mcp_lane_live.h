/*
 * MCP servers that run in a replay (tools are live): what they and their clients say, held against the tape. Messages
 * come as lines for a cassette, as `trackway mcp` tells them to a recorder. A request is asked as if it were to be
 * served; an answer that says something else is noted as drift, which is not fatal by itself.
 */
#ifndef REPLAY_MCP_LANE_LIVE_H
#define REPLAY_MCP_LANE_LIVE_H

#include "replay/mcp_lane.h"

#define MCP_LIVE_OPEN 4096 /* requests without an answer; more are not compared */

struct mcp_live;

/* Never NULL. */
struct mcp_live *mcp_live_open(struct mcp_lane *lane);
void mcp_live_close(struct mcp_live *l);

/* A message: an object with server, instance, from and body. What is no such thing is ignored. */
void mcp_live_see(struct mcp_live *l, struct val tape);

#endif
