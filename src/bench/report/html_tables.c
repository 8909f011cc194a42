/* The tables of report.html: the figures of each target, and in a second one times, tokens and the machine. */
#include "bench/report/html_private.h"

#include <math.h>

/* The best targets by pass rate, since r->groups is in that order. */
static size_t report_html_tables_shown(const struct report *r)
{
	return r->count < REPORT_TABLE_MAX ? r->count : REPORT_TABLE_MAX;
}

/* A wide table scrolls in its own region, which the keyboard reaches too. `head` and `more` are markup of ours. */
static void begin_table(struct report *r, const char *label, const char *head, const char *more)
{
	report_printf(r, "<div class='scroll' role='region' aria-label='%s' tabindex='0'><table>\n<thead><tr>"
		      "<th scope='col' class='name'>target</th>%s%s</tr></thead>\n<tbody>\n", label, head, more);
}

/* Number and name, the number being the target's in every plot; the size of the model where it is known. */
static void begin_target(struct report *r, size_t i)
{
	report_printf(r, "<tr><th scope='row' class='name'><span class='no'>%zu</span> <bdi>%s</bdi>", i + 1,
		      report_name(r, r->groups[i]));
	if (r->groups[i]->size.p)
		report_printf(r, "<small><bdi>%s</bdi></small>", report_text(r, r->groups[i]->size, REPORT_NAME_MAX));
	report_add(r, "</th>");
}

static void end_table(struct report *r)
{
	report_add(r, "</tbody></table></div>\n");
	report_add_more(r, r->count, report_html_tables_shown(r), "targets");
}

/* A rate with its interval, of which nothing is said when nothing was counted. */
static void add_rate(struct report *r, const struct rate *rate)
{
	report_add(r, html_rate(*rate).text);
	if (rate->n)
		report_printf(r, "<small>%s</small>", html_interval(rate->interval).text);
}

/* `by_prompt`: the mean that knows which answers are to the same prompt; NULL for none. */
static void report_html_tables_add_rate(struct report *r, const struct rate *rate,
					const struct stats_mean *by_prompt)
{
	report_add(r, "<td>");
	add_rate(r, rate);
	if (rate->n && by_prompt && isfinite(by_prompt->interval.low) && isfinite(by_prompt->interval.high))
		/* Student's t knows no ends */
		report_printf(r, "<small>by prompt</small><small>%s</small>",
			      html_interval((struct interval){ .low = fmax(by_prompt->interval.low, 0),
							       .high = fmin(by_prompt->interval.high, 1) }).text);
	report_add(r, "</td>");
}

static void add_time(struct report *r, double ms, bool known)
{
	report_printf(r, "<td>%s</td>", html_ms(known ? ms : NAN).text);
}

/* With `detail` its interval, else only a word where there is none. */
static void add_percentile(struct report *r, uint64_t n, double v, struct interval i, bool detail)
{
	report_printf(r, "<td>%s", html_ms(n ? v : NAN).text);
	if (n && (!isfinite(i.low) || !isfinite(i.high)))
		report_add(r, "<small class='unsure'>n too small</small>");
	else if (n && detail)
		report_printf(r, "<small>%s " HTML_NONE " %s</small>", html_ms(i.low).text, html_ms(i.high).text);
	report_add(r, "</td>");
}

static void add_percentiles(struct report *r, const struct spread *s, bool detail)
{
	add_percentile(r, s->n, s->p50, s->p50_interval, detail);
	add_percentile(r, s->n, s->p95, s->p95_interval, detail);
	add_percentile(r, s->n, s->p99, s->p99_interval, detail);
}

/* Calls that failed, by reason: each is something else to do about. */
static void add_errors(struct report *r, const struct summary_group *g)
{
	const struct {
		uint64_t n;
		const char *what;
	} kinds[] = {
		{ g->n_unavailable, "unavailable" },
		{ g->n_limited, "rate limited" },
		{ g->n_auth, "auth" },
		{ g->n_error - (g->n_auth < g->n_error ? g->n_auth : g->n_error), "other" },
		{ g->n_ok - (g->n_success < g->n_ok ? g->n_success : g->n_ok), "empty" },
	};
	uint64_t all = 0;

	for (size_t i = 0; i < COUNT(kinds); i++)
		all += kinds[i].n;
	report_printf(r, "<td%s>%s", all ? " class='bad'" : "", html_count(all).text);
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].n)
			report_printf(r, "<small>%s %s</small>", html_count(kinds[i].n).text, kinds[i].what);
	report_add(r, "</td>");
}

/* Names the model whose calls have no price, and ends the cell. */
static void add_unpriced(struct report *r, const struct summary_group *g)
{
	if (g->unpriced)
		report_printf(r, "<small>no price for %s</small>", html_text(r->arena, g->model, 60));
	report_add(r, "</td>");
}

/* A sum over some of the calls says over how many. */
static void add_cost(struct report *r, const struct summary_group *g)
{
	if (!isfinite(g->usd) || !g->usd_rows) {
		report_add(r, "<td><span class='dim'>not known</span>");
		add_unpriced(r, g);
		return;
	}
	report_printf(r, "<td>%s%s", html_usd(g->usd).text, g->usd_estimated ? "<small>estimated</small>" : "");
	if (g->usd_rows < g->n_total)
		report_printf(r, "<small>of %s calls</small>", html_count(g->usd_rows).text);
	add_unpriced(r, g);
}

