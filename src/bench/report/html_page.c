/*
 * Writes the head, the top and the warnings of report.html, and calls the other html_*.c for its parts. Texts are
 * escaped into an arena that lives as long as one page is written.
 */
#include "bench/report/html_page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/build.h"
#include "base/clock.h"
#include "bench/report/html_private.h"

/* ---- small pieces ---- */

void report_add(struct report *r, const char *markup)
{
	buf_add_str(r->out, str_from(markup));
}

void report_printf(struct report *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_vprintf(r->out, format, args);
	va_end(args);
}

const char *report_text(struct report *r, struct str untrusted, size_t limit)
{
	return html_text(r->arena, untrusted, limit);
}

const char *report_name(struct report *r, const struct summary_group *g)
{
	return arena_printf(r->arena, "%s:%s%s%s", report_text(r, g->provider, REPORT_NAME_MAX),
			    report_text(r, g->model, REPORT_NAME_MAX), g->thinking.p ? "@" : "",
			    report_text(r, g->thinking, REPORT_NAME_MAX)).p;
}

void report_add_more(struct report *r, size_t all, size_t shown, const char *what)
{
	if (all > shown)
		report_printf(r, "<p class='more'>and %s more %s; summary.json has them all</p>\n",
			      html_count(all - shown).text, what);
}

/* ---- order ---- */

struct ranked {
	const struct summary_group *group;
	double rate;
	size_t at;
};

/* For qsort, which is not stable: equal rates keep the order of the run by their place. */
static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rate != y->rate)
		return x->rate < y->rate ? 1 : -1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* The best first; those without a rate last; else as the run had them. */
static void rank(struct report *r)
{
	struct ranked *list = arena_array(r->arena, struct ranked, r->s->count ? r->s->count : 1);

	for (size_t i = 0; i < r->s->count; i++) {
		const struct summary_group *g = &r->s->groups[i];

		list[i] = (struct ranked){ .group = g, .rate = -1, .at = i };
		if (g->pass.n)
			list[i].rate = (double)g->pass.k / (double)g->pass.n;
	}
	qsort(list, r->s->count, sizeof(*list), compare_ranked);
	r->count = r->s->count;
	r->groups = arena_array(r->arena, const struct summary_group *, r->count ? r->count : 1);
	for (size_t i = 0; i < r->count; i++)
		r->groups[i] = list[i].group;
}

/* ---- the head ---- */

/* check_pages.c knows our page by the generator. */
static void write_head(struct report *r)
{
	html_begin(r->out, arena_printf(r->arena, "%s \xC2\xB7 benchmark report",
					report_text(r, r->s->run_id, REPORT_NAME_MAX)).p, NULL);
	report_add(r, "<a class='skip' href='#h-targets'>to the figures</a>\n");
}

static void add_card(struct report *r, const char *name, const char *figure)
{
	report_printf(r, "<div><dt>%s</dt><dd>%s</dd></div>", name, figure);
}

/* Targets of one run were asked the same prompts, some perhaps not yet all of them: so the most of any. */
static size_t prompts_of(const struct summary *s)
{
	size_t most = 0;

	for (size_t i = 0; i < s->count; i++)
		most = s->groups[i].prompt_count > most ? s->groups[i].prompt_count : most;
	return most;
}

/* One card for all targets; marked as estimated when one of them is. No card when no cost is known. */
static void add_spent(struct report *r)
{
	bool known = false, estimated = false, part = false;
	double usd = 0;

	for (size_t i = 0; i < r->count; i++) {
		part |= r->groups[i]->unpriced > 0;
		if (!isfinite(r->groups[i]->usd) || !r->groups[i]->usd_rows)
			continue;
		known = true;
		estimated |= r->groups[i]->usd_estimated;
		usd += r->groups[i]->usd;
	}
	if (known)
		add_card(r, part ? "cost of the calls that have a price" : estimated ? "cost, estimated" : "cost",
			 html_usd(usd).text);
}

/* A row that is not a success is a failed call here, an empty answer too. */
static void add_cards(struct report *r)
{
	uint64_t failed = 0;

	for (size_t i = 0; i < r->count; i++)
		failed += r->groups[i]->n_total - (r->groups[i]->n_success < r->groups[i]->n_total ?
							   r->groups[i]->n_success : r->groups[i]->n_total);
	report_add(r, "<dl class='cards'>");
	add_card(r, r->count == 1 ? "target" : "targets", html_count(r->count).text);
	add_card(r, "prompts", html_count(prompts_of(r->s)).text);
	add_card(r, "rows", html_count(r->s->rows).text);
	add_card(r, "failed calls", html_count(failed).text);
	add_card(r, "wall time", html_ms(r->s->has_wall ? (double)r->s->wall_ms : NAN).text);
	add_spent(r);
	report_add(r, "</dl>\n");
}

/* At most ten names; the digest tells what was asked, whatever the files were called. */
static void add_suites(struct report *r)
{
	const struct config *c = r->c;

	if (!c || !c->suite_count)
		return;
	report_add(r, c->suite_count == 1 ? "<br/>suite " : "<br/>suites ");
	for (size_t i = 0; i < c->suite_count && i < 10; i++) /* where it lay is nobody's business */
		report_printf(r, "%s<bdi>%s</bdi>", i ? ", " : "",
			      report_text(r, str_basename(c->suites[i].path), REPORT_NAME_MAX));
	if (c->suite_count > 10)
		report_printf(r, " and %zu more", c->suite_count - 10);
	if (c->suite_digest.n)
		report_printf(r, ", digest <code title='%s'>%s</code>",
			      report_text(r, c->suite_digest, REPORT_NAME_MAX), report_text(r, c->suite_digest, 12));
}

