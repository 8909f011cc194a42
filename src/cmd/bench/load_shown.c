/* Tables of figures for each stage. A figure that a stage does not have is "-", never 0. */
#include "cmd/bench/load_shown.h"

#include <inttypes.h>
#include <math.h>

#include "bench/report/summary_cells.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/grid.h"
#include "cmd/screen/wrap.h"

const char *const load_shown_fields[] = {
	"run_id", "started_at", "trackway_version", "command", "target", "arrivals", "prompts", "timeout_seconds",
	"max_open", "seed", "slo", "machine", "completed", "wall_seconds", "client", "stages", "all", "failures",
	"thresholds", "confident", NULL,
};

static void add_clock(struct buf *out, uint64_t ns)
{
	buf_printf(out, "%02" PRIu64 ":%02" PRIu64, ns / 60000000000u, ns / 1000000000u % 60);
}

void load_shown_progress(struct buf *out, const struct load_progress *p, uint64_t length_ns, size_t stages)
{
	buf_printf(out, "load %" PRIu64 " due  ok %" PRIu64, p->due, p->ok);
	if (p->failed)
		buf_printf(out, "  failed %" PRIu64, p->failed);
	if (p->not_sent)
		buf_printf(out, "  not sent %" PRIu64, p->not_sent);
	buf_printf(out, "  open %" PRIu64, p->open);
	if (stages > 1)
		buf_printf(out, "  stage %zu/%zu", p->stage + 1, stages);
	if (p->output_tokens && p->elapsed_ns > 1000000) {
		buf_add_str(out, STR("  "));
		amounts_add_count(out, (uint64_t)((double)p->output_tokens / ((double)p->elapsed_ns / 1e9)), false);
		buf_add_str(out, STR(" tok/s"));
	}
	buf_add_str(out, STR("  "));
	add_clock(out, p->elapsed_ns);
	if (length_ns) {
		buf_add_str(out, STR(" of "));
		add_clock(out, length_ns);
	}
}

/* ---- tables ---- */

static void add_rate_cell(struct grid *g, double v)
{
	if (isnan(v))
		grid_add(g, STR("-"));
	else
		grid_printf(g, v < 1000 ? "%.2f" : "%.0f", v);
}

/* How many requests came to which end, and the rates. The share of good answers needs --slo. */
static void add_stage_row(struct grid *t, const struct load_report *r, struct load_stage *g, const char *name)
{
	static const enum load_end ends[] = { LOAD_OK, LOAD_LIMITED, LOAD_ERROR, LOAD_TIMEOUT, LOAD_NOT_SENT };
	uint64_t counted = load_stage_counted(g);

	grid_add(t, str_from(name));
	add_rate_cell(t, g->rate);
	add_rate_cell(t, load_stage_sent_rate(g));
	grid_printf(t, "%" PRIu64, g->due);
	for (size_t i = 0; i < COUNT(ends); i++)
		grid_printf(t, "%" PRIu64, g->ends[ends[i]]);
	add_rate_cell(t, load_stage_rate(g, g->ends[LOAD_OK]));
	add_rate_cell(t, load_stage_rate(g, g->output_tokens));
	if (r->stats->slo_count && counted)
		grid_printf(t, "%s%%", cell_share((double)g->good / (double)counted).text);
	else
		grid_add(t, STR("-"));
}

/* A row for each stage, and one for all together where there are several. */
static void add_stages(struct buf *out, struct arena *a, const struct load_report *r, const struct term *term)
{
	static const char *const heads[] = { "stage", "want/s", "sent/s", "due", "ok", "429", "err", "t/o", "unsent",
					     "ok/s", "tok/s", "good" };
	struct load_stats *s = r->stats;
	struct grid t;

	grid_init(&t, a, "lrrrrrrrrrrr");
	grid_add_row(&t, heads);
	for (size_t i = 0; i < s->count; i++)
		add_stage_row(&t, r, &s->stages[i], arena_printf(a, "%zu", i + 1).p);
	if (s->count > 1)
		add_stage_row(&t, r, load_stats_all(s), "all");
	grid_end(&t, out, 0, term->width, term->color);
}

