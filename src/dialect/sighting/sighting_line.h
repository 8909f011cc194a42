/*
 * A sighting as one line of JSON: what hooks, wrappers and shims send to the recorder's socket. One object each,
 * {"v":"sighting/1","kind":"tool_end","layer":"hook",...}; what is not known is left out, and names that are not known
 * are passed over. doc/formats/sighting.md has the fields.
 */
#ifndef DIALECT_SIGHTING_SIGHTING_LINE_H
#define DIALECT_SIGHTING_SIGHTING_LINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "json/json.h"
#include "model/sighting.h"

#define SIGHTING_LINE_MOST ((size_t)16 << 20) /* bytes of a line; what is longer is no sighting */

#define SIGHTING_TEXT_MOST ((size_t)4 << 10) /* bytes of an id, a name or an address; a longer one is not known */

/* Adds the line with its LF. Nothing fails. */
void sighting_line_add(struct buf *out, const struct sighting *s);

/*
 * Fills in *s from a line that was parsed; texts are in the arena. False, with *s undefined, when it is no object of
 * this version, or its kind or layer is unknown: then nothing of it can be used.
 */
bool sighting_line_read(struct arena *a, struct val line, struct sighting *s);

#endif
