/*
 * The structs are cleaned and completed here and written by their tables (record/io.h); the summary, whose members
 * depend on each other, by hand.
 */
#include "dialect/agent_trace/trace_line.h"

#include <assert.h>
#include <math.h>

#include "base/clock.h"
#include "dialect/agent_trace/clean.h"
#include "dialect/agent_trace/fields.h"
#include "dialect/record/io.h"
#include "json/put.h"

static bool is_length(double seconds)
{
	return isfinite(seconds) && seconds >= 0;
}

/* By OpenTelemetry's definition; negative when there is none. */
static double find_tpot(const struct trace_model *m)
{
	const struct figure *out = &m->usage.output;

	if (!is_length(m->ttft) || !figure_is_known(*out) || out->n < 2 || m->latency < m->ttft)
		return -1;
	return (m->latency - m->ttft) / (double)(out->n - 1);
}

/* ---- names that repeat ---- */

static void trace_line_keep(struct buf *b, struct str text)
{
	buf_clear(b);
	buf_add_str(b, text);
}

void trace_cache_free(struct trace_cache *c)
{
	for (size_t i = 0; i < TRACE_CACHED; i++) {
		buf_free(&c->given[i]);
		buf_free(&c->clean[i]);
	}
	buf_free(&c->provider);
}

/* Cleaned, from the cache when the last call had the same endpoint, provider and own part. */
static struct str endpoint_of(const struct trace_line *t, const struct trace_model *m)
{
	struct trace_cache *c = t->cache;
	struct str clean;

	if (c && c->clean[TRACE_CACHED_ENDPOINT].n &&
	    str_eq(buf_str(&c->given[TRACE_CACHED_ENDPOINT]), m->endpoint) &&
	    str_eq(buf_str(&c->provider), m->provider) && c->own == m->endpoint_own)
		return buf_str(&c->clean[TRACE_CACHED_ENDPOINT]);
	clean = clean_endpoint(t->scratch, m->endpoint, m->endpoint_own, m->provider);
	if (c) {
		trace_line_keep(&c->given[TRACE_CACHED_ENDPOINT], m->endpoint);
		trace_line_keep(&c->provider, m->provider);
		trace_line_keep(&c->clean[TRACE_CACHED_ENDPOINT], clean);
		c->own = m->endpoint_own;
	}
	return clean;
}

/* The name of a model or a tool, cleaned; from the cache when the last one was the same. */
static struct str name_of(const struct trace_line *t, enum trace_cached i, struct str name,
			  struct str (*clean_name)(struct str))
{
	struct trace_cache *c = t->cache;
	struct str clean;

	if (c && c->clean[i].n && str_eq(buf_str(&c->given[i]), name))
		return buf_str(&c->clean[i]);
	clean = clean_name(name);
	if (c) {
		trace_line_keep(&c->given[i], name);
		trace_line_keep(&c->clean[i], clean);
	}
	return clean;
}

/* ---- nodes ---- */

void trace_line_add_known_by(struct buf *out, enum at_kind kind, unsigned layers)
{
	static const uint8_t of_tools[] = { SIGHT_MCP, SIGHT_SHELL, SIGHT_HOOK, SIGHT_OTLP, SIGHT_PROXY };
	static const uint8_t of_others[] = { SIGHT_PROXY, SIGHT_HOOK, SIGHT_OTLP, SIGHT_MCP, SIGHT_SHELL };
	const uint8_t *order = kind == AT_TOOL_CALL ? of_tools : of_others;
	char before = '[';

	for (size_t i = 0; i < SIGHT_LAYERS; i++) {
		if (!(layers & 1u << order[i]))
			continue;
		buf_add_byte(out, before);
		buf_add_byte(out, '"');
		buf_add_str(out, agent_trace_layers[order[i]]);
		buf_add_byte(out, '"');
		before = ',';
	}
	if (before == ',')
		buf_add_byte(out, ']');
}

void trace_line_begin_node(struct json_writer *j, struct buf *out, const struct trace_line *t,
			   const struct trace_node *given)
{
	struct trace_node n = *given;
	struct buf known_by;

	assert(n.kind < AT_KINDS && (n.parents || n.parent_count == 0));
	n.trace_id = t->trace_id;
	n.from_us = n.from_us < n.to_us ? n.from_us : n.to_us;
	if (!n.framework.p)
		n.framework = t->framework;
	n.agent = clean_id(n.agent);
	if (n.inferred)
		n.concluded = STR("true");
	buf_init(&known_by);
	trace_line_add_known_by(&known_by, n.kind, n.layers);
	n.known_by = buf_str(&known_by);
	json_write_init(j, out, JSON_COMPACT);
	json_write_begin_object(j);
	record_write_members(j, &at_node, &n, !t->plain);
	buf_free(&known_by);
}

/* The members that nobody said, as a list of names. */
static struct str concluded_of(const struct trace_model *m)
{
	if (m->latency_inferred)
		return m->stream_unknown ? STR("[\"latency_seconds\",\"stream\"]") : STR("[\"latency_seconds\"]");
	return m->stream_unknown ? STR("[\"stream\"]") : str_of(NULL, 0);
}

void trace_line_begin_model(struct json_writer *j, const struct trace_line *t, const struct trace_model *given)
{
	struct trace_model m = *given;

	m.endpoint = endpoint_of(t, given);
	m.model = name_of(t, TRACE_CACHED_MODEL, m.model, clean_model);
	m.request_id = clean_id(m.request_id);
	m.response_id = clean_id(m.response_id);
	m.tpot = find_tpot(given);
	m.kv_pressure = !m.measured;
	m.concluded = concluded_of(given);
	json_put_object(j, "model_call");
	record_write_members(j, &at_model_call, &m, !t->plain);
}

