/*
 * The nodes of a trace as text, and the order they are written in: that of their ends, as far as the last few go. A
 * log tells an answer as a whole, though the calls in it may have been over before its last word.
 */
#include <math.h>
#include <stdio.h>

#include "dialect/agent_trace_clean.h"
#include "dialect/agent_trace_write.h"
#include "model/words.h"

bool at_is_timed(struct moment m)
{
	return m.source == MOMENT_VENDOR || m.source == MOMENT_DERIVED;
}

bool at_is_length(struct amount a)
{
	return amount_is_known(a) && isfinite(a.n) && a.n >= 0 && a.n < 1e15;
}

void at_end_node(struct at_trace *t, struct json_writer *j, int64_t to_us)
{
	json_write_end_object(j);
	buf_add_byte(j->out, '\n');
	waiting_add(&t->waiting, t->w->out, j->out, to_us);
}

/* ---- nodes ---- */

struct id at_new_id(struct at_trace *t, enum at_kind kind, int64_t us)
{
	char name[48];
	int n = snprintf(name, sizeof(name), "%s/%llu", agent_trace_kinds[kind].p, (unsigned long long)++t->nodes);

	return writing_node_id(t->run, str_of(name, (size_t)n), us > 0 ? us * 1000 : 0);
}

void at_begin_node(struct at_trace *t, struct json_writer *j, struct buf *out, const struct at_node *n)
{
	json_write_init(j, out, JSON_COMPACT);
	json_write_begin_object(j);
	json_write_key(j, STR("schema_version"));
	json_write_string(j, STR("agent-trace/v1"));
	json_write_key(j, STR("event_type"));
	json_write_string(j, STR("node"));
	json_write_key(j, STR("trace_id"));
	json_write_string(j, buf_str(&t->trace_id));
	json_write_key(j, STR("node_id"));
	at_write_id(j, n->id);
	json_write_key(j, STR("parent_node_ids"));
	json_write_begin_array(j);
	for (size_t i = 0; i < n->parents->count; i++)
		at_write_id(j, n->parents->ids[i]);
	json_write_end_array(j);
	json_write_key(j, STR("timestamp_start"));
	at_write_time(j, n->from_us < n->to_us ? n->from_us : n->to_us);
	json_write_key(j, STR("timestamp_end"));
	at_write_time(j, n->to_us);
	json_write_key(j, STR("kind"));
	json_write_string(j, agent_trace_kinds[n->kind]);
	json_write_key(j, STR("framework"));
	json_write_string(j, t->framework);
	if (n->agent.p) {
		json_write_key(j, STR("agent_id"));
		json_write_string(j, n->agent);
	}
	if (n->inferred) {
		json_write_key(j, STR("inferred"));
		json_write_bool(j, true);
	}
	t->sums.counts[n->kind]++;
	if (n->dated)
		at_sum_time(&t->sums, n->from_us < n->to_us ? n->from_us : n->to_us, n->to_us);
}

/* ---- model calls ---- */

static void write_tokens(struct json_writer *j, struct figure f, const char *name, const char *source)
{
	json_write_key(j, str_from(name));
	json_write_u64(j, figure_is_known(f) ? f.n : 0);
	json_write_key(j, str_from(source));
	json_write_string(j, figure_is_known(f) && f.source == FIGURE_API ? STR("api") : STR("estimated"));
}

static void write_word(struct json_writer *j, struct str name, const char *word)
{
	json_write_key(j, name);
	if (word)
		json_write_string(j, str_from(word));
	else
		json_write_null(j);
}

static void write_seconds(struct json_writer *j, struct str name, bool known, double seconds)
{
	json_write_key(j, name);
	if (known && isfinite(seconds) && seconds >= 0)
		json_write_double(j, seconds);
	else
		json_write_null(j);
}

static void write_more_tokens(struct json_writer *j, const struct usage *u)
{
	const struct {
		struct figure f;
		struct str name;
	} more[] = {
		{ u->cache_read, STR("cache_read_tokens") },
		{ u->cache_write, STR("cache_write_tokens") },
		{ u->reasoning, STR("reasoning_tokens") },
	};

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		if (!figure_is_known(more[i].f))
			continue;
		json_write_key(j, more[i].name);
		json_write_u64(j, more[i].f.n);
	}
}

static struct str or_run(struct str own, const struct buf *of_run)
{
	return own.p ? own : of_run->n ? buf_str(of_run) : own;
}

