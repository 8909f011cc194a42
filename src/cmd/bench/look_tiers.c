/* Tool-use tiers: who may be given tools, how sure that is, and at which prompts it failed. */
#include <inttypes.h>
#include <math.h>

#include "bench/compare/rows.h"
#include "bench/report/summary_cells.h"
#include "cmd/bench/look.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/screen/grid.h"
#include "cmd/screen/wrap.h"
#include "json/put.h"

const char *const bench_tiers_fields[] = { "run_id", "targets", NULL };

/* ---- which prompts ---- */

/* `sums` has a place for each prompt. */
static void keep_missed(struct bench_tier *row, struct arena *a, const struct attempt_names *n,
			const struct bench_missed *sums)
{
	size_t prompts = attempt_prompt_count(n);

	row->missed = arena_array(a, struct bench_missed, prompts + 1);
	for (size_t i = 0; i < prompts; i++)
		if (sums[i].missed)
			row->missed[row->missed_count++] = sums[i];
}

/* Sums the rows of one target over all runs, by prompt. Only rows that are ok and expect tools count. */
static void count_target(struct bench_tier *row, struct arena *a, const struct attempt_names *n, uint32_t target,
			 const struct attempts *runs, size_t count)
{
	struct bench_missed *sums = arena_array(a, struct bench_missed, attempt_prompt_count(n) + 1);

	for (size_t r = 0; r < count; r++) {
		size_t rows;
		const struct attempt *x = attempts_of(&runs[r], target, &rows);

		for (size_t i = 0; i < rows; i++) {
			struct bench_missed *m = &sums[x[i].prompt];

			if (!x[i].ok || !x[i].expects)
				continue;
			m->prompt_id = attempt_prompt(n, x[i].prompt)->id;
			m->rows++;
			m->missed += !x[i].tool_success;
		}
	}
	keep_missed(row, a, n, sums);
}

bool bench_tiers_make(struct bench_tiers *t, struct arena *a, const struct summary *s, const struct str *paths,
		      size_t count, struct err *err)
{
	struct attempts *runs = arena_array(a, struct attempts, count + 1);
	struct attempt_names names;
	struct sha256 hash;
	struct map groups;
	bool done = true;

	t->summary = s;
	t->rows = arena_array(a, struct bench_tier, s->count + 1);
	map_init(&groups, a);
	for (size_t i = 0; i < s->count; i++) {
		const struct summary_group *g = &s->groups[i];

		t->rows[i].group = g;
		*map_add(&groups, target_name(a, g->provider, g->model, g->thinking), &(bool){ false }) = i;
	}
	attempt_names_init(&names, a);
	sha256_init(&hash);
	for (size_t i = 0; done && i < count; i++)
		done = attempts_read(&runs[i], &names, paths[i], &hash, err);
	for (uint32_t i = 0; done && i < attempt_target_count(&names); i++) {
		uint64_t *at = map_find(&groups, attempt_target(&names, i)->name);

		if (at)
			count_target(&t->rows[*at], a, &names, i, runs, count);
	}
	sha256_free(&hash);
	attempt_names_free(&names);
	return done;
}

/* ---- for people ---- */

static void bench_look_tiers_add_share(struct grid *g, struct rate r)
{
	if (r.n)
		buf_printf(&g->cell, "%" PRIu64 "/%" PRIu64 " ", r.k, r.n);
	grid_printf(g, "%s%s", cell_percent(r).text, r.n ? " %" : "");
}

/* Only tier 1 is recommended for subagents. A target whose prompts expect no tools has no tier. */
static void bench_look_tiers_add_row(struct grid *g, struct arena *a, const struct summary_group *s)
{
	term_add_text(&g->cell, target_name(a, s->provider, s->model, s->thinking));
	grid_add_cell(g);
	if (s->tier)
		grid_printf(g, "%d%s", s->tier, s->tier_unsure ? "?" : "");
	else
		grid_add(g, STR("-"));
	bench_look_tiers_add_share(g, s->tools);
	if (s->tools.n)
		bench_look_interval(&g->cell, s->tools.interval);
	grid_add_cell(g);
	bench_look_tiers_add_share(g, s->tools_of_all);
	grid_add(g, s->tier == 1 ? STR("yes") : STR("no"));
}

