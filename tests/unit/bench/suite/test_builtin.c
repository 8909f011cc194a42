#include "bench/suite/builtin.h"

#include <stdio.h>

#include "bench/suite/suite.h"
#include "harness/test.h"

TEST(the_shipped_suites_are_named_in_order)
{
	CHECK_STR(str_from(suite_builtin_name(0)), STR("sanity"));
	CHECK_STR(str_from(suite_builtin_name(1)), STR("instructions"));
	CHECK_STR(str_from(suite_builtin_name(2)), STR("tools"));
	CHECK(suite_builtin_name(3) == NULL);
}

TEST(a_shipped_suite_is_the_file_it_was_made_from)
{
	struct err err = { .kind = ERR_NONE };

	for (size_t i = 0; suite_builtin_name(i); i++) {
		char path[100], name[100];
		struct str text;

		snprintf(path, sizeof(path), "src/bench/suites/%s.json", suite_builtin_name(i));
		snprintf(name, sizeof(name), "builtin:%s", suite_builtin_name(i));
		CHECK(suite_is_builtin(str_from(name)) && !suite_is_builtin(str_from(path)));
		CHECK(suite_builtin_text(str_from(name), &text, &err));
		CHECK_STR(text, test_read(path));
	}
}

TEST(another_name_is_told_which_there_are)
{
	static const char *const names[] = { "builtin:santiy", "builtin:", "builtin:Sanity", "builtin:tools.json" };
	struct err err = { .kind = ERR_NONE };
	struct str text;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CHECK(!suite_builtin_text(str_from(names[i]), &text, &err));
		CHECK_INT(err.kind, ERR_USAGE);
		CHECK(str_ends(str_from(err.text),
			       STR("= help: there are builtin:sanity, builtin:instructions and builtin:tools")));
	}
}

TEST(a_suite_is_loaded_by_that_name_beside_files)
{
	static const struct suite_options options = { .finding_limit = 0 };
	struct str paths[] = { STR("builtin:tools"), STR("src/bench/suites/sanity.json") };
	struct err err = { .kind = ERR_NONE };
	struct suite s;
	struct arena a;

	arena_init(&a);
	CHECK(suite_load(&s, &a, paths, 2, &options, &err));
	CHECK_INT(s.file_count, 2);
	CHECK_STR(s.files[0].name, STR("builtin:tools"));
	CHECK_STR(s.prompts[0].id, STR("T01"));
	CHECK_STR(s.prompts[s.count - 1].id, STR("S36"));
	CHECK(!suite_load(&s, &a, (struct str[]){ STR("builtin:x") }, 1, &options, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	arena_free(&a);
}
