/*
 * The page: the answer, rewards with their intervals, tables, figures against reward, tasks by models, and what it all
 * rests on. Texts from outside go through html_text; what there is too much of is left out and counted.
 */
#include "trial/report/page.h"

#include <inttypes.h>
#include <math.h>

#include "sink/html.h"
#include "sink/plot.h"

enum page_limit {
	PAGE_ROWS = 40,    /* rows of a plot */
	PAGE_MODELS = 16,  /* columns of the map */
	PAGE_TASKS = 120,  /* its rows */
	PAGE_NAME = 60,    /* characters */
	PAGE_HEATS = 5,
};

struct page {
	struct buf *out;
	struct arena *arena;
	const struct doc_source *source;
	const struct board *board;
	struct board tasks;
	size_t ranked; /* groups with trials that count: the first ones */
};

static const char *const page_style[] = {
	".words { text-align: left; } td.words { white-space: normal; min-width: 6em; overflow-wrap: normal; }",
	"section .scroll { margin: 0 0 12px; }",
	".step { stroke: var(--orange); stroke-width: 1.5; stroke-dasharray: 4 3; }",
	"circle.front { fill: none; stroke: var(--orange); stroke-width: 2; }",
	".cells td.h0 { background: var(--fail); } .cells td.h1 { background: var(--t3); }",
	".cells td.h2 { background: var(--mixed); } .cells td.h3 { background: var(--t1); }",
	".cells td.h4 { background: var(--pass); }",
	".cells thead th { white-space: normal; max-width: 9em; min-width: 5em; }",
	NULL,
};

static void page_add(struct page *p, const char *markup)
{
	buf_add_str(p->out, str_from(markup));
}

static const char *page_name(struct page *p, const struct board_group *g, enum trial_name which)
{
	return html_text(p->arena, tally_name(p->source->tally, g->sample, which), PAGE_NAME);
}

/* "m-large / loop" */
static const char *page_row_name(struct page *p, const struct board_group *g)
{
	return arena_printf(p->arena, "%s / %s", page_name(p, g, NAME_MODEL), page_name(p, g, NAME_ADAPTER)).p;
}

static void page_add_more(struct page *p, size_t all, size_t shown, const char *what)
{
	if (all > shown)
		buf_printf(p->out, "<p class='more'>and %s more %s; the JSON of the report has them all</p>\n",
			   html_count(all - shown).text, what);
}

/* Nearly 1 is not 1, and nearly 0 is not 0. */
static struct cell page_reward(double v)
{
	return v < 1 && v >= 0.9995 ? cell_printf(HTML_MORE "0.999") :
	       v > 0 && v < 0.0005 ? cell_printf(HTML_LESS "0.001") : cell_printf("%.3f", v);
}

static size_t page_shown(const struct page *p)
{
	return p->ranked < PAGE_ROWS ? p->ranked : PAGE_ROWS;
}

/* ---- the top ---- */

static void page_add_card(struct page *p, const char *name, const char *figure)
{
	buf_printf(p->out, "<div><dt>%s</dt><dd>%s</dd></div>", name, figure);
}

static void page_write_cards(struct page *p)
{
	uint64_t counted = 0, attempts = 0, priced = 0;
	double usd = 0;

	for (size_t i = 0; i < p->board->count; i++) {
		const struct board_group *g = &p->board->groups[i];

		counted += g->trials;
		attempts += g->attempts;
		priced += g->known[FIGURE_USD];
		usd += g->sums[FIGURE_USD];
	}
	page_add(p, "<dl class='cards'>");
	page_add_card(p, "rows", html_count(p->ranked).text);
	page_add_card(p, "trials that count", html_count(counted).text);
	page_add_card(p, "attempts", html_count(attempts).text);
	if (priced)
		page_add_card(p, priced < counted ? "cost of the trials that have a price" : "cost",
			      html_usd(usd).text);
	page_add(p, "</dl>\n");
}

