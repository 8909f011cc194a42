#include "bench/report/html_private.h"

#include <inttypes.h>
#include <math.h>

static size_t report_html_tables_shown(const struct report *r)
{
	return r->count < REPORT_TABLE_MAX ? r->count : REPORT_TABLE_MAX;
}

static void begin_table(struct report *r, const char *label, const char *head, const char *more)
{
	buf_printf(r->out, "<div class='scroll' role='region' aria-label='%s' tabindex='0'><table>\n<thead><tr>"
		   "<th scope='col' class='name'>target</th>%s%s</tr></thead>\n"
		   "<tbody>\n", label, head, more);
}

static void begin_target(struct report *r, size_t i)
{
	buf_printf(r->out, "<tr><th scope='row' class='name'><span class='no'>%zu</span> <bdi>", i + 1);
	report_add_name(r, r->groups[i]);
	report_add(r, "</bdi>");
	if (r->groups[i]->size.p) {
		report_add(r, "<small><bdi>");
		html_cut(r->out, r->groups[i]->size, REPORT_NAME_MAX);
		report_add(r, "</bdi></small>");
	}
	report_add(r, "</th>");
}

static void end_table(struct report *r)
{
	report_add(r, "</tbody></table></div>\n");
	report_add_more(r, r->count, report_html_tables_shown(r), "targets");
}

/* `by_prompt`: the mean that knows which answers are to the same prompt; NULL for none. */
static void report_html_tables_add_rate(struct report *r, const struct rate *rate,
					const struct stats_mean *by_prompt)
{
	report_add(r, "<td>");
	html_rate(r->out, rate->k, rate->n);
	if (rate->n) {
		report_add(r, "<small>");
		html_interval(r->out, rate->interval);
		report_add(r, "</small>");
	}
	if (rate->n && by_prompt && isfinite(by_prompt->interval.low) && isfinite(by_prompt->interval.high)) {
		/* Student's t knows no ends */
		report_add(r, "<small>by prompt</small><small>");
		html_interval(r->out, (struct interval){ .low = fmax(by_prompt->interval.low, 0),
							 .high = fmin(by_prompt->interval.high, 1) });
		report_add(r, "</small>");
	}
	report_add(r, "</td>");
}

/* With `detail` its interval, else only a word where there is none. */
static void add_percentile(struct report *r, uint64_t n, double v, struct interval i, bool detail)
{
	report_add(r, "<td>");
	html_ms(r->out, n ? v : NAN);
	if (n && (!isfinite(i.low) || !isfinite(i.high))) {
		report_add(r, "<small class='unsure'>n too small</small>");
	} else if (n && detail) {
		report_add(r, "<small>");
		html_ms(r->out, i.low);
		report_add(r, " " HTML_NONE " ");
		html_ms(r->out, i.high);
		report_add(r, "</small>");
	}
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
	report_add(r, all ? "<td class='bad'>" : "<td>");
	html_count(r->out, all);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!kinds[i].n)
			continue;
		report_add(r, "<small>");
		html_count(r->out, kinds[i].n);
		buf_printf(r->out, " %s</small>", kinds[i].what);
	}
	report_add(r, "</td>");
}

static void add_cost(struct report *r, const struct summary_group *g)
{
	report_add(r, "<td>");
	if (!isfinite(g->usd) || !g->usd_rows) {
		report_add(r, "<span class='dim'>not known</span></td>");
		return;
	}
	html_usd(r->out, g->usd);
	if (g->usd_estimated)
		report_add(r, "<small>estimated</small>");
	if (g->usd_rows < g->n_total) {
		report_add(r, "<small>of ");
		html_count(r->out, g->usd_rows);
		report_add(r, " calls</small>");
	}
	report_add(r, "</td>");
}

static void add_tools(struct report *r, const struct summary_group *g)
{
	report_add(r, "<td>");
	if (g->tier)
		buf_printf(r->out, "<span class='tier t%d'>Tier %d</span> ", g->tier, g->tier);
	html_rate(r->out, g->tools.k, g->tools.n);
	if (g->tools.n) {
		report_add(r, "<small>");
		html_interval(r->out, g->tools.interval);
		report_add(r, "</small>");
	}
	if (g->tier && g->tier_unsure)
		report_add(r, "<small class='unsure'>n too small to separate tiers</small>");
	report_add(r, "</td>");
}

static void report_html_tables_add_target(struct report *r, size_t i)
{
	const struct summary_group *g = r->groups[i];

	begin_target(r, i);
	report_add(r, "<td>");
	html_count(r->out, g->n_total);
	report_add(r, "</td>");
	add_errors(r, g);
	report_html_tables_add_rate(r, &g->success, NULL);
	report_html_tables_add_rate(r, &g->pass, g->repeats > 1 ? &g->pass_mean : NULL);
	report_html_tables_add_rate(r, &g->pass_of_all, NULL);
	add_tools(r, g);
	add_percentiles(r, &g->latency, false);
	report_add(r, "<td>");
	html_ms(r->out, g->ttft.n ? g->ttft.p50 : NAN);
	report_add(r, "</td><td>");
	if (isfinite(g->tokens_per_second) && g->tokens_per_second >= 0)
		buf_printf(r->out, g->tokens_per_second < 99.95 ? "%.1f" : "%.0f", g->tokens_per_second);
	else
		report_add(r, HTML_NONE);
	report_add(r, "</td>");
	add_cost(r, g);
	report_add(r, "</tr>\n");
}

static bool has_resources(const struct report *r)
{
	for (size_t i = 0; i < report_html_tables_shown(r); i++)
		if (r->groups[i]->before.known || r->groups[i]->after.known)
			return true;
	return false;
}

static void report_html_tables_add_change(struct report *r, int64_t before, int64_t after)
{
	report_add(r, "<td>");
	html_bytes(r->out, before);
	report_add(r, " \xE2\x86\x92 ");
	html_bytes(r->out, after);
	report_add(r, "</td>");
}

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
		report_add(r, "<td>");
		html_ms(r->out, g->latency.n ? g->latency.mean : NAN);
		report_add(r, "</td>");
		add_percentiles(r, &g->ttft, true);
		add_percentiles(r, &g->waited, false);
		report_add(r, "<td>");
		html_ms(r->out, g->has_wall ? (double)g->wall_ms : NAN);
		report_add(r, "</td><td>");
		html_count(r->out, g->input_tokens);
		report_add(r, "</td><td>");
		html_count(r->out, g->output_tokens);
		report_add(r, "</td>");
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
		      "the end "
		      "of its answer, so a queue counts (latency without coordinated omission).</p></details>\n");
}

void report_write_tables(struct report *r)
{
	report_add(r, "<section aria-labelledby='h-targets'><h2 id='h-targets'>Targets</h2>\n");
	if (!r->count) {
		report_add(r, "<p class='none'>The run has no rows yet.</p></section>\n");
		return;
	}
	begin_table(r, "Targets",
		    "<th scope='col'><abbr title='all rows'>n</abbr></th><th scope='col'>failed calls</th>"
		    "<th scope='col'>success<small>of ok calls</small></th>"
		    "<th scope='col'>pass<small>failed calls left out</small></th>"
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
