/*
 * Sessions of Claude Code, one after another: the lines of one response share a message id and repeat its usage,
 * which is only whole in the last of them; results come twice, as content and as toolUseResult; hooks and running
 * commands report their progress. The mix and the sizes are those of a project of some months.
 */
#include "gen.h"

#include <string.h>

enum line { SNAPSHOT, PROMPT, THINKING, SAYING, CALLING, PROGRESS, ANSWERING, DURATION };

static const char *const tools[] = { "Bash", "Read", "Edit", "Grep", "Write", "mcp__tracker__get_issue" };
static const char *const models[] = { "claude-opus-4-6", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001" };

static void plan(struct gen *g, enum line l)
{
	if (g->planned < GEN_PLAN)
		g->plan[g->planned++] = (unsigned char)l;
}

static void token(struct gen *g, const char *key, const char *value)
{
	gen_key(g, key);
	gen_string(g, value);
}

static void number(struct gen *g, const char *key, uint64_t value)
{
	gen_key(g, key);
	gen_uint(g, value);
}

static void begin_session(struct gen *g)
{
	g->clock_us += 1000000 + gen_below(g, 600000000);
	gen_make_id(g, g->run_id);
	memset(g->last_id, 0, GEN_ID);
	g->left = 30 + gen_below(g, 250); /* responses */
	g->model = (unsigned)gen_below(g, sizeof(models) / sizeof(models[0]));
	g->context = 15000 + gen_below(g, 10000);
	g->turn = g->calls = 0;
	g->begins = true;
}

static void begin_response(struct gen *g)
{
	bool last = g->left == 1 || gen_chance(g, 8), asked = g->calls == 0;

	g->planned = g->done = g->calls = g->answered = 0;
	if (g->turn++ == 0)
		plan(g, SNAPSHOT);
	if (asked)
		plan(g, PROMPT);
	if (gen_chance(g, 30))
		plan(g, THINKING);
	if (last || gen_chance(g, 45))
		plan(g, SAYING);
	if (!last)
		g->calls = gen_chance(g, 85) ? 1 : 2 + gen_below(g, GEN_CALLS - 1);
	for (size_t i = 0; i < g->calls; i++)
		plan(g, CALLING);
	for (uint64_t i = last ? 0 : gen_below(g, 5); i > 0; i--)
		plan(g, PROGRESS);
	for (size_t i = 0; i < g->calls; i++)
		plan(g, ANSWERING);
	if (last)
		plan(g, DURATION);
	for (size_t i = 0; i < g->calls; i++) {
		gen_make_token(g, g->call_ids[i], "toolu_01");
		g->call_tools[i] = (unsigned)gen_below(g, sizeof(tools) / sizeof(tools[0]));
	}
	gen_make_token(g, g->message_id, "msg_01");
	gen_make_token(g, g->request_id, "req_011");
	g->usage[0] = gen_magnitude(g, 2, 4);
	g->usage[1] = g->context;
	g->usage[2] = gen_magnitude(g, 2, 3) + 9;
	g->context += g->usage[0];
	if (g->context > 150000) /* as after a summary */
		g->context = 20000;
	g->left--;
}

/* What nearly all lines begin with. */
static void common(struct gen *g)
{
	gen_open(g, '{');
	gen_key(g, "parentUuid");
	if (g->last_id[0])
		gen_id(g, g->last_id);
	else
		gen_raw(g, "null");
	gen_key(g, "isSidechain");
	gen_bool(g, false);
	token(g, "userType", "external");
	token(g, "cwd", "/workspace");
	gen_key(g, "sessionId");
	gen_id(g, g->run_id);
	token(g, "version", "2.1.32");
	token(g, "gitBranch", "main");
}

static void finish(struct gen *g)
{
	gen_make_id(g, g->last_id);
	gen_key(g, "uuid");
	gen_id(g, g->last_id);
	g->clock_us += gen_magnitude(g, 4, 7);
	gen_key(g, "timestamp");
	gen_stamp(g, g->clock_us / 1000);
	gen_close(g, '}');
}

static void snapshot(struct gen *g)
{
	gen_open(g, '{');
	token(g, "type", "file-history-snapshot");
	gen_make_id(g, g->awaited);
	gen_key(g, "messageId");
	gen_id(g, g->awaited);
	gen_key(g, "snapshot");
	gen_open(g, '{');
	gen_key(g, "messageId");
	gen_id(g, g->awaited);
	gen_key(g, "trackedFileBackups");
	gen_raw(g, "{}");
	g->first = false;
	gen_key(g, "timestamp");
	gen_stamp(g, g->clock_us / 1000);
	gen_close(g, '}');
	gen_key(g, "isSnapshotUpdate");
	gen_bool(g, false);
	gen_close(g, '}');
}

static void prompt(struct gen *g)
{
	common(g);
	token(g, "type", "user");
	gen_key(g, "message");
	gen_open(g, '{');
	token(g, "role", "user");
	gen_key(g, "content");
	gen_text(g, GEN_PROSE, 60, 3000);
	gen_close(g, '}');
	gen_key(g, "thinkingMetadata");
	gen_raw(g, "{\"maxThinkingTokens\":31999}");
	gen_key(g, "todos");
	gen_raw(g, "[]");
	token(g, "permissionMode", "default");
	finish(g);
}

static void usage(struct gen *g, bool whole)
{
	gen_key(g, "usage");
	gen_open(g, '{');
	number(g, "input_tokens", 3);
	number(g, "cache_creation_input_tokens", g->usage[0]);
	number(g, "cache_read_input_tokens", g->usage[1]);
	gen_key(g, "cache_creation");
	gen_open(g, '{');
	number(g, "ephemeral_5m_input_tokens", g->usage[0]);
	number(g, "ephemeral_1h_input_tokens", 0);
	gen_close(g, '}');
	number(g, "output_tokens", whole ? g->usage[2] : 9);
	token(g, "service_tier", "standard");
	token(g, "inference_geo", "not_available");
	gen_close(g, '}');
}

static void call_input(struct gen *g, const char *tool)
{
	gen_key(g, "input");
	gen_open(g, '{');
	if (strcmp(tool, "Bash") == 0) {
		gen_key(g, "command");
		gen_text(g, GEN_CODE, 40, 800);
		gen_key(g, "description");
		gen_text(g, GEN_PROSE, 20, 60);
	} else if (strcmp(tool, "Edit") == 0) {
		token(g, "file_path", "/workspace/src/main.py");
		gen_key(g, "old_string");
		gen_text(g, GEN_CODE, 80, 900);
		gen_key(g, "new_string");
		gen_text(g, GEN_CODE, 80, 1200);
	} else if (strcmp(tool, "Write") == 0) {
		token(g, "file_path", "/workspace/src/new.py");
		gen_key(g, "content");
		gen_text(g, GEN_CODE, 500, 8000);
	} else {
		gen_key(g, "query");
		gen_text(g, GEN_PROSE, 10, 80);
		number(g, "limit", gen_magnitude(g, 1, 4));
	}
	gen_close(g, '}');
}

static void block(struct gen *g, enum line l, size_t call)
{
	static char signature[600];

	gen_open(g, '{');
	if (l == THINKING) {
		size_t n = 200 + gen_below(g, 380);

		token(g, "type", "thinking");
		gen_key(g, "thinking");
		gen_text(g, GEN_PROSE, 300, 5000);
		for (size_t i = 0; i < n; i++)
			signature[i] = (char)('A' + gen_below(g, 26));
		signature[n] = '\0';
		token(g, "signature", signature);
	} else if (l == SAYING) {
		token(g, "type", "text");
		gen_key(g, "text");
		gen_text(g, GEN_PROSE, 60, 1500);
	} else {
		token(g, "type", "tool_use");
		token(g, "id", g->call_ids[call]);
		token(g, "name", tools[g->call_tools[call]]);
		call_input(g, tools[g->call_tools[call]]);
	}
	gen_close(g, '}');
}

/* Whether no further line of this response comes after the one at hand. */
static bool is_last(const struct gen *g)
{
	return g->done == g->planned || g->plan[g->done] < THINKING || g->plan[g->done] > CALLING;
}

static void answer(struct gen *g, enum line l, size_t call)
{
	bool whole = is_last(g);

	common(g);
	gen_key(g, "message");
	gen_open(g, '{');
	token(g, "model", models[g->model]);
	token(g, "id", g->message_id);
	token(g, "type", "message");
	token(g, "role", "assistant");
	gen_key(g, "content");
	gen_open(g, '[');
	gen_element(g);
	block(g, l, call);
	gen_close(g, ']');
	gen_key(g, "stop_reason");
	if (whole)
		gen_string(g, g->calls ? "tool_use" : "end_turn");
	else
		gen_raw(g, "null");
	gen_key(g, "stop_sequence");
	gen_raw(g, "null");
	usage(g, whole);
	gen_close(g, '}');
	token(g, "requestId", g->request_id);
	token(g, "type", "assistant");
	finish(g);
}

static void progress(struct gen *g)
{
	common(g);
	token(g, "type", "progress");
	gen_key(g, "data");
	gen_open(g, '{');
	if (gen_chance(g, 60)) {
		token(g, "type", "hook_progress");
		token(g, "hookEvent", "PostToolUse");
		token(g, "hookName", "PostToolUse:Bash");
		token(g, "command", "make lint");
	} else {
		token(g, "type", "bash_progress");
		gen_key(g, "output");
		gen_text(g, GEN_LISTING, 200, 1500);
		gen_key(g, "fullOutput");
		gen_text(g, GEN_LISTING, 400, 3000);
		number(g, "elapsedTimeSeconds", gen_below(g, 100));
		number(g, "totalLines", gen_below(g, 1000));
	}
	gen_close(g, '}');
	token(g, "toolUseID", g->call_ids[0]);
	token(g, "parentToolUseID", g->call_ids[0]);
	finish(g);
}

static void result(struct gen *g, size_t call)
{
	bool failed = gen_chance(g, 5);
	char *begin, *end;

	common(g);
	token(g, "type", "user");
	gen_key(g, "message");
	gen_open(g, '{');
	token(g, "role", "user");
	gen_key(g, "content");
	gen_raw(g, "[{");
	g->first = true;
	token(g, "tool_use_id", g->call_ids[call]);
	token(g, "type", "tool_result");
	gen_key(g, "content");
	begin = g->at;
	gen_text(g, gen_chance(g, 40) ? GEN_CODE : GEN_LISTING, 300, 12000);
	end = g->at;
	gen_key(g, "is_error");
	gen_bool(g, failed);
	gen_raw(g, "}]");
	gen_close(g, '}');
	gen_key(g, "toolUseResult");
	if (failed) {
		gen_string(g, "Error: exit code 1");
	} else {
		gen_open(g, '{');
		gen_key(g, "stdout");
		gen_bytes(g, begin, (size_t)(end - begin));
		token(g, "stderr", "");
		gen_key(g, "interrupted");
		gen_bool(g, false);
		gen_key(g, "isImage");
		gen_bool(g, false);
		gen_close(g, '}');
	}
	gen_key(g, "sourceToolAssistantUUID");
	gen_id(g, g->last_id);
	finish(g);
}

static void duration(struct gen *g)
{
	common(g);
	token(g, "type", "system");
	token(g, "subtype", "turn_duration");
	number(g, "durationMs", gen_magnitude(g, 4, 6));
	gen_key(g, "isMeta");
	gen_bool(g, false);
	finish(g);
}

void gen_claude(struct gen *g)
{
	enum line l;

	if (g->done == g->planned) {
		if (g->left == 0)
			begin_session(g);
		begin_response(g);
	}
	l = g->plan[g->done++];
	switch (l) {
	case SNAPSHOT:
		snapshot(g);
		break;
	case PROMPT:
		prompt(g);
		break;
	case PROGRESS:
		progress(g);
		break;
	case ANSWERING:
		result(g, g->answered++);
		break;
	case DURATION:
		duration(g);
		break;
	default: {
		size_t call = 0;

		for (size_t i = 0; l == CALLING && i + 1 < g->done; i++)
			call += g->plan[i] == CALLING;
		answer(g, l, call);
	}
	}
}
