/* load.json: what was asked for, the machine, the figures of each stage and of all, the verdicts. */
#include <math.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench/load/report.h"
#include "json/put.h"
#include "provider/provider.h"

/* A time or a number that was not given. */
static void put_limit(struct json_writer *w, const char *name, uint64_t v, double scale)
{
	json_put_double(w, name, v == 0 || v == ARRIVALS_NO_END ? NAN : (double)v / scale);
}

/* ---- what was asked for ---- */

/* A limit that was not given is null; so is the speed of arrivals that were not recorded. */
static void put_arrivals(struct json_writer *w, const struct load_report *r)
{
	const struct arrivals_options *o = r->options->arrivals;

	json_put_object(w, "arrivals");
	json_put_word(w, "kind", arrivals_kind_name(o->kind));
	json_put_array(w, "rates");
	for (size_t i = 0; i < o->rate_count; i++)
		json_write_double(w, o->rates[i]);
	json_write_end_array(w);
	json_put_text_or_null(w, "schedule", r->schedule);
	json_put_double(w, "speed", o->kind == ARRIVALS_RECORDED ? o->speed : NAN);
	put_limit(w, "duration_seconds", o->duration_ns, 1e9);
	put_limit(w, "requests", o->requests, 1);
	json_write_end_object(w);
}

/* What was asked for: command, target, arrivals, prompts and limits. */
static void put_config(struct json_writer *w, const struct load_report *r)
{
	const struct load_options *o = r->options;

	json_put_texts(w, "command", r->command, r->command_count);
	json_put_object(w, "target");
	json_put_word(w, "provider", provider_name(o->target->provider));
	json_put_text_or_null(w, "model", o->target->model);
	json_put_text_or_null(w, "thinking_level", o->target->thinking);
	json_put_text_or_null(w, "base", r->run->address);
	json_write_end_object(w);
	put_arrivals(w, r);
	json_put_object(w, "prompts");
	json_put_word(w, "source", o->suite ? "suite" : "made");
	json_put_texts(w, "suites", r->suites, r->suite_count);
	json_put_text_or_null(w, "order",
			      !o->suite ? (struct str){ NULL, 0 } : o->by_chance ? STR("random") : STR("turn"));
	put_limit(w, "input_tokens", o->suite ? 0 : o->input_tokens, 1);
	put_limit(w, "max_tokens", o->max_tokens, 1);
	json_put_text_or_null(w, "system", o->system);
	json_put_double(w, "temperature", o->temperature < 0 ? NAN : o->temperature);
	json_put_bool(w, "stream", !o->whole);
	json_write_end_object(w);
	json_put_double(w, "timeout_seconds", (double)o->timeout_ns / 1e9);
	json_put_u64(w, "max_open", o->max_open);
	json_put_u64(w, "seed", o->seed);
	json_put_array(w, "slo");
	for (size_t i = 0; i < r->stats->slo_count; i++)
		json_write_string(w, r->stats->slos[i].text);
	json_write_end_array(w);
}

static void put_machine(struct json_writer *w)
{
	struct utsname u;

	json_put_object(w, "machine");
	if (uname(&u) == 0) {
		json_put_word(w, "sysname", u.sysname);
		json_put_word(w, "release", u.release);
		json_put_word(w, "machine", u.machine);
	}
	json_put_double(w, "cpus", (double)sysconf(_SC_NPROCESSORS_ONLN));
	json_write_end_object(w);
}

/* ---- figures ---- */

/* All members are there whether or not there are values: without any, all but n are null. */
static void load_json_put_spread(struct json_writer *w, enum load_metric m, struct load_spread *s)
{
	static const struct {
		const char *name, *interval;
		double p;
	} ps[] = { { "p50", "p50_interval", 0.5 }, { "p90", "p90_interval", 0.9 }, { "p95", "p95_interval", 0.95 },
		   { "p99", "p99_interval", 0.99 } };
	char name[32];

	snprintf(name, sizeof(name), "%s_ms", load_metric_name(m));
	json_put_object(w, name);
	json_put_u64(w, "n", s->n);
	json_put_double(w, "mean", s->n ? s->sum / (double)s->n : NAN);
	json_put_double(w, "min", s->n ? s->least : NAN);
	json_put_double(w, "max", s->n ? s->most : NAN);
	for (size_t i = 0; i < COUNT(ps); i++) {
		struct load_percentile p = load_spread_get(s, ps[i].p);

		json_put_double(w, ps[i].name, p.value);
		stats_put_interval(w, ps[i].interval, p.interval);
	}
	json_put_bool(w, "estimated", quantile_is_estimated(&s->values));
	json_write_end_object(w);
}

