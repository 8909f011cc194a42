#include "harness/test.h"
#include "transform/audit_policy.h"

TEST(a_whole_text_is_a_uri_or_it_is_not)
{
	static const struct {
		const char *text;
		bool is;
	} cases[] = {
		{ "https://example.org/a", true }, { "HTTP://x", true },       { "docs://a/b", true },
		{ "file:a", true },                { "file:///a", true },      { "a+b.c-1://x", true },
		{ "https://", false },             { "https:/x", false },      { "://x", false },
		{ "1a://x", false },               { "mailto:a@b", false },    { "see https://x", false },
		{ "https://x y", false },          { "https://x\n", false },   { "<https://x>", false },
		{ "", false },                     { "file:", false },         { "doc/a.md", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(audit_is_uri(str_from(cases[i].text)), cases[i].is);
	}
}

TEST(spellings_of_one_address_are_one_and_all_else_stays)
{
	static const struct {
		const char *uri, *normal;
	} cases[] = {
		{ "HTTPS://User:Pw@EXAMPLE.org:443/A?B#c", "https://example.org/A?B" },
		{ "http://x:80", "http://x/" },
		{ "http://x?q", "http://x/?q" },
		{ "http://x:443/", "http://x:443/" },
		{ "https://x:80/", "https://x:80/" },
		{ "https://x/a/", "https://x/a/" },
		{ "https://x/%7Ea", "https://x/%7Ea" },
		{ "https://x/a@b", "https://x/a@b" },
		{ "docs://Guide/A", "docs://guide/A" },
		{ "docs://guide", "docs://guide" },
		{ "File:A/B#c", "file:A/B" },
		{ "file:///A", "file:///A" },
		{ "https://[::1]:443/", "https://[::1]/" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str normal = audit_uri_normal(&a, str_from(cases[i].uri));

		test_case("%s", cases[i].uri);
		CHECK_STR(normal, str_from(cases[i].normal));
		CHECK_STR(audit_uri_normal(&a, normal), normal);
	}
	arena_free(&a);
}

TEST(a_path_is_the_uri_of_a_file)
{
	static const struct {
		const char *path, *uri;
	} cases[] = {
		{ "/etc/hosts", "file:///etc/hosts" }, { "doc/a.md", "file:doc/a.md" },    { "./a", "file:a" },
		{ "a b#c?d%", "file:a%20b%23c%3Fd%25" }, { "../a", "file:../a" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str uri = audit_uri_of_path(&a, str_from(cases[i].path));

		CHECK_STR(uri, str_from(cases[i].uri));
		CHECK(audit_is_uri(uri));
		CHECK_STR(audit_uri_normal(&a, uri), uri);
	}
	arena_free(&a);
}
