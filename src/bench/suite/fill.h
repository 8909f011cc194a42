/* Variables: finding them in the strings of a prompt, and writing the prompt again with their values. */
#ifndef BENCH_SUITE_FILL_H
#define BENCH_SUITE_FILL_H

#include "base/buf.h"
#include "bench/suite/csv.h"
#include "bench/suite/suite.h"

struct suite_values {
	const struct suite_var *vars;
	size_t var_count;
	const struct rows *rows; /* NULL when there is no table */
};

/* The next {{name}} in a text from *at on: false when there is none, else its name, and *at behind it. */
bool suite_next_variable(struct str text, size_t *at, size_t *from, struct str *name);

struct suite_uses {
	bool any, column;
};

/* Finds which variables the prompt uses; those without a value are told to the problems. */
struct suite_uses suite_find_variables(struct val prompt, const struct suite_values *values, struct problems *p);

/*
 * The prompt as JSON with its variables filled in from a row (SIZE_MAX: from no row), "#" and the row's number behind
 * its id. False, and told, when the row has no value for one.
 */
bool suite_fill(struct buf *out, struct val prompt, const struct suite_values *values, size_t row, struct problems *p);

#endif
