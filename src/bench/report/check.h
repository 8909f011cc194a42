/*
 * A benchmark run's directory as a whole: are all files there, are they of one run, do the results belong to what was
 * to be sent, and does the summary follow from them. What is inside a file is for the rules of its format. The
 * directory of another harness that writes the same files is taken too; what it does not have is not missed.
 */
#ifndef BENCH_REPORT_CHECK_H
#define BENCH_REPORT_CHECK_H

#include "base/err.h"
#include "bench/report/check_rules.h"

/* Whether a directory is one of a benchmark run: a config.json of ours, or results with what lies beside them. */
bool run_check_is_one(struct str path);

struct run_check {
	struct str path;
	struct arena *arena;
	struct findings *findings;
	uint64_t rows; /* out: of results.jsonl */
};

/* Checks the directory and adds findings. False and *err when a file that is there cannot be read. */
bool run_check(struct run_check *c, struct err *err);

#endif
