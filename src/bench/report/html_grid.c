/* The prompts of a run as a grid of letters, a column for each target, and below it what was violated first. */
#include "bench/report/html_private.h"

#include <assert.h>
#include <inttypes.h>

#include "base/map.h"
#include "base/mask.h"
#include "base/utf8.h"
#include "bench/report/summary_cells.h"

struct grid_prompt {
	struct str id, name, text; /* text: what was asked; p NULL when there is no config */
	uint64_t violations;       /* targets with one */
	bool asked;                /* a row has it */
	bool clean;                /* all passed everywhere */
	bool is_shown;
	size_t row;                /* among those shown */
};

struct grid {
	struct map ids; /* id to its number + 1 */
	struct grid_prompt *prompts;
	size_t count, asked, shown, targets;
	const struct summary_prompt **cells; /* shown x targets */
};

/* Nothing that a reader would look for: every judged answer passed and every call came through. */
static bool is_clean(const struct summary_prompt *p)
{
	return p->passed == p->judged && p->failed_calls == 0 && !p->violation.p;
}

/* The prompt of this id, a new one behind the others. take_prompts has made room for all. */
static struct grid_prompt *take_prompt(struct grid *g, struct str id, struct str name)
{
	bool added;
	uint64_t *at = map_add(&g->ids, id, &added);

	if (added) {
		*at = ++g->count;
		g->prompts[*at - 1] = (struct grid_prompt){ .id = id, .name = name, .clean = true };
	}
	return &g->prompts[*at - 1];
}

/* Rows come in the order in which answers did; the configuration has that of the suite. */
static void take_prompts(struct report *r, struct grid *g)
{
	size_t most = r->c ? r->c->prompt_count : 0;

	for (size_t i = 0; i < r->s->count; i++)
		most += r->s->groups[i].prompt_count;
	g->prompts = arena_array(r->arena, struct grid_prompt, most ? most : 1);
	map_init(&g->ids, r->arena);
	for (size_t i = 0; r->c && i < r->c->prompt_count; i++)
		take_prompt(g, r->c->prompts[i].id, r->c->prompts[i].name)->text = r->c->prompts[i].prompt;
	for (size_t i = 0; i < r->s->count; i++) {
		for (size_t k = 0; k < r->s->groups[i].prompt_count; k++) {
			const struct summary_prompt *p = &r->s->groups[i].prompts[k];
			struct grid_prompt *to = take_prompt(g, p->id, p->name);

			g->asked += !to->asked;
			to->asked = true;
			to->clean &= is_clean(p);
			to->violations += p->violation.p != NULL;
		}
	}
}

/* When there is no room for all, those that something happened at come first. */
static void choose(struct grid *g)
{
	for (int clean = 0; clean < 2; clean++)
		for (size_t i = 0; i < g->count && g->shown < REPORT_GRID_PROMPTS; i++)
			if (g->prompts[i].asked && g->prompts[i].clean == (clean == 1)) {
				g->prompts[i].is_shown = true;
				g->shown++;
			}
	g->shown = 0;
	for (size_t i = 0; i < g->count; i++)
		if (g->prompts[i].is_shown)
			g->prompts[i].row = g->shown++;
}

/* Who is shown against what is shown; a cell stays NULL where a target was not asked that prompt. */
static void take_cells(struct report *r, struct grid *g)
{
	g->targets = r->count < REPORT_GRID_TARGETS ? r->count : REPORT_GRID_TARGETS;
	g->cells = arena_array(r->arena, const struct summary_prompt *, g->shown * g->targets + 1);
	for (size_t i = 0; i < g->targets; i++) {
		for (size_t k = 0; k < r->groups[i]->prompt_count; k++) {
			const struct grid_prompt *p = &g->prompts[*map_find(&g->ids, r->groups[i]->prompts[k].id) - 1];

			assert(!p->is_shown || p->row < g->shown);
			if (p->is_shown)
				g->cells[p->row * g->targets + i] = &r->groups[i]->prompts[k];
		}
	}
}

/* ---- the grid ---- */

