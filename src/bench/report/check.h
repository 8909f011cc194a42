/*
 * A benchmark run's directory as a whole: are all files there, are they of one run, do the results belong to what was
 * to be sent, and does the summary follow from them. What is inside a file is for the rules of its format. The
 * directory of another harness that writes the same files is taken too; what it does not have is not missed.
 */
#ifndef BENCH_REPORT_CHECK_H
#define BENCH_REPORT_CHECK_H

#include "base/err.h"
#include "bench/report/check_rules.h"

/*
 * Whether a directory is one of a benchmark run: it has a config.json of ours, or config.json, summary.json and results
 * whose rows have an availability_status. Looks at the first 64 KiB of a file. False also when nothing can be read.
 */
bool run_check_is_one(struct str path);

struct run_check {
	struct str path;
	struct arena *arena;
	struct findings *findings;
	uint64_t rows; /* out: of results.jsonl */
};

/*
 * Checks the directory: what is wrong with the run becomes a finding, BR060 to BR072, and is no failure. False and *err
 * when results, summary or a page are there and cannot be read; findings added until then stay. A config.json that
 * cannot be read is no failure: prompts and targets are then not compared.
 */
bool run_check(struct run_check *c, struct err *err);

#endif
