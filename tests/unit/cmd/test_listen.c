#include "cmd/listen.h"

#include "harness/test.h"

TEST(addresses_and_ports_are_read)
{
	static const struct {
		const char *text, *host;
		unsigned port;
		const char *url;
	} cases[] = {
		{ "127.0.0.1:8080", "127.0.0.1", 8080, "http://127.0.0.1:8080" },
		{ "127.0.0.1:0", "127.0.0.1", 0, "http://127.0.0.1:0" },
		{ "localhost:1", "127.0.0.1", 1, "http://127.0.0.1:1" },
		{ ":65535", "127.0.0.1", 65535, "http://127.0.0.1:65535" },
		{ "8080", "127.0.0.1", 8080, "http://127.0.0.1:8080" },
		{ "0.0.0.0:9", "0.0.0.0", 9, "http://0.0.0.0:9" },
		{ "[::1]:80", "::1", 80, "http://[::1]:80" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		struct str host;
		uint16_t port;

		test_case("%s", cases[i].text);
		CHECK(listen_parse(&a, str_from(cases[i].text), &host, &port, &err));
		CHECK_STR(host, str_from(cases[i].host));
		CHECK_INT(host.p[host.n], 0);
		CHECK_INT(port, cases[i].port);
		CHECK_STR(listen_url(&a, host, port), str_from(cases[i].url));
	}
	arena_free(&a);
}

TEST(anything_else_is_wrong_usage)
{
	static const struct str cases[] = {
		{ "", 0 },          { "127.0.0.1", 9 },     { "127.0.0.1:", 10 },  { "127.0.0.1:65536", 15 }, { "127.0.0.1:-1", 12 },
		{ "::1:80", 6 },    { "[]:80", 5 },         { "[::1]", 5 },        { "example.com:80", 14 },  { "127.0.0.1:80x", 13 },
		{ "http://127.0.0.1:80", 19 }, { "127.0.0.1\0x:80", 14 },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		struct str host;
		uint16_t port;

		test_case("%.*s", STR_ARG(cases[i]));
		CHECK(!listen_parse(&a, cases[i], &host, &port, &err));
		CHECK_INT(err.kind, ERR_USAGE);
	}
	arena_free(&a);
}
