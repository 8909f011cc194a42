/* Claude Code with a gateway in its settings: --settings leads it, and the gateway stays the upstream. */
#include "unit/capture/agents_plan.h"

#define GATEWAY "{\"env\":{\"ANTHROPIC_BASE_URL\":\"https://gw.example/a\"}}"
#define OURS "{\"env\":{\"ANTHROPIC_BASE_URL\":\"B/anthropic\"}}"
#define PUBLIC "https://api.anthropic.com/v1"

struct scene {
	const char *path, *text; /* of a settings file */
	const char *line, *words, *upstream;
};

static void check_scene(const struct scene *s)
{
	struct planned p;

	plan_begin(&p);
	test_case("%s: %s", s->path, s->line);
	plan_write(&p, s->path, str_from(s->text));
	CHECK(plan_make(&p, s->line));
	CHECK_STR(plan_words(&p), str_from(s->words));
	CHECK_STR(plan_upstream(&p, "anthropic"), str_from(s->upstream));
	CHECK(p.plan.told.p != NULL);
	plan_end(&p);
}

TEST(a_gateway_in_settings_is_led_and_stays_the_upstream)
{
	static const struct scene scenes[] = {
		{ "x", "", "claude -p hi", "claude -p hi", PUBLIC },
		{ "home/.claude/settings.json", GATEWAY, "claude -p hi", "claude --settings " OURS " -p hi",
		  "https://gw.example/a/v1" },
		{ ".claude/settings.json", GATEWAY, "npx -y claude-code -p hi",
		  "npx -y claude-code --settings " OURS " -p hi", "https://gw.example/a/v1" },
		{ ".claude/settings.local.json", GATEWAY, "claude", "claude --settings " OURS, "https://gw.example/a/v1" },
		{ "home/.claude/settings.json", GATEWAY, "claude --setting-sources project,local -p hi",
		  "claude --setting-sources project,local -p hi", PUBLIC },
		{ "home/.claude/settings.json", GATEWAY, "claude --setting-sources=user -p hi",
		  "claude --settings " OURS " --setting-sources=user -p hi", "https://gw.example/a/v1" },
		{ "home/.claude/settings.json", GATEWAY, "claude --restricted -p hi", "claude --restricted -p hi", PUBLIC },
		{ "home/.claude/settings.json", "{\"env\":{\"OTHER\":\"1\"}}", "claude -p hi", "claude -p hi", PUBLIC },
		{ "home/.claude/settings.json", "{\"env\":{\"ANTHROPIC_BASE_URL\":\"\"}}", "claude -p hi", "claude -p hi",
		  PUBLIC },
	};

	for (size_t i = 0; i < COUNT(scenes); i++)
		check_scene(&scenes[i]);
}

TEST(a_users_own_settings_are_kept_beside_ours)
{
	static const struct scene scenes[] = {
		{ "home/.claude/settings.json", GATEWAY, "claude --settings {\"model\":\"m\",\"env\":{\"A\":\"1\"}} -p hi",
		  "claude --settings {\"model\":\"m\",\"env\":{\"A\":\"1\",\"ANTHROPIC_BASE_URL\":\"B/anthropic\"}} -p hi",
		  "https://gw.example/a/v1" },
		{ "home/.claude/settings.json", GATEWAY,
		  "claude -p --settings={\"env\":{\"ANTHROPIC_BASE_URL\":\"http://own.example\"}} hi",
		  "claude -p --settings " OURS " hi", "http://own.example/v1" },
		{ "x", "", "claude --settings {\"env\":{\"ANTHROPIC_BASE_URL\":\"http://own.example\"}}",
		  "claude --settings " OURS, "http://own.example/v1" },
		{ "x", "", "claude --settings {\"model\":\"m\"}", "claude --settings {\"model\":\"m\"}", PUBLIC },
		{ "home/.claude/settings.json", GATEWAY, "claude -- --settings {}", "claude --settings " OURS " -- --settings {}",
		  "https://gw.example/a/v1" },
		{ "home/.claude/settings.json", GATEWAY, "claude --settings absent.json -p hi",
		  "claude --settings absent.json -p hi", "https://gw.example/a/v1" },
		{ "home/.claude/settings.json", GATEWAY, "claude --settings {broken -p hi", "claude --settings {broken -p hi",
		  "https://gw.example/a/v1" },
		{ "x", "", "claude --settings", "claude --settings", PUBLIC },
	};

	for (size_t i = 0; i < COUNT(scenes); i++)
		check_scene(&scenes[i]);
}

