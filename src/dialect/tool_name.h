/* Names of tools as they are written: an MCP tool has a server, and one name for both in the logs of some vendors. */
#ifndef DIALECT_TOOL_NAME_H
#define DIALECT_TOOL_NAME_H

#include "model/event.h"

/* Without its server and without whatever makes a URI of it; *mcp (may be NULL) whether it has a server. */
struct str tool_name_bare(struct arena *a, const struct event *call, bool *mcp);

/* As a model is told of it: mcp__SERVER__TOOL for one of a server. */
struct str tool_name_full(struct arena *a, const struct event *call);

#endif
