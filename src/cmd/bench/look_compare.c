/* A comparison for people, and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/report/summary_cells.h"
#include "cmd/bench/look.h"
#include "cmd/frame/field.h"
#include "cmd/frame/opt.h"
#include "cmd/screen/wrap.h"
#include "json/put.h"

#define FEW 200   /* prompts below which the interval of a difference is called rough */
#define LISTED 12 /* prompts of one side only that are named */

const char *const bench_compare_fields[] = {
	"a", "b", "level", "tests", "correction", "resamples", "generator", "seed", "warnings", "pairs", NULL,
};

static bool is_rate(const struct compare_test *t)
{
	return t->metric == COMPARE_PASS || t->metric == COMPARE_TOOLS;
}

/* ---- for people ---- */

/* In the metric's unit: points of percent, dollars or milliseconds. */
static void add_amount(struct buf *out, const struct compare_test *t, double v)
{
	if (is_rate(t))
		buf_printf(out, "%.1fpp", 100 * v);
	else if (t->metric == COMPARE_COST)
		buf_printf(out, "%.6f usd", v);
	else
		buf_printf(out, "%.0f ms", v);
}

/* Rates have an interval; of times and costs the mean alone is shown, since the median decides there. */
static void add_mean(struct buf *out, const struct compare_test *t, const char *side, const struct stats_mean *m,
		     struct interval i)
{
	if (!is_rate(t)) {
		buf_printf(out, "%s mean ", side);
		add_amount(out, t, m->mean);
		return;
	}
	buf_printf(out, "%s %s%% ", side, cell_share(m->mean).text);
	bench_look_interval(out, i);
}

static void bench_look_compare_add_size(struct buf *out, const struct compare_test *t)
{
	buf_printf(out, "  n=%" PRIu64, t->prompts);
	if (t->repeats && t->pairs % t->prompts == 0)
		buf_printf(out, "\xc3\x97%" PRIu64, t->pairs / t->prompts);
	else if (t->repeats)
		buf_printf(out, " (%" PRIu64 " attempts)", t->pairs);
}

/* Which test gave p: the exact one for one attempt at each prompt, a permutation with repeats. */
static void add_tests(struct buf *out, const struct compare_test *t)
{
	if (!isnan(t->mcnemar)) {
		buf_add_str(out, STR("exact McNemar p"));
		compare_add_p(out, t->mcnemar);
		buf_add_str(out, STR(", mid-p"));
		compare_add_p(out, t->mid_p);
	} else {
		buf_add_str(out, STR("sign-flip permutation p"));
		compare_add_p(out, t->permutation);
	}
	if (!isnan(t->bootstrap.low))
		buf_printf(out, ", cluster bootstrap [%+.1f, %+.1f]", 100 * t->bootstrap.low, 100 * t->bootstrap.high);
	if (t->metric == COMPARE_COST)
		buf_printf(out, ", %+.6f usd in all", t->sum);
}

/* Whoever sees a small p beside these words must be told why they stand there. */
static void add_nothing_shown(struct buf *out, const struct compare_test *t, size_t family)
{
	buf_add_str(out, STR("no difference shown"));
	if (t->reason == COMPARE_CORRECTION) {
		buf_add_str(out, STR(" (p"));
		compare_add_p(out, t->p);
		buf_printf(out, " alone, but over %zu tests Holm's p", family);
		compare_add_p(out, t->holm);
		buf_add_str(out, STR(" decides)"));
	} else if (t->reason == COMPARE_DIRECTIONS) {
		buf_add_str(out, STR(" (Holm p"));
		compare_add_p(out, t->holm);
		buf_add_str(out, STR(", but the mean and the median of the differences have opposite signs: a few "
				     "prompts decide it)"));
	}
}

