/* The plan of a run, for people and as JSON. */
#include <math.h>

#include "cmd/bench/run.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/report/report.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/grid.h"
#include "cmd/screen/wrap.h"
#include "json/put.h"

#define WIDE 100 /* columns from which on there is room for addresses */

/* A ceiling, marked as an estimate; "no limit" when only --max-tokens is missing, "-" without a price. */
static void add_usd(struct buf *out, double usd, bool has_price)
{
	if (!isnan(usd)) {
		buf_add_str(out, STR("<= "));
		amounts_add_dollars(out, usd, false);
		buf_add_byte(out, '~');
	} else {
		buf_add_str(out, has_price ? STR("no limit") : STR("-"));
	}
}

/* The table of targets. Addresses are the last column and are left out on a narrow screen. */
static void show_targets(struct buf *out, const struct bench_job *j, const struct term *t)
{
	static const char *const heads[] = { "target", "questions", "input", "output", "cost", "where" };
	bool wide = t->width >= WIDE;
	struct grid g;

	grid_init(&g, j->arena, wide ? "lrrrrl" : "lrrrr");
	g.whole_names = true;
	grid_add_row(&g, heads);
	for (size_t i = 0; i < j->plan.count; i++) {
		const struct plan_target *p = &j->plan.targets[i];

		term_add_text(&g.cell, p->name);
		grid_add_cell(&g);
		amounts_add_count(&g.cell, p->questions, false);
		grid_add_cell(&g);
		amounts_add_count(&g.cell, p->input_tokens, false);
		buf_add_byte(&g.cell, '~');
		grid_add_cell(&g);
		buf_add_str(&g.cell, p->output_most ? STR("<= ") : STR("-"));
		if (p->output_most)
			amounts_add_count(&g.cell, p->output_most, false);
		grid_add_cell(&g);
		add_usd(&g.cell, p->usd_most, p->has_price);
		grid_add_cell(&g);
		if (!wide)
			continue;
		term_add_text(&g.cell, j->config.bases[i]);
		grid_add_cell(&g);
	}
	grid_end(&g, out, 2, t->width, t->color);
}

/* What the number of prompts can show. More than 100 points means that no difference could. */
static void add_power(struct buf *out, const struct plan *p)
{
	if (isnan(p->detectable)) {
		buf_add_str(out, STR("No prompt has a validator: there will be times and costs, but no pass rate.\n"));
		return;
	}
	buf_printf(out, "%llu judged prompts: a pass rate will be accurate to about +-%.0f points; ",
		   (unsigned long long)p->judged, 100 * p->half_width);
	if (p->detectable <= 1)
		buf_printf(out, "a difference of %.0f points or more between two targets would show "
			   "(80 %% power, paired).\n", ceil(100 * p->detectable));
	else
		buf_add_str(out, STR("too few to show any difference between two targets.\n"));
}

/* The built-in mock costs nothing, and nobody misses its price. */
static bool is_unpriced(const struct bench_job *j, size_t i)
{
	return !j->plan.targets[i].has_price && !str_eq(j->config.bases[i], STR("builtin"));
}

/* The highest cost of all targets together, and what a dash in the column means. */
static void add_total(struct buf *out, const struct bench_job *j)
{
	size_t unpriced = 0, known = 0;
	double usd = 0;

	for (size_t i = 0; i < j->plan.count; i++) {
		const struct plan_target *t = &j->plan.targets[i];

		known += !isnan(t->usd_most);
		usd += isnan(t->usd_most) ? 0 : t->usd_most;
		unpriced += is_unpriced(j, i);
	}
	if (known && known + unpriced > 1) {
		buf_add_str(out, STR("The run costs "));
		add_usd(out, usd, true);
		buf_add_str(out, unpriced ? STR(" and what is not known.\n") : STR(" in all.\n"));
	}
	if (!unpriced)
		return;
	buf_add_str(out, STR("No price for "));
	for (size_t i = 0, shown = 0; i < j->plan.count; i++) {
		if (!is_unpriced(j, i))
			continue;
		buf_add_str(out, shown++ ? STR(", ") : STR(""));
		term_add_text(out, j->plan.targets[i].name);
	}
	buf_printf(out, ": %s cost is not known and is in no total; --prices FILE adds a price.\n",
		   unpriced == 1 ? "its" : "their");
}

