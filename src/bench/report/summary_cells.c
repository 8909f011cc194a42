#include "bench/report/summary_cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/utf8.h"

#define EN_DASH "\xe2\x80\x93"
#define BORDER_NOISE 1e-8 /* percent: what is nearer to a border is on it, and a matter of rounding */
#define OUTLIERS_FROM 5 /* latencies: of fewer none can be told to be far from the others */
#define OUTLIER_MS 200  /* from the median: what is nearer nobody has to be warned of */

/* ---- texts ---- */

/* One character, escaped when it must be; `also` are further ASCII characters that get a backslash. */
static size_t add_char(struct buf *out, struct str s, const char *also)
{
	uint32_t code;
	size_t n = utf8_decode(s.p, s.n, &code);

	if (n == 0 || code < 0x20 || code == 0x7f) {
		buf_printf(out, "\\x%02x", (unsigned)(unsigned char)s.p[0]);
		return 1;
	}
	if (utf8_is_deceptive(code))
		buf_printf(out, "\\u{%04x}", (unsigned)code);
	else if (code < 0x80 && strchr(also, (int)code))
		buf_printf(out, "\\%c", (int)code);
	else
		buf_add(out, s.p, n);
	return n;
}

static void add_escaped(struct buf *out, struct str s, const char *also)
{
	for (size_t i = 0; i < s.n;)
		i += add_char(out, str_skip(s, i), also);
}

void cell_add_text(struct buf *out, struct str untrusted)
{
	add_escaped(out, untrusted, "");
}

/* < and & go as entities: a backslash does not keep every reader from taking what follows for HTML. */
void cell_add_md(struct buf *out, struct str untrusted)
{
	for (size_t i = 0; i < untrusted.n;) {
		char c = untrusted.p[i];

		if (c == '<' || c == '&') {
			buf_add_str(out, c == '<' ? STR("&lt;") : STR("&amp;"));
			i++;
			continue;
		}
		i += add_char(out, str_skip(untrusted, i), "|\\`*_[]!~#");
	}
}

void cell_add_csv(struct buf *out, struct str untrusted)
{
	bool formula = untrusted.n && strchr("=+-@\t\r", untrusted.p[0]) && untrusted.p[0];
	struct buf text;

	buf_init(&text);
	if (formula)
		buf_add_byte(&text, '\'');
	cell_add_text(&text, untrusted);
	if (text.n && (memchr(text.p, '"', text.n) || memchr(text.p, ',', text.n))) {
		buf_add_byte(out, '"');
		for (size_t i = 0; i < text.n; i++) {
			if (text.p[i] == '"')
				buf_add_byte(out, '"');
			buf_add_byte(out, text.p[i]);
		}
		buf_add_byte(out, '"');
	} else {
		buf_add_str(out, buf_str(&text));
	}
	buf_free(&text);
}

void cell_add_xml(struct buf *out, struct str untrusted)
{
	struct buf text;

	buf_init(&text);
	cell_add_text(&text, untrusted);
	for (size_t i = 0; i < text.n; i++) {
		/* two that XML does not allow are characters like others everywhere else */
		bool banned = i + 2 < text.n && memcmp(text.p + i, "\xef\xbf", 2) == 0 &&
			      ((unsigned char)text.p[i + 2] & 0xfe) == 0xbe;

		if (banned)
			i += 2;
		if (banned)
			buf_add_str(out, STR("\xef\xbf\xbd"));
		else if (text.p[i] == '<')
			buf_add_str(out, STR("&lt;"));
		else if (text.p[i] == '>')
			buf_add_str(out, STR("&gt;"));
		else if (text.p[i] == '&')
			buf_add_str(out, STR("&amp;"));
		else if (text.p[i] == '"')
			buf_add_str(out, STR("&quot;"));
		else
			buf_add_byte(out, text.p[i]);
	}
	buf_free(&text);
}

void cell_add_target(struct buf *out, const struct summary_group *g)
{
	cell_add_text(out, g->provider);
	buf_add_byte(out, ':');
	cell_add_text(out, g->model);
	if (g->thinking.p) {
		buf_add_byte(out, '@');
		cell_add_text(out, g->thinking);
	}
}

/* ---- figures ---- */

/* Whether the text reads as a border that the value lies below, or as 0 though it lies above. */
static bool cell_reads_wrong(const char *text, double v)
{
	static const double borders[] = { 50, 80, 100 };
	double read = strtod(text, NULL);

	for (size_t i = 0; i < COUNT(borders); i++)
		if (v < borders[i] - BORDER_NOISE && read >= borders[i])
			return true;
	return v > BORDER_NOISE && !(read > 0);
}

void cell_add_share(struct buf *out, double share)
{
	char text[48];

	for (int digits = 1; digits <= 9; digits++) {
		snprintf(text, sizeof(text), "%.*f", digits, 100 * share);
		if (!cell_reads_wrong(text, 100 * share))
			break;
	}
	buf_add_str(out, str_from(text));
}

