/* Open addressing into an array of items. Half of the slots stay free, so every walk ends soon. */
#include "watch/table.h"

#include "base/arena.h"

#define FIRST 64 /* items in the first array; a power of two, as all later sizes are */

void table_init(struct table *t, size_t size, size_t limit)
{
	assert(size >= sizeof(struct hash) && limit > 0 && limit < UINT32_MAX);
	*t = (struct table){ .size = size, .limit = limit };
}

void table_free(struct table *t)
{
	mem_free(t->items);
	mem_free(t->slots);
	table_init(t, t->size, t->limit);
}

/* The slot of this key, or the free one where it belongs. */
static uint32_t *table_slot(const struct table *t, struct hash key)
{
	size_t mask = 2 * t->cap - 1, at = key.a & mask;

	assert(t->count <= t->cap && t->cap > 0);
	for (; t->slots[at]; at = (at + 1) & mask) {
		const struct hash *there = table_at(t, t->slots[at] - 1);

		if (there->a == key.a && there->b == key.b)
			break;
	}
	return &t->slots[at];
}

/* Enters every item anew, after the array grew or items moved. */
static void table_index(struct table *t)
{
	memset(t->slots, 0, 2 * t->cap * sizeof(*t->slots));
	for (size_t i = 0; i < t->count; i++)
		*table_slot(t, *(const struct hash *)table_at(t, i)) = (uint32_t)(i + 1);
}

static void table_grow(struct table *t)
{
	t->cap = t->cap ? 2 * t->cap : FIRST;
	t->items = mem_resize_array(t->items, t->cap, t->size);
	t->slots = mem_resize_array(t->slots, 2 * t->cap, sizeof(*t->slots));
	table_index(t);
}

void *table_find(const struct table *t, struct hash key)
{
	uint32_t slot = t->count ? *table_slot(t, key) : 0;

	return slot ? table_at(t, slot - 1) : NULL;
}

bool table_is_tight(const struct table *t)
{
	return t->count == t->cap || t->count >= t->limit;
}

void *table_add(struct table *t, struct hash key, bool *added)
{
	void *item = table_find(t, key);

	*added = !item && t->count < t->limit;
	if (!*added)
		return item;
	if (t->count == t->cap)
		table_grow(t);
	*table_slot(t, key) = (uint32_t)++t->count;
	item = table_at(t, t->count - 1);
	memset(item, 0, t->size);
	memcpy(item, &key, sizeof(key));
	return item;
}

void table_keep(struct table *t, bool (*keep)(void *context, void *item), void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		char *item = table_at(t, i);

		if (!keep(context, item))
			continue;
		if (kept < i)
			memcpy(t->items + kept * t->size, item, t->size);
		kept++;
	}
	if (kept == t->count)
		return;
	t->count = kept;
	table_index(t);
}
