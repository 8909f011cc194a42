#include "net/url.h"

#include <stdio.h>

#include "harness/test.h"

static struct arena arena;

/* "tls|user|host|port|authority|path|query", where "-" is one that is not there. */
static struct str parse(struct str text)
{
	struct err err = { .kind = ERR_NONE };
	struct url u;

	if (arena.block_size == 0)
		arena_init(&arena);
	if (!url_parse(&arena, text, &u, &err)) {
		CHECK_INT(err.kind, ERR_USAGE);
		return arena_copy(&arena, str_from(err.text));
	}
	CHECK_INT(err.kind, ERR_NONE);
	CHECK_INT(u.host.p[u.host.n], 0);
	return arena_printf(&arena, "%d|%s|%s|%d|%s|%s|%s", u.tls, u.user.p ? u.user.p : "-", u.host.p, u.port, u.authority.p,
			    u.path.p, u.query.p ? u.query.p : "-");
}

TEST(an_address_is_taken_apart)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "http://127.0.0.1:8080", "0|-|127.0.0.1|8080|127.0.0.1:8080||-" },
		{ "http://a.example", "0|-|a.example|80|a.example||-" },
		{ "https://a.example/", "1|-|a.example|443|a.example||-" },
		{ "HTTPS://A.example:443/v1/", "1|-|A.example|443|A.example|/v1|-" },
		{ "http://a:443//", "0|-|a|443|a:443||-" },
		{ "https://a:80/x//y", "1|-|a|80|a:80|/x//y|-" },
		{ "http://a:080/x", "0|-|a|80|a|/x|-" },
		{ "http://a:65535", "0|-|a|65535|a:65535||-" },
		{ "http://[::1]", "0|-|::1|80|[::1]||-" },
		{ "http://[2001:db8::1]:4141/v1?a=b&c", "0|-|2001:db8::1|4141|[2001:db8::1]:4141|/v1|a=b&c" },
		{ "http://[::ffff:1.2.3.4]:80", "0|-|::ffff:1.2.3.4|80|[::ffff:1.2.3.4]||-" },
		{ "http://me:se%20cret:x@a:81/p%2Fq#frag?no", "0|me:se%20cret:x|a|81|a:81|/p%2Fq|-" },
		{ "http://@a", "0||a|80|a||-" },
		{ "http://a?", "0|-|a|80|a||" },
		{ "http://a?x/y/#z", "0|-|a|80|a||x/y/" },
		{ "http://a#b@c", "0|-|a|80|a||-" },
		{ "http://a/b@c:d", "0|-|a|80|a|/b@c:d|-" },
		{ "http://my_host-1.x~y", "0|-|my_host-1.x~y|80|my_host-1.x~y||-" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(parse(str_from(cases[i].text)), str_from(cases[i].want));
	}
}

#define RIGHT ", as in http://127.0.0.1:8080 or https://api.example.com/v1"

