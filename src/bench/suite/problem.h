/*
 * What is wrong with a file of a suite, told with its place. One struct problems is one file; the list of findings
 * belongs to whoever loads it.
 *
 * A prompt whose variables were filled in is read again from a text that no file has. Its problems are told at the
 * prompt that it was made from, with the row: see `stands_for`.
 */
#ifndef BENCH_SUITE_PROBLEM_H
#define BENCH_SUITE_PROBLEM_H

#include "base/finding.h"
#include "bench/suite/rules.h"
#include "json/json.h"

struct problems {
	struct findings *list;
	struct str text;        /* of the file */
	struct val root;        /* the value that it holds; absent for a file that is not JSON */
	struct val stands_for;  /* every place is this value's, unless absent */
	uint64_t row;           /* with stands_for: the row of the table, 0 when there is none */
	uint64_t count;         /* of errors, so that a reader can tell whether its part added any */
};

/*
 * Adds a finding at a value or a key, which must be of p->root unless stands_for is set. Always false, so that failing
 * is one line.
 */
__attribute__((format(printf, 4, 5))) bool problem_at(struct problems *p, enum suite_rule rule, struct val v,
						       const char *format, ...);

/* Adds a finding at bytes of the text, or, with SIZE_MAX, about the whole file. */
__attribute__((format(printf, 5, 6))) void problem_in(struct problems *p, enum suite_rule rule, size_t at,
						      size_t length, const char *format, ...);

/* "a string", "null" and so on, for messages; "nothing" for a value that is absent. A constant. */
const char *problem_type_name(struct val v);

#endif
