#include "cmd/screen/grid.h"

#include "harness/test.h"

#define BOLD "\033[1m"
#define PLAIN "\033[0m"

static struct str shown(const char *align, const char *const *cells, size_t count, size_t width)
{
	static struct buf out;
	static struct arena a;
	struct grid g;

	arena_init(&a);
	buf_clear(&out);
	grid_init(&g, &a, align);
	for (size_t i = 0; i < count; i++)
		grid_add(&g, str_from(cells[i]));
	grid_end(&g, &out, 1, width, true);
	arena_free(&a);
	return buf_str(&out);
}

TEST(columns_are_as_wide_as_their_widest_cell)
{
	static const char *const cells[] = { "name", "n", "b", "7", "日本", "1234" };

	CHECK_STR(shown("lr", cells, COUNT(cells), 80), STR(BOLD " name     n" PLAIN "\n b        7\n 日本  1234\n"));
	CHECK_STR(shown("lr", cells, 0, 80), STR(""));
}

TEST(a_name_that_must_stay_whole_stands_above_its_row)
{
	struct arena a;
	struct buf out;
	struct grid g;

	arena_init(&a);
	buf_init(&out);
	grid_init(&g, &a, "lr");
	g.whole_names = true;
	grid_add_row(&g, (const char *const[]){ "target", "n" });
	grid_add_row(&g, (const char *const[]){ "a/name/that/has/no/room/here", "12" });
	grid_add_row(&g, (const char *const[]){ "short", "7" });
	grid_end(&g, &out, 1, 20, false);
	CHECK_STR(buf_str(&out), STR(" target            n\n a/name/that/has/no/room/here\n                  12\n short             7\n"));
	buf_free(&out);
	arena_free(&a);
}

TEST(blanks_at_the_end_of_a_line_are_left_out)
{
	static const char *const cells[] = { "a", "long", "b", "" };

	CHECK_STR(shown("ll", cells, COUNT(cells), 80), STR(BOLD " a  long" PLAIN "\n b\n"));
}

TEST(cells_are_written_piece_by_piece_or_from_a_format)
{
	struct buf out;
	struct arena a;
	struct grid g;

	arena_init(&a);
	buf_init(&out);
	grid_init(&g, &a, "lr");
	grid_add_row(&g, (const char *const[]){ "x", "" });
	buf_add_str(&g.cell, STR("a"));
	buf_add_str(&g.cell, STR("b"));
	grid_add_cell(&g);
	grid_printf(&g, "%d", 7);
	grid_end(&g, &out, 0, 80, false);
	CHECK_STR(buf_str(&out), STR("x\nab  7\n"));
	grid_free(&g); /* a second time does no harm */
	buf_free(&out);
	arena_free(&a);
}

TEST(the_first_column_gives_way)
{
	static const char *const cells[] = { "name", "n", "a very long name indeed", "12345" };

	CHECK_STR(shown("lr", cells, COUNT(cells), 20), STR(BOLD " name              n" PLAIN "\n a very long\xe2\x80\xa6  12345\n"));
	CHECK_STR(shown("lr", cells, COUNT(cells), 5), STR(BOLD " name          n" PLAIN "\n a very \xe2\x80\xa6  12345\n"));
}

TEST(text_fits_into_its_columns)
{
	static const struct {
		const char *text;
		size_t columns;
		const char *want;
	} cases[] = {
		{ "", 0, "" },	       { "", 3, "   " },	      { "ab", 3, "ab " },	     { "abc", 3, "abc" },
		{ "abcd", 3, "ab\xe2\x80\xa6" }, { "abcd", 1, "\xe2\x80\xa6" }, { "abcd", 0, "" }, { "日本語", 4, "日\xe2\x80\xa6 " },
		{ "\xff\xff\xff", 2, "\xff\xe2\x80\xa6" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu: %s", cases[i].columns, cases[i].text);
		buf_clear(&b);
		grid_add_fitting(&b, str_from(cases[i].text), cases[i].columns);
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
	}
	buf_free(&b);
}
