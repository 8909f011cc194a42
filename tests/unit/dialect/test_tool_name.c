#include "dialect/tool_name.h"

#include "harness/test.h"

TEST(a_tool_of_a_server_has_a_bare_name_and_a_full_one)
{
	static const struct {
		const char *tool, *server, *bare, *full;
		bool mcp;
	} cases[] = {
		{ "Read", NULL, "Read", "Read", false },
		{ "ask", "wiki", "ask", "mcp__wiki__ask", true },
		{ "mcp__wiki__ask", NULL, "ask", "mcp__wiki__ask", true },
		{ "mcp://wiki/ask", NULL, "ask", "mcp__wiki__ask", true },
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
		CHECK_STR(tool_name_bare(&a, &e, &mcp), str_from(cases[i].bare));
		CHECK_INT(mcp, cases[i].mcp);
		CHECK_STR(tool_name_full(&a, &e), str_from(cases[i].full));
	}
	arena_free(&a);
}
