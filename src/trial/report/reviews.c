/* The queue and the status as documents; agreement is computed over the trials that count. */
#include "trial/report/reviews.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "transform/agreement.h"

#define REVIEWERS_MAX 40 /* whose pairs are shown */
#define RESAMPLES 2000

static bool reviews_counts(const struct doc_source *s, size_t trial)
{
	return s->tally->trials[trial].standing == s->about;
}

/* ---- queue ---- */

struct queue_item {
	uint32_t key[5]; /* what decides the order: see queue_list */
	size_t trial;
};

static int queue_compare(const void *a, const void *b)
{
	const struct queue_item *x = a, *y = b;

	for (int i = 0; i < 5; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return 0;
}

/* Trials of which the reviewer has said anything. */
static bool *queue_find_seen(const struct doc_source *s, struct str reviewer)
{
	bool *seen = arena_array(s->tally->arena, bool, s->tally->count + 1);

	for (size_t i = 0; reviewer.p && i < s->tally->review_count; i++)
		if (str_eq(reviewer, s->tally->names[s->tally->reviews[i].reviewer]))
			seen[s->tally->reviews[i].trial] = true;
	return seen;
}

static size_t queue_list(const struct doc_source *s, const struct reviews_queue *q, struct queue_item *items)
{
	const bool *seen = queue_find_seen(s, q->reviewer);
	const struct tally *t = s->tally;
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct trial_fact *f = &t->trials[i];
		const struct judged *j = &s->judging.trials[i];
		bool dispute = judged_is_open(j) && !q->blind;
		uint32_t missing = j->judging < q->want ? q->want - j->judging : 0;

		if (!reviews_counts(s, i) || seen[i] || j->is_adjudicated || (!dispute && !missing))
			continue;
		items[n++] = (struct queue_item){
			.key = { !dispute, dispute ? 0 : missing, t->ranks[f->names[NAME_EXPERIMENT]],
				 t->ranks[f->names[NAME_TASK]], t->ranks[f->names[NAME_TRIAL]] },
			.trial = i,
		};
	}
	if (n)
		qsort(items, n, sizeof(*items), queue_compare);
	return n;
}

static const struct sheet_column queue_columns[] = {
	{ "trial_id", "trial", SHEET_TEXT, 0 },
	{ "experiment_id", "experiment", SHEET_TEXT, 0 },
	{ "task_id", "task", SHEET_TEXT, 0 },
	{ "needs", "needs", SHEET_TEXT, 0 },
	{ "annotations_missing", "missing", SHEET_COUNT, 0 },
	/* not of the blind: */
	{ "model", "model", SHEET_TEXT, 0 },
	{ "reward", "reward", SHEET_NUMBER, 0 },
	{ "pass", "pass", SHEET_COUNT, 0 },
	{ "fail", "fail", SHEET_COUNT, 0 },
};

#define QUEUE_BLIND 5 /* of the columns */

static void queue_put(struct sheet *x, const struct doc_source *s, const struct reviews_queue *q, size_t trial)
{
	const struct trial_fact *f = &s->tally->trials[trial];
	const struct judged *j = &s->judging.trials[trial];

	sheet_add_text(x, tally_name(s->tally, f, NAME_TRIAL));
	sheet_add_text(x, tally_name(s->tally, f, NAME_EXPERIMENT));
	sheet_add_text(x, tally_name(s->tally, f, NAME_TASK));
	sheet_add_text(x, judged_is_open(j) && !q->blind ? STR("adjudication") : STR("annotation"));
	sheet_add_number(x, j->judging < q->want ? q->want - j->judging : 0);
	if (q->blind)
		return;
	sheet_add_text(x, tally_name(s->tally, f, NAME_MODEL));
	sheet_add_number(x, f->has_reward ? f->reward : NAN);
	sheet_add_number(x, j->pass);
	sheet_add_number(x, j->fail);
}

struct doc reviews_make_queue(const struct doc_source *s, const struct reviews_queue *q)
{
	static const struct sheet_column total[] = {
		{ "waiting", "waiting", SHEET_COUNT, 0 }, { "shown", "shown", SHEET_COUNT, 0 },
		{ "wanted", "annotations wanted", SHEET_COUNT, 0 }, { "reviewer", "reviewer", SHEET_TEXT, 0 },
	};
	struct doc d = { .schema = "report-queue", .title = "Review queue" };
	struct arena *a = s->tally->arena;
	struct sheet x = sheet_begin(a, "trials", queue_columns, q->blind ? QUEUE_BLIND : COUNT(queue_columns));
	struct sheet sum = sheet_begin(a, "queue", total, COUNT(total));
	struct queue_item *items = mem_alloc((s->tally->count + 1) * sizeof(*items));
	size_t n = queue_list(s, q, items), shown = q->limit && q->limit < n ? q->limit : n;