TEST(a_users_settings_file_is_handed_on_as_a_file)
{
	struct planned p;

	plan_begin(&p);
	plan_write(&p, "home/.claude/settings.json", STR(GATEWAY));
	plan_write(&p, "mine.json", STR("{\"apiKeyHelper\":\"secret\",\"env\":{\"A\":\"1\",\"A\":\"2\"},\"env\":{\"B\":\"\\u0001\"}}"));
	CHECK(plan_make(&p, "claude --settings mine.json -p hi"));
	CHECK_STR(plan_words(&p), STR("claude --settings FILE -p hi"));
	CHECK_STR(p.handed, STR("{\"apiKeyHelper\":\"secret\",\"env\":{\"B\":\"\\u0001\","
				"\"ANTHROPIC_BASE_URL\":\"B/anthropic\"}}"));
	plan_end(&p);
}

TEST(the_strongest_settings_name_the_upstream)
{
	static const char *const paths[] = {
		"home/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json",
	};
	struct planned p;

	plan_begin(&p);
	for (size_t i = 0; i < COUNT(paths); i++) {
		struct str url = arena_printf(&p.arena, "http://gw%zu.example", i);

		plan_write(&p, paths[i], ARENA_JOIN(&p.arena, STR("{\"env\":{\"ANTHROPIC_BASE_URL\":\""), url, STR("\"}}")));
		CHECK(plan_make(&p, "claude"));
		CHECK_STR(plan_upstream(&p, "anthropic"), ARENA_JOIN(&p.arena, url, STR("/v1")));
	}
	CHECK(routes_set(&p.routes, STR("anthropic"), STR("http://127.0.0.1:9"), "test", &p.err));
	CHECK(plan_make(&p, "claude"));
	CHECK_STR(plan_upstream(&p, "anthropic"), STR("http://127.0.0.1:9/v1"));
	CHECK_STR(plan_words(&p), STR("claude --settings " OURS));
	plan_end(&p);
}

TEST(the_directory_of_settings_can_be_another)
{
	struct planned p;

	plan_begin(&p);
	plan_write(&p, "home/.claude/settings.json", STR(GATEWAY));
	p.env[1] = "CLAUDE_CONFIG_DIR=elsewhere";
	CHECK(plan_make(&p, "claude"));
	CHECK_STR(plan_words(&p), STR("claude"));
	plan_write(&p, "elsewhere/settings.json", STR(GATEWAY));
	CHECK(plan_make(&p, "claude"));
	CHECK_STR(plan_words(&p), STR("claude --settings " OURS));
	plan_end(&p);
}

TEST(bedrock_and_vertex_gateways_are_led_too)
{
	struct planned p;

	plan_begin(&p);
	plan_write(&p, "home/.claude/settings.json",
		   STR("{\"env\":{\"CLAUDE_CODE_USE_BEDROCK\":\"1\",\"ANTHROPIC_BEDROCK_BASE_URL\":\"https://gw.example/b\"}}"));
	CHECK(plan_make(&p, "claude"));
	CHECK_STR(plan_words(&p), STR("claude --settings {\"env\":{\"ANTHROPIC_BEDROCK_BASE_URL\":\"B/bedrock\"}}"));
	CHECK_STR(plan_upstream(&p, "bedrock"), STR("https://gw.example/b"));
	plan_end(&p);
}

