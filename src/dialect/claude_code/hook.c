/*
 * Events of Claude Code's hooks. Tried with 2.1: every event has session_id, those of a sub-agent agent_id too; events
 * of tools have tool_use_id, which is the id that the model gave, but PermissionRequest has none. duration_ms is the
 * tool's own time, without the dialog before it. No event tells that a person allowed or refused: the tool's end does.
 */
#include "dialect/claude_code/hook.h"

enum claude_part {
	CLAUDE_TOOL = 1,   /* tool_name, tool_use_id */
	CLAUDE_RESULT = 2, /* tool_response, duration_ms */
	CLAUDE_FAILED = 4,
	CLAUDE_NOTICE = 8, /* notification_type decides */
	CLAUDE_PROMPT = 16, /* not every prompt is a person's */
	CLAUDE_AGENT_TYPE = 32,
	CLAUDE_SERVER = 64, /* mcp_server_name */
	CLAUDE_DENIED = 128, /* a wait is over with it */
};

static const struct claude_event {
	struct str name;
	enum sight_kind kind;
	unsigned parts;
} claude_events[] = {
	{ { "PreToolUse", 10 }, SIGHT_TOOL_BEGIN, CLAUDE_TOOL },
	{ { "PostToolUse", 11 }, SIGHT_TOOL_END, CLAUDE_TOOL | CLAUDE_RESULT },
	{ { "PostToolUseFailure", 18 }, SIGHT_TOOL_END, CLAUDE_TOOL | CLAUDE_RESULT | CLAUDE_FAILED },
	{ { "PermissionRequest", 17 }, SIGHT_WAIT_BEGIN, CLAUDE_TOOL },
	{ { "PermissionDenied", 16 }, SIGHT_TOOL_END, CLAUDE_TOOL | CLAUDE_FAILED | CLAUDE_DENIED },
	{ { "Notification", 12 }, SIGHT_WAIT_BEGIN, CLAUDE_NOTICE },
	{ { "Elicitation", 11 }, SIGHT_WAIT_BEGIN, CLAUDE_SERVER },
	{ { "ElicitationResult", 17 }, SIGHT_WAIT_END, CLAUDE_SERVER },
	{ { "UserPromptSubmit", 16 }, SIGHT_INPUT, CLAUDE_PROMPT },
	{ { "SubagentStart", 13 }, SIGHT_AGENT_BEGIN, CLAUDE_AGENT_TYPE },
	{ { "SubagentStop", 12 }, SIGHT_AGENT_END, CLAUDE_AGENT_TYPE },
	{ { "SessionStart", 12 }, SIGHT_SPAN, 0 },
	{ { "SessionEnd", 10 }, SIGHT_SPAN, 0 },
};

static const struct claude_event *claude_event_of(struct val told)
{
	struct val name = val_get(told, STR("hook_event_name"));

	for (size_t i = 0; i < COUNT(claude_events); i++)
		if (val_text_is(name, claude_events[i].name))
			return &claude_events[i];
	return NULL;
}

/*
 * Only that it waits for the next prompt. Permissions and elicitations have events of their own, which name the tool;
 * others tell of signing in, or of work that is done.
 */
static bool claude_is_wait(struct val told)
{
	return val_text_is(val_get(told, STR("notification_type")), STR("idle_prompt"));
}

/* What the client says in the user's name when a background task has ended. */
static bool claude_is_notification(struct arena *a, struct val told)
{
	return str_starts(str_trim(val_get_text(told, STR("prompt"), a)), STR("<task-notification>"));
}

static struct sighting claude_sighting(struct arena *a, struct val told, enum sight_kind kind, int64_t ns)
{
	struct sighting s = sighting_of(kind, SIGHT_HOOK);
	bool over = kind == SIGHT_TOOL_END || kind == SIGHT_WAIT_END || kind == SIGHT_AGENT_END;

	*(over ? &s.ended_ns : &s.begun_ns) = ns;
	s.framework = STR("claude_code");
	s.session = hook_id(a, told, STR("session_id"));
	s.agent = hook_id(a, told, STR("agent_id"));
	return s;
}

static void claude_read_tool(struct arena *a, struct val told, const struct claude_event *e, struct sighting *s)
{
	s->call = hook_id(a, told, STR("tool_use_id"));
	s->name = hook_name(a, told, STR("tool_name"));
	s->failed = e->parts & CLAUDE_FAILED;
	s->partial = val_is(val_get(told, STR("is_interrupt")), JSON_TRUE);
	if (!(e->parts & CLAUDE_RESULT))
		return;
	s->wall_ns = hook_ms(told, STR("duration_ms"));
	hook_result(a, val_get_either(told, STR("tool_response"), STR("error")), s);
}

/* The result of a call that began a sub-agent names it: the only place where both are together. */
static size_t claude_read_begun(struct arena *a, struct val told, const struct sighting *end, struct sighting *s)
{
	struct str agent = hook_id(a, val_get(told, STR("tool_response")), STR("agentId"));

	if (!agent.p || !end->call.p)
		return 0;
	*s = sighting_of(SIGHT_AGENT_BEGIN, SIGHT_HOOK);
	s->session = end->session;
	s->agent = agent;
	s->parent_agent = end->agent;
	s->call = end->call;
	return 1;
}

size_t claude_hook_see(struct arena *a, struct val told, int64_t ns, struct sighting out[HOOK_SIGHTINGS])
{
	const struct claude_event *e = claude_event_of(told);
	struct sighting *s = out;

	if (!e || ((e->parts & CLAUDE_NOTICE) && !claude_is_wait(told)) ||
	    ((e->parts & CLAUDE_PROMPT) && claude_is_notification(a, told)))
		return 0;
	if (e->parts & CLAUDE_DENIED) {
		*s = claude_sighting(a, told, SIGHT_WAIT_END, ns);
		s->call = hook_id(a, told, STR("tool_use_id"));
		s++;
	}
	*s = claude_sighting(a, told, e->kind, ns);
	if (e->parts & CLAUDE_TOOL)
		claude_read_tool(a, told, e, s);
	if (e->parts & CLAUDE_AGENT_TYPE)
		s->name = hook_name(a, told, STR("agent_type"));
	if (e->parts & CLAUDE_PROMPT) /* not a call's, but an id all the same: two hooks may tell of it */
		s->call = hook_id(a, told, STR("prompt_id"));
	if (e->parts & CLAUDE_SERVER)
		s->server = hook_name(a, told, STR("mcp_server_name"));
	if (e->parts & CLAUDE_RESULT)
		s += claude_read_begun(a, told, s, s + 1);
	return (size_t)(s - out) + 1;
}
