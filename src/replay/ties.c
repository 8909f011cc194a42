/* Values have numbers, by a map for each side; a tie is the number on the other side, plus 1. */
#include "replay/ties.h"

#include "replay/volatile.h"

void ties_init(struct ties *t, struct arena *a)
{
	*t = (struct ties){ .arena = a };
	for (int i = 0; i < TIES_SIDES; i++)
		map_init(&t->names[i], a);
}

size_t ties_add(struct ties *t, enum ties_side side, struct str text)
{
	bool added;
	uint64_t *number = map_add(&t->names[side], text, &added);

	if (!added)
		return (size_t)*number;
	*number = t->count[side];
	arena_grow(t->arena, t->values[side], t->count[side], t->cap[side], 64);
	t->values[side][t->count[side]] = (struct ties_value){
		.text = arena_copy(t->arena, text), .asked_us = INT64_MAX, .answered_us = INT64_MAX,
	};
	return t->count[side]++;
}

struct ties_value *ties_find(const struct ties *t, enum ties_side side, struct str text)
{
	uint64_t *number = map_find(&t->names[side], text);

	return number ? &t->values[side][*number] : NULL;
}

static bool ties_is_time(struct str text)
{
	struct volatile_scan s = volatile_begin(text);
	struct volatile_text v;

	return volatile_next(&s, &v) && v.is_time;
}

bool ties_join(struct ties *t, const size_t *recorded, const size_t *live, size_t count, bool loose)
{
	struct ties_value *old = t->values[TIES_RECORDED], *new = t->values[TIES_LIVE];
	size_t changed = t->changed, i, made = 0;
	bool good = true;

	/* those that this call makes are marked by their place behind all numbers, to be undone */
	size_t base = t->count[TIES_RECORDED] + 1;

	for (i = 0; i < count && good; i++) {
		struct ties_value *a = &old[recorded[i]], *b = &new[live[i]];
		size_t back = b->other > base ? b->other - base : b->other;

		if (!a->other && !b->other) {
			a->other = live[i] + 1;
			b->other = recorded[i] + 1 + base;
			t->changed += !str_eq(a->text, b->text);
			made++;
		} else if (a->other != live[i] + 1 || back != recorded[i] + 1) {
			good = loose && ties_is_time(a->text) && ties_is_time(b->text);
		}
	}
	for (size_t k = 0; k < i && made; k++) {
		struct ties_value *a = &old[recorded[k]], *b = &new[live[k]];

		if (b->other <= base)
			continue;
		b->other = good ? b->other - base : 0;
		a->other = good ? a->other : 0;
		made--;
	}
	t->changed = good ? t->changed : changed;
	return good;
}

struct str ties_live_of(const struct ties *t, struct str recorded)
{
	const struct ties_value *v = t->changed ? ties_find(t, TIES_RECORDED, recorded) : NULL;

	return v && v->other ? t->values[TIES_LIVE][v->other - 1].text : recorded;
}
