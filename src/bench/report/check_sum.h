/* Inside of check.h: summary.json against the results that it should follow from. */
#ifndef BENCH_REPORT_CHECK_SUM_H
#define BENCH_REPORT_CHECK_SUM_H

#include "base/str.h"
#include "bench/report/check.h"

/* Adds a finding about the directory, with the code and severity of its rule. The message is cut at 999 bytes. */
__attribute__((format(printf, 3, 4))) void run_check_note(struct run_check *c, enum run_rule rule, const char *format,
							  ...);

/*
 * Adds findings (BR067) where summary.json differs from the results. `exact` is for a run of ours: times are held to a
 * thousandth of a millisecond, else to half of one, and tool figures are compared too. *run_id gets the summary's, in
 * the arena; p is NULL when it has none, and it is untouched when the file is no JSON, which its own format tells.
 * False and *err when the file or the results cannot be read.
 */
bool run_check_sum(struct run_check *c, bool exact, struct str *run_id, struct err *err);

#endif
