/* The profile of a run for people: the outcome, tables of time, tokens, models and tools, and stalls. */
#include "cmd/show.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/grid.h"
#include "cmd/screen/wrap.h"

#define BAR "\xe2\x96\x88" /* a full block */
#define WIDE 160           /* columns; tables that are wider are hard to follow */
#define BAR_MAX 60
#define GROUPS_SHOWN 20
#define STALLS_SHOWN 3
#define NAME_COLUMNS 40
#define UNPRICED_SHOWN 5

static size_t show_text_width_of(const struct show *s)
{
	return s->term->width < WIDE ? s->term->width : WIDE;
}

static const char *style(const struct show *s, enum term_style which)
{
	return term_style(s->term->color, which);
}

/* A line of running text below a heading. */
static void show_text_add_line(struct buf *out, const struct show *s, struct str text)
{
	buf_add_str(out, STR("  "));
	wrap_add_words(out, text, 2, 4, show_text_width_of(s));
	buf_add_byte(out, '\n');
}

/* ---- the first lines ---- */

/* A name from the trace, made safe, and not longer than a name should be. */
static void add_name(struct buf *out, struct str name)
{
	struct buf b;

	buf_init(&b);
	term_add_text(&b, name);
	if (utf8_width(buf_str(&b)) > NAME_COLUMNS)
		grid_add_fitting(out, buf_str(&b), NAME_COLUMNS);
	else
		buf_add_str(out, buf_str(&b));
	buf_free(&b);
}

/* At most three; the rest is counted. */
static void add_models(struct buf *out, const struct profile *p)
{
	for (size_t i = 0; i < p->models.count && i < 3; i++) {
		buf_add_str(out, i ? STR(", ") : STR("  "));
		add_name(out, p->models.list[i]->name);
	}
	if (p->models.count > 3)
		buf_printf(out, " and %zu more", p->models.count - 3);
}

/* A log without a single time becomes a trace whose times are all 1970. */
static bool is_untimed(const struct profile *p)
{
	return (p->nodes || p->has_summary) && p->from_us == 0 && p->to_us == 0 && p->total <= 0;
}

/* The first line: the outcome, its reason, when, how long, the framework and up to three models. */
static void add_verdict(struct buf *out, const struct show *s)
{
	static const enum term_style styles[] = { STYLE_BOLD, STYLE_ERROR, STYLE_WARNING, STYLE_INFO };
	const struct profile *p = s->profile;
	const char *verdict = profile_verdicts[p->verdict];
	struct buf line;

	buf_init(&line);
	if (p->error.n) {
		buf_add_str(&line, STR(" \""));
		add_name(&line, p->error);
		buf_add_byte(&line, '"');
	}
	if (is_untimed(p)) {
		buf_add_str(&line, STR("  time unknown"));
	} else if (p->nodes || p->has_summary) {
		buf_add_str(&line, STR("  "));
		amounts_add_moment(&line, p->from_us);
		buf_add_str(&line, STR("  "));
		amounts_add_time(&line, (int64_t)(p->total * 1e6 + 0.5), s->raw);
	}
	if (p->framework.n) {
		buf_add_str(&line, STR("  "));
		add_name(&line, p->framework);
	}
	add_models(&line, p);
	buf_printf(out, "%s%s%s", style(s, styles[p->verdict]), verdict, style(s, STYLE_PLAIN));
	if (line.n) {
		size_t gap = strspn(line.p, " ");

		wrap_add_spaces(out, gap);
		wrap_add_words(out, str_skip(buf_str(&line), gap), strlen(verdict) + gap, 2,
			       show_text_width_of(s));
	}
	buf_add_byte(out, '\n');
	buf_free(&line);
}

/* "known by: proxy 12, hook 8": how many nodes each layer saw, where another than the proxy saw some. */
static void add_known_by(struct buf *out, const struct show *s)
{
	const uint64_t *known_by = s->profile->known_by;
	uint64_t others = 0;
	struct buf line;

	buf_init(&line);
	for (size_t i = 0; i < SIGHT_LAYERS; i++) {
		if (known_by[i])
			buf_printf(&line, "%s%s %" PRIu64, line.n ? ", " : "known by: ", agent_trace_layers[i].p,
				   known_by[i]);
		others += i == SIGHT_PROXY ? 0 : known_by[i];
	}
	if (others)
		show_text_add_line(out, s, buf_str(&line));
	buf_free(&line);
}

