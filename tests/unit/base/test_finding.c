#include "base/finding.h"

#include <stdio.h>

#include "base/utf8.h"
#include "harness/test.h"

static struct finding make(const char *code, enum severity severity)
{
	return (struct finding){ .code = code, .severity = severity, .message = STR("m") };
}

TEST(a_finding_is_kept_whole_with_copies_of_what_it_points_to)
{
	char pointer[] = "/a/0", message[] = "two names are equal", excerpt[] = "{\"a\":1,\"a\":2}";
	struct finding f = {
		.code = "E_DUP_KEY",
		.severity = SEV_ERROR,
		.at = { 3, 7, 120 },
		.pointer = str_from(pointer),
		.message = str_from(message),
		.excerpt = str_from(excerpt),
		.mark = 7,
		.mark_length = 3,
	};
	struct arena a;
	struct findings list;

	arena_init(&a);
	findings_init(&list, &a, 50);
	findings_add(&list, &f);
	memset(pointer, 'x', 4);
	memset(message, 'x', 4);
	memset(excerpt, 'x', 4);
	CHECK_INT(list.kept_count, 1);
	CHECK_STR(list.kept[0].pointer, STR("/a/0"));
	CHECK_STR(list.kept[0].message, STR("two names are equal"));
	CHECK_STR(list.kept[0].excerpt, STR("{\"a\":1,\"a\":2}"));
	CHECK_INT(list.kept[0].at.line, 3);
	CHECK_INT(list.kept[0].at.column, 7);
	CHECK_INT(list.kept[0].at.offset, 120);
	CHECK_INT(list.kept[0].mark, 7);
	CHECK_INT(list.kept[0].mark_length, 3);
	arena_free(&a);
}

TEST(beyond_the_limit_findings_are_counted_and_need_no_memory)
{
	struct finding dup = make("E_DUP_KEY", SEV_ERROR), bom = make("W_BOM", SEV_WARNING);
	struct finding note = make("I_X", SEV_INFO);
	struct arena a;
	struct findings list;
	size_t used;

	arena_init(&a);
	findings_init(&list, &a, 50);
	for (int i = 0; i < 60; i++) {
		findings_add(&list, &dup);
		findings_add(&list, &bom);
	}
	findings_add(&list, &note);
	used = a.used;
	for (int i = 0; i < 100000; i++)
		findings_add(&list, &dup);
	CHECK_INT(a.used, used);
	CHECK_INT(list.kept_count, 50);
	CHECK_INT(list.errors, 100060);
	CHECK_INT(list.warnings, 60);
	CHECK_INT(list.infos, 1);
	CHECK_INT(list.counts_count, 3);
	CHECK_STR(str_from(list.counts[0].code), STR("E_DUP_KEY"));
	CHECK_INT(list.counts[0].count, 100060);
	CHECK_INT(list.counts[0].severity, SEV_ERROR);
	CHECK_STR(str_from(list.counts[1].code), STR("W_BOM"));
	CHECK_INT(list.counts[1].count, 60);
	CHECK_INT(list.counts[1].severity, SEV_WARNING);
	CHECK_INT(list.counts[2].count, 1);
	arena_free(&a);
}

TEST(without_a_limit_every_finding_is_kept_in_order)
{
	struct arena a;
	struct findings list;
	char text[20];

	arena_init(&a);
	findings_init(&list, &a, 0);
	for (int i = 0; i < 3000; i++) {
		struct finding f = make("E_X", SEV_ERROR);

		f.message = str_of(text, (size_t)snprintf(text, sizeof(text), "%d", i));
		findings_add(&list, &f);
	}
	CHECK_INT(list.kept_count, 3000);
	for (int i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "%d", i);
		CHECK_STR(list.kept[i].message, str_from(text));
	}
	arena_free(&a);
}

TEST(a_code_is_the_same_wherever_its_text_is_stored)
{
	char codes[100][8];
	struct arena a;
	struct findings list;

	arena_init(&a);
	findings_init(&list, &a, 10);
	for (int i = 0; i < 100; i++) {
		struct finding f;

		snprintf(codes[i], sizeof(codes[i]), "E_%d", i % 40);
		f = make(codes[i], SEV_ERROR);
		findings_add(&list, &f);
	}
	CHECK_INT(list.counts_count, 40);
	for (size_t i = 0; i < 40; i++) {
		CHECK_STR(str_from(list.counts[i].code), str_from(codes[i]));
		CHECK_INT(list.counts[i].count, i < 20 ? 3 : 2);
	}
	arena_free(&a);
}

