/* What can be written: formats, and the variants of those that have several. */
#ifndef DIALECT_TARGET_H
#define DIALECT_TARGET_H

#include "dialect/dialect.h"

struct target {
	const char *name; /* "conversation-openai", as --to takes it */
	const struct dialect *dialect;
	const char *variant; /* NULL where there is one */
	const char *suffix;  /* of files: ".otutl.jsonl" */
};

extern const struct target targets[]; /* ended by a row without a name */

/* By its name, exactly as --to takes it; NULL when there is none. Targets live always. */
const struct target *target_find(struct str name);

#endif
