/* The first table of a page, Markdown or HTML, as cells of text: what it says, without how it looks. */
#ifndef BENCH_REPORT_PAGE_TABLE_H
#define BENCH_REPORT_PAGE_TABLE_H

#include "base/arena.h"
#include "base/str.h"

#define PAGE_COLUMNS 32

struct page_row {
	struct str cells[PAGE_COLUMNS];
	size_t count;
};

struct page_table {
	struct page_row *rows; /* the first is the head */
	size_t count;
};

/*
 * Read the first table, at most `most` rows of it and PAGE_COLUMNS cells of each, trimmed. A page without a table gives
 * none; whatever the page is, reading does not fail. Rows live in the arena. Cells of Markdown point into the page, as
 * they stand there; those of HTML live in the arena, without tags and small print.
 */
void page_table_read_md(struct page_table *t, struct arena *a, struct str page, size_t most);
void page_table_read_html(struct page_table *t, struct arena *a, struct str page, size_t most);

/*
 * Whether two cells have the same figures: numbers with their units, up to a bracket, equal within one of the last
 * digit of the coarser one. Cells that differ in how many numbers they have do not agree. Words do not count, so two
 * cells without a number agree.
 */
bool page_cell_agrees(struct str a, struct str b);

#endif