static void page_write_answer(struct page *p)
{
	const struct board_group *best = p->board->groups;

	if (!p->ranked) {
		page_add(p, "<p class='short'>No complete trial is there.</p>\n");
		return;
	}
	buf_printf(p->out, "<p class='short'><b><bdi>%s</bdi></b> ", page_row_name(p, best));
	if (best->tied)
		buf_printf(p->out, "and %" PRIu64 " other%s have the highest mean reward, ", best->tied,
			   best->tied == 1 ? "" : "s");
	else
		page_add(p, "has the highest mean reward, ");
	buf_printf(p->out, "<b>%s</b>", page_reward(best->mean.mean).text);
	if (isnan(best->interval.low))
		buf_printf(p->out, " (no interval: %s)", best->no_interval);
	else
		buf_printf(p->out, " (95 %% interval %s to %s)", page_reward(best->interval.low).text,
			   page_reward(best->interval.high).text);
	page_add(p, ". Only a paired comparison can say whether it is better than the next one.</p>\n");
}

/* What may make the figures mislead. */
static void page_write_warnings(struct page *p)
{
	uint64_t mixed = 0, unsaid = 0, lost = 0, open = 0, unlike = 0;

	for (size_t i = 0; i < p->board->count; i++) {
		const struct board_group *g = &p->board->groups[i];

		mixed += g->isolations.count > 1;
		unsaid += g->verifiers.without;
		lost += g->attempts - g->trials;
		open += g->judged.open;
	}
	for (size_t i = 0; i < p->tasks.count; i++)
		unlike += p->tasks.groups[i].mixed;
	if (!mixed && !unsaid && !lost && !open && !unlike)
		return;
	page_add(p, "<aside class='warnings' aria-label='Warnings'><h2>Before you trust these figures</h2>\n<ul>\n");
	if (lost)
		buf_printf(p->out, "<li>%s of the attempts do not count: they are partial, or the infrastructure "
			   "failed.</li>\n", html_count(lost).text);
	if (mixed)
		buf_printf(p->out, "<li>%s of the rows mix trials of several kinds of isolation.</li>\n",
			   html_count(mixed).text);
	if (unsaid)
		buf_printf(p->out, "<li>%s trials do not say by which verifier they were judged.</li>\n",
			   html_count(unsaid).text);
	if (unlike)
		buf_printf(p->out, "<li>The trials of %s tasks are not all of one revision and one verifier, so their "
			   "rewards are not all of one kind.</li>\n", html_count(unlike).text);
	if (open)
		buf_printf(p->out, "<li>Reviewers disagree about %s trials.</li>\n", html_count(open).text);
	page_add(p, "</ul></aside>\n");
}

static void page_write_top(struct page *p)
{
	const struct tally_head *h = &p->source->tally->heads[LEDGER_MAIN];
	const char *origin = html_text(p->arena, h->origin, PAGE_NAME);

	html_begin(p->out, arena_printf(p->arena, "%s \xC2\xB7 trials", origin).p, page_style);
	page_add(p, "<main>\n<header><p class='kind'>report of trials</p>\n");
	buf_printf(p->out, "<h1><bdi>%s</bdi></h1>\n<p class='dim'>of the %s entries that its checkpoint signs</p>\n",
		   origin, html_count(h->size).text);
	page_write_answer(p);
	page_write_cards(p);
	page_add(p, "</header>\n");
	page_write_warnings(p);
}

/* ---- rewards ---- */

static void page_label(struct buf *out, double v)
{
	buf_printf(out, "%g", v);
}

