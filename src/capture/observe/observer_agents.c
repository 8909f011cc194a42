/*
 * Which agent asks. Claude Code names the session, the agent and the agent's parent; Codex the session and the thread,
 * and of a thread that another one began that one's; clients with tracing send a traceparent. Hooks inside frameworks
 * name the tool call that a request is made from.
 */
#include "base/ascii.h"
#include "capture/observe/observer_private.h"
#include "dialect/agent_trace/clean.h"
#include "dialect/record/field.h"

enum { CLAUDE_SESSION, CLAUDE_AGENT, CLAUDE_PARENT, CODEX_SESSION, CODEX_THREAD, CODEX_PARENT, CODEX_KIND, TRACE,
       CODEX_WINDOW, OUR_CALL, AGENT_HEADERS };

static const struct str agent_headers[AGENT_HEADERS] = {
	[CLAUDE_SESSION] = WORD("x-claude-code-session-id"),
	[CLAUDE_AGENT] = WORD("x-claude-code-agent-id"),
	[CLAUDE_PARENT] = WORD("x-claude-code-parent-agent-id"),
	[CODEX_SESSION] = WORD("session-id"),
	[CODEX_THREAD] = WORD("thread-id"),
	[CODEX_PARENT] = WORD("x-codex-parent-thread-id"),
	[CODEX_KIND] = WORD("x-openai-subagent"),
	[TRACE] = WORD("traceparent"),
	[CODEX_WINDOW] = WORD("x-codex-window-id"),
	[OUR_CALL] = WORD("x-trackway-call"),
};

static struct str keep_id(struct observer *k, struct str id)
{
	return observer_keep(k, clean_id(id));
}

/* A thread that is not the session's own is an agent. Other clients have a session-id too, but nothing else of this. */
static void read_codex(struct observer *k, const struct str *values)
{
	struct str session = values[CODEX_SESSION], thread = values[CODEX_THREAD], parent = values[CODEX_PARENT];

	if (!parent.p && !values[CODEX_KIND].p && !values[CODEX_WINDOW].p)
		return;
	k->s.session = keep_id(k, session.p ? session : parent);
	if (thread.p && !str_eq(thread, session))
		k->s.agent = keep_id(k, thread);
	else if (parent.p || values[CODEX_KIND].p)
		k->s.agent = keep_id(k, values[CODEX_KIND].p ? values[CODEX_KIND] : STR("subagent"));
	if (parent.p && session.p && !str_eq(parent, session))
		k->s.parent_agent = keep_id(k, parent);
}

/* "00-" 32 hex digits "-" 16 hex digits "-" ...; what looks otherwise, or is all zeros, says nothing. */
static void read_trace(struct observer *k, struct str value)
{
	struct str version, trace, span, rest;

	version = str_cut(value, '-', &rest);
	trace = str_cut(rest, '-', &rest);
	span = str_cut(rest, '-', &rest);
	if (version.n != 2 || trace.n != 32 || span.n != 16)
		return;
	for (size_t i = 0; i < trace.n; i++)
		if (!ascii_is_alnum(trace.p[i]))
			return;
	if (str_eq(trace, STR("00000000000000000000000000000000")))
		return;
	k->s.trace = str_hash(trace) | 1;
	k->s.span = str_hash(span) | 1;
}

/* Clients with other keys are others, whatever they say. */
static uint64_t digest_keys(const struct http_head *h)
{
	static const struct str names[] = {
		WORD("authorization"), WORD("x-api-key"), WORD("x-goog-api-key"), WORD("api-key"),
	};
	uint64_t digest = 0;

	for (size_t i = 0; i < COUNT(names); i++) {
		struct str value = http_find(h, names[i]);

		if (value.p)
			digest += str_hash(value) * (2 * i + 1);
	}
	return digest;
}

bool observer_read_agents(struct observer *k, const struct http_head *h)
{
	struct str values[AGENT_HEADERS] = { { NULL, 0 } };

	for (size_t i = 0; i < h->count; i++)
		for (size_t n = 0; n < AGENT_HEADERS; n++)
			if (str_eq_nocase(h->headers[i].name, agent_headers[n]) && h->headers[i].value.n)
				values[n] = h->headers[i].value;
	k->s.caller = digest_keys(h);
	if (values[OUR_CALL].p)
		k->s.inside_call = keep_id(k, values[OUR_CALL]);
	if (values[TRACE].p)
		read_trace(k, values[TRACE]);
	if (!values[CLAUDE_SESSION].p && !values[CLAUDE_AGENT].p && !values[CLAUDE_PARENT].p) {
		read_codex(k, values);
		return false;
	}
	k->s.session = keep_id(k, values[CLAUDE_SESSION]);
	k->s.agent = keep_id(k, values[CLAUDE_AGENT]);
	k->s.parent_agent = keep_id(k, values[CLAUDE_PARENT]);
	return values[CLAUDE_SESSION].p != NULL;
}
