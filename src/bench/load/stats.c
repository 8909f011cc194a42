/*
 * Keeps counts and, for each metric, values for percentiles (transform/quantile.h). With several stages each outcome is
 * added twice: to its stage and to all together.
 */
#include "bench/load/stats.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define LATE_MS 5.0    /* a send that is later than this, */
#define LATE_SHARE 0.05 /* and than this share of the median latency, has spoiled the figures */
#define BUSY 0.9

const char *load_metric_name(enum load_metric m)
{
	static const char *const names[LOAD_METRICS] = { "ttft", "ttft_sent", "tpot", "itl",
							 "e2e", "e2e_sent", "tpot_last", "e2e_last",
							 "e2e_last_sent", "late", "loop" };

	return names[m];
}

const char *load_end_name(enum load_end e)
{
	static const char *const names[LOAD_ENDS] = { "ok", "rate_limited", "error", "timeout", "not_sent",
		"given_up" };

	return names[e];
}

/* ---- one request ---- */

/* A clock that was read in the wrong order gives 0, not a negative time. */
static bool between(uint64_t from, uint64_t to, double *ms)
{
	if (from == 0 || to == 0)
		return false;
	*ms = to > from ? (double)(to - from) / 1e6 : 0;
	return true;
}

/* When the last piece with content or thought came; 0 when none is known. */
static uint64_t last_token(const struct load_outcome *o)
{
	return o->streamed && o->arrival_count ? o->arrivals[o->arrival_count - 1] : 0;
}

static bool per_token(const struct load_outcome *o, uint64_t until_ns, double *ms)
{
	if (!o->streamed || o->output_tokens < 2 || !between(o->token_ns, until_ns, ms))
		return false;
	*ms /= (double)(o->output_tokens - 1);
	return true;
}

static bool longest_gap(const struct load_outcome *o, double *ms)
{
	uint64_t most = 0;

	for (size_t i = 1; i < o->arrival_count; i++)
		if (o->arrivals[i] - o->arrivals[i - 1] > most)
			most = o->arrivals[i] - o->arrivals[i - 1];
	*ms = (double)most / 1e6;
	return o->arrival_count > 1;
}

bool load_outcome_get(const struct load_outcome *o, enum load_metric m, double *ms)
{
	if (m == LOAD_LATE)
		return between(o->due_ns, o->sent_ns, ms);
	if (o->end != LOAD_OK)
		return false;
	switch (m) {
	case LOAD_TTFT:
		return o->streamed && between(o->due_ns, o->token_ns, ms);
	case LOAD_TTFT_SENT:
		return o->streamed && between(o->sent_ns, o->token_ns, ms);
	case LOAD_TPOT:
		return per_token(o, o->ended_ns, ms);
	case LOAD_TPOT_LAST:
		return per_token(o, last_token(o), ms);
	case LOAD_ITL:
		return o->streamed && longest_gap(o, ms);
	case LOAD_E2E:
		return between(o->due_ns, o->ended_ns, ms);
	case LOAD_E2E_SENT:
		return between(o->sent_ns, o->ended_ns, ms);
	case LOAD_E2E_LAST:
		return between(o->due_ns, last_token(o), ms);
	case LOAD_E2E_LAST_SENT:
		return between(o->sent_ns, last_token(o), ms);
	case LOAD_LOOP:
		*ms = (double)o->late_ns / 1e6;
		return o->ended_ns != 0;
	case LOAD_LATE:
	case LOAD_METRICS:
		break;
	}
	return false;
}

static bool meets(const struct load_slo *slo, const struct load_outcome *o)
{
	double ms;

	/* An answer of one token has no time between tokens, and none that was too long. */
	if (!load_outcome_get(o, slo->metric, &ms))
		return o->end == LOAD_OK && !o->empty && (slo->metric == LOAD_TPOT || slo->metric == LOAD_TPOT_LAST ||
							  slo->metric == LOAD_ITL);
	return slo->below ? ms < slo->ms : ms <= slo->ms;
}

/* ---- many ---- */

static void spread_add(struct load_spread *s, double v)
{
	s->least = s->n == 0 || v < s->least ? v : s->least;
	s->most = s->n == 0 || v > s->most ? v : s->most;
	s->sum += v;
	s->n++;
	quantile_add(&s->values, v);
}

struct load_percentile load_spread_get(struct load_spread *s, double p)
{
	struct load_percentile out = { .value = NAN, .interval = { NAN, NAN } };
	const double *sorted;
	uint64_t n = s->values.values.n / sizeof(*sorted), low, high;

	if (n == 0)
		return out;
	out.value = quantile_get(&s->values, p);
	out.estimated = quantile_is_estimated(&s->values);
	sorted = (const double *)(const void *)s->values.values.p;
	stats_rank_interval(n, p, LOAD_LEVEL, &low, &high);
	assert(!out.estimated || n == LOAD_KEPT);
	if (low >= 1 && high >= low && high <= n)
		out.interval = (struct interval){ sorted[low - 1], sorted[high - 1] };
	return out;
}

void load_stats_init(struct load_stats *s, struct arena *a, uint64_t start_ns, size_t stages)
{
	size_t all = stages > 1 ? stages + 1 : 1;

	*s = (struct load_stats){ .start_ns = start_ns, .count = stages };
	s->stages = arena_array(a, struct load_stage, all);
	for (size_t i = 0; i < all; i++) {
		s->stages[i].rate = NAN;
		for (int m = 0; m < LOAD_METRICS; m++)
			quantile_init(&s->stages[i].spreads[m].values, LOAD_KEPT);
	}
}

