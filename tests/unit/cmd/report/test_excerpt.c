#include "cmd/report/excerpt.h"

#include "base/utf8.h"
#include "harness/test.h"

/* The two lines of the excerpt without their margin, parted by a bar. */
static struct str excerpt_of(struct str line, size_t mark, size_t length, uint64_t column, size_t width)
{
	static struct buf b, out;
	struct finding f = { .code = "X", .at = { .line = 1, .column = column }, .excerpt = line, .mark = mark,
			     .mark_length = length };
	struct str left, text;

	buf_clear(&b);
	buf_clear(&out);
	excerpt_add(&b, &f, false, width);
	left = buf_str(&b);
	CHECK_STR(str_cut(left, '\n', &left), STR("   |"));
	text = str_cut(left, '\n', &left);
	CHECK(str_starts(text, STR(" 1 | ")));
	buf_add(&out, text.p + 5, text.n - 5);
	text = str_cut(left, '\n', &left);
	CHECK(str_starts(text, STR("   | ")) && left.n == 0);
	buf_printf(&out, "|%.*s", STR_ARG(str_of(text.p + 5, text.n - 5)));
	return buf_str(&out);
}

TEST(carets_stand_under_what_is_meant)
{
	const struct {
		const char *line;
		size_t mark, length, column, width;
		const char *want;
	} cases[] = {
		{ "abc", 0, 1, 1, 80, "abc|^" },
		{ "abc", 1, 2, 2, 80, "abc| ^^" },
		{ "abc", 1, 0, 2, 80, "abc| ^" },
		{ "abc", 3, 0, 4, 80, "abc|   ^" },       /* at the end */
		{ "abc", 3, 5, 4, 80, "abc|   ^" },       /* beyond the end */
		{ "abc", 9, 1, 10, 80, "…abc|    ^" },    /* the place is not in the excerpt */
		{ "abc", 1, 99, 2, 80, "abc| ^^" },
		{ "日本語", 3, 3, 2, 80, "日本語|  ^^" }, /* wide characters */
		{ "e\xcc\x81x", 3, 1, 3, 80, "e\xcc\x81x| ^" }, /* a combining mark takes no room */
		{ "a\tb", 2, 1, 3, 80, "a\\x09b|     ^" },
		{ "a\tb", 1, 1, 2, 80, "a\\x09b| ^^^^" },
		{ "abc\r\n", 2, 1, 3, 80, "abc|  ^" },
		{ "abc", 0, 1, 500, 80, "…abc| ^" }, /* the excerpt is not the start of its line */
		{ "0123456789abcdefghij", 10, 1, 11, 17, "…56789abcde…|      ^" },
		{ "0123456789abcdefghij", 0, 1, 1, 17, "0123456789…|^" },
		{ "0123456789abcdefghij", 19, 1, 20, 17, "…abcdefghij|          ^" },
		{ "0123456789abcdefghij", 2, 18, 3, 17, "0123456789…|  ^^^^^^^^" },
		{ "日本語日本語日本語", 12, 3, 5, 14, "…日本語…|   ^^" },
		{ "", 0, 0, 1, 80, "|^" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("row %zu", i);
		CHECK_STR(excerpt_of(str_from(cases[i].line), cases[i].mark, cases[i].length, cases[i].column,
				     cases[i].width),
			  str_from(cases[i].want));
	}
}

TEST(a_line_of_any_length_and_content_is_cut_to_the_width)
{
	struct buf line;
	size_t marks[] = { 0, 1, 255, 256, 257, 3000, 5999, 6000 };

	buf_init(&line);
	while (line.n < 6000)
		buf_add_str(&line, STR("日\x01 \xff"));
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		for (size_t width = 8; width < 200; width += 7) {
			struct str got = excerpt_of(buf_str(&line), marks[i], 5000, marks[i] + 1, width), carets, text;

			test_case("mark %zu, width %zu", marks[i], width);
			text = str_cut(got, '|', &carets);
			CHECK(utf8_check(text) == text.n);
			CHECK(utf8_width(text) + 5 <= width || width < 14);
			CHECK(utf8_width(carets) <= utf8_width(text) + 1);
			CHECK(str_find(carets, STR("^")) != (size_t)-1);
		}
	buf_free(&line);
}
