/* What `bench run` does, step by step: the configuration from the options, the plan, the run, what it came to. */
#ifndef CMD_BENCH_RUN_H
#define CMD_BENCH_RUN_H

#include <limits.h>

#include "bench/run/config.h"
#include "bench/run/plan.h"
#include "cmd/bench/args.h"
#include "cmd/bench/shown.h"

/* The options that decide what is sent; `bench plan` has the same. A member `sending`. */
struct bench_sending {
	unsigned repeat, warmup, retries, retry_delay; /* retry_delay in milliseconds */
	struct str concurrency, budget, prices; /* p NULL when not given */
	int detector; /* 0 default, 1 reference, -1 not given */
};

#define BENCH_RETRIES 5
#define BENCH_RETRY_DELAY 1000
#define BENCH_SENDING_DEFAULTS { .repeat = 1, .retries = BENCH_RETRIES, .retry_delay = BENCH_RETRY_DELAY }

/* A number that was not given: a run that is gone on with must tell it from one that was. The detector's is -1. */
#define BENCH_UNSET UINT_MAX

#define BENCH_SENDING_OPTIONS(type) \
	{ OPT_UINT, 0, "repeat", offsetof(type, sending.repeat), "K", "repetitions of each prompt (1)" }, \
	{ OPT_STR, 0, "concurrency", offsetof(type, sending.concurrency), "auto|N", \
	  "calls at once to a provider; auto adapts to what it can take (auto)" }, \
	{ OPT_UINT, 0, "retries", offsetof(type, sending.retries), "N", \
	  "retries after a 429, a 503 or a failed connection (5)" }, \
	{ OPT_UINT, 0, "retry-delay", offsetof(type, sending.retry_delay), "MS", \
	  "before the first retry; doubles after each retry, with jitter (1000)" }, \
	{ OPT_UINT, 0, "warmup", offsetof(type, sending.warmup), "N", \
	  "calls to each target before the ones that count (0)" }, \
	{ OPT_CHOICE, 0, "detector", offsetof(type, sending.detector), "default|reference", \
	  "how tool calls are found in text: with their context, or by the five patterns alone" }, \
	{ OPT_STR, 0, "budget-usd", offsetof(type, sending.budget), "X", \
	  "stop before exceeding this cost; needs --max-tokens" }, \
	{ OPT_STR, 0, "prices", offsetof(type, sending.prices), "FILE", \
	  "your own prices, in the form of doc/prices.md" }

/* A run in the making. */
struct bench_job {
	struct arena *arena;
	const struct frame *frame;
	struct suite suite;
	struct config config;
	struct provider_options *providers; /* one for each target of the config */
	struct prices *prices; /* the built-in ones with the user's over them */
	struct plan plan;
};

/* From the options and the suites named; reads everything that can be wrong before anything is sent. */
struct bench_asked {
	struct bench_who who;
	struct bench_how how;
	struct bench_what what;
	struct bench_sending sending;
	bool allow_unreachable; /* no key or no answer is not a failure */
};

/* Puts the usual value in the place of each number that was not given (BENCH_UNSET). Not for a run that is resumed. */
void bench_asked_settle(struct bench_asked *o);

/*
 * Fills in the job from the options and the suites; its arena and frame must be set, and numbers be settled. False with
 * *err before anything is sent: ERR_USAGE for an option, ERR_DATA for a suite or file, and what is wrong with a suite
 * is printed. Everything lives in the job's arena.
 */
bool bench_job_make(struct bench_job *j, const struct bench_asked *o, const struct str *suites, size_t count,
		    struct err *err);

/*
 * Steps of bench_job_make that bench_job_resume shares; each is false with *err. Prices: the built-in table with the
 * user's own over it, a file of at most 16 MiB (p NULL: none). Concurrency: calls at once from 1 to 10000, 0 for auto.
 * Finish: where each target is, and the plan; config and suite must be complete.
 */
bool bench_job_prices(struct bench_job *j, struct str path, struct err *err);
bool bench_job_concurrency(struct str given, uint64_t *out, struct err *err);
bool bench_job_finish(struct bench_job *j, struct err *err);

/*
 * Fills in the job from the directory of a run that was stopped: everything is as it was, files among it, which must
 * not have changed; where a provider is and its key may be new. The job's arena and frame must be set. ERR_USAGE, with
 * its name, for an option that says otherwise; ERR_DATA when config.json cannot be used or its prompts were changed. A
 * changed built-in price table is only a warning.
 */
bool bench_job_resume(struct bench_job *j, const struct bench_asked *o, struct str dir, struct err *err);

/* Adds the plan for people, in lines that fit the terminal. The job must be finished (bench_job_make or _resume). */
void bench_plan_show(struct buf *out, const struct bench_job *j, const struct term *t);
extern const char *const bench_plan_fields[]; /* of --json; ended by NULL */
/* The document trackway.bench-plan/1, with the members that are selected. Figures that are not known are null. */
void bench_plan_write_json(struct buf *out, const struct bench_job *j, struct opt_maybe selected);

/* A new directory `parent`/ID, or the one of a run that was stopped. */
struct bench_place {
	struct str parent, dir; /* dir: p NULL for a new one */
};
/*
 * Runs it in `place`, shows the plan and the progress on standard error, writes the derived files, prints the summary
 * as `o` says and holds it against `w`. EXIT_YES; EXIT_NO when a threshold is not met or the budget ended it; 128 and
 * the number of a signal; EXIT_FAIL with *err, also when a target never answered. Rows that were written stay in any
 * case.
 */
int bench_job_run(struct bench_job *j, const struct bench_place *place, const struct bench_shown *o,
		  const struct bench_wanted *w, struct err *err);

#endif