/* No difference shown is not the same as none, so the sentence says how large one must be to show. */
static void add_no_difference(struct buf *out, const struct compare_test *t, size_t family)
{
	add_nothing_shown(out, t, family);
	if (isnan(t->detectable) || t->reason == COMPARE_DIRECTIONS)
		return;
	if (!(t->difference.se > 0)) {
		buf_printf(out, ": all %" PRIu64 " prompts are alike; up to %.1f %% may still differ (rule of three)",
			   t->prompts, 100 * t->detectable);
		return;
	}
	if (is_rate(t) && t->detectable > 1) {
		buf_printf(out, "; %" PRIu64 " prompts cannot show any with 80 %% power", t->prompts);
	} else {
		buf_printf(out, "; %" PRIu64 " prompts show one of ", t->prompts);
		add_amount(out, t, t->detectable);
		buf_add_str(out, STR(" or more with 80 % power"));
	}
	if (t->needed > (double)t->prompts)
		buf_printf(out, ", showing the observed one takes about %.0f", t->needed);
}

static const char *const better[] = { "better", "better", "faster", "faster", "cheaper" };

/* "mock:large of runs/monday (A) is faster" */
static void add_better(struct buf *out, const struct compare *c, const struct compare_pair *p,
		       const struct compare_test *t)
{
	bool is_a = t->answer == COMPARE_A_BETTER;

	term_add_text(out, is_a ? p->a : p->b);
	if (str_eq(p->a, p->b)) {
		buf_add_str(out, STR(" of "));
		term_add_text(out, is_a ? c->a.path : c->b.path);
	}
	buf_printf(out, " (%s) is %s", is_a ? "A" : "B", better[t->metric]);
}

/* The verdict in words. It names A or B; the lines above say which target that is. */
static void add_answer(struct buf *out, const struct compare_test *t, size_t family)
{
	switch (t->answer) {
	case COMPARE_NOT_ENOUGH:
		buf_printf(out, "not enough data: %" PRIu64 " prompt%s cannot show a difference; at least 6 are "
			   "needed", t->prompts, t->prompts == 1 ? "" : "s");
		return;
	case COMPARE_NO_DIFFERENCE:
		add_no_difference(out, t, family);
		return;
	case COMPARE_A_BETTER:
	case COMPARE_B_BETTER:
		buf_printf(out, "%s is %s", t->answer == COMPARE_A_BETTER ? "A" : "B", better[t->metric]);
	}
}

/* A line of its own, broken where the screen ends. */
static void bench_look_compare_add_wrapped(struct buf *out, struct buf *words, size_t indent,
					   const struct term *term)
{
	wrap_add_spaces(out, indent);
	wrap_add_words(out, buf_str(words), indent, indent, term->width);
	buf_add_byte(out, '\n');
	buf_clear(words);
}

/* One metric of a pair: the answer first, then the figures it rests on. */
static void add_test(struct buf *out, const struct compare_test *t, size_t family, const struct term *term)
{
	struct buf words;

	buf_init(&words);
	buf_printf(out, "\n  %s%s%s%s\n", term_style(term->color, STYLE_BOLD), compare_metric_name(t->metric),
		   t->errors_fail ? ", errors as failures" : "", term_style(term->color, STYLE_PLAIN));
	add_answer(&words, t, family);
	bench_look_compare_add_wrapped(out, &words, 4, term);
	if (t->pairs) {
		add_mean(&words, t, "A", &t->a, t->a_interval);
		buf_add_str(&words, STR("  "));
		add_mean(&words, t, "B", &t->b, t->b_interval);
		bench_look_compare_add_size(&words, t);
		bench_look_compare_add_wrapped(out, &words, 4, term);
		if (is_rate(t))
			buf_printf(out, "    both %" PRIu64 ", only A %" PRIu64 ", only B %" PRIu64 ", neither %" PRIu64
				   "\n", t->both, t->only_a, t->only_b, t->neither);
		compare_add_line(&words, t);
		bench_look_compare_add_wrapped(out, &words, 4, term);
		add_tests(&words, t);
		bench_look_compare_add_wrapped(out, &words, 4, term);
	}
	buf_free(&words);
}

