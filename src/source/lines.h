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

/* Whether a file that begins with this is server-sent events: they go on over lines, up to a blank one. */
bool lines_are_events(struct str head);

/*
 * How many bytes of a text are whole lines, up to its last LF; less when that would cut a server-sent event in two,
 * which may stand among other lines. 0 when there is no such place.
 */
size_t lines_whole(struct str text);

/* How many bytes of a text are whole events, up to a blank line (whatever ends its lines). 0 when there is none. */
size_t lines_whole_events(struct str text);

/* How many line ends a text of events has: CR LF, LF or CR. */
size_t lines_count_any(struct str text);

#endif
