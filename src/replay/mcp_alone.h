/* One MCP server of a recorded run, played on our own standard streams: for clients that no replay is around. */
#ifndef REPLAY_MCP_ALONE_H
#define REPLAY_MCP_ALONE_H

#include "replay/mcp_lane.h"

/*
 * Plays the server that `who` stands for until the input ends. `run` is a directory of a run or a cassette. *diverged
 * gets whether something was asked that was not recorded. False and *err when the cassette or the input is broken.
 */
bool mcp_alone_run(struct arena *a, struct str run, const struct mcp_caller *who, int in, int out, bool *diverged,
		   struct err *err);

#endif
