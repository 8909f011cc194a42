#include "base/utf8.h"
#include "dialect/record/record.h"
#include "dialect/record/scan.h"
#include "unit/dialect/check_feed.h"

/* ---- severities ---- */

TEST(a_rule_has_its_severity_unless_the_mode_says_otherwise)
{
	static const struct {
		struct rule rule;
		enum severity in_default, in_strict, in_permissive;
	} cases[] = {
		{ { .code = "A", .severity = SEV_ERROR }, SEV_ERROR, SEV_ERROR, SEV_ERROR },
		{ { .code = "B", .severity = SEV_INFO }, SEV_INFO, SEV_INFO, SEV_INFO },
		{ { .code = "C", .severity = SEV_WARNING, .in_strict = RULE_ERROR },
		  SEV_WARNING, SEV_ERROR, SEV_WARNING },
		{ { .code = "D", .severity = SEV_ERROR, .in_permissive = RULE_INFO }, SEV_ERROR, SEV_ERROR, SEV_INFO },
		{ { .code = "E", .severity = SEV_INFO, .in_strict = RULE_WARNING, .in_permissive = RULE_WARNING },
		  SEV_INFO, SEV_WARNING, SEV_WARNING },
		{ { .code = "F", .severity = SEV_WARNING, .in_strict = RULE_INFO, .in_permissive = RULE_ERROR },
		  SEV_WARNING, SEV_INFO, SEV_ERROR },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].rule.code);
		CHECK_INT(rule_severity(&cases[i].rule, MODE_DEFAULT), cases[i].in_default);
		CHECK_INT(rule_severity(&cases[i].rule, MODE_STRICT), cases[i].in_strict);
		CHECK_INT(rule_severity(&cases[i].rule, MODE_PERMISSIVE), cases[i].in_permissive);
	}
}

/* ---- a format that says something about every value ---- */

enum rules { BAD, EVERY, WHOLE, LATE };

static const struct rule rules[] = {
	[BAD] = { .code = "N_BAD", .severity = SEV_ERROR },
	[EVERY] = { .code = "N_EVERY", .severity = SEV_WARNING, .in_strict = RULE_ERROR, .in_permissive = RULE_INFO },
	[WHOLE] = { .code = "N_WHOLE", .severity = SEV_ERROR },
	[LATE] = { .code = "N_LATE", .severity = SEV_ERROR },
	{ .code = NULL },
};

static void note_all(struct record_scan *s, struct val root, void *fact)
{
	(void)fact;
	for (struct val v = root; v.at < val_end(root); v.at++)
		record_note(s, EVERY, v, "%.*s", STR_ARG(record_show(s, v)));
	record_note(s, WHOLE, VAL_NONE, "%d%%", 100);
}

static void hide_all(struct record_scan *s, struct val root, void *fact)
{
	(void)fact;
	for (struct val v = root; v.at < val_end(root); v.at++)
		record_note_secret(s, EVERY, v, "%s", "hidden");
}

/* In the words of the header: a line that is gone, bytes of a line, the whole file. */
static void finish(struct record_fold *f)
{
	const struct record_place gone = { .line = 7, .offset = 70 };
	const struct record_place line = { STR("{\"\xc3\xa5\":1}"), 8, 80 };
	const struct record_place many = { STR("{\n\n\"a\":\n1}"), 9, 90 };

	record_fold_note(f, LATE, &gone, 5, 1, STR("/a"), "%s", "a column");
	record_fold_note(f, LATE, &gone, 0, 0, STR(""), "no column");
	record_fold_note(f, LATE, &line, 6, 1, STR("/\xc3\xa5"), "bytes");
	record_fold_note(f, LATE, &line, 900, 5, STR(""), "beyond");
	record_fold_note(f, LATE, &many, 8, 1, STR("/a"), "in a document");
	record_fold_note(f, LATE, NULL, 0, 0, STR(""), "the file");
}

#define FORMAT(...) \
	{ .on_utf8 = BAD, .on_syntax = BAD, .on_duplicate = BAD, .on_not_object = RECORD_NO_RULE, \
	  .on_blank = RECORD_NO_RULE, .on_torn = RECORD_NO_RULE, .on_empty = RECORD_NO_RULE, \
	  .on_secret = RECORD_NO_RULE, __VA_ARGS__ }

