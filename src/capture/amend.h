/*
 * A trace written again with what was learnt late: layers, exact times, parents, and lines in the order of their ends.
 * The file is read twice and written once, beside the old one, whose place it takes when it is whole; when that fails
 * the old one stays as it was. What is held in memory is a few bytes for each amendment.
 */
#ifndef CAPTURE_AMEND_H
#define CAPTURE_AMEND_H

#include "capture/graph/amendments.h"
#include "capture/line_file.h"

#define AMEND_BESIDE "agent-trace.jsonl.new" /* beside the trace while it is written; a kill leaves it */

/*
 * The lines of `t`, which must all be flushed; it is written on in the new file afterwards. Nothing is done where
 * nothing was learnt. False and *err (ERR_IO) when it could not be done: the trace then lacks what was learnt late.
 */
bool amend_trace(struct line_file *t, const struct amendments *a, struct err *err);

/* Adds the line, which is one of ours, with what the amendment says. Without its LF. */
void amend_line(struct buf *out, struct str line, const struct amendment *m);

#endif
