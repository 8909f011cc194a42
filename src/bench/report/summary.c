/*
 * Counts every row into a group for its target while results.jsonl is walked, and works out rates and percentiles at
 * the end. Latencies are all kept, eight bytes each; of a prompt only counts and its first violation are, so memory
 * does not grow with the answers.
 */
#include "bench/report/summary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/num.h"
#include "base/utf8.h"
#include "bench/report/summary_beside.h"
#include "bench/report/summary_cells.h"
#include "bench/run/run_dir.h"
#include "bench/run/target.h"
#include "bench/suite/suite.h"
#include "transform/quantile.h"

#define LEVEL 0.95

/* What is kept of a prompt by all groups together: whether anybody judges its answers. */
enum prompt_seen { PROMPT_JUDGED = 1, PROMPT_UNJUDGED = 2 };

/* A group while rows come. */
struct gathered {
	struct summary_group g;
	struct buf latency, ttft, waited; /* double */
	struct buf prompts;               /* struct summary_prompt */
	struct map prompt_index;          /* id to its place in prompts */
	double timed_tokens, timed_ms;    /* of successful rows that know their output tokens */
	double usd;
	/* of the run at hand */
	bool seen, timed;
	int64_t first_ms, last_ms;
};

struct gathering {
	struct arena *arena;
	struct summary *out;
	struct buf groups; /* struct gathered * */
	struct map index;  /* provider, model and thinking to a place in groups */
	struct map prompts; /* id to enum prompt_seen */
	struct map places;  /* id to its place in the suite, by config.json */
	struct map noop;    /* ids that config.json says nobody judges */
	uint64_t tallies;  /* of prompts in groups */
	size_t answers;    /* bytes kept of answers */
	const char *full;  /* what there was too much of */
	struct str run_id; /* of the run at hand; p NULL before its first row */
	bool timed;
	int64_t first_ms, last_ms;
};

/* The list has pointers in it: a group stays where it is while the list grows. */
static struct gathered *group_at(const struct gathering *w, size_t i)
{
	assert(i < w->groups.n / sizeof(struct gathered *));
	return ((struct gathered *const *)(const void *)w->groups.p)[i];
}

static size_t group_count(const struct gathering *w)
{
	return w->groups.n / sizeof(struct gathered *);
}

/* ---- one row ---- */

/* A group for the target of a row; mem_free and buf_free are due for it, see gathering_free. */
static struct gathered *group_new(struct gathering *w, const struct result *r)
{
	struct gathered *g = mem_alloc(sizeof(*g));

	*g = (struct gathered){ .g = { .provider = arena_copy(w->arena, r->provider),
				       .model = arena_copy(w->arena, r->model),
				       .tag = target_tag(w->arena, r->provider, r->model, r->thinking) } };
	if (r->thinking.p)
		g->g.thinking = arena_copy(w->arena, r->thinking);
	buf_init(&g->latency);
	buf_init(&g->ttft);
	buf_init(&g->waited);
	buf_init(&g->prompts);
	map_init(&g->prompt_index, w->arena);
	buf_add(&w->groups, &g, sizeof(g));
	return g;
}

/* NULL when there are too many. */
static struct gathered *group_of(struct gathering *w, const struct result *r)
{
	struct arena scratch;
	uint64_t *at;
	bool added;

	arena_init(&scratch);
	at = map_add(&w->index, result_key(&scratch, r->provider, r->model, r->thinking, STR(""), 0), &added);
	arena_free(&scratch);
	if (!added)
		return group_at(w, *at);
	if (group_count(w) == SUMMARY_GROUPS_MAX) {
		w->full = "models";
		return NULL;
	}
	*at = group_count(w);
	return group_new(w, r);
}

/* NULL when there are too many. */
static struct summary_prompt *prompt_of(struct gathering *w, struct gathered *g, const struct result *r)
{
	bool added;
	uint64_t *at = map_add(&g->prompt_index, r->prompt_id, &added);
	struct summary_prompt p = { .rows = 0 };

