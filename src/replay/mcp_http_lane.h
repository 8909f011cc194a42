/*
 * MCP over streamable HTTP, for the server that answers requests from the tape. A POST is an entry of the lane
 * "mcp:PROVIDER"; its answer, JSON or a stream of events, has to have the ids of the live request. The stream of a GET
 * and the DELETE of a session are no entries, since clients try them whenever they like: the recorded answer is given
 * when there is one left, else the protocol's "not offered" (405) and "done" (200).
 *
 * The tape does not have the ids of sessions. An initialize that was answered gets MCP_HTTP_SESSION in the header
 * Mcp-Session-Id; whatever a client sends back there is accepted.
 */
#ifndef REPLAY_MCP_HTTP_LANE_H
#define REPLAY_MCP_HTTP_LANE_H

#include "replay/lane.h"

#define MCP_HTTP_SESSION "replay-1"

struct mcp_http_other;

struct mcp_http_lane {
	struct arena *arena;
	struct lane_entries entries; /* of POST; own: the struct tape_line */
	struct mcp_http_other *others;
};

/* Reads the tape's exchanges of MCP. Lives in the arena, as long as the tape does. */
struct mcp_http_lane *mcp_http_lane_new(struct arena *a, const struct tape *t);

/* The question of a live POST: its body as it is compared. Texts are in the arena or are those given. */
struct match_question mcp_http_lane_ask(struct arena *a, struct str provider, struct str target, struct str body);

struct mcp_http_answer {
	struct str body;
	const struct tape_chunk *chunks; /* with their places in that body */
	size_t chunk_count;
	struct str session; /* the value for Mcp-Session-Id; p NULL: no such header */
};

/*
 * The answer of a recorded POST to a live one. `answer` are the recorded bytes, or those after live values were put
 * into them; then there are no chunks. Texts are in the arena.
 */
void mcp_http_lane_answer(struct arena *a, const struct tape_line *line, struct str answer, struct str live_body,
			  struct mcp_http_answer *out);

/* The answer to a GET or DELETE: a recorded line, which is used then, or NULL and *status. No divergence. */
const struct tape_line *mcp_http_lane_other(struct mcp_http_lane *l, struct str provider, struct str method,
					    struct str target, int *status);

#endif
