/*
 * JSON Schema, a part of draft 2020-12, for validators: a schema is compiled when its suite is loaded, and values are
 * held against it as often as needed, by any thread.
 *
 * Checked: type, enum, const, properties, required, additionalProperties, items, prefixItems, minItems, maxItems,
 * minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern, allOf, anyOf, oneOf, not, and
 * $ref to a place in the same schema. Without effect, as the draft has it: title, description, default, examples,
 * $comment, deprecated, readOnly, writeOnly, $schema, $defs. Every other keyword is refused when the schema is
 * compiled, for one that is passed over in silence is a check that somebody believes in.
 *
 * Schemas and values may be hostile: nothing recurses, references that lead in a circle and alternatives that
 * multiply end at a limit, which is an answer of its own.
 */
#ifndef BENCH_VALIDATE_JSONSCHEMA_H
#define BENCH_VALIDATE_JSONSCHEMA_H

#include "bench/suite/problem.h"

struct jsonschema;

/*
 * Compiles a schema into the arena; it keeps nothing of `schema`, and nothing is to be freed. NULL when it cannot be
 * used, or has more than 65536 parts; all that is wrong is told to `p` at once.
 */
struct jsonschema *jsonschema_new(struct arena *a, struct val schema, struct problems *p);

enum jsonschema_answer { JSONSCHEMA_VALID, JSONSCHEMA_INVALID, JSONSCHEMA_LIMIT };

struct jsonschema_fault {
	struct str pointer;  /* RFC 6901: the part of the value that is wrong; in the arena */
	const char *keyword; /* the one that says so, the first in the order of evaluation */
};

/*
 * Holds a value against it. When the answer is not VALID, *fault says what was found first; a limit without a keyword
 * of its own is "limit". Steps and patterns are taken from *budget (see regex.h). LIMIT: the budget, a million steps or
 * 4096 schemas inside each other were not enough, and nothing is known about the value.
 */
enum jsonschema_answer jsonschema_check(const struct jsonschema *s, struct val value, struct arena *a, uint64_t *budget,
					struct jsonschema_fault *fault);

#endif
