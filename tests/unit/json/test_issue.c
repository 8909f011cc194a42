#include "json/issue.h"

#include <stdio.h>
#include <string.h>

#include "harness/test.h"

TEST(a_mark_counts_lines_and_characters_in_any_number_of_steps)
{
	static const char text[] = "ab\n\xc3\xa9\xe2\x82\xac x\r\n\n\xff\xfe tail";
	struct str s = STR("ab\n\xc3\xa9\xe2\x82\xac x\r\n\n\xff\xfe tail");
	struct issue_mark steps = { 0 };

	for (size_t i = 0; i <= s.n; i++) {
		struct issue_mark once = { 0 };

		if (i < s.n && ((unsigned char)text[i] & 0xc0) == 0x80)
			continue; /* marks stand between characters */
		issue_mark_move(&once, s, i);
		issue_mark_move(&steps, s, i);
		test_case("%zu", i);
		CHECK_INT(steps.offset, i);
		CHECK_INT(steps.line, once.line);
		CHECK_INT(steps.column, once.column);
	}
	CHECK_INT(steps.line, 4);
	CHECK_INT(steps.column, 8);
}

TEST(a_long_message_is_cut_at_a_character)
{
	struct json_issue issue;
	size_t n;

	for (int lead = 100; lead < 125; lead++) {
		test_case("%d", lead);
		issue_say(&issue, "%*s\xf0\x9f\x98\x80\xf0\x9f\x98\x80", lead, "");
		n = strlen(issue.message);
		CHECK(n < sizeof(issue.message));
		CHECK_INT(n, lead + 8 < 120 ? lead + 8 : lead + 4 < 120 ? lead + 4 : lead < 120 ? lead : 119);
	}
}

TEST(a_name_or_an_index_is_added_to_a_pointer)
{
	struct buf pointer;

	buf_init(&pointer);
	issue_pointer_add_index(&pointer, 0);
	issue_pointer_add_name(&pointer, STR(""));
	issue_pointer_add_name(&pointer, STR("a~b/c"));
	issue_pointer_add_name(&pointer, STR("\\u007e\\/\\ud800\xff\\\""));
	issue_pointer_add_index(&pointer, UINT64_MAX);
	CHECK_STR(buf_str(&pointer), STR("/0//a~0b~1c/~0~1\xef\xbf\xbd\xef\xbf\xbd\"/18446744073709551615"));
	buf_free(&pointer);
}

TEST(what_was_found_is_named)
{
	static const struct {
		const char *text, *message;
		size_t length;
	} cases[] = {
		{ "x", "expected y, found 'x'", 1 },
		{ "x_1-", "expected y, found 'x_1'", 3 },
		{ "", "expected y, found the end of the text", 0 },
		{ "/", "expected y, found '/'", 1 },
		{ "/*", "expected y, found a comment", 1 },
		{ "'", "expected y, found a single quote", 1 },
		{ " ", "expected y, found U+0020", 1 },
		{ "\x7f", "expected y, found U+007F", 1 },
		{ "\xf0\x9f\x98\x80", "expected y, found U+1F600", 4 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_issue issue = { 0 };

		test_case("%s", cases[i].text);
		issue_unexpected(&issue, str_from(cases[i].text), 0, JSON_E_TRAILING, "y");
		CHECK_INT(issue.code, JSON_E_TRAILING);
		CHECK_STR(str_from(issue.message), str_from(cases[i].message));
		CHECK_INT(issue.length, cases[i].length);
	}
}

/* A message may depend on ISSUE_AHEAD bytes and on no more. */
TEST(no_message_depends_on_bytes_far_ahead)
{
	static const char *const texts[] = {
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"11111111111111111111111111111111111111111111",
		"\xf0\x9f\x98\x80 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"\xf4\x90\x80\x80\x80\x80 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct str whole = str_from(texts[i]), part = whole;
		struct json_issue a = { 0 }, b = { 0 };

		if (part.n > ISSUE_AHEAD)
			part.n = ISSUE_AHEAD;
		issue_unexpected(&a, whole, 0, JSON_E_SYNTAX, "y");
		issue_unexpected(&b, part, 0, JSON_E_SYNTAX, "y");
		CHECK_STR(str_from(a.message), str_from(b.message));
		CHECK_INT(a.length, b.length);
	}
}

TEST(a_control_character_is_named_with_its_escape)
{
	struct json_issue issue = { 0 };

	issue_control(&issue, STR("x\ty"), 1);
	CHECK_INT(issue.code, JSON_E_CTRL);
	CHECK_INT(issue.offset, 1);
	CHECK_STR(str_from(issue.message), STR("control character U+0009 must be written as \\t"));
}

TEST(ill_formed_bytes_are_named_with_the_reason)
{
	struct json_issue issue = { 0 };

	issue_bad_utf8(&issue, STR("x\xe0\x9f\xbf\xbf"), 1);
	CHECK_INT(issue.code, JSON_E_UTF8);
	CHECK_INT(issue.offset, 1);
	CHECK_INT(issue.length, 3);
	CHECK_STR(str_from(issue.message), STR("not UTF-8: E0 9F BF is an overlong form"));
}

TEST(a_duplicate_name_is_shown_safely)
{
	static const struct {
		const char *raw, *shown;
	} cases[] = {
		{ "a", "\"a\"" },
		{ "tab\\t\\u0009\\\"", "\"tab\\t\\u0009\\\"\"" },
		{ "\xc2\x9b\xe2\x80\xaeZ", "\"\\u009b\\u202eZ\"" },
		{ "\x7f\xff", "\"\\u007f?\"" },
		{ "\xc3\xa9\xe2\x82\xac", "\"\xc3\xa9\xe2\x82\xac\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_issue issue = { 0 };
		char want[120];

		issue_duplicate(&issue, str_from(cases[i].raw), 5);
		snprintf(want, sizeof(want), "name %s appears twice in this object", cases[i].shown);
		CHECK_STR(str_from(issue.message), str_from(want));
		CHECK_INT(issue.offset, 5);
		CHECK_INT(issue.length, strlen(cases[i].raw) + 2);
	}
}