/* How many others have the same rate as the best, and of how many more the interval reaches up to its own. */
static void count_near(const struct report *r, size_t *same, size_t *near)
{
	struct rate best = r->groups[0]->pass;

	*same = *near = 0;
	for (size_t i = 1; i < r->count; i++) {
		struct rate p = r->groups[i]->pass;

		if (p.n && (double)p.k / (double)p.n == (double)best.k / (double)best.n)
			(*same)++;
		else if (p.n && p.interval.high >= best.interval.low)
			(*near)++;
	}
}

/* The answer first, with what keeps it from being one. */
static void add_short(struct report *r)
{
	const struct summary_group *best = r->count ? r->groups[0] : NULL;
	size_t same, near;

	if (!best || !best->pass.n || !isfinite(best->pass.interval.low))
		return;
	if (!best->pass.k) {
		report_add(r, "<p class='short'>No answer passed its validator.</p>\n");
		return;
	}
	count_near(r, &same, &near);
	report_printf(r, "<p class='short'><b><bdi>%s</bdi></b>", report_name(r, best));
	if (same)
		report_printf(r, " and %zu other%s have the highest pass rate, ", same, same == 1 ? "" : "s");
	else
		report_add(r, r->count > 1 ? " has the highest pass rate, " : " has a pass rate of ");
	report_printf(r, "<b>%s</b> (%s)", html_rate(best->pass).text, html_interval(best->pass.interval).text);
	if (near)
		report_printf(r, "; the interval%s of %zu other target%s overlap%s it, so the order is not settled",
			      near == 1 ? "" : "s", near, near == 1 ? "" : "s", near == 1 ? "s" : "");
	report_add(r, ".</p>\n");
}

/* "2026-05-01 12:00:00 UTC" */
static const char *page_stamp(struct report *r, int64_t seconds)
{
	char text[36];
	size_t n = stamp_format(text, seconds, 0, 0);

	return arena_printf(r->arena, "%.10s %.*s UTC", text, (int)(n - 12), text + 11).p;
}

/* Times are written in whole seconds of UTC, rounded down before 1970 too; check_pages.c reads "page of" back. */
static void write_top(struct report *r)
{
	int64_t seconds = r->generated_ns / 1000000000 - (r->generated_ns % 1000000000 < 0);
	struct stamp created;

	report_printf(r, "<header><p class='kind'>benchmark report</p>\n<h1><bdi>%s</bdi></h1>\n<p class='dim'>",
		      report_text(r, r->s->run_id, REPORT_NAME_MAX));
	if (r->c && r->c->created_at.n)
		report_printf(r, "run of <bdi>%s</bdi>, ", stamp_parse(r->c->created_at, &created) ?
			      page_stamp(r, created.seconds) : report_text(r, r->c->created_at, REPORT_NAME_MAX));
	report_printf(r, "page of %s, trackway " BUILD_VERSION, page_stamp(r, seconds));
	add_suites(r);
	report_add(r, "</p>\n");
	add_short(r);
	add_cards(r);
	report_add(r, "</header>\n");
}

/* ---- warnings ---- */

/* Opens the box with the first warning, so that a page without one has no empty box. */
static void begin_warning(struct report *r, bool *any)
{
	report_add(r, *any ? "<li>" : "<aside class='warnings' aria-label='Warnings'><h2>Before you trust these "
				      "figures</h2>\n<ul>\n<li>");
	*any = true;
}

/* What may make the figures wrong: lines left out, repeated rows, failed calls, a slow client. */
static void write_warnings(struct report *r)
{
	bool any = false;

	if (r->s->bottleneck) {
		begin_warning(r, &any);
		report_add(r, "This machine itself was the bottleneck: times are longer than the models needed. Run it "
			      "again with fewer calls at once, or where there is less to do.</li>\n");
	}
	if (r->s->skipped) {
		begin_warning(r, &any);
		report_printf(r, "%s%s</li>\n", html_count(r->s->skipped).text, r->s->skipped == 1 ?
			      " line of results.jsonl was no row and is not counted." :
			      " lines of results.jsonl were no rows and are not counted.");
	}
	if (r->s->repeated) {
		begin_warning(r, &any);
		report_printf(r, "%s%s</li>\n", html_count(r->s->repeated).text, r->s->repeated == 1 ?
			      " row of results.jsonl is a repeated one and counts once." :
			      " rows of results.jsonl are repeated ones and count once.");
	}
	for (size_t i = 0, told = 0; i < r->count && told < 10; i++) {
		const struct summary_group *g = r->groups[i];

		if (!g->n_total || g->n_success * 10 >= g->n_total * 9)
			continue;
		told++;
		begin_warning(r, &any);
		report_printf(r, "<bdi>%s</bdi>: %s of %s calls failed%s</li>\n", report_name(r, g),
			      html_count(g->n_total - g->n_success).text, html_count(g->n_total).text,
			      g->n_success ? "; rates with them left out are of what is left." :
					     ": nothing is known about its answers.");
	}
	if (any)
		report_add(r, "</ul></aside>\n");
}

/* ---- the page ---- */

void report_write_html(struct buf *out, const struct summary *s, const struct config *c, int64_t generated_ns)
{
	struct report r = { .out = out, .s = s, .c = c, .generated_ns = generated_ns };
	struct arena a;

	arena_init(&a);
	r.arena = &a;
	rank(&r);
	write_head(&r);
	report_add(&r, "<main>\n");
	write_top(&r);
	write_warnings(&r);
	report_write_tables(&r);
	report_write_rates(&r);
	report_write_tiers(&r);
	report_write_latency(&r);
	report_write_cost(&r);
	report_write_grid(&r);
	report_write_notes(&r);
	report_add(&r, "</main>\n</body>\n</html>\n");
	arena_free(&a);
}
