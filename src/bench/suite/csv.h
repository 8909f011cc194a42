/*
 * A table of variables: names, and rows with a value for each. CSV is as RFC 4180 has it (fields in double quotes may
 * hold commas, line ends and doubled quotes; lines may end with LF alone; a last empty line is no row), its first row
 * the names. JSONL has an object on each line; numbers, true, false and null stand for their text, other values for
 * their JSON, and rows need not have the same members.
 */
#ifndef BENCH_SUITE_CSV_H
#define BENCH_SUITE_CSV_H

#include "base/map.h"
#include "bench/suite/problem.h"

#define ROWS_MAX 1000000u

struct rows {
	struct arena *arena;
	struct map names; /* name to its column, from 0 */
	size_t columns;
	struct str **cells; /* for each row as many values as there were columns when it was read; p is NULL for none */
	size_t *widths;
	size_t count, cap;
};

/*
 * Read a table from the text of `p` into the arena; what is wrong is told to `p` (BS016; BS017 for more than ROWS_MAX
 * rows or 4096 names in JSONL), and the rows before it stay.
 */
void rows_read_csv(struct rows *r, struct arena *a, struct problems *p);
void rows_read_jsonl(struct rows *r, struct arena *a, struct problems *p);

/*
 * Whether there is a column of that name; the value in a row (from 0), which lives as long as the table. False, and
 * *out untouched, when the row has none. An empty field of CSV is a value.
 */
bool rows_has(const struct rows *r, struct str name);
bool rows_find(const struct rows *r, size_t row, struct str name, struct str *out);

#endif
