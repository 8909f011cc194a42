/*
 * Looks up texts in a TOML document: as much of TOML as it takes to find a string by its path, past everything else.
 * It is no validator: what cannot be read ends the search, and what was found before stays found.
 */
#ifndef BASE_TOML_H
#define BASE_TOML_H

#include "base/arena.h"
#include "base/str.h"

#define TOML_PARTS 16 /* of a path; deeper values are passed over */

/*
 * The string at a path ({ "model_providers", "mine", "base_url" }), whether written as a table, a dotted key or an
 * inline table. The last one counts when there are several. False, and *out as it was, when there is none, it is no
 * string of one line or has escapes other than \\" and \\\\, or when the path is longer. The text is in the arena.
 */
bool toml_find(struct arena *a, struct str text, const struct str *path, size_t count, struct str *out);

#endif
