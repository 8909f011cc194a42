/*
 * Trials in groups with their figures: by adapter and model (a leaderboard), by experiment, by task, or by both (a heat
 * map). Figures are of the trials that count (STANDING_COUNTED); the others are only counted, each under its standing.
 *
 * An attempt is a trial that counts, a partial one or one that the infrastructure failed: the second denominator, in
 * which what does not count is a reward of 0. Superseded, regraded and erased trials are no attempts of their own.
 */
#ifndef TRIAL_REPORT_BOARD_H
#define TRIAL_REPORT_BOARD_H

#include "transform/stats.h"
#include "trial/report/judged.h"

#define BOARD_LEVEL 0.95
#define BOARD_LEAST 3 /* trials that an interval of the mean needs */

enum board_by { BOARD_BY_MODEL, BOARD_BY_EXPERIMENT, BOARD_BY_TASK, BOARD_BY_CELL, BOARD_BY_COUNT };

struct board_how {
	bool bootstrap;   /* intervals of means by resampling tasks, else Student's t */
	unsigned k;       /* of pass@k; 0: as often as every task was tried, when that is more than once */
};

/* Names that trials of a group have, in the order of bytes; absent ones are left out. */
struct board_names {
	const struct str *items;
	size_t count;
	uint64_t without; /* trials that do not say it */
};

struct board_group {
	const struct trial_fact *sample; /* one of its trials: the names that make the group are in all */
	uint64_t standings[STANDING_COUNT];
	uint64_t classes[CLASS_COUNT]; /* of those that count */
	uint64_t trials, attempts, tasks;
	uint64_t least, most; /* trials of a task */
	uint64_t mixed;       /* tasks whose trials are not all of one revision and one verifier */
	struct stats_mean mean;      /* of rewards, clustered by task */
	struct interval interval;    /* of the mean, within 0 and 1; NaN: none */
	const char *no_interval;     /* why: "n too small", "one task only", "no variation"; NULL when there is one */
	uint64_t seed;               /* of the bootstrap: made of the ids of the trials, sorted */
	uint64_t passed, zero, solved; /* trials with reward >= 1, with 0; tasks with at least one pass */
	struct interval pass_interval, zero_interval; /* Wilson's; where a task was repeated, clustered by task */
	double pass_of_attempts, mean_of_attempts;
	uint64_t k, k_tasks;         /* 0: no task was repeated */
	double pass_at, pass_all;    /* means over the tasks that were tried at least k times */
	double sums[FIGURE_COUNT];   /* over the trials that say it */
	uint64_t known[FIGURE_COUNT];
	uint64_t registered, errors, findings, denied;
	struct judged_sum judged;
	struct board_names experiments, datasets, verifiers, isolations, revisions, prices;
	/* of the mean, from 1; how many others have the same one, last digits aside; rank 0: nothing counts */
	uint64_t rank, tied;
};

struct board {
	enum board_by by;
	struct board_group *groups; /* by rank; those without a trial that counts last; equals by name */
	size_t count;
};

/* Everything lives in the tally's arena. `g` is of the same tally. */
struct board board_make(const struct tally *t, const struct judging *g, enum board_by by, const struct board_how *how);

/* The mean over the trials that say it; NaN when none does. */
double board_mean(const struct board_group *g, enum trial_figure f);

/* The sum when every trial that counts says it, else NaN: part of a sum would be taken for the whole. */
double board_total(const struct board_group *g, enum trial_figure f);

/* Tokens of the advisor among all tokens; NaN when one of them is not known. */
double board_advisor_share(const struct board_group *g);

/*
 * Which groups are on the frontier of one figure against the mean reward: no other one has a mean at least as high for
 * no more of it, and one of both better. 1, 0, or -1 where the figure is not known of every trial. `x` is a mean for
 * each group, or NaN. out has room for each.
 */
void board_frontier(const struct board *b, const double *x, int *out);

#endif
