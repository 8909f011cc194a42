#include "unit/lib/report_text.h"

#include "base/build.h"

TEST(the_version_is_that_of_the_build)
{
	CHECK_STR(str_from(tw_version()), STR(BUILD_VERSION));
}

TEST(formats_are_listed_and_found_by_their_names)
{
	static const char *const known[] = {
		"agent-trace", "otutl", "trial", "review", "trajectory", "conversation", "results", "summary", "json", "jsonl",
	};
	size_t count = 0;

	for (; tw_format_at(count); count++) {
		const struct tw_format *f = tw_format_at(count);

		test_case("%s", tw_format_name(f));
		CHECK(tw_format_find(tw_format_name(f)) == f);
		CHECK(tw_format_title(f) && *tw_format_title(f));
		CHECK(tw_format_rule(f, 0) || str_starts(str_from(tw_format_name(f)), STR("json")));
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		CHECK(tw_format_find(known[i]) != NULL);
	CHECK(tw_format_find("nonsense") == NULL);
	CHECK(tw_format_find(NULL) == NULL);
	CHECK(tw_format_at(SIZE_MAX) == NULL);
}

TEST(every_rule_of_every_format_is_found_and_explained)
{
	for (size_t i = 0; tw_format_at(i); i++)
		for (size_t j = 0; tw_format_rule(tw_format_at(i), j); j++) {
			const struct tw_rule *r = tw_format_rule(tw_format_at(i), j);

			test_case("%s", tw_rule_code(r));
			CHECK(tw_rule_find(tw_rule_code(r)) != NULL);
			CHECK(tw_rule_sentence(r) && *tw_rule_sentence(r));
			CHECK(tw_rule_help(r) && tw_rule_section(r));
			CHECK(!strstr(tw_rule_help(r), "--")); /* options are the command line's */
		}
	CHECK(tw_rule_find("V001") != NULL);
	CHECK(tw_rule_find("AT") == NULL);
	CHECK(tw_rule_find("") == NULL);
	CHECK(tw_rule_find(NULL) == NULL);
}

TEST(a_rule_tells_its_severity_in_each_mode)
{
	const struct tw_format *f = tw_format_find("agent-trace");
	size_t stricter = 0;

	for (size_t i = 0; tw_format_rule(f, i); i++) {
		const struct tw_rule *r = tw_format_rule(f, i);

		stricter += tw_rule_severity(r, TW_STRICT) > tw_rule_severity(r, TW_DEFAULT);
		CHECK(tw_rule_severity(r, TW_PERMISSIVE) <= TW_ERROR);
		(void)tw_rule_why(r);
		(void)tw_rule_example(r);
	}
	CHECK(stricter > 0);
}

TEST(formats_with_tables_have_a_schema)
{
	char *text = tw_format_schema(tw_format_find("agent-trace"), TW_DEFAULT);

	CHECK(text && strstr(text, "\"$schema\""));
	tw_text_free(text);
	CHECK(tw_format_schema(tw_format_find("json"), TW_DEFAULT) == NULL);
}
