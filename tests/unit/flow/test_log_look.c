/* The format of a file by its beginning. */
#include "flow/log_look.h"

#include "dialect/formats.h"
#include "harness/test.h"

TEST(the_beginning_of_a_file_tells_its_format)
{
	static const struct {
		const char *path;
		const struct dialect *want;
	} cases[] = {
		{ "tests/data/show/full.jsonl", &agent_trace_dialect },
		{ "tests/data/claude-code/main.jsonl", &claude_code_dialect },
		{ "tests/data/conversation/anthropic.jsonl", &conversation_dialect },
		{ "tests/data/atif/subagents.json", &atif_dialect },
		{ "tests/data/show/empty.jsonl", NULL },
		{ "Makefile", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { .kind = ERR_NONE };
		const struct dialect *got;
		bool is_archive;

		test_case("%s", cases[i].path);
		CHECK(log_look(str_from(cases[i].path), NULL, &got, &is_archive, &err));
		CHECK(got == cases[i].want && !is_archive);
	}
}

TEST(a_file_that_is_not_there_is_an_error)
{
	struct err err = { .kind = ERR_NONE };
	const struct dialect *got;
	bool is_archive;

	CHECK(!log_look(STR("tests/no such file"), NULL, &got, &is_archive, &err));
	CHECK(err.kind == ERR_IO && !got);
}
