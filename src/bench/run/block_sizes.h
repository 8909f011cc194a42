/*
 * How many tokens each block of an agent-trace's prompts is. The trace does not say: its blocks are cut by bytes, and
 * only the service counts tokens. But calls tell how many tokens they have in all. Going through them in order, what is
 * not in blocks that are known already is divided among the new ones. So a block has the same size wherever it
 * stands, and the blocks of a call add up to its tokens.
 */
#ifndef BENCH_RUN_BLOCK_SIZES_H
#define BENCH_RUN_BLOCK_SIZES_H

#include "bench/run/recorded.h"

/*
 * Adds a uint32_t for each of the `block_count` blocks to `out`, at least 1. Items are in the order of their times and
 * point into `blocks`.
 */
void block_sizes_find(struct buf *out, const struct recorded_item *items, size_t count, const uint64_t *blocks,
		      size_t block_count);

#endif
