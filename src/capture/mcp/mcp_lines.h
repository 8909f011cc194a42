/*
 * The bytes of one direction of an MCP server's standard streams, cut into lines. A line that is longer than
 * MCP_LINE_MOST is only counted; what is held is bounded by that.
 */
#ifndef CAPTURE_MCP_MCP_LINES_H
#define CAPTURE_MCP_MCP_LINES_H

#include "base/buf.h"

#define MCP_LINE_MOST ((size_t)16 << 20)

struct mcp_lines {
	struct buf held;  /* the beginning of a line */
	size_t skipped;   /* bytes of a line that is too long */
	uint64_t count, too_long; /* lines; those that were too long */
};

/*
 * Takes a whole line, without its LF; JSON_PAD readable bytes stand behind it. A line that was too long has p NULL, and
 * n says how long it was.
 */
struct mcp_lines_sink {
	void (*line)(void *context, struct str line);
	void *context;
};

void mcp_lines_init(struct mcp_lines *l);
void mcp_lines_free(struct mcp_lines *l);

/* The bytes must be followed by JSON_PAD readable ones. */
void mcp_lines_push(struct mcp_lines *l, struct str bytes, struct mcp_lines_sink to);

/* The stream is over: what it ended with, though there is no LF, is a line. */
void mcp_lines_end(struct mcp_lines *l, struct mcp_lines_sink to);

#endif
