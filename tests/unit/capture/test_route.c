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
		{ "/api/v1/chat/completions", NULL, "openai", "/api/v1/chat/completions" },
		{ "/", NULL, "ollama", "/" },
		{ "/openaix/y", NULL, "openai", "/openaix/y" },
		{ "/nobody/knows?this", NULL, "openai", "/nobody/knows?this" },
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

/* One row a service: what its clients ask for behind our prefix, in all readings, and what the service must see. */
static const struct asked readings[] = {
	{ "/anthropic/messages", NULL, "anthropic", "/v1/messages" },
	{ "/anthropic/messages?beta=true", NULL, "anthropic", "/v1/messages?beta=true" },
	{ "/anthropic/v1/messages/count_tokens", NULL, "anthropic", "/v1/messages/count_tokens" },
	{ "/anthropic/v1/v1/messages", NULL, "anthropic", "/v1/messages" },
	{ "/anthropic/v1/v1/v1/models", NULL, "anthropic", "/v1/models" },
	{ "/anthropic/api/hello", NULL, "anthropic", "/api/hello" },
	{ "/anthropic/v1/api/hello", NULL, "anthropic", "/v1/api/hello" },
	{ "/anthropic/messagesx", NULL, "anthropic", "/messagesx" },
	{ "/anthropic", NULL, "anthropic", "/" },
	{ "/anthropic/", NULL, "anthropic", "/" },
	{ "/messages", "anthropic-version", "anthropic", "/v1/messages" },
	{ "/openai/chat/completions", NULL, "openai", "/v1/chat/completions" },
	{ "/openai/v1/v1/responses", NULL, "openai", "/v1/responses" },
	{ "/openai/v1/nobody", NULL, "openai", "/v1/nobody" },
	{ "/openai/nobody", NULL, "openai", "/nobody" },
	{ "/responses", NULL, "openai", "/v1/responses" },
	{ "/gemini/models/g:generateContent", NULL, "gemini", "/v1beta/models/g:generateContent" },
	{ "/gemini/v1/models/g:generateContent", NULL, "gemini", "/v1/models/g:generateContent" },
	{ "/gemini/v1beta/v1beta/models/g:streamGenerateContent?alt=sse", NULL, "gemini", "/v1beta/models/g:streamGenerateContent?alt=sse" },
	{ "/gemini/v1/v1beta/models/g:generateContent", NULL, "gemini", "/v1beta/models/g:generateContent" },
	{ "/gemini/openai/chat/completions", NULL, "gemini", "/v1beta/openai/chat/completions" },
	{ "/gemini/upload/v1beta/files", NULL, "gemini", "/upload/v1beta/files" },
	{ "/ollama/api/chat", NULL, "ollama", "/api/chat" },
	{ "/ollama/v1/api/chat", NULL, "ollama", "/api/chat" },
	{ "/ollama/chat/completions", NULL, "ollama", "/v1/chat/completions" },
	{ "/ollama/v1/chat/completions", NULL, "ollama", "/v1/chat/completions" },
	{ "/groq/openai/v1/chat/completions", NULL, "groq", "/openai/v1/chat/completions" },
	{ "/groq/chat/completions", NULL, "groq", "/openai/v1/chat/completions" },
	{ "/groq/openai/v1/openai/v1/models", NULL, "groq", "/openai/v1/models" },
	{ "/cohere/v2/chat", NULL, "cohere", "/v2/chat" },
	{ "/cohere/chat", NULL, "cohere", "/v2/chat" },
	{ "/cohere/v1/chat", NULL, "cohere", "/v1/chat" },
	{ "/cohere/v2/v2/chat", NULL, "cohere", "/v2/chat" },
	{ "/cohere/models", NULL, "cohere", "/v1/models" },
	{ "/cohere/compatibility/v1/chat/completions", NULL, "cohere", "/compatibility/v1/chat/completions" },
	{ "/mistral/v1/chat/completions", NULL, "mistral", "/v1/chat/completions" },
	{ "/mistral/fim/completions", NULL, "mistral", "/v1/fim/completions" },
	{ "/openrouter/api/v1/chat/completions", NULL, "openrouter", "/api/v1/chat/completions" },
	{ "/openrouter/chat/completions", NULL, "openrouter", "/api/v1/chat/completions" },
	{ "/deepseek/chat/completions", NULL, "deepseek", "/chat/completions" },
	{ "/deepseek/v1/chat/completions", NULL, "deepseek", "/v1/chat/completions" },
	{ "/deepseek/beta/chat/completions", NULL, "deepseek", "/beta/chat/completions" },
	{ "/deepseek/anthropic/v1/messages", NULL, "deepseek", "/anthropic/v1/messages" },
	{ "/xai/chat/completions", NULL, "xai", "/v1/chat/completions" },
	{ "/grok-cli/v1/responses", NULL, "grok-cli", "/v1/responses" },
	{ "/kimi/coding/v1/chat/completions", NULL, "kimi", "/coding/v1/chat/completions" },
	{ "/kimi/chat/completions", NULL, "kimi", "/coding/v1/chat/completions" },
	{ "/together/v1/chat/completions", NULL, "together", "/v1/chat/completions" },
	{ "/fireworks/chat/completions", NULL, "fireworks", "/inference/v1/chat/completions" },
	{ "/cloud-code/v1internal:streamGenerateContent?alt=sse", NULL, "cloud-code", "/v1internal:streamGenerateContent?alt=sse" },
};