/* Names that only one side has, at most LISTED of them; nothing for none. */
static void add_list(struct buf *out, const char *what, const struct str *texts, size_t count, size_t indent,
		     const struct term *term)
{
	struct buf words;

	if (count == 0)
		return;
	buf_init(&words);
	buf_add_str(&words, str_from(what));
	for (size_t i = 0; i < count && i < LISTED; i++) {
		buf_add_str(&words, i ? STR(", ") : STR(": "));
		term_add_text(&words, texts[i]);
	}
	if (count > LISTED)
		buf_printf(&words, " and %zu more (--json lists all)", count - LISTED);
	buf_add_byte(out, '\n');
	bench_look_compare_add_wrapped(out, &words, indent, term);
	buf_free(&words);
}

/* Two targets that are compared, and the rows that found no partner. */
static void add_pair(struct buf *out, const struct compare *c, const struct compare_pair *p, const struct term *term)
{
	buf_add_byte(out, '\n');
	term_add_text(out, p->a);
	if (!str_eq(p->a, p->b)) {
		buf_add_str(out, STR(" (A) against "));
		term_add_text(out, p->b);
		buf_add_str(out, STR(" (B)"));
	}
	buf_printf(out, ": %" PRIu64 " pairs", p->pairs);
	if (p->rows_a != p->pairs || p->rows_b != p->pairs)
		buf_printf(out, " of %" PRIu64 " rows of A and %" PRIu64 " of B", p->rows_a, p->rows_b);
	if (p->failed_a || p->failed_b)
		buf_printf(out, "; calls that failed: A %" PRIu64 ", B %" PRIu64, p->failed_a, p->failed_b);
	buf_add_byte(out, '\n');
	for (size_t i = 0; i < p->test_count; i++)
		add_test(out, &p->tests[i], c->family, term);
	add_list(out, "prompts only in A", p->only_a, p->only_a_count, 2, term);
	add_list(out, "prompts only in B", p->only_b, p->only_b_count, 2, term);
}

static void add_side(struct buf *out, const char *name, const struct compare_side *s)
{
	buf_printf(out, "%s  ", name);
	term_add_text(out, s->path);
	buf_printf(out, "  (%" PRIu64 " rows", s->rows);
	if (s->has_config && s->config.rescored_from.p) {
		buf_add_str(out, STR(", rescored from "));
		term_add_text(out, s->config.rescored_from);
	}
	buf_add_str(out, STR(")\n"));
}

/*
 * How the figures were made: the correction, when intervals are rough, and the seed when chance had a part in them.
 */
static void add_end(struct buf *out, const struct compare *c, const struct term *term)
{
	struct buf words;
	bool few = false, random = false;

	for (size_t i = 0; i < c->count; i++) {
		for (size_t j = 0; j < c->pairs[i].test_count; j++) {
			const struct compare_test *t = &c->pairs[i].tests[j];

			few = few || (is_rate(t) && t->prompts < FEW);
			random = random || !isnan(t->permutation);
		}
	}
	buf_init(&words);
	buf_printf(&words, "p values are Holm-corrected over %zu test%s. Intervals are 95%%.",
		   c->family, c->family == 1 ? "" : "s");
	if (few)
		buf_add_str(&words, STR(" Below a few hundred prompts the interval of a difference (Student's t) is "
					"rough: the tests decide."));
	if (random)
		buf_printf(&words, " Random numbers: xoshiro256**, seed %016" PRIx64 " (from the rows), "
			   "%d resamples.", c->seed,
			   STATS_RESAMPLES);
	buf_add_byte(out, '\n');
	bench_look_compare_add_wrapped(out, &words, 0, term);
	buf_free(&words);
}

