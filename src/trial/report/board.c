/*
 * Trials are sorted by the ranks of the names that make a group, then by task, then by id, so that a group is a run of
 * them, a task of it another, and the order of the ledger does not matter.
 */
#include "trial/report/board.h"

#include <math.h>
#include <stdlib.h>

#define KEYS 6
#define PASS 1.0
#define ROUNDING 1e-12 /* sums of the same values in another order differ by less */

struct board_item {
	uint32_t key[KEYS];
	const struct trial_fact *fact;
};

struct board_span {
	const struct tally *tally;
	const struct judging *judging;
	const struct board_how *how;
	const struct board_item *items;
	size_t count;
};

static const enum trial_name board_keys[BOARD_BY_COUNT][3] = {
	[BOARD_BY_MODEL] = { NAME_MODEL, NAME_ADAPTER, NAME_ADAPTER },
	[BOARD_BY_EXPERIMENT] = { NAME_EXPERIMENT, NAME_EXPERIMENT, NAME_EXPERIMENT },
	[BOARD_BY_TASK] = { NAME_TASK, NAME_TASK, NAME_TASK },
	[BOARD_BY_CELL] = { NAME_MODEL, NAME_ADAPTER, NAME_TASK },
};

static int board_compare_items(const void *a, const void *b)
{
	const struct board_item *x = a, *y = b;

	for (int i = 0; i < KEYS; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return 0;
}

static bool board_is_same(const struct board_item *x, const struct board_item *y, int keys)
{
	return memcmp(x->key, y->key, sizeof(x->key[0]) * (size_t)keys) == 0;
}

static bool board_counts(const struct board_item *i)
{
	return i->fact->standing == STANDING_COUNTED;
}

/* ---- figures of one group ---- */

static struct board_names board_names_of(const struct board_span *s, enum trial_name which)
{
	const struct tally *t = s->tally;
	struct board_names n = { .count = 0 };
	struct map seen;
	struct arena work;
	struct str *list;

	arena_init_small(&work);
	map_init(&seen, &work);
	for (size_t i = 0; i < s->count; i++) {
		struct str name = tally_name(t, s->items[i].fact, which);
		bool added;

		if (!board_counts(&s->items[i]))
			continue;
		n.without += !name.p;
		if (name.p)
			map_add(&seen, name, &added);
	}
	list = arena_array(t->arena, struct str, seen.count + 1);
	for (size_t i = 0; i < s->count && n.count < seen.count; i++) {
		struct str name = tally_name(t, s->items[i].fact, which);
		uint64_t *had = name.p && board_counts(&s->items[i]) ? map_find(&seen, name) : NULL;

		if (had && !(*had)++)
			list[n.count++] = name;
	}
	arena_free(&work);
	if (n.count)
		qsort(list, n.count, sizeof(*list), str_cmp_first);
	n.items = list;
	return n;
}

static void board_add_counted(struct board_group *g, const struct board_span *s, const struct trial_fact *f)
{
	g->trials++;
	g->classes[f->class]++;
	g->passed += f->reward >= PASS;
	g->zero += f->reward <= 0;
	g->registered += f->is_registered;
	g->errors += f->errors > 0;
	g->findings += f->findings;
	g->denied += f->denied;
	judged_add(&g->judged, &s->judging->trials[f - s->tally->trials]);
	for (int i = 0; i < FIGURE_COUNT; i++) {
		if (isnan(f->figures[i]))
			continue;
		g->sums[i] += f->figures[i];
		g->known[i]++;
	}
}

/* ---- rewards: tasks are clusters ---- */

struct board_rewards {
	double *x, *sums, *is; /* is: 1 where a rate counts the trial, else 0 */
	uint32_t *cluster;
	uint64_t *counts, *passes; /* of each task */
	size_t n, tasks, mixed;
};

static void board_gather(struct board_rewards *r, struct arena *work, const struct board_span *s)
{
	const struct board_item *first = NULL; /* of its task */
	bool is_mixed = false;

	*r = (struct board_rewards){
		.x = arena_array(work, double, s->count + 1),
		.sums = arena_array(work, double, s->count + 1),
		.is = arena_array(work, double, s->count + 1),
		.cluster = arena_array(work, uint32_t, s->count + 1),
		.counts = arena_array(work, uint64_t, s->count + 1),
		.passes = arena_array(work, uint64_t, s->count + 1),
	};
	for (size_t i = 0; i < s->count; i++) {
		const struct board_item *item = &s->items[i];

		if (!board_counts(item))
			continue;
		if (!first || !board_is_same(first, item, 4)) {
			first = item;
			r->tasks++;
			is_mixed = false;
		}
		r->mixed += !is_mixed && !tally_is_alike(first->fact, item->fact);
		is_mixed = is_mixed || !tally_is_alike(first->fact, item->fact);
		r->x[r->n] = item->fact->reward;
		r->cluster[r->n++] = (uint32_t)(r->tasks - 1);
		r->counts[r->tasks - 1]++;
		r->passes[r->tasks - 1] += item->fact->reward >= PASS;
	}
}

static uint64_t board_seed(const struct board_span *s, struct arena *work)
{
	struct str *ids = arena_array(work, struct str, s->count + 1);
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		if (board_counts(&s->items[i]))
			ids[n++] = tally_name(s->tally, s->items[i].fact, NAME_TRIAL);
	return tally_seed(ids, n);
}

static struct interval board_resample(struct board_group *g, const struct board_span *s, struct board_rewards *r,
				      struct arena *work)
{
	struct stats_random random;

	for (size_t i = 0; i < r->tasks; i++)
		r->sums[i] = 0;
	for (size_t i = 0; i < r->n; i++)
		r->sums[r->cluster[i]] += r->x[i];
	g->seed = board_seed(s, work);
	stats_random_init(&random, g->seed);
	return stats_bootstrap(r->sums, r->counts, r->tasks, STATS_RESAMPLES, BOARD_LEVEL, &random,
			       arena_array(work, double, STATS_RESAMPLES));
}

/* Rewards are within 0 and 1, and Student's t does not know it. */
static void board_set_interval(struct board_group *g, const struct board_span *s, struct board_rewards *r,
			       struct arena *work)
{
	struct interval i;

	g->interval = (struct interval){ NAN, NAN };
	if (g->trials < BOARD_LEAST)
		g->no_interval = "n too small";
	else if (r->tasks < 2)
		g->no_interval = "one task only";
	else if (!(g->mean.se > 0)) /* an interval of no width would promise what no number of trials can */
		g->no_interval = "no variation";
	if (g->no_interval)
		return;
	i = s->how->bootstrap ? board_resample(g, s, r, work) : g->mean.interval;
	g->interval = (struct interval){ fmax(i.low, 0), fmin(i.high, 1) };
}

/* Of how many trials have a reward of at least `least` and at most `most`. */
static struct interval board_rate_interval(const struct board_group *g, const struct board_rewards *r, double least,
					   double most)
{
	struct stats_mean m;
	uint64_t count = 0;

	for (size_t i = 0; i < r->n; i++) {
		bool is = r->x[i] >= least && r->x[i] <= most;

		r->is[i] = is;
		count += is;
	}
	if (g->most < 2)
		return stats_wilson(count, r->n, BOARD_LEVEL);
	m = stats_mean_clustered(r->is, r->cluster, r->n, r->tasks, r->sums, BOARD_LEVEL);
	return stats_rate_clustered(&m, BOARD_LEVEL);
}

static void board_set_repeats(struct board_group *g, const struct board_how *how, const struct board_rewards *r)
{
	double at = 0, all = 0;

	for (size_t i = 0; i < r->tasks; i++) {
		g->least = i == 0 || r->counts[i] < g->least ? r->counts[i] : g->least;
		g->most = r->counts[i] > g->most ? r->counts[i] : g->most;
		g->solved += r->passes[i] > 0;
	}
	g->k = how->k ? how->k : g->least > 1 ? g->least : 0;
	for (size_t i = 0; i < r->tasks && g->k; i++) {
		if (r->counts[i] < g->k)
			continue;
		g->k_tasks++;
		at += stats_pass_at(r->counts[i], r->passes[i], g->k);
		all += stats_pass_all(r->counts[i], r->passes[i], g->k);
	}
	g->pass_at = g->k_tasks ? at / (double)g->k_tasks : NAN;
	g->pass_all = g->k_tasks ? all / (double)g->k_tasks : NAN;
}

static void board_set_rewards(struct board_group *g, const struct board_span *s)
{
	struct board_rewards r;
	struct arena work;

	arena_init(&work);
	board_gather(&r, &work, s);
	g->tasks = r.tasks;
	g->mixed = r.mixed;
	g->mean = stats_mean_clustered(r.x, r.cluster, r.n, r.tasks, r.sums, BOARD_LEVEL);
	board_set_interval(g, s, &r, &work);
	board_set_repeats(g, s->how, &r);
	g->pass_interval = board_rate_interval(g, &r, PASS, INFINITY);
	g->zero_interval = board_rate_interval(g, &r, -INFINITY, 0);
	g->pass_of_attempts = g->attempts ? (double)g->passed / (double)g->attempts : NAN;
	g->mean_of_attempts = g->attempts && g->trials ? g->mean.mean * (double)g->trials / (double)g->attempts :
			      g->attempts ? 0 : NAN;
	arena_free(&work);
}

static void board_fill(struct board_group *g, const struct board_span *s)
{
	g->sample = s->items[0].fact;
	for (size_t i = 0; i < s->count; i++) {
		g->standings[s->items[i].fact->standing]++;
		if (board_counts(&s->items[i]))
			board_add_counted(g, s, s->items[i].fact);
	}
	g->attempts = g->trials + g->standings[STANDING_PARTIAL] + g->standings[STANDING_INFRASTRUCTURE];
	board_set_rewards(g, s);
	g->experiments = board_names_of(s, NAME_EXPERIMENT);
	g->datasets = board_names_of(s, NAME_DATASET);
	g->verifiers = board_names_of(s, NAME_VERIFIER);
	g->isolations = board_names_of(s, NAME_ISOLATION);
	g->revisions = board_names_of(s, NAME_ADAPTER_REVISION);
	g->prices = board_names_of(s, NAME_PRICES);
}

/* ---- all groups ---- */

/* Items that belong to no group of this kind: what was erased says neither model nor task. */
static size_t board_list_items(const struct tally *t, enum board_by by, struct board_item *items)
{
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct trial_fact *f = &t->trials[i];

		if (!f->names[board_keys[by][0]])
			continue;
		items[n].fact = f;
		for (int k = 0; k < 3; k++)
			items[n].key[k] = t->ranks[f->names[board_keys[by][k]]];
		items[n].key[3] = t->ranks[f->names[NAME_TASK]];
		items[n].key[4] = t->ranks[f->names[NAME_TRIAL]];
		items[n++].key[5] = t->ranks[f->names[NAME_EXPERIMENT]];
	}
	if (n)
		qsort(items, n, sizeof(*items), board_compare_items);
	return n;
}

