/* summary.md and tool_use_summary.md, for people. */
#include <math.h>

#include "bench/report/summary_cells.h"

#define VIOLATIONS_MAX 1000 /* rows shown; a table of more is read by nobody */

static void add_tick(struct buf *out)
{
	buf_add_str(out, STR(" | "));
}

static void summary_md_add_count(struct buf *out, uint64_t v)
{
	buf_printf(out, "%llu", (unsigned long long)v);
	add_tick(out);
}

static void summary_md_add_time(struct buf *out, double ms, bool known)
{
	cell_add_ms(out, known ? ms : NAN);
	add_tick(out);
}

static void summary_md_add_change(struct buf *out, bool known, int64_t before, int64_t after)
{
	if (!known || (before < 0 && after < 0)) {
		buf_add_byte(out, '-');
		return;
	}
	cell_add_bytes(out, before);
	buf_add_str(out, STR(" -> "));
	cell_add_bytes(out, after);
}

static void summary_md_add_names(struct buf *out, const struct summary_group *g)
{
	buf_add_str(out, STR("| "));
	cell_add_md(out, g->provider);
	add_tick(out);
	cell_add_md(out, g->model);
	add_tick(out);
}

static void add_thinking(struct buf *out, const struct summary_group *g)
{
	if (g->thinking.p)
		cell_add_md(out, g->thinking);
	else
		buf_add_byte(out, '-');
	add_tick(out);
}

static void summary_md_add_tier(struct buf *out, const struct summary_group *g)
{
	if (g->tier)
		buf_printf(out, "%d%s", g->tier, g->tier_unsure ? "?" : "");
	else
		buf_add_byte(out, '-');
	add_tick(out);
}

static void summary_md_add_row(struct buf *out, const struct summary_group *g)
{
	bool both = g->before.known && g->after.known, any = g->latency.n > 0;

	summary_md_add_names(out, g);
	if (g->size.p)
		cell_add_md(out, g->size);
	else
		buf_add_byte(out, '-');
	add_tick(out);
	add_thinking(out, g);
	summary_md_add_count(out, g->n_total);
	summary_md_add_count(out, g->n_ok);
	summary_md_add_count(out, g->n_error);
	summary_md_add_count(out, g->n_limited);
	cell_add_percent_interval(out, g->success);
	add_tick(out);
	cell_add_percent_interval(out, g->pass);
	add_tick(out);
	summary_md_add_time(out, (double)g->wall_ms, g->has_wall);
	summary_md_add_time(out, g->latency.p50, any);
	summary_md_add_time(out, g->latency.p95, any);
	summary_md_add_time(out, g->latency.p99, any);
	summary_md_add_time(out, g->ttft.p50, g->ttft.n > 0);
	summary_md_add_tier(out, g);
	summary_md_add_change(out, both, g->before.mem_available, g->after.mem_available);
	add_tick(out);
	summary_md_add_change(out, both, g->before.disk_free, g->after.disk_free);
	buf_add_str(out, STR(" |\n"));
}

static void add_head(struct buf *out, const struct summary *s, struct str title)
{
	buf_add_str(out, STR("# "));
	buf_add_str(out, title);
	cell_add_md(out, s->run_id);
	buf_printf(out, "\n\n%llu calls of %llu %s", (unsigned long long)s->rows, (unsigned long long)s->count,
		   s->count == 1 ? "model" : "models");
	if (s->has_wall) {
		buf_add_str(out, STR(" in "));
		cell_add_ms(out, (double)s->wall_ms);
	}
	buf_add_str(out, STR(".\n\n"));
}

static void summary_md_add_target(struct buf *out, const struct summary_group *g)
{
	struct buf name;

	buf_init(&name);
	cell_add_target(&name, g);
	cell_add_md(out, buf_str(&name));
	buf_free(&name);
}

/* Each line of `notes` as an item. */
static void add_items(struct buf *out, struct str notes)
{
	while (notes.n) {
		struct str line = str_cut(notes, '\n', &notes);

		buf_add_str(out, STR("- "));
		buf_add_str(out, line);
		buf_add_byte(out, '\n');
	}
}

static void summary_md_add_notes(struct buf *out, const struct summary *s)
{
	struct buf notes;

	buf_init(&notes);
	buf_add_str(out, STR("\n## Notes\n\n"));
	for (size_t i = 0; i < s->count; i++) {
		buf_clear(&notes);
		cell_add_notes(&notes, &s->groups[i]);
		if (s->count > 1 && notes.n) {
			buf_add_str(out, STR("**"));
			summary_md_add_target(out, &s->groups[i]);
			buf_add_str(out, STR("**\n\n"));
		}
		add_items(out, buf_str(&notes));
		if (s->count > 1 && notes.n)
			buf_add_byte(out, '\n');
	}
	buf_clear(&notes);
	cell_add_run_notes(&notes, s);
	if (s->count > 1)
		buf_add_str(out, STR("**The run**\n\n"));
	add_items(out, buf_str(&notes));
	buf_free(&notes);
}

