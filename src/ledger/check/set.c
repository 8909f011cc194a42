/* Open addressing with linear probing over a power of two. Keys are hashes already, so they are not hashed again. */
#include "ledger/check/set.h"

#include <assert.h>

#include "base/arena.h"

#define FIRST_CAP 1024

void check_set_free(struct check_set *s)
{
	mem_free(s->slots);
	*s = (struct check_set){ .slots = NULL };
}

/* Zero marks a free slot, so no name may have it. */
static struct hash usable(struct hash key)
{
	if (key.a == 0 && key.b == 0)
		key.b = 1;
	return key;
}

/* The slot of this key, or a free one. check_set_add keeps a quarter of the slots free, so the walk ends. */
static struct check_slot *find(const struct check_set *s, struct hash key)
{
	size_t at = (size_t)key.a & (s->cap - 1);

	assert(s->count < s->cap && (s->cap & (s->cap - 1)) == 0);
	while ((s->slots[at].key.a || s->slots[at].key.b) &&
	       (s->slots[at].key.a != key.a || s->slots[at].key.b != key.b))
		at = (at + 1) & (s->cap - 1);
	return s->slots + at;
}

static void check_set_grow(struct check_set *s)
{
	struct check_set bigger = { .count = s->count, .cap = s->cap ? 2 * s->cap : FIRST_CAP };

	bigger.slots = mem_alloc(bigger.cap * sizeof(*bigger.slots));
	memset(bigger.slots, 0, bigger.cap * sizeof(*bigger.slots));
	for (size_t i = 0; i < s->cap; i++)
		if (s->slots[i].key.a || s->slots[i].key.b)
			*find(&bigger, s->slots[i].key) = s->slots[i];
	mem_free(s->slots);
	*s = bigger;
}

uint64_t *check_set_add(struct check_set *s, struct hash key, uint64_t value, bool *added)
{
	struct check_slot *slot;

	if (s->count >= s->cap / 4 * 3)
		check_set_grow(s);
	key = usable(key);
	slot = find(s, key);
	*added = !slot->key.a && !slot->key.b;
	if (*added) {
		*slot = (struct check_slot){ .key = key, .value = value };
		s->count++;
	}
	return &slot->value;
}

uint64_t *check_set_find(const struct check_set *s, struct hash key)
{
	struct check_slot *slot;

	if (s->cap == 0)
		return NULL;
	key = usable(key);
	slot = find(s, key);
	return slot->key.a || slot->key.b ? &slot->value : NULL;
}
