/* The files that a run's rows come to: everything but config, inventory, results, events and resources. */
#ifndef BENCH_REPORT_OUTPUTS_H
#define BENCH_REPORT_OUTPUTS_H

#include "bench/report/summary.h"
#include "bench/run/config.h"

/*
 * Writes summary.json, summary.md, tool_use_summary.md and .csv, agent-trace.jsonl and report.html into the directory,
 * each whole or not at all, from its results.jsonl. `out` is the summary, in the arena. `interrupted`: the run did not
 * come to its end. False and *err when the results cannot be read or a file cannot be written; files written before it
 * stay, and *out may be filled all the same.
 */
bool outputs_write(struct arena *a, struct str dir, const struct config *c, enum rate_method m, bool interrupted,
		   struct summary *out, struct err *err);

#endif
