/* Counting lines, fast enough that the reading thread does not notice it, and telling them from documents. */
#ifndef SOURCE_LINES_H
#define SOURCE_LINES_H

#include <stddef.h>

#include "base/str.h"

/* How many LFs are in s. */
size_t lines_count(struct str s);

/*
 * Whether a file that begins with this has a JSON value on each line, rather than one that goes on over
 * several. A damaged first line does not make a document of lines; `otherwise` is for what is no JSON.
 */
bool lines_are(struct str head, bool otherwise);

#endif
