#include "net/guard.h"

#include "harness/test.h"

#define PORT 43127

static const struct str hosts[] = { { "Host.docker.internal", 20 }, { "box:9000", 8 } };
static const struct str origins[] = { { "https://app.example", 19 } };
static const struct guard closed, opened = { .open = true };
static const struct guard listed = { .hosts = hosts, .host_count = 2, .origins = origins, .origin_count = 1 };

/* A request with a Host (NULL: none) and one more header. */
static bool admits(const struct guard *g, const char *address, uint16_t port, const char *host, const char *name, const char *value)
{
	struct http_header headers[2];
	struct http_head h = { .side = HTTP_REQUEST, .method = STR("GET"), .target = STR("/"), .minor = 1, .headers = headers };
	const char *why = NULL;
	bool in;

	if (host)
		headers[h.count++] = (struct http_header){ STR("Host"), str_from(host) };
	if (name)
		headers[h.count++] = (struct http_header){ str_from(name), str_from(value) };
	in = guard_admits(g, str_from(address), port, &h, &why);
	CHECK(in == (why == NULL));
	if (why)
		CHECK(str_find(str_from(why), STR("be allowed")) != (size_t)-1 && !strchr(why, '"'));
	return in;
}

TEST(only_the_servers_own_hosts_are_taken)
{
	static const struct {
		const char *host;
		bool in;
	} cases[] = {
		{ "127.0.0.1:43127", true },   { "localhost:43127", true },   { "LocalHost:43127", true }, { "[::1]:43127", true },
		{ NULL, true },                { "evil.example:43127", false }, { "evil.example", false }, { "", false },
		{ "127.0.0.1", false },        { "127.0.0.1:43128", false },  { "127.0.0.1:", false },     { "127.0.0.1:043127", false },
		{ "127.0.0.1.evil.example:43127", false }, { "localhost.evil.example:43127", false }, { "127.0.0.1:43127:43127", false },
		{ "evil.example:127.0.0.1:43127", false }, { "192.168.1.5:43127", false }, { "[::1", false }, { "[::1]", false },
		{ "::1:43127", false },        { "0.0.0.0:43127", false },    { "127.0.0.1:109663", false }, { "localhost.:43127", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].host ? cases[i].host : "none");
		CHECK_INT(admits(&closed, NULL, PORT, cases[i].host, NULL, NULL), cases[i].in);
		CHECK(admits(&opened, NULL, PORT, cases[i].host, "Origin", "https://evil.example"));
	}
	CHECK(admits(&closed, NULL, 80, "localhost", NULL, NULL));
}

TEST(other_hosts_are_taken_when_the_user_says_so)
{
	CHECK(admits(&listed, NULL, PORT, "host.docker.internal:43127", NULL, NULL));
	CHECK(admits(&listed, NULL, PORT, "host.docker.internal", NULL, NULL));
	CHECK(admits(&listed, NULL, PORT, "box:9000", NULL, NULL));
	CHECK(!admits(&listed, NULL, PORT, "box:43127", NULL, NULL));
	CHECK(!admits(&listed, NULL, PORT, "evil.host.docker.internal", NULL, NULL));
}

TEST(a_server_beyond_loopback_is_asked_by_any_address_but_by_no_name)
{
	CHECK(admits(&closed, "0.0.0.0", PORT, "192.168.1.5:43127", NULL, NULL));
	CHECK(admits(&closed, "0.0.0.0", PORT, "localhost:43127", NULL, NULL));
	CHECK(admits(&closed, "::", PORT, "[fe80::1]:43127", NULL, NULL));
	CHECK(!admits(&closed, "0.0.0.0", PORT, "evil.example:43127", NULL, NULL));
	CHECK(!admits(&closed, "0.0.0.0", PORT, "192.168.1.5:1", NULL, NULL));
	CHECK(admits(&closed, "127.0.0.2", PORT, "127.0.0.2:43127", NULL, NULL));
	CHECK(!admits(&closed, "127.0.0.2", PORT, "192.168.1.5:43127", NULL, NULL));
	CHECK(admits(&closed, "::1", PORT, "[::1]:43127", NULL, NULL));
}

TEST(what_a_web_page_sends_is_refused)
{
	static const struct {
		const char *name, *value;
		bool in, in_listed;
	} cases[] = {
		{ "Origin", "https://evil.example", false, false },  { "origin", "null", false, false },
		{ "Origin", "http://127.0.0.1:43127", false, false }, { "Origin", "", false, false },
		{ "Origin", "https://app.example", false, true },    { "Origin", "https://app.example:444", false, false },
		{ "Sec-Fetch-Site", "cross-site", false, false },    { "Sec-Fetch-Site", "same-site", false, false },
		{ "Sec-Fetch-Site", "none", true, true },            { "Sec-Fetch-Mode", "cors", true, true },
		{ "X-Origin", "https://evil.example", true, true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s: %s", cases[i].name, cases[i].value);
		CHECK_INT(admits(&closed, NULL, PORT, "127.0.0.1:43127", cases[i].name, cases[i].value), cases[i].in);
		CHECK_INT(admits(&listed, NULL, PORT, "127.0.0.1:43127", cases[i].name, cases[i].value), cases[i].in_listed);
	}
}

TEST(what_users_give_is_checked)
{
	static const char *const good[] = { "host.docker.internal", "192.168.1.5:8080", "[fe80::1]", "box:1" };
	static const char *const bad[] = { "", "*", "http://box", "box/", "a b", "me@box", "box:0", "box:x", "box:99999", ":80" };
	static const char *const pages[] = { "https://app.example.com", "http://localhost:3000", "null", "vscode-webview://abc" };
	static const char *const none[] = { "", "*", "app.example.com", "https://app.example.com/", "https://", "https://a b" };
	struct err err = { .kind = ERR_NONE };

	for (size_t i = 0; i < COUNT(good); i++)
		CHECK(guard_check_host(str_from(good[i]), &err));
	for (size_t i = 0; i < COUNT(pages); i++)
		CHECK(guard_check_origin(str_from(pages[i]), &err));
	CHECK(err.kind == ERR_NONE);
	for (size_t i = 0; i < COUNT(bad); i++) {
		test_case("%s", bad[i]);
		CHECK(!guard_check_host(str_from(bad[i]), &err) && err.kind == ERR_USAGE);
	}
	for (size_t i = 0; i < COUNT(none); i++) {
		test_case("%s", none[i]);
		CHECK(!guard_check_origin(str_from(none[i]), &err) && err.kind == ERR_USAGE);
	}
}
