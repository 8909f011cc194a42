/* Codex: one more -c behind the user's own, and the upstream that its settings name. */
#include "unit/capture/agents_plan.h"

#define OURS "-c openai_base_url=\"B/openai/v1\""
#define MINE "-c model_providers.mine.base_url=\"B/codex\""
#define PROVIDER "model_provider = \"mine\"\n[model_providers.mine]\nname = \"M\"\nbase_url = \"https://gw.example/v1\"\n"
#define PUBLIC "https://api.openai.com/v1"

struct scene {
	const char *config, *line, *words, *route, *upstream;
};

static void check_scene(const struct scene *s)
{
	struct planned p;

	plan_begin(&p);
	test_case("%s", s->line);
	plan_write(&p, "home/.codex/config.toml", str_from(s->config));
	plan_write(&p, "home/.codex/p.config.toml", STR("model_provider = \"mine\"\n"));
	CHECK(plan_make(&p, s->line));
	CHECK_STR(plan_words(&p), str_from(s->words));
	CHECK_STR(plan_upstream(&p, s->route), str_from(s->upstream));
	CHECK(p.plan.told.p != NULL);
	plan_end(&p);
}

TEST(one_more_override_stands_behind_the_users_own)
{
	static const struct scene scenes[] = {
		{ "", "codex", "codex " OURS, "openai", PUBLIC },
		{ "", "codex hello", "codex " OURS " hello", "openai", PUBLIC },
		{ "", "codex exec hello", "codex " OURS " exec hello", "openai", PUBLIC },
		{ "", "npx -y @openai/codex exec hello", "npx -y @openai/codex " OURS " exec hello", "openai", PUBLIC },
		{ "", "codex -c model=\"m\" exec hello", "codex -c model=\"m\" " OURS " exec hello", "openai", PUBLIC },
		{ "", "codex exec -c a=1 --config b=2 hello", "codex exec -c a=1 --config b=2 " OURS " hello", "openai", PUBLIC },
		{ "", "codex exec --config=a=1 hello", "codex exec --config=a=1 " OURS " hello", "openai", PUBLIC },
		{ "", "codex exec -ca=1 hello", "codex exec -ca=1 " OURS " hello", "openai", PUBLIC },
		{ "", "codex exec -- -c a=1", "codex " OURS " exec -- -c a=1", "openai", PUBLIC },
		{ "", "codex sandbox linux ls -c x", "codex " OURS " sandbox linux ls -c x", "openai", PUBLIC },
		{ "", "codex -c a=1 mcp add x -c y", "codex -c a=1 " OURS " mcp add x -c y", "openai", PUBLIC },
		{ "", "codex -s sandbox exec -c a=1 x", "codex -s sandbox exec -c a=1 " OURS " x", "openai", PUBLIC },
		{ "", "codex exec -c", "codex " OURS " exec -c", "openai", PUBLIC },
	};

	for (size_t i = 0; i < COUNT(scenes); i++)
		check_scene(&scenes[i]);
}

TEST(the_upstream_is_what_the_user_names)
{
	static const struct scene scenes[] = {
		{ "openai_base_url = \"https://gw.example/o\"", "codex", "codex " OURS, "openai", "https://gw.example/o" },
		{ "", "codex exec -c openai_base_url=\"https://own.example/v1\" x",
		  "codex exec -c openai_base_url=\"https://own.example/v1\" " OURS " x", "openai", "https://own.example/v1" },
		{ "", "codex -c openai_base_url=https://own.example/v1 x",
		  "codex -c openai_base_url=https://own.example/v1 " OURS " x", "openai", "https://own.example/v1" },
		{ PROVIDER, "codex exec x", "codex " MINE " exec x", "codex", "https://gw.example/v1" },
		{ PROVIDER, "codex -c model_provider=openai exec x", "codex -c model_provider=openai " OURS " exec x", "openai",
		  PUBLIC },
		{ "[model_providers.mine]\nbase_url = \"https://gw.example/v1\"", "codex -p p x", "codex " MINE " -p p x", "codex",
		  "https://gw.example/v1" },
		{ "[model_providers.mine]\nbase_url = \"https://gw.example/v1\"", "codex --profile=p x",
		  "codex " MINE " --profile=p x", "codex", "https://gw.example/v1" },
		{ "[model_providers.mine]\nbase_url = \"https://gw.example/v1\"", "codex -c model_provider='mine' x",
		  "codex -c model_provider='mine' " MINE " x", "codex", "https://gw.example/v1" },
		{ "profile = \"q\"\n[profiles.q]\nmodel_provider = \"mine\"\n[model_providers.mine]\nbase_url = \"http://q/v1\"",
		  "codex", "codex " MINE, "codex", "http://q/v1" },
		{ "", "codex -c model_provider=mine -c model_providers.mine={base_url=\"http://i/v1\"} x",
		  "codex -c model_provider=mine -c model_providers.mine={base_url=\"http://i/v1\"} " MINE " x", "codex",
		  "http://i/v1" },
		{ "model_provider = \"absent\"", "codex x", "codex x", "codex", "none" },
		{ "model_provider = \"a b\"\n[model_providers.\"a b\"]\nbase_url = \"http://q/v1\"", "codex x", "codex x", "codex",
		  "none" },
		{ "broken = [", "codex x", "codex " OURS " x", "openai", PUBLIC },
		{ "", "codex -p ../../x exec", "codex " OURS " -p ../../x exec", "openai", PUBLIC },
	};

	for (size_t i = 0; i < COUNT(scenes); i++)
		check_scene(&scenes[i]);
}

