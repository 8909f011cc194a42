/*
 * agent-trace/v1: runs of nodes in order of completion, each with a summary. The mix of kinds, the
 * optional members and the spread of the numbers are those of a coding agent at work.
 *
 * `trace` is one short run after another, `run` a single one of any length about which there is nothing
 * to find: ids that never repeat, parents that exist, totals that are right.
 */
#include "gen.h"

#include <string.h>

static const char *const frameworks[] = { "langgraph", "crewai",     "autogen", "claude_code",
					  "cursor_sdk", "raw_openai", "unknown" };

static const struct {
	const char *endpoint, *model, *engine;
} models[] = {
	{ "http://localhost:8000/v1/chat/completions", "deepseek-ai/DeepSeek-V4-Pro", "vllm" },
	{ "http://127.0.0.1:30000/v1/chat/completions", "Qwen/Qwen3-Coder-480B-A35B-Instruct", "sglang" },
	{ "https://api.openai.com/v1/responses", "gpt-5.2-codex", NULL },
	{ "https://api.anthropic.com/v1/messages", "claude-opus-4-5-20251101", NULL },
	{ "http://inference.internal:8080/v1/chat/completions", "meta-llama/Llama-4-Maverick", "dynamo-vllm" },
};

static const char *const tools[] = { "filesystem.read_file", "filesystem.write_file", "shell.exec",
				     "browser.fetch",        "python",                "search.web",
				     "git.diff",             "mcp.postgres.query",    "todo.update" };

static const char *const result_kinds[] = { "text", "text", "text", "json", "json", "image", "binary" };
static const char *const stops[] = { "tool_use", "tool_use", "tool_use", "end_turn", "length", "error", NULL };
static const char *const choices[] = { "auto", "auto", "auto", "required", "none", NULL };
static const char *const branch_kinds[] = { "fan_out", "fan_out", "speculative", "retry" };

static void string_or_null(struct gen *g, const char *s)
{
	if (s)
		gen_string(g, s);
	else
		gen_raw(g, "null");
}

static void seconds(struct gen *g, const char *name, uint64_t us)
{
	gen_key(g, name);
	gen_decimal(g, us, 6);
}