void at_write_model_call(struct at_trace *t, struct json_writer *j, const struct event *e, struct at_length latency,
			 bool failed)
{
	const struct usage *u = &e->usage;
	bool ttft = at_is_length(e->ttft_ms), many = figure_is_known(u->output) && u->output.n >= 2;
	double first = ttft ? e->ttft_ms.n / 1000 : 0;
	struct str provider = or_run(e->provider, &t->vendor), id = clean_id(e->request_id);

	json_write_key(j, STR("model_call"));
	json_write_begin_object(j);
	json_write_key(j, STR("endpoint"));
	json_write_string(j, clean_endpoint(&t->arena, e->endpoint, provider));
	json_write_key(j, STR("model"));
	json_write_string(j, clean_model(or_run(e->model, &t->model)));
	write_tokens(j, u->input, "input_tokens", "input_tokens_source");
	write_tokens(j, u->output, "output_tokens", "output_tokens_source");
	write_seconds(j, STR("ttft_seconds"), ttft, first);
	write_seconds(j, STR("tpot_seconds"), ttft && many && latency.seconds >= first,
		      many ? (latency.seconds - first) / (double)(u->output.n - 1) : 0);
	json_write_key(j, STR("latency_seconds"));
	json_write_double(j, latency.seconds);
	write_word(j, STR("tool_choice"), e->tool_choice.p ? words_tool_choice(e->tool_choice) : NULL);
	json_write_key(j, STR("stream"));
	json_write_bool(j, e->flags & EVENT_STREAM);
	write_word(j, STR("stop_reason"),
		   failed ? "error" : e->stop_reason.p ? words_stop_reason(e->stop_reason) : NULL);
	json_write_key(j, STR("request_id"));
	if (id.p)
		json_write_string(j, id);
	else
		json_write_null(j);
	json_write_key(j, STR("kv_pressure_label"));
	json_write_string(j, STR("inferred_without_engine_metrics"));
	write_more_tokens(j, u);
	if (e->flags & EVENT_PARTIAL) {
		json_write_key(j, STR("partial"));
		json_write_bool(j, true);
	}
	if (latency.inferred) {
		json_write_key(j, STR("inferred"));
		json_write_begin_array(j);
		json_write_string(j, STR("latency_seconds"));
		json_write_end_array(j);
	}
}

/* ---- tool calls ---- */

static const char *kind_of_result(const struct event *e)
{
	if (e->media.n > 2)
		return str_find(e->media, STR("\"image/")) != (size_t)-1 ? "image" : "binary";
	if (!e->content.p || e->content.n == 0)
		return NULL;
	return e->content.p[0] == '"' ? "text" : "json";
}

static void write_size(struct at_trace *t, struct json_writer *j, const struct event *e, bool known)
{
	json_write_key(j, STR("result_size_bytes"));
	if (known && e->content.p)
		json_write_u64(j, writing_plain(&t->arena, e->content).n);
	else
		json_write_null(j);
	write_word(j, STR("result_kind"), known ? kind_of_result(e) : NULL);
}

static void write_stall(struct at_trace *t, struct json_writer *j, const struct dag_call *c, const struct event *e,
			double wall, bool known)
{
	bool told = at_is_length(e->stall_ms), mcp = c->mcp && known;
	double stall = told ? e->stall_ms.n / 1000 : wall;

	write_seconds(j, STR("stall_seconds"), told || mcp, stall);
	if (told || mcp)
		t->sums.stall += stall;
}

void at_write_tool_call(struct at_trace *t, struct json_writer *j, const struct dag_call *c, const struct at_finish *f,
			int64_t to)
{
	const struct event *e = f->e;
	bool known = f->result && at_is_length(e->duration_ms);
	bool derived = !known && f->result && c->timed && at_is_timed(e->ts) && to >= c->start_us;
	double wall = known ? e->duration_ms.n / 1000 : derived ? (double)(to - c->start_us) / 1e6 : 0;

	json_write_key(j, STR("tool_call"));
	json_write_begin_object(j);
	json_write_key(j, STR("name"));
	json_write_string(j, clean_tool(c->name));
	json_write_key(j, STR("wall_time_seconds"));
	json_write_double(j, wall);
	write_stall(t, j, c, e, wall, known || derived);
	write_size(t, j, e, f->result);
	json_write_key(j, STR("is_external"));
	json_write_bool(j, c->external);
	json_write_key(j, STR("is_io_bound"));
	json_write_bool(j, c->external);
	if (!known) {
		json_write_key(j, STR("wall_time_source"));
		json_write_string(j, derived ? STR("timestamps") : STR("unknown"));
	}
	if (clean_id(c->call).p) {
		json_write_key(j, STR("call_id"));
		json_write_string(j, c->call);
	}
	if (!f->result) {
		json_write_key(j, STR("partial"));
		json_write_bool(j, true);
	}
	json_write_end_object(j);
}
