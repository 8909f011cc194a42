/*
 * A server may stand in the event, in a name "mcp__SERVER__TOOL" or in a URI; all three are taken apart in one place.
 */
#include "dialect/reading/tool_name.h"

#include "model/words.h"

/* The parts of a name that is made of several; false for one that is plain. */
static bool tool_name_split(struct arena *a, const struct event *call, struct str *server, struct str *name)
{
	struct str vendor = { NULL, 0 };

	*server = call->server;
	*name = call->tool;
	if (call->server.p)
		return true;
	if (!str_starts(call->tool, STR("mcp__")) && !str_has(call->tool, STR("://")))
		return false;
	words_tool_of_uri(a, words_tool_uri(a, STR("x"), call->server, call->tool), &vendor, server, name);
	return true;
}

struct str tool_name_trace(struct arena *a, const struct event *call, bool *mcp)
{
	struct str server, name;

	tool_name_split(a, call, &server, &name);
	if (str_starts(name, STR("tool://"))) { /* a longer path, as tool://langchain/retriever/NAME: its last word */
		struct str last = ARENA_JOIN(a, STR("tool://x/"), str_basename(name)), vendor;

		words_tool_of_uri(a, last, &vendor, &server, &name);
	}
	if (mcp)
		*mcp = server.p != NULL;
	return server.n ? ARENA_JOIN(a, server, STR("."), name) : name;
}

struct str tool_name_full(struct arena *a, const struct event *call)
{
	struct str server, name;

	if (!tool_name_split(a, call, &server, &name) || !server.p || str_starts(call->tool, STR("mcp__")))
		return !str_has(call->tool, STR("://")) ? call->tool : name;
	return ARENA_JOIN(a, STR("mcp__"), server, STR("__"), name);
}
