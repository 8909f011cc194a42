/* The profile of a run as one JSON document. */
#include <math.h>

#include "base/clock.h"
#include "cmd/frame/field.h"
#include "cmd/report/report.h"
#include "cmd/show.h"

static void write_seconds(struct json_writer *w, const char *name, int64_t us)
{
	json_put_double(w, name, (double)us / 1e6);
}

/* 0 in a trace that took no time. */
static double share_of(const struct profile *p, int64_t us)
{
	return p->total > 0 ? (double)us / 1e6 / p->total : 0;
}

/* ---- the fields ---- */

/* How sure a length of time is. */
static const char *const lengths[] = {
	[TRACE_LENGTH_MEASURED] = "measured",
	[TRACE_LENGTH_ABOUT] = "estimated",
	[TRACE_LENGTH_AT_MOST] = "at_most",
};

/* null in a trace without a node */
static void put_moment(struct json_writer *w, struct opt_maybe selected, const char *name, const struct profile *p,
		       int64_t us)
{
	char text[36];
	size_t n = stamp_format_us(text, us, 6);

	field_put_text_or_null(w, selected, name, p->nodes || p->has_summary ? str_of(text, n) : str_of(NULL, 0));
}

static void put_file(struct json_writer *w, const struct show *s)
{
	const struct profile *p = s->profile;

	json_write_begin_object(w);
	json_put_u64(w, "lines", p->lines);
	json_put_u64(w, "damaged", p->damaged);
	json_put_u64_or_null(w, "first_damaged", p->first_damaged, p->damaged);
	json_put_bool(w, "torn", p->torn);
	json_put_bool(w, "mixed", p->mixed);
	json_put_u64(w, "other_versions", p->other_versions);
	json_write_end_object(w);
}

static void show_json_put_counts(struct json_writer *w, const struct show *s)
{
	json_write_begin_object(w);
	for (size_t i = 0; i < AT_KINDS; i++)
		json_put_u64(w, agent_trace_kinds[i].p, s->profile->counts[i]);
	json_write_end_object(w);
}

static void put_known_by(struct json_writer *w, const struct show *s)
{
	json_write_begin_object(w);
	for (size_t i = 0; i < SIGHT_LAYERS; i++)
		json_put_u64(w, agent_trace_layers[i].p, s->profile->known_by[i]);
	json_write_end_object(w);
}

static void put_branches(struct json_writer *w, const struct show *s)
{
	json_write_begin_object(w);
	json_put_u64(w, "fan_out", s->profile->fan_outs);
	json_put_u64(w, "speculative", s->profile->speculations);
	json_write_end_object(w);
}

/* `busy` counts overlapping calls once, `sum` each by itself. */
static void write_union(struct json_writer *w, const char *name, const struct profile *p, enum profile_union which)
{
	json_put_object(w, name);
	write_seconds(w, "busy_seconds", p->busy_us[which]);
	json_put_double(w, "share", share_of(p, p->busy_us[which]));
	write_seconds(w, "sum_seconds", p->sum_us[which]);
	json_put_word(w, "length", lengths[p->length[which]]);
	json_write_end_object(w);
}

/* The same figures as the table of the text, in seconds. */
static void put_time(struct json_writer *w, const struct show *s)
{
	const struct profile *p = s->profile;

	json_write_begin_object(w);
	write_union(w, "all", p, UNION_ALL);
	write_union(w, "model", p, UNION_MODEL);
	write_union(w, "first_token", p, UNION_FIRST);
	write_union(w, "tool", p, UNION_TOOL);
	write_union(w, "user", p, UNION_USER);
	write_seconds(w, "both_seconds", p->both_us);
	write_seconds(w, "idle_seconds", p->idle_us);
	json_put_double(w, "idle_share", share_of(p, p->idle_us));
	json_put_bool(w, "estimated", p->about);
	json_write_end_object(w);
}

/* What nobody measured: null. */
static void write_maybe(struct json_writer *w, const char *name, int64_t us, bool known)
{
	json_put_double(w, name, known ? (double)us / 1e6 : NAN);
}

