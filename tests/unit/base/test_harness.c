/* The harness finds the tests that its words name: this program, asked for a list. */
#include "harness/test.h"

#include <stdio.h>
#include <unistd.h>

static int count_listed(const char *words)
{
	char command[200];
	int lines = 0;
	FILE *f;

	/* by its number, for the shell in between is another program */
	snprintf(command, sizeof(command), "/proc/%ld/exe -l %s", (long)getpid(), words);
	f = popen(command, "r");
	CHECK(f);
	for (int c = getc(f); c != EOF; c = getc(f))
		lines += c == '\n';
	CHECK(pclose(f) == 0);
	return lines;
}

TEST(a_file_of_tests_is_named_with_as_much_of_its_path_as_one_likes)
{
	static const char *const names[] = {
		"test_harness", "test_harness.c", "base/test_harness", "unit/base/test_harness.c",
		"tests/unit/base/test_harness.c", "tests/unit/base/test_harness",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		test_case("%s", names[i]);
		CHECK_INT(count_listed(names[i]), 3);
	}
	CHECK_INT(count_listed("test_harnes"), 0);
	CHECK_INT(count_listed("e/test_harness"), 0);
	CHECK_INT(count_listed("x/tests/unit/base/test_harness"), 0);
}

TEST(words_that_are_no_file_are_looked_for_in_the_names)
{
	CHECK_INT(count_listed("words_that_are_no_file as_much_of_its_path"), 2);
	CHECK_INT(count_listed("there_is_no_such_test"), 0);
	CHECK_INT(count_listed("test_harness words_that_are_no_file"), 1);
	CHECK_INT(count_listed("test_str words_that_are_no_file"), 0);
}

TEST(without_words_every_test_of_the_room_is_listed)
{
	CHECK(count_listed("") > count_listed("test_harness test_str"));
	CHECK(count_listed("test_harness test_str") > 3);
}
