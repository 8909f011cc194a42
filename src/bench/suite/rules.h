/* The rules of prompt suites. A code never changes its meaning. */
#ifndef BENCH_SUITE_RULES_H
#define BENCH_SUITE_RULES_H

#include "base/finding.h"

/* In the order of suite_rules: BS001 is SUITE_SYNTAX. A new one goes to the end, for codes are counted from here. */
enum suite_rule {
	SUITE_SYNTAX,
	SUITE_NOT_LIST,
	SUITE_NOT_PROMPT,
	SUITE_MISSING,
	SUITE_TYPE,
	SUITE_EMPTY,
	SUITE_UNKNOWN,
	SUITE_DUPLICATE,
	SUITE_VALIDATOR,
	SUITE_VALUE,
	SUITE_PATTERN,
	SUITE_SCHEMA,
	SUITE_COMMAND,
	SUITE_VARIABLE,
	SUITE_NONE,
	SUITE_TABLE,
	SUITE_LIMIT,
	SUITE_RULES,
};

/* Ended by one whose code is NULL; index it by enum suite_rule. */
extern const struct rule suite_rules[SUITE_RULES + 1];

#endif
