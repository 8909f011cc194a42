/*
 * Looks up values in a TOML document: as much of TOML as it takes to find one by its path, past everything else. It is
 * no validator: what cannot be read ends the search, and what was found before stays found; toml_find_fault tells
 * where that is.
 */
#ifndef BASE_TOML_H
#define BASE_TOML_H

#include "base/arena.h"
#include "base/str.h"

#define TOML_PARTS 16 /* of a path; deeper values are passed over */

enum toml_kind {
	TOML_NONE,
	TOML_TEXT,
	TOML_NUMBER,
	TOML_BOOL,
	TOML_ARRAY,
	TOML_OTHER, /* a date, a string of several lines, or nothing that TOML has */
};

struct toml_value {
	enum toml_kind kind;
	struct str text; /* TOML_TEXT: the string, in the arena; else the value as it is spelled, in the document */
	double number;   /* TOML_NUMBER; infinite and NaN are none */
	bool truth;      /* TOML_BOOL */
};

/*
 * The value at a path ({ "model_providers", "mine", "base_url" }), whether written as a table, a dotted key or an
 * inline table. The last one counts when there are several. False, and *out as it was, when there is none or the path
 * is longer. An inline table has no value of its own, only its members have.
 */
bool toml_find_value(struct arena *a, struct str text, const struct str *path, size_t count, struct toml_value *out);

/* Whether there is any value below the path: whether its table has something in it. */
bool toml_has_below(struct arena *a, struct str text, const struct str *path, size_t count);

/*
 * The line, from 1, of the first table or key that cannot be read; 0: the whole document was walked through. A value
 * that is none (TOML_OTHER) is no fault here.
 */
size_t toml_find_fault(struct arena *a, struct str text);

/*
 * The same for a string of one line whose escapes are \" and \\ only; other values count as absent. The text is in
 * the arena.
 */
bool toml_find(struct arena *a, struct str text, const struct str *path, size_t count, struct str *out);

/*
 * The next element of an array: its spelling (toml_value.text, with brackets) is taken for a cursor at first, and moves
 * behind what was given. Elements that are inline tables are TOML_OTHER. False at the end, or where it cannot be read.
 */
bool toml_next(struct arena *a, struct str *cursor, struct toml_value *out);

#endif