static void add_violation(struct buf *out, const struct summary *s, const struct cell_violation *v)
{
	const struct summary_prompt *p = v->prompt;

	buf_add_str(out, STR("| "));
	cell_add_md(out, p->id);
	add_tick(out);
	cell_add_md(out, p->name);
	add_tick(out);
	if (s->count > 1) {
		summary_md_add_target(out, &s->groups[v->group]);
		add_tick(out);
	}
	buf_printf(out, "%llu of %llu | ", (unsigned long long)p->passed, (unsigned long long)p->judged);
	cell_add_md(out, p->violation.p ? p->violation : STR("-"));
	buf_add_str(out, STR(" |\n"));
}

static void summary_md_add_violations(struct buf *out, const struct summary *s)
{
	size_t count;
	struct cell_violation *list = cell_violations(s, &count);

	buf_add_str(out, STR("\n## Violations by prompt\n\n"));
	if (count == 0)
		buf_add_str(out, STR("None.\n"));
	else
		buf_add_str(out, s->count > 1 ? STR("| prompt | name | model | passed | first violation |\n"
						    "|---|---|---|---|---|\n") :
						STR("| prompt | name | passed | first violation |\n"
						    "|---|---|---|---|\n"));
	for (size_t i = 0; i < count && i < VIOLATIONS_MAX; i++)
		add_violation(out, s, &list[i]);
	if (count > VIOLATIONS_MAX)
		buf_printf(out, "\nAnd %zu more.\n", count - VIOLATIONS_MAX);
	mem_free(list);
}

void summary_write_md(struct buf *out, const struct summary *s)
{
	add_head(out, s, STR("Benchmark run "));
	buf_add_str(out, STR("| provider | model | size | thinking | n | ok | err | rate-limited | success % | "
			     "objective % | wall | p50 | p95 | p99 | TTFT p50 | tier | RAM before -> after | "
			     "disk before -> after |\n"
			     "|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|:-:|---|---|\n"));
	for (size_t i = 0; i < s->count; i++)
		summary_md_add_row(out, &s->groups[i]);
	summary_md_add_notes(out, s);
	summary_md_add_violations(out, s);
}

/* ---- tool use ---- */

static void add_tools_row(struct buf *out, const struct summary_group *g)
{
	summary_md_add_names(out, g);
	add_thinking(out, g);
	summary_md_add_count(out, g->tools.n);
	summary_md_add_count(out, g->tools.k);
	cell_add_percent_interval(out, g->tools);
	add_tick(out);
	summary_md_add_tier(out, g);
	buf_add_str(out, g->tier == 1 ? STR("yes | ") : STR("no | "));
	cell_add_percent(out, g->tools_of_all);
	buf_printf(out, " of %llu |\n", (unsigned long long)g->tools_of_all.n);
}

static void add_tools_prompts(struct buf *out, const struct summary_group *g, bool *any)
{
	for (size_t k = 0, shown = 0; k < g->prompt_count && shown < VIOLATIONS_MAX; k++) {
		const struct summary_prompt *p = &g->prompts[k];

		if (p->tools_hit == p->tools_rows)
			continue;
		if (!*any)
			buf_add_str(out, STR("\n## Prompts whose tools were not called\n\n"
					     "| provider | model | thinking | prompt | name | called |\n"
					     "|---|---|---|---|---|---|\n"));
		*any = true;
		shown++;
		summary_md_add_names(out, g);
		add_thinking(out, g);
		cell_add_md(out, p->id);
		add_tick(out);
		cell_add_md(out, p->name);
		buf_printf(out, " | %llu of %llu |\n", (unsigned long long)p->tools_hit,
			   (unsigned long long)p->tools_rows);
	}
}

void summary_write_tools_md(struct buf *out, const struct summary *s)
{
	bool any = false, unsure = false;

	add_head(out, s, STR("Tool use of run "));
	buf_add_str(out, STR("| provider | model | thinking | n | called | rate % | tier | for sub-agents | "
			     "with failed calls % |\n|---|---|---|--:|--:|--:|:-:|:-:|--:|\n"));
	for (size_t i = 0; i < s->count; i++) {
		add_tools_row(out, &s->groups[i]);
		unsure |= s->groups[i].tier_unsure;
	}
	buf_add_str(out, STR("\nTier 1 from 80 %, tier 2 from 50 %, else tier 3, over answers to prompts that expect "
			     "tools. Intervals are of 95 %.\n"));
	if (unsure)
		buf_add_str(out, STR("A tier with ? is not certain: n too small to separate tiers.\n"));
	for (size_t i = 0; i < s->count; i++)
		add_tools_prompts(out, &s->groups[i], &any);
}
