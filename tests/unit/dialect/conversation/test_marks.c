#include "dialect/conversation/marks.h"
#include "harness/test.h"

TEST(a_failure_is_told_by_words_or_an_exit_code)
{
	static const struct {
		const char *json;
		bool failed;
	} cases[] = {
		{ "\"fine\"", false },
		{ "\"\"", false },
		{ "\"Error: no\"", true },
		{ "\"Errors\"", false },
		{ "[{\"text\":\"sh: x: command not found\"}]", true },
		{ "\"Traceback (most recent call last)\"", true },
		{ "\"[exit code: 1]\"", true },
		{ "\"[exit code: -9]\"", true },
		{ "\"[exit code: 0]\"", false },
		{ "\"[exit code: 0] [exit code: 10]\"", true },
		{ "\"[exit code: \"", false },
		{ "\"[exit code: 1\"", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].json);
		CHECK_INT(conversation_marks_failure(str_from(cases[i].json)), cases[i].failed);
	}
}
