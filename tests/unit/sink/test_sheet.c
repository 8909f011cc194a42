#include "sink/sheet.h"

#include <math.h>

#include "base/utf8.h"
#include "harness/test.h"
#include "json/write.h"

static const struct sheet_column sheet_columns[] = {
	{ "name", "name", SHEET_TEXT, 0 },   { "list", "list", SHEET_TEXTS, 1 }, { "n", "n", SHEET_COUNT, 1 },
	{ "rate", "rate", SHEET_SHARE, 1 },  { "in", "in", SHEET_RANGE, 2 },     { "usd", "usd", SHEET_USD, 2 },
	{ "yes", "yes", SHEET_YES, 2 },      { "seed", NULL, SHEET_SEED, 2 },    { "p", "p", SHEET_NUMBER, 2 },
};

static const struct str sheet_list[] = { { "a", 1 }, { "b", 1 }, { "c", 1 }, { "d", 1 } };

static struct sheet sheet_make(struct arena *a, const char *name, bool known)
{
	struct sheet s = sheet_begin(a, "rows", sheet_columns, COUNT(sheet_columns));

	sheet_add_text(&s, known ? str_from(name) : (struct str){ NULL, 0 });
	sheet_add_texts(&s, known ? sheet_list : NULL, 4);
	sheet_add_number(&s, known ? 12 : NAN);
	sheet_add_number(&s, known ? 0.5 : INFINITY);
	sheet_add_range(&s, known ? (struct interval){ 0.25, 0.75 } : (struct interval){ NAN, 1 });
	sheet_add_number(&s, known ? 0.5 : NAN);
	sheet_add_yes(&s, known ? 1 : -1);
	sheet_add_seed(&s, UINT64_MAX, known);
	sheet_add_number(&s, known ? 0.00001 : NAN);
	return s;
}

static void sheet_check_json(const struct sheet *s, const char *want)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_object(&w);
	sheet_put_json(&w, s);
	json_write_end_object(&w);
	CHECK_STR(buf_str(&out), str_from(want));
	buf_free(&out);
}

TEST(json_has_every_column_and_null_for_what_is_not_known)
{
	struct arena a;
	struct sheet s;

	arena_init(&a);
	s = sheet_make(&a, "x", true);
	sheet_check_json(&s, "{\"rows\":[{\"name\":\"x\",\"list\":[\"a\",\"b\",\"c\",\"d\"],\"n\":12,\"rate\":0.5,"
			     "\"in\":[0.25,0.75],\"usd\":0.5,\"yes\":true,\"seed\":\"ffffffffffffffff\","
			     "\"p\":0.00001}]}");
	s = sheet_make(&a, "x", false);
	s.is_single = true;
	sheet_check_json(&s, "{\"rows\":{\"name\":null,\"list\":null,\"n\":null,\"rate\":null,\"in\":null,\"usd\":null,"
			     "\"yes\":null,\"seed\":null,\"p\":null}}");
	arena_free(&a);
}

TEST(csv_is_exact_and_no_cell_of_it_is_a_formula)
{
	struct arena a;
	struct sheet s;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	s = sheet_make(&a, "=1+1", true);
	sheet_add_csv(&out, &s);
	CHECK_STR(buf_str(&out), STR("name,list,n,rate,in_low,in_high,usd,yes,seed,p\r\n"
				     "'=1+1,a; b; c; d,12,0.5,0.25,0.75,0.5,true,ffffffffffffffff,0.00001\r\n"));
	buf_clear(&out);
	s = sheet_make(&a, "x", false);
	sheet_add_csv(&out, &s);
	CHECK(str_ends(buf_str(&out), STR("\r\n,,,,,,,,,\r\n")));
	buf_free(&out);
	arena_free(&a);
}

TEST(people_see_narrow_tables_that_begin_alike_and_a_dash_for_what_is_not_known)
{
	struct arena a;
	struct sheet s;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	s = sheet_make(&a, "a|b", true);
	sheet_add_md(&out, &s);
	CHECK_STR(buf_str(&out), STR("| name | list | n | rate |\n|---|---|---:|---:|\n"
				     "| a\\|b | a, b, c and 1 more | 12 | 50.0 % |\n\n"
				     "| name | in | usd | yes | p |\n|---|---:|---:|---|---:|\n"
				     "| a\\|b | 0.250 to 0.750 | $0.500 | yes | < 0.0001 |\n\n"));
	buf_clear(&out);
	s = sheet_make(&a, "x", false);
	sheet_add_md(&out, &s);
	CHECK(str_has(buf_str(&out), STR("| - | - | - | - |\n")));
	buf_free(&out);
	arena_free(&a);
}

TEST(nearly_all_is_not_all_and_few_are_not_none)
{
	static const struct {
		size_t column;
		double n;
		const char *want;
	} cases[] = {
		{ 3, 0, "0.0 %" }, { 3, 0.0004, "< 0.1 %" }, { 3, 0.0005, "0.1 %" }, { 3, 0.9994, "99.9 %" },
		{ 3, 0.9996, "> 99.9 %" }, { 3, 1, "100.0 %" }, { 8, 0.9996, "> 0.999" }, { 8, -0.9996, "< -0.999" },
		{ 8, 0.9994, "0.999" }, { 8, 1, "1.000" },
	};
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sheet s = sheet_make(&a, "x", true);

		s.values[cases[i].column].n = cases[i].n;
		buf_clear(&out);
		sheet_add_cell(&out, &s, 0, cases[i].column, SHEET_PLAIN);
		CHECK_STR(buf_str(&out), str_from(cases[i].want));
	}
	buf_free(&out);
	arena_free(&a);
}

TEST(people_see_the_beginning_of_a_name_that_is_too_long)
{
	char name[2 * 150 + 1] = "";
	struct arena a;
	struct sheet s;
	struct buf out;

	for (int i = 0; i < 150; i++)
		memcpy(name + 2 * (size_t)i, "\xC3\xA4", 3);
	arena_init(&a);
	buf_init(&out);
	s = sheet_make(&a, name, true);
	sheet_add_cell(&out, &s, 0, 0, SHEET_PLAIN);
	CHECK_INT(utf8_width(buf_str(&out)), 101);
	CHECK(str_ends(buf_str(&out), STR("\xC3\xA4\xE2\x80\xA6")));
	buf_clear(&out);
	sheet_add_csv(&out, &s);
	CHECK(str_has(buf_str(&out), str_from(name))); /* programs have all of it */
	buf_free(&out);
	arena_free(&a);
}

TEST(a_page_escapes_texts_and_figures)
{
	struct arena a;
	struct sheet s;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	s = sheet_make(&a, "<script>", true);
	s.title = "What's <here>";
	sheet_add_html(&out, &s);
	CHECK(!str_has(buf_str(&out), STR("<script>")));
	CHECK(!str_has(buf_str(&out), STR("What's")));
	CHECK(str_has(buf_str(&out), STR("<td>&lt; 0.0001</td>")));
	buf_free(&out);
	arena_free(&a);
}

TEST(a_sheet_without_rows_says_so_or_is_left_out)
{
	struct sheet s;
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	s = sheet_begin(&a, "rows", sheet_columns, COUNT(sheet_columns));
	sheet_add_md(&out, &s);
	sheet_add_html(&out, &s);
	CHECK_INT(out.n, 0);
	s.empty = "Nothing is there.";
	sheet_add_md(&out, &s);
	CHECK_STR(buf_str(&out), STR("Nothing is there.\n\n"));
	buf_free(&out);
	arena_free(&a);
}
