/* The line of input under a finding, cut around the place it is about, with carets below it. */
#ifndef CMD_REPORT_EXCERPT_H
#define CMD_REPORT_EXCERPT_H

#include "base/buf.h"
#include "base/finding.h"

/*
 * Three lines with the line's number in the margin, at most `width` columns wide. What was cut off is
 * marked with an ellipsis; at least one caret is drawn, also at the end of the text.
 */
void excerpt_add(struct buf *out, const struct finding *f, bool color, size_t width);

#endif