	if (added) {
		if (w->tallies++ == SUITE_PROMPTS_MAX) {
			w->full = "prompts";
			return NULL;
		}
		*at = g->prompts.n / sizeof(p);
		p.id = arena_copy(w->arena, r->prompt_id);
		p.name = arena_copy(w->arena, utf8_cut(r->prompt_name, SUMMARY_VIOLATION_MAX));
		buf_add(&g->prompts, &p, sizeof(p));
	}
	return (struct summary_prompt *)(void *)g->prompts.p + *at;
}

/* The first violation of a prompt, and what the model said: its beginning, and less of it when there are very many. */
static void keep_violation(struct gathering *w, struct summary_prompt *p, const struct result *r)
{
	size_t most = w->answers < SUMMARY_ANSWERS_MAX ? SUMMARY_ANSWER_MAX : SUMMARY_ANSWER_LEAST;

	p->violation = cell_violation(w->arena, r->violation, SUMMARY_VIOLATION_MAX);
	p->answer = arena_copy(w->arena, utf8_cut(r->output, most));
	p->answer_cut = r->truncated || p->answer.n < r->output.n;
	w->answers += p->answer.n;
}

/* Counts a row for its prompt in this group, and what it tells about the prompt in all groups. */
static void tally_prompt(struct gathering *w, struct summary_prompt *p, const struct result *r)
{
	bool added;
	uint64_t *seen = map_add(&w->prompts, r->prompt_id, &added);

	p->rows++;
	p->e2e_ms += (uint64_t)r->e2e_ms;
	if (r->expects && r->status == PROVIDER_OK) {
		p->tools_rows++;
		p->tools_hit += r->tool_success;
	}
	if (!r->success) {
		p->failed_calls++;
		p->unavailable += r->status == PROVIDER_UNAVAILABLE;
		return;
	}
	*seen |= r->pass == VERDICT_NULL ? PROMPT_UNJUDGED : PROMPT_JUDGED;
	p->judged += r->pass != VERDICT_NULL;
	p->passed += r->pass == VERDICT_TRUE;
	if (r->violation.p) {
		p->violations++;
		if (!p->violation.p)
			keep_violation(w, p, r);
	}
}

/* Counts a row for its group: status, verdict, tools, tokens. */
static void tally_status(struct summary_group *g, const struct result *r)
{
	g->n_total++;
	g->n_ok += r->status == PROVIDER_OK;
	g->n_success += r->success;
	g->n_unavailable += r->status == PROVIDER_UNAVAILABLE;
	g->n_limited += r->status == PROVIDER_LIMITED;
	g->n_error += r->status == PROVIDER_ERROR || r->status == PROVIDER_AUTH;
	g->n_auth += r->status == PROVIDER_AUTH;
	g->pass.k += r->pass == VERDICT_TRUE;
	g->pass.n += r->pass != VERDICT_NULL;
	if (r->expects) {
		g->tools_of_all.n++;
		g->tools_of_all.k += r->tool_success;
		if (r->status == PROVIDER_OK) {
			g->tools.n++;
			g->tools.k += r->tool_success;
		}
	}
	g->input_tokens += r->input_tokens > 0 ? (uint64_t)r->input_tokens : 0;
	g->output_tokens += r->output_tokens > 0 ? (uint64_t)r->output_tokens : 0;
}

static void summary_add_value(struct buf *values, int64_t v)
{
	double d = (double)v;

	buf_add(values, &d, sizeof(d));
}

/* Keeps the times of a successful row. */
static void tally_times(struct gathered *g, const struct result *r)
{
	if (!r->success)
		return;
	summary_add_value(&g->latency, r->e2e_ms);
	if (r->ttft_ms >= 0)
		summary_add_value(&g->ttft, r->ttft_ms);
	/* clocks are set back, too */
	if (r->scheduled_at_ms >= 0)
		summary_add_value(&g->waited,
				  r->ended_at_ms > r->scheduled_at_ms ? r->ended_at_ms - r->scheduled_at_ms : 0);
	if (r->output_tokens >= 0 && r->e2e_ms > 0) {
		g->timed_tokens += (double)r->output_tokens;
		g->timed_ms += (double)r->e2e_ms;
	}
}

