/*
 * What agents did in the trials of a ledger: signals of the transcripts that were sealed with them, and what kind of
 * act each turn was by the built-in rules (trial/classify/). A transcript is read once for both, one trial after the
 * other.
 *
 * The files read are those that stand beside a ledger's directory; a database has none, and then nothing is known.
 */
#ifndef TRIAL_REPORT_TRACES_H
#define TRIAL_REPORT_TRACES_H

#include "trial/report/doc.h"

struct traces_how {
	const struct ledger *ledger;
	size_t limit; /* trials; 0: all */
	unsigned jobs;
};

/*
 * A row for each trial that was not erased, in the order of the ledger. False with *err when a transcript cannot be
 * read; one that is not there is no failure.
 */
bool traces_make(struct doc *out, const struct doc_source *s, const struct traces_how *how, struct err *err);

/*
 * Sums of the trials that count, by adapter and model, each trial held against the reference that the good ones of the
 * same report make. Likewise.
 */
bool behaviour_make(struct doc *out, const struct doc_source *s, const struct traces_how *how, struct err *err);

#endif
