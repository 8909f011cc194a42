#include "dialect/reading/tool_name.h"

#include "harness/test.h"

TEST(a_tool_of_a_server_has_a_name_in_traces_and_a_full_one)
{
	static const struct {
		const char *tool, *server, *trace, *full;
		bool mcp;
	} cases[] = {
		{ "Read", NULL, "Read", "Read", false },
		{ "ask", "wiki", "wiki.ask", "mcp__wiki__ask", true },
		{ "mcp__wiki__ask", NULL, "wiki.ask", "mcp__wiki__ask", true },
		{ "mcp://wiki/ask", NULL, "wiki.ask", "mcp__wiki__ask", true },
		{ "mcp__github__search", NULL, "github.search", "mcp__github__search", true },
		{ "mcp__", NULL, "mcp__", "mcp__", false },
		{ "tool://x/a%20b", NULL, "a b", "a b", false },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e = { .kind = EVENT_CALL, .tool = str_from(cases[i].tool) };
		bool mcp;

		if (cases[i].server)
			e.server = str_from(cases[i].server);
		test_case("%s", cases[i].tool);
		CHECK_STR(tool_name_trace(&a, &e, &mcp), str_from(cases[i].trace));
		CHECK_INT(mcp, cases[i].mcp);
		CHECK_STR(tool_name_full(&a, &e), str_from(cases[i].full));
	}
	arena_free(&a);
}
