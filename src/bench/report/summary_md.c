/* summary.md and tool_use_summary.md, for people. */
#include <inttypes.h>
#include <math.h>

#include "bench/report/summary_cells.h"

#define VIOLATIONS_MAX 1000 /* rows shown; a table of more is read by nobody */

/* What is written, and where the texts in it live. */
struct md {
	struct buf *out;
	struct arena arena;
};

/* A text from outside in a cell; a dash when there is none. */
static const char *md_text(struct md *m, struct str text)
{
	return text.p ? cell_md(&m->arena, text) : "-";
}

/* "2?" for a tier that the interval does not settle. */
static const char *md_tier(struct md *m, const struct summary_group *g)
{
	return g->tier ? arena_printf(&m->arena, "%d%s", g->tier, g->tier_unsure ? "?" : "").p : "-";
}

static const char *md_target(struct md *m, const struct summary_group *g)
{
	return cell_md(&m->arena, str_from(cell_target(&m->arena, g)));
}

static const char *md_change(struct md *m, bool known, int64_t before, int64_t after)
{
	if (!known || (before < 0 && after < 0))
		return "-";
	return arena_printf(&m->arena, "%s -> %s", cell_bytes(before).text, cell_bytes(after).text).p;
}

/* A row of the first table, with as many cells as its head has. */
static void md_add_row(struct md *m, const struct summary_group *g)
{
	bool both = g->before.known && g->after.known, any = g->latency.n > 0;

	buf_printf(m->out, "| %s | %s | %s | %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %s | %s | ",
		   cell_md(&m->arena, g->provider), cell_md(&m->arena, g->model), md_text(m, g->size),
		   md_text(m, g->thinking), g->n_total, g->n_ok, g->n_error, g->n_limited,
		   cell_percent_interval(g->success).text, cell_percent_interval(g->pass).text);
	buf_printf(m->out, "%s | %s | %s | %s | %s | %s | %s | %s |\n",
		   cell_ms(g->has_wall ? (double)g->wall_ms : NAN).text, cell_ms(any ? g->latency.p50 : NAN).text,
		   cell_ms(any ? g->latency.p95 : NAN).text, cell_ms(any ? g->latency.p99 : NAN).text,
		   cell_ms(g->ttft.n ? g->ttft.p50 : NAN).text, md_tier(m, g),
		   md_change(m, both, g->before.mem_available, g->after.mem_available),
		   md_change(m, both, g->before.disk_free, g->after.disk_free));
}

/* Begins a page with its title and how much was asked. The arena is the caller's to free. */
static void md_begin(struct md *m, struct buf *out, const struct summary *s, const char *title)
{
	m->out = out;
	arena_init(&m->arena);
	buf_printf(out, "# %s%s\n\n%" PRIu64 " calls of %zu %s%s%s.\n\n", title, cell_md(&m->arena, s->run_id), s->rows,
		   s->count, s->count == 1 ? "model" : "models", s->has_wall ? " in " : "",
		   s->has_wall ? cell_ms((double)s->wall_ms).text : "");
}

/* Each line of `notes` as an item. */
static void md_add_items(struct md *m, struct str notes)
{
	while (notes.n) {
		struct str line = str_cut(notes, '\n', &notes);

		buf_add_str(m->out, STR("- "));
		buf_add_str(m->out, line);
		buf_add_byte(m->out, '\n');
	}
}

/* With one model its notes and those of the run are one list; with several each has its name above. */
static void summary_md_add_notes(struct md *m, const struct summary *s)
{
	struct buf notes;

	buf_init(&notes);
	buf_add_str(m->out, STR("\n## Notes\n\n"));
	for (size_t i = 0; i < s->count; i++) {
		buf_clear(&notes);
		cell_add_notes(&notes, &s->groups[i]);
		if (s->count > 1 && notes.n)
			buf_printf(m->out, "**%s**\n\n", md_target(m, &s->groups[i]));
		md_add_items(m, buf_str(&notes));
		if (s->count > 1 && notes.n)
			buf_add_byte(m->out, '\n');
	}
	buf_clear(&notes);
	cell_add_run_notes(&notes, s);
	if (s->count > 1)
		buf_add_str(m->out, STR("**The run**\n\n"));
	md_add_items(m, buf_str(&notes));
	buf_free(&notes);
}

