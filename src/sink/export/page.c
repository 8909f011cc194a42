/*
 * Runs as one page that needs nothing else: no script, nothing fetched (its policy forbids both), light and dark, good
 * on a narrow screen. For each run its outcome, models, tools and a waterfall; what is left out is counted.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sink/export/private.h"
#include "sink/html.h"

enum { PAGE_RUNS = 50, PAGE_ROWS = 60, PAGE_NODES = 400, PAGE_NAME = 80 };

static const char *const page_style[] = {
	".bar.model { fill: var(--blue); } .bar.tool { fill: var(--orange); } .bar.agent { fill: var(--dim); }",
	".bar.failed { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 3 2; }",
	".fall .row { grid-template-columns: minmax(8em, 17em) minmax(0, 1fr) 12em; }",
	".fall .name { font-weight: 400; white-space: nowrap; text-overflow: ellipsis; overflow: hidden; }",
	".fall .name small, .fall .value small { margin-left: .5em; } .fall small:empty { margin: 0; }",
	"section + section { border-top: 1px solid var(--line); margin-top: 3em; }",
	"@media (max-width: 720px) { .fall .name { max-width: 62%; } td, th { padding: 5px 6px; } }",
	NULL,
};

/* What calls of one model or tool came to. */
struct page_row {
	struct str name;
	uint64_t calls, failed, input, output, cached, bytes;
	bool estimated, has_usd, has_cached;
	double usd, stall;
	int64_t ns;
};

struct page {
	struct export *x;
	struct arena arena; /* of one run */
	const struct trace *run;
	struct export_lanes lanes;
	struct page_row all, *rows[EXPORT_GROUPS];
	size_t counts[EXPORT_GROUPS], caps[EXPORT_GROUPS];
};

static const char *page_text(struct page *p, struct str text)
{
	return html_text(&p->arena, text, PAGE_NAME);
}

/* ---- sums ---- */

static void page_count(struct page_row *r, const struct trace_entry *e, int64_t ns)
{
	const struct usage *u = &e->row.usage;

	r->calls++;
	r->failed += e->row.failed;
	r->ns += ns > INT64_MAX - r->ns ? 0 : ns;
	r->bytes += figure_is_known(e->size) ? e->size.n : 0;
	r->stall += e->row.stall > 0 ? e->row.stall : 0;
	r->input += figure_is_known(u->input) ? u->input.n : 0;
	r->output += figure_is_known(u->output) ? u->output.n : 0;
	r->cached += figure_is_known(u->cache_read) ? u->cache_read.n : 0;
	r->has_cached |= figure_is_known(u->cache_read);
	r->estimated |= u->input.source == FIGURE_ESTIMATED || u->output.source == FIGURE_ESTIMATED;
	if (amount_is_known(e->row.usd)) {
		r->has_usd = true;
		r->usd += e->row.usd.n;
	}
}

/* For qsort: what took longest first, else by name. */
static int page_compare(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return str_cmp(x->name, y->name);
}

static void page_sum(struct page *p)
{
	struct map names[EXPORT_GROUPS];

	for (size_t g = 0; g < EXPORT_GROUPS; g++)
		map_init(&names[g], &p->arena);
	for (size_t i = 0; i < p->run->count; i++) {
		const struct trace_entry *e = &p->run->nodes[i];
		const struct export_span *s = &p->lanes.spans[i];
		uint64_t *at;
		bool added;

		at = map_add(&names[s->group], trace_name_of(e), &added);
		if (added) {
			arena_grow(&p->arena, p->rows[s->group], p->counts[s->group], p->caps[s->group], 8);
			p->rows[s->group][p->counts[s->group]] = (struct page_row){ .name = trace_name_of(e) };
			*at = p->counts[s->group]++;
		}
		page_count(&p->rows[s->group][*at], e, s->length_ns);
		page_count(&p->all, e, 0);
	}
	for (size_t g = 0; g < EXPORT_GROUPS; g++)
		if (p->counts[g])
			qsort(p->rows[g], p->counts[g], sizeof(*p->rows[g]), page_compare);
}

static uint64_t page_calls(const struct page *p, enum export_group g)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < p->counts[g]; i++)
		calls += p->rows[g][i].calls;
	return calls;
}

/* ---- parts ---- */

