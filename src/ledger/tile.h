/*
 * The static shape of a log (c2sp.org/tlog-tiles): tiles of up to 256 hashes, bundles of up to 256 entries, and the
 * paths they have. Objects, which entries name by their digest, lie beside them.
 */
#ifndef LEDGER_TILE_H
#define LEDGER_TILE_H

#include <limits.h>

#include "base/buf.h"
#include "base/crypto/sha256.h"

#define TILE_WIDTH 256
#define TILE_LEVELS 8 /* 256^8 entries: more than fit 63 bits */
#define TILE_ENTRIES UINT_MAX /* the level of bundles */
#define ENTRY_MAX 65535 /* bytes of an entry: its length has 16 bits in a bundle */
#define TILE_PATH_MAX 64
#define OBJECT_TOP "objects/sha256/"
#define OBJECT_PATH_MAX (sizeof(OBJECT_TOP) + SHA256_HEX + 1)

struct tile {
	unsigned level; /* 0 to TILE_LEVELS - 1, or TILE_ENTRIES */
	uint64_t n;     /* which one of its level, counted from 0 */
	unsigned width; /* 1 to 256 */
};

/*
 * "tile/0/x001/x234/067.p/12", terminated; gives the length. Level and width must be possible ones, which is
 * asserted. tile_parse_path reads it back; false, and *out untouched, for anything else.
 */
size_t tile_path(char out[TILE_PATH_MAX], const struct tile *t);
bool tile_parse_path(struct str path, struct tile *out); /* strict: only what tile_path gives */

/*
 * How wide the right-most tile is at a level (bundles: TILE_ENTRIES) for a log of this size, 0 when there is no
 * partial one; and how many full ones are before it.
 */
unsigned tile_partial_width(unsigned level, uint64_t size);
uint64_t tile_full_count(unsigned level, uint64_t size);

/*
 * The tile that has hash or entry i of a level, as wide as a log of this size has it. i must be one that the log has,
 * which is asserted.
 */
struct tile tile_of(unsigned level, uint64_t i, uint64_t size);

/* ---- bundles: u16be length and bytes, for each entry ---- */

/* Adds an entry of at most ENTRY_MAX bytes, which is asserted. */
void bundle_add(struct buf *out, struct str entry);
/*
 * The next entry, which points into the bytes; false at the end, and also (*broken) when the bytes do not come out
 * even.
 */
bool bundle_next(struct str *rest, struct str *entry, bool *broken);

/* ---- objects ---- */

/* "objects/sha256/ab/cdef...", terminated: where a log's directory has the object of this digest. */
void object_path(char out[OBJECT_PATH_MAX], struct digest d);

#endif