/* Null when there were tool calls and none says how long it waited; 0 when there was no call. */
static void put_stall(struct json_writer *w, const struct show *s)
{
	const struct profile *p = s->profile;
	bool known = p->stalls || !p->counts[AT_TOOL_CALL];

	json_write_begin_object(w);
	write_maybe(w, "seconds", p->stall_us, known);
	json_put_double(w, "share", known ? share_of(p, p->stall_us) : NAN); /* null */
	json_put_u64(w, "calls", p->stalls);
	json_write_end_object(w);
}

static void write_by_source(struct json_writer *w, const char *name, const uint64_t by_source[2])
{
	json_put_object(w, name);
	json_put_u64(w, "api", by_source[FIGURE_API]);
	json_put_u64(w, "estimated", by_source[FIGURE_ESTIMATED]);
	json_write_end_object(w);
}

static void put_tokens(struct json_writer *w, const struct show *s)
{
	const struct profile *p = s->profile;

	json_write_begin_object(w);
	write_by_source(w, "input", p->input);
	write_by_source(w, "output", p->output);
	json_put_u64_or_null(w, "cache_read", p->cache_read, p->has_cache);
	json_put_u64_or_null(w, "cache_write", p->cache_write, p->has_cache);
	json_put_u64_or_null(w, "reasoning", p->reasoning, p->has_reasoning);
	json_write_end_object(w);
}

/* null without a price; priced_calls says how many of the calls the sum is of. */
static void put_cost(struct json_writer *w, const struct show *s)
{
	const struct profile *p = s->profile;

	if (!amount_is_known(p->usd)) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_double(w, "usd", p->usd.n);
	json_put_word(w, "source", p->usd.source == FIGURE_API ? "api" : "estimated");
	json_put_u64(w, "priced_calls", p->priced);
	json_put_u64(w, "unpriced_calls", p->unpriced);
	json_write_end_object(w);
}

/* Names of models that used tokens without a price: the cost lacks them. */
static void put_unpriced(struct json_writer *w, const struct show *s)
{
	const struct profile_groups *groups = &s->profile->models;

	json_write_begin_array(w);
	for (size_t i = 0; i < groups->count; i++)
		if (groups->list[i]->unpriced)
			json_write_string(w, groups->list[i]->name);
	json_write_end_array(w);
}

/* null without a value. `estimated`: there were too many values to keep them all. */
static void write_quantiles(struct json_writer *w, const char *name, struct quantile *q)
{
	json_put_key(w, name);
	if (q->seen == 0) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_double(w, "p50", quantile_get(q, 0.5));
	json_put_double(w, "p95", quantile_get(q, 0.95));
	json_put_double(w, "p99", quantile_get(q, 0.99));
	json_put_bool(w, "estimated", quantile_is_estimated(q));
	json_write_end_object(w);
}

/* What models and tools share. Calls without a known length count as calls, not in the times. */
static void write_group(struct json_writer *w, const char *name, struct profile_group *g)
{
	json_put_text_or_null(w, name, g->name);
	json_put_u64(w, "calls", g->calls);
	json_put_u64(w, "partial", g->partial);
	write_maybe(w, "sum_seconds", g->sum_us, g->timed);
	write_maybe(w, "mean_seconds", g->timed ? g->each_us / (int64_t)g->timed : 0, g->timed);
	write_maybe(w, "max_seconds", g->longest_us, g->timed);
	write_quantiles(w, "latency_seconds", &g->latency);
	json_put_word(w, "length", lengths[g->length]);
}

