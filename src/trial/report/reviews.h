/*
 * The review of trials: what still has to be looked at, how far reviewers agree, which disagreements are open, and
 * whether all that is ready to be relied on. Everything is read from the review entries of the ledger.
 */
#ifndef TRIAL_REPORT_REVIEWS_H
#define TRIAL_REPORT_REVIEWS_H

#include "trial/report/doc.h"

struct reviews_queue {
	uint32_t want;       /* annotations that a trial needs */
	struct str reviewer; /* what they have reviewed is left out; p NULL: nothing is */
	bool blind;          /* without rewards, models and what others judged, and without adjudications */
	size_t limit;        /* rows; 0: all */
};

/*
 * Trials that count and need something: open disagreements first, then those that lack the fewest annotations, each by
 * experiment, task and id.
 */
struct doc reviews_make_queue(const struct doc_source *s, const struct reviews_queue *q);

enum reviews_figure { REVIEWS_ANNOTATORS, REVIEWS_ALPHA, REVIEWS_OPEN, REVIEWS_COMPLETE, REVIEWS_FIGURES };

/* "annotators>=2", "alpha>=0.8", "open<=0", "complete>=95%" */
struct reviews_gate {
	struct str words;
	enum reviews_figure figure;
	bool at_least; /* else at most */
	double limit;
};

/* Reads one; its words are borrowed. False with ERR_USAGE. */
bool reviews_parse_gate(struct reviews_gate *g, struct str words, struct err *err);

/* Agreement of the trials that count, disagreements, gates. *met: whether all gates are. */
struct doc reviews_make_status(const struct doc_source *s, const struct reviews_gate *gates, size_t count, bool *met);

#endif
