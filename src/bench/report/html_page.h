/*
 * report.html: the summary as one page that needs nothing else: no script at all, no fonts or pictures from elsewhere
 * (its policy forbids them), plots as inline SVG, light and dark, good in print, on a narrow screen and for people who
 * do not see colours. Every text of a model or a suite is escaped. The page is well-formed XML, and however large the
 * run, it stays a page: what is left out is counted.
 */
#ifndef BENCH_REPORT_HTML_PAGE_H
#define BENCH_REPORT_HTML_PAGE_H

#include "bench/report/summary.h"
#include "bench/run/config.h"

/*
 * Adds the page to `out`; cannot fail. `c` is NULL when there is no config.json: then the page has no settings and no
 * questions. The same arguments give the same bytes, which check_pages.c relies on; `generated_ns` is the time that the
 * page says, since 1970.
 */
void report_write_html(struct buf *out, const struct summary *s, const struct config *c, int64_t generated_ns);

#endif
