/*
 * Questions of a wanted length for load tests: plain words that mean nothing, drawn by a seed, so that the same test
 * sends the same bytes. How many tokens they are only the model's own tokenizer knows; we take three words for four
 * tokens, as is usual for English. What we estimated is marked with ~ wherever it is shown.
 *
 * A block (one of hash_ids of a trace) is so many tokens that depend on its id alone, so that requests which shared a
 * prefix when they were recorded share one again, and a server's prefix cache can be studied. Without blocks every
 * question begins differently, so that no cache helps.
 */
#ifndef BENCH_LOAD_PROMPT_H
#define BENCH_LOAD_PROMPT_H

#include "base/buf.h"

struct load_prompt {
	uint64_t seed;
	uint64_t number; /* of the request */
	uint32_t tokens; /* wanted; at least one word is made */
	const uint64_t *blocks;
	size_t block_count;
	const uint32_t *block_sizes; /* tokens of each; NULL: RECORDED_BLOCK */
};

/* Adds a question of about so many tokens to `out`; the same seed and number give the same text. */
void load_prompt_make(struct buf *out, const struct load_prompt *p);

/* About how many tokens a text is: four for three words. */
uint64_t load_prompt_tokens(struct str text);

#endif
