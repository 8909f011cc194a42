#include "dialect/trace_line.h"

#include <math.h>

#include "base/clock.h"
#include "base/num.h"
#include "dialect/agent_trace_clean.h"

/* ---- values ---- */

static void write_id(struct json_writer *j, struct id id)
{
	char text[ID_UUID_TEXT];

	id_format_uuid(text, id);
	json_write_string(j, str_of(text, sizeof(text)));
}

static void write_ids(struct json_writer *j, struct str name, const struct id *ids, size_t count)
{
	json_write_key(j, name);
	json_write_begin_array(j);
	for (size_t i = 0; i < count; i++)
		write_id(j, ids[i]);
	json_write_end_array(j);
}

/* Seconds with all six digits: a double of today's date would hold them, but its shortest text may be shorter. */
static void write_micros(struct json_writer *j, struct str name, int64_t us)
{
	uint64_t n = us < 0 ? 0 - (uint64_t)us : (uint64_t)us;
	char text[1 + NUM_U64_MAX + 7];
	size_t length = us < 0;

	text[0] = '-';
	length += num_format_u64(text + length, n / 1000000);
	text[length++] = '.';
	for (uint64_t digit = 100000; digit; digit /= 10)
		text[length++] = (char)('0' + n / digit % 10);
	json_write_key(j, name);
	json_write_raw(j, str_of(text, length));
}

static void write_text(struct json_writer *j, struct str name, struct str text)
{
	json_write_key(j, name);
	if (text.p)
		json_write_string(j, text);
	else
		json_write_null(j);
}

static void write_word(struct json_writer *j, struct str name, const char *word)
{
	write_text(j, name, word ? str_from(word) : str_of(NULL, 0));
}

static void write_bool(struct json_writer *j, struct str name, bool v)
{
	json_write_key(j, name);
	json_write_bool(j, v);
}

static bool is_length(double seconds)
{
	return isfinite(seconds) && seconds >= 0;
}

static void write_seconds(struct json_writer *j, struct str name, double seconds)
{
	json_write_key(j, name);
	if (is_length(seconds))
		json_write_double(j, seconds);
	else
		json_write_null(j);
}

/* One that has to be a number. */
static void write_length(struct json_writer *j, struct str name, double seconds)
{
	write_seconds(j, name, is_length(seconds) ? seconds : 0);
}

static void write_figure(struct json_writer *j, struct str name, struct figure f)
{
	json_write_key(j, name);
	if (figure_is_known(f))
		json_write_u64(j, f.n);
	else
		json_write_null(j);
}

/* ---- nodes ---- */

void trace_line_begin_node(struct json_writer *j, struct buf *out, const struct trace_line *t,
			   const struct trace_node *n)
{
	struct str framework = n->framework.p ? n->framework : t->framework, agent = clean_id(n->agent);

	json_write_init(j, out, JSON_COMPACT);
	json_write_begin_object(j);
	write_text(j, STR("schema_version"), STR("agent-trace/v1"));
	write_text(j, STR("event_type"), STR("node"));
	write_text(j, STR("trace_id"), t->trace_id);
	json_write_key(j, STR("node_id"));
	write_id(j, n->id);
	write_ids(j, STR("parent_node_ids"), n->parents, n->parent_count);
	write_micros(j, STR("timestamp_start"), n->from_us < n->to_us ? n->from_us : n->to_us);
	write_micros(j, STR("timestamp_end"), n->to_us);
	write_text(j, STR("kind"), agent_trace_kinds[n->kind]);
	write_text(j, STR("framework"), framework);
	if (agent.p && !t->plain)
		write_text(j, STR("agent_id"), agent);
	if (n->inferred && !t->plain)
		write_bool(j, STR("inferred"), true);
	if (n->total_only && !t->plain)
		write_bool(j, STR("total_only"), true);
}

static void write_tokens(struct json_writer *j, struct figure f, struct str name, struct str source)
{
	bool known = figure_is_known(f);

	json_write_key(j, name);
	json_write_u64(j, known ? f.n : 0);
	write_text(j, source, known && f.source == FIGURE_API ? STR("api") : STR("estimated"));
}