void trace_line_write_usd(struct json_writer *j, const struct trace_line *t, struct amount usd)
{
	if (t->plain || !amount_is_known(usd) || !isfinite(usd.n) || usd.n < 0)
		return;
	json_put_double(j, "estimated_cost_usd", usd.n);
	json_put_word(j, "cost_source", usd.source == FIGURE_API ? "api" : "estimated");
}

void trace_line_write_tool(struct json_writer *j, const struct trace_line *t, const struct trace_tool *given)
{
	struct trace_tool tool = *given;

	tool.name = name_of(t, TRACE_CACHED_TOOL, tool.name, clean_tool);
	tool.call = clean_id(tool.call);
	json_put_object(j, "tool_call");
	record_write_members(j, &at_tool_call, &tool, !t->plain);
	json_write_end_object(j);
}

void trace_line_write_branch(struct json_writer *j, const struct trace_branch *b)
{
	json_put_object(j, "branch");
	record_write_members(j, &at_branch, b, false);
	json_write_end_object(j);
}

void trace_line_add_node(struct buf *out, const struct trace_line *t, const struct trace_node *n)
{
	struct json_writer j;

	assert(n->kind != AT_MODEL_CALL || n->model);
	assert(n->kind != AT_TOOL_CALL || n->tool);
	assert(n->kind != AT_BRANCH || n->branch);
	trace_line_begin_node(&j, out, t, n);
	if (n->kind == AT_MODEL_CALL) {
		trace_line_begin_model(&j, t, n->model);
		trace_line_write_usd(&j, t, n->model->usd);
		json_write_end_object(&j);
	} else if (n->kind == AT_TOOL_CALL) {
		trace_line_write_tool(&j, t, n->tool);
	} else if (n->kind == AT_BRANCH) {
		trace_line_write_branch(&j, n->branch);
	}
	json_write_end_object(&j);
	buf_add_byte(out, '\n');
}

/* ---- the summary ---- */

static int64_t floor_to(int64_t us, int64_t unit)
{
	int64_t rest = us % unit;

	return us - (rest < 0 ? rest + unit : rest);
}

static void write_stamp(struct json_writer *j, const char *name, int64_t us, unsigned digits)
{
	char text[36];

	json_put_text(j, name, str_of(text, stamp_format_us(text, us, digits)));
}

/* When it ran. Returns how long, by the times as they are written. */
static int64_t write_times(struct json_writer *j, const struct trace_summary *s)
{
	int64_t from = s->from_us, to = s->to_us > from ? s->to_us : from;
	unsigned digits = s->digits ? s->digits : 3;

	if (!s->digits) {
		from = floor_to(from, 1000);
		to = floor_to(to + 999, 1000);
	}
	write_stamp(j, "started_at", from, digits);
	write_stamp(j, "completed_at", to, digits);
	json_put_key(j, "total_seconds");
	record_write_micros(j, to - from);
	return to - from;
}

static void write_counts(struct json_writer *j, const struct trace_summary *s)
{
	json_put_object(j, "node_counts");
	for (unsigned i = 0; i < AT_KINDS; i++)
		if (s->counts[i])
			json_put_u64(j, agent_trace_kinds[i].p, s->counts[i]);
	json_write_end_object(j);
	json_put_object(j, "total_tokens");
	json_put_i64(j, "input", s->input);
	json_put_i64(j, "output", s->output);
	json_write_end_object(j);
}

/* What nobody measured is null; no tool call at all is a stall of 0. */
static void write_stalls(struct json_writer *j, const struct trace_summary *s, int64_t total_us)
{
	double total = (double)total_us / 1e6, share = NAN;
	bool known = (s->stalls || !s->counts[AT_TOOL_CALL]) && is_length(s->stall);

	if (known && total_us <= 0)
		share = 0;
	else if (known && s->stall <= total) /* calls that waited side by side have no share of the time */
		share = s->stall / total;
	json_put_double(j, "tool_stall_total_seconds", known ? s->stall : NAN);
	json_put_double(j, "tool_stall_pct", share);
}

/* What the summary says beyond times and sums. Our traces never hold content, so both redactions are true. */
static void trace_line_write_end(struct json_writer *j, const struct trace_line *t, const struct trace_summary *s)
{
	json_put_word(j, "exit_status", s->exit_status);
	json_put_text_or_null(j, "error_message", s->error);
	json_put_key(j, "framework_version");
	json_write_raw(j, s->framework_version.p ? s->framework_version : STR("{}"));
	json_put_text_or_null(j, "rig_label", s->rig);
	json_put_text_or_null(j, "engine", s->engine);
	json_put_object(j, "redaction");
	json_put_bool(j, "prompts_redacted", true);
	json_put_bool(j, "tool_args_redacted", true);
	json_write_end_object(j);
	trace_line_write_usd(j, t, s->usd);
	if (!t->plain && s->stalls && s->stalls < s->counts[AT_TOOL_CALL])
		json_put_u64(j, "tool_stall_unknown", s->counts[AT_TOOL_CALL] - s->stalls);
}

void trace_line_add_summary(struct buf *out, const struct trace_line *t, const struct trace_summary *s)
{
	struct json_writer j;
	int64_t total_us;

	json_write_init(&j, out, JSON_COMPACT);
	json_write_begin_object(&j);
	json_put_text(&j, "schema_version", STR("agent-trace/v1"));
	json_put_text(&j, "event_type", STR("summary"));
	json_put_text(&j, "trace_id", t->trace_id);
	total_us = write_times(&j, s);
	write_counts(&j, s);
	write_stalls(&j, s, total_us);
	trace_line_write_end(&j, t, s);
	json_write_end_object(&j);
	buf_add_byte(out, '\n');
}
