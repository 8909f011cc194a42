/* summary.json: dialect/bench_summary.c has its rules, doc/formats/summary.md its words. */
#include <math.h>

#include "base/clock.h"
#include "bench/summary.h"
#include "json/json.h"
#include "json/write.h"

static void put_text(struct json_writer *w, struct str name, struct str text)
{
	json_write_key(w, name);
	if (text.p)
		json_write_string(w, text);
	else
		json_write_null(w);
}

static void put_count(struct json_writer *w, struct str name, uint64_t v)
{
	json_write_key(w, name);
	json_write_u64(w, v);
}

static void put_bool(struct json_writer *w, struct str name, bool v)
{
	json_write_key(w, name);
	json_write_bool(w, v);
}

/* What is not finite is null. */
static void put_double(struct json_writer *w, struct str name, double v)
{
	json_write_key(w, name);
	json_write_double(w, v);
}

static void put_rate(struct json_writer *w, struct str name, struct rate r)
{
	put_double(w, name, r.n ? (double)r.k / (double)r.n : NAN);
}

static void put_interval(struct json_writer *w, struct str name, struct interval i)
{
	json_write_key(w, name);
	if (!isfinite(i.low) || !isfinite(i.high)) {
		json_write_null(w);
		return;
	}
	json_write_begin_array(w);
	json_write_double(w, i.low);
	json_write_double(w, i.high);
	json_write_end_array(w);
}

static void put_wall(struct json_writer *w, struct str name, bool known, int64_t ms)
{
	json_write_key(w, name);
	if (known)
		json_write_i64(w, ms);
	else
		json_write_null(w);
}

static void put_spread(struct json_writer *w, struct str name, const struct spread *s)
{
	static const struct interval none = { NAN, NAN };
	bool any = s->n > 0;

	json_write_key(w, name);
	json_write_begin_object(w);
	put_double(w, STR("p50"), any ? s->p50 : NAN);
	put_double(w, STR("p95"), any ? s->p95 : NAN);
	put_double(w, STR("p99"), any ? s->p99 : NAN);
	put_double(w, STR("mean"), any ? s->mean : NAN);
	put_count(w, STR("n"), s->n);
	put_interval(w, STR("p50_interval"), any ? s->p50_interval : none);
	put_interval(w, STR("p95_interval"), any ? s->p95_interval : none);
	put_interval(w, STR("p99_interval"), any ? s->p99_interval : none);
	json_write_end_object(w);
}