/* What this project adds to a model call. */
static void write_more(struct json_writer *j, const struct trace_model *m)
{
	const struct {
		struct figure f;
		struct str name;
	} tokens[] = {
		{ m->usage.cache_read, STR("cache_read_tokens") },
		{ m->usage.cache_write, STR("cache_write_tokens") },
		{ m->usage.reasoning, STR("reasoning_tokens") },
	};

	if (clean_id(m->response_id).p)
		write_text(j, STR("response_id"), clean_id(m->response_id));
	if (is_length(m->ttfb))
		write_seconds(j, STR("ttfb_seconds"), m->ttfb);
	if (is_length(m->ttfc))
		write_seconds(j, STR("ttfc_seconds"), m->ttfc);
	for (size_t i = 0; i < COUNT(tokens); i++)
		if (figure_is_known(tokens[i].f))
			write_figure(j, tokens[i].name, tokens[i].f);
	if (m->partial)
		write_bool(j, STR("partial"), true);
	if (m->refused)
		write_bool(j, STR("refused"), true);
	if (m->latency_inferred || m->stream_unknown) {
		json_write_key(j, STR("inferred"));
		json_write_begin_array(j);
		if (m->latency_inferred)
			json_write_string(j, STR("latency_seconds"));
		if (m->stream_unknown)
			json_write_string(j, STR("stream"));
		json_write_end_array(j);
	}
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

static void keep(struct buf *b, struct str text)
{
	buf_clear(b);
	buf_add_str(b, text);
}

void trace_cache_free(struct trace_cache *c)
{
	for (size_t i = 0; i < 2; i++) {
		buf_free(&c->given[i]);
		buf_free(&c->clean[i]);
	}
	buf_free(&c->provider);
}

static struct str endpoint_of(const struct trace_line *t, const struct trace_model *m)
{
	struct trace_cache *c = t->cache;
	struct str clean;

	if (c && c->clean[0].n && str_eq(buf_str(&c->given[0]), m->endpoint) &&
	    str_eq(buf_str(&c->provider), m->provider) && c->own == m->endpoint_own)
		return buf_str(&c->clean[0]);
	clean = clean_endpoint(t->scratch, m->endpoint, m->endpoint_own, m->provider);
	if (c) {
		keep(&c->given[0], m->endpoint);
		keep(&c->provider, m->provider);
		keep(&c->clean[0], clean);
		c->own = m->endpoint_own;
	}
	return clean;
}

static struct str model_of(const struct trace_line *t, const struct trace_model *m)
{
	struct trace_cache *c = t->cache;
	struct str clean;

	if (c && c->clean[1].n && str_eq(buf_str(&c->given[1]), m->model))
		return buf_str(&c->clean[1]);
	clean = clean_model(m->model);
	if (c) {
		keep(&c->given[1], m->model);
		keep(&c->clean[1], clean);
	}
	return clean;
}

void trace_line_begin_model(struct json_writer *j, const struct trace_line *t, const struct trace_model *m)
{
	json_write_key(j, STR("model_call"));
	json_write_begin_object(j);
	write_text(j, STR("endpoint"), endpoint_of(t, m));
	write_text(j, STR("model"), model_of(t, m));
	write_tokens(j, m->usage.input, STR("input_tokens"), STR("input_tokens_source"));
	write_tokens(j, m->usage.output, STR("output_tokens"), STR("output_tokens_source"));
	write_seconds(j, STR("ttft_seconds"), m->ttft);
	write_seconds(j, STR("tpot_seconds"), find_tpot(m));
	write_length(j, STR("latency_seconds"), m->latency);
	write_word(j, STR("tool_choice"), m->tool_choice);
	write_bool(j, STR("stream"), m->stream);
	write_word(j, STR("stop_reason"), m->stop_reason);
	write_text(j, STR("request_id"), clean_id(m->request_id));
	write_text(j, STR("kv_pressure_label"),
		   m->measured ? STR("measured") : STR("inferred_without_engine_metrics"));
	if (!t->plain)
		write_more(j, m);
}

void trace_line_write_usd(struct json_writer *j, const struct trace_line *t, struct amount usd)
{
	if (t->plain || !amount_is_known(usd) || !isfinite(usd.n) || usd.n < 0)
		return;
	json_write_key(j, STR("estimated_cost_usd"));
	json_write_double(j, usd.n);
}

void trace_line_write_tool(struct json_writer *j, const struct trace_line *t, const struct trace_tool *tool)
{
	struct str call = clean_id(tool->call);

	json_write_key(j, STR("tool_call"));
	json_write_begin_object(j);
	write_text(j, STR("name"), clean_tool(tool->name));
	write_length(j, STR("wall_time_seconds"), tool->wall);
	write_seconds(j, STR("stall_seconds"), tool->stall);
	write_figure(j, STR("result_size_bytes"), tool->size);
	write_word(j, STR("result_kind"), tool->result_kind);
	write_bool(j, STR("is_external"), tool->external);
	write_bool(j, STR("is_io_bound"), tool->external);
	if (tool->wall_source && !t->plain)
		write_word(j, STR("wall_time_source"), tool->wall_source);
	if (call.p && !t->plain)
		write_text(j, STR("call_id"), call);
	if (tool->partial && !t->plain)
		write_bool(j, STR("partial"), true);
	json_write_end_object(j);
}

void trace_line_write_branch(struct json_writer *j, const struct trace_branch *b)
{
	json_write_key(j, STR("branch"));
	json_write_begin_object(j);
	write_word(j, STR("branch_kind"), b->kind);
	write_ids(j, STR("siblings"), b->siblings, b->count);
	json_write_end_object(j);
}

void trace_line_add_node(struct buf *out, const struct trace_line *t, const struct trace_node *n)
{
	struct json_writer j;

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

static void write_stamp(struct json_writer *j, struct str name, int64_t us, unsigned digits)
{
	int64_t seconds = floor_to(us, 1000000) / 1000000;
	char text[36];
	size_t n = stamp_format(text, seconds, (uint32_t)(us - seconds * 1000000) * 1000, digits);

	write_text(j, name, str_of(text, n));
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
	write_stamp(j, STR("started_at"), from, digits);
	write_stamp(j, STR("completed_at"), to, digits);
	write_micros(j, STR("total_seconds"), to - from);
	return to - from;
}

static void write_counts(struct json_writer *j, const struct trace_summary *s)
{
	json_write_key(j, STR("node_counts"));
	json_write_begin_object(j);
	for (unsigned i = 0; i < AT_KINDS; i++)
		if (s->counts[i])
			write_figure(j, agent_trace_kinds[i], FIGURE(s->counts[i]));
	json_write_end_object(j);
	json_write_key(j, STR("total_tokens"));
	json_write_begin_object(j);
	json_write_key(j, STR("input"));
	json_write_i64(j, s->input);
	json_write_key(j, STR("output"));
	json_write_i64(j, s->output);
	json_write_end_object(j);
}

/* What nobody measured is null; no tool call at all is a stall of 0. */
static void write_stalls(struct json_writer *j, const struct trace_summary *s, int64_t total_us)
{
	double total = (double)total_us / 1e6;
	bool known = s->stalls || !s->counts[AT_TOOL_CALL];

	write_seconds(j, STR("tool_stall_total_seconds"), known ? s->stall : -1);
	if (!known)
		write_seconds(j, STR("tool_stall_pct"), -1);
	else if (total_us <= 0)
		write_seconds(j, STR("tool_stall_pct"), 0);
	else if (s->stall > total)
		write_seconds(j, STR("tool_stall_pct"), -1); /* calls that waited side by side: no share of the time */
	else
		write_seconds(j, STR("tool_stall_pct"), s->stall / total);
}

static void write_end(struct json_writer *j, const struct trace_line *t, const struct trace_summary *s)
{
	write_word(j, STR("exit_status"), s->exit_status);
	write_text(j, STR("error_message"), s->error);
	json_write_key(j, STR("framework_version"));
	if (s->framework_version.p) {
		json_write_raw(j, s->framework_version);
	} else {
		json_write_begin_object(j);
		write_text(j, t->framework, STR("unknown"));
		json_write_end_object(j);
	}
	write_text(j, STR("rig_label"), s->rig);
	write_text(j, STR("engine"), s->engine);
	json_write_key(j, STR("redaction"));
	json_write_begin_object(j);
	write_bool(j, STR("prompts_redacted"), true);
	write_bool(j, STR("tool_args_redacted"), true);
	json_write_end_object(j);
	trace_line_write_usd(j, t, s->usd);
	if (!t->plain && s->stalls && s->stalls < s->counts[AT_TOOL_CALL])
		write_figure(j, STR("tool_stall_unknown"), FIGURE(s->counts[AT_TOOL_CALL] - s->stalls));
}

void trace_line_add_summary(struct buf *out, const struct trace_line *t, const struct trace_summary *s)
{
	struct json_writer j;
	int64_t total_us;

	json_write_init(&j, out, JSON_COMPACT);
	json_write_begin_object(&j);
	write_text(&j, STR("schema_version"), STR("agent-trace/v1"));
	write_text(&j, STR("event_type"), STR("summary"));
	write_text(&j, STR("trace_id"), t->trace_id);
	total_us = write_times(&j, s);
	write_counts(&j, s);
	write_stalls(&j, s, total_us);
	write_end(&j, t, s);
	json_write_end_object(&j);
	buf_add_byte(out, '\n');
}