static void add_budget(struct buf *out, double usd)
{
	buf_add_str(out, STR("The run stops before it costs more than "));
	amounts_add_dollars(out, usd, false);
	buf_add_str(out, STR(".\n"));
}

void bench_plan_show(struct buf *out, const struct bench_job *j, const struct term *t)
{
	const struct plan *p = &j->plan;
	const struct config *c = &j->config;
	struct buf words;

	buf_init(&words);
	amounts_add_things(&words, p->prompts, "prompt");
	buf_add_str(&words, STR(" x "));
	amounts_add_things(&words, p->count, "target");
	if (p->repeat > 1)
		buf_printf(&words, " x %llu times", (unsigned long long)p->repeat);
	buf_add_str(&words, STR(" = "));
	amounts_add_things(&words, p->questions, "question");
	if (c->warmup)
		buf_printf(&words, ", and %llu before them to warm up each target", (unsigned long long)c->warmup);
	buf_add_byte(&words, '\n');
	buf_add_str(out, buf_str(&words));
	show_targets(out, j, t);
	buf_clear(&words);
	add_total(&words, j);
	wrap_add_paragraphs(out, buf_str(&words), 0, t->width);
	buf_clear(&words);
	add_power(&words, p);
	if (c->allow_commands)
		buf_printf(&words, "Validators may run programs: %.*s.\n", STR_ARG(c->sandbox));
	if (c->budget_usd >= 0)
		add_budget(&words, c->budget_usd);
	wrap_add_paragraphs(out, buf_str(&words), 0, t->width);
	buf_free(&words);
}

const char *const bench_plan_fields[] = { "suite_digest", "prompts", "judged", "with_tools", "repeat", "questions",
				      "usd_most", "detectable_difference", "power", "half_width", "targets", NULL };

/* Limits that there are not are null: no --max-tokens, or no price. */
static void write_targets(struct json_writer *w, const struct bench_job *j)
{
	const struct plan *p = &j->plan;

	json_write_begin_array(w);
	for (size_t i = 0; i < p->count; i++) {
		const struct plan_target *t = &p->targets[i];

		json_write_begin_object(w);
		json_put_text(w, "target", t->name);
		json_put_text(w, "base", j->config.bases[i]);
		json_put_u64(w, "questions", t->questions);
		json_put_u64(w, "input_tokens_estimated", t->input_tokens);
		json_put_double(w, "output_tokens_most", t->output_most ? (double)t->output_most : NAN);
		json_put_double(w, "usd_most", t->usd_most);
		json_put_bool(w, "price_known", t->has_price);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

void bench_plan_write_json(struct buf *out, const struct bench_job *j, struct opt_maybe selected)
{
	const struct plan *p = &j->plan;
	struct json_writer w;

	field_begin_document(&w, out, JSON_PRETTY, "bench-plan");
	field_put_text(&w, selected, "suite_digest", j->config.suite_digest);
	field_put_u64(&w, selected, "prompts", p->prompts);
	field_put_u64(&w, selected, "judged", p->judged);
	field_put_u64(&w, selected, "with_tools", p->tools);
	field_put_u64(&w, selected, "repeat", p->repeat);
	field_put_u64(&w, selected, "questions", p->questions);
	field_put_double(&w, selected, "usd_most", p->usd_most);
	field_put_double(&w, selected, "detectable_difference", p->detectable);
	field_put_double(&w, selected, "power", PLAN_POWER);
	field_put_double(&w, selected, "half_width", p->half_width);
	if (report_begin_field(&w, selected, "targets"))
		write_targets(&w, j);
	field_end_document(&w);
}