TEST(a_path_without_its_version_gets_the_one_that_the_service_needs)
{
	struct routes r;
	struct arena a;
	struct err err;

	arena_init(&a);
	CHECK(routes_init(&r, &a, nothing, &err));
	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++)
		check_choice(&r, &a, &readings[i]);
	arena_free(&a);
}

/* Whatever stands before the version at the user's own address stands there in every reading. */
TEST(an_address_with_a_path_of_its_own_keeps_it)
{
	static const struct {
		const char *address; /* of --upstream */
		struct asked asked;
	} cases[] = {
		{ "https://gw/x", { "/anthropic/messages", NULL, "anthropic", "/x/v1/messages" } },
		{ "https://gw/x", { "/anthropic/v1/messages", NULL, "anthropic", "/x/v1/messages" } },
		{ "https://gw/x/v1", { "/anthropic/messages", NULL, "anthropic", "/x/v1/messages" } },
		{ "https://gw/x/v1", { "/anthropic/v1/messages", NULL, "anthropic", "/x/v1/messages" } },
		{ "https://gw/x/v1", { "/anthropic/v1/v1/messages", NULL, "anthropic", "/x/v1/messages" } },
		{ "https://gw/x/v1/", { "/anthropic/api/hello", NULL, "anthropic", "/x/api/hello" } },
		{ "https://gw/x/v1", { "/openai/v1/chat/completions", NULL, "openai", "/x/v1/chat/completions" } },
		{ "https://gw/x/v1", { "/openai/chat/completions", NULL, "openai", "/x/v1/chat/completions" } },
		{ "https://gw/x/v1", { "/openai/v1/nobody", NULL, "openai", "/x/v1/nobody" } },
		{ "https://gw/x/v1", { "/openai", NULL, "openai", "/x/v1" } },
		{ "https://gw/api/paas/v4", { "/openai/v1/chat/completions", NULL, "openai", "/api/paas/v4/chat/completions" } },
		{ "https://gw/api/paas/v4", { "/openai/v1/nobody", NULL, "openai", "/api/paas/v4/nobody" } },
		{ "https://gw/deployments/four", { "/openai/v1/v1/responses", NULL, "openai", "/deployments/four/responses" } },
		{ "https://gw/x", { "/gemini/models/g:generateContent", NULL, "gemini", "/x/v1beta/models/g:generateContent" } },
		{ "https://gw/x/v1beta", { "/gemini/v1beta/models/g", NULL, "gemini", "/x/v1beta/models/g" } },
		{ "https://gw/x/v1beta", { "/gemini/v1alpha/models/g", NULL, "gemini", "/x/v1alpha/models/g" } },
		{ "https://gw/x/v1", { "/gemini/v1beta/models/g", NULL, "gemini", "/x/v1/models/g" } },
		{ "http://h/v1", { "/groq/openai/v1/chat/completions", NULL, "groq", "/v1/chat/completions" } },
		{ "https://gw/x", { "/groq/openai/v1/chat/completions", NULL, "groq", "/x/openai/v1/chat/completions" } },
		{ "https://gw/openai/v1", { "/groq/chat/completions", NULL, "groq", "/openai/v1/chat/completions" } },
		{ "http://h/x", { "/ollama/v1/chat/completions", NULL, "ollama", "/x/v1/chat/completions" } },
		{ "http://h/x", { "/ollama/api/chat", NULL, "ollama", "/x/api/chat" } },
		{ "https://r.example/v1", { "/copilot/chat/completions", NULL, "copilot", "/v1/chat/completions" } },
		{ "https://r.example", { "/azure/openai/deployments/d/chat/completions?api-version=1", NULL, "azure",
					 "/openai/deployments/d/chat/completions?api-version=1" } },
		{ "https://r.example/x/v1", { "/lab/v1/chat/completions", NULL, "lab", "/x/v1/chat/completions" } },
		{ "https://r.example/x", { "/lab/v1/chat/completions", NULL, "lab", "/x/v1/chat/completions" } },
	};
	struct arena a;
	struct err err;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct routes r;

		CHECK(routes_init(&r, &a, nothing, &err));
		CHECK(routes_set(&r, str_from(cases[i].asked.name), str_from(cases[i].address), "--upstream", &err));
		check_choice(&r, &a, &cases[i].asked);
	}
	arena_free(&a);
}

