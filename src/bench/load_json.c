#include <math.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench/load_report.h"
#include "json/write.h"
#include "provider/provider.h"

static void put_double(struct json_writer *w, const char *name, double v)
{
	json_write_key(w, str_from(name));
	json_write_double(w, v); /* null when it is not finite */
}

static void put_u64(struct json_writer *w, const char *name, uint64_t v)
{
	json_write_key(w, str_from(name));
	json_write_u64(w, v);
}

static void put_text(struct json_writer *w, const char *name, struct str v)
{
	json_write_key(w, str_from(name));
	if (v.p)
		json_write_string(w, v);
	else
		json_write_null(w);
}

static void put_bool(struct json_writer *w, const char *name, bool v)
{
	json_write_key(w, str_from(name));
	json_write_bool(w, v);
}

static void put_texts(struct json_writer *w, const char *name, const struct str *list, size_t count)
{
	json_write_key(w, str_from(name));
	json_write_begin_array(w);
	for (size_t i = 0; i < count; i++)
		json_write_string(w, list[i]);
	json_write_end_array(w);
}

static void begin(struct json_writer *w, const char *name)
{
	json_write_key(w, str_from(name));
	json_write_begin_object(w);
}

static void put_interval(struct json_writer *w, const char *name, struct interval v)
{
	json_write_key(w, str_from(name));
	if (isnan(v.low) || isnan(v.high)) {
		json_write_null(w);
		return;
	}
	json_write_begin_array(w);
	json_write_double(w, v.low);
	json_write_double(w, v.high);
	json_write_end_array(w);
}

/* A time or a number that was not given. */
static void put_limit(struct json_writer *w, const char *name, uint64_t v, double scale)
{
	put_double(w, name, v == 0 || v == ARRIVALS_NO_END ? NAN : (double)v / scale);
}

/* ---- what was asked for ---- */

static void put_arrivals(struct json_writer *w, const struct load_report *r)
{
	const struct arrivals_options *o = r->options->arrivals;

	begin(w, "arrivals");
	put_text(w, "kind", str_from(arrivals_kind_name(o->kind)));
	json_write_key(w, STR("rates"));
	json_write_begin_array(w);
	for (size_t i = 0; i < o->rate_count; i++)
		json_write_double(w, o->rates[i]);
	json_write_end_array(w);
	put_text(w, "schedule", r->schedule);
	put_double(w, "speed", o->kind == ARRIVALS_RECORDED ? o->speed : NAN);
	put_limit(w, "duration_seconds", o->duration_ns, 1e9);
	put_limit(w, "requests", o->requests, 1);
	json_write_end_object(w);
}

static void put_config(struct json_writer *w, const struct load_report *r)
{
	const struct load_options *o = r->options;

	put_texts(w, "command", r->command, r->command_count);
	begin(w, "target");
	put_text(w, "provider", str_from(provider_name(o->target->provider)));
	put_text(w, "model", o->target->model);
	put_text(w, "thinking_level", o->target->thinking);
	put_text(w, "base", r->run->address);
	json_write_end_object(w);
	put_arrivals(w, r);
	begin(w, "prompts");
	put_text(w, "source", o->suite ? STR("suite") : STR("made"));
	put_texts(w, "suites", r->suites, r->suite_count);
	put_text(w, "order", !o->suite ? (struct str){ NULL, 0 } : o->by_chance ? STR("random") : STR("turn"));
	put_limit(w, "input_tokens", o->suite ? 0 : o->input_tokens, 1);
	put_limit(w, "max_tokens", o->max_tokens, 1);
	put_text(w, "system", o->system);
	put_double(w, "temperature", o->temperature < 0 ? NAN : o->temperature);
	put_bool(w, "stream", !o->whole);
	json_write_end_object(w);
	put_double(w, "timeout_seconds", (double)o->timeout_ns / 1e9);
	put_u64(w, "max_open", o->max_open);
	put_u64(w, "seed", o->seed);
	json_write_key(w, STR("slo"));
	json_write_begin_array(w);
	for (size_t i = 0; i < r->stats->slo_count; i++)
		json_write_string(w, r->stats->slos[i].text);
	json_write_end_array(w);
}

static void put_machine(struct json_writer *w)
{
	struct utsname u;

	begin(w, "machine");
	if (uname(&u) == 0) {
		put_text(w, "sysname", str_from(u.sysname));
		put_text(w, "release", str_from(u.release));
		put_text(w, "machine", str_from(u.machine));
	}
	put_double(w, "cpus", (double)sysconf(_SC_NPROCESSORS_ONLN));
	json_write_end_object(w);
}

/* ---- figures ---- */

