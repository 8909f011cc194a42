/*
 * A against B on the tasks that both tried: paired by task, of which the mean over its trials counts, so that a task
 * that was tried more often has no more weight and unequal numbers of trials do no harm.
 */
#ifndef TRIAL_REPORT_VERSUS_H
#define TRIAL_REPORT_VERSUS_H

#include "transform/paired.h"
#include "trial/report/tally.h"

enum versus_metric { VERSUS_REWARD, VERSUS_PASS, VERSUS_COST, VERSUS_TOKENS, VERSUS_SECONDS, VERSUS_METRICS };

const char *versus_metric_name(enum versus_metric m); /* "reward", "pass", "cost", "tokens", "seconds" */

struct versus_side {
	struct str words;       /* as given */
	struct str model, adapter, experiment; /* p NULL: any */
	uint64_t trials, tasks; /* that count */
	uint64_t attempts;      /* with those that do not */
	uint64_t alone;         /* tasks that the other side did not try */
};

struct versus {
	struct versus_side a, b;
	uint64_t tasks;         /* of both */
	uint64_t mixed;         /* of these, those whose trials are not all of one revision and one verifier */
	bool repeats;           /* a task of both was tried more than once by one of them */
	struct paired tests[VERSUS_METRICS];
	uint64_t both, only_a, only_b, neither; /* tasks by who passed; without repeats only */
	double mcnemar, mid_p;  /* NaN with repeats: then the permutation decides for pass too */
	size_t family;          /* tests that Holm's correction is over */
	uint64_t seed;          /* of permutations: made of the ids of the trials, sorted */
};

/*
 * Reads "model=M,adapter=A,experiment=E" or a model alone. Texts are borrowed. False with ERR_USAGE for another member
 * or one without a value.
 */
bool versus_parse_side(struct versus_side *s, struct str words, struct err *err);

/* a and b of *v are given. ERR_DATA when a side has no trial that counts, or both are the same trials. */
bool versus_make(struct versus *v, const struct tally *t, struct err *err);

#endif
