#include "cmd/report/validate_text.h"

#include "harness/test.h"

#define MS UINT64_C(1000000)

static const struct dialect format = { .name = "diary", .unit = "event" };

TEST(one_file_is_told_in_a_sentence)
{
	static const struct {
		struct findings findings;
		struct check_tally tally;
		bool is_valid, is_known;
		uint64_t spent;
		const char *alone, *one;
	} cases[] = {
		{ { .errors = 0 }, { .records = 1 }, true, true, 0, "a\\x1b: valid diary, 1 event\n", NULL },
		{ { .infos = 1 }, { .records = 8, .interrupted = true }, true, true, 0,
		  "a\\x1b: valid diary, 8 events, 1 note; interrupted: the end of the run is missing\n", NULL },
		{ { .errors = 1, .warnings = 2 }, { .records = 9 }, false, true, 3 * MS,
		  "1 error, 2 warnings in 9 events (3 ms)\n", "a\\x1b: 1 error, 2 warnings in 9 events\n" },
		{ { .errors = 1 }, { .records = 0 }, false, false, 1234 * MS, "1 error (1.23 s)\n", "a\\x1b: 1 error\n" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct validate_input part = {
			.name = STR("a\033"),
			.dialect = cases[i].is_known ? &format : NULL,
			.tally = cases[i].tally,
			.findings = &cases[i].findings,
		};

		buf_clear(&b);
		validate_text_add_alone(&b, &part, cases[i].is_valid, cases[i].spent);
		CHECK_STR(buf_str(&b), str_from(cases[i].alone));
		buf_clear(&b);
		if (cases[i].one) {
			validate_text_add_one(&b, &part);
			CHECK_STR(buf_str(&b), str_from(cases[i].one));
		}
	}
	buf_free(&b);
}

TEST(entries_are_spelled_as_they_should_be)
{
	static const struct dialect entries = { .name = "list", .unit = "entry" };
	struct findings none = { .errors = 0 };
	struct validate_input part = { .name = STR("a"), .dialect = &entries, .findings = &none };
	struct buf b;

	buf_init(&b);
	for (part.tally.records = 0; part.tally.records < 3; part.tally.records++)
		validate_text_add_alone(&b, &part, true, 0);
	CHECK_STR(buf_str(&b), STR("a: valid list, 0 entries\na: valid list, 1 entry\na: valid list, 2 entries\n"));
	buf_free(&b);
}

TEST(all_files_are_told_in_a_sentence)
{
	static const struct {
		struct validate_counts counts;
		const char *want;
	} cases[] = {
		{ { .files = 12, .valid = 10, .invalid = 2, .errors = 3, .warnings = 1 },
		  "12 files: 10 valid, 2 invalid; 3 errors, 1 warning (41 ms)\n" },
		{ { .files = 2, .valid = 2 }, "2 files: 2 valid (41 ms)\n" },
		{ { .files = 2, .unread = 2 }, "2 files: 2 unreadable (41 ms)\n" },
		{ { .files = 3, .valid = 2, .interrupted = 1, .unread = 1, .skipped = 1 },
		  "3 files: 2 valid (1 interrupted), 1 unreadable (41 ms)\n1 file of another kind skipped\n" },
		{ { .files = 2, .valid = 2, .skipped = 3 }, "2 files: 2 valid (41 ms)\n3 files of other kinds skipped\n" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&b);
		validate_text_add_all(&b, &cases[i].counts, 41 * MS);
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
	}
	buf_clear(&b);
	validate_text_add_skipped(&b, &cases[0].counts);
	CHECK_INT(b.n, 0);
	buf_free(&b);
}