	x.empty = "Nothing waits for a review.";
	for (size_t i = 0; i < shown; i++)
		queue_put(&x, s, q, items[i].trial);
	mem_free(items);
	sum.is_single = true;
	sheet_add_number(&sum, (double)n);
	sheet_add_number(&sum, (double)shown);
	sheet_add_number(&sum, q->want);
	sheet_add_text(&sum, q->reviewer);
	doc_add(&d, x);
	doc_add(&d, sum);
	return d;
}

/* ---- agreement ---- */

/* A seed from the ids of the trials that were judged. */
static uint64_t reviews_seed(const struct doc_source *s)
{
	struct str *ids = mem_alloc((s->tally->count + 1) * sizeof(*ids));
	uint64_t seed;
	size_t n = 0;

	for (size_t i = 0; i < s->tally->count; i++)
		if (reviews_counts(s, i) && s->judging.trials[i].judging)
			ids[n++] = tally_name(s->tally, &s->tally->trials[i], NAME_TRIAL);
	seed = tally_seed(ids, n);
	mem_free(ids);
	return seed;
}

static bool reviews_judges(const struct review_fact *r, uint32_t discipline)
{
	return r->judgment <= JUDGMENT_FAIL && (discipline == UINT32_MAX || r->discipline == discipline);
}

/* The judgments of one discipline (UINT32_MAX: of all) on the trials that count and have two or more. */
static size_t reviews_list_units(const struct doc_source *s, uint32_t discipline, struct agreement_unit *units,
				 size_t *judgments)
{
	size_t n = 0;

	*judgments = 0;
	for (size_t i = 0; i < s->tally->count; i++) {
		const struct judged *j = &s->judging.trials[i];
		struct agreement_unit u = { .counts = { 0 } };
		size_t of = 0;

		for (uint32_t k = 0; reviews_counts(s, i) && k < j->count; k++) {
			const struct review_fact *r = &s->judging.annotations[j->first + k];

			if (!reviews_judges(r, discipline))
				continue;
			u.counts[r->judgment]++;
			of++;
		}
		if (of < 2)
			continue;
		*judgments += of;
		units[n++] = u;
	}
	return n;
}

static const struct sheet_column alpha_columns[] = {
	{ "discipline", "discipline", SHEET_TEXT, 0 }, { "trials", "trials of two or more", SHEET_COUNT, 0 },
	{ "judgments", "judgments", SHEET_COUNT, 0 },  { "alpha", "Krippendorff's alpha", SHEET_NUMBER, 0 },
	{ "interval", "95 % interval", SHEET_RANGE, 0 }, { "seed", NULL, SHEET_SEED, 0 },
};

static double reviews_put_alpha(struct sheet *x, const struct doc_source *s, uint32_t discipline, uint64_t seed)
{
	struct agreement_unit *units = mem_alloc((s->tally->count + 1) * sizeof(*units));
	double *scratch = mem_alloc(RESAMPLES * sizeof(*scratch)), alpha;
	size_t judgments, n = reviews_list_units(s, discipline, units, &judgments);
	struct stats_random r;

	stats_random_init(&r, seed);
	alpha = agreement_alpha(units, n);
	sheet_add_text(x, discipline == UINT32_MAX ? STR("all") : s->tally->names[discipline]);
	sheet_add_number(x, (double)n);
	sheet_add_number(x, (double)judgments);
	sheet_add_number(x, alpha);
	sheet_add_range(x, agreement_alpha_interval(units, n, RESAMPLES, &r, scratch));
	sheet_add_seed(x, seed, n > 0);
	mem_free(scratch);
	mem_free(units);
	return alpha;
}

