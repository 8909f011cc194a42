/*
 * Requests as they once came: when, how long the question and the answer were, and what they share with others. Two
 * kinds of files are read, told apart by their first line:
 *
 * An agent-trace.jsonl (doc/formats/agent-trace.md): every model_call is a request, at its start, with its tokens. Its
 * lines may be in any order, since a node is often written when it ends. Its hash_ids (record --hash-blocks) are blocks
 * of sizes that the trace does not say in tokens: block_sizes.h finds them.
 *
 * A trace as Mooncake publishes them (github.com/kvcache-ai/Mooncake): JSONL with timestamp (milliseconds),
 * input_length, output_length (tokens) and hash_ids, one for each 512 tokens of the question; equal ids are equal text.
 * Its times never go back.
 *
 * Times are made to count from the first request. A line that cannot be used is an error with its number, not a
 * request that is missing: a schedule with holes would measure something else. Lengths beyond RECORDED_TOKENS_MOST
 * are cut to that, and counted.
 */
#ifndef BENCH_RUN_RECORDED_H
#define BENCH_RUN_RECORDED_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define RECORDED_BLOCK 512u                /* tokens for each of hash_ids of a Mooncake trace */
#define RECORDED_TOKENS_MOST 1048576u
#define RECORDED_BLOCKS_MOST 65536u        /* of a request */
#define RECORDED_ITEMS_MOST 5000000u
#define RECORDED_LINE_MOST ((size_t)16 << 20)

struct recorded_item {
	uint64_t due_ns; /* since the first request */
	uint64_t line;   /* of the file, from 1 */
	size_t block_at; /* its first in `blocks` */
	uint32_t block_count;
	uint32_t input_tokens, output_tokens; /* 0 when nothing is said */
};

enum recorded_kind { RECORDED_UNKNOWN, RECORDED_AGENT_TRACE, RECORDED_MOONCAKE };

struct recorded {
	enum recorded_kind kind;
	const struct recorded_item *items; /* in the order of their times */
	size_t count;
	const uint64_t *blocks;
	const uint32_t *block_sizes;   /* tokens of each of them; NULL: RECORDED_BLOCK */
	uint64_t capped, first_capped; /* lengths that were cut, and the line of the first */
	uint64_t unsized;              /* model calls that say nothing of their input */
	bool torn;                     /* the last line broke off and was left out */
	/* what the above points into */
	struct buf item_bytes, block_bytes, size_bytes;
	int64_t first_us; /* while reading: the time of the first line, or the earliest */
};

/*
 * Reads a recording; `a` is for the reading only. False and *err (ERR_IO, ERR_DATA or ERR_LIMIT, with path and line)
 * when it cannot be used. To be freed whatever came of it.
 */
bool recorded_read(struct recorded *r, struct arena *a, struct str path, struct err *err);

/* The same for a text at hand; `name` stands for the file in messages. Nothing of the text is kept. */
bool recorded_parse(struct recorded *r, struct arena *a, struct str name, struct str text, struct err *err);

/* Gives back what items and blocks point into. */
void recorded_free(struct recorded *r);

#endif
