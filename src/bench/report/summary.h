/*
 * What the rows of a run come to, for each (provider, model, thinking_level) in the order of first appearance:
 * summary.json, and everything that shows a run to people. Made from results.jsonl alone, so that it can be made again
 * by anybody: bench.md of the spec and transform/stats.h have the methods.
 */
#ifndef BENCH_REPORT_SUMMARY_H
#define BENCH_REPORT_SUMMARY_H

#include "bench/run/resources.h"
#include "bench/run/result.h"
#include "transform/stats.h"

#define SUMMARY_VIOLATION_MAX 400 /* bytes; cut between characters */
#define SUMMARY_ANSWER_MAX 2000   /* bytes kept of an answer that violated something, while there is room for all */
#define SUMMARY_ANSWER_LEAST 200  /* the same when there is not */
#define SUMMARY_ANSWERS_MAX ((size_t)16 << 20) /* bytes of such answers together that are kept at length */
#define SUMMARY_GROUPS_MAX 10000  /* targets of one summary */

enum rate_method { RATE_WILSON, RATE_EXACT, RATE_JEFFREYS }; /* --ci */

struct rate {
	uint64_t k, n;          /* k of n; no rate when n is 0 */
	struct interval interval; /* 95 % */
};

struct spread { /* type 7 percentiles; n 0: null */
	uint64_t n;
	double p50, p95, p99, mean;
	struct interval p50_interval, p95_interval, p99_interval; /* by order statistics; NaN where n is too small */
	double *sorted; /* n of them */
};

struct summary_prompt { /* in the order of the suite, as far as rows tell */
	struct str id, name;
	uint64_t rows, passed, judged, failed_calls;
	struct str violation; /* the first, SUMMARY_VIOLATION_MAX bytes of it at most; p NULL */
	struct str answer;    /* what the model said then: its beginning, as it stands in the row; p NULL */
	bool answer_cut;      /* it was longer */
	uint64_t violations;  /* rows with one */
	uint64_t order;       /* its place in the suite, by config.json; without it behind all others, as rows came */
	uint64_t unavailable; /* of failed_calls: nobody there to ask */
	uint64_t tools_rows, tools_hit; /* ok rows that expect tools; those that called one */
	uint64_t e2e_ms;      /* of all rows together */
};

struct summary_group {
	struct str provider, model, thinking, tag;
	uint64_t n_total, n_ok, n_success, n_unavailable, n_limited, n_error, n_auth;
	struct rate success;      /* of ok rows */
	struct rate pass;         /* of ok and success rows with a verdict */
	struct rate pass_of_all;  /* errors as failures: passes of all rows, but those of prompts nobody judges */
	struct rate tools;        /* of ok rows with an expectation */
	struct rate tools_of_all; /* of all rows with one */
	int tier;                 /* 1, 2, 3; 0: null */
	bool tier_unsure;         /* the interval straddles a border */
	bool has_wall;            /* a row knows when it was sent */
	int64_t wall_ms;          /* first start to last end, summed over runs */
	struct spread latency, ttft; /* ms */
	struct spread waited;        /* from the scheduled time to the end: latency without coordinated omission */
	double tokens_per_second;    /* output tokens of successful rows / their e2e_ms; NaN when none has both */
	uint64_t input_tokens, output_tokens;
	double usd;               /* NaN: of no row is it known */
	uint64_t usd_rows;        /* rows that have one */
	uint64_t unpriced;        /* rows with tokens and none: the sum is not the whole */
	bool usd_estimated;
	uint64_t repeats;         /* most repetitions of a prompt */
	struct stats_mean pass_mean; /* clustered by prompt when there are repeats */
	struct resources before, after;
	struct str size; /* of the model, as the inventory's `ollama list` has it ("2.0 GB"); p NULL */
	struct summary_prompt *prompts;
	size_t prompt_count;
};

struct summary {
	struct str run_id;
	bool has_wall;
	int64_t wall_ms;
	enum rate_method method;
	uint64_t rows, skipped; /* lines that were no rows */
	uint64_t repeated;      /* rows that an earlier one is the same as: they do not count */
	bool bottleneck;        /* events.jsonl says that the client itself was too slow */
	struct summary_group *groups;
	size_t count;
};

/*
 * Reads a run (directory or results.jsonl) and what lies beside it. Everything is in the arena. False and *err when the
 * results cannot be read (ERR_IO) or name more models or prompts than can be summed up (ERR_LIMIT).
 */
bool summary_make(struct summary *s, struct arena *a, struct str path, enum rate_method method, struct err *err);

/*
 * The same of several runs as one: groups with the same target are joined, run ids are joined by "+", wall times added.
 * The first run that cannot be read ends it. No path at all gives an empty summary.
 */
bool summary_make_many(struct summary *s, struct arena *a, const struct str *paths, size_t count,
		       enum rate_method method, struct err *err);

/* The tier of a share: 1 from 80 %, 2 from 50 %, else 3, also for NaN. */
int summary_tier_of(double share);

/* The tier of a rate by whole numbers; 0 when n is 0. *unsure: the interval reaches into another tier. */
int summary_tier(struct rate r, bool *unsure);

/* "wilson", "clopper-pearson", "jeffreys"; a constant. As it stands in summary.json and in the mark of a page. */
const char *rate_method_name(enum rate_method m);

/*
 * Of prompts with at least k judged answers: the mean chance that one of k tries passes, and that all of them do. Gives
 * how many prompts there are; 0 leaves both NaN.
 */
uint64_t summary_pass_at(const struct summary_group *g, uint64_t k, double *one, double *all);

/*
 * Writers of one file each: all of them add to `out` and cannot fail. The same summary (and time) gives the same bytes.
 */
void summary_write_json(struct buf *out, const struct summary *s, int64_t generated_ns); /* pretty, with its LF */
void summary_write_md(struct buf *out, const struct summary *s);
void summary_write_tools_md(struct buf *out, const struct summary *s);
void summary_write_tools_csv(struct buf *out, const struct summary *s);
void summary_write_csv(struct buf *out, const struct summary *s);   /* --export-csv */
void summary_write_junit(struct buf *out, const struct summary *s); /* --export-junit: a testcase for each prompt */

/*
 * The same as text for a terminal, `width` columns, but no fewer than 60. Without `color` there are no escape sequences
 * in it; texts of models never bring any.
 */
void summary_write_text(struct buf *out, const struct summary *s, size_t width, bool color);

#endif
