#include "net/upstream/env.h"

#include <stdlib.h>

#include "harness/test.h"

static const char *const variables[] = {
	"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
};

static void clear_environment(void)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
}

TEST(the_environment_says_which_proxy_an_address_needs)
{
	static const struct { const char *set[4], *host; bool tls; const char *proxy; } cases[] = {
		{ { NULL }, "example.com", true, NULL },
		{ { "https_proxy=http://p:1" }, "example.com", true, "http://p:1" },
		{ { "HTTPS_PROXY=http://p:1" }, "example.com", true, "http://p:1" },
		{ { "HTTPS_PROXY=http://upper", "https_proxy=http://lower" }, "example.com", true, "http://lower" },
		{ { "HTTPS_PROXY=http://upper", "https_proxy=" }, "example.com", true, "http://upper" },
		{ { "https_proxy=http://p:1" }, "example.com", false, NULL },
		{ { "http_proxy=http://p:1" }, "example.com", false, "http://p:1" },
		{ { "http_proxy=http://p:1" }, "example.com", true, NULL },
		{ { "ALL_PROXY=http://p:1" }, "example.com", true, "http://p:1" },
		{ { "all_proxy=http://all", "http_proxy=http://one" }, "example.com", false, "http://one" },
		{ { "http_proxy=http://p:1", "no_proxy=example.com" }, "example.com", false, NULL },
		{ { "http_proxy=http://p:1", "NO_PROXY= other.org , Example.COM" }, "api.example.com", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=.example.com" }, "api.example.com", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=example.com" }, "notexample.com", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=,.,example.com.evil" }, "example.com", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=*" }, "example.com", false, NULL },
		{ { "http_proxy=http://p:1" }, "localhost", false, NULL },
		{ { "http_proxy=http://p:1" }, "127.0.0.1", false, NULL },
		{ { "http_proxy=http://p:1" }, "127.9.9.9", false, NULL },
		{ { "http_proxy=http://p:1" }, "::1", false, NULL },
		{ { "http_proxy=http://p:1" }, "10.0.0.1", false, "http://p:1" },
		{ { "http_proxy=http://p:1" }, "127.evil.example", false, "http://p:1" },
		{ { "http_proxy=http://p:1" }, "::ffff:127.0.0.1", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=*.example.com" }, "api.example.com", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=example.com" }, "api.example.com.", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=example.com:80" }, "api.example.com", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=example.com:8080" }, "api.example.com", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=example.com:" }, "api.example.com", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=10.0.0.0/8" }, "10.200.3.4", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=10.0.0.0/8" }, "11.0.0.1", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=192.168.4.0/22" }, "192.168.7.255", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=192.168.4.0/22" }, "192.168.8.0", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=10.0.0.0/33" }, "10.0.0.0", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=10.0.0.0/" }, "10.0.0.0", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=0.0.0.0/0" }, "fd00::1", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=fd00::/8" }, "fd12::1", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=fd00::/8" }, "fe80::1", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=fd00::1" }, "fd00:0:0::1", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=[fd00::1]:80" }, "fd00::1", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=[fd00::1]:81" }, "fd00::1", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=10.0.0.1:80" }, "10.0.0.1", false, NULL },
		{ { "http_proxy=http://p:1", "no_proxy=0.0.1" }, "10.0.0.1", false, "http://p:1" },
		{ { "http_proxy=http://p:1", "no_proxy=:80,[,],[]:80,::,/" }, "10.0.0.1", false, "http://p:1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct url url = { .tls = cases[i].tls, .host = str_from(cases[i].host), .port = 80 };
		const char *variable;
		bool any = false;

		test_case("%s, %s", cases[i].set[0], cases[i].host);
		clear_environment();
		for (size_t k = 0; k < 4 && cases[i].set[k]; k++) {
			char *copy = test_alloc(strlen(cases[i].set[k]) + 1);

			memcpy(copy, cases[i].set[k], strlen(cases[i].set[k]));
			CHECK(putenv(copy) == 0);
			any = true;
		}
		CHECK_STR(str_from(upstream_env_proxy(&url, &variable)), str_from(cases[i].proxy));
		CHECK_INT(upstream_env_has_proxy(), any);
	}
}

TEST(a_variable_names_a_proxy_with_or_without_a_scheme_and_with_a_user)
{
	static const struct { const char *value, *host; uint16_t port; bool tls; const char *authorization; } cases[] = {
		{ "http://p.example:3128", "p.example", 3128, false, "" },
		{ "p.example:3128", "p.example", 3128, false, "" },
		{ "HTTPS://p.example/", "p.example", 443, true, "" },
		{ "http://jo:pw@p.example:1", "p.example", 1, false, "Basic am86cHc=" },
		{ "jo:pw@p.example:1", "p.example", 1, false, "Basic am86cHc=" },
		{ "http://jo:p%40%3aw@p.example:1", "p.example", 1, false, "Basic am86cEA6dw==" },
		{ "http://jo@p.example:1", "p.example", 1, false, "Basic am86" },
		{ "http://jo:5%@[fd00::1]:1", "fd00::1", 1, false, "Basic am86NSU=" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct upproxy p;

		test_case("%s", cases[i].value);
		upstream_env_parse(&a, cases[i].value, "HTTP_PROXY", &p);
		CHECK_STR(p.why, STR(""));
		CHECK_STR(p.url.host, str_from(cases[i].host));
		CHECK_INT(p.url.port, cases[i].port);
		CHECK_INT(p.url.tls, cases[i].tls);
		CHECK_STR(p.authorization, str_from(cases[i].authorization));
	}
	arena_free(&a);
}

TEST(a_proxy_that_cannot_be_used_names_its_variable_and_never_its_password)
{
	static const struct { const char *value, *why; } cases[] = {
		{ "socks5h://jo:secret@p:1", "ALL_PROXY names a SOCKS proxy, which is not supported: use an http:// or "
					     "https:// proxy, or name the host in NO_PROXY" },
		{ "ftp://jo:secret@p:1", "ALL_PROXY does not name a proxy as in http://proxy.example:3128" },
		{ "http://jo:secret@p:x", "ALL_PROXY does not name a proxy as in http://proxy.example:3128" },
		{ "http://", "ALL_PROXY does not name a proxy as in http://proxy.example:3128" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct upproxy p;

		test_case("%s", cases[i].value);
		upstream_env_parse(&a, cases[i].value, "ALL_PROXY", &p);
		CHECK_STR(p.why, str_from(cases[i].why));
	}
	arena_free(&a);
}