void cell_add_percent(struct buf *out, struct rate r)
{
	if (r.n)
		cell_add_share(out, (double)r.k / (double)r.n);
	else
		buf_add_byte(out, '-');
}

void cell_add_percent_interval(struct buf *out, struct rate r)
{
	cell_add_percent(out, r);
	if (!r.n)
		return;
	buf_add_str(out, STR(" ("));
	cell_add_share(out, r.interval.low);
	buf_add_str(out, STR(EN_DASH));
	cell_add_share(out, r.interval.high);
	buf_add_byte(out, ')');
}

void cell_add_ms(struct buf *out, double ms)
{
	uint64_t seconds;

	if (!isfinite(ms) || ms < 0 || ms > 1e15) {
		buf_add_byte(out, '-');
		return;
	}
	seconds = (uint64_t)(ms / 1000 + 0.5);
	if (ms < 999.5)
		buf_printf(out, "%.0f ms", ms);
	else if (ms < 9995)
		buf_printf(out, "%.2f s", ms / 1000);
	else if (ms < 99950)
		buf_printf(out, "%.1f s", ms / 1000);
	else if (seconds < 3600)
		buf_printf(out, "%llu min %llu s", (unsigned long long)(seconds / 60),
			   (unsigned long long)(seconds % 60));
	else
		buf_printf(out, "%llu h %llu min", (unsigned long long)(seconds / 3600),
			   (unsigned long long)(seconds / 60 % 60));
}

void cell_add_bytes(struct buf *out, int64_t bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	double v = (double)bytes;
	size_t unit = 0;

	if (bytes < 0) {
		buf_add_byte(out, '-');
		return;
	}
	while (v >= 999.95 && unit + 1 < COUNT(units)) {
		v /= 1000;
		unit++;
	}
	buf_printf(out, unit ? "%.1f %s" : "%.0f %s", v, units[unit]);
}

void cell_add_usd(struct buf *out, double usd)
{
	if (!isfinite(usd) || usd < 0)
		buf_add_byte(out, '-');
	else
		buf_printf(out, usd < 1 ? "$%.4f" : "$%.2f", usd);
}

/* ---- words ---- */

/* Nothing of n, or all of n, says less than it seems: up to 3/n may be otherwise. */
static void note_three(struct buf *out, struct rate r)
{
	if (r.n == 0 || (r.k != 0 && r.k != r.n))
		return;
	buf_printf(out, "%s of %llu answers passed; up to %.1f %% may yet%s (rule of three).\n", r.k ? "All" : "None",
		   (unsigned long long)r.n, r.n > 3 ? 300.0 / (double)r.n : 100.0, r.k ? " fail" : "");
}

static void note_calls(struct buf *out, const struct summary_group *g)
{
	if (g->n_unavailable)
		buf_printf(out, "%llu of %llu calls were skipped: nobody was there to ask.\n",
			   (unsigned long long)g->n_unavailable, (unsigned long long)g->n_total);
	if (g->n_auth)
		buf_printf(out, "%llu of %llu calls were refused for want of a valid key.\n",
			   (unsigned long long)g->n_auth, (unsigned long long)g->n_total);
	if (g->pass_of_all.n > g->pass.n) {
		buf_add_str(out, STR("With failed calls counted as failures, "));
		cell_add_percent(out, g->pass_of_all);
		buf_printf(out, " %% of %llu pass; the objective column leaves them out.\n",
			   (unsigned long long)g->pass_of_all.n);
	}
}

static void note_tools(struct buf *out, const struct summary_group *g)
{
	if (g->tools.n == 0)
		return;
	buf_add_str(out, STR("Tools were used in "));
	cell_add_percent(out, g->tools);
	buf_printf(out, " %% of %llu answers that should, with a 95 %% interval of ", (unsigned long long)g->tools.n);
	cell_add_share(out, g->tools.interval.low);
	buf_add_str(out, STR(" to "));
	cell_add_share(out, g->tools.interval.high);
	buf_printf(out, " %%: tier %d", g->tier);
	buf_add_str(out, g->tier_unsure ? STR(", but n too small to separate tiers.\n") : STR(".\n"));
	if (g->tools_of_all.n > g->tools.n) {
		buf_add_str(out, STR("Counting calls that failed, it is "));
		cell_add_percent(out, g->tools_of_all);
		buf_printf(out, " %% of %llu.\n", (unsigned long long)g->tools_of_all.n);
	}
}

/* Told, never dropped. Times are whole milliseconds, which is all that 0.5 says. */
static void note_outliers(struct buf *out, const struct spread *s)
{
	uint64_t far;

	if (s->n < OUTLIERS_FROM || !s->sorted ||
	    fmax(s->sorted[s->n - 1] - s->p50, s->p50 - s->sorted[0]) < OUTLIER_MS)
		return;
	far = stats_outliers(s->sorted, s->n, 0.5);
	if (far == 0)
		return;
	buf_printf(out, "%llu of %llu latencies lie far from the others (modified z-score above 3.5), from ",
		   (unsigned long long)far, (unsigned long long)s->n);
	cell_add_ms(out, s->sorted[0]);
	buf_add_str(out, STR(" to "));
	cell_add_ms(out, s->sorted[s->n - 1]);
	buf_add_str(out, STR(" in all; they count.\n"));
}

