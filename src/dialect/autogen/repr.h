/* What Python's repr() prints of objects, as JSON: AutoGen 0.2 logs the answers of models so. */
#ifndef DIALECT_AUTOGEN_REPR_H
#define DIALECT_AUTOGEN_REPR_H

#include "base/buf.h"

#define REPR_DEPTH 64
#define REPR_BYTES ((size_t)64 << 20) /* of a text that is looked at, and of what is made of it */

/*
 * Adds the JSON of one value to `out`: Name(a=1, b='x') is {"a":1,"b":"x"}, lists and tuples are arrays, dicts objects,
 * None is null; anything else that is written without quotes is a string. False when the text is no such value, is
 * deeper than REPR_DEPTH or too long; what is in `out` then is of no use.
 */
bool repr_to_json(struct buf *out, struct str text);

#endif
