#include "capture/route.h"
#include "harness/test.h"

static const char *nothing(const char *name)
{
	(void)name;
	return NULL;
}

static const char *several(const char *name)
{
	static const struct {
		const char *name, *value;
	} set[] = {
		{ "OPENAI_BASE_URL", "" }, /* empty is not set */
		{ "OPENAI_API_BASE", "https://gateway.example/openai/deployments/four" },
		{ "ANTHROPIC_BASE_URL", "http://[::1]:8080/anthropic/v1/" },
		{ "OLLAMA_HOST", "0.0.0.0" },
	};

	for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		if (strcmp(name, set[i].name) == 0)
			return set[i].value;
	return NULL;
}

static const char *broken(const char *name)
{
	return strcmp(name, "ANTHROPIC_API_URL") == 0 ? "ftp://x" : NULL;
}

struct asked {
	const char *target, *header; /* the name of one, or NULL */
	const char *name, *wants;
};

static void check_choice(const struct routes *r, struct arena *a, const struct asked *c)
{
	struct http_header header = { .name = str_from(c->header), .value = STR("x") };
	struct http_head h = { .side = HTTP_REQUEST, .method = STR("POST"), .target = str_from(c->target) };
	struct proxy_destination to;
	const struct route *t;

	if (c->header) {
		h.headers = &header;
		h.count = 1;
	}
	test_case("%s", c->target);
	t = routes_choose(r, a, &h, &to);
	CHECK_STR(t->name, str_from(c->name));
	CHECK_STR(to.target, str_from(c->wants));
	CHECK(to.url == &t->url);
	CHECK(to.route == t);
}

TEST(the_first_part_of_a_path_names_the_service_else_path_and_headers_tell_it)
{
	static const struct asked cases[] = {
		{ "/openai/v1/chat/completions", NULL, "openai", "/v1/chat/completions" },
		{ "/openai/chat/completions", NULL, "openai", "/v1/chat/completions" },
		{ "/openai/v1/models?limit=2", NULL, "openai", "/v1/models?limit=2" },
		{ "/openai", NULL, "openai", "/v1" },
		{ "/anthropic/v1/messages", NULL, "anthropic", "/v1/messages" },
		{ "/anthropic/v1/messages?beta=true", NULL, "anthropic", "/v1/messages?beta=true" },
		{ "/gemini/v1beta/models/g:generateContent", NULL, "gemini", "/v1beta/models/g:generateContent" },
		{ "/ollama/api/chat", NULL, "ollama", "/api/chat" },
		{ "/v1/chat/completions", NULL, "openai", "/v1/chat/completions" },
		{ "/v1/embeddings", NULL, "openai", "/v1/embeddings" },
		{ "/v1/threads/t/messages", NULL, "openai", "/v1/threads/t/messages" },
		{ "/v1/messages", NULL, "anthropic", "/v1/messages" },
		{ "/v1/models", "Anthropic-Version", "anthropic", "/v1/models" },
		{ "/v1beta/models/g:streamGenerateContent?alt=sse", NULL, "gemini", "/v1beta/models/g:streamGenerateContent?alt=sse" },
		{ "/v1/models/g:batchEmbedContents", NULL, "gemini", "/v1/models/g:batchEmbedContents" },
		{ "/v1/models/g", "X-Goog-Api-Key", "gemini", "/v1/models/g" },
		{ "/api/chat", NULL, "ollama", "/api/chat" },
		{ "/api/v1/chat/completions", NULL, "openai", "/v1/api/v1/chat/completions" },
		{ "/", NULL, "ollama", "/" },
		{ "/openaix/y", NULL, "openai", "/v1/openaix/y" },
		{ "/nobody/knows?this", NULL, "openai", "/v1/nobody/knows?this" },
		{ "http://127.0.0.1:1/anthropic/v1/messages", NULL, "anthropic", "/v1/messages" },
		{ "http://127.0.0.1:1", NULL, "ollama", "/" },
		{ "*", NULL, "openai", "*" },
	};
	struct routes r;
	struct arena a;
	struct err err;

	arena_init(&a);
	CHECK(routes_init(&r, &a, nothing, &err));
	CHECK_STR(routes_find(&r, STR("openai"))->url.host, STR("api.openai.com"));
	CHECK(routes_find(&r, STR("openai"))->url.tls);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_choice(&r, &a, &cases[i]);
	arena_free(&a);
}

TEST(telemetry_is_told_by_the_end_of_its_path)
{
	static const char *const yes[] = {
		"/v1/traces", "/v1/logs", "/v1/metrics", "/openai/v1/traces", "/v1/traces/", "/v1/logs?a=/b", "http://h/v1/metrics",
		"/v1//traces", "//v1/./logs//", "/V1/Traces",
	};
	static const char *const no[] = { "/v1/models", "/v1/traces/1", "/traces", "/metrics", "/v1/chat/completions?x=/v1/logs", "*", "",
					"/", "/v1", "v1traces" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		test_case("%s", yes[i]);
		CHECK(routes_is_telemetry(str_from(yes[i])));
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		test_case("%s", no[i]);
		CHECK(!routes_is_telemetry(str_from(no[i])));
	}
}

