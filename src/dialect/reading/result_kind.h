/* What shape a result has: the word of a trace for it. */
#ifndef DIALECT_READING_RESULT_KIND_H
#define DIALECT_READING_RESULT_KIND_H

#include "json/json.h"
#include "model/event.h"

/*
 * "image" or "binary" by its media type; "json" for an object, an array or a text that is one; "text". NULL when the
 * event (a RESULT) has no content. A list of content blocks is what its blocks are. `p` parses what is looked into.
 * The word is a constant. The parser and the scratch arena may be used for anything again afterwards.
 */
const char *result_kind(struct json_parser *p, struct arena *scratch, const struct event *e);

#endif