/* The words of a cell for those who hover or listen; `brief` leaves the violation out. */
static void describe(struct report *r, const struct summary_prompt *p, bool brief)
{
	if (p->judged)
		report_printf(r, "%s of %s passed", html_count(p->passed).text, html_count(p->judged).text);
	else
		report_add(r, "not judged");
	if (p->failed_calls)
		report_printf(r, ", %s failed call%s", html_count(p->failed_calls).text,
			      p->failed_calls == 1 ? "" : "s");
	if (p->violation.p && !brief)
		report_printf(r, ": %s %s", report_text(r, p->violation, 120),
			      report_text(r, cell_got(r->arena, p->answer), REPORT_TEXT_MAX));
}

/* The letter says it, the colour only helps. */
static void add_cell(struct report *r, size_t target, const struct summary_prompt *p, bool brief)
{
	const char *class = "none", *letter = "\xC2\xB7";

	if (!p || !p->rows) {
		report_printf(r, "<td class='none' title='%zu: not asked'>\xC2\xB7</td>", target + 1);
		return;
	}
	if (p->failed_calls >= p->rows) {
		class = "error";
		letter = "E";
	} else if (p->judged && p->passed == p->judged && !p->failed_calls) {
		class = "pass";
		letter = "P";
	} else if (p->judged) {
		class = p->passed ? "mixed" : "fail";
		letter = p->passed ? arena_printf(r->arena, "%" PRIu64 "/%" PRIu64, p->passed, p->rows).p : "F";
	}
	report_printf(r, "<td class='%s' title='%zu: ", class, target + 1);
	describe(r, p, brief);
	report_printf(r, "'>%s</td>", letter);
}

static void add_prompt_name(struct report *r, const struct grid_prompt *p)
{
	report_printf(r, "<bdi>%s</bdi>", report_text(r, p->id, REPORT_NAME_MAX));
	if (p->name.n && !str_eq(p->name, p->id))
		report_printf(r, " <small><bdi>%s</bdi></small>", report_text(r, p->name, REPORT_NAME_MAX));
}

/* Once the part has REPORT_PART_BYTES, further cells have no violations in their titles. */
static void write_cells(struct report *r, const struct grid *g)
{
	size_t start = r->out->n;

	report_add(r, "<div class='scroll fit' role='region' aria-label='Prompts and targets' tabindex='0'>"
		      "<table class='cells'>\n<thead><tr><th scope='col' class='name'>prompt</th>");
	for (size_t i = 0; i < g->targets; i++)
		report_printf(r, "<th scope='col'><abbr title='%s'>%zu</abbr></th>", report_name(r, r->groups[i]),
			      i + 1);
	report_add(r, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < g->count; i++) {
		if (!g->prompts[i].is_shown)
			continue;
		report_add(r, "<tr><th scope='row' class='name'>");
		add_prompt_name(r, &g->prompts[i]);
		report_add(r, "</th>");
		for (size_t k = 0; k < g->targets; k++)
			add_cell(r, k, g->cells[g->prompts[i].row * g->targets + k],
				 r->out->n - start > REPORT_PART_BYTES);
		report_add(r, "</tr>\n");
	}
	report_add(r, "</tbody></table></div>\n");
	report_add_more(r, g->asked, g->shown, "prompts");
	report_add_more(r, r->count, g->targets, "targets");
}

/* The names behind the numbers of the columns, which are too narrow for them. */
static void write_who(struct report *r, const struct grid *g)
{
	report_add(r, "<ol class='who'>");
	for (size_t i = 0; i < g->targets; i++)
		report_printf(r, "<li><bdi>%s</bdi></li>", report_name(r, r->groups[i]));
	report_add(r, "</ol>\n");
}

/* ---- what was violated ---- */

