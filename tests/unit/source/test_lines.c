#include "harness/test.h"
#include "source/lines.h"

static size_t count_slowly(const char *p, size_t n)
{
	size_t total = 0;

	for (size_t i = 0; i < n; i++)
		if (p[i] == '\n')
			total++;
	return total;
}

TEST(line_ends_are_counted_at_every_length_and_alignment)
{
	char text[700];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "a\n\v\x8a\n\0\x0a\t"[i * i % 8];
	for (size_t start = 0; start < 70; start++)
		for (size_t n = 0; n + start <= sizeof(text); n++)
			CHECK_INT(lines_count(str_of(text + start, n)), count_slowly(text + start, n));
}

TEST(a_block_of_nothing_but_line_ends_does_not_overflow_the_counters)
{
	static char text[100000];

	memset(text, '\n', sizeof(text));
	for (size_t n = sizeof(text) - 200; n <= sizeof(text); n++)
		CHECK_INT(lines_count(str_of(text, n)), n);
}

TEST(nothing_has_no_lines)
{
	CHECK_INT(lines_count(STR("")), 0);
	CHECK_INT(lines_count(STR("no end")), 0);
}

TEST(lines_are_told_from_documents_by_the_first_value)
{
	static const struct {
		const char *text;
		bool otherwise, lines;
	} cases[] = {
		{ "{\"a\":1}\n{\"a\":2}\n", false, true },
		{ "{\"a\":1}", false, true },
		{ "\n\n  {\"a\":1}\r\n{}", false, true },
		{ "{\n  \"a\": 1\n}\n", true, false },
		{ "{\"a\":{\"b\":1}\n}", true, false },
		{ "[{\"a\":1},\n{\"a\":2}]", true, false },
		{ "[1,2]\n[3,4]", false, true },
		{ "{\"a\": 1,\n \"b\": 2}", true, false },
		{ "{\"a\":\"}\n", false, true },
		{ "{\"a\":\"cut off\n{\"a\":2}\n", false, true },
		{ "{\"a\":\"\\\"}\"}\n{}", false, true },
		{ "a line that goes on {", false, false },
		{ "a line with {\"a\":1} in it\n", false, true },
		{ "2025-09-04T10:08:38.598Z ready\n", false, true },
		{ "2025-09", false, false },
		{ "", true, true },
		{ "", false, false },
		{ "{\"a\":[1,2,3", false, true },
		{ "{\r\n{", false, false },
		{ "# started\n{\"a\":1}\n", false, true },
		{ "# started\nand more\n", false, false },
		{ "\xef\xbb\xbf{\"a\":1}\n{\"a\":1}\n", false, true },
		{ "{\"a\":1,\n\n{\"a\":2}\n", false, true },
		{ "{\"a\":\"b\n}\n{\"a\":2}\n", false, true },
		{ "{\n\"a\": {\n\"b\": 1\n}\n}", true, false },
		{ "{\"a\": [\n{\"b\": 1},\n{\"b\": 2}\n]}", true, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(lines_are(str_from(cases[i].text), cases[i].otherwise), cases[i].lines);
	}
}

TEST(events_are_told_from_other_lines)
{
	static const struct { const char *text; bool are; } cases[] = {
		{ "data: {\"a\":1}\n\n", true },
		{ "\xef\xbb\xbf" "event: x\r\rdata: 1\r\r", true },
		{ "\n\n: note\n", true },
		{ "{\"data\":1}\n", false },
		{ "INFO data: {}\n", false },
		{ "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(lines_are_events(str_from(cases[i].text)), cases[i].are);
	}
}

/* An event among other lines is not parted either, nor a line inside it that it ignores. */
TEST(whole_lines_end_behind_their_last_line_but_not_inside_an_event)
{
	static const struct { const char *text; size_t whole; } cases[] = {
		{ "{}\n{}\n{", 6 },
		{ "{}\nprose\n", 9 },
		{ "{}\nevent: x\n", 3 },
		{ "{}\nevent: x\r\ndata: 1\r\n", 3 },
		{ "{}\nevent: x\nprose\n", 3 },
		{ "{}\nevent: x\n\n", 13 },
		{ "{}\nevent: x\n{}\n", 15 },
		{ "prose\ndata: 1\n", 6 },
		{ "data: 1\ndata: 2\n", 0 },
		{ "no end", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(lines_whole(str_from(cases[i].text)), cases[i].whole);
	}
}

/* Cut after what is there, whatever comes next: so a CR at the end is no blank line yet, an LF may follow. */
TEST(whole_events_end_behind_their_blank_line)
{
	static const struct { const char *text; size_t whole; } cases[] = {
		{ "data: a\n\ndata: b\n", 9 },
		{ "data: a\n\n", 9 },
		{ "data: a\r\rdata: b\r", 9 },
		{ "data: a\r\r", 0 },
		{ "data: a\r\n\r\ndata: b\r\n", 11 },
		{ "data: a\r\n\r\n", 11 },
		{ "data: a\r\n", 0 },
		{ "data: a\n\r\ndata: b", 10 },
		{ "data: a\r\n\ndata: b", 10 },
		{ "data: a\ndata: b\n", 0 },
		{ "", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("case %zu", i);
		CHECK_INT(lines_whole_events(str_from(cases[i].text)), cases[i].whole);
	}
}

TEST(lines_of_events_are_counted_whatever_ends_them)
{
	CHECK_INT(lines_count_any(STR("a\nb\rc\r\nd")), 3);
	CHECK_INT(lines_count_any(STR("\r\r\n\n")), 3);
	CHECK_INT(lines_count_any(STR("")), 0);
}