static void put_known(struct json_writer *w, struct str name, int64_t v)
{
	json_write_key(w, name);
	if (v >= 0)
		json_write_i64(w, v);
	else
		json_write_null(w);
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

static void put_resources(struct json_writer *w, struct str name, const struct resources *r)
{
	json_write_key(w, name);
	if (!r->known) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	put_known(w, STR("mem_total_bytes"), r->mem_total);
	put_known(w, STR("mem_available_bytes"), r->mem_available);
	put_known(w, STR("disk_free_bytes"), r->disk_free);
	put_double(w, STR("load1"), r->load1 >= 0 ? r->load1 : NAN);
	json_write_key(w, STR("gpus"));
	if (is_array(r->gpus))
		json_write_raw(w, r->gpus);
	else
		json_write_null(w);
	json_write_end_object(w);
}

static void put_counts(struct json_writer *w, const struct summary_group *g)
{
	put_text(w, STR("provider"), g->provider);
	put_text(w, STR("model"), g->model);
	put_text(w, STR("thinking_level"), g->thinking);
	put_count(w, STR("n_total"), g->n_total);
	put_count(w, STR("n_ok"), g->n_ok);
	put_count(w, STR("n_success"), g->n_success);
	put_count(w, STR("n_skipped_unavailable"), g->n_unavailable);
	put_count(w, STR("n_rate_limited"), g->n_limited);
	put_count(w, STR("n_error"), g->n_error);
	put_rate(w, STR("success_rate_ok"), g->success);
	put_rate(w, STR("objective_pass_rate"), g->pass);
	put_wall(w, STR("wall_clock_ms"), g->has_wall, g->wall_ms);
	put_spread(w, STR("latency_ms"), &g->latency);
	put_resources(w, STR("resources_before"), &g->before);
	put_resources(w, STR("resources_after"), &g->after);
}

static void put_tier(struct json_writer *w, const struct summary_group *g)
{
	put_rate(w, STR("tool_use_success_rate"), g->tools);
	put_interval(w, STR("tool_use_interval"), g->tools.interval);
	json_write_key(w, STR("tool_tier"));
	if (g->tier)
		json_write_i64(w, g->tier);
	else
		json_write_null(w);
	put_bool(w, STR("recommended_for_subagents"), g->tier == 1);
}

static void put_cost(struct json_writer *w, const struct summary_group *g)
{
	json_write_key(w, STR("cost"));
	if (!isfinite(g->usd)) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	put_double(w, STR("usd"), g->usd);
	put_bool(w, STR("estimated"), g->usd_estimated);
	put_count(w, STR("n"), g->usd_rows);
	json_write_end_object(w);
}

static void put_mean(struct json_writer *w, const struct stats_mean *m)
{
	json_write_key(w, STR("objective_pass_mean"));
	if (m->n == 0) {
		json_write_null(w);
		return;
	}
	json_write_begin_object(w);
	put_double(w, STR("mean"), m->mean);
	put_double(w, STR("standard_error"), m->se);
	put_interval(w, STR("interval"), m->interval);
	put_count(w, STR("n"), m->n);
	put_count(w, STR("clusters"), m->clusters);
	json_write_end_object(w);
}

/* For 1, 2, 4, 8 and so on tries, and for as many as there are. */
static void put_tries(struct json_writer *w, const struct summary_group *g)
{
	double one, all;
	uint64_t n;

	json_write_key(w, STR("pass_at"));
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
		put_count(w, STR("k"), k);
		put_double(w, STR("any_of_k"), one);
		put_double(w, STR("all_of_k"), all);
		put_count(w, STR("prompts"), n);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

static void put_group(struct json_writer *w, const struct summary_group *g)
{
	json_write_begin_object(w);
	put_counts(w, g);
	put_tier(w, g);
	put_count(w, STR("n_auth_error"), g->n_auth);
	put_interval(w, STR("success_rate_interval"), g->success.interval);
	put_interval(w, STR("objective_pass_interval"), g->pass.interval);
	put_spread(w, STR("ttft_ms"), &g->ttft);
	put_double(w, STR("output_tokens_per_second"), g->tokens_per_second);
	put_cost(w, g);
	put_count(w, STR("objective_pass_n"), g->pass.n);
	put_rate(w, STR("objective_pass_rate_all"), g->pass_of_all);
	put_interval(w, STR("objective_pass_all_interval"), g->pass_of_all.interval);
	put_count(w, STR("objective_pass_all_n"), g->pass_of_all.n);
	put_count(w, STR("tool_use_n"), g->tools.n);
	put_rate(w, STR("tool_use_success_rate_all"), g->tools_of_all);
	put_interval(w, STR("tool_use_all_interval"), g->tools_of_all.interval);
	put_count(w, STR("tool_use_all_n"), g->tools_of_all.n);
	put_bool(w, STR("tool_tier_uncertain"), g->tier_unsure);
	put_spread(w, STR("waited_ms"), &g->waited);
	put_count(w, STR("input_tokens"), g->input_tokens);
	put_count(w, STR("output_tokens"), g->output_tokens);
	put_count(w, STR("repeats"), g->repeats);
	put_mean(w, &g->pass_mean);
	put_tries(w, g);
	json_write_end_object(w);
}

void summary_write_json(struct buf *out, const struct summary *s, int64_t generated_ns)
{
	int64_t seconds = generated_ns / 1000000000, nanos = generated_ns % 1000000000;
	struct json_writer w;
	char stamp[36];

	if (nanos < 0) {
		nanos += 1000000000;
		seconds--;
	}
	stamp_format(stamp, seconds, (uint32_t)nanos, 3);
	json_write_init(&w, out, JSON_PRETTY);
	json_write_begin_object(&w);
	put_text(&w, STR("generated_at"), str_from(stamp));
	put_text(&w, STR("run_id"), s->run_id);
	put_wall(&w, STR("run_wall_clock_ms"), s->has_wall, s->wall_ms);
	json_write_key(&w, STR("models"));
	json_write_begin_array(&w);
	for (size_t i = 0; i < s->count; i++)
		put_group(&w, &s->groups[i]);
	json_write_end_array(&w);
	put_count(&w, STR("n_rows"), s->rows);
	put_count(&w, STR("n_lines_skipped"), s->skipped);
	put_count(&w, STR("n_rows_repeated"), s->repeated);
	put_text(&w, STR("percentile_method"), STR("linear (type 7)"));
	put_text(&w, STR("percentile_interval_method"), STR("order statistics"));
	put_text(&w, STR("interval_method"), str_from(rate_method_name(s->method)));
	put_double(&w, STR("interval_level"), 0.95);
	put_bool(&w, STR("client_was_bottleneck"), s->bottleneck);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}