/* The second line counts the nodes of each kind; the last names the trace. */
static void add_counts(struct buf *out, const struct show *s)
{
	static const char *const nouns[AT_KINDS] = { "model call", "tool call", "branch", "retry", "user input",
						     "system event" };
	const struct profile *p = s->profile;
	struct buf line;
	bool any = false;

	buf_init(&line);
	for (size_t i = 0; i < AT_KINDS; i++) {
		uint64_t n = i == AT_MODEL_CALL ? p->counts[i] - p->total_only : p->counts[i];

		if (n == 0)
			continue;
		buf_add_str(&line, any ? STR(", ") : STR(""));
		amounts_add_things(&line, n, nouns[i]);
		any = true;
	}
	if (!any)
		buf_add_str(&line, p->total_only ? STR("no call") : STR("no node"));
	if (p->total_only) {
		buf_add_str(&line, STR("; "));
		amounts_add_things(&line, p->total_only, "node");
		buf_add_str(&line, STR(" that the log states only as totals"));
	}
	if (p->partial)
		buf_printf(&line, "; %" PRIu64 " broke off", p->partial);
	if (p->inferred)
		buf_printf(&line, "; %" PRIu64 " inferred", p->inferred);
	show_text_add_line(out, s, buf_str(&line));
	add_known_by(out, s);
	buf_clear(&line);
	if (s->forked_from.n) {
		buf_add_str(&line, STR("forked from "));
		term_add_text(&line, s->forked_from);
		show_text_add_line(out, s, buf_str(&line));
		buf_clear(&line);
	}
	term_add_text(&line, s->path);
	show_text_add_line(out, s, buf_str(&line));
	buf_free(&line);
}

/* What is not as it should be. */
static void show_text_add_notes(struct buf *out, const struct show *s)
{
	const struct profile *p = s->profile;
	struct buf line;

	buf_init(&line);
	if (p->verdict == PROFILE_RUNNING)
		show_text_add_line(out, s, STR("the run is still being recorded; this is the trace so far"));
	else if (!p->has_summary)
		show_text_add_line(out, s,
				   str_from(p->verdict == PROFILE_ERROR
						    ? "there is no summary, and the last call failed"
						    : "there is no summary: the run did not finish"));
	if (s->bench.p) {
		buf_add_str(&line, STR("a benchmark: 'trackway bench summary "));
		term_add_text(&line, s->bench);
		buf_add_str(&line, STR("' has its scores, 'bench show' the answers"));
		show_text_add_line(out, s, buf_str(&line));
		buf_clear(&line);
	}
	if (!profile_has_calls(p))
		show_text_add_line(out, s,
				   STR("nothing captured: this trace has no model call and no tool call"));
	if (p->torn && p->verdict != PROFILE_RUNNING)
		show_text_add_line(out, s, STR("the last line breaks off"));
	if (p->damaged) {
		amounts_add_things(&line, p->damaged, "line");
		buf_printf(&line, " could not be used, %sline %" PRIu64 "; 'trackway validate' says more",
			   p->damaged == 1 ? "" : "the first is ", p->first_damaged);
		show_text_add_line(out, s, buf_str(&line));
	}
	if (p->mixed)
		show_text_add_line(out, s,
				   STR("this file has more than one trace; they are shown as one"));
	if (p->other_versions) {
		buf_clear(&line);
		amounts_add_things(&line, p->other_versions, "line");
		buf_add_str(&line, p->other_versions == 1 ? STR(" is") : STR(" are"));
		buf_add_str(&line, STR(" of another version ("));
		term_add_text(&line, p->version.n ? p->version : STR("they name none"));
		buf_add_str(&line, STR("), read as agent-trace/v1"));
		show_text_add_line(out, s, buf_str(&line));
	}
	buf_free(&line);
}

/* ---- time ---- */

static struct str time_text(const struct show *s, int64_t us)
{
	struct buf b;

