/*
 * Gemini CLI: a base address makes it look for a kind of sign-in that it then refuses (it exits 41), unless its
 * settings have stored a kind that takes addresses. Then it is led; otherwise it must not get the variable.
 */
#include "capture/agents/private.h"

/* The stored kind of sign-in, in the arena; absent for none. */
static struct str gemini_find_kind(struct agent_plan *p, struct str path)
{
	struct str found = { NULL, 0 };
	struct json_parser *parser;
	struct val v;

	parser = agent_parse_settings(agent_read_settings(p, path), &v);
	v = val_get(val_get(val_get(v, STR("security")), STR("auth")), STR("selectedType"));
	if (val_is(v, JSON_STRING))
		found = val_text_copy(v, p->arena);
	json_parser_close(parser);
	return found;
}

bool agent_gemini_read(struct agent_plan *p, struct err *err)
{
	struct str home = agent_variable_of(p, "GEMINI_CLI_HOME"), kind;

	(void)err;
	if (!p->intercept || p->wish == AGENT_WISH_INTERCEPTION)
		return true; /* its user has set an address, or wants none */
	if (!home.p)
		home = agent_variable_of(p, "HOME");
	kind = gemini_find_kind(p, STR(".gemini/settings.json"));
	if (!kind.p && home.p)
		kind = gemini_find_kind(p, ARENA_JOIN(p->arena, home, STR("/.gemini/settings.json")));
	p->intercept = !str_eq(kind, STR("gemini-api-key"));
	if (p->intercept)
		p->without[0] = p->agent->by;
	return true;
}
