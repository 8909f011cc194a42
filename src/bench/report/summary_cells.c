/*
 * Rounds figures so that they do not cross a border that they are judged by, and writes the notes that stand below the
 * tables.
 */
#include "bench/report/summary_cells.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/map.h"
#include "base/mask.h"
#include "base/utf8.h"
#include "json/write.h"

#define EN_DASH "\xe2\x80\x93"
#define GOT_MAX 120 /* bytes of an answer beside its violation; SUMMARY_ANSWER_LEAST is more */
#define BORDER_NOISE 1e-8 /* percent: what is nearer to a border is on it, and a matter of rounding */
#define OUTLIERS_FROM 5 /* latencies: of fewer none can be told to be far from the others */
#define OUTLIER_MS 200  /* from the median: what is nearer nobody has to be warned of */

/* ---- texts ---- */

const char *cell_target(struct arena *a, const struct summary_group *g)
{
	return arena_printf(a, "%s:%s%s%s", cell_text(a, g->provider), cell_text(a, g->model), g->thinking.p ? "@" : "",
			    cell_text(a, g->thinking)).p;
}

struct str cell_got(struct arena *a, struct str answer)
{
	struct buf shown, out;

	buf_init(&shown);
	buf_init(&out);
	mask_show(&shown, answer, GOT_MAX);
	buf_add_str(&out, STR("got="));
	json_write_quoted(&out, buf_str(&shown));
	buf_free(&shown);
	return arena_take(a, &out);
}

struct str cell_violation(struct arena *a, struct str text, size_t most)
{
	struct str cut = utf8_cut(text, most);
	struct buf shown;

	if (!text.p)
		return text;
	buf_init(&shown);
	mask_text(&shown, cut, cut.n < text.n ? MASK_CUT : 0, NULL, NULL);
	return arena_take(a, &shown);
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

struct cell cell_share(double share)
{
	struct cell f;

	for (int digits = 1; digits <= 9; digits++) {
		f = cell_printf("%.*f", digits, 100 * share);
		if (!cell_reads_wrong(f.text, 100 * share))
			break;
	}
	return f;
}

struct cell cell_percent(struct rate r)
{
	return r.n ? cell_share((double)r.k / (double)r.n) : cell_printf("-");
}

struct cell cell_percent_interval(struct rate r)
{
	if (!r.n)
		return cell_printf("-");
	return cell_printf("%s (%s" EN_DASH "%s)", cell_percent(r).text, cell_share(r.interval.low).text,
			     cell_share(r.interval.high).text);
}

struct cell cell_ms(double ms)
{
	uint64_t seconds;

