/*
 * Inside the runner: what events.jsonl is told. Every event has record_type, run_id, at_ms and its name (run_dir.h);
 * here are the members that follow.
 *
 *	run_begin      rows, rows_before, lanes
 *	target_begin   target, endpoint: what is called from here on
 *	warmup         target, number, status, failure_type, e2e_ms
 *	retry          target, prompt_id, repetition, attempt (that failed), started_at_ms, e2e_ms, reason, message,
 *	               retry_after_ms, delay_ms
 *	waited         target, prompt_id, repetition, attempts, wait_ms: all waits of a row that is over
 *	pause          provider, retry_after_ms: nothing is sent there for so long
 *	concurrency    provider, limit: what `auto` has come to
 *	timeout        target, prompt_id, repetition, timeout_ms
 *	target_lost    target, status, failure_type, message: its remaining rows are not sent
 *	target_end     target, rows_skipped
 *	budget_stop    budget_usd, used_usd, next_usd
 *	run_end        end, and the report
 */
#ifndef BENCH_RUN_RUNNER_LOG_H
#define BENCH_RUN_RUNNER_LOG_H

#include "bench/run/run_dir.h"
#include "bench/run/runner.h"
#include "bench/run/schedule.h"
#include "json/put.h"

/* An event in the making: members are added between begin and end. */
struct runner_log {
	struct run_dir *dir;
	struct buf members;
	struct json_writer w;
};

/* Events go to this run. The log is to be freed whatever came of them. */
void runner_log_init(struct runner_log *log, struct run_dir *dir);
void runner_log_free(struct runner_log *log);

/* Begins an event: its members go to log->w, by json/put.h. */
void runner_log_begin(struct runner_log *log);

/* Writes the event as one line. False and *err when the file cannot be written to. */
bool runner_log_end(struct runner_log *log, const char *event, struct err *err);

/* Adds the members of run_end. */
void runner_log_report(struct runner_log *log, const struct runner_report *report);

#endif