/* Numbers of names that annotations have, each once, in the order of bytes; at most `most` of them. */
static size_t reviews_list_names(const struct doc_source *s, bool reviewers, uint32_t *out, size_t most, size_t *all)
{
	const struct tally *t = s->tally;
	uint32_t *by_rank = mem_alloc((t->name_count + 1) * sizeof(*by_rank));
	size_t n = 0;

	*all = 0;
	memset(by_rank, 0, (t->name_count + 1) * sizeof(*by_rank));
	for (size_t i = 0; i < s->judging.annotation_count; i++) {
		const struct review_fact *r = &s->judging.annotations[i];
		uint32_t name = reviewers ? r->reviewer : r->discipline;

		if (name && reviews_counts(s, r->trial) && r->judgment <= JUDGMENT_FAIL)
			by_rank[t->ranks[name]] = name;
	}
	for (size_t i = 0; i < t->name_count; i++) {
		*all += by_rank[i] != 0;
		if (by_rank[i] && n < most)
			out[n++] = by_rank[i];
	}
	mem_free(by_rank);
	return n;
}

static double reviews_add_alphas(struct doc *d, const struct doc_source *s)
{
	struct sheet x = sheet_begin(s->tally->arena, "agreement", alpha_columns, COUNT(alpha_columns));
	uint32_t names[REVIEWERS_MAX];
	size_t all, n = reviews_list_names(s, false, names, REVIEWERS_MAX, &all);
	uint64_t seed = reviews_seed(s);
	double alpha = reviews_put_alpha(&x, s, UINT32_MAX, seed);

	for (size_t i = 0; i < n; i++)
		reviews_put_alpha(&x, s, names[i], seed);
	x.title = "Agreement";
	doc_add(d, x);
	return alpha;
}

/* ---- pairs of reviewers ---- */

static const struct sheet_column pair_columns[] = {
	{ "a", "reviewer", SHEET_TEXT, 0 },       { "b", "and", SHEET_TEXT, 0 },
	{ "trials", "trials of both", SHEET_COUNT, 0 }, { "agreed", "agreed", SHEET_COUNT, 0 },
	{ "kappa", "Cohen's kappa", SHEET_NUMBER, 0 }, { "interval", "95 % interval", SHEET_RANGE, 0 },
};

/* What the reviewer judged of the trial; JUDGMENT_NONE: nothing. */
static uint8_t reviews_judgment_of(const struct doc_source *s, size_t trial, uint32_t reviewer)
{
	const struct judged *j = &s->judging.trials[trial];

	for (uint32_t k = 0; k < j->count; k++)
		if (s->judging.annotations[j->first + k].reviewer == reviewer)
			return s->judging.annotations[j->first + k].judgment;
	return JUDGMENT_NONE;
}

static void reviews_put_pair(struct sheet *x, const struct doc_source *s, uint32_t a, uint32_t b,
			     struct agreement_pair *pairs, double *scratch)
{
	size_t n = 0, agreed = 0;
	struct stats_random r;

	for (size_t i = 0; i < s->tally->count; i++) {
		struct agreement_pair p;

		if (!reviews_counts(s, i) || s->judging.trials[i].judging < 2)
			continue;
		p = (struct agreement_pair){ reviews_judgment_of(s, i, a), reviews_judgment_of(s, i, b) };
		if (p.a > JUDGMENT_FAIL || p.b > JUDGMENT_FAIL)
			continue;
		agreed += p.a == p.b;
		pairs[n++] = p;
	}
	if (!n)
		return;
	stats_random_init(&r, reviews_seed(s));
	sheet_add_text(x, s->tally->names[a]);
	sheet_add_text(x, s->tally->names[b]);
	sheet_add_number(x, (double)n);
	sheet_add_number(x, (double)agreed);
	sheet_add_number(x, agreement_kappa(pairs, n));
	sheet_add_range(x, agreement_kappa_interval(pairs, n, RESAMPLES, &r, scratch));
}

static void reviews_add_pairs(struct doc *d, const struct doc_source *s)
{
	struct sheet x = sheet_begin(s->tally->arena, "pairs", pair_columns, COUNT(pair_columns));
	struct agreement_pair *pairs = mem_alloc((s->tally->count + 1) * sizeof(*pairs));
	double *scratch = mem_alloc(RESAMPLES * sizeof(*scratch));
	uint32_t names[REVIEWERS_MAX];
	size_t all, n = reviews_list_names(s, true, names, REVIEWERS_MAX, &all);

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			reviews_put_pair(&x, s, names[i], names[k], pairs, scratch);
	x.title = "Pairs of reviewers";
	if (all > n)
		x.title = arena_printf(x.arena, "Pairs of the first %zu of %zu reviewers", n, all).p;
	mem_free(scratch);
	mem_free(pairs);
	doc_add(d, x);
}