static void request_id(struct gen *g)
{
	static const char letters[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghijkmnopqrstuvwxyz";

	gen_raw(g, "\"req_");
	for (int i = 0; i < 24; i++)
		*g->at++ = letters[gen_below(g, sizeof(letters) - 1)];
	*g->at++ = '"';
}

static void begin_run(struct gen *g)
{
	g->clock_us += 1000000 + gen_below(g, 60000000);
	g->began_us = g->clock_us;
	gen_make_id(g, g->run_id);
	g->left = 20 + gen_below(g, 400);
	g->id_count = 0;
	g->due = 0;
	memset(g->counts, 0, sizeof(g->counts));
	g->tokens_in = g->tokens_out = g->stall_us = 0;
	g->framework = (unsigned)gen_below(g, sizeof(frameworks) / sizeof(frameworks[0]));
	g->model = (unsigned)gen_below(g, sizeof(models) / sizeof(models[0]));
}

static void header(struct gen *g, const char *event)
{
	gen_open(g, '{');
	gen_key(g, "schema_version");
	gen_string(g, "agent-trace/v1");
	gen_key(g, "event_type");
	gen_string(g, event);
	gen_key(g, "trace_id");
	gen_id(g, g->run_id);
}

/* Up to `count` of the latest among the first `end` nodes. */
static void latest_ids(struct gen *g, uint64_t count, size_t end)
{
	gen_open(g, '[');
	for (uint64_t i = 0; i < count && i < end; i++) {
		gen_element(g);
		gen_id(g, g->ids[(end - 1 - i) % GEN_IDS]);
	}
	gen_close(g, ']');
}

static void model_call(struct gen *g, uint64_t us)
{
	uint64_t in = gen_magnitude(g, 3, 6), out = gen_magnitude(g, 1, 4);
	bool streamed = gen_chance(g, 85);
	const char *source = gen_chance(g, 90) ? "api" : "estimated";

	gen_key(g, "model_call");
	gen_open(g, '{');
	gen_key(g, "endpoint");
	gen_string(g, models[g->model].endpoint);
	gen_key(g, "model");
	gen_string(g, models[g->model].model);
	gen_key(g, "input_tokens");
	gen_uint(g, in);
	gen_key(g, "output_tokens");
	gen_uint(g, out);
	gen_key(g, "input_tokens_source");
	gen_string(g, source);
	gen_key(g, "output_tokens_source");
	gen_string(g, source);
	if (streamed) {
		seconds(g, "ttft_seconds", us / 10 + gen_below(g, us / 4 + 1));
		seconds(g, "tpot_seconds", us / (out + 1));
	}
	seconds(g, "latency_seconds", us);
	gen_key(g, "tool_choice");
	string_or_null(g, GEN_PICK(g, choices));
	gen_key(g, "stream");
	gen_bool(g, streamed);
	gen_key(g, "stop_reason");
	string_or_null(g, GEN_PICK(g, stops));
	gen_key(g, "request_id");
	request_id(g);
	if (models[g->model].engine) {
		gen_key(g, "kv_pressure_label");
		gen_string(g, gen_chance(g, 70) ? "measured" : "inferred_without_engine_metrics");
	}
	gen_close(g, '}');
	g->tokens_in += in;
	g->tokens_out += out;
}

static void tool_call(struct gen *g, uint64_t us)
{
	uint64_t stall = gen_below(g, us + 1);
	bool external = gen_chance(g, 80);

	gen_key(g, "tool_call");
	gen_open(g, '{');
	gen_key(g, "name");
	gen_string(g, GEN_PICK(g, tools));
	seconds(g, "wall_time_seconds", us);
	seconds(g, "stall_seconds", stall);
	if (gen_chance(g, 90)) {
		gen_key(g, "result_size_bytes");
		gen_uint(g, gen_magnitude(g, 1, 7));
		gen_key(g, "result_kind");
		gen_string(g, GEN_PICK(g, result_kinds));
	}
	gen_key(g, "is_external");
	gen_bool(g, external);
	gen_key(g, "is_io_bound");
	gen_bool(g, external || gen_chance(g, 10));
	gen_close(g, '}');
	g->stall_us += stall;
}

static void branch(struct gen *g, uint64_t us)
{
	(void)us;
	gen_key(g, "branch");
	gen_open(g, '{');
	gen_key(g, "branch_kind");
	gen_string(g, GEN_PICK(g, branch_kinds));
	gen_key(g, "siblings");
	latest_ids(g, 2 + gen_below(g, 5), g->id_count);
	gen_close(g, '}');
}

static const struct {
	const char *kind;
	void (*detail)(struct gen *g, uint64_t us);
	unsigned share; /* of a hundred */
	unsigned digits_min, digits_max; /* of its microseconds */
} node_kinds[GEN_NODE_KINDS] = {
	{ "model_call", model_call, 45, 6, 8 }, { "tool_call", tool_call, 41, 3, 7 },
	{ "branch", branch, 7, 1, 4 },          { "user_input", NULL, 4, 7, 8 },
	{ "retry", NULL, 2, 2, 5 },             { "system", NULL, 1, 2, 5 },
};

/*
 * Programs that report their ends late write a node after one that names it as a parent. Its own parents
 * are older than the line that named it, or the run would go in circles.
 */
static void parents(struct gen *g, bool awaited, size_t end)
{
	uint64_t count = gen_chance(g, 85) ? 1 : 2 + gen_below(g, 3);

	gen_key(g, "parent_node_ids");
	if (awaited || !g->late || g->due || !gen_chance(g, 2)) {
		latest_ids(g, count, end);
		return;
	}
	g->due = 1 + gen_below(g, 5);
	g->named_at = end;
	gen_make_id(g, g->awaited);
	gen_open(g, '[');
	gen_element(g);
	gen_id(g, g->awaited);
	gen_close(g, ']');
}

static void node(struct gen *g)
{
	bool awaited = g->due && --g->due == 0;
	uint64_t dice = gen_below(g, 100), us, start;
	char id[GEN_ID];
	size_t k = 0;

	while (dice >= node_kinds[k].share)
		dice -= node_kinds[k++].share;
	us = gen_magnitude(g, node_kinds[k].digits_min, node_kinds[k].digits_max);
	start = g->clock_us;
	g->clock_us += us;
	gen_make_id(g, id);
	if (awaited)
		memcpy(id, g->awaited, GEN_ID);
	header(g, "node");
	gen_key(g, "node_id");
	gen_id(g, id);
	parents(g, awaited, awaited ? g->named_at : g->id_count);
	seconds(g, "timestamp_start", start);
	seconds(g, "timestamp_end", g->clock_us);
	gen_key(g, "kind");
	gen_string(g, node_kinds[k].kind);
	gen_key(g, "framework");
	gen_string(g, frameworks[g->framework]);
	if (node_kinds[k].detail)
		node_kinds[k].detail(g, us);
	gen_close(g, '}');
	g->counts[k]++;
	memcpy(g->ids[g->id_count++ % GEN_IDS], id, GEN_ID);
}

static void padded(struct gen *g, uint64_t v, unsigned digits, char after)
{
	for (unsigned i = digits; i > 0; i--, v /= 10)
		g->at[i - 1] = (char)('0' + v % 10);
	g->at += digits;
	*g->at++ = after;
}

void gen_stamp(struct gen *g, uint64_t ms)
{
	static const unsigned char lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	uint64_t days = ms / 86400000, year = 1970, month = 0, length;

	while (days >= (length = 365 + (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)))) {
		days -= length;
		year++;
	}
	length -= 365;
	for (; days >= lengths[month] + (month == 1 ? length : 0); month++)
		days -= lengths[month] + (month == 1 ? length : 0);
	*g->at++ = '"';
	padded(g, year, 4, '-');
	padded(g, month + 1, 2, '-');
	padded(g, days + 1, 2, 'T');
	padded(g, ms / 3600000 % 24, 2, ':');
	padded(g, ms / 60000 % 60, 2, ':');
	padded(g, ms / 1000 % 60, 2, '.');
	padded(g, ms % 1000, 3, 'Z');
	*g->at++ = '"';
}

