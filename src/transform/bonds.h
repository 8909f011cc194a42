/*
 * The behaviour of an agent as a sequence of bonds: each turn of its model is one of four, and what follows what is a
 * matrix of transitions. Traces are compared by their matrices (cosine similarity) and by their sequences (edit
 * distance) with a reference, which is made of traces that did well. doc/classify.md says what the bonds mean.
 *
 * Everything here is a pure function of numbers: counts are integers, and sums are in the order of the input, so the
 * figures are the same on every machine to the six places that are given.
 */
#ifndef TRANSFORM_BONDS_H
#define TRANSFORM_BONDS_H

#include "base/arena.h"
#include "json/write.h"

enum bond { BOND_EXECUTION, BOND_VERIFICATION, BOND_DELIBERATION, BOND_EXPLORATION, BONDS };

#define BONDS_LOW_CONFIDENCE 0.75 /* a turn below it is counted as uncertain */
/* A turn for a turn, this is the most work that an edit distance is worth: lengths multiplied. */
#define BONDS_EDIT_MOST ((uint64_t)1 << 32)

extern const char *const bond_names[BONDS + 1]; /* ended by NULL */
bool bond_find(struct str name, enum bond *out); /* by its name in any case; false, and *out as it was, for none */

/* The bond with the highest score; of equal ones verification, exploration, deliberation, execution, in this order. */
enum bond bond_strongest(const int64_t score[BONDS]);

/* The bond with most turns; of equal ones the first in the order of enum bond. BONDS when there are none. */
enum bond bond_dominant(const uint64_t counts[BONDS]);

struct bond_sequence {
	const uint8_t *at; /* enum bond, of turns in their order */
	size_t n;
};

struct bond_counts {
	uint64_t to[BONDS][BONDS]; /* from a bond to the one of the next turn */
};
struct bond_matrix {
	double to[BONDS][BONDS];
};

/* The transitions between turns that follow each other; none below two turns. */
struct bond_counts bond_count_transitions(struct bond_sequence s);

/* Each row divided by its sum; a row without transitions stays zero. */
struct bond_matrix bond_normalise(const struct bond_counts *c);

/* The cosine of the angle between two matrices taken as vectors of 16; 0 when one is no longer than 1e-12. */
double bond_cosine(const struct bond_matrix *a, const struct bond_matrix *b);

/*
 * Turns to insert, delete or replace to make one sequence of the other (Levenshtein). False, and *out as it was, when
 * that is more work than BONDS_EDIT_MOST.
 */
bool bond_edit_distance(struct bond_sequence a, struct bond_sequence b, uint64_t *out);

/* With six decimals, rounded half away from zero. */
double bond_round(double v);

/* ---- a reference ---- */

struct bond_reference {
	uint64_t traces, turns;
	struct bond_matrix matrix;   /* the mean of the traces' matrices, weighted by their turns */
	struct bond_sequence ideal;  /* the most frequent sequence; of equals the longer, then the one first by name */
	uint64_t ideal_traces;       /* that have it */
};

/* The reference of some traces; one without turns is left out. The ideal sequence is one of those given. */
struct bond_reference bond_make_reference(struct arena *scratch, const struct bond_sequence *traces, size_t count);

/* A trace against a reference. */
struct bond_likeness {
	double cosine;
	bool has_distance;   /* false: the sequences are too long for it */
	uint64_t distance;
	double normalised;   /* by the longer of the two; 0 for two empty ones */
};

struct bond_likeness bond_compare(struct bond_sequence s, const struct bond_reference *r);

/* ---- as JSON: the value of a member whose name was written ---- */

void bond_write_counts(struct json_writer *w, const struct bond_counts *c);
void bond_write_matrix(struct json_writer *w, const struct bond_matrix *m); /* six decimals */
void bond_write_sequence(struct json_writer *w, struct bond_sequence s); /* names */

#endif
