/* What was said, as one text, for formats that have nothing else. */
#ifndef DIALECT_READING_SPEECH_H
#define DIALECT_READING_SPEECH_H

#include "base/arena.h"
#include "json/json.h"

/*
 * The text of a payload: that of a string; of a list of blocks with text their texts, a line each; of anything else
 * its JSON. *whole (when not NULL) is false when it is not all there. Lives in the arena, or is the payload's. Lists
 * count as not whole even when all of their texts are there, since where one ends is lost.
 */
struct str speech_text(struct arena *a, struct json_parser *p, struct str json, bool *whole);

#endif