static void page_add_card(struct page *p, const char *name, struct cell figure, bool estimated)
{
	buf_printf(&p->x->out, "<div><dt>%s</dt><dd>%s%s</dd></div>", name, figure.text, estimated ? "~" : "");
}

static void page_add_top(struct page *p, size_t number)
{
	struct buf *out = &p->x->out;
	struct str title = export_title_of(p->x, p->run, number), id = p->run->id.n ? p->run->id : title;
	bool estimated = p->all.estimated;

	buf_printf(out, "<section>\n<p class='kind'>Agent run</p>\n<h1>%s</h1>\n", page_text(p, id));
	buf_printf(out, "<p class='dim'>%s, began %s, from <code>%s</code></p>\n", page_text(p, p->run->framework),
		   stamp_new_ns(&p->arena, p->run->from_ns, 0).p, page_text(p, p->run->source));
	if (p->run->has_summary && p->run->summary.row.error.n)
		buf_printf(out, "<p class='warnings'>%s</p>\n", page_text(p, p->run->summary.row.error));
	buf_add_str(out, STR("<dl class='cards'>"));
	page_add_card(p, "outcome", cell_printf("%s", trace_statuses[p->run->status].p), false);
	page_add_card(p, "time", html_ms((double)p->lanes.end_ns / 1e6), false);
	page_add_card(p, "model calls", html_count(page_calls(p, EXPORT_MODEL)), false);
	page_add_card(p, "tool calls", html_count(page_calls(p, EXPORT_TOOL)), false);
	page_add_card(p, "input tokens", html_count(p->all.input), estimated);
	page_add_card(p, "output tokens", html_count(p->all.output), estimated);
	if (amount_is_known(p->run->summary.row.usd)) /* it may know of more than the nodes */
		page_add_card(p, "cost", html_usd(p->run->summary.row.usd.n), false);
	else if (p->all.has_usd)
		page_add_card(p, "cost", html_usd(p->all.usd), estimated);
	buf_add_str(out, STR("</dl>\n"));
}

static void page_add_more(struct page *p, size_t all, size_t shown, const char *what)
{
	if (all > shown)
		buf_printf(&p->x->out, "<p class='more'>and %s more %s</p>\n", html_count(all - shown).text, what);
}

static void page_add_table(struct page *p, enum export_group g, const char *title, const char *heads)
{
	struct buf *out = &p->x->out;
	size_t shown = p->counts[g] < PAGE_ROWS ? p->counts[g] : PAGE_ROWS;

	if (shown == 0)
		return;
	buf_printf(out, "<h2>%s</h2>\n<div class='scroll'><table>\n<thead><tr><th class='name'>name</th><th>calls</th>"
		   "<th>time</th>%s</tr></thead>\n<tbody>\n", title, heads);
	for (size_t i = 0; i < shown; i++) {
		const struct page_row *r = &p->rows[g][i];
		const char *mark = r->estimated ? "~" : "";

		buf_printf(out, "<tr><th class='name'><bdi>%s</bdi></th><td>%s</td><td>%s</td>", page_text(p, r->name),
			   html_count(r->calls).text, html_ms((double)r->ns / 1e6).text);
		if (g == EXPORT_MODEL)
			buf_printf(out, "<td>%s</td><td>%s%s</td><td>%s</td><td>%s%s</td><td>%s</td></tr>\n",
				   html_count(r->failed).text, html_count(r->input).text, mark,
				   r->has_cached ? html_count(r->cached).text : HTML_NONE,
				   html_count(r->output).text, mark, r->has_usd ? html_usd(r->usd).text : HTML_NONE);
		else
			buf_printf(out, "<td>%s</td><td>%s</td></tr>\n", html_ms(r->stall * 1e3).text,
				   html_bytes(r->bytes > INT64_MAX ? -1 : (int64_t)r->bytes).text);
	}
	buf_add_str(out, STR("</tbody></table></div>\n"));
	page_add_more(p, p->counts[g], shown, "names");
}

/* ---- the waterfall ---- */

/* For qsort of places: the longest first, else as in the trace. */
struct page_place {
	int64_t ns;
	uint32_t place;
};

