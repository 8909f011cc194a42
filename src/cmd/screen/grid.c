/*
 * Cells are kept as texts until grid_end knows the widest of each column. Widths are columns on a terminal, not bytes.
 */
#include "cmd/screen/grid.h"

#include <assert.h>
#include <stdarg.h>

#include "base/utf8.h"
#include "base/utf8_width.h"
#include "cmd/screen/term.h"
#include "cmd/screen/wrap.h"

#define FIRST_MIN 8 /* columns that the first one keeps */

void grid_init(struct grid *g, struct arena *a, const char *align)
{
	*g = (struct grid){ .arena = a, .align = align, .columns = strlen(align) };
	buf_init(&g->cells);
	buf_init(&g->cell);
}

void grid_free(struct grid *g)
{
	buf_free(&g->cells);
	buf_free(&g->cell);
}

void grid_add(struct grid *g, struct str cell)
{
	struct str copy = arena_copy(g->arena, cell);

	buf_add(&g->cells, &copy, sizeof(copy));
}

void grid_add_cell(struct grid *g)
{
	grid_add(g, buf_str(&g->cell));
	buf_clear(&g->cell);
}

void grid_printf(struct grid *g, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_vprintf(&g->cell, format, args);
	va_end(args);
	grid_add_cell(g);
}

void grid_add_row(struct grid *g, const char *const *texts)
{
	for (size_t i = 0; i < g->columns; i++)
		grid_add(g, str_from(texts[i]));
}

static size_t cell_count(const struct grid *g)
{
	return g->cells.n / sizeof(struct str);
}

static struct str grid_cell_at(const struct grid *g, size_t i)
{
	struct str cell;

	memcpy(&cell, g->cells.p + i * sizeof(cell), sizeof(cell));
	return cell;
}

void grid_add_fitting(struct buf *out, struct str text, size_t columns)
{
	size_t width = utf8_width(text), used = 0;

	if (width <= columns) {
		buf_add_str(out, text);
		wrap_add_spaces(out, columns - width);
		return;
	}
	while (text.n) {
		uint32_t code = 0;
		size_t n = utf8_decode(text.p, text.n, &code), wide = n ? utf8_width_of(code) : 1;

		n = n ? n : 1;
		if (used + wide + 1 > columns)
			break;
		buf_add(out, text.p, n);
		used += wide;
		text = str_skip(text, n);
	}
	if (columns) {
		buf_add_str(out, STR("\xe2\x80\xa6"));
		wrap_add_spaces(out, columns - used - 1);
	}
}

/*
 * What is too wide for `room` is taken from the first column, but never more than leaves FIRST_MIN: other columns hold
 * figures, which must not be cut.
 */
static void find_widths(const struct grid *g, size_t *widths, size_t room)
{
	size_t all = 0;

	for (size_t i = 0; i < cell_count(g); i++) {
		size_t wide = utf8_width(grid_cell_at(g, i)), column = i % g->columns;

		widths[column] = wide > widths[column] ? wide : widths[column];
	}
	for (size_t i = 0; i < g->columns; i++)
		all += widths[i] + (i ? 2 : 0);
	if (all > room) {
		size_t over = all - room, most = widths[0] > FIRST_MIN ? widths[0] - FIRST_MIN : 0;

		widths[0] -= over < most ? over : most;
	}
}

/* Columns aligned to the right are never cut: a figure without its end would be another figure. */
static void grid_show_cell(struct buf *out, const struct grid *g, size_t i, size_t width)
{
	struct str cell = grid_cell_at(g, i);
	size_t column = i % g->columns, wide = utf8_width(cell);

	if (column)
		buf_add_str(out, STR("  "));
	if (g->align[column] == 'r')
		wrap_add_spaces(out, wide < width ? width - wide : 0);
	grid_add_fitting(out, cell, g->align[column] == 'r' ? wide : width);
}

/* A name that has no room in its column: the other cells follow on the next line. */
static bool grid_show_name(struct buf *out, const struct grid *g, size_t i, size_t indent, size_t width)
{
	struct str name = grid_cell_at(g, i);

	if (!g->whole_names || utf8_width(name) <= width)
		return false;
	buf_add_str(out, name);
	buf_add_byte(out, '\n');
	wrap_add_spaces(out, indent + width);
	return true;
}

static void trim_end(struct buf *out)
{
	while (out->n && out->p[out->n - 1] == ' ')
		out->n--;
}

void grid_end(struct grid *g, struct buf *out, size_t indent, size_t width, bool color)
{
	size_t *widths = arena_array(g->arena, size_t, g->columns);

	assert(cell_count(g) % g->columns == 0 && g->cell.n == 0);
	find_widths(g, widths, width > indent ? width - indent : 0);
	for (size_t i = 0; i < cell_count(g); i++) {
		size_t column = i % g->columns;

		if (column == 0) {
			buf_add_str(out, i ? STR("") : str_from(term_style(color, STYLE_BOLD)));
			wrap_add_spaces(out, indent);
			if (grid_show_name(out, g, i, indent, widths[0]))
				continue;
		}
		grid_show_cell(out, g, i, widths[column]);
		if (column + 1 == g->columns) {
			trim_end(out);
			buf_add_str(out, i < g->columns ? str_from(term_style(color, STYLE_PLAIN)) : STR(""));
			buf_add_byte(out, '\n');
		}
	}
	grid_free(g);
}
