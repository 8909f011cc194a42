/*
 * A hash map from bytes to a 64-bit value, in an arena, open addressing, seeded once per process so
 * that hostile keys cannot be prepared. Keys are copied. There is no removal.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/arena.h"
#include "base/str.h"

struct map_slot {
	struct str key; /* p is NULL in a free slot */
	uint64_t hash;
	uint64_t value;
};

struct map {
	struct arena *arena;
	struct map_slot *slots;
	size_t count, cap; /* cap is a power of two, or 0 */
};

/* An empty map. The arena holds its slots and keys; when the map grows, the old slots stay until the arena goes. */
void map_init(struct map *m, struct arena *arena);

/* The value of key, or NULL. Valid until the next map_add. */
uint64_t *map_find(const struct map *m, struct str key);

/* The value of key, made with value 0 when absent (*added tells). Valid until the next map_add. */
uint64_t *map_add(struct map *m, struct str key, bool *added);

#endif
