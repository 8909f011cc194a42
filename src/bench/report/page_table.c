/* Finds the first table of a page and takes its cells apart, for Markdown and for HTML. */
#include "bench/report/page_table.h"

#include <math.h>

#include "base/ascii.h"
#include "base/num.h"

/* A new row; NULL when the table has `most`, which ends the reading. */
static struct page_row *table_add(struct page_table *t, struct arena *a, size_t most)
{
	if (!t->rows)
		t->rows = arena_array(a, struct page_row, most);
	if (t->count == most)
		return NULL;
	t->rows[t->count] = (struct page_row){ .count = 0 };
	return &t->rows[t->count++];
}

/* Cells beyond PAGE_COLUMNS are dropped: no page of ours has so many. */
static void row_add(struct page_row *r, struct str cell)
{
	if (r->count < PAGE_COLUMNS)
		r->cells[r->count++] = str_trim(cell);
}

/* ---- Markdown ---- */

/* Up to the next bar that is not escaped. */
static struct str cut_cell(struct str *line)
{
	size_t i = 0;
	struct str cell;

	while (i < line->n && (line->p[i] != '|' || (i > 0 && line->p[i - 1] == '\\')))
		i++;
	cell = str_of(line->p, i);
	*line = i < line->n ? str_skip(*line, i + 1) : str_of(line->p + i, 0);
	return cell;
}

void page_table_read_md(struct page_table *t, struct arena *a, struct str page, size_t most)
{
	bool ruled = false;

	*t = (struct page_table){ .count = 0 };
	while (page.n) {
		struct str line = str_cut(page, '\n', &page);
		struct page_row *r;

		if (!str_starts(line, STR("|"))) {
			if (t->count)
				return;
			continue;
		}
		if (t->count == 1 && !ruled) { /* |---|---| */
			ruled = true;
			continue;
		}
		r = table_add(t, a, most);
		if (!r)
			return;
		for (line = str_skip(line, 1); line.n;)
			row_add(r, cut_cell(&line));
	}
}

/* ---- HTML, as our own writer has it ---- */

/* From the mark on; the empty end of `s` when it is not there. */
static struct str from_mark(struct str s, const char *mark)
{
	size_t at = str_find(s, str_from(mark));

	return at == (size_t)-1 ? str_of(s.p + s.n, 0) : str_skip(s, at);
}

/* Up to the mark; all of `s` when it is not there. */
static struct str to_mark(struct str s, const char *mark)
{
	size_t at = str_find(s, str_from(mark));

	return at == (size_t)-1 ? s : str_of(s.p, at);
}

/* The text of a cell up to its small print, without tags. A row's head is the name in it. */
static struct str text_of_cell(struct arena *a, struct str cell)
{
	struct str name = from_mark(cell, "<bdi>");
	char *out;
	size_t n = 0;
	bool tag = false;

	cell = name.n ? to_mark(name, "</bdi>") : to_mark(cell, "<small");
	out = arena_alloc(a, cell.n + 1, 1);
	for (size_t i = 0; i < cell.n; i++) {
		tag = tag || cell.p[i] == '<';
		if (!tag)
			out[n++] = cell.p[i];
		tag = tag && cell.p[i] != '>';
	}
	return str_of(out, n);
}

/* Cells in their order, heads (th) and others (td) alike. An element that is never closed takes the rest. */
static void read_cells(struct page_row *r, struct arena *a, struct str row)
{
	while (row.n) {
		struct str th = from_mark(row, "<th"), td = from_mark(row, "<td"), cell = th.n > td.n ? th : td, rest;

		if (!cell.n)
			return;
		(void)str_cut(cell, '>', &rest); /* the tag */
		cell = to_mark(rest, cell.p[2] == 'h' ? "</th>" : "</td>");
		row_add(r, text_of_cell(a, cell));
		row = str_skip(rest, cell.n);
	}
}

void page_table_read_html(struct page_table *t, struct arena *a, struct str page, size_t most)
{
	struct str table = to_mark(from_mark(page, "<table"), "</table>");

	*t = (struct page_table){ .count = 0 };
	for (table = from_mark(table, "<tr>"); table.n; table = from_mark(table, "<tr>")) {
		struct str row = to_mark(table, "</tr>");
		struct page_row *r = table_add(t, a, most);

		if (!r)
			return;
		read_cells(r, a, row);
		table = str_skip(table, row.n);
	}
}

/* ---- figures ---- */

static bool is_figure(char c)
{
	return ascii_is_digit(c) || c == '.';
}

/* What a word after a number makes of it; 0 when it is no unit. */
static double page_table_unit_of(struct str word)
{
	static const struct {
		struct str word;
		double factor;
	} units[] = {
		{ { "ms", 2 }, 1 },   { { "s", 1 }, 1e3 },     { { "min", 3 }, 6e4 },   { { "h", 1 }, 36e5 },
		{ { "KiB", 3 }, 1024 }, { { "MiB", 3 }, 1048576 }, { { "GiB", 3 }, 1073741824 },
		{ { "TiB", 3 }, 1099511627776 },
		{ { "kB", 2 }, 1e3 }, { { "MB", 2 }, 1e6 }, { { "GB", 2 }, 1e9 }, { { "TB", 2 }, 1e12 },
		{ { "k", 1 }, 1e3 },  { { "M", 1 }, 1e6 },
	};

	for (size_t i = 0; i < COUNT(units); i++)
		if (str_eq(word, units[i].word))
			return units[i].factor;
	return 0;
}

/* The unit that follows a number, after blanks or none; 0 when there is none. A percent sign is one of 1. */
static double unit_at(struct str s)
{
	size_t end = 0;

	s = str_trim(s);
	if (s.n && s.p[0] == '%')
		return 1;
	while (end < s.n && ascii_is_alpha(s.p[end]))
		end++;
	return page_table_unit_of(str_of(s.p, end));
}

/* The next number of a cell, in its unit, and what one of its last digit comes to; a count has none to spare. */
static bool next_figure(struct str *s, double *value, double *digit)
{
	size_t from = 0, to, places = 0;
	double unit;

	while (from < s->n && !ascii_is_digit(s->p[from]) && s->p[from] != '(')
		from++;
	for (to = from; to < s->n && is_figure(s->p[to]); to++)
		places = s->p[to] == '.' || places ? places + 1 : 0;
	if (to == from || num_parse_double(str_of(s->p + from, to - from), value) != NUM_OK)
		return false;
	*s = str_skip(*s, to);
	unit = unit_at(*s);
	*digit = places > 1 ? pow(10, -(double)(places - 1)) : unit > 0;
	*digit *= unit > 0 ? unit : 1;
	*value *= unit > 0 ? unit : 1;
	return true;
}

bool page_cell_agrees(struct str a, struct str b)
{
	for (;;) {
		double x = 0, y = 0, of_x = 0, of_y = 0;
		bool has_x = next_figure(&a, &x, &of_x), has_y = next_figure(&b, &y, &of_y);

		if (!has_x || !has_y)
			return has_x == has_y;
		if (fabs(x - y) > (of_x > of_y ? of_x : of_y) * 1.000001 + 1e-9)
			return false;
	}
}