/* ---- disagreements ---- */

static void reviews_add_disputes(struct doc *d, const struct doc_source *s)
{
	static const struct sheet_column columns[] = {
		{ "trial_id", "trial", SHEET_TEXT, 0 },    { "experiment_id", "experiment", SHEET_TEXT, 0 },
		{ "pass", "pass", SHEET_COUNT, 0 },        { "fail", "fail", SHEET_COUNT, 0 },
		{ "adjudicated", "adjudicated", SHEET_YES, 0 }, { "verdict", "verdict", SHEET_TEXT, 0 },
	};
	struct sheet x = sheet_begin(s->tally->arena, "disagreements", columns, COUNT(columns));

	x.title = "Disagreements";
	for (size_t i = 0; i < s->tally->count; i++) {
		const struct judged *j = &s->judging.trials[i];

		if (!reviews_counts(s, i) || !j->is_disputed)
			continue;
		sheet_add_text(&x, tally_name(s->tally, &s->tally->trials[i], NAME_TRIAL));
		sheet_add_text(&x, tally_name(s->tally, &s->tally->trials[i], NAME_EXPERIMENT));
		sheet_add_number(&x, j->pass);
		sheet_add_number(&x, j->fail);
		sheet_add_yes(&x, j->is_adjudicated);
		sheet_add_text(&x, j->verdict == JUDGMENT_PASS ? STR("pass") : j->verdict == JUDGMENT_FAIL ?
			       STR("fail") : (struct str){ NULL, 0 });
	}
	doc_add(d, x);
}

/* ---- gates ---- */

static const char *const gate_names[REVIEWS_FIGURES] = { "annotators", "alpha", "open", "complete" };

bool reviews_parse_gate(struct reviews_gate *g, struct str words, struct err *err)
{
	struct str rest, name = words;
	bool known = false, percent;

	*g = (struct reviews_gate){ .words = words };
	for (size_t i = 0; i + 1 < words.n; i++) {
		if (words.p[i + 1] != '=' || (words.p[i] != '>' && words.p[i] != '<'))
			continue;
		name = str_of(words.p, i);
		rest = str_skip(words, i + 2);
		g->at_least = words.p[i] == '>';
		percent = str_ends(rest, STR("%"));
		rest.n -= percent;
		known = num_parse_double(rest, &g->limit) == NUM_OK;
		g->limit /= percent ? 100 : 1;
		break;
	}
	for (int i = 0; known && i < REVIEWS_FIGURES; i++) {
		g->figure = (enum reviews_figure)i;
		if (str_eq(name, str_from(gate_names[i])))
			return true;
	}
	return err_set(err, ERR_USAGE, "'%.*s' is no gate" ERR_HELP
		       "annotators>=2, alpha>=0.8, open<=0 or complete>=95%%", STR_ARG(words));
}

struct reviews_sums {
	double figures[REVIEWS_FIGURES];
	uint64_t trials, counted, attempts, below; /* below: trials with the fewest annotators */
};

static struct reviews_sums reviews_sum(const struct doc_source *s, double alpha)
{
	struct reviews_sums x = { .figures = { NAN, alpha, 0, NAN } };

	for (size_t i = 0; i < s->tally->count; i++) {
		const struct judged *j = &s->judging.trials[i];
		uint8_t standing = s->tally->trials[i].standing;

		x.counted += standing == STANDING_COUNTED;
		x.attempts += standing == STANDING_COUNTED || standing == STANDING_PARTIAL ||
			      standing == STANDING_INFRASTRUCTURE;
		if (!reviews_counts(s, i))
			continue;
		x.trials++;
		x.figures[REVIEWS_OPEN] += judged_is_open(j);
		if (!(x.figures[REVIEWS_ANNOTATORS] <= j->judging)) {
			x.figures[REVIEWS_ANNOTATORS] = j->judging;
			x.below = 0;
		}
		x.below += x.figures[REVIEWS_ANNOTATORS] == j->judging;
	}
	if (!x.trials) /* nothing is ready when nothing is there */
		x.figures[REVIEWS_OPEN] = NAN;
	if (x.attempts)
		x.figures[REVIEWS_COMPLETE] = (double)x.counted / (double)x.attempts;
	return x;
}