	buf_init(&b);
	amounts_add_time(&b, us, s->raw);
	return arena_take(s->arena, &b);
}

/* A time with its mark: "<=2.41 s" took no longer, "2.41 s~" is worked out from a log. */
static struct str marked_text(const struct show *s, int64_t us, enum trace_length length)
{
	struct str text = time_text(s, us);

	if (us == 0 || length == TRACE_LENGTH_MEASURED)
		return text;
	return length == TRACE_LENGTH_AT_MOST ? ARENA_JOIN(s->arena, STR("<="), text) :
						ARENA_JOIN(s->arena, text, STR("~"));
}

static struct str share_text(const struct show *s, double part, double whole)
{
	struct buf b;

	buf_init(&b);
	amounts_add_share(&b, part, whole);
	return arena_take(s->arena, &b);
}

/* A bar of `columns` columns, filled by its share, which is cut to what a bar can show. */
static void grid_add_bar(struct grid *g, double share, size_t columns)
{
	size_t n;

	share = share < 0 ? 0 : share > 1 ? 1 : share;
	n = (size_t)(share * (double)columns + 0.5);
	for (size_t i = 0; i < n; i++)
		buf_add_str(&g->cell, STR(BAR));
	wrap_add_spaces(&g->cell, columns - n);
	grid_add_cell(g);
}

struct time_row {
	const char *label;
	int64_t busy, sum; /* sum is -1 when it means nothing */
	bool always;       /* shown also when there is none of it */
	enum trace_length length;
	bool is_rest; /* what others leave: at least that much when they took at most so much */
};

/* The mark depends on what is known: >= for a rest, <= for a bound, ~ for what a log only suggests. */
static struct str busy_text(const struct show *s, const struct time_row *r)
{
	if (r->is_rest && r->length == TRACE_LENGTH_AT_MOST && r->busy)
		return ARENA_JOIN(s->arena, STR(">="), time_text(s, r->busy));
	if (r->length == TRACE_LENGTH_MEASURED && s->profile->about)
		return marked_text(s, r->busy, TRACE_LENGTH_ABOUT);
	return marked_text(s, r->busy, r->length);
}

static void add_time_row(struct grid *g, const struct show *s, const struct time_row *r, size_t bar)
{
	double total = s->profile->total;

	grid_add(g, str_from(r->label));
	grid_add_bar(g, total > 0 ? (double)r->busy / 1e6 / total : 0, bar);
	grid_add(g, busy_text(s, r));
	grid_add(g, share_text(s, (double)r->busy / 1e6, total));
	grid_add(g, r->sum < 0 ? STR("") : marked_text(s, r->sum, r->length));
}

/* Where the time went: clock time with a bar, its share, and the sum over calls side by side. */
static void add_time(struct buf *out, const struct show *s)
{
	const struct profile *p = s->profile;
	const struct time_row rows[] = {
		{ "  model", p->busy_us[UNION_MODEL], p->sum_us[UNION_MODEL], true, p->length[UNION_MODEL], false },
		{ "    until the first token", p->busy_us[UNION_FIRST], p->sum_us[UNION_FIRST], false,
		  TRACE_LENGTH_MEASURED, false },
		{ "  tools", p->busy_us[UNION_TOOL], p->sum_us[UNION_TOOL], true, p->length[UNION_TOOL], false },
		{ "    of it waiting", -1, p->stall_us, false, p->stall_length, false },
		{ "  models and tools at once", p->both_us, -1, false, p->length[UNION_ALL], false },
		{ "  waiting for a person", p->busy_us[UNION_USER], p->sum_us[UNION_USER], false,
		  TRACE_LENGTH_MEASURED, false },
		{ "  nothing ran", p->idle_us, -1, true, p->length[UNION_ALL], true },
	};
	size_t width = show_text_width_of(s), bar = width > 80 ? width - 60 : 20;
	struct grid g;

	buf_add_byte(out, '\n');
	grid_init(&g, s->arena, "llrrr");
	grid_add_row(&g, (const char *const[]){ "time", "", "busy", "share", "added up" });
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct time_row r = rows[i];

		if (r.busy < 0) { /* stalls are known as sums only */
			r.busy = r.sum;
			r.sum = -1;
		}
		if (r.always || r.busy > 0)
			add_time_row(&g, s, &r, bar < BAR_MAX ? bar : BAR_MAX);
	}
	grid_end(&g, out, 0, width, s->term->color);
}

