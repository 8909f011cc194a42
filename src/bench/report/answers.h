/*
 * The rows of a run with what the models said, as people look at them: those that are asked for, in the order of the
 * suite, then of the targets, then of the repetitions. What looks like a key is hidden in every text.
 */
#ifndef BENCH_REPORT_ANSWERS_H
#define BENCH_REPORT_ANSWERS_H

#include "bench/run/config.h"
#include "bench/run/run_dir.h"

#define ANSWERS_MAX 1000000u /* rows of one look */

/* Which rows; what is not set lets all pass. */
struct answers_wanted {
	struct str prompt;  /* id or name; p NULL */
	const struct str *targets; /* any of these: in full, with a provider's short name, by its tag or its model */
	size_t target_count;
	int64_t repetition; /* 0: all */
	bool failed;        /* only what did not pass: the call failed, or the validator said no */
	size_t most;        /* bytes kept of each answer; 0 keeps all */
};

struct answer {
	struct result row; /* without `parsed` and `run_id`; `output` is masked, and cut to `most` */
	struct str target; /* provider:model@thinking */
	struct str got;    /* got="..."; p NULL without a violation */
	size_t bytes;      /* of the whole answer, as it stands in the row */
	bool cut;          /* `output` is only its beginning */
	bool masked;       /* something in it is hidden */
	uint64_t order, place; /* of its prompt in the suite, of the row in the file */
	size_t target_order;
};

struct answers {
	struct str run_id;
	uint64_t rows; /* of the run; those that are shown are `count` */
	struct results_lost lost;
	bool repeats; /* a prompt was asked of a target more than once */
	struct answer *items;
	size_t count;
	const struct suite_prompt *prompt; /* the one that is asked for, as config.json has it; NULL */
	struct str prompt_text; /* of it, masked; p NULL when config.json does not have it */
	struct str judged_by;   /* its validator in words, masked, a line for each; p NULL */
	const struct str *prompts, *targets; /* ids and names that the run has, for what is said when none fits */
	size_t prompt_count, target_count;
};

/*
 * Reads them from a run's directory or its results.jsonl; everything is in the arena. False and *err when results or
 * config.json cannot be read (ERR_IO, ERR_DATA; a missing config.json is none), or there are too many (ERR_LIMIT). A
 * prompt or target that the run does not have gives no rows.
 */
bool answers_read(struct answers *out, struct arena *a, struct str path, const struct answers_wanted *w,
		  struct err *err);

/* "pass", "fail", "not judged", or the row's failure: "http_429"; lives as long as the row. */
struct str answer_verdict(const struct answer *x);

#endif
