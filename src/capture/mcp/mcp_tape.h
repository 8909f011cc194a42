/* A message of MCP as a line of the cassette's lane "mcp" (doc/formats/cassette.md), without the numbers of the run. */
#ifndef CAPTURE_MCP_MCP_TAPE_H
#define CAPTURE_MCP_MCP_TAPE_H

#include "base/buf.h"
#include "dialect/mcp/mcp.h"

#define MCP_TAPE_MOST ((size_t)8 << 20) /* bytes of a message that are kept */

struct mcp_tape {
	struct str server;
	uint64_t instance;
	enum mcp_sender sender;
	struct str message;  /* without its LF; p NULL: too long to be kept, n says how long */
	int64_t ns, before_ns; /* when it passed, and the message before it; negative: it is the first */
	const int64_t *progress; /* of the call that it ends: microseconds after its begin */
	size_t progress_count;
};

/* Adds the object, without a line end. */
void mcp_tape_add(struct buf *out, const struct mcp_tape *t);

#endif
