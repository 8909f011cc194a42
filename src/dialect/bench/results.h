/*
 * A row of results.jsonl: one question to one target, and what came of it. The table in results.c says for each member
 * its name, rules and place here, in the order in which they are written. Numbers that are not known are negative here
 * and null in the file; a cost that is not known is left out.
 */
#ifndef DIALECT_BENCH_RESULTS_H
#define DIALECT_BENCH_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define RESULT_OUTPUT_MAX 65536 /* bytes of raw_output */
#define RESULT_OUTPUT_MAX_TEXT "65,536"

/* What became of a question: availability_status, whose words are in this order. */
enum provider_status {
	PROVIDER_OK,          /* an answer came, perhaps an empty one */
	PROVIDER_UNAVAILABLE, /* "skipped_unavailable": no server, no such model, no program */
	PROVIDER_AUTH,        /* "auth_error" */
	PROVIDER_LIMITED,     /* "rate_limited" */
	PROVIDER_ERROR,       /* "error" */
	PROVIDER_STATUSES,
};

/* objective_pass: null, true or false. */
enum verdict_pass { VERDICT_NULL, VERDICT_TRUE, VERDICT_FALSE };

/* tool_call_source, whose words are in this order. */
enum tool_source { TOOLS_FROM_API, TOOLS_FROM_TEXT, TOOL_SOURCES };

struct result {
	struct str run_id, provider, model;
	struct str thinking; /* p NULL for null */
	struct str prompt_id, prompt_name;
	enum provider_status status;
	int64_t started_at_ms, ended_at_ms, e2e_ms; /* since 1970, twice; how long the last attempt took */
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
	int64_t scheduled_at_ms, cache_read_tokens, reasoning_tokens, ttfb_ms; /* -1: null */
	enum tool_source tool_source;
	/* ours, additive too */
	bool expects;       /* the prompt expects tools: "expects_tools" */
	double usd;         /* "cost_usd"; negative: not known, and left out */
	bool usd_estimated; /* computed from a table of prices: "cost_estimated" */
};

/* The members of a row, for dialect/record/io.h. */
extern const struct record_type result_type;

/* The words of enum provider_status. */
extern const struct words result_statuses;

#endif