/* ---- tokens ---- */

/* Those that took most of the time stand first. */
static size_t sort_groups(const struct show *s, const struct profile_groups *groups, struct profile_group ***out)
{
	struct profile_group **list = arena_array(s->arena, struct profile_group *, groups->count + 1);

	for (size_t i = 0; i < groups->count; i++) {
		size_t at = i;

		while (at > 0 && list[at - 1]->sum_us < groups->list[i]->sum_us) {
			list[at] = list[at - 1];
			at--;
		}
		list[at] = groups->list[i];
	}
	*out = list;
	return groups->count < GROUPS_SHOWN ? groups->count : GROUPS_SHOWN;
}

static void grid_add_name(struct grid *g, struct str name)
{
	buf_add_str(&g->cell, STR("  "));
	term_add_text(&g->cell, name);
	grid_add_cell(g);
}

static void grid_add_count(struct grid *g, const struct show *s, uint64_t n, bool estimated)
{
	amounts_add_count(&g->cell, n, s->raw);
	if (estimated && n)
		buf_add_byte(&g->cell, '~');
	grid_add_cell(g);
}

/* " + no price for NAME, NAME": the models that used tokens nobody has priced. */
static void add_unpriced(struct buf *line, const struct profile *p)
{
	size_t told = 0;

	for (size_t i = 0; i < p->models.count; i++) {
		const struct profile_group *g = p->models.list[i];

		if (g->unpriced == 0)
			continue;
		if (told == UNPRICED_SHOWN) {
			buf_add_str(line, STR(" and others"));
			return;
		}
		if (told++)
			buf_add_str(line, STR(", "));
		else
			buf_add_str(line, line->n ? STR(" + no price for ") : STR("cost: no price for "));
		add_name(line, g->name);
	}
}

/* What the service states has no mark. */
static void add_dollars(struct buf *out, const struct show *s, struct amount usd)
{
	amounts_add_dollars(out, usd.n, s->raw);
	if (usd.source == FIGURE_ESTIMATED)
		buf_add_byte(out, '~');
}

/* A line for each model that has a price, where there are several models. */
static void add_costs(struct buf *out, const struct show *s)
{
	struct profile_group **list;
	size_t n = sort_groups(s, &s->profile->models, &list);
	struct grid g;

	grid_init(&g, s->arena, "lr");
	for (size_t i = 0; i < n && n > 1; i++) {
		if (!amount_is_known(list[i]->usd))
			continue;
		grid_add_name(&g, list[i]->name);
		add_dollars(&g.cell, s, list[i]->usd);
		grid_add_cell(&g);
	}
	grid_end(&g, out, 2, show_text_width_of(s), false);
}

/* Lines below the tokens: cache, reasoning and cost, each only when it is known. */
static void add_cache(struct buf *out, const struct show *s)
{
	const struct profile *p = s->profile;
	double input = (double)p->input[0] + (double)p->input[1], output = (double)p->output[0] + (double)p->output[1];
	struct buf line;

	buf_init(&line);
	if (p->cache_read || p->cache_write) {
		buf_add_str(&line, STR("cache: "));
		amounts_add_count(&line, p->cache_read, s->raw);
		buf_add_str(&line, STR(" read ("));
		amounts_add_share(&line, (double)p->cache_read, input);
		buf_add_str(&line, STR(" of the input), "));
		amounts_add_count(&line, p->cache_write, s->raw);
		buf_add_str(&line, STR(" written ("));
		amounts_add_share(&line, (double)p->cache_write, input);
		buf_add_byte(&line, ')');
		show_text_add_line(out, s, buf_str(&line));
	}
	buf_clear(&line);
	if (p->reasoning) {
		buf_add_str(&line, STR("reasoning: "));
		amounts_add_count(&line, p->reasoning, s->raw);
		buf_add_str(&line, STR(" ("));
		amounts_add_share(&line, (double)p->reasoning, output);
		buf_add_str(&line, STR(" of the output)"));
		show_text_add_line(out, s, buf_str(&line));
	}
	buf_clear(&line);
	if (amount_is_known(p->usd)) {
		buf_add_str(&line, STR("cost: "));
		add_dollars(&line, s, p->usd);
		if (p->priced && p->priced < p->counts[AT_MODEL_CALL] - p->total_only && !p->usd_is_total)
			buf_printf(&line, " for %" PRIu64 " of %" PRIu64 " model calls", p->priced,
				   p->counts[AT_MODEL_CALL] - p->total_only);
	}
	add_unpriced(&line, p);
	if (line.n)
		show_text_add_line(out, s, buf_str(&line));
	buf_free(&line);
	add_costs(out, s);
}

