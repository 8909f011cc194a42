/*
 * Traces put together. Spans come children first and in pieces; only at the end is it known which spans stand inside
 * which. They are held until the input ends, or until 64 MiB are held: then what there is is let go, and says
 * so. One run for each trace, in order of the first span of each.
 *
 *  - A step is the innermost span about a model on its way down; tools in between end that way. Spans around it
 *    become notes; usage that only they know goes to the step, or, if several steps are inside, is a cost of its own.
 *    So is the usage of an agent span when nothing inside it tells any.
 *  - A tool span inside one of the same tool, with nothing between that has a role, is the same call told by another
 *    layer (an MCP client): a note.
 *  - Order: by start, a parent before what is inside it; results and answers at their end.
 */
#ifndef DIALECT_OTLP_FOLD_H
#define DIALECT_OTLP_FOLD_H

#include "base/err.h"
#include "model/assemble.h"

/* Opens an empty fold, of struct read_ops; it lives until otlp_fold_close, which drops what it holds. */
void *otlp_fold_open(void);
void otlp_fold_close(void *fold);

/* Copies the next raw event (otlp/read.h). False, with *err, only when the assembler fails at the limit. */
bool otlp_fold_add(void *fold, const struct event *e, struct assemble *as, struct err *err);

/* Gives all traces held to the assembler and forgets them, also when it fails: false then, with *err. */
bool otlp_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
