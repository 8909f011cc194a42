/*
 * The behavioural classification of a trial: each turn of the agent's model is one of four bonds (transform/bonds.h),
 * told by rules (rules.h), or by a model that is asked (judge.h). Who has a transcript gets its turns, their structure
 * and how like a reference they are; who has many trials gets their sum.
 *
 *	classify_load(&trial, a, path, &how, &err);     a path's transcript, its turns, their bonds
 *	classify_compare(&trial, &reference);           optional
 *	classify_sum_add(&sum, &trial);
 */
#ifndef TRIAL_CLASSIFY_CLASSIFY_H
#define TRIAL_CLASSIFY_CLASSIFY_H

#include "transform/bonds.h"
#include "transform/quantile.h"
#include "trial/classify/rules.h"
#include "trial/classify/turns.h"

#define CLASSIFY_STRONGEST 2

/* A rule that held for a turn, and by which of its patterns. */
struct classify_hit {
	const struct rules_row *row; /* NULL: none */
	const struct rules_pattern *pattern;
};

struct classify_turn {
	enum bond bond;
	double confidence; /* 0 to 1 */
	int64_t score[BONDS];                                  /* by rules */
	struct classify_hit strongest[CLASSIFY_STRONGEST];     /* by rules, for this bond; may be fewer */
	struct str rationale;                                  /* of a judge; p NULL otherwise, or without one */
};

struct classify_judge;

/* Who tells, and how files are read. */
struct classify_how {
	const struct rules *rules;
	struct classify_judge *judge; /* NULL: the rules tell */
	struct transcript_how read;
};

/* A trial that was classified. Everything lives in the arena of classify_load. */
struct classify_trial {
	struct transcript from;
	struct classify_turn *turns;
	struct bond_sequence sequence;
	uint64_t bond_counts[BONDS];
	enum bond dominant;
	double mean_confidence;
	uint64_t low_confidence; /* turns below BONDS_LOW_CONFIDENCE */
	struct bond_counts transitions;
	struct bond_matrix matrix;
	bool has_likeness;
	struct bond_likeness likeness;
};

/*
 * The confidence of the bond with the highest score: the square of its score as a share of the squares of all that are
 * above 0, when each bond is given one more. So little evidence never looks like much (no rule at all gives 0.25), and
 * a clear lead does; on the turns by which the rules were made it says 0.75 in the mean, where 0.85 were right.
 */
double classify_confidence(const int64_t score[BONDS], enum bond bond);

/* Holds all rules against one turn. `scratch` is only for the making. */
struct json_parser;
void classify_by_rules(struct classify_turn *out, struct arena *scratch, struct json_parser *p,
		       const struct rules *rules, const struct turns *t, size_t i);

/*
 * Reads and classifies what `path` names (trial/transcript.h). False and *err when it cannot be read, has no content or
 * no turn (ERR_DATA), or when the judge could not be asked or left out a turn (ERR_IO).
 */
bool classify_load(struct classify_trial *out, struct arena *a, struct str path, const struct classify_how *how,
		   struct err *err);

/* The same of turns that were read and checked already; they may go then. False only when the judge fails. */
bool classify_turns(struct classify_trial *out, struct arena *a, const struct turns *t, const struct classify_how *how,
		    struct err *err);

/* Fills in the likeness to a reference. */
void classify_compare(struct classify_trial *t, const struct bond_reference *r);

/* ---- many trials ---- */

struct classify_sum {
	uint64_t trials, turns, low_confidence;
	uint64_t bond_counts[BONDS];
	uint64_t dominant[BONDS]; /* trials in which it is */
	double confidence;        /* the sum over turns */
	struct quantile confidences, cosines, distances, normalised; /* of trials; the last three of those compared */
};

/* An empty sum, to be freed; and one trial more. */
void classify_sum_init(struct classify_sum *s);
void classify_sum_free(struct classify_sum *s);
void classify_sum_add(struct classify_sum *s, const struct classify_trial *t);

#endif