TEST(a_model_on_this_machine_is_led_by_a_variable)
{
	static const struct { const char *line, *text, *route, *upstream; } cases[] = {
		{ "codex --oss exec x", "B/ollama/v1", "ollama", "http://127.0.0.1:11434" },
		{ "codex exec --oss --local-provider ollama x", "B/ollama/v1", "ollama", "http://127.0.0.1:11434" },
		{ "codex exec --oss --local-provider=lmstudio x", "B/lmstudio/v1", "lmstudio", "http://localhost:1234/v1" },
		{ "codex -c oss_provider=lmstudio --oss", "B/lmstudio/v1", "lmstudio", "http://localhost:1234/v1" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct planned p;

		plan_begin(&p);
		test_case("%s", cases[i].line);
		CHECK(plan_make(&p, cases[i].line));
		CHECK(p.plan.changes && !p.plan.changes->next);
		CHECK_STR(str_from(p.plan.changes->variable), STR("CODEX_OSS_BASE_URL"));
		CHECK_STR(agents_text(&p.arena, p.plan.changes, STR("B")), str_from(cases[i].text));
		CHECK_STR(plan_upstream(&p, cases[i].route), str_from(cases[i].upstream));
		CHECK_STR(plan_words(&p), str_from(cases[i].line));
		plan_end(&p);
	}
}

TEST(with_interception_an_address_is_set_only_where_there_is_no_tls)
{
	struct planned p;

	plan_begin(&p);
	p.wish = AGENT_WISH_INTERCEPTION;
	CHECK(plan_make(&p, "codex exec x"));
	CHECK_STR(plan_words(&p), STR("codex exec x"));
	CHECK(p.plan.intercept && p.plan.told.p);
	plan_write(&p, "home/.codex/config.toml", STR(PROVIDER));
	CHECK(plan_make(&p, "codex exec x"));
	CHECK_STR(plan_words(&p), STR("codex exec x"));
	CHECK_STR(plan_upstream(&p, "codex"), STR("https://gw.example/v1"));
	CHECK(plan_make(&p, "codex -c model_providers.mine.base_url=\"http://plain/v1\" x"));
	CHECK_STR(plan_words(&p), STR("codex -c model_providers.mine.base_url=\"http://plain/v1\" " MINE " x"));
	plan_end(&p);
}

TEST(an_address_that_was_asked_for_wins)
{
	struct planned p;

	plan_begin(&p);
	plan_write(&p, "home/.codex/config.toml", STR("openai_base_url = \"https://gw.example/o\""));
	CHECK(routes_set(&p.routes, STR("openai"), STR("http://127.0.0.1:9/v1"), "test", &p.err));
	CHECK(plan_make(&p, "codex"));
	CHECK_STR(plan_upstream(&p, "openai"), STR("http://127.0.0.1:9/v1"));
	CHECK(routes_find(&p.routes, STR("openai"))->account == NULL);
	CHECK_STR(routes_find(&p.routes, STR("openai"))->home.host, STR("gw.example"));
	plan_end(&p);
}

TEST(settings_may_be_in_another_directory)
{
	struct planned p;

	plan_begin(&p);
	plan_write(&p, "other/config.toml", STR(PROVIDER));
	p.env[1] = "CODEX_HOME=other";
	CHECK(plan_make(&p, "codex"));
	CHECK_STR(plan_words(&p), STR("codex " MINE));
	plan_end(&p);
}

TEST(requests_of_people_who_are_signed_in_go_to_their_host)
{
	struct http_header header = { .name = STR("ChatGPT-Account-ID"), .value = STR("x") };
	struct http_head h = { .side = HTTP_REQUEST, .method = STR("POST"), .target = STR("/openai/v1/responses") };
	struct proxy_destination to;
	struct planned p;

	plan_begin(&p);
	CHECK(plan_make(&p, "codex"));
	routes_choose(&p.routes, &p.arena, &h, &to);
	CHECK_STR(to.url->host, STR("api.openai.com"));
	CHECK_STR(to.target, STR("/v1/responses"));
	h.headers = &header;
	h.count = 1;
	routes_choose(&p.routes, &p.arena, &h, &to);
	CHECK_STR(to.url->host, STR("chatgpt.com"));
	CHECK_STR(to.target, STR("/backend-api/codex/responses"));
	plan_end(&p);
}

TEST(the_last_of_many_overrides_counts)
{
	const char *argv[210] = { "codex" };
	struct planned p;

	plan_begin(&p);
	for (size_t i = 1; i < 201; i += 2) {
		argv[i] = "-c";
		argv[i + 1] = "a=1";
	}
	argv[200] = "openai_base_url=http://last.example/v1";
	CHECK(agents_plan(&p.arena, argv, p.env, p.wish, &p.routes, &p.plan, &p.err));
	CHECK(str_ends(plan_words(&p), STR("v1 " OURS)));
	CHECK_STR(plan_upstream(&p, "openai"), STR("http://last.example/v1"));
	plan_end(&p);
}
