/* Running text broken into lines by display columns, for help pages and messages. */
#ifndef CMD_SCREEN_WRAP_H
#define CMD_SCREEN_WRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * The words of `text` with the spaces between them, broken before column `width`. The line begun in `out`
 * already has `column` columns; further lines start with `indent` spaces. A word wider than the line
 * stands alone on one. Ends without a newline.
 */
void wrap_add_words(struct buf *out, struct str text, size_t column, size_t indent, size_t width);

/*
 * Paragraphs parted by empty lines, each filled with `indent` before every line and ended by a newline,
 * with an empty line between them. Lines that begin with a space are kept as they are, below the indent.
 */
void wrap_add_paragraphs(struct buf *out, struct str text, size_t indent, size_t width);

/*
 * Cuts the next paragraph, or run of lines that begin with a space (*is_verbatim), off *left; p is NULL at the end.
 * Empty lines before it are skipped and added to *gap. The block points into the text and ends with its line end, if it
 * has one.
 */
struct str wrap_next_block(struct str *left, bool *is_verbatim, size_t *gap);

/* So many spaces, for an indent. */
void wrap_add_spaces(struct buf *out, size_t count);

#endif
