/*
 * What a load test says: load.json for programs, load.md for people. Both from the same figures. Times are
 * milliseconds; an interval is that of 95 % by order statistics, and null where the answers are too few for one.
 */
#ifndef BENCH_LOAD_REPORT_H
#define BENCH_LOAD_REPORT_H

#include "bench/load/limit.h"
#include "bench/load/load.h"

struct load_verdict { /* a bound held against a stage */
	const struct load_bound *bound;
	size_t stage; /* from 0 */
	bool met;
	struct str said;
};

struct load_report {
	struct str run_id, started_at, version, target;
	const struct str *command;
	size_t command_count;
	const struct load_options *options;
	struct str schedule; /* path of the recording; p NULL */
	const struct str *suites;
	size_t suite_count;
	struct load_stats *stats;
	const struct load_run *run;
	bool has_server; /* the mock runs in this process: its CPU time is in ours */
	bool confident; /* bounds were held against the bad end of an interval */
	const struct load_verdict *verdicts;
	size_t verdict_count;
};

/*
 * Holds every bound against every stage and puts the verdicts, which live in the arena, into the report; its stats and
 * `confident` must be there. True when all are met.
 */
bool load_report_judge(struct load_report *r, struct arena *a, const struct load_bound *bounds, size_t count);

/*
 * CPU time / wall time, 0 when no time has passed and above 1 with several threads; and CPU time spent on a piece of a
 * stream, in microseconds, NaN when there were none.
 */
double load_report_busy(const struct load_report *r);
double load_report_event_us(const struct load_report *r);

void load_report_json(struct buf *out, const struct load_report *r); /* pretty, with its LF */
void load_report_md(struct buf *out, const struct load_report *r);

/* What went wrong at the server's end, and how often, each on a line with `before` in front of it; before all notes. */
void load_report_failures(struct buf *out, const struct load_report *r, const char *before);

/* Sentences about what the figures do not tell by themselves, each on a line with `before` in front of it. */
void load_report_notes(struct buf *out, const struct load_report *r, const char *before);

/* Adds how requests came, in a few words: "poisson at 8/s, 30 s", "as recorded, 2 times as fast". */
void load_report_arrivals(struct buf *out, const struct load_report *r);

/* A percentile with its interval: "83 ms [80 ms, 91 ms]", "83 ms (n too small)"; ~ behind an estimate. */
struct cell load_report_percentile(struct load_percentile p, bool interval);

#endif