void load_stats_free(struct load_stats *s)
{
	for (size_t i = 0; i < (s->count > 1 ? s->count + 1 : s->count); i++)
		for (int m = 0; m < LOAD_METRICS; m++)
			quantile_free(&s->stages[i].spreads[m].values);
}

struct load_stage *load_stats_all(struct load_stats *s)
{
	return &s->stages[s->count > 1 ? s->count : 0];
}

/* Names are compared up to what is kept of them. The last place is for all that have none of their own. */
static void add_failure(struct load_stats *s, const char *name)
{
	for (size_t i = 0; i < s->failure_count; i++)
		if (strncmp(s->failures[i].name, name, sizeof(s->failures[i].name) - 1) == 0) {
			s->failures[i].count++;
			return;
		}
	if (s->failure_count == LOAD_FAILURES) {
		s->failures[LOAD_FAILURES - 1].count++;
		return;
	}
	if (s->failure_count == LOAD_FAILURES - 1)
		name = "other";
	snprintf(s->failures[s->failure_count].name, sizeof(s->failures[0].name), "%s", name);
	s->failures[s->failure_count++].count = 1;
}

static void add_gaps(struct load_spread *s, const struct load_outcome *o)
{
	for (size_t i = 1; i < o->arrival_count; i++)
		spread_add(s, (double)(o->arrivals[i] - o->arrivals[i - 1]) / 1e6);
}

/* Of gaps between pieces every one is kept, not only the longest, which is what load_outcome_get gives. */
static void stage_add(struct load_stage *g, const struct load_stats *s, const struct load_outcome *o, bool good)
{
	double ms;

	g->due++;
	g->ends[o->end]++;
	g->sent += o->sent_ns != 0;
	g->good += good;
	g->empty += o->end == LOAD_OK && o->empty;
	g->events += o->events;
	if (o->ended_ns > s->start_ns + g->last_ns)
		g->last_ns = o->ended_ns - s->start_ns;
	for (int m = 0; m < LOAD_METRICS; m++)
		if (m == LOAD_ITL)
			continue;
		else if (load_outcome_get(o, (enum load_metric)m, &ms))
			spread_add(&g->spreads[m], ms);
	if (o->end != LOAD_OK)
		return;
	if (o->streamed)
		add_gaps(&g->spreads[LOAD_ITL], o);
	g->input_tokens += o->input_tokens;
	g->output_tokens += o->output_tokens;
	g->estimated += !o->output_known;
}

void load_stats_add(struct load_stats *s, const struct load_outcome *o)
{
	bool good = o->end == LOAD_OK;

	for (size_t i = 0; good && i < s->slo_count; i++)
		good = meets(&s->slos[i], o);
	if (o->end != LOAD_OK && o->end != LOAD_NOT_SENT && o->end != LOAD_GIVEN_UP)
		add_failure(s, o->failure ? o->failure : load_end_name(o->end));
	stage_add(&s->stages[o->stage < s->count ? o->stage : s->count - 1], s, o, good);
	if (s->count > 1)
		stage_add(load_stats_all(s), s, o, good);
}

void load_stats_span(struct load_stats *s, size_t stage, double rate, uint64_t begin_ns, uint64_t length_ns)
{
	struct load_stage *all = load_stats_all(s), *g = &s->stages[stage];

	g->rate = rate;
	g->begin_ns = begin_ns;
	g->length_ns = length_ns;
	if (s->count > 1 && begin_ns + length_ns > all->length_ns)
		all->length_ns = begin_ns + length_ns;
}

double load_stage_seconds(const struct load_stage *g)
{
	uint64_t end = g->begin_ns + g->length_ns;

	if (g->last_ns > end)
		end = g->last_ns;
	return end > g->begin_ns ? (double)(end - g->begin_ns) / 1e9 : NAN;
}

double load_stage_rate(const struct load_stage *g, uint64_t count)
{
	return (double)count / load_stage_seconds(g);
}

double load_stage_sent_rate(const struct load_stage *g)
{
	return g->length_ns ? (double)g->sent / ((double)g->length_ns / 1e9) : NAN;
}

uint64_t load_stage_counted(const struct load_stage *g)
{
	return g->due - g->ends[LOAD_GIVEN_UP];
}

const char *load_stats_bottleneck(struct load_stats *s, double busy)
{
	struct load_stage *all = load_stats_all(s);
	double late = load_spread_get(&all->spreads[LOAD_LATE], 0.99).value;
	double loop = load_spread_get(&all->spreads[LOAD_LOOP], 0.99).value;
	double e2e = load_spread_get(&all->spreads[LOAD_E2E], 0.5).value;
	double allowed = isnan(e2e) || e2e * LATE_SHARE < LATE_MS ? LATE_MS : e2e * LATE_SHARE;

	if (all->ends[LOAD_NOT_SENT])
		return "requests were not sent because too many were open";
	if (late > allowed)
		return "requests were sent late";
	if (loop > allowed)
		return "answers waited for the client";
	if (busy > BUSY)
		return "the client was busy all the time";
	return NULL;
}