/* Reported and estimated tokens stand on lines of their own, never in one sum. */
static void show_text_add_tokens(struct buf *out, const struct show *s)
{
	const struct profile *p = s->profile;
	struct grid g;

	if (p->counts[AT_MODEL_CALL] == 0)
		return;
	buf_add_byte(out, '\n');
	grid_init(&g, s->arena, "lrr");
	grid_add_row(&g, (const char *const[]){ "tokens", "input", "output" });
	grid_add(&g, STR("  from the API"));
	grid_add_count(&g, s, p->input[FIGURE_API], false);
	grid_add_count(&g, s, p->output[FIGURE_API], false);
	if (p->input[FIGURE_ESTIMATED] || p->output[FIGURE_ESTIMATED]) {
		grid_add(&g, STR("  estimated"));
		grid_add_count(&g, s, p->input[FIGURE_ESTIMATED], true);
		grid_add_count(&g, s, p->output[FIGURE_ESTIMATED], true);
	}
	grid_end(&g, out, 0, show_text_width_of(s), s->term->color);
	add_cache(out, s);
}

/* ---- models and tools ---- */

/* "-" without a value; ~ when the times, or the percentile itself, are estimated. */
static void grid_add_quantile(struct grid *g, const struct show *s, struct quantile *q, double p,
			      enum trace_length length)
{
	struct str text;

	if (q->seen == 0) {
		grid_add(g, STR("-"));
		return;
	}
	text = time_text(s, (int64_t)(quantile_get(q, p) * 1e6 + 0.5));
	grid_add(g, length != TRACE_LENGTH_MEASURED || quantile_is_estimated(q) ? ARENA_JOIN(s->arena, text, STR("~")) :
										  text);
}

static void add_left_out(struct buf *out, size_t count, const char *what)
{
	if (count > GROUPS_SHOWN)
		buf_printf(out, "  and %zu more %s, which --json lists\n", count - GROUPS_SHOWN, what);
}

/* Ended by NULL; an empty one stands for a column that is left out. */
static void add_headings(struct grid *g, const char *const *headings)
{
	for (; *headings; headings++)
		if (**headings)
			grid_add(g, str_from(*headings));
}

/* Columns that say nothing are left out: nearly always nothing failed. */
static void add_model_table(struct buf *out, const struct show *s)
{
	const struct profile *p = s->profile;
	struct profile_group **list;
	size_t n = sort_groups(s, &p->models, &list);
	bool failed = false;
	struct grid g;

	for (size_t i = 0; i < n; i++)
		failed = failed || list[i]->failed;
	if (n == 0)
		return;
	buf_add_byte(out, '\n');
	grid_init(&g, s->arena, failed ? "lrrrrrrrr" : "lrrrrrrr");
	add_headings(&g, (const char *const[]){ "models", "calls", failed ? "failed" : "", "in", "out", "p50", "p95",
						"ttft p50", "p95", NULL });
	for (size_t i = 0; i < n; i++) {
		grid_add_name(&g, list[i]->name);
		grid_add_count(&g, s, list[i]->calls, false);
		if (failed)
			grid_add_count(&g, s, list[i]->failed, false);
		grid_add_count(&g, s, list[i]->input, list[i]->about_input);
		grid_add_count(&g, s, list[i]->output, list[i]->about_output);
		grid_add_quantile(&g, s, &list[i]->latency, 0.5, list[i]->length);
		grid_add_quantile(&g, s, &list[i]->latency, 0.95, list[i]->length);
		grid_add_quantile(&g, s, &list[i]->ttft, 0.5, TRACE_LENGTH_MEASURED);
		grid_add_quantile(&g, s, &list[i]->ttft, 0.95, TRACE_LENGTH_MEASURED);
	}
	grid_end(&g, out, 0, show_text_width_of(s), s->term->color);
	add_left_out(out, p->models.count, "models");
}