static void put_spread(struct json_writer *w, enum load_metric m, struct load_spread *s)
{
	static const struct {
		const char *name, *interval;
		double p;
	} ps[] = { { "p50", "p50_interval", 0.5 }, { "p90", "p90_interval", 0.9 }, { "p95", "p95_interval", 0.95 },
		   { "p99", "p99_interval", 0.99 } };
	char name[32];

	snprintf(name, sizeof(name), "%s_ms", load_metric_name(m));
	begin(w, name);
	put_u64(w, "n", s->n);
	put_double(w, "mean", s->n ? s->sum / (double)s->n : NAN);
	put_double(w, "min", s->n ? s->least : NAN);
	put_double(w, "max", s->n ? s->most : NAN);
	for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++) {
		struct load_percentile p = load_spread_get(s, ps[i].p);

		put_double(w, ps[i].name, p.value);
		put_interval(w, ps[i].interval, p.interval);
	}
	put_bool(w, "estimated", quantile_is_estimated(&s->values));
	json_write_end_object(w);
}

static void put_stage(struct json_writer *w, const struct load_report *r, struct load_stage *g)
{
	uint64_t counted = load_stage_counted(g);

	json_write_begin_object(w);
	put_double(w, "rate_wanted", g->rate);
	put_double(w, "begin_seconds", (double)g->begin_ns / 1e9);
	put_double(w, "due_seconds", (double)g->length_ns / 1e9);
	put_double(w, "seconds", load_stage_seconds(g));
	put_u64(w, "due", g->due);
	put_u64(w, "sent", g->sent);
	for (int e = 0; e < LOAD_ENDS; e++)
		put_u64(w, load_end_name((enum load_end)e), g->ends[e]);
	put_u64(w, "empty", g->empty);
	put_double(w, "sent_rate", load_stage_sent_rate(g));
	put_double(w, "ok_rate", load_stage_rate(g, g->ends[LOAD_OK]));
	put_u64(w, "input_tokens", g->input_tokens);
	put_u64(w, "output_tokens", g->output_tokens);
	put_u64(w, "output_tokens_estimated", g->estimated);
	put_double(w, "output_tokens_rate", load_stage_rate(g, g->output_tokens));
	put_u64(w, "events", g->events);
	json_write_key(w, STR("goodput"));
	if (r->stats->slo_count) {
		json_write_begin_object(w);
		put_u64(w, "good", g->good);
		put_u64(w, "of", counted);
		put_double(w, "share", counted ? (double)g->good / (double)counted : NAN);
		put_interval(w, "share_interval", stats_wilson(g->good, counted, LOAD_LEVEL));
		put_double(w, "rate", load_stage_rate(g, g->good));
		json_write_end_object(w);
	} else {
		json_write_null(w);
	}
	for (int m = 0; m < LOAD_METRICS; m++)
		put_spread(w, (enum load_metric)m, &g->spreads[m]);
	json_write_end_object(w);
}

static void put_client(struct json_writer *w, const struct load_report *r)
{
	const char *why = load_stats_bottleneck(r->stats, r->has_server ? 0 : load_report_busy(r));

	begin(w, "client");
	put_double(w, "cpu_seconds", r->run->cpu_seconds);
	put_double(w, "busy", load_report_busy(r));
	put_double(w, "cpu_us_per_event", load_report_event_us(r));
	put_bool(w, "includes_server", r->has_server);
	put_u64(w, "most_open", r->run->most_open);
	put_bool(w, "was_bottleneck", why != NULL);
	put_text(w, "why", why ? str_from(why) : (struct str){ NULL, 0 });
	json_write_end_object(w);
}

static void put_verdicts(struct json_writer *w, const struct load_report *r)
{
	json_write_key(w, STR("thresholds"));
	json_write_begin_array(w);
	for (size_t i = 0; i < r->verdict_count; i++) {
		json_write_begin_object(w);
		put_text(w, "threshold", r->verdicts[i].bound->text);
		put_u64(w, "stage", r->verdicts[i].stage + 1);
		put_bool(w, "met", r->verdicts[i].met);
		put_text(w, "said", r->verdicts[i].said);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

void load_report_json(struct buf *out, const struct load_report *r)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_PRETTY);
	json_write_begin_object(&w);
	put_text(&w, "schema", STR("trackway.bench-load/1"));
	put_text(&w, "run_id", r->run_id);
	put_text(&w, "started_at", r->started_at);
	put_text(&w, "trackway_version", r->version);
	put_config(&w, r);
	put_machine(&w);
	put_bool(&w, "completed", !r->run->stopped);
	put_double(&w, "wall_seconds", (double)r->run->wall_ns / 1e9);
	put_client(&w, r);
	json_write_key(&w, STR("stages"));
	json_write_begin_array(&w);
	for (size_t i = 0; i < r->stats->count; i++)
		put_stage(&w, r, &r->stats->stages[i]);
	json_write_end_array(&w);
	json_write_key(&w, STR("all"));
	put_stage(&w, r, load_stats_all(r->stats));
	begin(&w, "failures");
	for (size_t i = 0; i < r->stats->failure_count; i++)
		put_u64(&w, r->stats->failures[i].name, r->stats->failures[i].count);
	json_write_end_object(&w);
	put_verdicts(&w, r);
	put_bool(&w, "confident", r->confident);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}