/* What it all comes to, a line for each test, before any figure. */
static void add_verdicts(struct buf *out, const struct compare *c, const struct term *term)
{
	struct buf words;

	buf_init(&words);
	for (size_t i = 0; i < c->count; i++) {
		const struct compare_pair *p = &c->pairs[i];

		for (size_t j = 0; j < p->test_count; j++) {
			const struct compare_test *t = &p->tests[j];

			if (c->count > 1) {
				term_add_text(&words, p->a);
				buf_add_str(&words, STR(", "));
			}
			buf_printf(&words, "%s%s: ", compare_metric_name(t->metric),
				   t->errors_fail ? ", errors as failures" : "");
			if (t->answer == COMPARE_NOT_ENOUGH)
				buf_add_str(&words, STR("not enough data"));
			else if (t->answer == COMPARE_NO_DIFFERENCE)
				add_nothing_shown(&words, t, c->family);
			else
				add_better(&words, c, p, t);
			wrap_add_words(out, buf_str(&words), 0, 2, term->width);
			buf_add_byte(out, '\n');
			buf_clear(&words);
		}
	}
	buf_add_byte(out, '\n');
	buf_free(&words);
}

void bench_compare_show(struct buf *out, const struct compare *c, const struct term *term)
{
	add_verdicts(out, c, term);
	add_side(out, "A", &c->a);
	add_side(out, "B", &c->b);
	for (size_t i = 0; i < c->count; i++)
		add_pair(out, c, &c->pairs[i], term);
	add_list(out, "targets only in A", c->a.alone, c->a.alone_count, 0, term);
	add_list(out, "targets only in B", c->b.alone, c->b.alone_count, 0, term);
	add_end(out, c, term);
}

/* ---- JSON ---- */

/* One of the runs. What only its config.json knows is null without one. */
static void write_side(struct json_writer *w, const char *name, const struct compare_side *s)
{
	const struct config *c = s->has_config ? &s->config : NULL;
	const struct str none = { NULL, 0 };

	json_put_object(w, name);
	json_put_text_or_null(w, "path", s->path);
	json_put_text_or_null(w, "run_id", s->run_id);
	json_put_u64(w, "rows", s->rows);
	json_put_u64(w, "rows_replaced", s->repeated);
	json_put_u64(w, "lines_skipped", s->skipped);
	json_put_text_or_null(w, "suite_digest", c ? c->suite_digest : none);
	json_put_text_or_null(w, "detector",
			      c ? c->detector == DETECT_REFERENCE ? STR("reference") : STR("default") : none);
	json_put_text_or_null(w, "rescored_from", c ? c->rescored_from : none);
	json_put_texts(w, "targets_alone", s->alone, s->alone_count);
	json_write_end_object(w);
}

static void write_mean(struct json_writer *w, const char *name, const struct stats_mean *m, struct interval i)
{
	json_put_object(w, name);
	json_put_double(w, "mean", m->mean);
	json_put_double(w, "se", m->se);
	stats_put_interval(w, "interval", i);
	json_write_end_object(w);
}

/* Counts for rates, medians for times and costs; figures that a test does not have are null. */
static void write_figures(struct json_writer *w, const struct compare_test *t)
{
	if (is_rate(t)) {
		json_put_u64(w, "both", t->both);
		json_put_u64(w, "only_a", t->only_a);
		json_put_u64(w, "only_b", t->only_b);
		json_put_u64(w, "neither", t->neither);
	} else {
		json_put_double(w, "median", t->median);
		stats_put_interval(w, "median_interval", t->median_interval);
		json_put_double(w, "sum", t->sum);
	}
	write_mean(w, "a", &t->a, t->a_interval);
	write_mean(w, "b", &t->b, t->b_interval);
	write_mean(w, "difference", &t->difference, t->difference.interval);
	stats_put_interval(w, "bootstrap_interval", t->bootstrap);
	json_put_double(w, "mcnemar_p", t->mcnemar);
	json_put_double(w, "mcnemar_mid_p", t->mid_p);
	json_put_double(w, "permutation_p", t->permutation);
	json_put_double(w, "p", t->p);
	json_put_double(w, "holm_p", t->holm);
	json_put_double(w, "detectable", t->detectable);
	json_put_double(w, "needed_prompts", t->needed);
}