static void page_write_rewards(struct page *p)
{
	static const double ticks[] = { 0, 0.25, 0.5, 0.75, 1 };
	struct axis x = axis_share(ticks, COUNT(ticks));

	if (!p->ranked)
		return;
	page_add(p, "<section aria-labelledby='h-reward'><h2 id='h-reward'>Mean reward</h2>\n<figure class='plot'>"
		    "<figcaption>With the 95 % interval. A row without a whisker has no interval; beside it "
		    "stands why.</figcaption>\n<div class='rows'>\n");
	for (size_t i = 0; i < page_shown(p); i++) {
		const struct board_group *g = &p->board->groups[i];
		bool known = !isnan(g->interval.low);

		plot_begin_row(p->out, g->rank, page_row_name(p, g), PLOT_TRACK);
		buf_printf(p->out, ": mean reward %s of %" PRIu64 " trials", page_reward(g->mean.mean).text, g->trials);
		if (known)
			buf_printf(p->out, ", 95 %% interval %s to %s", page_reward(g->interval.low).text,
				   page_reward(g->interval.high).text);
		page_add(p, "</title><use href='#grid-reward'/>");
		plot_add_whisker(p->out, "dot", &x, g->mean.mean, g->interval, 15);
		buf_printf(p->out, "</svg>\n<div class='value'><b>%s</b> <small>", page_reward(g->mean.mean).text);
		if (known)
			buf_printf(p->out, "%s to %s, ", page_reward(g->interval.low).text,
				   page_reward(g->interval.high).text);
		buf_printf(p->out, "n %s%s%s</small></div></div>\n", html_count(g->trials).text, known ? "" : ", ",
			   known ? "" : g->no_interval);
	}
	plot_add_axis(p->out, &x, "reward", "mean reward", page_label);
	page_add(p, "</div>\n");
	page_add_more(p, p->ranked, page_shown(p), "rows");
	page_add(p, "</figure></section>\n");
}

/* ---- a figure against reward ---- */

struct page_field {
	const char *title, *what;
	void (*label)(struct buf *out, double v);
	struct cell (*figure)(double v);
	double *x; /* of each group; NaN: not known */
	int *on;
};

static void page_label_count(struct buf *out, double v)
{
	if (v >= 1e6)
		buf_printf(out, "%gM", v / 1e6);
	else if (v >= 1e3)
		buf_printf(out, "%gk", v / 1e3);
	else
		buf_printf(out, "%g", v);
}

static struct cell page_tokens(double v)
{
	return html_count((uint64_t)fmin(fmax(v, 0), 1e18));
}

/* A row and the step from it to the next one on the frontier, if it is on it itself. */
static void page_add_place(struct page *p, const struct page_field *f, const struct axis *x, size_t i)
{
	const struct board_group *g = &p->board->groups[i];
	double at = plot_field_x(x, f->x[i]), y = plot_field_y(g->mean.mean);

	for (size_t j = i + 1; f->on[i] == 1 && j < page_shown(p); j++) {
		double next = plot_field_x(x, f->x[j]);

		if (f->on[j] != 1)
			continue;
		plot_add_line(p->out, "step", next, at, plot_field_y(p->board->groups[j].mean.mean),
			      plot_field_y(p->board->groups[j].mean.mean));
		plot_add_upright(p->out, "step", at, plot_field_y(p->board->groups[j].mean.mean), y);
		break;
	}
	buf_printf(p->out, "<g class='whisker dot'><title>%s: %s, mean reward %s%s</title>", page_row_name(p, g),
		   f->figure(f->x[i]).text, page_reward(g->mean.mean).text, f->on[i] == 1 ? ", on the frontier" : "");
	if (f->on[i] == 1)
		plot_add_dot(p->out, "front", at, y, 9);
	plot_add_place(p->out, i + 1, at, g->mean.mean, g->interval);
}

