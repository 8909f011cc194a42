/* Names of tools as they are written: an MCP tool has a server, and one name for both in the logs of some vendors. */
#ifndef DIALECT_READING_TOOL_NAME_H
#define DIALECT_READING_TOOL_NAME_H

#include "model/event.h"

/*
 * As a trace has it: bare, without whatever makes a URI of it, and SERVER.TOOL for one of a server, so that tools of
 * two servers stay two. *mcp (may be NULL) says whether it has a server. In the arena, or the event's own text.
 */
struct str tool_name_trace(struct arena *a, const struct event *call, bool *mcp);

/*
 * As a model is told of it: mcp__SERVER__TOOL for one of a server. One that is written so already stays as it is.
 * Lives as above.
 */
struct str tool_name_full(struct arena *a, const struct event *call);

#endif
