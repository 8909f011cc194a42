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
	if (mcp)
		*mcp = server.p != NULL;
	return server.n ? ARENA_JOIN(a, server, STR("."), name) : name;
}

struct str tool_name_full(struct arena *a, const struct event *call)
{
	struct str server, name;
	char *text;

	if (!tool_name_split(a, call, &server, &name) || !server.p || str_starts(call->tool, STR("mcp__")))
		return !str_has(call->tool, STR("://")) ? call->tool : name;
	text = arena_array(a, char, server.n + name.n + 8);
	memcpy(text, "mcp__", 5);
	memcpy(text + 5, server.p, server.n);
	memcpy(text + 5 + server.n, "__", 2);
	memcpy(text + 7 + server.n, name.p, name.n);
	return str_of(text, server.n + name.n + 7);
}
