/* Inside of check.h: summary.json against the results that it should follow from. */
#ifndef BENCH_REPORT_CHECK_SUM_H
#define BENCH_REPORT_CHECK_SUM_H

#include "base/str.h"
#include "bench/report/check.h"

/* Adds a finding about the directory. */
__attribute__((format(printf, 3, 4))) void run_check_note(struct run_check *c, enum run_rule rule, const char *format,
							  ...);

/*
 * Adds findings where summary.json differs from the results. False and *err when one of them cannot be read. `exact`:
 * times are held to a thousandth of a millisecond, else to half of one. *run_id gets the summary's, in the arena.
 */
bool run_check_sum(struct run_check *c, bool exact, struct str *run_id, struct err *err);

#endif
