#include "bench/suite/python_text.h"

#include "harness/test.h"

TEST(blank_is_what_python_calls_blank)
{
	static const uint32_t blanks[] = { 9, 10, 11, 12, 13, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x85, 0xA0, 0x1680, 0x2000, 0x2001,
		0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000 };
	size_t count = 0;

	for (uint32_t c = 0; c < 0x110000; c++)
		count += python_is_space(c);
	CHECK_INT(count, sizeof(blanks) / sizeof(blanks[0]));
	for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++)
		CHECK(python_is_space(blanks[i]));
}

TEST(a_blank_has_its_length_and_others_none)
{
	CHECK_INT(python_space_at(STR("a b"), 1), 1);
	CHECK_INT(python_space_at(STR("a\xC2\xA0"), 1), 2);
	CHECK_INT(python_space_at(STR("\xE3\x80\x80"), 0), 3);
	CHECK_INT(python_space_at(STR("\xE3\x80"), 0), 0);
	CHECK_INT(python_space_at(STR("a"), 1), 0);
}

TEST(stripping_takes_blanks_of_every_length_from_its_side)
{
	struct str s = STR("\xE3\x80\x80 a b\x1C\xC2\x85");

	CHECK_STR(python_strip(s), STR("a b"));
	CHECK_STR(python_lstrip(s), STR("a b\x1C\xC2\x85"));
	CHECK_STR(python_rstrip(s), STR("\xE3\x80\x80 a b"));
	CHECK_STR(python_strip(STR(" \xE2\x80\x8B ")), STR("\xE2\x80\x8B")); /* U+200B is no blank */
	CHECK_STR(python_rstrip(STR("\x80\x80\x80\x80\x80")), STR("\x80\x80\x80\x80\x80"));
	CHECK_INT(python_strip(STR(" \n ")).n, 0);
}

TEST(words_are_counted_between_blanks)
{
	CHECK_INT(python_count_words(STR("")), 0);
	CHECK_INT(python_count_words(STR("  \n")), 0);
	CHECK_INT(python_count_words(STR("a b\xE2\x80\x83" "c\x1F")), 3);
	CHECK_INT(python_count_words(STR("\xE6\x97\xA5\xE6\x9C\xAC")), 1);
}

TEST(ten_characters_and_crlf_end_a_line)
{
	struct str rest = STR("a\r\nb\rc\x0B" "d\x0C" "e\x1C" "f\x1D" "g\x1E" "h\xC2\x85" "i\xE2\x80\xA8" "j\xE2\x80\xA9" "k\nl\x1F" "m\n\n");
	static const char *const lines[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l\037m", "" };
	struct str line;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		CHECK(python_next_line(&rest, &line));
		CHECK_STR(line, str_from(lines[i]));
	}
	CHECK(!python_next_line(&rest, &line));
}

TEST(a_text_is_quoted_as_repr_quotes_it)
{
	const struct {
		struct str text;
		const char *repr;
	} cases[] = {
		{ STR(""), "''" },
		{ STR("ok"), "'ok'" },
		{ STR("it's"), "\"it's\"" },
		{ STR("it's \"x\""), "'it\\'s \"x\"'" },
		{ STR("\\\n\r\t\x00\x7F"), "'\\\\\\n\\r\\t\\x00\\x7f'" },
		{ STR("\xC3\xA9\xC2\x85\xC2\xA0"), "'\xC3\xA9\\x85\\xa0'" },
		{ STR("\xE2\x80\x8B\xEE\x80\x80\xF3\xA0\x80\x81"), "'\\u200b\\ue000\\U000e0001'" },
		{ STR("\xF0\x9F\x98\x80"), "'\xF0\x9F\x98\x80'" },
		{ STR("\xFF"), "'\\udcff'" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out;

		buf_init(&out);
		python_repr(&out, cases[i].text);
		CHECK_STR(buf_str(&out), str_from(cases[i].repr));
		buf_free(&out);
	}
}

TEST(a_value_is_quoted_as_repr_quotes_it)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct val v;
	struct buf out;

	buf_init(&out);
	CHECK(json_parse_copy(p, STR("[\"a\", 1, 2.5, null, true, false, [], {}, [[1]], {\"k\":[2,{\"l\":\"it's\"}],\"m\":0}]"), &v,
			      NULL));
	python_repr_value(&out, v);
	CHECK_STR(buf_str(&out), STR("['a', 1, 2.5, None, True, False, [], {}, [[1]], {'k': [2, {'l': \"it's\"}], 'm': 0}]"));
	buf_free(&out);
	json_parser_close(p);
}
