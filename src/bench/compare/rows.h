/* The rows of two runs, as far as comparing them goes: small, numbered, in order. */
#ifndef BENCH_COMPARE_ROWS_H
#define BENCH_COMPARE_ROWS_H

#include "base/crypto/sha256.h"
#include "base/map.h"
#include "bench/run/result.h"

struct attempt {
	uint32_t target, prompt; /* numbers of the names in struct attempt_names */
	uint32_t place;          /* in its file */
	int64_t repetition;
	bool ok, success, expects, tool_success;
	enum verdict_pass pass;
	int64_t e2e_ms, ttft_ms; /* negative: not known */
	double usd;              /* negative: not known */
};

/* Targets and prompts of all runs that are read with it, numbered in the order of their first row. */
struct attempt_names {
	struct arena *arena;
	struct map target_map, prompt_map;
	struct buf targets; /* struct attempt_target */
	struct buf prompts; /* struct attempt_prompt */
};

struct attempt_target {
	struct str name; /* provider:model@thinking */
	struct str tag, model;
};

struct attempt_prompt {
	struct str id;
	bool judged;  /* a row has a verdict */
	bool expects; /* a row expects tools */
};

/* Begins with no names. Their texts live in the arena; the lists until attempt_names_free. */
void attempt_names_init(struct attempt_names *n, struct arena *a);

/* Gives the lists back; texts and maps stay with the arena. */
void attempt_names_free(struct attempt_names *n);

/* How many targets rows have named so far. */
size_t attempt_target_count(const struct attempt_names *n);

/* The target of this number, which must exist. Valid until the next row is read. */
struct attempt_target *attempt_target(const struct attempt_names *n, size_t i);

/* How many prompts rows have named so far. */
size_t attempt_prompt_count(const struct attempt_names *n);

/* The prompt of this number, which must exist. Valid until the next row is read. */
struct attempt_prompt *attempt_prompt(const struct attempt_names *n, size_t i);

/* The rows of one run, by target, prompt and repetition; in the arena of the names. */
struct attempts {
	struct str run_id; /* of the first row; empty when there is none */
	struct attempt *items;
	size_t count;
	uint64_t repeated; /* rows that do not count: an earlier one has the same key */
	uint64_t skipped;  /* lines that are no rows */
};

/*
 * Reads the rows of a run and sorts them; `hash` gets the bytes of every row, as they stood in the file, and an LF.
 * False and *err when the results cannot be read; *out then has no rows. Everything lives in the arena of the names.
 */
bool attempts_read(struct attempts *out, struct attempt_names *n, struct str path, struct sha256 *hash,
		   struct err *err);

/*
 * The rows of one target, by prompt and repetition: the first of them, and how many; 0 when the run did not ask it, and
 * the pointer is then not to be followed. They live as long as `all`.
 */
const struct attempt *attempts_of(const struct attempts *all, uint32_t target, size_t *count);

#endif
