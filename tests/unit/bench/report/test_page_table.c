#include "bench/report/page_table.h"

#include "harness/test.h"

TEST(figures_agree_to_the_last_digit_of_the_coarser)
{
	static const struct { const char *a, *b; bool agree; } cases[] = {
		{ "80.0", "79.99", true },    { "80.0", "79.8", false },   { "1.2 s", "1234 ms", true },
		{ "1.2 s", "1.4 s", false },  { "-", "-", true },          { "-", "5", false },
		{ "83.3 (66.4)", "83.3 (1)", true }, { "Tier 1 50 %", "Tier 2 50 %", false },
		{ "24.7 GB -> 24.6 GB", "24.7 GB -> 24.6 GB", true }, { "24.7 GB -> 20.0 GB", "24.7 GB -> 24.6 GB", false },
		{ "", "", true },               { "4", "5", false },         { "12 ms", "13 ms", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s and %s", cases[i].a, cases[i].b);
		CHECK_INT(page_cell_agrees(str_from(cases[i].a), str_from(cases[i].b)), cases[i].agree);
	}
}

TEST(tables_are_read_as_cells)
{
	struct page_table t;
	struct arena a;

	arena_init(&a);
	page_table_read_md(&t, &a, STR("# x\n\n| a | b |\n|---|---|\n| 1 | x\\|y |\n| 2 | z |\n\n| c |\n"), 9);
	CHECK_INT(t.count, 3);
	CHECK_STR(t.rows[0].cells[1], STR("b"));
	CHECK_STR(t.rows[1].cells[1], STR("x\\|y"));
	page_table_read_html(&t, &a, STR("<table>\n<thead><tr><th>a</th></tr></thead><tr><th><b>1</b> <bdi>m</bdi></th>"
					 "<td>5<small>6</small></td></tr></table><table><tr><td>7</td></tr></table>"), 9);
	CHECK_INT(t.count, 2);
	CHECK_STR(t.rows[1].cells[0], STR("m"));
	CHECK_STR(t.rows[1].cells[1], STR("5"));
	page_table_read_html(&t, &a, STR("<table><tr><td>a<tr><td"), 9);
	CHECK(t.count <= 2);
	page_table_read_md(&t, &a, STR("no table"), 9);
	CHECK_INT(t.count, 0);
	arena_free(&a);
}
