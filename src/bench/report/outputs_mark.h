/*
 * The last line of summary.md and report.html: which version made the page, and with which intervals. A comment in both
 * formats. Whoever checks a page makes it again by that, see check_pages.h.
 */
#ifndef BENCH_REPORT_OUTPUTS_MARK_H
#define BENCH_REPORT_OUTPUTS_MARK_H

#include "bench/report/summary.h"

/* Adds the last line, with its LF, to a page that this program has just made; the page must end with an LF. */
void outputs_mark_add(struct buf *page, enum rate_method method);

/*
 * Reads what the last line of a page says. False when the line is no mark or names a method that this version does not
 * know; *version and *method may have been changed then. *version points into the page.
 */
bool outputs_mark_read(struct str page, struct str *version, enum rate_method *method);

#endif
