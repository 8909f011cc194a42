/* What a reader must know to trust the figures: how they were made, and with what settings. */
#include "bench/report/html_private.h"

#include <inttypes.h>

static void add_fact(struct report *r, const char *name, struct str value)
{
	buf_printf(r->out, "<dt>%s</dt><dd><bdi>", name);
	html_cut(r->out, value, REPORT_TEXT_MAX);
	report_add(r, "</bdi></dd>");
}

static void report_html_notes_add_number(struct report *r, const char *name, uint64_t n, const char *unit)
{
	buf_printf(r->out, "<dt>%s</dt><dd>", name);
	html_count(r->out, n);
	buf_printf(r->out, "%s</dd>", unit);
}

static void add_ms(struct report *r, const char *name, uint64_t ms)
{
	buf_printf(r->out, "<dt>%s</dt><dd>", name);
	html_ms(r->out, (double)ms);
	report_add(r, "</dd>");
}

static void add_command(struct report *r)
{
	if (!r->c->command_count)
		return;
	report_add(r, "<dt>command</dt><dd><code><bdi>");
	for (size_t i = 0; i < r->c->command_count && i < 64; i++) {
		report_add(r, i ? " " : "");
		html_cut(r->out, r->c->command[i], REPORT_NAME_MAX);
	}
	report_add(r, r->c->command_count > 64 ? " \xE2\x80\xA6</bdi></code></dd>" : "</bdi></code></dd>");
}

static void write_settings(struct report *r)
{
	const struct config *c = r->c;

	report_add(r, "<details><summary>Settings of the run</summary>\n<dl class='facts'>");
	add_command(r);
	add_fact(r, "version", c->version);
	report_html_notes_add_number(r, "repetitions", c->repeat, "");
	if (c->concurrency)
		report_html_notes_add_number(r, "concurrency", c->concurrency, "");
	else
		add_fact(r, "concurrency", STR("auto"));
	add_ms(r, "timeout", c->timeout_ms);
	report_html_notes_add_number(r, "retries", c->retries, "");
	add_fact(r, "streaming", c->stream ? STR("yes") : STR("no"));
	if (c->temperature >= 0)
		buf_printf(r->out, "<dt>temperature</dt><dd>%g</dd>", c->temperature);
	else
		add_fact(r, "temperature", STR("the provider's own"));
	if (c->max_tokens)
		report_html_notes_add_number(r, "max tokens", c->max_tokens, "");
	add_fact(r, "tool detector", c->detector == DETECT_REFERENCE ? STR("reference") : STR("default"));
	report_html_notes_add_number(r, "seed", c->seed, "");
	report_html_notes_add_number(r, "warm-up calls", c->warmup, "");
	if (c->price_table.n)
		add_fact(r, "price table", c->price_table);
	if (c->suite_digest.n)
		add_fact(r, "suite digest", c->suite_digest);
	report_add(r, "</dl></details>\n");
}

const char *report_method(const struct report *r)
{
	switch (r->s->method) {
	case RATE_EXACT:
		return "Clopper and Pearson (exact)";
	case RATE_JEFFREYS:
		return "Jeffreys";
	case RATE_WILSON:
	default:
		return "Wilson";
	}
}

static bool has_repeats(const struct report *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->groups[i]->repeats > 1)
			return true;
	return false;
}

void report_write_notes(struct report *r)
{
	report_add(r, "<section aria-labelledby='h-notes'><h2 id='h-notes'>How to read this</h2>\n<ul "
		      "class='notes'>\n");
	buf_printf(r->out, "<li>Rates have 95 %% intervals by %s. Where two intervals overlap, the order of two "
		   "targets is not "
		   "settled by this page: <code>trackway bench compare</code> compares them prompt by prompt.</li>\n",
		   report_method(r));
	report_add(r, "<li>A failed call (no server, rate limit, timeout, empty answer) is no answer of a model. Rates "
		      "therefore stand twice: with failed calls left out, and with failed calls as failures.</li>\n"
		      "<li>Times are of successful calls. Percentiles are interpolated between neighbours (type 7 "
		      "of Hyndman "
		      "and Fan); their intervals are order statistics, and where n is too few for one it says "
		      "<em>n too small</em>: such a figure says little about the next run.</li>\n"
		      "<li>Tiers are of answers to prompts that expect a tool: tier 1 from 80 %, tier 2 from 50 %, "
		      "else tier 3. "
		      "<em>n too small to separate tiers</em>: the interval reaches into another one.</li>\n"
		      "<li>Costs are what a service said, or estimated from a table of prices, and then marked "
		      "so.</li>\n");
	if (has_repeats(r))
		report_add(r, "<li>Prompts were asked more than once. Repetitions of a prompt are not independent, "
			      "so the "
			      "intervals of rates are too narrow; the one <em>by prompt</em> treats all answers to "
			      "a prompt as one "
			      "cluster (Student's t).</li>\n");
	report_add(r, "</ul>\n");
	if (r->c)
		write_settings(r);
	report_add(r, "</section>\n");
}
