/*
 * What a question that is not served is told: which entries are near, and where the nearest differs. They are shown and
 * never served.
 */
#include <stdlib.h>

#include "replay/match_private.h"

/* A miss is compared with so many entries, and with more as long as there are few bytes of them. */
#define MATCH_COMPARED 64
#define MATCH_COMPARED_MOST 4096
#define MATCH_COMPARED_BYTES ((size_t)4 << 20)

/* So many times farther away is one that the run has not come to: the place of a difference is where it happened. */
#define MATCH_NOT_DUE 4

bool match_masks(const void *context, const struct volatile_text *t, struct str text)
{
	const struct match_masking *k = context;
	const struct ties_value *v = ties_find(&k->m->ties, k->side, text);

	return volatile_is_near(t, k->clock_us) && !(v && v->is_foreign);
}

struct match_rank {
	struct match_slot *slot;
	uint64_t distance;
	size_t bytes;   /* that are not before the first difference, nor behind the last: of equals the likelier */
	bool elsewhere; /* another method or target */
	bool due;       /* it is of the first epoch that is not over */
};

struct match_ranks {
	struct match_rank *items;
	size_t count, cap, bytes;
};

static int match_by_distance(const void *a, const void *b)
{
	const struct match_rank *x = a, *y = b;
	uint64_t m = x->distance * (x->due ? 1 : MATCH_NOT_DUE), n = y->distance * (y->due ? 1 : MATCH_NOT_DUE);

	if (x->elsewhere != y->elsewhere)
		return x->elsewhere - y->elsewhere;
	if (m != n)
		return m < n ? -1 : 1;
	if (x->due != y->due)
		return x->due ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return x->slot < y->slot ? -1 : 1;
}

static bool match_is_full(const struct match_ranks *r)
{
	return r->count >= MATCH_COMPARED && (r->bytes > MATCH_COMPARED_BYTES || r->count >= MATCH_COMPARED_MOST);
}

static uint64_t match_find_due(const struct match *m, struct str lane)
{
	uint64_t due = UINT64_MAX;

	for (size_t i = 0; i < m->count; i++)
		if (!m->slots[i].used && str_eq(m->slots[i].e.q.lane, lane) && m->slots[i].epoch < due)
			due = m->slots[i].epoch;
	return due;
}

/* The oldest unused entries of the lane, those of the same method and target first. */
static void match_list_near(struct match *m, const struct match_question *q, struct match_ranks *r)
{
	uint64_t due = match_find_due(m, q->lane);

	for (int elsewhere = 0; elsewhere < 2; elsewhere++)
		for (size_t i = 0; i < m->count && !match_is_full(r); i++) {
			struct match_slot *s = &m->slots[i];
			bool same = str_eq(s->e.q.method, q->method) && str_eq(s->e.q.target, q->target);

			if (s->used || !str_eq(s->e.q.lane, q->lane) || same == elsewhere)
				continue;
			arena_grow(&m->work, r->items, r->count, r->cap, 64);
			r->bytes += s->e.q.body.n;
			r->items[r->count++] = (struct match_rank){ .slot = s, .elsewhere = elsewhere,
								    .due = s->epoch == due };
		}
}

static size_t match_count_bytes(struct str x, struct str y)
{
	size_t least = x.n < y.n ? x.n : y.n, front = 0, back = 0;

	while (front < least && x.p[front] == y.p[front])
		front++;
	while (back < least - front && x.p[x.n - 1 - back] == y.p[y.n - 1 - back])
		back++;
	return (x.n > y.n ? x.n : y.n) - front - back;
}

/* *first, unless NULL, gets the first difference. */
static void match_compare(struct match *m, struct arena *a, struct match_rank *r, const struct match_body *b,
			  struct match_difference *first)
{
	const struct match_slot *s = r->slot;
	struct match_masking old = { m, TIES_RECORDED, m->o.recorded_clock_us };
	struct match_masking new = { m, TIES_LIVE, m->o.live_clock_us };
	struct difference_side got = { b->normal.bytes, b->normal.is_json, match_masks, &new }, expected;
	struct arena scratch;
	struct normal n;

	arena_init(&scratch);
	normal_make(m->maker.normalizer, &scratch, normal_kind_of(s->e.q.lane, s->e.q.target), s->e.q.body, &n);
	expected = (struct difference_side){ n.bytes, n.is_json, match_masks, &old };
	r->distance = difference_count(m->difference, first ? a : &scratch, &expected, &got, first);
	r->bytes = match_count_bytes(n.bytes, b->normal.bytes);
	arena_free(&scratch);
}

void match_differ(struct match *m, struct arena *a, struct match_slot *s, const struct match_body *b,
		  struct match_difference *out)
{
	struct match_rank r = { .slot = s };

	match_compare(m, a, &r, b, out);
}

void match_miss(struct match *m, struct arena *a, const struct match_question *q, const struct match_body *b,
		struct match_result *out)
{
	struct match_ranks r = { .items = NULL };
	const struct match_entry *e;

	m->tally.missed++;
	match_list_near(m, q, &r);
	for (size_t i = 0; i < r.count; i++)
		match_compare(m, a, &r.items[i], b, NULL);
	if (r.count == 0)
		return;
	qsort(r.items, r.count, sizeof(*r.items), match_by_distance);
	for (; out->near_count < r.count && out->near_count < MATCH_NEAR; out->near_count++)
		out->near[out->near_count] = (struct match_near){ r.items[out->near_count].slot->e.x,
								  r.items[out->near_count].distance };
	e = &r.items[0].slot->e;
	if (!str_eq(e->q.method, q->method))
		difference_of_texts(a, STR("method"), e->q.method, q->method, &out->difference);
	else if (!str_eq(e->q.target, q->target))
		difference_of_texts(a, STR("target"), e->q.target, q->target, &out->difference);
	else
		match_compare(m, a, &r.items[0], b, &out->difference);
}