/* First start and last end. */
static void stretch(bool *timed, int64_t *first, int64_t *last, const struct result *r)
{
	if (r->started_at_ms <= 0)
		return;
	if (!*timed || r->started_at_ms < *first)
		*first = r->started_at_ms;
	if (!*timed || r->ended_at_ms > *last)
		*last = r->ended_at_ms;
	*timed = true;
}

/* Counts one row; false when there are too many groups or prompts. */
static bool summary_take_row(void *own, const struct result *r, struct str line)
{
	struct gathering *w = own;
	struct gathered *g = group_of(w, r);
	struct summary_prompt *p = g ? prompt_of(w, g, r) : NULL;

	(void)line;
	if (!p)
		return false;
	if (!w->run_id.p)
		w->run_id = arena_copy(w->arena, r->run_id);
	w->out->rows++;
	g->seen = true;
	tally_status(&g->g, r);
	tally_prompt(w, p, r);
	tally_times(g, r);
	if (r->usd >= 0) {
		g->usd += r->usd;
		g->g.usd_rows++;
		g->g.usd_estimated |= r->usd_estimated;
	} else {
		g->g.unpriced += r->input_tokens > 0 || r->output_tokens > 0;
	}
	stretch(&g->timed, &g->first_ms, &g->last_ms, r);
	stretch(&w->timed, &w->first_ms, &w->last_ms, r);
	return true;
}

/* ---- one run ---- */

/* A run is read: its id, its time and what lies beside it go to the groups that it has rows of. */
static void close_run(struct gathering *w, struct str path, bool first)
{
	struct summary *s = w->out;

	if (!w->run_id.p)
		w->run_id = beside_name(w->arena, path);
	if (first)
		s->run_id = w->run_id;
	else
		s->run_id = ARENA_JOIN(w->arena, s->run_id, STR("+"), w->run_id);
	s->has_wall |= w->timed;
	s->wall_ms += w->timed ? w->last_ms - w->first_ms : 0;
	for (size_t i = 0; i < group_count(w); i++) {
		struct gathered *g = group_at(w, i);

		if (g->seen)
			beside_group(w->arena, path, &g->g);
		g->g.has_wall |= g->timed;
		g->g.wall_ms += g->timed ? g->last_ms - g->first_ms : 0;
		g->seen = g->timed = false;
	}
	s->bottleneck |= beside_bottleneck(path);
	w->run_id = str_of(NULL, 0);
	w->timed = false;
}

/* A walk that ended because there was too much is no failure of results_walk; w->full tells. */
static bool gather_run(struct gathering *w, struct str path, bool first, struct err *err)
{
	struct results_lost lost;

	if (!results_walk(path, summary_take_row, w, &lost, err))
		return false;
	w->out->skipped += lost.skipped;
	w->out->repeated += lost.repeated;
	if (w->full)
		return err_set(err, ERR_LIMIT, "%.*s has too many %s for one summary", STR_ARG(path), w->full);
	close_run(w, path, first);
	return true;
}

/* ---- figures ---- */

/* n = 0 gives an interval of NaN, whatever the method. */
static void finish_rate(struct rate *r, enum rate_method m)
{
	r->interval = m == RATE_EXACT ? stats_clopper_pearson(r->k, r->n, LEVEL) :
		      m == RATE_JEFFREYS ? stats_jeffreys(r->k, r->n, LEVEL) : stats_wilson(r->k, r->n, LEVEL);
}

/* NaN at both ends when one is beyond what so few values can tell. */
static struct interval quantile_interval(const double *sorted, uint64_t n, double p)
{
	uint64_t low, high;

	stats_rank_interval(n, p, LEVEL, &low, &high);
	if (low < 1 || high > n)
		return (struct interval){ NAN, NAN };
	return (struct interval){ sorted[low - 1], sorted[high - 1] };
}