TEST(what_is_wrong_with_an_address_is_said_with_an_example)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "", "an address begins with http:// or https://" RIGHT },
		{ "localhost:8080", "an address begins with http:// or https://" RIGHT },
		{ "//a", "an address begins with http:// or https://" RIGHT },
		{ "://a", "an address begins with http:// or https://" RIGHT },
		{ "a/b?u=http://c", "an address begins with http:// or https://" RIGHT },
		{ "http:/a", "an address begins with http:// or https://" RIGHT },
		{ "ftp://a", "ftp:// is not supported, only http:// and https://" RIGHT },
		{ "httpx://a", "httpx:// is not supported, only http:// and https://" RIGHT },
		{ "h://a", "h:// is not supported, only http:// and https://" RIGHT },
		{ "unix+http://a", "unix+http:// is not supported, only http:// and https://" RIGHT },
		{ "http://", "the host is missing" RIGHT },
		{ "http:///v1", "the host is missing" RIGHT },
		{ "http://:80", "the host is missing" RIGHT },
		{ "http://u@/", "the host is missing" RIGHT },
		{ "http://a:", "the port after the colon is missing" RIGHT },
		{ "http://a:0", "0 is not a port: a port is a number from 1 to 65535" RIGHT },
		{ "http://a:65536", "65536 is not a port: a port is a number from 1 to 65535" RIGHT },
		{ "http://a:99999999999999999999", "99999999999999999999 is not a port: a port is a number from 1 to 65535" RIGHT },
		{ "http://a:80x", "'80x' is not a port: a port is a number from 1 to 65535" RIGHT },
		{ "http://a:-1", "'-1' is not a port: a port is a number from 1 to 65535" RIGHT },
		{ "http://::1:80", "an IPv6 address stands in brackets, as in http://[::1]:8080" },
		{ "http://2001:db8::1", "an IPv6 address stands in brackets, as in http://[::1]:8080" },
		{ "http://[::1", "the bracket of an IPv6 address is not closed, as in http://[::1]:8080" },
		{ "http://[::1]8080", "only a port may follow an IPv6 address, as in http://[::1]:8080" },
		{ "http://[::g]", "'::g' is not an IPv6 address, as in http://[::1]:8080" },
		{ "http://[]", "'' is not an IPv6 address, as in http://[::1]:8080" },
		{ "http://[127.0.0.1]", "'127.0.0.1' is not an IPv6 address, as in http://[::1]:8080" },
		{ "http://a%20b", "'a%20b' is not a host name: it has a '%'" RIGHT },
		{ "http://a]b", "'a]b' is not a host name: it has a ']'" RIGHT },
		{ "http://u:p@q@a", "an address has one @ before the host (one inside a password is %40)" },
		{ "http://a/b c", "an address has no spaces (one inside a path is %20)" RIGHT },
		{ " http://a", "an address has no spaces (one inside a path is %20)" RIGHT },
		{ "http://a/\r\nX: y", "an address has no control characters (byte 10 is one)" RIGHT },
		{ "http://a/\x7F", "an address has no control characters (byte 10 is one)" RIGHT },
		{ "http://a\\b", "an address has no \\ (it is percent-encoded)" RIGHT },
		{ "http://a/{id}", "an address has no { (it is percent-encoded)" RIGHT },
		{ "http://\xC3\xA4.example", "an address is ASCII: other characters are percent-encoded in a path and written as xn--... "
					     "in a host" RIGHT },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK_STR(parse(str_from(cases[i].text)), str_from(cases[i].want));
	}
	CHECK_STR(parse(str_of("http://a\0b", 10)), STR("an address has no control characters (byte 9 is one)" RIGHT));
}

TEST(a_host_name_has_an_end)
{
	char text[400];

	snprintf(text, sizeof(text), "http://%0253d/", 0);
	CHECK(str_starts(parse(str_from(text)), STR("0|-|000")));
	snprintf(text, sizeof(text), "http://%0254d/", 0);
	CHECK_STR(parse(str_from(text)), STR("a host name has at most 253 characters, this one 254"));
}

TEST(a_password_is_in_no_message_and_in_no_trace)
{
	static const char *const wrong[] = {
		"http://me:hunter2@a:x", "http://me:hunter2@", "http://me:hunter2@[::", "ftp://me:hunter2@a", "http://me:hunter2@@a",
		"http://me:hunter2@a b", "http://me:hunter2@a%b",
	};
	struct err err = { .kind = ERR_NONE };
	struct url u;

	for (size_t i = 0; i < COUNT(wrong); i++) {
		test_case("%s", wrong[i]);
		CHECK(str_find(parse(str_from(wrong[i])), STR("hunter2")) == (size_t)-1);
	}
	CHECK(url_parse(&arena, STR("https://me:hunter2@a.example:8443/v1/?key=hunter2#hunter2"), &u, &err));
	CHECK_STR(url_format(&arena, &u), STR("https://a.example:8443/v1"));
}

TEST(an_address_is_written_without_its_usual_port)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "http://a:80/", "http://a" },
		{ "https://a:443/b/", "https://a/b" },
		{ "http://[::1]:443/b?c", "http://[::1]:443/b" },
	};
	struct err err = { .kind = ERR_NONE };
	struct url u;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(cases); i++) {
		CHECK(url_parse(&arena, str_from(cases[i].text), &u, &err));
		CHECK_STR(url_format(&arena, &u), str_from(cases[i].want));
	}
}

TEST(a_user_becomes_a_header_as_it_was_before_it_was_encoded)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "http://a", "-" },
		{ "http://me:pw@a", "Basic bWU6cHc=" },
		{ "http://me:p%40w@a", "Basic bWU6cEB3" },
		{ "http://me:p%4gw%@a", "Basic bWU6cCU0Z3cl" },
		{ "http://me@a", "Basic bWU6" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str header;
		struct err err;
		struct url u;

		test_case("%s", cases[i].text);
		if (arena.block_size == 0)
			arena_init(&arena);
		CHECK(url_parse(&arena, str_from(cases[i].text), &u, &err));
		header = url_authorization(&arena, &u);
		CHECK_STR(header.p ? header : STR("-"), str_from(cases[i].want));
	}
}