/* What the tiers mean, and what the question mark says where one is shown. */
static void bench_look_tiers_add_notes(struct buf *out, const struct bench_tiers *t, size_t width)
{
	bool unsure = false, any = false;

	for (size_t i = 0; i < t->summary->count; i++) {
		unsure = unsure || t->summary->groups[i].tier_unsure;
		any = any || t->summary->groups[i].tools_of_all.n;
	}
	buf_add_byte(out, '\n');
	if (!any)
		wrap_add_paragraphs(out, STR("No prompt expects a tool, so there are no tiers; builtin:tools has "
					     "prompts that do."), 0, width);
	wrap_add_paragraphs(out, STR("Tier 1 from 80 %, 2 from 50 %, else 3, of rows that are ok and expect tools; "
				     "'all rows' also counts failed calls."), 0, width);
	if (unsure)
		wrap_add_paragraphs(out, STR("?: n too small to separate tiers: the 95 % interval reaches into another "
					     "one."), 0, width);
}

/* The prompts at which a target failed, with counts when it was asked more than once. */
static void add_missed(struct buf *out, struct arena *a, const struct bench_tier *row, size_t width)
{
	const struct summary_group *g = row->group;
	struct buf words;

	if (row->missed_count == 0)
		return;
	buf_init(&words);
	term_add_text(&words, target_name(a, g->provider, g->model, g->thinking));
	buf_add_str(&words, STR(" did not call the expected tools:"));
	buf_add_byte(out, '\n');
	wrap_add_words(out, buf_str(&words), 0, 0, width);
	buf_add_byte(out, '\n');
	buf_free(&words);
	for (size_t i = 0; i < row->missed_count; i++) {
		buf_add_str(out, STR("  "));
		term_add_text(out, row->missed[i].prompt_id);
		if (row->missed[i].rows > 1)
			buf_printf(out, "  %" PRIu64 " of %" PRIu64, row->missed[i].missed, row->missed[i].rows);
		buf_add_byte(out, '\n');
	}
}

void bench_tiers_show(struct buf *out, struct arena *a, const struct bench_tiers *t, const struct term *term)
{
	static const char *const heads[] = { "target", "tier", "tools", "95 % interval", "all rows", "subagents" };
	struct grid g;

	grid_init(&g, a, "lrrlrl");
	g.whole_names = true;
	grid_add_row(&g, heads);
	for (size_t i = 0; i < t->summary->count; i++)
		bench_look_tiers_add_row(&g, a, t->rows[i].group);
	grid_end(&g, out, 0, term->width, term->color);
	bench_look_tiers_add_notes(out, t, term->width);
	for (size_t i = 0; i < t->summary->count; i++)
		add_missed(out, a, &t->rows[i], term->width);
}

/* ---- JSON ---- */

static void write_rate(struct json_writer *w, struct rate r)
{
	json_put_u64(w, "k", r.k);
	json_put_u64(w, "n", r.n);
	json_put_double(w, "rate", r.n ? (double)r.k / (double)r.n : NAN);
	stats_put_interval(w, "interval", r.interval);
}

/* One target with its tier, both rates and the prompts it missed. */
static void write_row(struct json_writer *w, const struct bench_tier *row)
{
	const struct summary_group *g = row->group;

	json_write_begin_object(w);
	json_put_text_or_null(w, "provider", g->provider);
	json_put_text_or_null(w, "model", g->model);
	json_put_text_or_null(w, "thinking_level", g->thinking);
	json_put_text_or_null(w, "tag", g->tag);
	json_put_i64_or_null(w, "tool_tier", g->tier ? g->tier : -1);
	json_put_bool(w, "tier_unsure", g->tier_unsure);
	json_put_bool(w, "recommended_for_subagents", g->tier == 1);
	json_put_object(w, "tool_use");
	write_rate(w, g->tools);
	json_write_end_object(w);
	json_put_object(w, "tool_use_all_rows");
	write_rate(w, g->tools_of_all);
	json_write_end_object(w);
	json_put_array(w, "missed_prompts");
	for (size_t i = 0; i < row->missed_count; i++) {
		json_write_begin_object(w);
		json_put_text_or_null(w, "prompt_id", row->missed[i].prompt_id);
		json_put_u64(w, "missed", row->missed[i].missed);
		json_put_u64(w, "rows", row->missed[i].rows);
		json_write_end_object(w);
	}
	json_write_end_array(w);
	json_write_end_object(w);
}

void bench_tiers_write_json(struct buf *out, const struct bench_tiers *t, struct opt_maybe selected)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_PRETTY, "bench-tiers");
	field_put_text_or_null(&w, selected, "run_id", t->summary->run_id);
	if (opt_has_field(selected, STR("targets"))) {
		json_put_array(&w, "targets");
		for (size_t i = 0; i < t->summary->count; i++)
			write_row(&w, &t->rows[i]);
		json_write_end_array(&w);
	}
	field_end_document(&w);
}
