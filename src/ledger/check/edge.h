/*
 * The right edge of a tree in the shape of tiles: of each level the hashes of its unfinished tile, and the subtrees
 * that they make. Leaves come in order; a level with 256 hashes is one hash of the level above.
 */
#ifndef LEDGER_CHECK_EDGE_H
#define LEDGER_CHECK_EDGE_H

#include "ledger/tile.h"
#include "ledger/tree.h"

struct check_level {
	struct digest hashes[TILE_WIDTH];
	unsigned count;
	uint64_t tile; /* which one is unfinished */
	struct digest stack[9];
	unsigned depth;
};

struct check_edge {
	struct check_level levels[TILE_LEVELS];
	uint64_t size; /* leaves */
};

/* The edge of an empty tree. It owns nothing. */
void check_edge_init(struct check_edge *e);

/* Adds a hash to a level: true when its tile is full. Then it is to be looked at, and lifted. */
bool check_edge_add(struct check_edge *e, struct sha256 *s, unsigned level, struct digest h);

/* Makes a full tile a hash of the level above, and begins the next one. True when that one is full by this. */
bool check_edge_lift(struct check_edge *e, struct sha256 *s, unsigned level);

/* Adds a leaf, and lifts every tile that it fills. */
void check_edge_add_leaf(struct check_edge *e, struct sha256 *s, struct digest leaf);

/* The root of all leaves so far; of none, the hash of nothing. */
struct digest check_edge_root(const struct check_edge *e, struct sha256 *s);

#endif
