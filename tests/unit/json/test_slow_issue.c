/* What is wrong, where, and in which words. */
#include "harness/test.h"
#include "unit/json/slow_bench.h"

struct bad {
	struct str text;
	enum json_code code;
	size_t offset, length;
	uint64_t line, column;
	const char *pointer, *message;
};

#define BAD(text, ...) { LIT(text), __VA_ARGS__ }

static void check_bad(const struct bad *c, size_t count)
{
	struct bench b;

	bench_init(&b);
	for (size_t i = 0; i < count; i++) {
		char *copy = mem_alloc(c[i].text.n); /* of its own, so that reading beyond it is caught */

		test_case("%zu: %.*s", i, STR_ARG(c[i].text));
		memcpy(copy, c[i].text.p, c[i].text.n);
		CHECK(!bench_parse(&b, str_of(copy, c[i].text.n)));
		mem_free(copy);
		CHECK_STR(str_from(json_code_name(b.s.issue.code)), str_from(json_code_name(c[i].code)));
		CHECK_STR(str_from(b.s.issue.message), str_from(c[i].message));
		CHECK_INT(b.s.issue.offset, c[i].offset);
		CHECK_INT(b.s.issue.length, c[i].length);
		CHECK_INT(b.s.issue.line, c[i].line);
		CHECK_INT(b.s.issue.column, c[i].column);
		CHECK_STR(b.s.issue.pointer, str_from(c[i].pointer));
		CHECK_INT(b.tape.count, 0);
	}
	bench_free(&b);
}

