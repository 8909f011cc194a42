/*
 * Claude Code: the session files it keeps (one line for each block of an answer), and what `claude -p --output-format
 * stream-json` prints, also as one JSON array or captured with both directions.
 */
#include "dialect/claude_code/claude_code.h"

#include "dialect/claude_code/check.h"
#include "dialect/claude_code/rules.h"
#include "dialect/formats.h"
#include "dialect/record/field.h"

/* A kind of line: its type, and members it must have. The first row that fits. */
struct sign {
	struct str type, needs[3];
	int fit;
};

static const struct sign session_signs[] = {
	{ WORD(""), { WORD("sessionId"), WORD("uuid"), WORD("parentUuid") }, 95 },
	{ WORD(""), { WORD("sessionId"), WORD("uuid"), WORD("isSidechain") }, 95 },
	{ WORD(""), { WORD("sessionId"), WORD("uuid"), WORD("message") }, 95 },
	{ WORD("summary"), { WORD("leafUuid"), WORD("summary") }, 92 },
	{ WORD("file-history-snapshot"), { WORD("snapshot"), WORD("messageId") }, 92 },
	{ WORD("queue-operation"), { WORD("operation"), WORD("sessionId") }, 92 },
	{ WORD("ai-title"), { WORD("aiTitle"), WORD("sessionId") }, 92 },
	{ WORD("custom-title"), { WORD("customTitle"), WORD("sessionId") }, 92 },
	{ WORD("last-prompt"), { WORD("lastPrompt"), WORD("sessionId") }, 92 },
	{ WORD("pr-link"), { WORD("prUrl"), WORD("sessionId") }, 92 },
	{ WORD("agent-name"), { WORD("agentName"), WORD("sessionId") }, 92 },
	{ WORD("permission-mode"), { WORD("permissionMode"), WORD("sessionId") }, 92 },
};

/* Cursor's agent prints lines that look alike; it names neither tools nor turns, and its lines have no ids. */
static const struct sign stream_signs[] = {
	{ WORD("system"), { WORD("session_id"), WORD("subtype"), WORD("claude_code_version") }, 95 },
	{ WORD("system"), { WORD("session_id"), WORD("tools"), WORD("mcp_servers") }, 95 },
	{ WORD("system"), { WORD("session_id"), WORD("apiKeySource") }, 0 },
	{ WORD("system"), { WORD("session_id"), WORD("subtype"), WORD("uuid") }, 80 },
	{ WORD("system"), { WORD("session_id"), WORD("subtype"), WORD("model") }, 0 },
	{ WORD("system"), { WORD("session_id"), WORD("subtype") }, 40 },
	{ WORD("assistant"), { WORD("message"), WORD("parent_tool_use_id") }, 85 },
	{ WORD("user"), { WORD("message"), WORD("parent_tool_use_id") }, 85 },
	{ WORD("result"), { WORD("num_turns"), WORD("is_error") }, 85 },
	{ WORD("result"), { WORD("modelUsage"), WORD("is_error") }, 85 },
	{ WORD("stream_event"), { WORD("event"), WORD("session_id") }, 85 },
	{ WORD("control_request"), { WORD("request"), WORD("request_id") }, 80 },
	{ WORD("control_response"), { WORD("response") }, 70 },
	{ WORD("rate_limit_event"), { WORD("rate_limit_info") }, 80 },
	{ WORD("tool_progress"), { WORD("parent_tool_use_id") }, 80 },
};

/* Whether the line has the row's type (empty: any) and all members that it needs. */
static bool shows(struct val v, const struct sign *s)
{
	struct val type = val_get(v, STR("type"));

	if (!val_is(type, JSON_STRING) || (s->type.n && !val_text_is(type, s->type)))
		return false;
	for (size_t i = 0; i < 3 && s->needs[i].n; i++)
		if (!val_has(v, s->needs[i]))
			return false;
	return true;
}

static int fit_of(struct val v, const struct sign *signs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (shows(v, &signs[i]))
			return signs[i].fit;
	return 0;
}

static int line_fits(struct val v)
{
	int fit = fit_of(v, session_signs, COUNT(session_signs));

	return fit ? fit : fit_of(v, stream_signs, COUNT(stream_signs));
}

/* A line of a capture: {"direction":"recv","message":{...}} */
static int captured_fits(struct val v)
{
	int fit = line_fits(v);

	if (!fit && (val_has(v, STR("direction")) || val_has(v, STR("dir"))))
		fit = line_fits(val_get(v, STR("message")));
	return fit;
}

#define LOOK 8 /* values of a list that are looked at */

/* The best of the first LOOK values: a list may begin with lines that say little. */
static int list_fits(struct val list)
{
	struct val_iter it = val_begin(list);
	struct val v;
	int best = 0;

	for (size_t i = 0; i < LOOK && val_is(list, JSON_ARRAY) && val_next(&it, &v); i++) {
		int fit = captured_fits(v);

		best = fit > best ? fit : best;
	}
	return best;
}

int claude_code_fits(struct val v)
{
	int fit = val_is(v, JSON_ARRAY) ? list_fits(v) : captured_fits(v);

	return fit ? fit : list_fits(val_get(v, STR("messages")));
}

static const struct read_ops read_claude_code = {
	.vendor = "claude-code",
	.key = "claude-code/1",
	.assemble = ASSEMBLE_STEP_COSTS, /* of sessions; the fold takes it back for streams, which have totals */
	.elements = true,
	.value = claude_code_read,
	.fold_open = claude_code_fold_open,
	.fold_close = claude_code_fold_close,
	.fold = claude_code_fold,
	.fold_end = claude_code_fold_end,
};

const struct dialect claude_code_dialect = {
	.name = "claude-code",
	.title = "Claude Code: session files, stream-json output",
	.file = "session.jsonl",
	.unit = "line",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = claude_code_rules,
	.fits = claude_code_fits,
	DIALECT_RECORDS(claude_code_format, NULL),
	.read = &read_claude_code,
	.write = &claude_code_write,
};
