/* Trials of both sides are sorted by task; a task that both have becomes a pair of means for each metric. */
#include "trial/report/versus.h"

#include <math.h>
#include <stdlib.h>

#include "trial/report/private.h"

struct versus_item {
	uint32_t task, trial; /* ranks */
	bool is_b;
	const struct trial_fact *fact;
};

struct versus_pairs {
	double *a[VERSUS_METRICS], *b[VERSUS_METRICS];
	size_t n[VERSUS_METRICS];
};

static const bool versus_more_is_better[VERSUS_METRICS] = { [VERSUS_REWARD] = true, [VERSUS_PASS] = true };
static const bool versus_is_share[VERSUS_METRICS] = { [VERSUS_REWARD] = true, [VERSUS_PASS] = true };

const char *versus_metric_name(enum versus_metric m)
{
	static const char *const names[VERSUS_METRICS] = { "reward", "pass", "cost", "tokens", "seconds" };

	return names[m];
}

/* ---- sides ---- */

bool versus_parse_side(struct versus_side *s, struct str words, struct err *err)
{
	const struct {
		struct str name;
		struct str *text;
	} members[] = {
		{ STR("model"), &s->model }, { STR("adapter"), &s->adapter }, { STR("experiment"), &s->experiment },
	};
	struct str rest = words;

	*s = (struct versus_side){ .words = words };
	if (words.n && !str_has(words, STR("="))) {
		s->model = words;
		return true;
	}
	while (rest.p && rest.n) {
		struct str part = str_cut(rest, ',', &rest), value, name = str_cut(part, '=', &value);
		bool known = false;

		for (size_t i = 0; i < COUNT(members); i++) {
			if (!str_eq(name, members[i].name) || !value.n)
				continue;
			*members[i].text = value;
			known = true;
		}
		if (!known)
			return err_set(err, ERR_USAGE, "'%.*s' does not say which trials" ERR_HELP
				       "write the name of a model, or model=M,adapter=A,experiment=E", STR_ARG(words));
	}
	return s->model.p || s->adapter.p || s->experiment.p ||
	       err_set(err, ERR_USAGE, "one side of the comparison is empty" ERR_HELP
		       "write the name of a model, or model=M,adapter=A,experiment=E");
}

static bool versus_is_of(const struct tally *t, const struct versus_side *s, const struct trial_fact *f)
{
	return (!s->model.p || str_eq(s->model, tally_name(t, f, NAME_MODEL))) &&
	       (!s->adapter.p || str_eq(s->adapter, tally_name(t, f, NAME_ADAPTER))) &&
	       (!s->experiment.p || str_eq(s->experiment, tally_name(t, f, NAME_EXPERIMENT)));
}

static int versus_compare_items(const void *a, const void *b)
{
	const struct versus_item *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->is_b != y->is_b)
		return x->is_b ? 1 : -1;
	return x->trial < y->trial ? -1 : x->trial > y->trial;
}

/* Of the side, and it counts there: a trial also when the regrade that takes its place is of the other side alone. */
static bool versus_counts(const struct tally *t, const struct versus_side *s, const struct trial_fact *f)
{
	if (!versus_is_of(t, s, f) || (f->standing != STANDING_COUNTED && f->standing != STANDING_REGRADED))
		return false;
	for (uint32_t next = f->replaced_by; next; next = t->trials[next - 1].replaced_by)
		if (versus_is_of(t, s, &t->trials[next - 1]))
			return false;
	return standing_alone(f) == STANDING_COUNTED;
}

static void versus_count_attempt(struct versus_side *s, const struct trial_fact *f, bool counts)
{
	s->trials += counts;
	s->attempts += counts || f->standing == STANDING_PARTIAL || f->standing == STANDING_INFRASTRUCTURE;
}

/* Trials that count, of either side. A trial of both sides compares with itself: SIZE_MAX. */
static size_t versus_list(struct versus *v, const struct tally *t, struct versus_item *items)
{
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct trial_fact *f = &t->trials[i];
		bool a = versus_counts(t, &v->a, f), b = versus_counts(t, &v->b, f);

		if (a && b)
			return SIZE_MAX;
		if (versus_is_of(t, &v->a, f))
			versus_count_attempt(&v->a, f, a);
		if (versus_is_of(t, &v->b, f))
			versus_count_attempt(&v->b, f, b);
		if (a || b)
			items[n++] = (struct versus_item){ t->ranks[f->names[NAME_TASK]],
							   t->ranks[f->names[NAME_TRIAL]], b, f };
	}
	if (n)
		qsort(items, n, sizeof(*items), versus_compare_items);
	return n;
}

/* ---- pairs ---- */

static double versus_value(const struct trial_fact *f, enum versus_metric m)
{
	switch (m) {
	case VERSUS_REWARD:
		return f->reward;
	case VERSUS_PASS:
		return f->reward >= 1;
	case VERSUS_COST:
		return f->figures[FIGURE_USD];
	case VERSUS_TOKENS:
		return f->figures[FIGURE_TOKENS_IN] + f->figures[FIGURE_TOKENS_OUT];
	case VERSUS_SECONDS:
		return f->figures[FIGURE_SECONDS];
	case VERSUS_METRICS:
		break;
	}
	return NAN;
}

