/*
 * The rules of a benchmark run's directory as a whole; its files have their own, BR001 to BR051
 * (dialect/bench/rules.h).
 */
#ifndef BENCH_REPORT_CHECK_RULES_H
#define BENCH_REPORT_CHECK_RULES_H

#include "base/finding.h"

/* In the order of bench_run_rules: BR060 is RUN_MISSING. Codes are public, so a new rule goes to the end. */
enum run_rule {
	RUN_MISSING,
	RUN_OTHER_ID,
	RUN_TARGET,
	RUN_PROMPT,
	RUN_INCOMPLETE,
	RUN_STOPPED,
	RUN_REPETITION,
	RUN_SUMMARY,
	RUN_RESOURCES,
	RUN_TRACE,
	RUN_FOREIGN,
	RUN_PAGE,
	RUN_PAGE_OTHER,
	RUN_RULES,
};

/* Ended by one whose code is NULL; index it by enum run_rule. */
extern const struct rule bench_run_rules[RUN_RULES + 1];

#endif
