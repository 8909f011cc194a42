/* Reads the EXPECT tables of the shared corpora and hands over their rows. */
#ifndef UNIT_JSON_CONFORMANCE_H
#define UNIT_JSON_CONFORMANCE_H

#include <stdio.h>

#include "harness/test.h"

#define COLUMNS_MAX 16

struct row {
	struct str column[COLUMNS_MAX];
	size_t count;
};

static inline struct row row_split(struct str line)
{
	struct row r = { 0 };

	while (line.n && r.count < COLUMNS_MAX)
		r.column[r.count++] = str_cut(line, '\t', &line);
	return r;
}

/* The number of the column with this title, or fails. */
static inline size_t row_find(const struct row *header, const char *title)
{
	for (size_t i = 0; i < header->count; i++)
		if (str_eq(header->column[i], str_from(title)))
			return i;
	FAIL("no column %s", title);
}

/* A file of the corpus. */
static inline struct str row_file(const char *directory, struct str name)
{
	char path[1200];

	snprintf(path, sizeof(path), "%s/%.*s", directory, STR_ARG(name));
	return test_read(path);
}

#endif
