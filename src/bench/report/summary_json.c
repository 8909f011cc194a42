/* summary.json: dialect/bench/summary.c has its rules, doc/formats/summary.md its words. */
#include <math.h>

#include "base/clock.h"
#include "bench/report/summary.h"
#include "json/json.h"
#include "json/put.h"

/* A rate of nothing is null, never 0. */
static void put_rate(struct json_writer *w, const char *name, struct rate r)
{
	json_put_double(w, name, r.n ? (double)r.k / (double)r.n : NAN);
}

/* The members are there whether or not there are values: without any, all but n are null. */
static void summary_json_put_spread(struct json_writer *w, const char *name, const struct spread *s)
{
	static const struct spread none = { .p50 = NAN, .p95 = NAN, .p99 = NAN, .mean = NAN,
					    .p50_interval = { NAN, NAN }, .p95_interval = { NAN, NAN },
					    .p99_interval = { NAN, NAN } };

	s = s->n ? s : &none;
	json_put_object(w, name);
	json_put_double(w, "p50", s->p50);
	json_put_double(w, "p95", s->p95);
	json_put_double(w, "p99", s->p99);
	json_put_double(w, "mean", s->mean);
	json_put_u64(w, "n", s->n);
	stats_put_interval(w, "p50_interval", s->p50_interval);
	stats_put_interval(w, "p95_interval", s->p95_interval);
	stats_put_interval(w, "p99_interval", s->p99_interval);
	json_write_end_object(w);
}

/* The text came from a file that anybody can write to. */
static bool is_array(struct str text)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 64 });
	struct val v;
	bool is = text.n && json_parse_copy(parser, text, &v, NULL) && val_is(v, JSON_ARRAY);

	json_parser_close(parser);
	return is;
}

/* null when the machine was not measured; inside, null for each figure that could not be. */
static void put_resources(struct json_writer *w, const char *name, const struct resources *r)
{
	json_put_key(w, name);
	if (!r->known) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_i64_or_null(w, "mem_total_bytes", r->mem_total);
	json_put_i64_or_null(w, "mem_available_bytes", r->mem_available);
	json_put_i64_or_null(w, "disk_free_bytes", r->disk_free);
	json_put_double(w, "load1", r->load1 >= 0 ? r->load1 : NAN);
	json_put_raw(w, "gpus", is_array(r->gpus) ? r->gpus : STR("null"));
	json_write_end_object(w);
}

/* Members that other programs know, under their names. What is not known is null, never left out. */
static void put_counts(struct json_writer *w, const struct summary_group *g)
{
	json_put_text_or_null(w, "provider", g->provider);
	json_put_text_or_null(w, "model", g->model);
	json_put_text_or_null(w, "thinking_level", g->thinking);
	json_put_u64(w, "n_total", g->n_total);
	json_put_u64(w, "n_ok", g->n_ok);
	json_put_u64(w, "n_success", g->n_success);
	json_put_u64(w, "n_skipped_unavailable", g->n_unavailable);
	json_put_u64(w, "n_rate_limited", g->n_limited);
	json_put_u64(w, "n_error", g->n_error);
	put_rate(w, "success_rate_ok", g->success);
	put_rate(w, "objective_pass_rate", g->pass);
	json_put_i64_or_null(w, "wall_clock_ms", g->has_wall ? g->wall_ms : -1);
	summary_json_put_spread(w, "latency_ms", &g->latency);
	put_resources(w, "resources_before", &g->before);
	put_resources(w, "resources_after", &g->after);
}

static void put_tier(struct json_writer *w, const struct summary_group *g)
{
	put_rate(w, "tool_use_success_rate", g->tools);
	stats_put_interval(w, "tool_use_interval", g->tools.interval);
	json_put_i64_or_null(w, "tool_tier", g->tier ? g->tier : -1);
	json_put_bool(w, "recommended_for_subagents", g->tier == 1);
}

/* null when no row has a cost; n says of how many rows the sum is, n_unpriced how many used tokens without a price. */
static void put_cost(struct json_writer *w, const struct summary_group *g)
{
	json_put_u64(w, "n_unpriced", g->unpriced);
	json_put_key(w, "cost");
	if (!isfinite(g->usd)) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_double(w, "usd", g->usd);
	json_put_bool(w, "estimated", g->usd_estimated);
	json_put_u64(w, "n", g->usd_rows);
	json_write_end_object(w);
}