/* Sorts the values and works out percentiles with their intervals. */
static void finish_spread(struct spread *s, struct arena *a, const struct buf *values)
{
	double sum = 0;

	*s = (struct spread){ .n = values->n / sizeof(double) };
	if (s->n == 0)
		return;
	assert(values->n % sizeof(double) == 0);
	s->sorted = arena_move_array(a, values->p, s->n, s->n + 1, sizeof(double));
	qsort(s->sorted, s->n, sizeof(double), num_cmp_doubles);
	for (uint64_t i = 0; i < s->n; i++)
		sum += s->sorted[i];
	s->mean = sum / (double)s->n;
	s->p50 = quantile_of_sorted(s->sorted, s->n, 0.50);
	s->p95 = quantile_of_sorted(s->sorted, s->n, 0.95);
	s->p99 = quantile_of_sorted(s->sorted, s->n, 0.99);
	s->p50_interval = quantile_interval(s->sorted, s->n, 0.50);
	s->p95_interval = quantile_interval(s->sorted, s->n, 0.95);
	s->p99_interval = quantile_interval(s->sorted, s->n, 0.99);
}

/* Repeats of a prompt are not independent: the error is that of prompts. */
static void finish_mean(struct summary_group *g)
{
	double *x = mem_alloc((g->pass.n + 1) * sizeof(*x)), *sums = mem_alloc((g->prompt_count + 1) * sizeof(*sums));
	uint32_t *cluster = mem_alloc((g->pass.n + 1) * sizeof(*cluster)), clusters = 0;
	size_t n = 0;

	for (size_t i = 0; i < g->prompt_count; i++) {
		const struct summary_prompt *p = &g->prompts[i];

		for (uint64_t k = 0; k < p->judged; k++) {
			x[n] = k < p->passed;
			cluster[n++] = clusters;
		}
		clusters += p->judged > 0;
	}
	g->pass_mean = g->repeats > 1 ? stats_mean_clustered(x, cluster, n, clusters, sums, LEVEL) :
					stats_mean_of(x, n, LEVEL);
	mem_free(x);
	mem_free(cluster);
	mem_free(sums);
}

/* Copies the prompts and counts passes of all rows, those of prompts that nobody judges left out. */
static void finish_prompts(struct gathering *w, struct gathered *from)
{
	struct summary_group *g = &from->g;

	g->prompt_count = from->prompts.n / sizeof(*g->prompts);
	g->prompts = arena_move_array(w->arena, from->prompts.p, g->prompt_count, g->prompt_count + 1,
				      sizeof(*g->prompts));
	for (size_t i = 0; i < g->prompt_count; i++) {
		const struct summary_prompt *p = &g->prompts[i];
		const uint64_t *seen = map_find(&w->prompts, p->id);

		g->repeats = p->rows > g->repeats ? p->rows : g->repeats;
		/* a prompt that nobody answered may well be one that is judged, unless config.json says otherwise */
		if ((seen && *seen == PROMPT_UNJUDGED) || (!(seen && *seen) && map_find(&w->noop, p->id)))
			continue;
		g->pass_of_all.n += p->rows;
		g->pass_of_all.k += p->passed;
	}
}

/* Works out all figures of a group once its rows are counted. */
static void finish_group(struct gathering *w, struct gathered *from, enum rate_method m)
{
	struct summary_group *g = &from->g;

	finish_prompts(w, from);
	g->success.k = g->n_success;
	g->success.n = g->n_ok;
	finish_rate(&g->success, m);
	finish_rate(&g->pass, m);
	finish_rate(&g->pass_of_all, m);
	finish_rate(&g->tools, m);
	finish_rate(&g->tools_of_all, m);
	g->tier = summary_tier(g->tools, &g->tier_unsure);
	finish_spread(&g->latency, w->arena, &from->latency);
	finish_spread(&g->ttft, w->arena, &from->ttft);
	finish_spread(&g->waited, w->arena, &from->waited);
	g->tokens_per_second = from->timed_ms > 0 ? from->timed_tokens / from->timed_ms * 1000 : NAN;
	g->usd = g->usd_rows ? from->usd : NAN;
	finish_mean(g);
}