/* The recorder guesses it by the tool's name. */
static struct str external_text(const struct profile_group *g)
{
	static const char *const words[][2] = { { "no", "no~" }, { "yes", "yes~" }, { "partly", "partly~" } };

	return str_from(words[g->external == 0 ? 0 : g->external == g->calls ? 1 : 2][g->guessed > 0]);
}

/* Three cells: total, mean and longest; a dash in each when no call has a length. */
static void grid_add_lengths(struct grid *g, const struct show *s, const struct profile_group *tool)
{
	for (size_t i = 0; i < 3 && tool->timed == 0; i++)
		grid_add(g, STR("-"));
	if (tool->timed == 0)
		return;
	grid_add(g, marked_text(s, tool->sum_us, tool->length));
	grid_add(g, marked_text(s, tool->each_us / (int64_t)tool->timed, tool->length));
	grid_add(g, marked_text(s, tool->longest_us, tool->longest_length));
}

/* A row for each tool, the longest first. The column of missing results is left out when none is missing. */
static void add_tool_table(struct buf *out, const struct show *s)
{
	const struct profile *p = s->profile;
	struct profile_group **list;
	size_t n = sort_groups(s, &p->tools, &list);
	bool partial = false;
	struct grid g;

	for (size_t i = 0; i < n; i++)
		partial = partial || list[i]->partial;
	if (n == 0)
		return;
	buf_add_byte(out, '\n');
	grid_init(&g, s->arena, partial ? "lrrrrrrr" : "lrrrrrr");
	add_headings(&g, (const char *const[]){ "tools", "calls", "total", "mean", "longest", "waited",
						partial ? "no result" : "", "external", NULL });
	for (size_t i = 0; i < n; i++) {
		grid_add_name(&g, list[i]->name);
		grid_add_count(&g, s, list[i]->calls, false);
		grid_add_lengths(&g, s, list[i]);
		grid_add(&g, list[i]->stalls ? marked_text(s, list[i]->stall_us, list[i]->length) : STR("-"));
		if (partial)
			grid_add_count(&g, s, list[i]->partial, false);
		grid_add(&g, external_text(list[i]));
	}
	grid_end(&g, out, 0, show_text_width_of(s), s->term->color);
	add_left_out(out, p->tools.count, "tools");
}

/* How many results were errors, of which tools, and what the first said; nothing where the log has no content. */
static void add_errors(struct buf *out, const struct show *s)
{
	const struct signals *g = s->signals;
	size_t shown = 0;
	struct buf line;

	if (!g || g->tool_results == 0)
		return;
	buf_init(&line);
	buf_printf(&line, "errors: %" PRIu64 " of ", g->tool_errors);
	amounts_add_things(&line, g->tool_results, "tool result");
	for (size_t i = 0; i < g->tool_count && shown < GROUPS_SHOWN; i++) {
		if (g->tools[i].errors == 0)
			continue;
		buf_add_str(&line, shown++ ? STR(", ") : STR(": "));
		add_name(&line, g->tools[i].name);
		buf_printf(&line, " %" PRIu64, g->tools[i].errors);
	}
	show_text_add_line(out, s, buf_str(&line));
	if (g->first_error.p) {
		buf_clear(&line);
		buf_add_str(&line, STR("first error: "));
		term_add_text(&line, g->first_error);
		show_text_add_line(out, s, buf_str(&line));
	}
	buf_free(&line);
}

/* What the model could no longer see, in one line; nothing where nothing was hidden from it. */
static void add_compactions(struct buf *out, const struct show *s)
{
	const struct signals *g = s->signals;
	struct buf line = { 0 };

	if (!g || g->compactions == 0)
		return;
	buf_printf(&line, "compactions: %" PRIu64 "; ", g->compactions);
	amounts_add_things(&line, g->results_hidden, "result");
	buf_add_str(&line, STR(" out of sight"));
	if (g->refetched)
		buf_printf(&line, ", %" PRIu64 " asked for again", g->refetched);
	show_text_add_line(out, s, buf_str(&line));
	buf_free(&line);
}

