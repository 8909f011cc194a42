/* Texts and figures for a page (sink/html.h), and those that only benchmarks have. */
#ifndef BENCH_REPORT_HTML_H
#define BENCH_REPORT_HTML_H

#include "bench/report/summary_cells.h"
#include "sink/html.h"

/* 100 % and 0 % only when it is so; what would be rounded to them is "> 99.9 %" or "< 0.1 %". */
struct cell html_rate(struct rate r);

/* 71.2–91.0 %, of shares from 0 to 1. */
struct cell html_interval(struct interval i);

#endif