/* To be called once, after the last run: rates of prompts nobody judges need the rows of all groups. */
static void summary_finish(struct gathering *w)
{
	struct summary *s = w->out;

	s->count = group_count(w);
	s->groups = arena_array(w->arena, struct summary_group, s->count + 1);
	for (size_t i = 0; i < s->count; i++) {
		finish_group(w, group_at(w, i), s->method);
		s->groups[i] = group_at(w, i)->g;
	}
}

static int summary_by_order(const void *a, const void *b)
{
	const struct summary_prompt *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* Rows come as answers did; people look for a prompt where the suite has it. */
static void order_prompts(struct summary *s, const struct map *places)
{
	for (size_t i = 0; i < s->count; i++) {
		struct summary_group *g = &s->groups[i];

		for (size_t k = 0; k < g->prompt_count; k++) {
			const uint64_t *place = map_find(places, g->prompts[k].id);

			g->prompts[k].order = place ? *place : places->count + k;
		}
		if (g->prompt_count)
			qsort(g->prompts, g->prompt_count, sizeof(*g->prompts), summary_by_order);
	}
}

/* What the summary keeps has been moved to the arena; the rest goes here, whether it came to a summary or not. */
static void gathering_free(struct gathering *w)
{
	for (size_t i = 0; i < group_count(w); i++) {
		struct gathered *g = group_at(w, i);

		buf_free(&g->latency);
		buf_free(&g->ttft);
		buf_free(&g->waited);
		buf_free(&g->prompts);
		mem_free(g);
	}
	buf_free(&w->groups);
}

bool summary_make_many(struct summary *s, struct arena *a, const struct str *paths, size_t count,
		       enum rate_method method, struct err *err)
{
	struct gathering w = { .arena = a, .out = s };
	bool done = true;

	*s = (struct summary){ .method = method, .run_id = STR("") };
	buf_init(&w.groups);
	map_init(&w.index, a);
	map_init(&w.prompts, a);
	map_init(&w.places, a);
	map_init(&w.noop, a);
	for (size_t i = 0; done && i < count; i++)
		done = gather_run(&w, paths[i], i == 0, err);
	if (done) {
		for (size_t i = 0; i < count; i++)
			beside_prompts(&w.places, &w.noop, paths[i]);
		summary_finish(&w);
		order_prompts(s, &w.places);
	}
	gathering_free(&w);
	return done;
}

bool summary_make(struct summary *s, struct arena *a, struct str path, enum rate_method method, struct err *err)
{
	return summary_make_many(s, a, &path, 1, method, err);
}

int summary_tier_of(double share)
{
	return share >= 0.8 ? 1 : share >= 0.5 ? 2 : 3;
}

int summary_tier(struct rate r, bool *unsure)
{
	assert(r.k <= r.n);
	*unsure = false;
	if (r.n == 0)
		return 0;
	*unsure = summary_tier_of(r.interval.low) != summary_tier_of(r.interval.high);
	/* whole numbers: 4 of 5 is 80 % whatever a division makes of it */
	return r.k * 5 >= r.n * 4 ? 1 : r.k * 2 >= r.n ? 2 : 3;
}

const char *rate_method_name(enum rate_method m)
{
	return m == RATE_EXACT ? "clopper-pearson" : m == RATE_JEFFREYS ? "jeffreys" : "wilson";
}

uint64_t summary_pass_at(const struct summary_group *g, uint64_t k, double *one, double *all)
{
	double sum_one = 0, sum_all = 0;
	uint64_t n = 0;

	for (size_t i = 0; i < g->prompt_count; i++) {
		const struct summary_prompt *p = &g->prompts[i];

		if (p->judged < k || p->judged == 0)
			continue;
		sum_one += stats_pass_at(p->judged, p->passed, k);
		sum_all += stats_pass_all(p->judged, p->passed, k);
		n++;
	}
	*one = n ? sum_one / (double)n : NAN;
	*all = n ? sum_all / (double)n : NAN;
	return n;
}
