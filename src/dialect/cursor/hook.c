/*
 * Events of Cursor's hooks. conversation_id is the session. Shell commands and MCP tools are told twice, by events of
 * their own (beforeShellExecution, afterMCPExecution and so on, without an id) and by those of all tools (with
 * tool_use_id): only the latter are read, so that no call is seen twice.
 */
#include "dialect/cursor/hook.h"

enum cursor_part {
	CURSOR_TOOL = 1,   /* tool_name, tool_use_id */
	CURSOR_RESULT = 2, /* tool_output, duration */
	CURSOR_FAILED = 4,
	CURSOR_AGENT = 8,  /* subagent_id, subagent_type */
};

static const struct cursor_event {
	struct str name;
	enum sight_kind kind;
	unsigned parts;
} cursor_events[] = {
	{ { "preToolUse", 10 }, SIGHT_TOOL_BEGIN, CURSOR_TOOL },
	{ { "postToolUse", 11 }, SIGHT_TOOL_END, CURSOR_TOOL | CURSOR_RESULT },
	{ { "postToolUseFailure", 18 }, SIGHT_TOOL_END, CURSOR_TOOL | CURSOR_RESULT | CURSOR_FAILED },
	{ { "beforeSubmitPrompt", 18 }, SIGHT_INPUT, 0 },
	{ { "subagentStart", 13 }, SIGHT_AGENT_BEGIN, CURSOR_AGENT },
	{ { "subagentStop", 12 }, SIGHT_AGENT_END, CURSOR_AGENT },
	{ { "sessionStart", 12 }, SIGHT_SPAN, 0 },
	{ { "sessionEnd", 10 }, SIGHT_SPAN, 0 },
};

static const struct cursor_event *cursor_event_of(struct val told)
{
	struct val name = val_get(told, STR("hook_event_name"));

	for (size_t i = 0; i < COUNT(cursor_events); i++)
		if (val_text_is(name, cursor_events[i].name))
			return &cursor_events[i];
	return NULL;
}

/* The time of a hook that comes behind a tool, less the tool's own, is when it began. */
static void cursor_read_result(struct arena *a, struct val told, struct sighting *s)
{
	struct val type = val_get(told, STR("failure_type"));

	s->wall_ns = hook_ms(told, STR("duration"));
	if (s->wall_ns >= 0 && s->wall_ns <= s->ended_ns)
		s->begun_ns = s->ended_ns - s->wall_ns;
	s->partial = val_text_is(type, STR("timeout")) || val_is(val_get(told, STR("is_interrupt")), JSON_TRUE);
	hook_result(a, val_get_either(told, STR("tool_output"), STR("error_message")), s);
}

static void cursor_read_agent(struct arena *a, struct val told, struct sighting *s)
{
	s->agent = hook_id(a, told, STR("subagent_id"));
	s->call = hook_id(a, told, STR("tool_call_id"));
	s->name = hook_name(a, told, STR("subagent_type"));
	s->failed = val_text_is(val_get(told, STR("status")), STR("error"));
	if (s->kind == SIGHT_AGENT_END)
		s->wall_ns = hook_ms(told, val_has(told, STR("duration_ms")) ? STR("duration_ms") : STR("duration"));
}

size_t cursor_hook_see(struct arena *a, struct val told, int64_t ns, struct sighting out[HOOK_SIGHTINGS])
{
	const struct cursor_event *e = cursor_event_of(told);

	if (!e)
		return 0;
	*out = sighting_of(e->kind, SIGHT_HOOK);
	*(e->kind == SIGHT_TOOL_END || e->kind == SIGHT_AGENT_END ? &out->ended_ns : &out->begun_ns) = ns;
	out->session = hook_id(a, told, STR("conversation_id"));
	out->framework = STR("cursor_sdk");
	out->framework_version = hook_id(a, told, STR("cursor_version"));
	if (e->kind == SIGHT_INPUT)
		out->call = hook_id(a, told, STR("generation_id"));
	if (e->parts & CURSOR_TOOL) {
		out->call = hook_id(a, told, STR("tool_use_id"));
		out->name = hook_name(a, told, STR("tool_name"));
		out->failed = e->parts & CURSOR_FAILED;
	}
	if (e->parts & CURSOR_RESULT)
		cursor_read_result(a, told, out);
	if (e->parts & CURSOR_AGENT)
		cursor_read_agent(a, told, out);
	return 1;
}
