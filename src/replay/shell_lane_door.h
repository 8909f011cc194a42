/* The lane of commands behind the door of a replay: pieces of output in their order and at their pace, then the end. */
#ifndef REPLAY_SHELL_LANE_DOOR_H
#define REPLAY_SHELL_LANE_DOOR_H

#include "replay/door.h"
#include "replay/shell_lane.h"

/* The row for door_open. The lane must live as long as the door. */
struct door_lane shell_door_lane(struct shell_lane *l);

#endif