static struct str reviews_reason(struct arena *a, const struct reviews_sums *x, const struct reviews_gate *g)
{
	if (isnan(x->figures[g->figure]))
		return g->figure == REVIEWS_ALPHA ? STR("not known: too few judgments, or all the same") :
						    STR("not known: no trial counts");
	switch (g->figure) {
	case REVIEWS_ANNOTATORS:
		return arena_printf(a, "%" PRIu64 " of %" PRIu64 " trials have %.0f", x->below, x->trials,
				    x->figures[g->figure]);
	case REVIEWS_OPEN:
		return arena_printf(a, "disagreements that wait for an adjudication: %.0f",
				    x->figures[g->figure]);
	case REVIEWS_COMPLETE:
		return arena_printf(a, "%" PRIu64 " of %" PRIu64 " attempts count", x->counted, x->attempts);
	default:
		return STR("of all annotations of the trials that count");
	}
}

static void reviews_add_gates(struct doc *d, const struct doc_source *s, const struct reviews_gate *gates, size_t count,
			      double alpha, bool *met)
{
	static const struct sheet_column columns[] = {
		{ "gate", "gate", SHEET_TEXT, 0 },
		{ "met", "met", SHEET_YES, 0 },
		{ "value", "value", SHEET_NUMBER, 0 },
		{ "reason", "reason", SHEET_TEXT, 0 },
	};
	struct sheet x = sheet_begin(s->tally->arena, "gates", columns, COUNT(columns));
	struct reviews_sums sums = reviews_sum(s, alpha);

	x.title = "Gates";
	*met = true;
	for (size_t i = 0; i < count; i++) {
		double v = sums.figures[gates[i].figure];
		bool good = gates[i].at_least ? v >= gates[i].limit : v <= gates[i].limit; /* NaN: no */

		*met = *met && good;
		sheet_add_text(&x, gates[i].words);
		sheet_add_yes(&x, good);
		sheet_add_number(&x, v);
		sheet_add_text(&x, reviews_reason(x.arena, &sums, &gates[i]));
	}
	doc_add(d, x);
}

static void reviews_add_counts(struct doc *d, const struct doc_source *s)
{
	static const struct sheet_column columns[] = {
		{ "policy", "reviews", SHEET_TEXT, 0 },
		{ "annotations", "annotations", SHEET_COUNT, 0 },
		{ "replaced", "replaced", SHEET_COUNT, 0 },
		{ "adjudications", "adjudications", SHEET_COUNT, 0 },
		{ "feedback", "feedback", SHEET_COUNT, 0 },
		{ "of_other_trials", "of others", SHEET_COUNT, 0 },
	};
	struct sheet x = sheet_begin(s->tally->arena, "reviews", columns, COUNT(columns));
	struct judged_sum sum = { .trials = 0 }, other = { .trials = 0 };

	for (size_t i = 0; i < s->tally->count; i++)
		judged_add(reviews_counts(s, i) ? &sum : &other, &s->judging.trials[i]);
	x.is_single = true;
	sheet_add_text(&x, judged_words(x.arena, &sum));
	sheet_add_number(&x, (double)sum.annotations);
	sheet_add_number(&x, (double)sum.replaced);
	sheet_add_number(&x, (double)sum.adjudications);
	sheet_add_number(&x, (double)sum.feedback);
	sheet_add_number(&x, (double)(other.annotations + other.replaced + other.adjudications + other.feedback));
	doc_add(d, x);
}

static const char *const reviews_notes[] = {
	"A reviewer has one judgment of a trial: that of the last annotation sealed. To defer is to give none.",
	"Alpha and kappa are not defined where all judgments are the same: they say how much better than chance people "
	"agree. Intervals are those of 2,000 resamples of trials.",
	NULL,
};

struct doc reviews_make_status(const struct doc_source *s, const struct reviews_gate *gates, size_t count, bool *met)
{
	struct doc d = { .schema = "report-review", .title = "Review", .notes = reviews_notes };
	double alpha;

	reviews_add_counts(&d, s);
	d.answer = d.count;
	alpha = reviews_add_alphas(&d, s);
	reviews_add_pairs(&d, s);
	reviews_add_disputes(&d, s);
	reviews_add_gates(&d, s, gates, count, alpha, met);
	doc_add_basis(&d, s);
	return d;
}
