#include "lib/settings.h"

#include "harness/test.h"

static bool read_options(struct settings *s, const struct tw_validate_options *o)
{
	struct err err = { .kind = ERR_NONE };
	bool done = settings_read(s, o, &err);

	CHECK(done == (err.kind == ERR_NONE));
	return done;
}

static void check_defaults(const struct settings *s)
{
	CHECK(s->as == NULL);
	CHECK_INT(s->check.mode, MODE_DEFAULT);
	CHECK_INT(s->check.finding_limit, SETTINGS_FINDINGS);
	CHECK(!s->check.secrets);
	CHECK_INT(s->source.record_limit, SOURCE_RECORD_LIMIT);
	CHECK_INT(s->source.shape, SOURCE_CONTENT);
	CHECK_INT(s->jobs, 1);
}

TEST(no_options_and_zeroed_ones_are_the_defaults)
{
	struct tw_validate_options zero = { .size = sizeof(zero) };
	struct settings s;

	CHECK(read_options(&s, NULL));
	check_defaults(&s);
	CHECK(read_options(&s, &zero));
	check_defaults(&s);
}

TEST(options_are_taken_over)
{
	struct tw_validate_options o = { sizeof(o), "summary", TW_PERMISSIVE, TW_EVERY_FINDING, 100, 3, -1 };
	struct settings s;

	CHECK(read_options(&s, &o));
	CHECK_STR(str_from(s.as->name), STR("summary"));
	CHECK_INT(s.check.mode, MODE_PERMISSIVE);
	CHECK_INT(s.check.finding_limit, 0);
	CHECK_INT(s.source.record_limit, 100);
	CHECK_INT(s.source.shape, SOURCE_DOCUMENT);
	CHECK_INT(s.jobs, 3);
	CHECK(s.check.secrets);
	o = (struct tw_validate_options){ sizeof(o), "jsonl", TW_STRICT, 7, 0, 0, 0 };
	CHECK(read_options(&s, &o));
	CHECK_INT(s.check.mode, MODE_STRICT);
	CHECK_INT(s.check.finding_limit, 7);
	CHECK_INT(s.source.shape, SOURCE_LINES);
}

TEST(options_that_make_no_sense_are_refused)
{
	static const struct tw_validate_options cases[] = {
		{ 0, NULL, TW_DEFAULT, 0, 0, 0, 0 },
		{ 1, NULL, TW_DEFAULT, 0, 0, 0, 0 },
		{ SIZE_MAX, NULL, TW_DEFAULT, 0, 0, 0, 0 },
		{ sizeof(cases[0]), "", TW_DEFAULT, 0, 0, 0, 0 },
		{ sizeof(cases[0]), "Agent-Trace", TW_DEFAULT, 0, 0, 0, 0 },
		{ sizeof(cases[0]), NULL, (enum tw_mode)3, 0, 0, 0, 0 },
		{ sizeof(cases[0]), NULL, (enum tw_mode)-1, 0, 0, 0, 0 },
		{ sizeof(cases[0]), NULL, TW_DEFAULT, 0, SOURCE_RECORD_MAX + 1, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings s;

		test_case("%zu", i);
		CHECK(!read_options(&s, &cases[i]));
		check_defaults(&s);
	}
}

TEST(options_of_an_older_program_end_earlier)
{
	struct tw_validate_options o = { sizeof(o), "nonsense", (enum tw_mode)9, 9, SIZE_MAX, 9, 9 };
	struct settings s;

	o.size = sizeof(o.size); /* what stands behind is not the caller's */
	CHECK(read_options(&s, &o));
	check_defaults(&s);
}

TEST(options_of_a_newer_program_may_have_more_if_it_is_not_used)
{
	struct {
		struct tw_validate_options known;
		uint64_t more;
	} newer = { { .size = sizeof(newer), .format = "json" }, 0 };
	struct settings s;

	CHECK(read_options(&s, &newer.known));
	CHECK_STR(str_from(s.as->name), STR("json"));
	newer.more = 1;
	CHECK(!read_options(&s, &newer.known));
}