/* All of them; only the text sorts and cuts the list. */
static void put_models(struct json_writer *w, const struct show *s)
{
	const struct profile_groups *groups = &s->profile->models;

	json_write_begin_array(w);
	for (size_t i = 0; i < groups->count; i++) {
		struct profile_group *g = groups->list[i];

		json_write_begin_object(w);
		write_group(w, "model", g);
		json_put_u64(w, "failed", g->failed);
		json_put_u64(w, "input_tokens", g->input);
		json_put_u64(w, "output_tokens", g->output);
		json_put_bool(w, "input_estimated", g->about_input);
		json_put_bool(w, "output_estimated", g->about_output);
		write_quantiles(w, "ttft_seconds", &g->ttft);
		json_put_double(w, "usd", amount_is_known(g->usd) ? g->usd.n : NAN); /* null */
		json_put_u64(w, "unpriced_calls", g->unpriced);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

/* null where the log has no content to tell it by. */
static void put_errors(struct json_writer *w, const struct show *s)
{
	const struct signals *g = s->signals;

	if (!g || !g->has_transcript) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_u64(w, "count", g->tool_errors);
	json_put_u64(w, "results", g->tool_results);
	json_put_text_or_null(w, "first_error", g->first_error);
	json_put_array(w, "tools");
	for (size_t i = 0; i < g->tool_count; i++) {
		if (g->tools[i].errors == 0)
			continue;
		json_write_begin_object(w);
		json_put_text(w, "tool", g->tools[i].name);
		json_put_u64(w, "errors", g->tools[i].errors);
		json_write_end_object(w);
	}
	json_write_end_array(w);
	json_write_end_object(w);
}

/* What the model could no longer see; null as above. */
static void put_compactions(struct json_writer *w, const struct show *s)
{
	const struct signals *g = s->signals;

	if (!g || !g->has_transcript) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_u64(w, "count", g->compactions);
	json_put_u64(w, "results_hidden", g->results_hidden);
	json_put_u64(w, "refetched", g->refetched);
	json_write_end_object(w);
}

/* The same for tools, with what they waited and whether they reach outside. */
static void put_tools(struct json_writer *w, const struct show *s)
{
	const struct profile_groups *groups = &s->profile->tools;

	json_write_begin_array(w);
	for (size_t i = 0; i < groups->count; i++) {
		struct profile_group *g = groups->list[i];

		json_write_begin_object(w);
		write_group(w, "tool", g);
		write_maybe(w, "stall_seconds", g->stall_us, g->stalls);
		json_put_u64(w, "external", g->external);
		json_put_u64(w, "external_guessed", g->guessed);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

static void put_gaps(struct json_writer *w, const struct show *s)
{
	const struct profile *p = s->profile;

	json_write_begin_array(w);
	for (size_t i = 0; i < p->gap_count; i++) {
		json_write_begin_object(w);
		write_seconds(w, "start_seconds", p->gaps[i].from_us - p->from_us);
		write_seconds(w, "seconds", p->gaps[i].to_us - p->gaps[i].from_us);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

static void put_waits(struct json_writer *w, const struct show *s)
{
	const struct profile *p = s->profile;

	json_write_begin_array(w);
	for (size_t i = 0; i < p->wait_count; i++) {
		json_write_begin_object(w);
		json_put_text_or_null(w, "tool", p->waits[i].tool->name);
		write_seconds(w, "start_seconds", p->waits[i].from_us - p->from_us);
		write_seconds(w, "stall_seconds", p->waits[i].stall_us);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

/* Start is counted from the start of the run. Model calls have more members than others. */
static void write_node(struct json_writer *w, const struct profile *p, const struct profile_row *r)
{
	json_write_begin_object(w);
	json_put_text_or_null(w, "kind", agent_trace_kinds[r->kind]);
	json_put_text_or_null(w, "label", r->label);
	json_put_u64(w, "level", r->level);
	write_seconds(w, "start_seconds", r->from_us - p->from_us);
	write_seconds(w, "seconds", r->to_us - r->from_us);
	if (r->kind == AT_MODEL_CALL) {
		write_maybe(w, "ttft_seconds", r->ttft_us, r->ttft_us >= 0);
		json_put_u64(w, "input_tokens", r->input);
		json_put_u64(w, "output_tokens", r->output);
		json_put_bool(w, "failed", r->failed);
		json_put_bool(w, "total_only", r->total_only);
	}
	json_put_bool(w, "partial", r->partial);
	json_put_bool(w, "inferred", r->inferred);
	json_put_word(w, "length", lengths[r->length]);
	json_write_end_object(w);
}

static void put_nodes(struct json_writer *w, const struct show *s)
{
	json_write_begin_array(w);
	for (size_t i = 0; i < s->profile->row_count; i++)
		write_node(w, s->profile, &s->profile->rows[i]);
	json_write_end_array(w);
}

const char *const show_fields[] = {
	"path", "trace_id", "verdict", "error_message", "has_summary", "started_at", "completed_at", "total_seconds",
	"framework", "rig_label", "engine", "file", "node_counts", "partial", "inferred", "known_by", "total_only",
	"branches", "time", "tool_stall", "tokens", "cost", "unpriced_models", "models", "tools", "gaps", "waits",
	"nodes", "nodes_left_out", "format", "tool_errors", "compactions", "bench", NULL,
};

/* The fields whose value is one word or number. */
static void put_facts(struct json_writer *w, const struct show *s, struct opt_maybe selected)
{
	const struct profile *p = s->profile;

	field_put_text_or_null(w, selected, "path", s->path);
	field_put_text_or_null(w, selected, "trace_id", p->trace_id);
	field_put_word(w, selected, "verdict", profile_verdicts[p->verdict]);
	field_put_text_or_null(w, selected, "error_message", p->error);
	field_put_bool(w, selected, "has_summary", p->has_summary);
	put_moment(w, selected, "started_at", p, p->from_us);
	put_moment(w, selected, "completed_at", p, p->to_us);
	field_put_double(w, selected, "total_seconds", p->total);
	field_put_text_or_null(w, selected, "framework", p->framework);
	field_put_text_or_null(w, selected, "rig_label", p->rig);
	field_put_text_or_null(w, selected, "engine", p->engine);
}

/* A field whose value is an object or a list. */
static void put_larger(struct json_writer *w, const struct show *s, struct opt_maybe selected, const char *name,
		       void (*put)(struct json_writer *w, const struct show *s))
{
	if (report_begin_field(w, selected, name))
		put(w, s);
}

void show_add_json(struct buf *out, const struct show *s, struct opt_maybe selected)
{
	const struct profile *p = s->profile;
	struct json_writer w;

	field_begin_document(&w, out, JSON_COMPACT, "show");
	put_facts(&w, s, selected);
	put_larger(&w, s, selected, "file", put_file);
	put_larger(&w, s, selected, "node_counts", show_json_put_counts);
	field_put_u64(&w, selected, "partial", p->partial);
	field_put_u64(&w, selected, "inferred", p->inferred);
	put_larger(&w, s, selected, "known_by", put_known_by);
	field_put_u64(&w, selected, "total_only", p->total_only);
	put_larger(&w, s, selected, "branches", put_branches);
	put_larger(&w, s, selected, "time", put_time);
	put_larger(&w, s, selected, "tool_stall", put_stall);
	put_larger(&w, s, selected, "tokens", put_tokens);
	put_larger(&w, s, selected, "cost", put_cost);
	put_larger(&w, s, selected, "unpriced_models", put_unpriced);
	field_put_word(&w, selected, "format", s->format ? s->format : "agent-trace");
	field_put_bool(&w, selected, "bench", s->bench.p != NULL);
	put_larger(&w, s, selected, "tool_errors", put_errors);
	put_larger(&w, s, selected, "compactions", put_compactions);
	put_larger(&w, s, selected, "models", put_models);
	put_larger(&w, s, selected, "tools", put_tools);
	put_larger(&w, s, selected, "gaps", put_gaps);
	put_larger(&w, s, selected, "waits", put_waits);
	put_larger(&w, s, selected, "nodes", put_nodes);
	field_put_u64(&w, selected, "nodes_left_out", p->nodes - p->row_count);
	field_end_document(&w);
}
