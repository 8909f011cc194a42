/* What a reader must know to trust the figures: how they were made, and with what settings. */
#include "bench/report/html_private.h"

/* `value` is markup of ours; a text from outside goes through add_fact_text. */
static void add_fact(struct report *r, const char *name, const char *value)
{
	report_printf(r, "<dt>%s</dt><dd>%s</dd>", name, value);
}

static void add_fact_text(struct report *r, const char *name, struct str value)
{
	report_printf(r, "<dt>%s</dt><dd><bdi>%s</bdi></dd>", name, report_text(r, value, REPORT_TEXT_MAX));
}

/* The first 64 words, each cut: a shell can glob thousands of files into a command. */
static void add_command(struct report *r)
{
	if (!r->c->command_count)
		return;
	report_add(r, "<dt>command</dt><dd><code><bdi>");
	for (size_t i = 0; i < r->c->command_count && i < 64; i++)
		report_printf(r, "%s%s", i ? " " : "", report_text(r, r->c->command[i], REPORT_NAME_MAX));
	report_add(r, r->c->command_count > 64 ? " \xE2\x80\xA6</bdi></code></dd>" : "</bdi></code></dd>");
}

/* The settings by config.json, folded away: few readers need them. */
static void write_settings(struct report *r)
{
	const struct config *c = r->c;

	report_add(r, "<details><summary>Settings of the run</summary>\n<dl class='facts'>");
	add_command(r);
	add_fact_text(r, "version", c->version);
	add_fact(r, "repetitions", html_count(c->repeat).text);
	if (c->concurrency)
		add_fact(r, "concurrency", html_count(c->concurrency).text);
	else
		add_fact_text(r, "concurrency", STR("auto"));
	add_fact(r, "timeout", html_ms((double)c->timeout_ms).text);
	add_fact(r, "retries", html_count(c->retries).text);
	add_fact_text(r, "streaming", c->stream ? STR("yes") : STR("no"));
	if (c->temperature >= 0)
		report_printf(r, "<dt>temperature</dt><dd>%g</dd>", c->temperature);
	else
		add_fact_text(r, "temperature", STR("the provider's own"));
	if (c->max_tokens)
		add_fact(r, "max tokens", html_count(c->max_tokens).text);
	add_fact_text(r, "tool detector", c->detector == DETECT_REFERENCE ? STR("reference") : STR("default"));
	add_fact(r, "seed", html_count(c->seed).text);
	add_fact(r, "warm-up calls", html_count(c->warmup).text);
	if (c->price_table.n)
		add_fact_text(r, "price table", c->price_table);
	if (c->suite_digest.n)
		add_fact_text(r, "suite digest", c->suite_digest);
	report_add(r, "</dl></details>\n");
}

/* Whether intervals by prompt are in the tables, and need a word. */
static bool has_repeats(const struct report *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->groups[i]->repeats > 1)
			return true;
	return false;
}

void report_write_notes(struct report *r)
{
	static const char *const methods[] = { [RATE_WILSON] = "Wilson", [RATE_EXACT] = "Clopper and Pearson (exact)",
					       [RATE_JEFFREYS] = "Jeffreys" };

	report_printf(r, "<section aria-labelledby='h-notes'><h2 id='h-notes'>How to read this</h2>\n<ul "
		      "class='notes'>\n"
		      "<li>Rates have 95 %% intervals by %s. Where two intervals overlap, the order of two targets is "
		      "not settled by this page: <code>trackway bench compare</code> compares them prompt by "
		      "prompt.</li>\n",
		      methods[r->s->method]);
	report_add(r, "<li>A failed call (no server, rate limit, timeout, empty answer) is no answer of a model. Rates "
		      "therefore stand twice: with failed calls left out, and with failed calls as failures.</li>\n"
		      "<li>Times are of successful calls. Percentiles are interpolated between neighbours (type 7 of "
		      "Hyndman and Fan); their intervals are order statistics, and where n is too few for one it says "
		      "<em>n too small</em>: such a figure says little about the next run.</li>\n"
		      "<li>Tiers are of answers to prompts that expect a tool: tier 1 from 80 %, tier 2 from 50 %, "
		      "else tier 3. <em>n too small to separate tiers</em>: the interval reaches into another "
		      "one.</li>\n"
		      "<li>Costs are what a service said, or estimated from a table of prices, and then marked "
		      "so.</li>\n");
	if (has_repeats(r))
		report_add(r, "<li>Prompts were asked more than once. Repetitions of a prompt are not independent, so "
			      "the intervals of rates are too narrow; the one <em>by prompt</em> treats all answers "
			      "to a prompt as one cluster (Student's t).</li>\n");
	report_add(r, "</ul>\n");
	if (r->c)
		write_settings(r);
	report_add(r, "</section>\n");
}
