/* The lane of MCP behind the door of a replay: a session for each client, or word that the server is to run. */
#ifndef REPLAY_MCP_LANE_DOOR_H
#define REPLAY_MCP_LANE_DOOR_H

#include "replay/door.h"
#include "replay/mcp_lane_live.h"

struct mcp_door {
	struct mcp_lane *lane;
	struct mcp_live *live; /* where the lane's tools run; else NULL */
};

/* The row for door_open. `m` must live as long as the door. */
struct door_lane mcp_door_lane(struct mcp_door *m);

#endif