/* What the model said, in a line beside the violation; as it stands below it, when that is more or has lines. */
static void write_answer(struct report *r, const struct summary_prompt *p)
{
	struct str got = cell_got(r->arena, p->answer), answer;
	struct buf shown;

	report_printf(r, " <code><bdi>%s</bdi></code>", report_text(r, got, REPORT_TEXT_MAX));
	if (got.n == p->answer.n + sizeof("got=\"\"") - 1)
		return;
	buf_init(&shown);
	mask_text(&shown, p->answer, p->answer_cut ? MASK_CUT : 0, NULL, NULL);
	answer = arena_take(r->arena, &shown);
	report_printf(r, "<blockquote class='answer'><bdi>%s</bdi></blockquote>",
		      report_text(r, answer, REPORT_ANSWER_MAX));
	if (p->answer_cut || utf8_count(answer) > REPORT_ANSWER_MAX)
		report_add(r, "<small class='dim'>the beginning of the answer; results.jsonl has all of it</small>");
}

/* One prompt: its question, and for each target that has one its first violation and what the model said. */
static void write_detail(struct report *r, const struct grid *g, const struct grid_prompt *p)
{
	size_t shown = 0, all = 0;

	report_add(r, "<details><summary>");
	add_prompt_name(r, p);
	report_printf(r, " <span class='dim'>%" PRIu64 " of %zu targets</span></summary>\n", p->violations, r->count);
	if (p->text.p)
		report_printf(r, "<blockquote><bdi>%s</bdi></blockquote>\n",
			      report_text(r, p->text, REPORT_PROMPT_MAX));
	report_add(r, "<ul>\n");
	for (size_t i = 0; i < g->targets; i++) {
		const struct summary_prompt *cell = g->cells[p->row * g->targets + i];

		if (!cell || !cell->violation.p || ++all > REPORT_DETAILS_TARGETS)
			continue;
		shown++;
		report_printf(r, "<li><span class='no'>%zu</span> <bdi>%s</bdi><br/><code><bdi>%s</bdi></code>", i + 1,
			      report_name(r, r->groups[i]), report_text(r, cell->violation, REPORT_TEXT_MAX));
		write_answer(r, cell);
		if (cell->violations > 1)
			report_printf(r, " <span class='dim'>the first of %" PRIu64 "</span>", cell->violations);
		report_add(r, "</li>\n");
	}
	report_add(r, "</ul>\n");
	report_add_more(r, p->violations, shown, "targets");
	report_add(r, "</details>\n");
}

/* Only prompts that are in the grid; how many others there are is said below. */
static void write_details(struct report *r, const struct grid *g)
{
	size_t all = 0, shown = 0, start = r->out->n;

	for (size_t i = 0; i < g->count; i++)
		all += g->prompts[i].violations != 0;
	report_add(r, "<h3>First violations</h3>\n");
	if (!all) {
		report_add(r, "<p class='none'>There are none.</p>\n");
		return;
	}
	for (size_t i = 0; i < g->count && shown < REPORT_DETAILS_MAX && r->out->n - start < REPORT_PART_BYTES; i++) {
		if (!g->prompts[i].is_shown || !g->prompts[i].violations)
			continue;
		write_detail(r, g, &g->prompts[i]);
		shown++;
	}
	report_add_more(r, all, shown, "prompts with violations");
}

void report_write_grid(struct report *r)
{
	struct grid g = { .count = 0 };

	take_prompts(r, &g);
	choose(&g);
	take_cells(r, &g);
	report_add(r, "<section aria-labelledby='h-prompts'><h2 id='h-prompts'>Prompts</h2>\n");
	if (!g.asked) {
		report_add(r, "<p class='none'>No prompt was asked.</p></section>\n");
		return;
	}
	report_add(r, "<p class='legend'><span class='key'><span class='cell pass'>P</span> passed</span> "
		      "<span class='key'><span class='cell fail'>F</span> failed its validator</span> "
		      "<span class='key'><span class='cell mixed'>1/3</span> one of three passed</span> "
		      "<span class='key'><span class='cell error'>E</span> the call failed</span> "
		      "<span class='key'><span class='cell none'>\xC2\xB7</span> not judged or not asked</span></p>\n");
	write_cells(r, &g);
	write_who(r, &g);
	write_details(r, &g);
	report_add(r, "</section>\n");
}
