/*
 * Runs a benchmark: every prompt to every target, so many times. The order is target by target as they were given,
 * and in a target repetition by repetition; targets of different providers run side by side, those of one provider
 * (the same host and port, whatever API) one after the other, so that a local server does not load two models at
 * once. Which question goes out when is decided by bench/run/schedule.h, which knows no clock but the one it is told;
 * this file joins it to the loop and the providers.
 */
#ifndef BENCH_RUN_RUNNER_H
#define BENCH_RUN_RUNNER_H

#include "bench/run/config.h"
#include "bench/run/run_dir.h"
#include "transform/price.h"

struct runner_progress {
	uint64_t total, done;      /* rows; those that were there before are in both */
	uint64_t ok, failed;       /* calls that succeeded, that did not */
	uint64_t judged, passed;
	uint64_t open, waiting;    /* calls under way; rows that wait to be tried again */
	uint64_t retries;
	uint64_t output_tokens;
	double usd;                /* so far, estimated and reported; 0 */
	uint64_t elapsed_ms;
	int64_t eta_ms;            /* -1: not known */
};

struct runner_options {
	const struct config *config;
	const struct suite *suite;
	struct run_dir *dir;
	struct provider_options *providers; /* of each target */
	const struct prices *prices;
	/* Called at most ten times a second and at the end. May be NULL. */
	void (*progress)(void *own, const struct runner_progress *p);
	/* Something a person should know now (a limit reached, a server gone): one line. May be NULL. */
	void (*tell)(void *own, struct str line);
	void *own;
};

enum runner_end {
	RUNNER_COMPLETE,
	RUNNER_STOPPED, /* by a signal: stop_signal() says which. Rows that were open are not written */
	RUNNER_BUDGET,  /* the next question could have gone beyond --budget-usd */
	RUNNER_FAILED,  /* *err: the disk. What was written before is good */
};

struct runner_report {
	enum runner_end end;
	struct runner_progress last;
	uint64_t wait_ms;          /* spent waiting to try again, all rows together */
	/* our own part of the times: how late the loop looked at what had come, and how busy we were */
	double late_p50_ms, late_p99_ms;
	double busy;               /* CPU time of ours / wall time, 0 to 1 */
	bool was_bottleneck;       /* late_p99 above 5 ms and above 5 % of the median latency, or busy above 0.9 */
};

/*
 * Runs what is not there yet, and blocks until that is done. Writes resources_*.txt, rows and events; not the summary.
 * Calls that fail are rows, not errors; a signal or a budget that is used up is an end that report->end tells. False
 * and *err when a target is given twice (ERR_USAGE; nothing was begun), an address is none, or a file of the run cannot
 * be read or written; but for the first, report->end is then RUNNER_FAILED.
 */
bool runner_run(const struct runner_options *o, struct runner_report *report, struct err *err);

#endif