static const char *variables_of_all(const char *name)
{
	static const struct {
		const char *name, *value;
	} set[] = {
		{ "GROQ_API_BASE", "https://gw/g/openai/v1" },     { "MISTRAL_API_BASE", "https://gw/m/v1" },
		{ "OLLAMA_BASE_URL", "http://h:1/v1" },            { "GEMINI_API_BASE", "https://gw/n" },
		{ "COHERE_API_BASE", "https://gw/e/v2/chat" },
		{ "AZURE_API_BASE", "https://gw/a" },              { "COPILOT_PROVIDER_BASE_URL", "https://gw/c/v1" },
		{ "ANTHROPIC_VERTEX_BASE_URL", "https://gw/v/v1" }, { "OPENAI_WEBSOCKET_BASE_URL", "wss://gw/w" },
		{ "KIMI_CODE_BASE_URL", "https://gw/k/v1" },       { "DEEPSEEK_API_BASE", "https://gw/d" },
	};

	for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		if (strcmp(name, set[i].name) == 0)
			return set[i].value;
	return NULL;
}

TEST(a_variable_says_where_the_service_is_as_its_clients_read_it)
{
	static const struct asked cases[] = {
		{ "/groq/openai/v1/chat/completions", NULL, "groq", "/g/openai/v1/chat/completions" },
		{ "/mistral/v1/chat/completions", NULL, "mistral", "/m/v1/chat/completions" },
		{ "/ollama/v1/chat/completions", NULL, "ollama", "/v1/chat/completions" },
		{ "/ollama/api/chat", NULL, "ollama", "/api/chat" },
		{ "/gemini/models/g:generateContent", NULL, "gemini", "/n/v1beta/models/g:generateContent" },
		{ "/cohere/v2/chat", NULL, "cohere", "/e/v2/chat" },
		{ "/azure/openai/v1/responses", NULL, "azure", "/a/openai/v1/responses" },
		{ "/copilot/chat/completions", NULL, "copilot", "/c/v1/chat/completions" },
		{ "/vertex-anthropic/projects/p:rawPredict", NULL, "vertex-anthropic", "/v/v1/projects/p:rawPredict" },
		{ "/kimi/coding/v1/chat/completions", NULL, "kimi", "/k/v1/chat/completions" },
		{ "/deepseek/beta/chat/completions", NULL, "deepseek", "/d/chat/completions" },
	};
	struct routes r;
	struct arena a;
	struct err err;

	arena_init(&a);
	CHECK(routes_init(&r, &a, variables_of_all, &err));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_choice(&r, &a, &cases[i]);
	CHECK_STR(routes_find(&r, STR("openai"))->url.host, STR("api.openai.com")); /* a WebSocket's address says nothing of it */
	CHECK(!routes_find(&r, STR("bedrock")) && !routes_find(&r, STR("vertex")));
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