	if (!isfinite(ms) || ms < 0 || ms > 1e15)
		return cell_printf("-");
	seconds = (uint64_t)(ms / 1000 + 0.5);
	if (ms < 999.5)
		return cell_printf("%.0f ms", ms);
	if (ms < 99950)
		return cell_printf("%.*f s", ms < 9995 ? 2 : 1, ms / 1000);
	if (seconds < 3600)
		return cell_printf("%" PRIu64 " min %" PRIu64 " s", seconds / 60, seconds % 60);
	return cell_printf("%" PRIu64 " h %" PRIu64 " min", seconds / 3600, seconds / 60 % 60);
}

struct cell cell_bytes(int64_t bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	double v = (double)bytes;
	size_t unit = 0;

	if (bytes < 0)
		return cell_printf("-");
	for (; v >= 999.95 && unit + 1 < COUNT(units); unit++)
		v /= 1000;
	return cell_printf(unit ? "%.1f %s" : "%.0f %s", v, units[unit]);
}

struct cell cell_usd(double usd)
{
	if (!isfinite(usd) || usd < 0)
		return cell_printf("-");
	return cell_printf(usd < 1 ? "$%.4f" : usd < 1e15 ? "$%.2f" : "$%.3g", usd);
}

/* ---- words ---- */

/* Nothing of n, or all of n, says less than it seems: up to 3/n may be otherwise. */
static void note_three(struct buf *out, struct rate r)
{
	if (r.n == 0 || (r.k != 0 && r.k != r.n))
		return;
	buf_printf(out, "%s of %" PRIu64 " answers passed; up to %.1f %% may yet%s (rule of three).\n",
		   r.k ? "All" : "None", r.n, r.n > 3 ? 300.0 / (double)r.n : 100.0, r.k ? " fail" : "");
}

/* Calls that came to nothing are not the model's fault, but the reader must know how many were left out. */
static void note_calls(struct buf *out, const struct summary_group *g)
{
	if (g->n_unavailable)
		buf_printf(out, "%" PRIu64 " of %" PRIu64 " calls were skipped: nobody was there to ask.\n",
			   g->n_unavailable, g->n_total);
	if (g->n_auth)
		buf_printf(out, "%" PRIu64 " of %" PRIu64 " calls were refused for want of a valid key.\n", g->n_auth,
			   g->n_total);
	if (g->pass_of_all.n > g->pass.n)
		buf_printf(out, "With failed calls counted as failures, %s %% of %" PRIu64
			   " pass; the objective column leaves them out.\n", cell_percent(g->pass_of_all).text,
			   g->pass_of_all.n);
}

/* The tier with the interval that it rests on; nothing for a suite without tools. */
static void note_tools(struct buf *out, const struct summary_group *g)
{
	if (g->tools.n == 0)
		return;
	buf_printf(out, "Tools were used in %s %% of %" PRIu64 " answers that should, with a 95 %% interval of %s to "
		   "%s %%: tier "
		   "%d%s.\n", cell_percent(g->tools).text, g->tools.n, cell_share(g->tools.interval.low).text,
		   cell_share(g->tools.interval.high).text, g->tier,
		   g->tier_unsure ? ", but n too small to separate tiers" : "");
	if (g->tools_of_all.n > g->tools.n)
		buf_printf(out, "Counting calls that failed, it is %s %% of %" PRIu64 ".\n",
			   cell_percent(g->tools_of_all).text, g->tools_of_all.n);
}

/* Told, never dropped. Times are whole milliseconds, which is all that 0.5 says. */
static void note_outliers(struct buf *out, const struct spread *s)
{
	uint64_t far;

	if (s->n < OUTLIERS_FROM || !s->sorted ||
	    fmax(s->sorted[s->n - 1] - s->p50, s->p50 - s->sorted[0]) < OUTLIER_MS)
		return;
	far = stats_outliers(s->sorted, s->n, 0.5);
	if (far)
		buf_printf(out, "%" PRIu64 " of %" PRIu64 " latencies lie far from the others (modified z-score above "
			   "3.5), from %s to %s in all; they count.\n", far, s->n, cell_ms(s->sorted[0]).text,
			   cell_ms(s->sorted[s->n - 1]).text);
}

/*
 * 72 and 368 are the least n at which order statistics give a 95 % interval of p95 and of p99. Waiting is told when it
 * doubles p95 and costs more than a second.
 */
static void note_times(struct buf *out, const struct summary_group *g)
{
	const struct spread *s = &g->latency;

	if (s->n && !isfinite(s->p95_interval.low))
		buf_printf(out, "n too small for an interval of p95 and p99: %" PRIu64 " answers, and 72 and 368 are "
			   "needed.\n", s->n);
	else if (s->n && !isfinite(s->p99_interval.low))
		buf_printf(out, "n too small for an interval of p99: %" PRIu64 " answers, and 368 are needed.\n", s->n);
	note_outliers(out, s);
	/* queues show up here, and nowhere else */
	if (g->waited.n && s->n && g->waited.p95 > 2 * s->p95 && g->waited.p95 - s->p95 > 1000)
		buf_printf(out, "From the time a call was due, p95 is %s: calls had to wait for their turn.\n",
			   cell_ms(g->waited.p95).text);
}

/* pass@k for k = all repeats, and the interval that does not take repeats for independent answers. */
static void note_repeats(struct buf *out, const struct summary_group *g)
{
	double one, all;
	uint64_t k = g->repeats, n = k < 2 ? 0 : summary_pass_at(g, k, &one, &all);

	if (n)
		buf_printf(out, "Of %" PRIu64 " prompts judged %" PRIu64 " times, %s %% pass at least once and %s %% "
			   "every time.\n", n, k, cell_share(one).text, cell_share(all).text);
	/* an error of 0 is not one of nothing: all prompts were alike */
	if (k >= 2 && isfinite(g->pass_mean.se) && g->pass_mean.se > 0)
		buf_printf(out, "Repeats are not independent: clustered by prompt, objective is %s %% with a 95 %% "
			   "interval of %s to %s %%.\n", cell_share(g->pass_mean.mean).text,
			   cell_share(fmax(0, g->pass_mean.interval.low)).text,
			   cell_share(fmin(1, g->pass_mean.interval.high)).text);
}

void cell_add_unpriced(struct buf *out, const struct summary_group *g, bool md)
{
	struct arena a;

	arena_init(&a);
	buf_printf(out, "%s: no price for %s (%" PRIu64 " of %" PRIu64 " calls)",
		   g->usd_rows ? "of a part only" : "not known", md ? cell_md(&a, g->model) : cell_text(&a, g->model),
		   g->unpriced, g->n_total);
	arena_free(&a);
}

void cell_add_notes(struct buf *out, const struct summary_group *g)
{
	note_calls(out, g);
	note_three(out, g->pass);
	note_tools(out, g);
	note_times(out, g);
	note_repeats(out, g);
	if (isfinite(g->usd))
		buf_printf(out, "Cost%s: %s for %" PRIu64 " of %" PRIu64 " calls.\n",
			   g->usd_estimated ? ", from a table of prices" : "", cell_usd(g->usd).text, g->usd_rows,
			   g->n_total);
	if (g->unpriced) {
		buf_add_str(out, STR("Cost "));
		cell_add_unpriced(out, g, true);
		buf_add_str(out, STR(".\n"));
	}
}

void cell_add_run_notes(struct buf *out, const struct summary *s)
{
	if (s->bottleneck)
		buf_add_str(out, STR("The client itself was the bottleneck: the times are longer than the models "
				     "needed. Run it again with fewer calls at once, or on a machine with "
				     "less to do.\n"));
	if (s->skipped)
		buf_printf(out, "%" PRIu64 " lines of results.jsonl could not be read and are left out.\n", s->skipped);
	if (s->repeated)
		buf_printf(out, "%" PRIu64 " rows of results.jsonl are repeated: of rows of one target, prompt and "
			   "repetition the first counts.\n", s->repeated);
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
