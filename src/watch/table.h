/*
 * A table of structs by key, with a limit, from which many can be taken out at once. The structs stand side by side in
 * one array; taking out moves those behind. It lives on the heap until table_free.
 */
#ifndef WATCH_TABLE_H
#define WATCH_TABLE_H

#include "base/str.h"

struct table {
	size_t size;  /* of a struct, which begins with its struct hash */
	size_t limit; /* of structs */
	char *items;
	size_t count, cap;
	uint32_t *slots; /* index of an item + 1; 0 is free. Twice as many as cap, a power of two */
};

/* An empty table of structs of `size` bytes, at most `limit` of them. Takes no memory yet. */
void table_init(struct table *t, size_t size, size_t limit);
void table_free(struct table *t);

/* The item with this key, or NULL. */
void *table_find(const struct table *t, struct hash key);

/*
 * The item with this key, made of zeros and the key when there is none; NULL when the table is full. Valid until the
 * next call of table_add or table_keep, which may move items.
 */
void *table_add(struct table *t, struct hash key, bool *added);

/* The next table_add of a new key would need more memory, or the table is full: a good time for table_keep. */
bool table_is_tight(const struct table *t);

static inline void *table_at(const struct table *t, size_t index)
{
	assert(index < t->count);
	return t->items + index * t->size;
}

/* Keeps the items for which `keep` gives true, in their order. `keep` frees what another one holds. */
void table_keep(struct table *t, bool (*keep)(void *context, void *item), void *context);

#endif
