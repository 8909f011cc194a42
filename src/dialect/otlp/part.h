/*
 * Parts of messages and definitions of tools as the GenAI conventions have them, and back. Readers of the conventions
 * drop what has another shape without a word. Each thing that was changed says how, in a member of ours, so that it
 * comes back as it was.
 */
#ifndef DIALECT_OTLP_PART_H
#define DIALECT_OTLP_PART_H

#include "base/arena.h"
#include "base/buf.h"
#include "json/json.h"

/*
 * Adds one part of a message: {"type":"text","content":...}, reasoning, blob or uri. What is none of these becomes a
 * text with its JSON. `v` is canonical.
 */
void otlp_part_put(struct buf *out, struct val v);

/* Adds the JSON of what otlp_part_put was given. A part without our member is itself. The arena gets texts. */
void otlp_part_back(struct buf *out, struct val part, struct arena *a);

/* Adds a list of tools: {"type":"function","name":...,"description":...,"parameters":{...}}. `list` is canonical. */
void otlp_tools_put(struct buf *out, struct val list);

/* Adds the list that otlp_tools_put was given. */
void otlp_tools_back(struct buf *out, struct val list);

#endif