TEST(a_fault_of_grammar_has_its_place_and_its_words)
{
	static const struct bad cases[] = {
		BAD("", JSON_E_SYNTAX, 0, 0, 1, 1, "", "the text is empty; expected a JSON value"),
		BAD(" \n ", JSON_E_SYNTAX, 3, 0, 2, 2, "", "expected a JSON value, found the end of the text"),
		BAD("[", JSON_E_SYNTAX, 1, 0, 1, 2, "/0", "expected a value or ']', found the end of the text"),
		BAD("[1,]", JSON_E_SYNTAX, 3, 1, 1, 4, "/1", "expected a value after ',', found ']'"),
		BAD("[,1]", JSON_E_SYNTAX, 1, 1, 1, 2, "/0", "expected a value or ']', found ','"),
		BAD("[1 2]", JSON_E_SYNTAX, 3, 1, 1, 4, "", "expected ',' or ']' after an element, found '2'"),
		BAD("[1}", JSON_E_SYNTAX, 2, 1, 1, 3, "", "expected ',' or ']' after an element, found '}'"),
		BAD("[1", JSON_E_SYNTAX, 2, 0, 1, 3, "", "expected ',' or ']' after an element, found the end of the text"),
		BAD("{", JSON_E_SYNTAX, 1, 0, 1, 2, "", "expected a name in quotes or '}', found the end of the text"),
		BAD("{a:1}", JSON_E_SYNTAX, 1, 1, 1, 2, "", "expected a name in quotes or '}', found 'a'"),
		BAD("{'a':1}", JSON_E_SYNTAX, 1, 1, 1, 2, "", "expected a name in quotes or '}', found a single quote"),
		BAD("{\"a\":1,}", JSON_E_SYNTAX, 7, 1, 1, 8, "", "expected a name in quotes after ',', found '}'"),
		BAD("{\"a\" 1}", JSON_E_SYNTAX, 5, 1, 1, 6, "/a", "expected ':' after a name, found '1'"),
		BAD("{\"a\":}", JSON_E_SYNTAX, 5, 1, 1, 6, "/a", "expected a value after ':', found '}'"),
		BAD("{\"a\":1 x}", JSON_E_SYNTAX, 7, 1, 1, 8, "", "expected ',' or '}' after a member, found 'x'"),
		BAD("{\"a\":[0,{\"b\":tru}]}", JSON_E_SYNTAX, 13, 3, 1, 14, "/a/1/b",
		    "expected a value after ':', found 'tru'"),
		BAD("[truefalse]", JSON_E_SYNTAX, 1, 9, 1, 2, "/0", "expected a value or ']', found 'truefalse'"),
		BAD("NaN", JSON_E_SYNTAX, 0, 3, 1, 1, "", "expected a JSON value, found 'NaN'"),
		BAD("[-Infinity]", JSON_E_SYNTAX, 2, 8, 1, 3, "/0", "expected a digit after '-', found 'Infinity'"),
		BAD("[1, // one\n2]", JSON_E_SYNTAX, 4, 1, 1, 5, "/1", "expected a value after ',', found a comment"),
		BAD("[\xe2\x82\xac]", JSON_E_SYNTAX, 1, 3, 1, 2, "/0", "expected a value or ']', found U+20AC"),
		BAD("[\0]", JSON_E_SYNTAX, 1, 1, 1, 2, "/0", "expected a value or ']', found U+0000"),
		BAD("[\v1]", JSON_E_SYNTAX, 1, 1, 1, 2, "/0", "expected a value or ']', found U+000B"),
		BAD("abcdefghijklmnopqrstuvwxyz", JSON_E_SYNTAX, 0, 24, 1, 1, "",
		    "expected a JSON value, found 'abcdefghijklmnopqrstuvwx'..."),
		BAD("]", JSON_E_SYNTAX, 0, 1, 1, 1, "", "expected a JSON value, found ']'"),
	};

	check_bad(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(a_fault_in_a_number_has_its_place_and_its_words)
{
	static const struct bad cases[] = {
		BAD("01", JSON_E_SYNTAX, 0, 2, 1, 1, "", "leading zeros are not allowed"),
		BAD("[-007]", JSON_E_SYNTAX, 2, 3, 1, 3, "/0", "leading zeros are not allowed"),
		BAD("-", JSON_E_SYNTAX, 1, 0, 1, 2, "", "expected a digit after '-', found the end of the text"),
		BAD("[-]", JSON_E_SYNTAX, 2, 1, 1, 3, "/0", "expected a digit after '-', found ']'"),
		BAD("[--1]", JSON_E_SYNTAX, 2, 1, 1, 3, "/0", "expected a digit after '-', found '-'"),
		BAD("1.", JSON_E_SYNTAX, 2, 0, 1, 3, "", "expected a digit after '.', found the end of the text"),
		BAD("[1.e5]", JSON_E_SYNTAX, 3, 2, 1, 4, "/0", "expected a digit after '.', found 'e5'"),
		BAD("[1e]", JSON_E_SYNTAX, 3, 1, 1, 4, "/0", "expected a digit in the exponent, found ']'"),
		BAD("[1E+]", JSON_E_SYNTAX, 4, 1, 1, 5, "/0", "expected a digit in the exponent, found ']'"),
		BAD("[+1]", JSON_E_SYNTAX, 1, 1, 1, 2, "/0", "expected a value or ']', found '+'"),
		BAD("[.5]", JSON_E_SYNTAX, 1, 1, 1, 2, "/0", "expected a value or ']', found '.'"),
		BAD("[0x1F]", JSON_E_SYNTAX, 2, 3, 1, 3, "", "expected ',' or ']' after an element, found 'x1F'"),
		BAD("[1.5.3]", JSON_E_SYNTAX, 4, 1, 1, 5, "", "expected ',' or ']' after an element, found '.'"),
		BAD("[1_000]", JSON_E_SYNTAX, 2, 4, 1, 3, "", "expected ',' or ']' after an element, found '_000'"),
		BAD("[1\xff]", JSON_E_UTF8, 2, 1, 1, 3, "", "not UTF-8: FF never occurs in it"),
	};

	check_bad(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(a_fault_in_a_string_has_its_place_and_its_words)
{
	static const struct bad cases[] = {
		BAD("{\"n\":[12, \"abc", JSON_E_SYNTAX, 14, 0, 1, 15, "/n/1",
		    "the string that begins at column 11 is not closed"),
		BAD("{\"n", JSON_E_SYNTAX, 3, 0, 1, 4, "", "the name that begins at column 2 is not closed"),
		BAD("\"abc\\", JSON_E_SYNTAX, 5, 0, 1, 6, "", "the string that begins at column 1 is not closed"),
		BAD("\"\\u12", JSON_E_SYNTAX, 5, 0, 1, 6, "", "the string that begins at column 1 is not closed"),
		BAD("\n\n  \"a\\\"", JSON_E_SYNTAX, 8, 0, 3, 7, "", "the string that begins at column 3 is not closed"),
		BAD("\"a\\xb\"", JSON_E_SYNTAX, 2, 2, 1, 3, "",
		    "unknown escape '\\x'; expected one of \" \\ / b f n r t u after the backslash"),
		BAD("\"a\\\xc3\xa9\"", JSON_E_SYNTAX, 2, 3, 1, 3, "",
		    "U+00E9 cannot follow a backslash; expected one of \" \\ / b f n r t u"),
		BAD("\"a\\\n\"", JSON_E_SYNTAX, 2, 2, 1, 3, "",
		    "U+000A cannot follow a backslash; expected one of \" \\ / b f n r t u"),
		BAD("\"a\\\xff\"", JSON_E_UTF8, 3, 1, 1, 4, "", "not UTF-8: FF never occurs in it"),
		BAD("\"\\u12g4\"", JSON_E_SYNTAX, 1, 5, 1, 2, "", "\\u must be followed by four hexadecimal digits"),
		BAD("\"\\u\"", JSON_E_SYNTAX, 1, 3, 1, 2, "", "\\u must be followed by four hexadecimal digits"),
		BAD("\"\\uD8", JSON_E_SYNTAX, 5, 0, 1, 6, "", "the string that begins at column 1 is not closed"),
		BAD("[\"\x01\"]", JSON_E_CTRL, 2, 1, 1, 3, "/0", "control character U+0001 must be written as \\u0001"),
		BAD("[\"a\nb\"]", JSON_E_CTRL, 3, 1, 1, 4, "/0", "control character U+000A must be written as \\n"),
		BAD("[\"a\tb\"]", JSON_E_CTRL, 3, 1, 1, 4, "/0", "control character U+0009 must be written as \\t"),
		BAD("[\"\b\"]", JSON_E_CTRL, 2, 1, 1, 3, "/0", "control character U+0008 must be written as \\b"),
		BAD("[\"\v\"]", JSON_E_CTRL, 2, 1, 1, 3, "/0", "control character U+000B must be written as \\u000b"),
		BAD("[\"\f\"]", JSON_E_CTRL, 2, 1, 1, 3, "/0", "control character U+000C must be written as \\f"),
		BAD("[\"\r\"]", JSON_E_CTRL, 2, 1, 1, 3, "/0", "control character U+000D must be written as \\r"),
		BAD("[\"\0\"]", JSON_E_CTRL, 2, 1, 1, 3, "/0", "control character U+0000 must be written as \\u0000"),
		BAD("[\"\x1f\"]", JSON_E_CTRL, 2, 1, 1, 3, "/0", "control character U+001F must be written as \\u001f"),
		BAD("{\"a\x01\":1}", JSON_E_CTRL, 3, 1, 1, 4, "", "control character U+0001 must be written as \\u0001"),
		BAD("[\"\\ud800\"]", JSON_E_SURROGATE, 2, 6, 1, 3, "/0",
		    "\\ud800 is half of a surrogate pair; the other half is missing"),
		BAD("[\"\\uDC00\\uD800\"]", JSON_E_SURROGATE, 2, 6, 1, 3, "/0",
		    "\\udc00 is half of a surrogate pair; the other half is missing"),
		BAD("[\"\\ud83d\\ud83d\\ude00\"]", JSON_E_SURROGATE, 2, 6, 1, 3, "/0",
		    "\\ud83d is half of a surrogate pair; the other half is missing"),
		BAD("[\"\\ud83d\\n\"]", JSON_E_SURROGATE, 2, 6, 1, 3, "/0",
		    "\\ud83d is half of a surrogate pair; the other half is missing"),
		BAD("{\"\\udfff\":1}", JSON_E_SURROGATE, 2, 6, 1, 3, "",
		    "\\udfff is half of a surrogate pair; the other half is missing"),
	};

	check_bad(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(bytes_that_are_not_utf8_are_refused_anywhere)
{
	static const struct bad cases[] = {
		BAD("\xff\xfe[\0]\0", JSON_E_UTF8, 0, 1, 1, 1, "", "not UTF-8: FF never occurs in it"),
		BAD("\"\x80\"", JSON_E_UTF8, 1, 1, 1, 2, "", "not UTF-8: 80 continues a character that was not begun"),
		BAD("\"\x80\x80\"", JSON_E_UTF8, 1, 1, 1, 2, "", "not UTF-8: 80 continues a character that was not begun"),
		BAD("\"\xff\x80\"", JSON_E_UTF8, 1, 1, 1, 2, "", "not UTF-8: FF never occurs in it"),
		BAD("\"\xc0\xaf\"", JSON_E_UTF8, 1, 2, 1, 2, "", "not UTF-8: C0 AF is an overlong form"),
		BAD("\"\xe0\x80\xaf\"", JSON_E_UTF8, 1, 3, 1, 2, "",
		    "not UTF-8: E0 80 AF is an overlong form"),
		BAD("\"\xf0\x80\x80\xaf\"", JSON_E_UTF8, 1, 4, 1, 2, "",
		    "not UTF-8: F0 80 80 AF is an overlong form"),
		BAD("\"\xed\xa0\x80\"", JSON_E_UTF8, 1, 3, 1, 2, "", "not UTF-8: ED A0 80 is a surrogate"),
		BAD("\"\xf4\x90\x80\x80\"", JSON_E_UTF8, 1, 4, 1, 2, "",
		    "not UTF-8: F4 90 80 80 is above U+10FFFF"),
		BAD("\"\xf5\x80\x80\x80\"", JSON_E_UTF8, 1, 4, 1, 2, "",
		    "not UTF-8: F5 80 80 80 is above U+10FFFF"),
		BAD("\"\xe2\x82\"", JSON_E_UTF8, 1, 2, 1, 2, "",
		    "not UTF-8: E2 82 is an incomplete character"),
		BAD("\"\xc3", JSON_E_UTF8, 1, 1, 1, 2, "", "not UTF-8: C3 is an incomplete character"),
		BAD("{\"k\xfe\":1}", JSON_E_UTF8, 3, 1, 1, 4, "", "not UTF-8: FE never occurs in it"),
		BAD("{}\x80", JSON_E_UTF8, 2, 1, 1, 3, "", "not UTF-8: 80 continues a character that was not begun"),
		BAD("{\"a\"\xc1:1}", JSON_E_UTF8, 4, 1, 1, 5, "/a", "not UTF-8: C1 is an incomplete character"),
	};

	check_bad(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(columns_count_characters_and_lines_count_newlines)
{
	static const struct bad cases[] = {
		BAD("[\"\xc3\xa9\xf0\x9f\x98\x80\", x]", JSON_E_SYNTAX, 11, 1, 1, 8, "/1",
		    "expected a value after ',', found 'x'"),
		BAD("{\r\n\t\"a\": 1,\r\n\t\"b\": x\r\n}", JSON_E_SYNTAX, 19, 1, 3, 7, "/b",
		    "expected a value after ':', found 'x'"),
		BAD("[1,\n\n\n", JSON_E_SYNTAX, 6, 0, 4, 1, "/1", "expected a value after ',', found the end of the text"),
		BAD("[1,\r2,\r,", JSON_E_SYNTAX, 7, 1, 1, 8, "/2", "expected a value after ',', found ','"),
	};

	check_bad(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(a_pointer_is_escaped_and_shows_values_not_escapes)
{
	static const struct bad cases[] = {
		BAD("{\"a/b~c\":[[],[0,x]]}", JSON_E_SYNTAX, 16, 1, 1, 17, "/a~1b~0c/1/1",
		    "expected a value after ',', found 'x'"),
		BAD("{\"\\u0041\\n\":x}", JSON_E_SYNTAX, 12, 1, 1, 13, "/A\n", "expected a value after ':', found 'x'"),
		BAD("{\"\":{\"\":x}}", JSON_E_SYNTAX, 8, 1, 1, 9, "//", "expected a value after ':', found 'x'"),
		BAD("{\"a\":{},\"b\":[{},{\"c\":1}, x]}", JSON_E_SYNTAX, 25, 1, 1, 26, "/b/2",
		    "expected a value after ',', found 'x'"),
	};

	check_bad(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(what_follows_the_value_and_what_precedes_it_is_refused)
{
	static const struct bad cases[] = {
		BAD("1 2", JSON_E_TRAILING, 2, 1, 1, 3, "", "expected nothing more after the value, found '2'"),
		BAD("{}\n{}", JSON_E_TRAILING, 3, 1, 2, 1, "", "expected nothing more after the value, found '{'"),
		BAD("{}\0", JSON_E_TRAILING, 2, 1, 1, 3, "", "expected nothing more after the value, found U+0000"),
		BAD("\"a\",", JSON_E_TRAILING, 3, 1, 1, 4, "", "expected nothing more after the value, found ','"),
		BAD("1x", JSON_E_TRAILING, 1, 1, 1, 2, "", "expected nothing more after the value, found 'x'"),
		BAD("\xef\xbb\xbf{}", JSON_E_BOM, 0, 3, 1, 1, "", "a byte order mark (U+FEFF) stands before the value"),
		BAD(" \xef\xbb\xbf{}", JSON_E_SYNTAX, 1, 3, 1, 2, "", "expected a JSON value, found U+FEFF"),
		BAD("\xef\xbb", JSON_E_UTF8, 0, 2, 1, 1, "", "not UTF-8: EF BB is an incomplete character"),
	};

	check_bad(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(a_name_that_occurs_twice_is_refused_at_its_second_place)
{
	static const struct bad cases[] = {
		BAD("{\"a\":1,\"a\":2}", JSON_E_DUP_KEY, 7, 3, 1, 8, "/a", "name \"a\" appears twice in this object"),
		BAD("{\"a\":1,\"b\":{\"a\":1},\"\\u0061\":2}", JSON_E_DUP_KEY, 19, 8, 1, 20, "/a",
		    "name \"\\u0061\" appears twice in this object"),
		BAD("{\"\":0,\"\":0}", JSON_E_DUP_KEY, 6, 2, 1, 7, "/", "name \"\" appears twice in this object"),
		BAD("[{\"a\":1},{\"x\":{\"y\":1,\"y\":x}}]", JSON_E_DUP_KEY, 21, 3, 1, 22, "/1/x/y",
		    "name \"y\" appears twice in this object"),
		BAD("{\"a\":1,\"a\" x", JSON_E_DUP_KEY, 7, 3, 1, 8, "/a", "name \"a\" appears twice in this object"),
		BAD("{\"a\":1,\"a", JSON_E_SYNTAX, 9, 0, 1, 10, "", "the name that begins at column 8 is not closed"),
		BAD("{\"\xe2\x80\xae\":1,\"\xe2\x80\xae\":2}", JSON_E_DUP_KEY, 9, 5, 1, 8, "/\xe2\x80\xae",
		    "name \"\\u202e\" appears twice in this object"),
		BAD("{\"0123456789012345678901234567890123456789012345678\":1,"
		    "\"0123456789012345678901234567890123456789012345678\":2}",
		    JSON_E_DUP_KEY, 55, 51, 1, 56, "/0123456789012345678901234567890123456789012345678",
		    "name \"012345678901234567890123456789012345678901234567...\" appears twice in this object"),
	};

	check_bad(cases, sizeof(cases) / sizeof(cases[0]));
}