TEST(addresses_come_from_the_environment_then_from_the_option)
{
	static const struct asked cases[] = {
		{ "/openai/v1/chat/completions", NULL, "openai", "/openai/deployments/four/chat/completions" },
		{ "/anthropic/v1/messages", NULL, "anthropic", "/anthropic/v1/messages" },
		{ "/groq/openai/v1/chat/completions", NULL, "groq", "/base/openai/v1/chat/completions" },
	};
	struct routes r;
	struct arena a;
	struct err err;

	arena_init(&a);
	CHECK(routes_init(&r, &a, several, &err));
	CHECK_STR(routes_find(&r, STR("openai"))->url.host, STR("gateway.example"));
	CHECK_STR(routes_find(&r, STR("anthropic"))->url.host, STR("::1"));
	CHECK_STR(routes_find(&r, STR("ollama"))->url.host, STR("127.0.0.1"));
	CHECK_INT(routes_find(&r, STR("ollama"))->url.port, 11434);
	CHECK(routes_set(&r, STR("groq"), STR("http://localhost:9/base"), "--upstream", &err));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_choice(&r, &a, &cases[i]);
	CHECK(routes_set(&r, STR("openai"), STR("http://127.0.0.1:9"), "--upstream", &err));
	check_choice(&r, &a, &(struct asked){ "/openai/v1/x", NULL, "openai", "/v1/x" });
	CHECK(routes_set(&r, STR("ollama"), STR("localhost:8"), "--upstream", &err));
	CHECK_INT(routes_find(&r, STR("ollama"))->url.port, 8);
	CHECK(routes_set(&r, STR("ollama"), STR("[::1]/base"), "--upstream", &err));
	CHECK_STR(routes_find(&r, STR("ollama"))->url.host, STR("::1"));
	CHECK_INT(routes_find(&r, STR("ollama"))->url.port, 11434);
	CHECK_STR(routes_find(&r, STR("ollama"))->url.path, STR("/base"));
	arena_free(&a);
}

static const char *keyed(const char *name)
{
	return strcmp(name, "OPENAI_API_BASE") == 0 ? "https://me:sesame@gateway.example/v1" : NULL;
}

TEST(what_would_be_dropped_of_an_address_is_refused_and_not_shown)
{
	static const struct {
		const char *name, *address, *says;
	} cases[] = {
		{ "openai", "https://me:sesame@gateway.example/v1", "--upstream: the address of openai has a user" },
		{ "openai", "https://sesame@gateway.example/v1", "--upstream: the address of openai has a user" },
		{ "lab", "https://gateway.example/v1?sesame=1", "--upstream: the address of lab has a query" },
		{ "ollama", "http://me:sesame@127.0.0.1:9", "--upstream: the address of ollama has a user" },
	};
	struct routes r;
	struct arena a;
	struct err err;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].address);
		CHECK(routes_init(&r, &a, nothing, &err) && routes_check(&r, &err));
		CHECK(routes_set(&r, str_from(cases[i].name), str_from(cases[i].address), "--upstream", &err));
		CHECK(!routes_check(&r, &err));
		CHECK_INT(err.kind, ERR_USAGE);
		CHECK(strstr(err.text, cases[i].says) == err.text && !strstr(err.text, "sesame"));
	}
	CHECK(routes_init(&r, &a, keyed, &err));
	CHECK(!routes_check(&r, &err));
	CHECK(strstr(err.text, "OPENAI_API_BASE: the address of openai has a user") == err.text && !strstr(err.text, "sesame"));
	CHECK(routes_set(&r, STR("openai"), STR("https://gateway.example/v1"), "--upstream", &err)); /* takes its place */
	CHECK(routes_check(&r, &err));
	arena_free(&a);
}

TEST(what_is_no_address_is_said_with_where_it_came_from)
{
	struct routes r;
	struct arena a;
	struct err err;

	arena_init(&a);
	CHECK(!routes_init(&r, &a, broken, &err));
	CHECK(strstr(err.text, "ANTHROPIC_API_URL"));
	CHECK(routes_init(&r, &a, nothing, &err));
	CHECK(!routes_set(&r, STR("openai"), STR("nonsense"), "the user", &err));
	CHECK(err.kind == ERR_USAGE && strstr(err.text, "the user: ") == err.text);
	arena_free(&a);
}

TEST(a_name_of_a_service_is_not_how_paths_of_services_begin)
{
	CHECK(routes_is_name(STR("openai")) && routes_is_name(STR("my-lab_2")));
	CHECK(!routes_is_name(STR("")) && !routes_is_name(STR("o/x")) && !routes_is_name(STR("a b")));
	CHECK(!routes_is_name(STR("v1")) && !routes_is_name(STR("v1beta")) && !routes_is_name(STR("api")));
}
