/* The table of agents: each is known by its program however it is started, and led as its row says. */
#include "capture/agents/agents.h"

#include "unit/capture/agents_plan.h"

TEST(every_row_can_be_found_and_says_something_to_its_user)
{
	size_t count;
	const struct agent *rows = agents_all(&count);

	CHECK(count > 20);
	for (size_t i = 0; i < count; i++) {
		test_case("%s", rows[i].name);
		CHECK(rows[i].programs[0] != NULL);
		CHECK(rows[i].by || rows[i].interception != INTERCEPT_NEVER || rows[i].help);
		for (const char *const *p = rows[i].programs; *p; p++) {
			const char *argv[] = { *p, NULL };
			size_t first;

			CHECK(agents_find(argv, &first) == &rows[i] || **p == '@');
		}
		CHECK(rows[i].interception != INTERCEPT_UNSET || rows[i].by);
	}
}

TEST(an_agent_is_known_however_it_is_started)
{
	static const struct { const char *line, *name; size_t first; } cases[] = {
		{ "claude", "Claude Code", 1 },
		{ "/usr/local/bin/claude -p x", "Claude Code", 1 },
		{ "claude.exe -p x", "Claude Code", 1 },
		{ "npx @anthropic-ai/claude-code -p x", "Claude Code", 2 },
		{ "npx -y @anthropic-ai/claude-code@2.1.0 -p x", "Claude Code", 3 },
		{ "npx -p @openai/codex codex exec x", "Codex", 4 },
		{ "npm exec -- codex exec x", "Codex", 4 },
		{ "pnpm dlx @openai/codex exec", "Codex", 3 },
		{ "bunx codex", "Codex", 2 },
		{ "uvx --from=aider-chat aider --yes", "aider", 3 },
		{ "uvx --from aider-chat aider --yes", "aider", 4 },
		{ "uv tool run llm x", "llm", 4 },
		{ "python3 -m llm x", "llm", 3 },
		{ "python3.11 /x/bin/aider x", "aider", 2 },
		{ "node /x/node_modules/@openai/codex/bin/codex.js exec", "Codex", 2 },
		{ "node --no-warnings /x/gemini-cli/bundle/gemini.js", "Gemini CLI", 3 },
		{ "node /x/@anthropic-ai/claude-code/cli.js", "Claude Code", 2 },
		{ "node /x/@continuedev/cli/dist/cn.js", "Continue", 2 },
		{ "node /x/@continuedev/cli/dist/index.js", "Continue", 2 },
		{ "env A=b C=d claude", "Claude Code", 4 },
		{ "nohup npx codex", "Codex", 3 },
		{ "./opencode run x", "opencode", 1 },
		{ "python3 bench.py codex", NULL, 0 },
		{ "python3 codex/agent.py", NULL, 0 },
		{ "sh -c codex", NULL, 0 },
		{ "node index.js claude", NULL, 0 },
		{ "npx", NULL, 0 },
		{ "env A=b", NULL, 0 },
		{ "codexx", NULL, 0 },
		{ "my-claude", NULL, 0 },
		{ "/", NULL, 0 },
	};
	struct planned p;

	plan_begin(&p);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].line);
		CHECK(plan_make(&p, cases[i].line));
		CHECK((p.plan.agent != NULL) == (cases[i].name != NULL));
		if (cases[i].name) {
			CHECK_STR(str_from(p.plan.agent->name), str_from(cases[i].name));
			CHECK_INT(p.plan.first, cases[i].first);
		}
	}
	plan_end(&p);
}

TEST(an_empty_word_is_no_agent)
{
	const char *argv[] = { "", NULL };
	size_t first;

	CHECK(agents_find(argv, &first) == NULL);
}

TEST(an_agent_with_a_variable_that_is_not_set_is_intercepted)
{
	struct planned p;

	plan_begin(&p);
	CHECK(plan_make(&p, "kimi"));
	CHECK(!p.plan.intercept);
	CHECK_STR(p.plan.told, STR("Kimi CLI is led by KIMI_BASE_URL"));
	CHECK(plan_make(&p, "copilot"));
	CHECK(p.plan.intercept);
	CHECK_STR(p.plan.told, STR("GitHub Copilot CLI is recorded by interception of its connections"));
	p.wish = AGENT_WISH_ADDRESSES;
	CHECK(plan_make(&p, "copilot"));
	CHECK(!p.plan.intercept && !p.plan.told.p);
	p.wish = AGENT_WISH_NONE;
	p.env[1] = "COPILOT_PROVIDER_BASE_URL=";
	CHECK(plan_make(&p, "copilot"));
	CHECK(p.plan.intercept);
	p.env[1] = "COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:8000/v1";
	CHECK(plan_make(&p, "copilot"));
	CHECK(!p.plan.intercept);
	CHECK_STR(p.plan.told, STR("GitHub Copilot CLI is led by COPILOT_PROVIDER_BASE_URL"));
	plan_end(&p);
}