/* The clustered mean; null when no answer was judged. */
static void put_mean(struct json_writer *w, const struct stats_mean *m)
{
	json_put_key(w, "objective_pass_mean");
	if (m->n == 0) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	json_put_double(w, "mean", m->mean);
	json_put_double(w, "standard_error", m->se);
	stats_put_interval(w, "interval", m->interval);
	json_put_u64(w, "n", m->n);
	json_put_u64(w, "clusters", m->clusters);
	json_write_end_object(w);
}

/* For 1, 2, 4, 8 and so on tries, and for as many as there are. */
static void put_tries(struct json_writer *w, const struct summary_group *g)
{
	double one, all;
	uint64_t n;

	json_put_key(w, "pass_at");
	if (g->repeats < 2) {
		json_write_null(w);
		return;
	}
	json_write_begin_array(w);
	for (uint64_t k = 1; k <= g->repeats; k = k < g->repeats && k > g->repeats / 2 ? g->repeats : k * 2) {
		n = summary_pass_at(g, k, &one, &all);
		if (n == 0)
			break;
		json_write_begin_object(w);
		json_put_u64(w, "k", k);
		json_put_double(w, "any_of_k", one);
		json_put_double(w, "all_of_k", all);
		json_put_u64(w, "prompts", n);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

/* One entry of "models": members that other programs know come first, ours behind them. */
static void put_group(struct json_writer *w, const struct summary_group *g)
{
	json_write_begin_object(w);
	put_counts(w, g);
	put_tier(w, g);
	json_put_u64(w, "n_auth_error", g->n_auth);
	stats_put_interval(w, "success_rate_interval", g->success.interval);
	stats_put_interval(w, "objective_pass_interval", g->pass.interval);
	summary_json_put_spread(w, "ttft_ms", &g->ttft);
	json_put_double(w, "output_tokens_per_second", g->tokens_per_second);
	put_cost(w, g);
	json_put_u64(w, "objective_pass_n", g->pass.n);
	put_rate(w, "objective_pass_rate_all", g->pass_of_all);
	stats_put_interval(w, "objective_pass_all_interval", g->pass_of_all.interval);
	json_put_u64(w, "objective_pass_all_n", g->pass_of_all.n);
	json_put_u64(w, "tool_use_n", g->tools.n);
	put_rate(w, "tool_use_success_rate_all", g->tools_of_all);
	stats_put_interval(w, "tool_use_all_interval", g->tools_of_all.interval);
	json_put_u64(w, "tool_use_all_n", g->tools_of_all.n);
	json_put_bool(w, "tool_tier_uncertain", g->tier_unsure);
	summary_json_put_spread(w, "waited_ms", &g->waited);
	json_put_u64(w, "input_tokens", g->input_tokens);
	json_put_u64(w, "output_tokens", g->output_tokens);
	json_put_u64(w, "repeats", g->repeats);
	put_mean(w, &g->pass_mean);
	put_tries(w, g);
	json_write_end_object(w);
}

void summary_write_json(struct buf *out, const struct summary *s, int64_t generated_ns)
{
	struct json_writer w;
	char stamp[36];

	stamp_format_ns(stamp, generated_ns, 3);
	json_write_init(&w, out, JSON_PRETTY);
	json_write_begin_object(&w);
	json_put_text_or_null(&w, "generated_at", str_from(stamp));
	json_put_text_or_null(&w, "run_id", s->run_id);
	json_put_i64_or_null(&w, "run_wall_clock_ms", s->has_wall ? s->wall_ms : -1);
	json_put_array(&w, "models");
	for (size_t i = 0; i < s->count; i++)
		put_group(&w, &s->groups[i]);
	json_write_end_array(&w);
	json_put_u64(&w, "n_rows", s->rows);
	json_put_u64(&w, "n_lines_skipped", s->skipped);
	json_put_u64(&w, "n_rows_repeated", s->repeated);
	json_put_text_or_null(&w, "percentile_method", STR("linear (type 7)"));
	json_put_text_or_null(&w, "percentile_interval_method", STR("order statistics"));
	json_put_text_or_null(&w, "interval_method", str_from(rate_method_name(s->method)));
	json_put_double(&w, "interval_level", 0.95);
	json_put_bool(&w, "client_was_bottleneck", s->bottleneck);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}