/* One stage: its counts, rates, goodput and the spread of every metric. */
static void put_stage(struct json_writer *w, const struct load_report *r, struct load_stage *g)
{
	uint64_t counted = load_stage_counted(g);

	json_write_begin_object(w);
	json_put_double(w, "rate_wanted", g->rate);
	json_put_double(w, "begin_seconds", (double)g->begin_ns / 1e9);
	json_put_double(w, "due_seconds", (double)g->length_ns / 1e9);
	json_put_double(w, "seconds", load_stage_seconds(g));
	json_put_u64(w, "due", g->due);
	json_put_u64(w, "sent", g->sent);
	for (int e = 0; e < LOAD_ENDS; e++)
		json_put_u64(w, load_end_name((enum load_end)e), g->ends[e]);
	json_put_u64(w, "empty", g->empty);
	json_put_double(w, "sent_rate", load_stage_sent_rate(g));
	json_put_double(w, "ok_rate", load_stage_rate(g, g->ends[LOAD_OK]));
	json_put_u64(w, "input_tokens", g->input_tokens);
	json_put_u64(w, "output_tokens", g->output_tokens);
	json_put_u64(w, "output_tokens_estimated", g->estimated);
	json_put_double(w, "output_tokens_rate", load_stage_rate(g, g->output_tokens));
	json_put_u64(w, "events", g->events);
	json_write_key(w, STR("goodput"));
	if (r->stats->slo_count) {
		json_write_begin_object(w);
		json_put_u64(w, "good", g->good);
		json_put_u64(w, "of", counted);
		json_put_double(w, "share", counted ? (double)g->good / (double)counted : NAN);
		stats_put_interval(w, "share_interval", stats_wilson(g->good, counted, LOAD_LEVEL));
		json_put_double(w, "rate", load_stage_rate(g, g->good));
		json_write_end_object(w);
	} else {
		json_write_null(w);
	}
	for (int m = 0; m < LOAD_METRICS; m++)
		load_json_put_spread(w, (enum load_metric)m, &g->spreads[m]);
	json_write_end_object(w);
}

/* With the built-in server in this process our CPU time says nothing about the client. */
static void put_client(struct json_writer *w, const struct load_report *r)
{
	const char *why = load_stats_bottleneck(r->stats, r->has_server ? 0 : load_report_busy(r));

	json_put_object(w, "client");
	json_put_double(w, "cpu_seconds", r->run->cpu_seconds);
	json_put_double(w, "busy", load_report_busy(r));
	json_put_double(w, "cpu_us_per_event", load_report_event_us(r));
	json_put_bool(w, "includes_server", r->has_server);
	json_put_u64(w, "most_open", r->run->most_open);
	json_put_bool(w, "was_bottleneck", why != NULL);
	json_put_word(w, "why", why);
	json_write_end_object(w);
}

static void put_verdicts(struct json_writer *w, const struct load_report *r)
{
	json_put_array(w, "thresholds");
	for (size_t i = 0; i < r->verdict_count; i++) {
		json_write_begin_object(w);
		json_put_text_or_null(w, "threshold", r->verdicts[i].bound->text);
		json_put_u64(w, "stage", r->verdicts[i].stage + 1);
		json_put_bool(w, "met", r->verdicts[i].met);
		json_put_text_or_null(w, "said", r->verdicts[i].said);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

void load_report_json(struct buf *out, const struct load_report *r)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_PRETTY);
	json_write_begin_object(&w);
	json_put_text(&w, "schema", STR("trackway.bench-load/1"));
	json_put_text_or_null(&w, "run_id", r->run_id);
	json_put_text_or_null(&w, "started_at", r->started_at);
	json_put_text_or_null(&w, "trackway_version", r->version);
	put_config(&w, r);
	put_machine(&w);
	json_put_bool(&w, "completed", !r->run->stopped);
	json_put_double(&w, "wall_seconds", (double)r->run->wall_ns / 1e9);
	put_client(&w, r);
	json_put_array(&w, "stages");
	for (size_t i = 0; i < r->stats->count; i++)
		put_stage(&w, r, &r->stats->stages[i]);
	json_write_end_array(&w);
	json_write_key(&w, STR("all"));
	put_stage(&w, r, load_stats_all(r->stats));
	json_put_object(&w, "failures");
	for (size_t i = 0; i < r->stats->failure_count; i++)
		json_put_u64(&w, r->stats->failures[i].name, r->stats->failures[i].count);
	json_write_end_object(&w);
	put_verdicts(&w, r);
	json_put_bool(&w, "confident", r->confident);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}
