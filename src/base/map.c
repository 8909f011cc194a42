#include "base/map.h"

#include <assert.h>

#define FIRST_CAP ((size_t)16)

void map_init(struct map *m, struct arena *arena)
{
	assert(arena);
	*m = (struct map){ .arena = arena };
}

/* The slot of key, or the free slot where it belongs. There is always a free one. */
static struct map_slot *map_slot_of(const struct map *m, struct str key, uint64_t hash)
{
	size_t mask = m->cap - 1;

	assert(m->cap && (m->cap & mask) == 0);
	assert(m->count < m->cap); /* or the walk would not end */
	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		struct map_slot *s = &m->slots[i];

		if (!s->key.p || (s->hash == hash && str_eq(s->key, key)))
			return s;
	}
}

static void grow(struct map *m)
{
	struct map old = *m;

	m->cap = old.cap ? old.cap * 2 : FIRST_CAP;
	m->slots = arena_array(m->arena, struct map_slot, m->cap);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].key.p)
			*map_slot_of(m, old.slots[i].key, old.slots[i].hash) = old.slots[i];
}

uint64_t *map_find(const struct map *m, struct str key)
{
	struct map_slot *s;

	if (m->count == 0)
		return NULL;
	s = map_slot_of(m, key, str_hash(key));
	return s->key.p ? &s->value : NULL;
}

uint64_t *map_add(struct map *m, struct str key, bool *added)
{
	uint64_t hash = str_hash(key);
	struct map_slot *s;

	if (m->count >= m->cap / 4 * 3)
		grow(m);
	s = map_slot_of(m, key, hash);
	*added = !s->key.p;
	if (*added) {
		*s = (struct map_slot){ arena_copy(m->arena, key), hash, 0 };
		m->count++;
	}
	return &s->value;
}
