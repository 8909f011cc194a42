/* Markdown, and the sentences that Markdown and the terminal share; load.json is written by json.c. */
#include "bench/load/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const struct {
	enum load_metric metric;
	const char *title;
} shown[] = {
	{ LOAD_TTFT, "time to first token" },
	{ LOAD_TPOT, "time per output token, to the end" },
	{ LOAD_TPOT_LAST, "time per output token, to the last token" },
	{ LOAD_ITL, "between pieces" },
	{ LOAD_E2E, "end to end" },
	{ LOAD_E2E_LAST, "to the last token" },
};

bool load_report_judge(struct load_report *r, struct arena *a, const struct load_bound *bounds, size_t count)
{
	size_t stages = r->stats->count, n = count * stages;
	struct load_verdict *v = arena_array(a, struct load_verdict, n + 1);
	bool met = true;
	struct buf said;

	buf_init(&said);
	for (size_t i = 0; i < n; i++) {
		v[i].bound = &bounds[i / stages];
		v[i].stage = i % stages;
		buf_clear(&said);
		v[i].met = load_bound_meets(v[i].bound, &r->stats->stages[v[i].stage], r->confident, &said);
		v[i].said = arena_copy(a, buf_str(&said));
		met = met && v[i].met;
	}
	buf_free(&said);
	r->verdicts = v;
	r->verdict_count = n;
	return met;
}

double load_report_busy(const struct load_report *r)
{
	return r->run->wall_ns ? r->run->cpu_seconds / ((double)r->run->wall_ns / 1e9) : 0;
}

double load_report_event_us(const struct load_report *r)
{
	uint64_t events = load_stats_all(r->stats)->events;

	return events ? r->run->cpu_seconds * 1e6 / (double)events : NAN;
}

void load_report_arrivals(struct buf *out, const struct load_report *r)
{
	const struct arrivals_options *o = r->options->arrivals;

	if (o->kind == ARRIVALS_RECORDED) {
		buf_add_str(out, STR("as recorded"));
		if (o->speed != 1)
			buf_printf(out, ", %g times as fast", o->speed);
	} else {
		buf_printf(out, "%s at ", arrivals_kind_name(o->kind));
		for (size_t i = 0; i < o->rate_count; i++)
			buf_printf(out, "%s%g", i ? ", " : "", o->rates[i]);
		buf_add_str(out, STR("/s"));
	}
	if (o->duration_ns != ARRIVALS_NO_END)
		buf_printf(out, ", %g s%s", (double)o->duration_ns / 1e9, o->rate_count > 1 ? " each" : "");
	if (o->requests != ARRIVALS_NO_END)
		buf_printf(out, ", %" PRIu64 " request%s%s", o->requests, o->requests == 1 ? "" : "s",
			   o->rate_count > 1 ? " each" : "");
}

struct cell load_report_percentile(struct load_percentile p, bool interval)
{
	const char *mark = p.estimated ? "~" : "";

	if (!interval || isnan(p.value))
		return cell_printf("%s%s", load_ms(p.value).text, mark);
	if (isnan(p.interval.low))
		return cell_printf("%s%s (n too small)", load_ms(p.value).text, mark);
	return cell_printf("%s%s [%s, %s]", load_ms(p.value).text, mark, load_ms(p.interval.low).text,
			   load_ms(p.interval.high).text);
}

/* ---- notes ---- */

void load_report_failures(struct buf *out, const struct load_report *r, const char *before)
{
	const struct load_stats *s = r->stats;
	struct load_stage *all = load_stats_all(r->stats);

	if (s->failure_count) {
		buf_printf(out, "%sfailures:", before);
		for (size_t i = 0; i < s->failure_count; i++)
			buf_printf(out, "%s %s %" PRIu64, i ? "," : "", s->failures[i].name, s->failures[i].count);
		buf_add_byte(out, '\n');
	}
	if (all->empty)
		buf_printf(out, "%s%" PRIu64 " of the answers said nothing\n", before, all->empty);
}

static bool any_estimated(const struct load_stage *all)
{
	for (int m = 0; m < LOAD_METRICS; m++)
		if (quantile_is_estimated(&all->spreads[m].values))
			return true;
	return false;
}

void load_report_notes(struct buf *out, const struct load_report *r, const char *before)
{
	struct load_stage *all = load_stats_all(r->stats);
	const char *why = load_stats_bottleneck(r->stats, r->has_server ? 0 : load_report_busy(r));

	if (r->run->stopped)
		buf_printf(out, "%sstopped by a signal: the figures are those of the requests until then (%" PRIu64
			   " open ones were given up)\n", before, all->ends[LOAD_GIVEN_UP]);
	if (why)
		buf_printf(out, "%sTHE CLIENT WAS THE BOTTLENECK: %s; the figures are not the server's\n", before, why);
	if (all->spreads[LOAD_E2E_LAST].n)
		buf_printf(out, "%stpot and e2e count to the end of the response, tpot_last and e2e_last to its last "
			   "token\n", before);
	if (all->ends[LOAD_OK] && all->estimated)
		buf_printf(out, "%soutput tokens of %" PRIu64 " answers are estimated~ (a piece of the stream each): "
			   "the server did not say\n", before, all->estimated);
	if (!r->options->suite)
		buf_printf(out, "%squestions were made of words by seed %" PRIu64 "; their length in tokens is "
			   "estimated~ (three words for four tokens)\n", before, r->options->seed);
	if (any_estimated(all))
		buf_printf(out, "%s~ is from a sample of %zu values\n", before, LOAD_KEPT);
}

/* ---- Markdown ---- */

static struct cell md_rate(double v)
{
	return isnan(v) ? cell_printf("-") : cell_printf("%.2f", v);
}

