/*
 * Inside of check.h: summary.md and report.html against the results that they should follow from. A page that this
 * version made must be that page, byte for byte; of one that another version made the figures of its first table are
 * compared; one of another program is not checked, and that is said.
 */
#ifndef BENCH_REPORT_CHECK_PAGES_H
#define BENCH_REPORT_CHECK_PAGES_H

#include "bench/report/check.h"
#include "bench/run/config.h"

/*
 * Checks both pages; `config` is that of the run, as far as it could be read. A page that is missing, or is no regular
 * file, is passed over. What differs is a finding (BR071), and so is what could not be checked whole (BR072). False and
 * *err when a page (64 MiB at most) or the results cannot be read.
 */
bool run_check_pages(struct run_check *c, const struct config *config, struct err *err);

#endif