static void page_write_field(struct page *p, const struct page_field *f)
{
	double low = INFINITY, high = 0;
	size_t known = 0;
	struct axis x;

	for (size_t i = 0; i < page_shown(p); i++) {
		if (isnan(f->x[i]))
			continue;
		known++;
		low = fmin(low, f->x[i]);
		high = fmax(high, f->x[i]);
	}
	buf_printf(p->out, "<h3>%s against reward</h3>\n", f->title);
	if (!known) {
		page_add(p, "<p class='none'>No row knows it of all of its trials.</p>\n");
		return;
	}
	x = axis_values(low, high);
	buf_printf(p->out, "<figure class='plot'><svg class='field' role='img' width='100%%' height='%d'><title>%s "
		   "against mean reward</title><desc>%zu rows, by their number; a ring marks the frontier. The table "
		   "of costs has the same figures.</desc>", PLOT_FIELD, f->title, known);
	plot_add_field_axes(p->out, &x, f->what, f->label, page_label);
	for (size_t i = 0; i < page_shown(p); i++)
		if (!isnan(f->x[i]))
			page_add_place(p, f, &x, i);
	page_add(p, "</svg>\n");
	page_add_more(p, p->ranked, known, "rows, of which it is not known or that are not shown");
	page_add(p, "</figure>\n");
}

static struct cell page_seconds(double v)
{
	return html_ms(v * 1e3);
}

static void page_label_seconds(struct buf *out, double v)
{
	plot_label_ms(out, v * 1e3);
}

static void page_write_fields(struct page *p)
{
	static const enum trial_figure figures[][2] = {
		{ FIGURE_USD, FIGURE_USD }, { FIGURE_TOKENS_IN, FIGURE_TOKENS_OUT }, { FIGURE_SECONDS, FIGURE_SECONDS },
	};
	struct page_field fields[] = {
		{ "Cost", "mean cost of a trial", plot_label_usd, html_usd, NULL, NULL },
		{ "Tokens", "mean tokens of a trial", page_label_count, page_tokens, NULL, NULL },
		{ "Time", "mean time of a trial", page_label_seconds, page_seconds, NULL, NULL },
	};

	if (!p->ranked)
		return;
	page_add(p, "<section aria-labelledby='h-frontier'><h2 id='h-frontier'>What a reward takes</h2>\n"
		    "<p class='dim'>Up and to the left is better. Rings and the dashed line: the frontier, where no "
		    "other row has a reward at least as high for no more. Numbers are the rows of the "
		    "leaderboard, counted from its top.</p>\n");
	for (size_t n = 0; n < COUNT(fields); n++) {
		struct page_field *f = &fields[n];

		f->x = arena_array(p->arena, double, p->board->count + 1);
		f->on = arena_array(p->arena, int, p->board->count + 1);
		for (size_t i = 0; i < p->board->count; i++) {
			const struct board_group *g = &p->board->groups[i];

			f->x[i] = board_total(g, figures[n][0]) / (double)g->trials;
			if (figures[n][0] != figures[n][1])
				f->x[i] += board_total(g, figures[n][1]) / (double)g->trials;
		}
		board_frontier(p->board, f->x, f->on);
		page_write_field(p, f);
	}
	page_add(p, "</section>\n");
}

/* ---- tasks by rows ---- */

/* The group of a task and a row of the leaderboard; NULL when it was not tried. */
static const struct board_group *page_find_cell(const struct board *cells, const struct map *places,
						const struct board_group *task, const struct board_group *row)
{
	uint32_t key[] = { task->sample->names[NAME_TASK], row->sample->names[NAME_MODEL],
			   row->sample->names[NAME_ADAPTER] };
	const uint64_t *place = map_find(places, str_of(key, sizeof(key)));

	return place ? &cells->groups[*place] : NULL;
}

static void page_add_heat(struct page *p, const struct board_group *g)
{
	int heat;

	if (!g) {
		page_add(p, "<td class='none'>" HTML_NONE "</td>");
		return;
	}
	if (!g->trials) {
		buf_printf(p->out, "<td class='error'>none<small>of %s</small></td>", html_count(g->attempts).text);
		return;
	}
	heat = (int)(g->mean.mean * PAGE_HEATS);
	buf_printf(p->out, "<td class='h%d'>%s<small>%s</small></td>", heat < 0 ? 0 : heat >= PAGE_HEATS ?
		   PAGE_HEATS - 1 : heat, page_reward(g->mean.mean).text, html_count(g->trials).text);
}

