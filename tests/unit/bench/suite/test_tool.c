#include "bench/suite/tool.h"

#include "base/clock.h"
#include "unit/bench/tools_in_path.h"

static bool ask(const char *name, struct str *said)
{
	const char *argv[] = { name, "--version", NULL };
	struct arena *a = test_alloc(sizeof(*a));

	arena_init(a);
	return tool_ask(a, argv, said);
}

TEST(a_tool_answers_or_the_reason_is_told_in_our_words)
{
	static const struct tool_script tools[] = {
		{ "good", "echo version $1" },
		{ "bad", "echo /nowhere/somebody/.secret >&2; exit 3" },
		{ "down", "echo 'Error: could not connect to ollama app, is it running?' >&2; exit 1" },
		{ "shot", "kill -9 $$" },
		{ "flood", "while :; do echo 0123456789012345678901234567890123456789012345678901234567890123; done" },
	};
	static const struct {
		const char *name;
		bool ok;
		const char *said;
	} cases[] = {
		{ "good", true, "version --version\n" },
		{ "bad", false, "bad: exit status 3" },
		{ "down", false, "down: its server does not answer" },
		{ "shot", false, "shot: ended by signal 9" },
		{ "flood", false, "flood: its answer is too long" },
		{ "none", false, "none: not found" },
		{ "/nowhere/of/somebody/none", false, "none: not found" },
		{ "/", false, "/: cannot be run" },
	};
	struct str said;

	tools_only(tools, 5);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].name);
		CHECK_INT(ask(cases[i].name, &said), cases[i].ok);
		CHECK_STR(said, str_from(cases[i].said));
	}
	tools_remove(tools, 5);
}

TEST(a_tool_that_hangs_is_given_up)
{
	static const struct tool_script tools[] = { { "hang", "trap '' TERM; echo begun; /bin/sleep 100; /bin/sleep 100" } };
	uint64_t begun = clock_mono_ns(), ms;
	struct str said;

	tools_only(tools, 1);
	CHECK(!ask("hang", &said));
	CHECK_STR(said, STR("hang: no answer within 3 s"));
	ms = (clock_mono_ns() - begun) / 1000000;
	CHECK(ms >= TOOL_MS && ms < 50000); /* it would sleep for 200 s */
	tools_remove(tools, 1);
}