/* The interval is that of p99, which needs the most values; "n too small" says that there are not enough. */
static void add_spread_row(struct grid *t, struct load_spread *s, const char *name)
{
	static const double ps[] = { 0.5, 0.9, 0.95, 0.99 };
	struct load_percentile last = load_spread_get(s, 0.99);

	grid_add(t, str_from(name));
	grid_printf(t, "%" PRIu64, s->n);
	for (size_t i = 0; i < COUNT(ps); i++)
		grid_printf(t, "%s", load_report_percentile(load_spread_get(s, ps[i]), false).text);
	if (isnan(last.interval.low))
		grid_add(t, s->n ? STR("n too small") : STR("-"));
	else
		grid_printf(t, "%s - %s", load_ms(last.interval.low).text, load_ms(last.interval.high).text);
	grid_printf(t, "%s", load_ms(s->n ? s->most : NAN).text);
}

/* The spread of each time in a stage. "sent late" is the delay of this machine, not of the server. */
static void load_shown_add_times(struct buf *out, struct arena *a, struct load_stage *g, const struct term *term)
{
	static const char *const heads[] = { "", "n", "p50", "p90", "p95", "p99", "p99 (95 %)", "max" };
	static const struct {
		enum load_metric metric;
		const char *name;
	} rows[] = {
		{ LOAD_TTFT, "ttft" },	  { LOAD_TPOT, "tpot" },	  { LOAD_TPOT_LAST, "tpot_last" },
		{ LOAD_ITL, "itl" },	  { LOAD_E2E, "e2e" },	  { LOAD_E2E_LAST, "e2e_last" },
		{ LOAD_LATE, "sent late" },
	};
	struct grid t;

	grid_init(&t, a, "lrrrrrrr");
	grid_add_row(&t, heads);
	for (size_t i = 0; i < COUNT(rows); i++)
		add_spread_row(&t, &g->spreads[rows[i].metric], rows[i].name);
	grid_end(&t, out, 0, term->width, term->color);
}

/* The notes of the report, each wrapped to the screen. */
static void load_shown_add_notes(struct buf *out, const struct load_report *r, size_t width)
{
	struct buf notes;
	struct str left, line;

	buf_init(&notes);
	load_report_failures(&notes, r, "");
	load_report_notes(&notes, r, "");
	for (left = buf_str(&notes); left.n;) {
		line = str_of(left.p, str_find(left, STR("\n")));
		wrap_add_words(out, line, 0, 2, width);
		buf_add_byte(out, '\n');
		left = str_skip(left, line.n + 1);
	}
	buf_free(&notes);
}

void load_shown_text(struct buf *out, struct arena *a, const struct load_report *r, const struct term *t)
{
	struct load_stats *s = r->stats;

	buf_printf(out, "load test %.*s: ", STR_ARG(r->run_id));
	term_add_text(out, r->target);
	buf_add_str(out, STR(", "));
	load_report_arrivals(out, r);
	buf_add_str(out, STR("\n\n"));
	add_stages(out, a, r, t);
	for (size_t i = 0; i < s->count; i++) {
		buf_add_byte(out, '\n');
		if (s->count > 1)
			buf_printf(out, "stage %zu, %g/s\n", i + 1, s->stages[i].rate);
		load_shown_add_times(out, a, &s->stages[i], t);
	}
	buf_add_byte(out, '\n');
	load_shown_add_notes(out, r, t->width);
}

/* ---- JSON ---- */

void load_shown_json(struct buf *out, struct str json, struct opt_maybe selected)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_PRETTY);
	json_write_begin_object(&w);
	field_put_chosen(&w, selected, json);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}