/* As many cells as the head in load_report_md has. Goodput needs limits to be good by: a dash without them. */
static void md_stage_row(struct buf *out, const struct load_report *r, struct load_stage *g, const char *name)
{
	uint64_t counted = load_stage_counted(g);
	struct interval w = stats_wilson(g->good, counted, LOAD_LEVEL);

	buf_printf(out, "| %s | %s | %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | "
		   "%" PRIu64
		   " | %s | %s | ", name, md_rate(g->rate).text, md_rate(load_stage_sent_rate(g)).text, g->due,
		   g->ends[LOAD_OK], g->ends[LOAD_LIMITED], g->ends[LOAD_ERROR], g->ends[LOAD_TIMEOUT],
		   g->ends[LOAD_NOT_SENT], md_rate(load_stage_rate(g, g->ends[LOAD_OK])).text,
		   md_rate(load_stage_rate(g, g->output_tokens)).text);
	if (r->stats->slo_count && counted)
		buf_printf(out, "%s %% [%s, %s], %.2f/s |\n", cell_share((double)g->good / (double)counted).text,
			   cell_share(w.low).text, cell_share(w.high).text, load_stage_rate(g, g->good));
	else
		buf_add_str(out, STR("- |\n"));
}

static void md_spread_row(struct buf *out, struct load_spread *s, const char *name)
{
	static const double ps[] = { 0.5, 0.9, 0.95, 0.99 };

	buf_printf(out, "| %s | %" PRIu64 " | ", name, s->n);
	for (size_t i = 0; i < COUNT(ps); i++)
		buf_printf(out, "%s | ", load_report_percentile(load_spread_get(s, ps[i]), true).text);
	buf_printf(out, "%s | %s |\n", load_ms(s->n ? s->sum / (double)s->n : NAN).text,
		   load_ms(s->n ? s->most : NAN).text);
}

static void md_spreads(struct buf *out, struct load_stage *g)
{
	buf_add_str(out, STR("| | n | p50 | p90 | p95 | p99 | mean | max "
			     "|\n|---|---:|---:|---:|---:|---:|---:|---:|\n"));
	for (size_t i = 0; i < COUNT(shown); i++)
		md_spread_row(out, &g->spreads[shown[i].metric], shown[i].title);
	md_spread_row(out, &g->spreads[LOAD_TTFT_SENT], "time to first token, from the sending");
	md_spread_row(out, &g->spreads[LOAD_E2E_SENT], "end to end, from the sending");
	md_spread_row(out, &g->spreads[LOAD_E2E_LAST_SENT], "to the last token, from the sending");
	md_spread_row(out, &g->spreads[LOAD_LATE], "sent late (ours)");
	md_spread_row(out, &g->spreads[LOAD_LOOP], "looked at late (ours)");
}

static void md_verdicts(struct buf *out, const struct load_report *r)
{
	if (r->verdict_count)
		buf_add_str(out, STR("\n## Thresholds\n"));
	for (size_t i = 0; i < r->verdict_count; i++) {
		const struct load_verdict *v = &r->verdicts[i];

		buf_printf(out, "- %s", v->met ? "met" : "NOT MET");
		if (r->stats->count > 1)
			buf_printf(out, " in stage %zu", v->stage + 1);
		buf_printf(out, ": %.*s\n", STR_ARG(v->said));
	}
}

void load_report_md(struct buf *out, const struct load_report *r)
{
	struct load_stats *s = r->stats;

	buf_printf(out, "# Load test %.*s\n\n%.*s, ", STR_ARG(r->run_id), STR_ARG(r->target));
	load_report_arrivals(out, r);
	buf_printf(out, "; %.*s, %.1f s, seed %" PRIu64 ".\n\n", STR_ARG(r->started_at), (double)r->run->wall_ns / 1e9,
		   r->options->seed);
	buf_add_str(out, STR("| stage | wanted/s | sent/s | due | ok | rate-limited | errors | timeouts | not sent | "
			     "ok/s | output tokens/s | goodput |\n"
			     "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"));
	for (size_t i = 0; i < s->count; i++) {
		char name[24];

		snprintf(name, sizeof(name), "%zu", i + 1);
		md_stage_row(out, r, &s->stages[i], name);
	}
	if (s->count > 1)
		md_stage_row(out, r, load_stats_all(s), "all");
	for (size_t i = 0; i < s->slo_count; i++)
		buf_printf(out, "%s%.*s", i ? ", " : "\nA good answer has ", STR_ARG(s->slos[i].text));
	buf_add_str(out, s->slo_count ? STR(".\n") : STR(""));
	if (s->failure_count || load_stats_all(s)->empty)
		buf_add_str(out, STR("\n## Failures\n"));
	load_report_failures(out, r, "- ");
	for (size_t i = 0; i < s->count; i++) {
		if (s->count > 1)
			buf_printf(out, "\n## Stage %zu: %g/s\n\n", i + 1, s->stages[i].rate);
		else
			buf_add_str(out, STR("\n## Times\n\n"));
		md_spreads(out, &s->stages[i]);
	}
	buf_add_str(out, STR("\nTimes count from when a request was due unless they say otherwise; in brackets the "
			     "interval of 95 %.\n"));
	md_verdicts(out, r);
	buf_printf(out, "\n## The client\n- CPU: %.2f s in %.1f s (%.0f %%)%s\n- most requests open at once: "
		   "%" PRIu64 "\n",
		   r->run->cpu_seconds, (double)r->run->wall_ns / 1e9, 100 * load_report_busy(r),
		   r->has_server ? ", the built-in server's among it" : "", r->run->most_open);
	load_report_notes(out, r, "- ");
}
