/* The rules of the files that a benchmark run leaves; they share their numbers, and some rules. */
#ifndef DIALECT_BENCH_RULES_H
#define DIALECT_BENCH_RULES_H

#include "base/finding.h"
#include "dialect/record/field.h"

/* In the order of bench_rules, and of the tables of the spec: BR001 is BENCH_UTF8. */
enum bench_rule {
	/* all files */
	BENCH_UTF8,
	BENCH_SYNTAX,
	BENCH_DUPLICATE,
	BENCH_NOT_OBJECT,
	BENCH_MISSING,
	BENCH_TYPE,
	BENCH_EMPTY,
	BENCH_THINKING,
	BENCH_NEGATIVE,
	/* a result */
	BENCH_RECORD_TYPE,
	BENCH_STATUS,
	BENCH_ENDED,
	BENCH_TTFT,
	BENCH_SUCCESS,
	BENCH_FAILURE,
	BENCH_FAILED_JUDGED,
	BENCH_VIOLATION,
	BENCH_RAW_OUTPUT,
	BENCH_TRUNCATED,
	BENCH_TOOL_COUNT,
	BENCH_TOOL_SOURCE,
	/* results.jsonl as a whole */
	BENCH_RUN_ID,
	BENCH_REPEATED,
	BENCH_BLANK,
	BENCH_TORN,
	BENCH_NONE,
	BENCH_LIMIT,
	/* a summary */
	BENCH_GENERATED_AT,
	BENCH_TOTAL,
	BENCH_N_SUCCESS,
	BENCH_N_AUTH,
	BENCH_SUCCESS_RATE,
	BENCH_RATE,
	BENCH_PERCENTILES,
	BENCH_INTERVAL,
	BENCH_TIER,
	BENCH_RECOMMENDED,
	BENCH_GROUP,
	/* a configuration, an inventory */
	BENCH_SCHEMA,
	BENCH_STAMP,
	BENCH_PROVIDER,
	BENCH_DIGEST,
	BENCH_RUN_ID_FORM,
	BENCH_TAG,
	BENCH_TARGET,
	BENCH_PROMPT_ID,
	BENCH_NOTHING,
	BENCH_REPEAT,
	BENCH_CONCURRENCY,
	BENCH_DETECTOR,
	BENCH_KEY,
	BENCH_RULES,
};

extern const struct rule bench_rules[BENCH_RULES + 1];

/* What fields of all files are: types, need, check and rule of a row. */
#define NAME T_STRING, FIELD_REQUIRED, CHECK_NOT_BLANK, BENCH_EMPTY
#define A_COUNT T_INTEGER, FIELD_REQUIRED, CHECK_NOT_NEGATIVE, BENCH_NEGATIVE
#define COUNT_OR_NULL T_INTEGER | T_NULL, FIELD_REQUIRED, CHECK_NOT_NEGATIVE, BENCH_NEGATIVE
#define NUMBER_OR_NULL T_NUMBER | T_NULL, FIELD_REQUIRED, CHECK_NOT_NEGATIVE, BENCH_NEGATIVE
#define EXTRA_COUNT T_INTEGER, FIELD_EXTRA, CHECK_NOT_NEGATIVE, BENCH_NEGATIVE
#define EXTRA_NUMBER T_NUMBER, FIELD_EXTRA, CHECK_NOT_NEGATIVE, BENCH_NEGATIVE
#define PLAIN(types, need) (types), (need), CHECK_NONE, 0

/* Rules of every file in its struct record_format, and those of one that is a single document. */
#define BENCH_FILE                                                                                              \
	.on_utf8 = BENCH_UTF8, .on_syntax = BENCH_SYNTAX, .on_duplicate = BENCH_DUPLICATE,                      \
	.on_not_object = BENCH_NOT_OBJECT, .on_missing = BENCH_MISSING, .on_type = BENCH_TYPE,                  \
	.on_unknown = RECORD_NO_RULE
#define BENCH_DOCUMENT BENCH_FILE, .on_blank = RECORD_NO_RULE, .on_torn = RECORD_NO_RULE, .on_empty = BENCH_SYNTAX

/*
 * How well a value fits a file that names its own schema, of whatever version: 100 when it begins so, else 0. Nothing
 * else of the value is looked at.
 */
int bench_schema_fits(struct val v, struct str schema);

/* What all files take for thinking_level. */
/* The names of struct provider's rows; a test of the benchmarks holds the two lists to each other. */
#define BENCH_PROVIDERS \
	WORDS(WORD("ollama_openai"), WORD("openai_responses"), WORD("claude_code_cli"), WORD("ollama_native"), \
	      WORD("anthropic_messages"), WORD("gemini"), WORD("azure"), WORD("openrouter"), WORD("mock"))
#define BENCH_THINKING_LEVELS WORDS(WORD("low"), WORD("medium"), WORD("high"), WORD("xhigh"))

#endif
