/* Blocks are looked up in a sorted list of their ids, which is made first. */
#include "bench/run/block_sizes.h"

#include <stdlib.h>

struct sizes {
	uint64_t *ids; /* sorted, each once */
	uint32_t *tokens; /* of each; 0: not known yet */
	size_t count;
	uint32_t mean;
};

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static uint32_t *block_size_of(const struct sizes *s, uint64_t id)
{
	const uint64_t *at = bsearch(&id, s->ids, s->count, sizeof(id), by_number);

	return &s->tokens[at - s->ids];
}

/* The last block of a prompt is half full on average. */
static uint32_t find_mean(const struct recorded_item *items, size_t count)
{
	double tokens = 0, blocks = 0;

	for (size_t i = 0; i < count; i++) {
		if (!items[i].block_count || !items[i].input_tokens)
			continue;
		tokens += items[i].input_tokens;
		blocks += items[i].block_count - 0.5;
	}
	if (blocks == 0)
		return RECORDED_BLOCK;
	return tokens < blocks ? 1 : (uint32_t)(tokens / blocks + 0.5); /* no call has more than RECORDED_TOKENS_MOST */
}

/* Divides what is left of the call's tokens among its new blocks; the first ones get what does not divide. */
static void divide(struct sizes *s, const struct recorded_item *item, const uint64_t *blocks)
{
	uint64_t known = 0, fresh = 0, left;

	for (size_t i = 0; i < item->block_count; i++) {
		uint32_t size = *block_size_of(s, blocks[i]);

		known += size;
		fresh += size == 0;
	}
	left = item->input_tokens > known ? item->input_tokens - known : 0;
	for (size_t i = 0; i < item->block_count; i++) {
		uint32_t *size = block_size_of(s, blocks[i]);
		uint64_t share = fresh ? (left + fresh - 1) / fresh : 0;

		if (*size)
			continue;
		if (!item->input_tokens)
			share = s->mean;
		*size = share ? (uint32_t)share : 1;
		left -= share < left ? share : left;
		fresh -= fresh > 0;
	}
}

void block_sizes_find(struct buf *out, const struct recorded_item *items, size_t count, const uint64_t *blocks,
		      size_t block_count)
{
	struct sizes s = { .mean = find_mean(items, count) };

	if (block_count == 0)
		return;
	s.ids = mem_resize_array(NULL, block_count, sizeof(s.ids[0]));
	memcpy(s.ids, blocks, block_count * sizeof(s.ids[0]));
	qsort(s.ids, block_count, sizeof(s.ids[0]), by_number);
	for (size_t i = 0; i < block_count; i++)
		if (i == 0 || s.ids[i] != s.ids[s.count - 1])
			s.ids[s.count++] = s.ids[i];
	s.tokens = mem_resize_array(NULL, s.count, sizeof(s.tokens[0]));
	memset(s.tokens, 0, s.count * sizeof(s.tokens[0]));
	for (size_t i = 0; i < count; i++)
		divide(&s, &items[i], blocks + items[i].block_at);
	for (size_t i = 0; i < block_count; i++)
		buf_add(out, block_size_of(&s, blocks[i]), sizeof(s.tokens[0]));
	mem_free(s.ids);
	mem_free(s.tokens);
}
