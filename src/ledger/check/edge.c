/*
 * Each level is a Merkle tree of its own with at most 256 leaves; the root is folded from the right, from the lowest
 * level up.
 */
#include "ledger/check/edge.h"

#include <assert.h>

void check_edge_init(struct check_edge *e)
{
	memset(e, 0, sizeof(*e));
}

/* As merkle_add does it: the stack is the count in binary, and every carry joins two subtrees of equal size. */
bool check_edge_add(struct check_edge *e, struct sha256 *s, unsigned level, struct digest h)
{
	struct check_level *l = e->levels + level;

	assert(l->count < TILE_WIDTH);
	l->hashes[l->count] = h;
	for (unsigned carry = l->count; carry & 1; carry >>= 1)
		h = tree_node(s, l->stack[--l->depth], h);
	l->stack[l->depth++] = h;
	l->count++;
	e->size += (uint64_t)1 << 8 * level;
	return l->count == TILE_WIDTH;
}

bool check_edge_lift(struct check_edge *e, struct sha256 *s, unsigned level)
{
	struct check_level *l = e->levels + level;
	struct digest h = l->stack[0];

	assert(l->count == TILE_WIDTH && l->depth == 1 && level + 1 < TILE_LEVELS);
	l->count = 0;
	l->depth = 0;
	l->tile++;
	e->size -= (uint64_t)1 << 8 * (level + 1); /* which adding it above counts again */
	return check_edge_add(e, s, level + 1, h);
}

void check_edge_add_leaf(struct check_edge *e, struct sha256 *s, struct digest leaf)
{
	bool full = check_edge_add(e, s, 0, leaf);

	for (unsigned level = 0; full && level + 1 < TILE_LEVELS; level++)
		full = check_edge_lift(e, s, level);
}

struct digest check_edge_root(const struct check_edge *e, struct sha256 *s)
{
	struct digest d = { { 0 } };
	bool begun = false;

	for (unsigned level = 0; level < TILE_LEVELS; level++) {
		const struct check_level *l = e->levels + level;

		for (unsigned i = l->depth; i > 0; i--) {
			d = begun ? tree_node(s, l->stack[i - 1], d) : l->stack[i - 1];
			begun = true;
		}
	}
	return begun ? d : sha256_of(s, STR(""));
}