TEST(lists_merge_in_order_up_to_the_limit_and_add_up)
{
	struct finding dup = make("E_DUP_KEY", SEV_ERROR), bom = make("W_BOM", SEV_WARNING);
	struct finding note = make("I_X", SEV_INFO);
	struct findings list, more;
	struct arena a, b;

	arena_init(&a);
	arena_init(&b);
	findings_init(&list, &a, 4);
	findings_init(&more, &b, 3);
	findings_add(&list, &bom);
	findings_add(&list, &dup);
	for (int i = 0; i < 10; i++)
		findings_add(&more, &dup);
	findings_add(&more, &note);
	findings_merge(&list, &more);
	arena_free(&b);
	CHECK_INT(list.kept_count, 4);
	CHECK_STR(str_from(list.kept[0].code), STR("W_BOM"));
	CHECK_STR(str_from(list.kept[2].code), STR("E_DUP_KEY"));
	CHECK_STR(str_from(list.kept[3].code), STR("I_X"));
	CHECK_STR(list.kept[3].message, STR("m"));
	CHECK_INT(list.errors, 11);
	CHECK_INT(list.warnings, 1);
	CHECK_INT(list.infos, 1);
	CHECK_INT(list.counts_count, 3);
	CHECK_INT(list.counts[1].count, 11);
	CHECK_INT(list.counts[2].count, 1);
	arena_free(&a);
}

TEST(a_code_that_repeats_makes_room_for_others)
{
	struct finding loud = make("W_LOUD", SEV_WARNING), error = make("E_ONE", SEV_ERROR);
	struct finding other = make("W_OTHER", SEV_WARNING);
	struct findings list;
	struct arena a;

	arena_init(&a);
	findings_init(&list, &a, 5);
	for (int i = 0; i < 100; i++)
		findings_add(&list, &loud);
	CHECK(!findings_wants(&list, "W_LOUD", SEV_WARNING));
	CHECK(findings_wants(&list, "E_ONE", SEV_ERROR));
	findings_add(&list, &error);
	findings_add(&list, &other);
	findings_count(&list, "W_LOUD", SEV_WARNING);
	CHECK_INT(list.kept_count, 5);
	CHECK_STR(str_from(list.kept[2].code), STR("W_LOUD"));
	CHECK_STR(str_from(list.kept[3].code), STR("E_ONE"));
	CHECK_STR(str_from(list.kept[4].code), STR("W_OTHER"));
	CHECK_INT(list.warnings, 102);
	CHECK_INT(list.counts[0].count, 101);
	CHECK_INT(list.counts[0].kept, 3);
	arena_free(&a);
}

TEST(sorting_puts_findings_in_the_order_of_their_places)
{
	static const struct {
		uint64_t line, column;
		const char *code;
	} cases[] = { { 0, 0, "E" }, { 9, 1, "C" }, { 2, 5, "B" }, { 9, 1, "D" }, { 2, 1, "A" } };
	struct findings list;
	struct arena a;

	arena_init(&a);
	findings_init(&list, &a, 0);
	for (size_t i = 0; i < 5; i++) {
		struct finding f = make(cases[i].code, SEV_ERROR);

		f.at.line = cases[i].line;
		f.at.column = cases[i].column;
		findings_add(&list, &f);
	}
	findings_sort(&list);
	for (size_t i = 0; i < 5; i++) {
		CHECK_INT(list.kept[i].code[0], 'A' + (int)i);
		CHECK_INT(list.counts[i].code[0], 'A' + (int)i);
	}
	arena_free(&a);
}