/* One metric of a pair, with the same line as in the text. */
static void write_test(struct json_writer *w, const struct compare_pair *p, const struct compare_test *t)
{
	static const char *const answers[] = { "not_enough_data", "no_difference_shown", "a_better", "b_better" };
	static const char *const reasons[] = { NULL, "correction", "directions_differ" };
	const struct str none = { NULL, 0 };
	struct buf line;

	buf_init(&line);
	compare_add_line(&line, t);
	json_write_begin_object(w);
	json_put_word(w, "metric", compare_metric_name(t->metric));
	json_put_word(w, "unit", is_rate(t) ? "share" : t->metric == COMPARE_COST ? "usd" : "ms");
	json_put_word(w, "errors", t->errors_fail ? "as_failures" : "excluded");
	json_put_u64(w, "pairs", t->pairs);
	json_put_u64(w, "prompts", t->prompts);
	json_put_bool(w, "clustered", t->repeats);
	write_figures(w, t);
	json_put_word(w, "answer", answers[t->answer]);
	json_put_word(w, "reason", reasons[t->reason]);
	json_put_text_or_null(w, "better",
			      t->answer == COMPARE_A_BETTER ? p->a : t->answer == COMPARE_B_BETTER ? p->b : none);
	json_put_text_or_null(w, "line", buf_str(&line));
	json_write_end_object(w);
	buf_free(&line);
}

/* All names are listed, also those that the text leaves out. */
static void write_pair(struct json_writer *w, const struct compare_pair *p)
{
	json_write_begin_object(w);
	json_put_text_or_null(w, "a", p->a);
	json_put_text_or_null(w, "b", p->b);
	json_put_u64(w, "pairs", p->pairs);
	json_put_u64(w, "rows_a", p->rows_a);
	json_put_u64(w, "rows_b", p->rows_b);
	json_put_u64(w, "failed_a", p->failed_a);
	json_put_u64(w, "failed_b", p->failed_b);
	json_put_texts(w, "only_a", p->only_a, p->only_a_count);
	json_put_texts(w, "only_b", p->only_b, p->only_b_count);
	json_put_array(w, "tests");
	for (size_t i = 0; i < p->test_count; i++)
		write_test(w, p, &p->tests[i]);
	json_write_end_array(w);
	json_write_end_object(w);
}

/* Whoever wants to repeat the figures needs all of these. */
static void write_method(struct json_writer *w, const struct compare *c, struct opt_maybe selected)
{
	char seed[17];

	snprintf(seed, sizeof(seed), "%016" PRIx64, c->seed);
	field_put_double(w, selected, "level", 0.95);
	field_put_u64(w, selected, "tests", c->family);
	field_put_text(w, selected, "correction", STR("holm"));
	field_put_u64(w, selected, "resamples", STATS_RESAMPLES);
	field_put_text(w, selected, "generator", STR("xoshiro256**"));
	field_put_word(w, selected, "seed", seed);
	if (opt_has_field(selected, STR("warnings")))
		json_put_texts(w, "warnings", c->warnings, c->warning_count);
}

void bench_compare_write_json(struct buf *out, const struct compare *c, struct opt_maybe selected)
{
	struct json_writer w;

	field_begin_document(&w, out, JSON_PRETTY, "bench-compare");
	if (opt_has_field(selected, STR("a")))
		write_side(&w, "a", &c->a);
	if (opt_has_field(selected, STR("b")))
		write_side(&w, "b", &c->b);
	write_method(&w, c, selected);
	if (opt_has_field(selected, STR("pairs"))) {
		json_put_array(&w, "pairs");
		for (size_t i = 0; i < c->count; i++)
			write_pair(&w, &c->pairs[i]);
		json_write_end_array(&w);
	}
	field_end_document(&w);
}
