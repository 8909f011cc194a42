/*
 * Two runs, or two targets, on the same prompts: is one of them better? Attempts are paired by prompt and repetition,
 * for a pair says far more than two rates side by side; whether two intervals overlap is never asked. Methods are those
 * of transform/stats.h:
 *
 *	one attempt per prompt    exact McNemar test, its mid-p beside it
 *	repeats                   sign-flip permutation of the prompts' sums, paired cluster bootstrap; a prompt is
 *	                          the cluster, its repeats are no prompts of their own
 *	latency, cost             the median of the prompts' differences with an interval by order statistics, and
 *	                          the same permutation
 *	all tests together        Holm; how many there were is said
 *
 * A call that failed is left out, and in a second test, when there was one, counted as a failure. What is random starts
 * from a seed made of the rows themselves, so that everybody gets the same figures.
 */
#ifndef BENCH_COMPARE_COMPARE_H
#define BENCH_COMPARE_COMPARE_H

#include "bench/report/summary.h"
#include "bench/run/config.h"

enum compare_metric { COMPARE_PASS, COMPARE_TOOLS, COMPARE_LATENCY, COMPARE_TTFT, COMPARE_COST, COMPARE_METRICS };

/* "pass", "tools", "latency", "ttft", "cost"; a constant. */
const char *compare_metric_name(enum compare_metric m);

/* Reads such a name; false, and *out untouched, for another word. */
bool compare_metric_parse(struct str word, enum compare_metric *out);

struct compare_options {
	struct str a, b;               /* runs: directories, or files of results; b is a's when p is NULL */
	struct str a_target, b_target; /* p NULL: every target that both have */
	bool metrics[COMPARE_METRICS]; /* none: all but ttft */
};

enum compare_answer {
	COMPARE_NOT_ENOUGH,    /* whatever the rows were, they could not have shown a difference */
	COMPARE_NO_DIFFERENCE, /* none was shown, which is not the same as none being there */
	COMPARE_A_BETTER,
	COMPARE_B_BETTER,
};

/* Why no difference is said to be shown, though a p is below .05. */
enum compare_reason {
	COMPARE_NO_REASON,
	COMPARE_CORRECTION, /* it is not after Holm's correction for the number of tests */
	COMPARE_DIRECTIONS, /* mean and median do not go the same way: few prompts make the difference */
};

/* Everything is A minus B. What does not apply, or cannot be computed, is NaN. */
struct compare_test {
	enum compare_metric metric;
	bool errors_fail;   /* calls that failed count as failures; else their pairs are left out */
	uint64_t pairs, prompts;
	bool repeats;       /* of a prompt there are several pairs */
	uint64_t both, only_a, only_b, neither; /* pairs; of pass and tools */
	struct stats_mean a, b;       /* clustered by prompt */
	struct interval a_interval, b_interval; /* Wilson's for rates without repeats, else as above within 0 and 1 */
	struct stats_mean difference; /* clustered by prompt */
	struct interval bootstrap;    /* of its mean; with repeats */
	double median;                /* of the prompts' mean differences; of latency and cost */
	struct interval median_interval;
	double sum;         /* of the differences */
	double mcnemar, mid_p, permutation;
	double p, holm;     /* the one that decides, and what is left of it; NaN: not in the family */
	double detectable;  /* the smallest mean difference these pairs show with 80 % power */
	double needed;      /* prompts that would show the difference seen, with 80 % power */
	enum compare_answer answer;
	enum compare_reason reason; /* of COMPARE_NO_DIFFERENCE */
};

struct compare_pair {
	struct str a, b;  /* targets */
	uint64_t pairs, rows_a, rows_b;
	uint64_t failed_a, failed_b; /* of the pairs: calls that came to nothing */
	const struct str *only_a, *only_b; /* prompts that the other one was not asked */
	size_t only_a_count, only_b_count;
	struct compare_test *tests;
	size_t test_count;
};

struct compare_side {
	struct str path, run_id;
	bool has_config; /* else `config` says nothing */
	struct config config;
	uint64_t rows, repeated, skipped; /* as in struct attempts */
	const struct str *alone; /* targets that the other run does not have */
	size_t alone_count;
};

struct compare {
	struct compare_side a, b;
	struct compare_pair *pairs;
	size_t count;
	size_t family; /* tests that Holm's correction is over: those that could show something */
	uint64_t seed; /* of permutations and bootstraps: made of the rows */
	const struct str *warnings; /* sentences */
	size_t warning_count;
};

/*
 * Compares two runs, or two targets of one. Everything is in the arena; texts of the options are not copied and must
 * live as long. False and *err when results cannot be read (ERR_IO), there are none (ERR_DATA), the targets cannot be
 * paired (ERR_USAGE, with those there are), or the runs have more than 100 targets in common (ERR_LIMIT). The same rows
 * give the same figures, to the last digit.
 */
bool compare_runs(struct compare *c, struct arena *a, const struct compare_options *o, struct err *err);

/*
 * Whether B is worse than A by one of the tests, all of them considered: Holm's p is below 0.05, and for latency and
 * cost the median goes the same way as the mean.
 */
bool compare_is_regression(const struct compare *c);

/*
 * Adds the difference in one line, without an LF: "A-B +5.5pp [+1.2, +9.8] paired, cluster=task, Holm p=.041". Of
 * latency and cost it is the median, in ms or US dollars. Says so when there is no pair or no interval.
 */
void compare_add_line(struct buf *out, const struct compare_test *t);

/* Adds a p as it stands behind its name: "=.041", "<.001", "=1.0", " n/a". */
void compare_add_p(struct buf *out, double p);

#endif
