/*
 * What traces that did well look like: made of trials whose record says a reward of 1.0, kept in a file of its own.
 *
 *	{"schema": "trackway.bonds-reference/1", "classifier", "traces", "turns", "matrix": [[4] x 4],
 *	 "ideal_sequence": ["execution", ...], "ideal_traces"}
 *
 * A reference made by one classifier says little about sequences that another one told, so it names its own.
 */
#ifndef TRIAL_CLASSIFY_REFERENCE_H
#define TRIAL_CLASSIFY_REFERENCE_H

#include "base/buf.h"
#include "trial/classify/classify.h"

#define REFERENCE_REWARD 1.0
#define REFERENCE_SCHEMA "trackway.bonds-reference/1"

struct classify_reference {
	struct bond_reference bonds;
	struct str classifier; /* who told the bonds: "rules sha256:..." or "judge openai:m sha256:..." */
	uint64_t passed_over;  /* made: records whose transcript could not be classified */
	struct err why;        /* of the first of them */
};

/*
 * Makes one of those `paths` that are trial records with a reward of 1.0 and a transcript; all others are left out, and
 * records whose transcript cannot be classified are counted. False with ERR_DATA when none is left, or when the judge
 * fails. Everything lives in the arena.
 */
bool reference_make(struct classify_reference *out, struct arena *a, const struct str *paths, size_t count,
		    const struct classify_how *how, struct err *err);

/* Whether a text is a reference, by its schema; then reference_read says what is wrong with it. */
bool reference_is_one(struct str text);

/* Reads a file's text. False with ERR_DATA, the name and the member when it is none. */
bool reference_read(struct classify_reference *out, struct arena *a, struct str text, struct str name,
		    struct err *err);

/* Adds the text of the file, with its LF. The figures have all their digits, so that it reads back the same. */
void reference_write(struct buf *out, const struct classify_reference *r);

#endif