struct board_place {
	struct board_group group;
	size_t at; /* before: by name */
};

/* Of a mean, which is from 0 to 1: whole steps, so that what ties with a third ties with each other. */
static double board_step(const struct board_group *g)
{
	return nearbyint(g->mean.mean / ROUNDING);
}

static int board_compare_places(const void *a, const void *b)
{
	const struct board_place *x = a, *y = b;

	if (!x->group.trials != !y->group.trials)
		return x->group.trials ? -1 : 1;
	if (x->group.trials && board_step(&x->group) != board_step(&y->group))
		return board_step(&x->group) > board_step(&y->group) ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Equal means share a rank; how many do is said. Without a trial that counts there is none. */
static void board_rank(struct board *b)
{
	for (size_t i = 0, end; i < b->count; i = end) {
		for (end = i + 1; end < b->count && board_step(&b->groups[end]) == board_step(&b->groups[i]); end++)
			;
		for (size_t j = i; j < end && b->groups[j].trials; j++) {
			b->groups[j].rank = i + 1;
			b->groups[j].tied = end - i - 1;
		}
	}
}

struct board board_make(const struct tally *t, const struct judging *g, enum board_by by, const struct board_how *how)
{
	struct board_item *items = mem_alloc((t->count + 1) * sizeof(*items));
	struct board b = { .by = by };
	struct board_place *places = NULL;
	size_t cap = 0, count = board_list_items(t, by, items);

	for (size_t i = 0, end; i < count; i = end) {
		struct board_span s = { t, g, how, items + i, 0 };

		for (end = i + 1; end < count && board_is_same(&items[i], &items[end], 3); end++)
			;
		s.count = end - i;
		mem_grow(places, b.count, cap, 64);
		places[b.count] = (struct board_place){ .at = b.count };
		board_fill(&places[b.count++].group, &s);
	}
	if (b.count)
		qsort(places, b.count, sizeof(*places), board_compare_places);
	b.groups = arena_array(t->arena, struct board_group, b.count + 1);
	for (size_t i = 0; i < b.count; i++)
		b.groups[i] = places[i].group;
	board_rank(&b);
	mem_free(places);
	mem_free(items);
	return b;
}

double board_mean(const struct board_group *g, enum trial_figure f)
{
	return g->known[f] ? g->sums[f] / (double)g->known[f] : NAN;
}

double board_total(const struct board_group *g, enum trial_figure f)
{
	return g->trials && g->known[f] == g->trials ? g->sums[f] : NAN;
}

double board_advisor_share(const struct board_group *g)
{
	double advisor = board_total(g, FIGURE_ADVISOR_IN) + board_total(g, FIGURE_ADVISOR_OUT);
	double all = advisor + board_total(g, FIGURE_TOKENS_IN) + board_total(g, FIGURE_TOKENS_OUT);

	return all > 0 ? advisor / all : NAN;
}

/* Below 0, 0 or above 0 as a is less than, the same as, or more than b. */
static int board_compare(double a, double b)
{
	return fabs(a - b) <= ROUNDING * fmax(fabs(a), fabs(b)) ? 0 : a < b ? -1 : 1;
}

void board_frontier(const struct board *b, const double *x, int *out)
{
	for (size_t i = 0; i < b->count; i++) {
		out[i] = b->groups[i].trials && !isnan(x[i]) ? 1 : -1;
		for (size_t j = 0; j < b->count && out[i] == 1; j++) {
			int more = board_compare(b->groups[j].mean.mean, b->groups[i].mean.mean);
			int cost = board_compare(x[j], x[i]);

			if (b->groups[j].trials && !isnan(x[j]) && cost <= 0 && more >= 0 && (cost || more))
				out[i] = 0;
		}
	}
}