TEST(pointing_at_bytes_of_a_line_sets_place_and_mark)
{
	static const struct {
		const char *line;
		size_t at, length, column, mark_length;
	} cases[] = {
		{ "{\"a\":-1}", 5, 2, 6, 2 },
		{ "caf\xc3\xa9!", 5, 1, 5, 1 },
		{ "abc", 3, 1, 4, 0 },
		{ "abc", 99, 5, 4, 0 },
		{ "abc", 1, 99, 2, 2 },
		{ "", 0, 0, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str line = str_from(cases[i].line);
		size_t at = cases[i].at < line.n ? cases[i].at : line.n;
		struct finding f = { .code = "E_X" };

		test_case("%zu", i);
		finding_point(&f, line, 9, 1000, cases[i].at, cases[i].length);
		CHECK_INT(f.at.line, 9);
		CHECK_INT(f.at.column, cases[i].column);
		CHECK_INT(f.at.offset, 1000 + at);
		CHECK_STR(f.excerpt, line);
		CHECK_INT(f.mark, at);
		CHECK_INT(f.mark_length, cases[i].mark_length);
	}
}

TEST(the_excerpt_of_a_long_line_is_short_and_cut_between_characters)
{
	static char line[9000];

	for (size_t i = 0; i < 3000; i++)
		memcpy(line + 3 * i, "\xe2\x82\xac", 3);
	for (size_t at = 0; at <= sizeof(line); at += 3) {
		struct finding f = { .code = "E_X" };

		test_case("%zu", at);
		finding_point(&f, str_of(line, sizeof(line)), 1, 0, at, 3);
		CHECK_INT(f.at.column, at / 3 + 1);
		CHECK(f.excerpt.n <= 1000 && f.excerpt.n >= 300);
		CHECK_INT(f.excerpt.n % 3, 0);
		CHECK_INT(utf8_check(f.excerpt), f.excerpt.n);
		CHECK(f.excerpt.p + f.mark == line + at);
	}
}

#define KEY "Zq1Xw2Ce3Vr4Bt5Ny6Mu7Ki8Lo9Pz0AaSsDdFfGg" /* of no service, behind the beginning of a known one */

/* True when six bytes in a row of the key can be read. */
static bool shows_key(struct str text)
{
	for (size_t i = 0; i + 6 <= strlen(KEY); i++)
		if (str_find(text, str_of(&KEY[i], 6)) != (size_t)-1)
			return true;
	return false;
}

TEST(what_is_kept_shows_no_key)
{
	struct finding f = {
		.code = "E_X",
		.at = { 1, 8, 7 },
		.pointer = STR("/a/ghp_" KEY "/b"),
		.message = STR("'ghp_" KEY "' is no number"),
		.excerpt = STR("{\"key\":\"ghp_" KEY "\",\"n\":-1}"),
		.mark = 7,
		.mark_length = 46,
	};
	struct findings list, more;
	struct arena a;

	arena_init(&a);
	findings_init(&list, &a, 50);
	findings_init(&more, &a, 50);
	findings_add(&list, &f);
	CHECK_STR(list.kept[0].pointer, STR("/a/ghp_\xe2\x80\xa6/b"));
	CHECK_STR(list.kept[0].message, STR("'ghp_\xe2\x80\xa6' is no number"));
	CHECK_STR(list.kept[0].excerpt, STR("{\"key\":\"ghp_\xe2\x80\xa6\",\"n\":-1}"));
	CHECK_INT(list.kept[0].mark, 7);
	CHECK_INT(list.kept[0].mark_length, 9);
	findings_merge(&more, &list);
	CHECK_STR(more.kept[0].excerpt, list.kept[0].excerpt);
	CHECK_INT(more.kept[0].mark_length, 9);
	arena_free(&a);
}

/* The excerpt is a window of the line; the key may lie across its edges. */
TEST(a_key_cut_by_the_edge_of_an_excerpt_does_not_show)
{
	static const char *const fillers[] = { "word ", "\"a\":1,", "xxxxxxxxx", "\xe2\x82\xac" };
	static const char *const escapes[] = { "", "\\n" };
	char line[4000];

	for (size_t v = 0; v < 4 * 2; v++) {
		for (size_t at = 0; at < 3000; at += 5) {
			struct finding f = { .code = "E_X" };
			struct findings list;
			struct arena a;
			size_t n = 0;

			test_case("filler %zu, place %zu", v, at);
			arena_init(&a);
			findings_init(&list, &a, 1);
			while (n < 1400)
				n += (size_t)snprintf(line + n, sizeof(line) - n, "%s", fillers[v % 4]);
			n += (size_t)snprintf(line + n, sizeof(line) - n, " \"%sghp_" KEY "\" ", escapes[v / 4]);
			while (n < 3000)
				n += (size_t)snprintf(line + n, sizeof(line) - n, "%s", fillers[v % 4]);
			finding_point(&f, str_of(line, n), 1, 0, at, 1);
			findings_add(&list, &f);
			CHECK(!shows_key(list.kept[0].excerpt));
			CHECK(list.kept[0].mark <= list.kept[0].excerpt.n);
			CHECK(list.kept[0].mark_length <= list.kept[0].excerpt.n - list.kept[0].mark);
			arena_free(&a);
		}
	}
}

TEST(severities_have_names)
{
	CHECK_STR(str_from(severity_name(SEV_INFO)), STR("info"));
	CHECK_STR(str_from(severity_name(SEV_WARNING)), STR("warning"));
	CHECK_STR(str_from(severity_name(SEV_ERROR)), STR("error"));
}