static const struct record_format every_format = FORMAT(.check = note_all);
static const struct record_format hidden_format = FORMAT(.check = hide_all);
static const struct record_format late_format = FORMAT(.finish = finish);
static const struct dialect every = { .name = "every", .rules = rules, .ops = &record_ops, .record = &every_format };
static const struct dialect hidden = { .name = "hidden", .rules = rules, .ops = &record_ops, .record = &hidden_format };
static const struct dialect late = { .name = "late", .rules = rules, .ops = &record_ops, .record = &late_format };

/* "1:7+3 /a/b message", a line for each finding in the order they came. */
static struct str listed(struct check_feed *f, const char *code)
{
	struct str out = STR("");

	for (size_t i = 0; i < f->findings.kept_count; i++) {
		const struct finding *k = &f->findings.kept[i];

		if (strcmp(k->code, code) == 0)
			out = arena_printf(&f->arena, "%.*s%s%llu:%llu@%llu+%zu %.*s %.*s", STR_ARG(out),
					   out.n ? "\n" : "", (unsigned long long)k->at.line,
					   (unsigned long long)k->at.column, (unsigned long long)k->at.offset,
					   k->mark_length, STR_ARG(k->pointer), STR_ARG(k->message));
	}
	return out;
}

TEST(a_finding_marks_the_value_it_is_about)
{
	static const struct {
		const char *text;
		size_t lines;
		const char *expected;
	} cases[] = {
		/* names and scalars whole, of containers the bracket */
		{ "{\"a\":[1,\"bc\",{}],\"d/~\":null}", 0,
		  "1:1@0+1  an object\n1:2@1+3 /a \"a\"\n"
		  "1:6@5+1 /a an array\n1:7@6+1 /a/0 1\n"
		  "1:9@8+4 /a/1 \"bc\"\n1:14@13+1 /a/2 an object\n1:18@17+5 /d~1~0 \"d/~\"\n1:24@23+4 /d~1~0 null" },
		{ "\n{\"\":true}\r\n", 1, "2:1@1+1  an object\n2:2@2+2 / \"\"\n2:5@5+4 / true" },
		{ "\t-1.5 \n", 0, "1:2@1+4  -1.5" },
		{ "\n\n[\n \"\xc3\xa5\", \"\\u0061\"]", CHECK_DOCUMENT,
		  "3:1@2+1  an array\n4:2@5+4 /0 \"\xc3\xa5\"\n4:7@11+8 /1 \"\\u0061\"" },
		{ "{\n\"\\u0061b\":\n2\n}", CHECK_DOCUMENT,
		  "1:1@0+1  an object\n2:1@2+9 /ab \"\\u0061b\"\n3:1@13+1 /ab 2" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct check_feed f;

		test_case("%s", cases[i].text);
		check_feed(&f, &every, str_from(cases[i].text), cases[i].lines);
		CHECK_STR(listed(&f, "N_EVERY"), str_from(cases[i].expected));
		CHECK_INT(check_feed_count(&f, "N_WHOLE"), 1);
		arena_free(&f.arena);
	}
}

TEST(a_finding_about_a_secret_has_a_place_and_shows_nothing)
{
	struct check_feed f;

	check_feed(&f, &hidden, STR("\n[\"a\",{\"b\":1}]"), 0);
	CHECK_STR(listed(&f, "N_EVERY"), STR("2:1@1+0  hidden\n2:2@2+0 /0 hidden\n2:6@6+0 /1 hidden\n"
					     "2:7@7+0 /1/b hidden\n"
					     "2:11@11+0 /1/b hidden"));
	for (size_t i = 0; i < f.findings.kept_count; i++)
		CHECK_INT(f.findings.kept[i].excerpt.n + f.findings.kept[i].mark, 0);
	arena_free(&f.arena);
}

TEST(a_finding_about_no_value_is_about_the_record)
{
	struct check_feed f;

	check_feed(&f, &every, STR("\n  {}\n"), 0);
	CHECK_STR(listed(&f, "N_WHOLE"), STR("2:1@1+1  100%"));
	arena_free(&f.arena);
}

TEST(a_mode_changes_how_a_finding_counts)
{
	for (int mode = MODE_DEFAULT; mode <= MODE_PERMISSIVE; mode++) {
		struct check_options options = { .mode = (enum check_mode)mode };
		struct check_feed f;

		check_feed_with(&f, &every, &options, STR("[1]"), 0);
		CHECK_INT(f.findings.errors, mode == MODE_STRICT ? 3 : 1);
		CHECK_INT(f.findings.warnings, mode == MODE_DEFAULT ? 2 : 0);
		CHECK_INT(f.findings.infos, mode == MODE_PERMISSIVE ? 2 : 0);
		arena_free(&f.arena);
	}
}

TEST(a_fold_points_at_bytes_at_columns_and_at_the_file)
{
	struct check_feed f;

	check_feed(&f, &late, STR("{}\n"), 0);
	CHECK_STR(listed(&f, "N_LATE"), STR("7:5@70+0 /a a column\n7:0@70+0  no column\n8:6@86+1 /\xc3\xa5 bytes\n"
					    "8:8@88+0  beyond\n12:1@98+1 /a in a document\n0:0@0+0  the file"));
	CHECK_STR(f.findings.kept[2].excerpt, STR("{\"\xc3\xa5\":1}"));
	CHECK_STR(f.findings.kept[4].excerpt, STR("1}"));
	CHECK_INT(f.findings.kept[0].excerpt.n + f.findings.kept[1].excerpt.n + f.findings.kept[5].excerpt.n, 0);
	arena_free(&f.arena);
}

#define NINE "\xc3\xa5\xc3\xa5\xc3\xa5\xc3\xa5\xc3\xa5\xc3\xa5\xc3\xa5\xc3\xa5\xc3\xa5"
#define TEN NINE "\xc3\xa5"

TEST(a_value_is_shown_from_its_beginning_in_whole_characters)
{
	/* lengths of the string in the value, quotes not counted, and what is shown of it */
	for (size_t n = 50; n < 70; n++) {
		char text[300] = "[\"", *end = text + 2;
		struct check_feed f;
		struct str shown;

		test_case("%zu characters", n);
		for (size_t i = 0; i < n; i++, end += 2)
			memcpy(end, "\xc3\xa5", 2);
		memcpy(end, "\"]", 3);
		check_feed(&f, &every, str_from(text), 0);
		shown = f.findings.kept[1].message;
		CHECK_STR(shown, STR("\"" TEN TEN NINE "..."));
		arena_free(&f.arena);
	}
}

TEST(findings_that_are_not_kept_are_counted_all_the_same)
{
	struct check_options options = { .mode = MODE_DEFAULT, .finding_limit = 3 };
	struct check_feed f;

	check_feed_with(&f, &every, &options, STR("[1,2,3,4,5,6,7,8,9]\n[1,2,3]\n"), 1);
	CHECK_INT(f.findings.kept_count, 3);
	CHECK_INT(check_feed_count(&f, "N_EVERY"), 14);
	CHECK_INT(check_feed_count(&f, "N_WHOLE"), 2);
	CHECK_INT(f.findings.errors, 2);
	CHECK_INT(f.findings.warnings, 14);
	arena_free(&f.arena);
}

TEST(a_fault_of_json_is_told_in_the_words_of_the_parser)
{
	static const struct {
		const char *text;
		size_t lines;
		const char *expected; /* as far as the words */
	} cases[] = {
		{ "{}\n{\"a\":[1,}\n", 1, "2:9@11+1 /a/1 " },
		{ "{\n \"a\":[1,\n }", CHECK_DOCUMENT, "3:2@12+1 /a/1 " },
		{ "{\n \"a\":1,\n \"a\":2}", CHECK_DOCUMENT, "3:2@11+3 /a " },
		{ "{\"\xc3\xa5\":\"\xc3(\"}", 0, "1:7@7+1 /\xc3\xa5 " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct check_feed f;

		test_case("%s", cases[i].text);
		check_feed(&f, &every, str_from(cases[i].text), cases[i].lines);
		CHECK_INT(check_feed_count(&f, "N_BAD"), 1);
		CHECK_STR(str_of(listed(&f, "N_BAD").p, strlen(cases[i].expected)), str_from(cases[i].expected));
		CHECK(listed(&f, "N_BAD").n > strlen(cases[i].expected));
		arena_free(&f.arena);
	}
}

TEST(white_space_is_what_unicode_calls_it)
{
	CHECK(record_is_blank(STR("")));
	CHECK(!record_is_blank(STR("\xe2\x80")));  /* a piece of one */
	CHECK(!record_is_blank(STR(" \xe3\x80")));
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		bool space = (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
			     (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
			     c == 0x205f || c == 0x3000;
		char text[8] = "  ";
		size_t n = 1 + utf8_encode(text + 1, c);

		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		text[n] = '\t';
		if (record_is_blank(str_of(text, n + 1)) != space)
			FAIL("U+%04X", (unsigned)c);
	}
}