TEST(what_cannot_be_read_counts_as_absent)
{
	static const char deep[] = "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[";
	static const char *const texts[] = {
		"", "{", "[]", "null", "\"x\"", "{\"env\":[]}", "{\"env\":{\"ANTHROPIC_BASE_URL\":7}}", "\xff\xfe", deep,
		"{\"env\":{\"ANTHROPIC_BASE_URL\":\"http://x\"}} trailing",
	};
	struct planned p;
	struct buf huge;

	plan_begin(&p);
	for (size_t i = 0; i < COUNT(texts); i++) {
		test_case("%s", texts[i]);
		plan_write(&p, "home/.claude/settings.json", str_from(texts[i]));
		CHECK(plan_make(&p, "claude"));
		CHECK_STR(plan_words(&p), STR("claude"));
	}
	buf_init(&huge);
	buf_add_str(&huge, STR("{\"x\":\""));
	for (size_t i = 0; i < (1u << 20); i++)
		buf_add_byte(&huge, 'x');
	buf_add_str(&huge, STR("\",\"env\":{\"ANTHROPIC_BASE_URL\":\"http://x\"}}"));
	plan_write(&p, "home/.claude/settings.json", buf_str(&huge));
	buf_free(&huge);
	CHECK(plan_make(&p, "claude"));
	CHECK_STR(plan_words(&p), STR("claude"));
	plan_end(&p);
}

TEST(a_link_is_followed_and_a_pipe_or_directory_is_not_opened)
{
	struct planned p;

	plan_begin(&p);
	plan_write(&p, "real.json", STR(GATEWAY));
	CHECK(file_make_dirs(STR("home/.claude"), 0777, NULL, &p.err));
	CHECK(symlink("../../real.json", "home/.claude/settings.json") == 0);
	CHECK(plan_make(&p, "claude"));
	CHECK_STR(plan_words(&p), STR("claude --settings " OURS));
	CHECK(unlink("home/.claude/settings.json") == 0 && mkfifo("home/.claude/settings.json", 0600) == 0);
	CHECK(plan_make(&p, "claude"));
	CHECK_STR(plan_words(&p), STR("claude"));
	CHECK(unlink("home/.claude/settings.json") == 0 && mkdir("home/.claude/settings.json", 0700) == 0);
	CHECK(plan_make(&p, "claude"));
	CHECK_STR(plan_words(&p), STR("claude"));
	plan_end(&p);
}

TEST(a_gateway_that_is_no_address_is_an_error_that_names_its_file)
{
	struct planned p;

	plan_begin(&p);
	plan_write(&p, ".claude/settings.json", STR("{\"env\":{\"ANTHROPIC_BASE_URL\":\"ftp://x\"}}"));
	CHECK(!plan_make(&p, "claude"));
	CHECK_INT(p.err.kind, ERR_USAGE);
	CHECK(strstr(p.err.text, ".claude/settings.json") != NULL);
	plan_end(&p);
}

TEST(with_interception_a_gateway_with_tls_needs_no_settings)
{
	struct planned p;

	plan_begin(&p);
	p.wish = AGENT_WISH_INTERCEPTION;
	plan_write(&p, "home/.claude/settings.json", STR(GATEWAY));
	CHECK(plan_make(&p, "claude -p hi"));
	CHECK_STR(plan_words(&p), STR("claude -p hi"));
	CHECK_STR(plan_upstream(&p, "anthropic"), STR("https://gw.example/a/v1"));
	CHECK(p.plan.intercept);
	plan_write(&p, "home/.claude/settings.json", STR("{\"env\":{\"ANTHROPIC_BASE_URL\":\"http://plain.example\"}}"));
	CHECK(plan_make(&p, "claude -p hi"));
	CHECK_STR(plan_words(&p), STR("claude --settings " OURS " -p hi"));
	plan_end(&p);
}