static double versus_mean(const struct versus_item *items, size_t n, enum versus_metric m)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += versus_value(items[i].fact, m);
	return sum / (double)n;
}

static bool versus_is_mixed(const struct versus_item *items, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (!tally_is_alike(items[0].fact, items[i].fact))
			return true;
	return false;
}

static void versus_add_task(struct versus *v, struct versus_pairs *p, const struct versus_item *items, size_t of_a,
			    size_t of_b)
{
	v->a.tasks += of_a > 0;
	v->b.tasks += of_b > 0;
	v->a.alone += of_b == 0;
	v->b.alone += of_a == 0;
	if (!of_a || !of_b)
		return;
	v->tasks++;
	v->mixed += versus_is_mixed(items, of_a + of_b);
	v->repeats |= of_a > 1 || of_b > 1;
	for (int m = 0; m < VERSUS_METRICS; m++) {
		double a = versus_mean(items, of_a, (enum versus_metric)m);
		double b = versus_mean(items + of_a, of_b, (enum versus_metric)m);

		if (isnan(a) || isnan(b))
			continue;
		p->a[m][p->n[m]] = a;
		p->b[m][p->n[m]++] = b;
	}
}

static void versus_pair(struct versus *v, struct versus_pairs *p, const struct versus_item *items, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		size_t of_a = 0;

		for (end = i; end < n && items[end].task == items[i].task; end++)
			of_a += !items[end].is_b;
		versus_add_task(v, p, items + i, of_a, end - i - of_a);
	}
}

/* ---- tests ---- */

static uint64_t versus_seed(const struct tally *t, const struct versus_item *items, size_t n)
{
	struct str *ids = mem_alloc((n + 1) * sizeof(*ids));
	uint64_t seed;

	for (size_t i = 0; i < n; i++)
		ids[i] = tally_name(t, items[i].fact, NAME_TRIAL);
	seed = tally_seed(ids, n);
	mem_free(ids);
	return seed;
}

/* One trial of each task by each side: McNemar's exact test decides. */
static void versus_count_passes(struct versus *v, const struct versus_pairs *p)
{
	v->mcnemar = v->mid_p = NAN;
	if (v->repeats)
		return;
	for (size_t i = 0; i < p->n[VERSUS_PASS]; i++) {
		bool a = p->a[VERSUS_PASS][i] > 0, b = p->b[VERSUS_PASS][i] > 0;

		v->both += a && b;
		v->only_a += a && !b;
		v->only_b += !a && b;
		v->neither += !a && !b;
	}
	v->mcnemar = stats_mcnemar(v->only_a, v->only_b, false);
	v->mid_p = stats_mcnemar(v->only_a, v->only_b, true);
	v->tests[VERSUS_PASS].p = v->mcnemar;
}

/* Shares cannot differ by more, whatever Student says; NaN stays. */
static struct interval versus_within(struct interval i)
{
	return (struct interval){ i.low < -1 ? -1 : i.low, i.high > 1 ? 1 : i.high };
}

static void versus_test(struct versus *v, const struct versus_pairs *p)
{
	for (int m = 0; m < VERSUS_METRICS; m++) {
		struct stats_random r;

		stats_random_init(&r, v->seed);
		v->tests[m] = paired_test(p->a[m], p->b[m], p->n[m], &r);
		if (versus_is_share[m])
			v->tests[m].difference.interval = versus_within(v->tests[m].difference.interval);
	}
	versus_count_passes(v, p);
	v->family = paired_answer_all(v->tests, versus_more_is_better, versus_is_share, VERSUS_METRICS);
}

bool versus_make(struct versus *v, const struct tally *t, struct err *err)
{
	struct versus_item *items = mem_alloc((t->count + 1) * sizeof(*items));
	size_t n = versus_list(v, t, items);
	struct versus_pairs p = { .n = { 0 } };
	struct arena work;
	bool good = false;

	if (n == SIZE_MAX) {
		err_set(err, ERR_DATA, "both sides have the same trials" ERR_HELP
			"'%.*s' and '%.*s' must have no trial in common", STR_ARG(v->a.words), STR_ARG(v->b.words));
	} else if (!v->a.trials || !v->b.trials) {
		err_set(err, ERR_DATA, "no complete trial is of '%.*s'" ERR_HELP
			"'trackway report leaderboard' lists models and adapters",
			STR_ARG(v->a.trials ? v->b.words : v->a.words));
	} else {
		arena_init(&work);
		for (int m = 0; m < VERSUS_METRICS; m++) {
			p.a[m] = arena_array(&work, double, n + 1);
			p.b[m] = arena_array(&work, double, n + 1);
		}
		versus_pair(v, &p, items, n);
		v->seed = versus_seed(t, items, n);
		versus_test(v, &p);
		arena_free(&work);
		good = true;
	}
	mem_free(items);
	return good;
}