static void add_tools(struct report *r, const struct summary_group *g)
{
	report_add(r, "<td>");
	if (g->tier)
		report_printf(r, "<span class='tier t%d'>Tier %d</span> ", g->tier, g->tier);
	add_rate(r, &g->tools);
	if (g->tier && g->tier_unsure)
		report_add(r, "<small class='unsure'>n too small to separate tiers</small>");
	report_add(r, "</td>");
}

/*
 * A row of the first table: as many cells as its head in report_write_tables has. page_table.c reads it back, and
 * takes the text of a cell up to its <small>. The pass rate comes first: on a telephone the next columns are out of
 * sight.
 */
static void report_html_tables_add_target(struct report *r, size_t i)
{
	const struct summary_group *g = r->groups[i];

	begin_target(r, i);
	report_html_tables_add_rate(r, &g->pass, g->repeats > 1 ? &g->pass_mean : NULL);
	report_printf(r, "<td>%s</td>", html_count(g->n_total).text);
	add_errors(r, g);
	report_html_tables_add_rate(r, &g->success, NULL);
	report_html_tables_add_rate(r, &g->pass_of_all, NULL);
	add_tools(r, g);
	add_percentiles(r, &g->latency, false);
	add_time(r, g->ttft.p50, g->ttft.n);
	if (isfinite(g->tokens_per_second) && g->tokens_per_second >= 0)
		report_printf(r, "<td>%.*f</td>", g->tokens_per_second < 99.95 ? 1 : 0, g->tokens_per_second);
	else
		report_add(r, "<td>" HTML_NONE "</td>");
	add_cost(r, g);
	report_add(r, "</tr>\n");
}

/* Whether the columns about the machine would have anything in them. */
static bool has_resources(const struct report *r)
{
	for (size_t i = 0; i < report_html_tables_shown(r); i++)
		if (r->groups[i]->before.known || r->groups[i]->after.known)
			return true;
	return false;
}

static void report_html_tables_add_change(struct report *r, int64_t before, int64_t after)
{
	report_printf(r, "<td>%s \xE2\x86\x92 %s</td>", html_bytes(before).text, html_bytes(after).text);
}

/* The second table, folded away: intervals of times, tokens, what the machine had to spare. */
static void write_more(struct report *r)
{
	bool resources = has_resources(r);

	report_add(r, "<details><summary>Times with their intervals, tokens and the machine</summary>\n");
	begin_table(r, "Times, tokens and the machine",
		    "<th scope='col'>p50</th><th scope='col'>p95</th><th scope='col'>p99</th><th scope='col'>mean</th>"
		    "<th scope='col'>TTFT p50</th><th scope='col'>TTFT p95</th><th scope='col'>TTFT p99</th>"
		    "<th scope='col'>waited p50</th><th scope='col'>waited p95</th><th scope='col'>waited p99</th>"
		    "<th scope='col'>wall</th><th scope='col'>tokens in</th><th scope='col'>tokens out</th>",
		    resources ? "<th scope='col'>free memory</th><th scope='col'>free disk</th>" : "");
	for (size_t i = 0; i < report_html_tables_shown(r); i++) {
		const struct summary_group *g = r->groups[i];

		begin_target(r, i);
		add_percentiles(r, &g->latency, true);
		add_time(r, g->latency.mean, g->latency.n);
		add_percentiles(r, &g->ttft, true);
		add_percentiles(r, &g->waited, false);
		add_time(r, (double)g->wall_ms, g->has_wall);
		report_printf(r, "<td>%s</td><td>%s</td>", html_count(g->input_tokens).text,
			      html_count(g->output_tokens).text);
		if (resources) {
			report_html_tables_add_change(r, g->before.known ? g->before.mem_available : -1,
						      g->after.known ? g->after.mem_available : -1);
			report_html_tables_add_change(r, g->before.known ? g->before.disk_free : -1,
						      g->after.known ? g->after.disk_free : -1);
		}
		report_add(r, "</tr>\n");
	}
	end_table(r);
	report_add(r, "<p class='dim'>TTFT: time to the first token. Waited: from the moment a question was due to "
		      "the end of its answer, so a queue counts (latency without coordinated "
		      "omission).</p></details>\n");
}

void report_write_tables(struct report *r)
{
	report_add(r, "<section aria-labelledby='h-targets'><h2 id='h-targets'>Targets</h2>\n");
	if (!r->count) {
		report_add(r, "<p class='none'>The run has no rows yet.</p></section>\n");
		return;
	}
	begin_table(r, "Targets",
		    "<th scope='col'>pass<small>failed calls left out</small></th>"
		    "<th scope='col'><abbr title='all rows'>n</abbr></th><th scope='col'>failed calls</th>"
		    "<th scope='col'>success<small>of ok calls</small></th>"
		    "<th scope='col'>pass<small>failed calls are failures</small></th>"
		    "<th scope='col'>tool use</th>"
		    "<th scope='col'>p50</th><th scope='col'>p95</th><th scope='col'>p99</th>"
		    "<th scope='col'><abbr title='median time to the first token'>TTFT</abbr></th>"
		    "<th scope='col'>tokens/s</th><th scope='col'>cost</th>", "");
	for (size_t i = 0; i < report_html_tables_shown(r); i++)
		report_html_tables_add_target(r, i);
	end_table(r);
	write_more(r);
	report_add(r, "</section>\n");
}
