/* What a cassette holds, without replaying it: how much of what, which requests it has more than once, and whether it
 * can be replayed. */
#ifndef REPLAY_TAPE_STATUS_H
#define REPLAY_TAPE_STATUS_H

#include "replay/match.h"
#include "replay/tape.h"

/* A request that was recorded more than once: its answers are given in their order. */
struct tape_repeat {
	struct str target;
	uint64_t x, count; /* of the first one; how often */
};

struct tape_status {
	uint64_t lanes[4];         /* by enum tape_lane; of TAPE_MCP messages, else exchanges */
	uint64_t streams, sockets; /* answers that are streams of events; requests that came through a WebSocket */
	uint64_t bytes;            /* of requests and answers */
	uint64_t lost;             /* lines with bytes that were not kept: one of them, and nothing can be replayed */
	const struct tape_repeat *repeats;
	size_t repeat_count;
};

/* Texts are the tape's or the arena's. */
void tape_status_read(struct arena *a, const struct tape *t, struct tape_status *out);

/* Whether a body that a replay needs is missing in this line. */
bool tape_status_is_lost(const struct tape_line *l);

#endif
