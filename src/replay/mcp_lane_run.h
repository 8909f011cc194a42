/* One server of MCP, answered from a tape on our own standard streams, without a replay around it. */
#ifndef REPLAY_MCP_LANE_RUN_H
#define REPLAY_MCP_LANE_RUN_H

#include "replay/mcp_lane.h"

/*
 * Reads lines from `in` and writes the server's to `out` until the input ends and all was sent, or nobody reads any
 * more. A line above 64 MiB ends it, too. True unless that or a broken input ended it (*err).
 */
bool mcp_replay_run(struct mcp_lane *lane, const struct mcp_caller *who, int in, int out, struct err *err);

#endif
