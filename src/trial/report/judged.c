/* Reviews are sorted by trial, reviewer and place in the log; the last of each reviewer stays. */
#include "trial/report/judged.h"

#include <inttypes.h>
#include <stdlib.h>

struct judged_item {
	uint32_t trial, reviewer; /* the reviewer's rank */
	uint64_t index;
	const struct review_fact *review;
};

static int judged_compare(const void *a, const void *b)
{
	const struct judged_item *x = a, *y = b;

	if (x->trial != y->trial)
		return x->trial < y->trial ? -1 : 1;
	if (x->reviewer != y->reviewer)
		return x->reviewer < y->reviewer ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static bool judged_is_same(const struct judged_item *x, const struct judged_item *y)
{
	return x->trial == y->trial && x->reviewer == y->reviewer;
}

/* `since` is the first of the reviewer's annotations that say so without another one between. */
static void judged_note_opinion(struct judged *j, const struct review_fact *r, uint64_t since)
{
	uint64_t *first = r->judgment == JUDGMENT_PASS ? &j->passed_at : &j->failed_at;

	if (r->judgment <= JUDGMENT_FAIL && (!*first || since < *first))
		*first = since;
}

/* Annotations alone: others are counted, and adjudications noted. */
static size_t judged_gather(struct judging *g, const struct tally *t, struct judged_item *items)
{
	size_t n = 0;

	for (size_t i = 0; i < t->review_count; i++) {
		const struct review_fact *r = &t->reviews[i];

		if (r->kind == REVIEW_ANNOTATION)
			items[n++] = (struct judged_item){ r->trial, t->ranks[r->reviewer], r->index, r };
		g->trials[r->trial].adjudications += r->kind == REVIEW_ADJUDICATION;
		g->trials[r->trial].feedback += r->kind == REVIEW_FEEDBACK;
		if (r->kind != REVIEW_ADJUDICATION || r->judgment > JUDGMENT_FAIL ||
		    r->index < g->trials[r->trial].adjudicated_at)
			continue;
		g->trials[r->trial].adjudicated_at = r->index;
		g->trials[r->trial].verdict = r->judgment;
	}
	return n;
}

static void judged_finish(struct judged *j)
{
	j->is_disputed = j->pass && j->fail;
	j->is_adjudicated = j->adjudicated_at &&
			    (!j->is_disputed || (j->adjudicated_at > j->passed_at && j->adjudicated_at > j->failed_at));
	if (judged_is_open(j))
		j->verdict = JUDGMENT_NONE;
	else if (!j->is_adjudicated && j->judging)
		j->verdict = j->pass ? JUDGMENT_PASS : JUDGMENT_FAIL;
}

struct judging judging_make(const struct tally *t)
{
	struct judging g = { .count = t->count };
	struct judged_item *items = mem_alloc((t->review_count + 1) * sizeof(*items));
	uint64_t since = 0;
	size_t n;

	g.trials = arena_array(t->arena, struct judged, t->count + 1);
	g.annotations = arena_array(t->arena, struct review_fact, t->review_count + 1);
	for (size_t i = 0; i < t->count; i++)
		g.trials[i].verdict = JUDGMENT_NONE;
	n = judged_gather(&g, t, items);
	if (n)
		qsort(items, n, sizeof(*items), judged_compare);
	for (size_t i = 0; i < n; i++) {
		struct judged *j = &g.trials[items[i].trial];
		bool is_first = !i || !judged_is_same(&items[i - 1], &items[i]);

		if (is_first || items[i - 1].review->judgment != items[i].review->judgment)
			since = items[i].index;
		if (i + 1 < n && judged_is_same(&items[i], &items[i + 1])) {
			j->replaced++;
			continue;
		}
		judged_note_opinion(j, items[i].review, since);
		if (!j->count++)
			j->first = (uint32_t)g.annotation_count;
		g.annotations[g.annotation_count++] = *items[i].review;
		j->pass += items[i].review->judgment == JUDGMENT_PASS;
		j->fail += items[i].review->judgment == JUDGMENT_FAIL;
		j->judging = j->pass + j->fail;
	}
	for (size_t i = 0; i < t->count; i++)
		judged_finish(&g.trials[i]);
	mem_free(items);
	return g;
}

void judged_add(struct judged_sum *s, const struct judged *j)
{
	s->trials++;
	s->disputed += j->is_disputed;
	s->adjudicated += j->is_adjudicated;
	s->open += judged_is_open(j);
	s->annotations += j->count;
	s->replaced += j->replaced;
	s->adjudications += j->adjudications;
	s->feedback += j->feedback;
	if (!j->judging)
		return;
	if (!s->reviewed++ || j->judging < s->least)
		s->least = j->judging;
}

struct str judged_words(struct arena *a, const struct judged_sum *s)
{
	struct buf out;

	if (!s->reviewed && !s->adjudicated)
		return STR("not reviewed");
	buf_init(&out);
	buf_printf(&out, "%" PRIu64 " of %" PRIu64 " reviewed", s->reviewed, s->trials);
	if (s->reviewed)
		buf_printf(&out, " by %" PRIu32 " or more", s->least);
	if (s->adjudicated)
		buf_printf(&out, ", %" PRIu64 " adjudicated", s->adjudicated);
	if (s->open)
		buf_printf(&out, ", %" PRIu64 " open", s->open);
	return arena_take(a, &out);
}
