/* The line of input under a finding, cut around the place it is about, with carets below it. */
#ifndef CMD_REPORT_EXCERPT_H
#define CMD_REPORT_EXCERPT_H

#include "base/buf.h"
#include "base/finding.h"

/*
 * Adds three lines with the line's number in the margin, at most `width` columns wide. What was cut off is marked with
 * an ellipsis; at least one caret is drawn, also at the end of the text. Text of the input is made safe for a terminal.
 * The finding needs a line number; an empty excerpt gives an empty line.
 */
void excerpt_add(struct buf *out, const struct finding *f, bool color, size_t width);

#endif
