/*
 * Columns of text. Cells are added from left to right, row by row; when all are there, each column becomes as wide as
 * its widest cell. The first column gives way, and is cut, when the whole is wider than the screen; or, when it holds
 * names that must stay whole, such a name stands on a line of its own above the rest of its row.
 */
#ifndef CMD_SCREEN_GRID_H
#define CMD_SCREEN_GRID_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"

struct grid {
	struct arena *arena;
	const char *align; /* a letter for each column: l or r */
	size_t columns; /* letters in `align` */
	bool whole_names; /* cells of the first column are not cut; the caller sets it */
	struct buf cells; /* struct str */
	struct buf cell;  /* the cell that is being written; the caller adds to it, grid_add_cell ends it */
};

/* `align` and the arena, which keeps the texts, must live as long as the grid. */
void grid_init(struct grid *g, struct arena *a, const char *align);

/* A grid that is not shown is freed by this; grid_end does it too, and a second time does no harm. */
void grid_free(struct grid *g);

/* The text is copied as it is: it must be safe to show. */
void grid_add(struct grid *g, struct str cell);

/* Ends the cell that the caller wrote into g->cell; it becomes the next one. */
void grid_add_cell(struct grid *g);

/* A cell from a format; what comes from outside must be made safe before. */
__attribute__((format(printf, 2, 3))) void grid_printf(struct grid *g, const char *format, ...);

/* Adds a whole row, as for headings: `texts` has one for each column. */
void grid_add_row(struct grid *g, const char *const *texts);

/*
 * Adds every row to `out` on a line with `indent` spaces before it, two between columns, none at the end, and frees the
 * grid. The first row, the headings, is bold with `color`. All rows must be whole.
 */
void grid_end(struct grid *g, struct buf *out, size_t indent, size_t width, bool color);

/*
 * Adds the text in exactly so many columns: filled up with spaces, or cut between characters with an ellipsis at its
 * end. Nothing for 0 columns.
 */
void grid_add_fitting(struct buf *out, struct str text, size_t columns);

#endif