static void note_times(struct buf *out, const struct summary_group *g)
{
	const struct spread *s = &g->latency;

	if (s->n && !isfinite(s->p95_interval.low))
		buf_printf(out, "n too small for an interval of p95 and p99: %llu answers, and 72 and 368 are "
			   "needed.\n", (unsigned long long)s->n);
	else if (s->n && !isfinite(s->p99_interval.low))
		buf_printf(out, "n too small for an interval of p99: %llu answers, and 368 are needed.\n",
			   (unsigned long long)s->n);
	note_outliers(out, s);
	/* queues show up here, and nowhere else */
	if (g->waited.n && s->n && g->waited.p95 > 2 * s->p95 && g->waited.p95 - s->p95 > 1000) {
		buf_add_str(out, STR("From the time a call was due, p95 is "));
		cell_add_ms(out, g->waited.p95);
		buf_add_str(out, STR(": calls had to wait for their turn.\n"));
	}
}

static void note_repeats(struct buf *out, const struct summary_group *g)
{
	double one, all;
	uint64_t k = g->repeats, n;

	if (k < 2)
		return;
	n = summary_pass_at(g, k, &one, &all);
	if (n) {
		buf_printf(out, "Of %llu prompts judged %llu times, ", (unsigned long long)n, (unsigned long long)k);
		cell_add_share(out, one);
		buf_add_str(out, STR(" % pass at least once and "));
		cell_add_share(out, all);
		buf_add_str(out, STR(" % every time.\n"));
	}
	/* an error of 0 is not one of nothing: all prompts were alike */
	if (!isfinite(g->pass_mean.se) || !(g->pass_mean.se > 0))
		return;
	buf_add_str(out, STR("Repeats are not independent: clustered by prompt, objective is "));
	cell_add_share(out, g->pass_mean.mean);
	buf_add_str(out, STR(" % with a 95 % interval of "));
	cell_add_share(out, fmax(0, g->pass_mean.interval.low));
	buf_add_str(out, STR(" to "));
	cell_add_share(out, fmin(1, g->pass_mean.interval.high));
	buf_add_str(out, STR(" %.\n"));
}

void cell_add_notes(struct buf *out, const struct summary_group *g)
{
	note_calls(out, g);
	note_three(out, g->pass);
	note_tools(out, g);
	note_times(out, g);
	note_repeats(out, g);
	if (isfinite(g->usd)) {
		buf_add_str(out, g->usd_estimated ? STR("Cost, from a table of prices: ") : STR("Cost: "));
		cell_add_usd(out, g->usd);
		buf_printf(out, " for %llu of %llu calls.\n", (unsigned long long)g->usd_rows,
			   (unsigned long long)g->n_total);
	}
}

void cell_add_run_notes(struct buf *out, const struct summary *s)
{
	if (s->bottleneck)
		buf_add_str(out, STR("The client itself was the bottleneck: the times are longer than the models "
				     "needed. Run it again with fewer calls at once, or on a machine with "
				     "less to do.\n"));
	if (s->skipped)
		buf_printf(out, "%llu lines of results.jsonl could not be read and are left out.\n",
			   (unsigned long long)s->skipped);
	if (s->repeated)
		buf_printf(out, "%llu rows of results.jsonl are repeated: of rows of one target, prompt and repetition "
			   "the first counts.\n", (unsigned long long)s->repeated);
	buf_printf(out, "Intervals are of 95 %%: %s for rates, order statistics for percentiles, which are linear "
		   "(type 7).\n", s->method == RATE_EXACT ? "Clopper and Pearson's" :
		   s->method == RATE_JEFFREYS ? "Jeffreys'" : "Wilson's");
}

/* ---- prompts ---- */

static int summary_cells_by_order(const void *a, const void *b)
{
	const struct cell_violation *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

struct cell_violation *cell_violations(const struct summary *s, size_t *count)
{
	struct arena a;
	struct map order;
	struct buf list;
	bool added;

	arena_init(&a);
	map_init(&order, &a);
	buf_init(&list);
	for (size_t i = 0; i < s->count; i++) {
		for (size_t k = 0; k < s->groups[i].prompt_count; k++) {
			const struct summary_prompt *p = &s->groups[i].prompts[k];
			uint64_t *at = map_add(&order, p->id, &added);
			struct cell_violation v = { .group = i, .prompt = p };

			if (added)
				*at = order.count;
			v.order = (size_t)*at;
			if (p->violations || p->passed < p->judged)
				buf_add(&list, &v, sizeof(v));
		}
	}
	arena_free(&a);
	*count = list.n / sizeof(struct cell_violation);
	if (*count)
		qsort(list.p, *count, sizeof(struct cell_violation), summary_cells_by_order);
	return (struct cell_violation *)(void *)list.p;
}