static void page_write_map_rows(struct page *p, const struct board *tasks, const struct board *cells,
				const struct map *places, size_t models)
{
	for (size_t i = 0; i < tasks->count && i < PAGE_TASKS; i++) {
		buf_printf(p->out, "<tr><th scope='row' class='name'><bdi>%s</bdi></th>",
			   page_name(p, &tasks->groups[i], NAME_TASK));
		for (size_t m = 0; m < models; m++)
			page_add_heat(p, page_find_cell(cells, places, &tasks->groups[i], &p->board->groups[m]));
		page_add(p, "</tr>\n");
	}
}

static void page_write_map(struct page *p)
{
	const struct doc_source *s = p->source;
	struct board cells = board_make(s->tally, &s->judging, BOARD_BY_CELL, &s->how);
	size_t models = p->ranked < PAGE_MODELS ? p->ranked : PAGE_MODELS;
	struct map places;

	if (!p->ranked)
		return;
	map_init(&places, p->arena);
	for (size_t i = 0; i < cells.count; i++) {
		const uint32_t *names = cells.groups[i].sample->names;
		uint32_t key[] = { names[NAME_TASK], names[NAME_MODEL], names[NAME_ADAPTER] };
		bool added;

		*map_add(&places, str_of(key, sizeof(key)), &added) = i;
	}
	page_add(p, "<section aria-labelledby='h-map'><h2 id='h-map'>Tasks</h2>\n<p class='dim'>Mean reward, and small "
		    "the number of trials; tasks that went best first. None: tried, and nothing "
		    "counts.</p>\n<div class='scroll fit' role='region' aria-label='Tasks by models' tabindex='0'>"
		    "<table class='cells'>\n<thead><tr><th scope='col' class='name'>task</th>");
	for (size_t m = 0; m < models; m++)
		buf_printf(p->out, "<th scope='col'>%zu <bdi>%s</bdi></th>", m + 1,
			   page_row_name(p, &p->board->groups[m]));
	page_add(p, "</tr></thead>\n<tbody>\n");
	page_write_map_rows(p, &p->tasks, &cells, &places, models);
	page_add(p, "</tbody></table></div>\n");
	page_add_more(p, p->tasks.count, p->tasks.count < PAGE_TASKS ? p->tasks.count : PAGE_TASKS, "tasks");
	page_add_more(p, p->ranked, models, "models");
	page_add(p, "</section>\n");
}

/* ---- the page ---- */

static void page_write_tables(struct page *p)
{
	struct doc board = doc_leaderboard(p->source, p->board), cost = doc_cost(p->source, p->board);

	board.sheets[0].title = "Leaderboard";
	cost.sheets[0].title = "Cost";
	sheet_add_html(p->out, &board.sheets[0]);
	page_write_fields(p);
	sheet_add_html(p->out, &cost.sheets[0]);
	page_write_map(p);
	for (size_t i = 1; i < board.count; i++)
		sheet_add_html(p->out, &board.sheets[i]);
	page_add(p, "<section><h2>How to read it</h2>\n<ul class='notes'>\n");
	for (const char *const *note = board.notes; *note; note++)
		buf_printf(p->out, "<li>%s</li>\n", *note);
	for (const char *const *note = cost.notes; *note; note++)
		buf_printf(p->out, "<li>%s</li>\n", *note);
	page_add(p, "</ul></section>\n");
}

void page_write(struct buf *out, const struct doc_source *s)
{
	struct board b = board_make(s->tally, &s->judging, BOARD_BY_MODEL, &s->how);
	struct page p = { .out = out, .arena = s->tally->arena, .source = s, .board = &b,
			  .tasks = board_make(s->tally, &s->judging, BOARD_BY_TASK, &s->how) };

	while (p.ranked < b.count && b.groups[p.ranked].trials)
		p.ranked++;
	page_write_top(&p);
	page_write_rewards(&p);
	page_write_tables(&p);
	page_add(&p, "</main>\n</body>\n</html>\n");
}
