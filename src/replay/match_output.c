/*
 * The outputs of two runs, held against each other when everything was asked. They are no questions: nothing is served,
 * and nothing is left out of them. Values that are new in every run may differ as they may in requests, but for
 * hexadecimal numbers: in an output they are mostly digests of what the run made, and tell that it made something else.
 */
#include "replay/match_private.h"
#include "replay/translate.h"

static void match_see_answered(void *context, struct str text)
{
	struct match *m = context;
	size_t number = ties_add(&m->ties, TIES_RECORDED, text);
	struct ties_value *v = &m->ties.values[TIES_RECORDED][number];

	v->is_foreign = v->is_foreign || v->asked_us == INT64_MAX;
}

/* Of this run every answer was seen when it was given; of the recorded one only those that questions repeat. */
static void match_see_all_answers(struct match *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->slots[i].e.answer.n)
			translate_scan(m->parser, m->slots[i].e.answer, match_see_answered, m);
}

static bool match_masks_output(const void *context, const struct volatile_text *t, struct str text)
{
	return t->type != VOLATILE_HEX && match_masks(context, t, text);
}

/* The numbers of all values that are masked, in their order. */
static size_t *match_list_masked(struct match *m, struct arena *a, const struct match_masking *side, struct str text,
				 size_t *count)
{
	struct volatile_scan s = volatile_begin(text);
	struct volatile_text t;
	size_t *list = NULL, cap = 0;

	*count = 0;
	while (volatile_next(&s, &t)) {
		struct str value = str_of(text.p + t.from, t.end - t.from);

		if (!match_masks_output(side, &t, value))
			continue;
		arena_grow(a, list, *count, cap, 64);
		list[(*count)++] = ties_add(&m->ties, side->side, value);
	}
	return list;
}

bool match_output(struct match *m, struct arena *a, struct str recorded, struct str live, struct match_result *out)
{
	struct match_masking then = { m, TIES_RECORDED, m->o.recorded_clock_us };
	struct match_masking now = { m, TIES_LIVE, m->o.live_clock_us };
	struct difference_side expected = { recorded, false, match_masks_output, &then };
	struct difference_side got = { live, false, match_masks_output, &now };
	size_t *old, *new, count, other;

	*out = (struct match_result){ .tier = MATCH_MISS };
	match_see_all_answers(m);
	if (difference_count(m->difference, a, &expected, &got, &out->difference))
		return false;
	old = match_list_masked(m, a, &then, recorded, &count);
	new = match_list_masked(m, a, &now, live, &other);
	assert(count == other); /* else they would differ */
	if (!count || (!ties_join(&m->ties, old, new, count, false) && !ties_join(&m->ties, old, new, count, true)))
		return false;
	out->tier = MATCH_MASKED;
	for (size_t i = 0; i < count; i++)
		out->swap_count += !str_eq(m->ties.values[TIES_RECORDED][old[i]].text,
					   m->ties.values[TIES_LIVE][new[i]].text);
	return true;
}