static void stamp(struct gen *g, const char *name, uint64_t ms)
{
	gen_key(g, name);
	gen_stamp(g, ms);
}

static void summary_counts(struct gen *g)
{
	gen_key(g, "node_counts");
	gen_open(g, '{');
	for (size_t k = 0; k < GEN_NODE_KINDS; k++) {
		gen_key(g, node_kinds[k].kind);
		gen_uint(g, g->counts[k]);
	}
	gen_close(g, '}');
	gen_key(g, "total_tokens");
	gen_open(g, '{');
	gen_key(g, "input");
	gen_uint(g, g->tokens_in);
	gen_key(g, "output");
	gen_uint(g, g->tokens_out);
	gen_close(g, '}');
}

static void summary(struct gen *g)
{
	uint64_t us = g->clock_us - g->began_us;

	header(g, "summary");
	stamp(g, "started_at", g->began_us / 1000);
	stamp(g, "completed_at", g->clock_us / 1000 + 1);
	seconds(g, "total_seconds", us);
	summary_counts(g);
	seconds(g, "tool_stall_total_seconds", g->stall_us);
	seconds(g, "tool_stall_pct", g->stall_us * 1000000 / (us + 1));
	gen_key(g, "exit_status");
	gen_string(g, gen_chance(g, 90) ? "success" : "interrupted");
	gen_key(g, "error_message");
	gen_raw(g, "null");
	gen_key(g, "framework_version");
	gen_open(g, '{');
	gen_key(g, frameworks[g->framework]);
	gen_string(g, "0.4.x");
	gen_close(g, '}');
	gen_key(g, "rig_label");
	gen_string(g, "auto");
	gen_key(g, "engine");
	string_or_null(g, models[g->model].engine);
	gen_key(g, "redaction");
	gen_open(g, '{');
	gen_key(g, "prompts_redacted");
	gen_bool(g, true);
	gen_key(g, "tool_args_redacted");
	gen_bool(g, true);
	gen_close(g, '}');
	gen_close(g, '}');
}

void gen_trace(struct gen *g)
{
	if (g->left == 0) {
		begin_run(g);
	} else if (--g->left == 0) {
		summary(g);
		return;
	}
	node(g);
}

void gen_run(struct gen *g)
{
	if (g->lines == 0) {
		begin_run(g);
		g->late = true;
	} else if (gen_chance(g, 5)) {
		g->model = (unsigned)gen_below(g, sizeof(models) / sizeof(models[0]));
	}
	node(g);
}

bool gen_run_end(struct gen *g)
{
	g->late = false;
	if (g->due) {
		node(g);
		return false;
	}
	summary(g);
	return true;
}
