#include "capture/route.h"
#include "harness/test.h"

static const char *gateway(const char *name)
{
	if (strcmp(name, "OPENAI_BASE_URL") == 0)
		return "https://gateway.example/openai/v1";
	if (strcmp(name, "ANTHROPIC_BASE_URL") == 0)
		return "https://gateway.example/anthropic";
	return NULL;
}

static const char *none(const char *name)
{
	(void)name;
	return NULL;
}

struct asked {
	const char *host, *target, *header;
	const char *name, *wants, *authority; /* name NULL: of no service */
	bool moved;
};

static struct url host_of(struct arena *a, const char *text)
{
	struct url u;
	struct err err;

	CHECK(url_parse(a, str_from(text), &u, &err));
	return u;
}

static void check_hosts(const struct routes *r, struct arena *a, const struct asked *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct http_header header = { .name = str_from(cases[i].header), .value = STR("x") };
		struct http_head h = { .side = HTTP_REQUEST, .method = STR("POST"), .target = str_from(cases[i].target),
				       .headers = &header, .count = cases[i].header ? 1 : 0 };
		struct url host = host_of(a, cases[i].host);
		struct proxy_destination to;
		const struct route *t = routes_choose_host(r, a, &h, &host, &to);

		test_case("%s %s", cases[i].host, cases[i].target);
		CHECK((t != NULL) == (cases[i].name != NULL) && (routes_find_host(r, &host) != NULL) == (t != NULL));
		if (t)
			CHECK_STR(t->name, str_from(cases[i].name));
		CHECK(!t || routes_is_moved(t, &host) == cases[i].moved);
		CHECK_STR(to.target, str_from(cases[i].wants));
		CHECK_STR(to.url->authority, str_from(cases[i].authority));
		CHECK(to.route == t);
	}
}

TEST(public_hosts_of_services_are_known_and_their_paths_pass_as_they_are)
{
	static const struct asked cases[] = {
		{ "https://api.openai.com", "/v1/chat/completions", NULL, "openai", "/v1/chat/completions", "api.openai.com", false },
		{ "https://API.OpenAI.com", "/dashboard?x=1", NULL, "openai", "/dashboard?x=1", "api.openai.com", false },
		{ "https://api.anthropic.com", "/api/hello", NULL, "anthropic", "/api/hello", "api.anthropic.com", false },
		{ "https://generativelanguage.googleapis.com", "/v1beta/models/g:generateContent", NULL, "gemini",
		  "/v1beta/models/g:generateContent", "generativelanguage.googleapis.com", false },
		{ "https://chatgpt.com", "/backend-api/codex/responses", NULL, "openai", "/backend-api/codex/responses",
		  "chatgpt.com", false },
		{ "https://cloudcode-pa.googleapis.com", "/v1internal:generateContent", NULL, "cloud-code",
		  "/v1internal:generateContent", "cloudcode-pa.googleapis.com", false },
		{ "https://api.openai.com:8443", "/v1/x", NULL, NULL, "/v1/x", "api.openai.com:8443", false },
		{ "https://evil.api.openai.com", "/v1/x", NULL, NULL, "/v1/x", "evil.api.openai.com", false },
		{ "https://github.com", "/v1/messages", "anthropic-version", NULL, "/v1/messages", "github.com", false },
		{ "http://example.com", "http://example.com?q", NULL, NULL, "/?q", "example.com", false },
		{ "http://example.com", "http://u@example.com/a/b?q", NULL, NULL, "/a/b?q", "example.com", false },
	};
	struct arena a;
	struct routes r;
	struct err err;

	arena_init(&a);
	CHECK(routes_init(&r, &a, none, &err));
	routes_add_hosts(&r);
	check_hosts(&r, &a, cases, COUNT(cases));
	arena_free(&a);
}

TEST(an_upstream_holds_for_hosts_that_are_intercepted_and_names_hosts_of_its_own)
{
	static const struct asked cases[] = {
		{ "https://api.openai.com", "/v1/chat/completions", NULL, "openai", "/v1/chat/completions", "127.0.0.1:8000", true },
		{ "https://api.openai.com", "/v1/responses?a=b", NULL, "openai", "/v1/responses?a=b", "127.0.0.1:8000", true },
		{ "http://127.0.0.1:8000", "/v1/models", NULL, "openai", "/v1/models", "127.0.0.1:8000", false },
		{ "https://api.anthropic.com", "/v1/messages", NULL, "anthropic", "/x/v1/messages", "10.0.0.1", true },
		{ "https://llm.example", "/any/path", NULL, "mine", "/any/path", "llm.example", false },
	};
	struct arena a;
	struct routes r;
	struct str *hosts;
	struct err err;
	size_t count, found = 0;

	arena_init(&a);
	CHECK(routes_init(&r, &a, none, &err));
	CHECK(routes_set(&r, STR("openai"), STR("http://127.0.0.1:8000/v1"), "test", &err));
	CHECK(routes_set(&r, STR("anthropic"), STR("https://10.0.0.1/x"), "test", &err));
	CHECK(routes_set(&r, STR("mine"), STR("https://llm.example/v1"), "test", &err));
	check_hosts(&r, &a, cases, COUNT(cases));
	count = routes_list_hosts(&r, &a, &hosts);
	for (size_t i = 0; i < count; i++)
		found += str_eq(hosts[i], STR("api.openai.com")) || str_eq(hosts[i], STR("llm.example")) ||
			 str_eq(hosts[i], STR("10.0.0.1"));
	CHECK_INT(found, 3);
	arena_free(&a);
}

TEST(of_several_services_at_one_host_the_request_tells_which_and_the_public_host_stays_itself)
{
	static const struct asked cases[] = {
		{ "https://gateway.example", "/openai/v1/responses", NULL, "openai", "/openai/v1/responses", "gateway.example",
		  false },
		{ "https://gateway.example", "/anthropic/v1/messages", "anthropic-version", "anthropic", "/anthropic/v1/messages",
		  "gateway.example", false },
		{ "https://api.openai.com", "/v1/responses", NULL, "openai", "/v1/responses", "api.openai.com", false },
	};
	struct arena a;
	struct routes r;
	struct err err;

	arena_init(&a);
	CHECK(routes_init(&r, &a, gateway, &err));
	routes_add_hosts(&r);
	check_hosts(&r, &a, cases, COUNT(cases));
	/* the same when an agent's settings name it */
	CHECK(routes_init(&r, &a, none, &err));
	CHECK(routes_offer(&r, STR("anthropic"), STR("https://gateway.example/anthropic"), "test", &err));
	CHECK(routes_offer(&r, STR("openai"), STR("https://gateway.example/openai/v1"), "test", &err));
	routes_add_hosts(&r);
	check_hosts(&r, &a, cases, COUNT(cases));
	arena_free(&a);
}
