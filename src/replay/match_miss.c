/*
 * What a question that is not served is told: which entries are near, and where the nearest differs. They are shown and
 * never served.
 */
#include <stdlib.h>

#include "replay/match_private.h"

#define MATCH_COMPARED 64 /* entries that a miss is compared with */

struct match_masking {
	const struct match *m;
	enum ties_side side;
	int64_t clock_us;
};

static bool match_masks(const void *context, const struct volatile_text *t, struct str text)
{
	const struct match_masking *k = context;
	const struct ties_value *v = ties_find(&k->m->ties, k->side, text);

	return volatile_is_near(t, k->clock_us) && !(v && v->is_foreign);
}

struct match_rank {
	struct match_slot *slot;
	uint64_t distance;
	bool elsewhere; /* another method or target */
};

static int match_by_distance(const void *a, const void *b)
{
	const struct match_rank *x = a, *y = b;

	if (x->elsewhere != y->elsewhere)
		return x->elsewhere - y->elsewhere;
	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return x->slot < y->slot ? -1 : 1;
}

/* The oldest unused entries of the lane, those of the same method and target first. */
static size_t match_list_near(struct match *m, const struct match_question *q, struct match_rank *list)
{
	size_t count = 0;

	for (int elsewhere = 0; elsewhere < 2; elsewhere++)
		for (size_t i = 0; i < m->count && count < MATCH_COMPARED; i++) {
			struct match_slot *s = &m->slots[i];
			bool same = str_eq(s->e.q.method, q->method) && str_eq(s->e.q.target, q->target);

			if (!s->used && str_eq(s->e.q.lane, q->lane) && same == !elsewhere)
				list[count++] = (struct match_rank){ .slot = s, .elsewhere = elsewhere };
		}
	return count;
}

static uint64_t match_compare(struct match *m, struct arena *a, const struct match_slot *s, const struct match_body *b,
			      struct match_difference *first)
{
	struct match_masking old = { m, TIES_RECORDED, m->o.recorded_clock_us };
	struct match_masking new = { m, TIES_LIVE, m->o.live_clock_us };
	struct difference_side got = { b->normal.bytes, b->normal.is_json, match_masks, &new }, expected;
	struct arena scratch;
	struct normal n;
	uint64_t distance;

	arena_init(&scratch);
	normal_make(m->maker.normalizer, &scratch, normal_kind_of(s->e.q.lane), s->e.q.body, &n);
	expected = (struct difference_side){ n.bytes, n.is_json, match_masks, &old };
	distance = difference_count(m->difference, first ? a : &scratch, &expected, &got, first);
	arena_free(&scratch);
	return distance;
}

void match_miss(struct match *m, struct arena *a, const struct match_question *q, const struct match_body *b,
		struct match_result *out)
{
	struct match_rank list[MATCH_COMPARED];
	size_t count = match_list_near(m, q, list);
	const struct match_entry *e;

	m->tally.missed++;
	for (size_t i = 0; i < count; i++)
		list[i].distance = match_compare(m, a, list[i].slot, b, NULL);
	qsort(list, count, sizeof(*list), match_by_distance);
	for (; out->near_count < count && out->near_count < MATCH_NEAR; out->near_count++)
		out->near[out->near_count] = (struct match_near){ list[out->near_count].slot->e.x,
								  list[out->near_count].distance };
	if (count == 0)
		return;
	e = &list[0].slot->e;
	if (!str_eq(e->q.method, q->method))
		difference_of_texts(a, STR("method"), e->q.method, q->method, &out->difference);
	else if (!str_eq(e->q.target, q->target))
		difference_of_texts(a, STR("target"), e->q.target, q->target, &out->difference);
	else
		match_compare(m, a, list[0].slot, b, &out->difference);
}
