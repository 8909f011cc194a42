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

/*
 * The next {{name}} in a text from *at on: *from is where its braces begin, *at behind them, *name part of the text.
 * False when there is none; *name may have been changed then.
 */
bool suite_next_variable(struct str text, size_t *at, size_t *from, struct str *name);

struct suite_uses {
	bool any, column;
};

/* Finds whether the prompt uses variables, and columns of the table; one without a value is told to `p` (BS014). */
struct suite_uses suite_find_variables(struct val prompt, const struct suite_values *values, struct problems *p);

/*
 * Adds the prompt as JSON with its variables filled in from a row (from 0; SIZE_MAX: from no row), "#" and the row's
 * number, from 1, behind its id. False, and told, when the row has no value for one; what was added to `out` is then
 * not to be used. Whether values are UTF-8 is not checked.
 */
bool suite_fill(struct buf *out, struct val prompt, const struct suite_values *values, size_t row, struct problems *p);

#endif