/* Prompts with violations as a table; with several models, each row says whose. */
static void summary_md_add_violations(struct md *m, const struct summary *s)
{
	size_t count;
	struct cell_violation *list = cell_violations(s, &count);

	buf_add_str(m->out, STR("\n## Violations by prompt\n\n"));
	if (count == 0)
		buf_add_str(m->out, STR("None.\n"));
	else
		buf_add_str(m->out, s->count > 1 ? STR("| prompt | name | model | passed | first violation | answer |\n"
						       "|---|---|---|---|---|---|\n") :
						   STR("| prompt | name | passed | first violation | answer |\n"
						       "|---|---|---|---|---|\n"));
	for (size_t i = 0; i < count && i < VIOLATIONS_MAX; i++) {
		const struct summary_prompt *p = list[i].prompt;

		buf_printf(m->out, "| %s | %s | ", cell_md(&m->arena, p->id), cell_md(&m->arena, p->name));
		if (s->count > 1)
			buf_printf(m->out, "%s | ", md_target(m, &s->groups[list[i].group]));
		buf_printf(m->out, "%" PRIu64 " of %" PRIu64 " | %s | %s |\n", p->passed, p->judged,
			   md_text(m, p->violation),
			   p->violation.p ? cell_md(&m->arena, cell_got(&m->arena, p->answer)) : "-");
	}
	if (count > VIOLATIONS_MAX)
		buf_printf(m->out, "\nAnd %zu more.\n", count - VIOLATIONS_MAX);
	mem_free(list);
}

void summary_write_md(struct buf *out, const struct summary *s)
{
	struct md m;

	md_begin(&m, out, s, "Benchmark run ");
	buf_add_str(out, STR("| provider | model | size | thinking | n | ok | err | rate-limited | success % | "
			     "objective % | wall | p50 | p95 | p99 | TTFT p50 | tier | RAM before -> after | "
			     "disk before -> after |\n"
			     "|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|:-:|---|---|\n"));
	for (size_t i = 0; i < s->count; i++)
		md_add_row(&m, &s->groups[i]);
	summary_md_add_notes(&m, s);
	summary_md_add_violations(&m, s);
	arena_free(&m.arena);
}

/* ---- tool use ---- */

/*
 * The heading comes with the first row, over all groups: *any says that it is there. At most VIOLATIONS_MAX rows of
 * each group.
 */
static void add_tools_prompts(struct md *m, const struct summary_group *g, bool *any)
{
	for (size_t k = 0, shown = 0; k < g->prompt_count && shown < VIOLATIONS_MAX; k++) {
		const struct summary_prompt *p = &g->prompts[k];

		if (p->tools_hit == p->tools_rows)
			continue;
		if (!*any)
			buf_add_str(m->out, STR("\n## Prompts whose tools were not called\n\n"
						"| provider | model | thinking | prompt | name | called |\n"
						"|---|---|---|---|---|---|\n"));
		*any = true;
		shown++;
		buf_printf(m->out, "| %s | %s | %s | %s | %s | %" PRIu64 " of %" PRIu64 " |\n",
			   cell_md(&m->arena, g->provider), cell_md(&m->arena, g->model), md_text(m, g->thinking),
			   cell_md(&m->arena, p->id), cell_md(&m->arena, p->name), p->tools_hit, p->tools_rows);
	}
}

void summary_write_tools_md(struct buf *out, const struct summary *s)
{
	bool any = false, unsure = false;
	struct md m;

	md_begin(&m, out, s, "Tool use of run ");
	buf_add_str(out, STR("| provider | model | thinking | n | called | rate % | tier | for sub-agents | "
			     "with failed calls % |\n|---|---|---|--:|--:|--:|:-:|:-:|--:|\n"));
	for (size_t i = 0; i < s->count; i++) {
		const struct summary_group *g = &s->groups[i];

		buf_printf(out, "| %s | %s | %s | %" PRIu64 " | %" PRIu64 " | %s | %s | %s | %s of %" PRIu64 " |\n",
			   cell_md(&m.arena, g->provider), cell_md(&m.arena, g->model), md_text(&m, g->thinking),
			   g->tools.n, g->tools.k, cell_percent_interval(g->tools).text, md_tier(&m, g),
			   g->tier == 1 ? "yes" : "no", cell_percent(g->tools_of_all).text, g->tools_of_all.n);
		unsure |= g->tier_unsure;
	}
	buf_add_str(out, STR("\nTier 1 from 80 %, tier 2 from 50 %, else tier 3, over answers to prompts that expect "
			     "tools. Intervals are of 95 %.\n"));
	if (unsure)
		buf_add_str(out, STR("A tier with ? is not certain: n too small to separate tiers.\n"));
	for (size_t i = 0; i < s->count; i++)
		add_tools_prompts(&m, &s->groups[i], &any);
	arena_free(&m.arena);
}
