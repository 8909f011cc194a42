/*
 * A row of results.jsonl: one question to one target, and what came of it. The order of its members is the seed's;
 * dialect/results.c has the rules. Numbers that are not known are negative here, null or left out there.
 */
#ifndef BENCH_RESULT_H
#define BENCH_RESULT_H

#include "base/arena.h"
#include "base/buf.h"
#include "bench/validator.h"
#include "json/json.h"
#include "provider/provider.h"

#define RESULT_OUTPUT_MAX 65536 /* bytes of raw_output */

struct result {
	struct str run_id, provider, model;
	struct str thinking; /* p NULL for null */
	struct str prompt_id, prompt_name;
	enum provider_status status;
	int64_t started_at_ms, ended_at_ms, e2e_ms;
	int64_t ttft_ms; /* -1: null */
	bool success;
	struct str failure; /* p NULL for null */
	enum verdict_pass pass;
	struct str violation; /* p NULL for null */
	int64_t input_tokens, output_tokens; /* -1: null */
	struct str output;    /* whole: the writer cuts it */
	bool truncated;       /* only when read: it was cut */
	struct str parsed;    /* JSON object; p NULL for null */
	const struct str *tools;
	size_t tool_count;
	bool tool_success;
	/* additive */
	int64_t attempts, repetition; /* from 1 */
	int64_t scheduled_at_ms;
	int64_t cache_read_tokens, reasoning_tokens, ttfb_ms; /* -1: left out */
	enum tool_source tool_source;
	/* ours, additive too, left out when there is nothing to say */
	bool expects;       /* the prompt expects tools: "expects_tools" */
	double usd;         /* "cost_usd"; negative: not known */
	bool usd_estimated; /* computed from a table of prices: "cost_estimated" */
};

/* Adds the line with its LF. */
void result_write(struct buf *out, const struct result *r);

/* Reads one; texts are in the arena or the text. False when it is no result that could be used. */
bool result_read(struct result *r, struct arena *a, struct val v);

/* The key of a row: what --resume compares, and rows of two runs are paired by (without the target). */
struct str result_key(struct arena *a, struct str provider, struct str model, struct str thinking, struct str prompt_id,
		      int64_t repetition);

#endif
