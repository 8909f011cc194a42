/*
 * Columns of text. Cells are added from left to right, row by row; when all are there, each column becomes as wide as
 * its widest cell. The first column gives way, and is cut, when the whole is wider than the screen.
 */
#ifndef CMD_SCREEN_GRID_H
#define CMD_SCREEN_GRID_H

#include "base/arena.h"
#include "base/buf.h"

struct grid {
	struct arena *arena;
	const char *align; /* a letter for each column: l or r */
	size_t columns;
	struct buf cells; /* struct str */
};

void grid_init(struct grid *g, struct arena *a, const char *align);
void grid_free(struct grid *g);

/* The text is copied as it is: it must be safe to show. */
void grid_add(struct grid *g, struct str cell);

/*
 * Every row on a line with `indent` spaces before it, two between columns, none at the end. The first row, the
 * headings, is put between `before` and `after`.
 */
void grid_show(struct buf *out, const struct grid *g, size_t indent, size_t width, const char *before,
	       const char *after);

/* The text, or as much of it as so many columns take, with an ellipsis then; and spaces up to them. */
void grid_add_fitting(struct buf *out, struct str text, size_t columns);

#endif
