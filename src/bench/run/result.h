/*
 * Writing and reading rows of results.jsonl: dialect/bench/results.h has the row, dialect/bench/results.c its members
 * and rules.
 */
#ifndef BENCH_RUN_RESULT_H
#define BENCH_RUN_RESULT_H

#include "base/arena.h"
#include "base/buf.h"
#include "bench/validate/validator.h"
#include "dialect/bench/results.h"
#include "json/json.h"
#include "provider/provider.h"

/*
 * Adds the line with its LF; cannot fail. The row is settled first: what contradicts itself is mended, an output of
 * more than RESULT_OUTPUT_MAX bytes is cut between characters and marked, bytes that are no UTF-8 become U+FFFD.
 */
void result_write(struct buf *out, const struct result *r);

/*
 * Reads one; texts are in the arena or the text. False when it is no result that could be used: of another record_type,
 * or without a model or a prompt_id; *r is then not to be used. Everything else that is missing has a default.
 */
bool result_read(struct result *r, struct arena *a, struct val v);

/*
 * The key of a row: what --resume compares, and rows of two runs are paired by (without the target). Two rows have the
 * same key only when all parts are the same. In the arena.
 */
struct str result_key(struct arena *a, struct str provider, struct str model, struct str thinking, struct str prompt_id,
		      int64_t repetition);

#endif
