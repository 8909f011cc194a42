#include "cmd/screen/wrap.h"

#include "base/utf8.h"
#include "harness/test.h"

TEST(words_are_broken_before_the_width)
{
	static const struct {
		const char *text;
		size_t column, indent, width;
		const char *want;
	} cases[] = {
		{ "", 0, 0, 10, "" },
		{ "one", 0, 0, 10, "one" },
		{ "one two three", 0, 0, 7, "one two\nthree" },
		{ "one two three", 0, 0, 6, "one\ntwo\nthree" },
		{ "one two three", 4, 2, 7, "one\n  two\n  three" },
		{ "one two", 7, 2, 7, "\n  one\n  two" },
		{ "abcdefghij k", 0, 0, 4, "abcdefghij\nk" },
		{ "a abcdefghij k", 0, 2, 4, "a\n  abcdefghij\n  k" },
		{ "one\ntwo", 0, 0, 80, "one two" },
		{ "a  b", 0, 0, 80, "a  b" },
		{ "  a", 0, 0, 80, "a" },
		{ "日本 日本", 0, 0, 8, "日本\n日本" },
		{ "日本 日本", 0, 0, 9, "日本 日本" },
		{ "één één", 0, 0, 7, "één één" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b;

		test_case("%s in %zu", cases[i].text, cases[i].width);
		buf_init(&b);
		wrap_add_words(&b, str_from(cases[i].text), cases[i].column, cases[i].indent, cases[i].width);
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
		buf_free(&b);
	}
}

TEST(paragraphs_are_filled_and_indented_lines_are_kept)
{
	static const char text[] = "one two\nthree four\n\n  kept   as it is, however long\n  second\nfive\n\n\nsix";
	static const char want[] = "  one two\n  three four\n\n    kept   as it is, however long\n    second\n"
				   "  five\n\n\n  six\n";
	struct buf b;

	buf_init(&b);
	wrap_add_paragraphs(&b, str_from(text), 2, 12);
	CHECK_STR(buf_str(&b), str_from(want));
	buf_free(&b);
}

TEST(no_line_of_a_paragraph_is_wider_than_the_width)
{
	static const char text[] = "The quick brown fox jumps over the lazy dog and runs into the wide world.";

	for (size_t width = 12; width < 90; width++) {
		struct buf b;
		struct str left;

		buf_init(&b);
		wrap_add_paragraphs(&b, str_from(text), 3, width);
		left = buf_str(&b);
		test_case("width %zu", width);
		while (left.n)
			CHECK(utf8_width(str_cut(left, '\n', &left)) <= width);
		buf_free(&b);
	}
}

TEST(blocks_come_one_by_one_with_the_empty_lines_before_them)
{
	struct str left = STR("a\nb\n c\n\n\nd");
	bool is_verbatim;
	size_t gap = 0;

	CHECK_STR(wrap_next_block(&left, &is_verbatim, &gap), STR("a\nb\n"));
	CHECK(!is_verbatim && gap == 0);
	CHECK_STR(wrap_next_block(&left, &is_verbatim, &gap), STR(" c\n"));
	CHECK(is_verbatim && gap == 0);
	CHECK_STR(wrap_next_block(&left, &is_verbatim, &gap), STR("d"));
	CHECK(!is_verbatim && gap == 2);
	CHECK(wrap_next_block(&left, &is_verbatim, &gap).p == NULL);
}

TEST(spaces_are_added_by_number)
{
	struct buf b;

	buf_init(&b);
	wrap_add_spaces(&b, 0);
	CHECK_INT(b.n, 0);
	wrap_add_spaces(&b, 3);
	CHECK_STR(buf_str(&b), STR("   "));
	buf_free(&b);
}
