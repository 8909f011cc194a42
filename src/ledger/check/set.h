/*
 * Hashes of 128 bits, each with a number: which names were seen, and where. Twenty-four bytes a slot; nothing is ever
 * taken out. The hash is seeded for each process, so that nobody can prepare names that collide.
 */
#ifndef LEDGER_CHECK_SET_H
#define LEDGER_CHECK_SET_H

#include "base/str.h"

struct check_slot {
	struct hash key; /* both 0: free */
	uint64_t value;
};

struct check_set {
	struct check_slot *slots;
	size_t count, cap; /* cap is a power of two, or 0 */
};

/* Frees the slots; the set is empty then and may be used again. A set of zeros is an empty one. */
void check_set_free(struct check_set *s);

/* The number of a name, added with `value` when it is new (*added). Lasts until the next one is added. */
uint64_t *check_set_add(struct check_set *s, struct hash key, uint64_t value, bool *added);

/* The number of a name, or NULL when it was never added. Lasts until the next one is added. */
uint64_t *check_set_find(const struct check_set *s, struct hash key);

#endif