static int page_compare_places(const void *a, const void *b)
{
	const struct page_place *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Which nodes have a line: all, or the longest of a long run. */
static bool *page_choose(struct page *p)
{
	bool *chosen = arena_array(&p->arena, bool, p->run->count + 1);
	struct page_place *places = arena_array(&p->arena, struct page_place, p->run->count + 1);

	for (uint32_t i = 0; i < p->run->count; i++)
		places[i] = (struct page_place){ p->lanes.spans[i].length_ns, i };
	qsort(places, p->run->count, sizeof(*places), page_compare_places);
	for (size_t i = 0; i < p->run->count && i < PAGE_NODES; i++)
		chosen[places[i].place] = true;
	return chosen;
}

static void page_add_bar(struct page *p, uint32_t place)
{
	const struct trace_entry *e = &p->run->nodes[place];
	const struct export_span *s = &p->lanes.spans[place];
	double whole = p->lanes.end_ns > 0 ? (double)p->lanes.end_ns : 1;
	struct str kind = agent_trace_kinds[e->row.kind];
	const char *name = page_text(p, trace_name_of(e));
	struct buf tokens;

	buf_init(&tokens);
	export_add_tokens(&tokens, e);
	buf_printf(&p->x->out, "<div class='row'><div class='name' title='%s'><bdi>%s</bdi><small>%s</small></div>"
		   "<svg class='track' width='100%%' height='16' aria-hidden='true'><rect class='bar %s%s' x='%.4f%%' "
		   "y='3' width='%.4f%%' height='10'/></svg><div class='value'>%s<small>%s</small></div></div>\n",
		   name, name, str_eq(trace_name_of(e), kind) ? "" : kind.p, export_groups[s->group],
		   e->row.failed ? " failed" : "", 99.7 * (double)s->from_ns / whole,
		   0.3 + 99.7 * (double)s->length_ns / whole, html_ms((double)s->length_ns / 1e6).text,
		   html_text(&p->arena, buf_str(&tokens), SIZE_MAX));
	buf_free(&tokens);
}

static bool page_write_waterfall(struct page *p, struct err *err)
{
	const bool *chosen = page_choose(p);

	if (p->run->count == 0) {
		buf_add_str(&p->x->out, STR("<p class='none'>The trace has no nodes.</p>\n"));
		return true;
	}
	buf_add_str(&p->x->out, STR("<h2>Waterfall</h2>\n<figure class='fall'>\n<figcaption>One line for each node, in "
				    "the order in which they began. A dashed border marks a failed call, ~ an estimate."
				    "</figcaption>\n"));
	for (size_t i = 0; i < p->run->count; i++) {
		if (chosen[p->lanes.order[i]])
			page_add_bar(p, p->lanes.order[i]);
		if (!export_drain(p->x, err))
			return false;
	}
	buf_add_str(&p->x->out, STR("</figure>\n"));
	page_add_more(p, p->run->count, PAGE_NODES, "nodes, all of them shorter");
	return true;
}

static bool page_write_run(struct export *x, const struct trace *t, size_t number, struct err *err)
{
	struct page p = { .x = x, .run = t };
	bool done;

	arena_init(&p.arena);
	export_lanes_of(&p.arena, t, &p.lanes);
	page_sum(&p);
	page_add_top(&p, number);
	page_add_table(&p, EXPORT_MODEL, "Models", "<th>failed</th><th>input</th><th>from cache</th><th>output</th>"
						   "<th>cost</th>");
	page_add_table(&p, EXPORT_TOOL, "Tools", "<th>stalled</th><th>results</th>");
	done = page_write_waterfall(&p, err);
	buf_add_str(&x->out, STR("</section>\n"));
	arena_free(&p.arena);
	return done;
}

bool export_html(struct export *x, const struct trace_list *runs, struct err *err)
{
	size_t shown = runs->count < PAGE_RUNS ? runs->count : PAGE_RUNS;

	html_begin(&x->out, runs->count == 1 ? html_text(x->arena, export_title_of(x, &runs->items[0], 0), PAGE_NAME)
					     : arena_printf(x->arena, "%zu agent runs", runs->count).p, page_style);
	buf_add_str(&x->out, STR("<main>\n"));
	for (size_t i = 0; i < shown; i++)
		if (!page_write_run(x, &runs->items[i], i, err))
			return false;
	if (runs->count > shown) {
		buf_printf(&x->out, "<p class='more'>and %zu more runs</p>\n", runs->count - shown);
		losses_add(x->losses, "runs beyond the first 50");
	}
	buf_printf(&x->out, "<p class='more'>written by trackway %s</p>\n</main>\n</body>\n</html>\n",
		   x->options->version);
	return export_flush(x, err);
}