/* ---- stalls, branches ---- */

/* What began when the gap ended, among the nodes that are shown. */
static struct str begun_at(const struct profile *p, int64_t us)
{
	for (size_t i = 0; i < p->row_count; i++)
		if (p->rows[i].from_us == us && p->rows[i].group)
			return p->rows[i].label;
	return str_of(NULL, 0);
}

/* A time in which nothing ran, and what began after it. */
static void add_gap_row(struct grid *g, const struct show *s, const struct profile_gap *gap)
{
	const struct profile *p = s->profile;
	struct str next = begun_at(p, gap->to_us);

	grid_add(g, STR("  nothing ran"));
	/* what only lies between two model calls fills the time between them: no gap is there */
	grid_add(g, marked_text(s, gap->to_us - gap->from_us, p->length[UNION_MODEL]));
	buf_add_str(&g->cell, STR("at "));
	amounts_add_time(&g->cell, gap->from_us - p->from_us, s->raw);
	if (next.p) {
		buf_add_str(&g->cell, STR(", before "));
		add_name(&g->cell, next);
	} else if (gap->to_us == p->to_us) {
		buf_add_str(&g->cell, STR(", at the end"));
	}
	grid_add_cell(g);
}

/* Those that are worth a line. */
static size_t count_gaps(const struct profile *p)
{
	size_t n = 0;

	while (n < p->gap_count && n < STALLS_SHOWN &&
	       (double)(p->gaps[n].to_us - p->gaps[n].from_us) / 1e6 >= p->total / 1000)
		n++;
	return n;
}

/* The longest waits of tools and the longest times in which nothing ran. */
static void add_stalls(struct buf *out, const struct show *s)
{
	const struct profile *p = s->profile;
	size_t gaps = count_gaps(p);
	struct grid g;

	if (gaps == 0 && p->wait_count == 0)
		return;
	buf_add_byte(out, '\n');
	grid_init(&g, s->arena, "lrl");
	grid_add_row(&g, (const char *const[]){ "stalls", "", "" });
	for (size_t i = 0; i < p->wait_count && i < STALLS_SHOWN; i++) {
		buf_add_str(&g.cell, STR("  "));
		add_name(&g.cell, p->waits[i].tool->name);
		buf_add_str(&g.cell, STR(" waited"));
		grid_add_cell(&g);
		grid_add(&g, marked_text(s, p->waits[i].stall_us, p->waits[i].length));
		grid_add(&g, ARENA_JOIN(s->arena, STR("at "), time_text(s, p->waits[i].from_us - p->from_us)));
	}
	for (size_t i = 0; i < gaps; i++)
		add_gap_row(&g, s, &p->gaps[i]);
	grid_end(&g, out, 0, show_text_width_of(s), s->term->color);
	if (p->stalls) {
		struct buf line;

		buf_init(&line);
		buf_add_str(&line, STR("tools waited "));
		amounts_add_share(&line, (double)p->stall_us / 1e6, p->total);
		buf_add_str(&line, STR(" of the run's time"));
		if (p->stalls < p->counts[AT_TOOL_CALL]) {
			buf_add_str(&line, STR("; of "));
			amounts_add_things(&line, p->counts[AT_TOOL_CALL] - p->stalls, "call");
			buf_add_str(&line, STR(" it is not known"));
		}
		show_text_add_line(out, s, buf_str(&line));
		buf_free(&line);
	}
}

void show_add_text(struct buf *out, const struct show *s)
{
	const struct profile *p = s->profile;

	add_verdict(out, s);
	add_counts(out, s);
	show_text_add_notes(out, s);
	if (!profile_has_calls(p))
		return;
	if (!is_untimed(p))
		add_time(out, s);
	show_text_add_tokens(out, s);
	add_model_table(out, s);
	add_tool_table(out, s);
	add_errors(out, s);
	add_compactions(out, s);
	add_stalls(out, s);
	show_add_waterfall(out, s);
}
