#include "base/mask.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/crypto/secret_rules.h"
#include "harness/test.h"

#define DOTS "\xe2\x80\xa6"
#define SIXTEEN "a1b2c3d4e5f6a7b8"
#define FORTY SIXTEEN SIXTEEN "a9b8c7d6"

static struct str mask(struct buf *out, struct str text, unsigned flags)
{
	buf_clear(out);
	mask_text(out, text, flags, NULL, NULL);
	return buf_str(out);
}

TEST(keys_and_passwords_are_hidden_and_the_rest_is_not)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "", "" },
		{ "no secret here, sk-learn is a typo", "no secret here, sk-learn is a typo" },
		{ "ghp_" FORTY " is a key", "ghp_" DOTS " is a key" },
		{ "x=\"" "AKIA" "QWERTYUIOPASDFGH" "\"", "x=\"AKIA" DOTS "\"" },
		{ "two: ghp_" FORTY ",gho_" FORTY, "two: ghp_" DOTS ",gho_" DOTS },
		{ "sk-ant-" "api03-" SIXTEEN "...", "sk-ant-api03-" DOTS "..." },
		{ "https://user:pass@host/v1", "https://" DOTS "@host/v1" },
		{ "https://a:b@c:d@host/v1 and me@example.org", "https://" DOTS "@host/v1 and me@example.org" },
		{ "https://host/a@b?x=1", "https://host/a@b?x=1" },
		{ "https://host/v1?api_key=hello&n=1#token=x", "https://host/v1?api_key=" DOTS "&n=1#token=" DOTS },
		{ "https://host/v1?key=&max_tokens=10", "https://host/v1?key=&max_tokens=10" },
		{ "{\"api_key\": \"hello\", \"n\": \"x\"}", "{\"api_key\": \"" DOTS "\", \"n\": \"x\"}" },
		{ "{\"DB-PASSWORD\":\"a b c\"}", "{\"DB-PASSWORD\":\"" DOTS "\"}" },
		{ "{\"total_tokens\":12,\"token\":\"hello\"}", "{\"total_tokens\":12,\"token\":\"hello\"}" },
		{ "OPENAI_API_KEY=abc next", "OPENAI_API_KEY=" DOTS " next" },
		{ "Authorization: Bearer " SIXTEEN "x", "Authorization: Bearer " DOTS },
		{ "Authorization: Bearer abcdefghijklmnopqrst", "Authorization: Bearer " DOTS },
		{ "api-key: " FORTY, "api-key: " DOTS },
		{ "the api_key: see the manual", "the api_key: see the manual" },
		{ "Server=db;Pwd=abc;x=1", "Server=db;Pwd=" DOTS ";x=1" },
		{ "host=db password=abc dbname=x", "host=db password=" DOTS " dbname=x" },
		{ "aws_secret_access_key=" FORTY, "aws_secret_access_key=" DOTS },
		{ "gsk_" FORTY " xai-" FORTY, "gsk_" DOTS " xai-" DOTS },
		{ "the bearer of this letter", "the bearer of this letter" },
		{ "abc1Q~" "abcdefghijklmnopqrstuvwxyzabcdefgh,", DOTS "Q~" DOTS "," },
		{ "sourcegraph: " FORTY, "sourcegraph: " DOTS },
		{ "commit " FORTY, "commit " FORTY },
		{ "sha256:" FORTY "a1b2c3d4e5f6a7b8c9d0a1b2", "sha256:" FORTY "a1b2c3d4e5f6a7b8c9d0a1b2" },
		{ "-----BEGIN " "PRIVATE KEY-----\\nMII", "-----BEGIN" DOTS },
		{ "-----BEGIN " "PRIVATE KEY-----\nMII\n-----END PRIVATE KEY----- ok",
		  "-----BEGIN" DOTS "-----END PRIVATE KEY----- ok" },
		{ "caf\xc3\xa9 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xf0\x9f\x98\x80" },
	};
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = str_from(cases[i].text);

		test_case("%zu: %s", i, cases[i].text);
		CHECK_STR(mask(&out, text, 0), str_from(cases[i].want));
	}
	buf_free(&out);
}

TEST(escapes_hide_nothing)
{
	static const struct { const char *text, *want; unsigned flags; } cases[] = {
		{ "\\nghp_" FORTY, "\\nghp_" DOTS, 0 },
		{ "\"\\n" "AKIA" "QWERTYUIOPASDFGH\"", "\"\\nAKIA" DOTS "\"", 0 },
		{ "gh\\u0070_" FORTY, "gh\\u0070_" DOTS, 0 },
		{ "ghp_\\u0061" FORTY "\\u00e9", "ghp_" DOTS "\\u00e9", 0 },
		{ "https:\\/\\/u:p@h", "https:\\/\\/" DOTS "@h", 0 },
		{ "https:\\/\\/hooks.slack.com\\/services\\/" FORTY SIXTEEN, "https:\\/\\/hooks" DOTS, 0 },
		{ "https://h/?a=1\\u0026key=v", "https://h/?a=1\\u0026key=" DOTS, 0 },
		{ "/hooks.slack.com~1services~1" FORTY SIXTEEN, "/hooks" DOTS, MASK_POINTER },
		{ "/a~1b/0", "/a~1b/0", MASK_POINTER },
		{ "C:\\u", "C:\\u", 0 },
		{ "\\", "\\", 0 },
	};
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu: %s", i, cases[i].text);
		CHECK_STR(mask(&out, str_from(cases[i].text), cases[i].flags), str_from(cases[i].want));
	}
	buf_free(&out);
}

TEST(what_is_cut_off_is_taken_for_a_part_of_a_key)
{
	static const struct { const char *text, *want; unsigned flags; } cases[] = {
		{ "{\"a\":\"hf_ab", "{\"a\":\"hf_" DOTS, MASK_CUT },
		{ "{\"a\":\"hf_ab", "{\"a\":\"hf_ab", 0 },
		{ "abcdefgh\",\"b\":1", DOTS "\",\"b\":1", MASK_BEGUN },
		{ "abcdefgh\",\"b\":1", "abcdefgh\",\"b\":1", MASK_CUT },
		{ "abc\",\"b\":1", "abc\",\"b\":1", MASK_BEGUN },
		{ "xyz\\nQUJD\\n-----END PRIVATE KEY-----\",1", DOTS "-----END PRIVATE KEY-----\",1", MASK_BEGUN },
		{ "a\\n" "MIIEowIBAAKCAQEAvZ8MmM3bqkzO0zFqCqU8mM3bqkzO0zFqCqU8mM3bqkzO0zFq" "\\nb",
		  "a\\n" DOTS "\\nb", 0 },
	};
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu: %s", i, cases[i].text);
		CHECK_STR(mask(&out, str_from(cases[i].text), cases[i].flags), str_from(cases[i].want));
	}
	buf_free(&out);
}

TEST(a_mark_stays_on_its_place)
{
	static const struct { size_t mark, length, want, want_length; } cases[] = {
		/* ab ghp_(40 hidden) cd: hidden are 7 to 47, three bytes in their place */
		{ 0, 2, 0, 2 },  { 3, 4, 3, 4 },    { 3, 44, 3, 7 },   { 3, 47, 3, 10 }, { 7, 40, 7, 3 },
		{ 20, 5, 7, 3 },
		{ 47, 1, 10, 1 }, { 48, 2, 11, 2 }, { 20, 30, 7, 6 }, { 50, 0, 13, 0 }, { 20, 0, 7, 0 },
		{ 0, 50, 0, 13 },
	};
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t mark = cases[i].mark, length = cases[i].length;

		test_case("%zu", i);
		buf_clear(&out);
		CHECK(mask_text(&out, STR("ab ghp_" FORTY " cd"), 0, &mark, &length));
		CHECK_STR(buf_str(&out), STR("ab ghp_" DOTS " cd"));
		CHECK_INT(mark, cases[i].want);
		CHECK_INT(length, cases[i].want_length);
	}
	buf_free(&out);
}

TEST(masking_what_is_masked_changes_nothing)
{
	static const char *const texts[] = {
		"ghp_" FORTY, "https://u:p@h?key=v&x=1", "\"password\":\"x\"", "Bearer " FORTY,
	};
	struct buf once, again;

	buf_init(&once);
	buf_init(&again);
	for (size_t i = 0; i < COUNT(texts); i++) {
		test_case("%s", texts[i]);
		mask(&once, str_from(texts[i]), MASK_CUT);
		CHECK_STR(mask(&again, buf_str(&once), MASK_CUT | MASK_BEGUN), buf_str(&once));
	}
	buf_free(&once);
	buf_free(&again);
}

/* A key of each row's length, made of its beginning and digits and letters. */
TEST(no_row_of_the_table_slips_through)
{
	struct buf text, out, got;

	buf_init(&text);
	buf_init(&out);
	buf_init(&got);
	for (size_t i = 0; i < secret_rules_count; i++) {
		const struct secret_rule *r = &secret_rules[i];

		if (r->lead[0] == '\0' || (r->flags & SECRET_BLOCK))
			continue;
		test_case("%s %s", r->id, r->lead);
		buf_clear(&text);
		buf_add_str(&text, str_from(r->lead));
		while (text.n < r->least)
			buf_add_byte(&text, SIXTEEN[text.n % 16]);
		buf_clear(&out);
		buf_add_str(&out, str_from(r->lead));
		buf_add_str(&out, STR(DOTS));
		CHECK_STR(mask(&got, buf_str(&text), 0), buf_str(&out));
	}
	buf_free(&got);
	buf_free(&text);
	buf_free(&out);
}

TEST(a_long_text_is_masked_in_pieces)
{
	struct buf text, out;

	buf_init(&text);
	buf_init(&out);
	for (size_t before = 0; before < 4200; before += 7) {
		test_case("%zu", before);
		buf_clear(&text);
		while (text.n < before)
			buf_add_byte(&text, text.n % 9 ? 'w' : ' ');
		buf_add_str(&text, STR(" ghp_" FORTY " "));
		while (text.n < 9000)
			buf_add_byte(&text, text.n % 9 ? 'w' : ' ');
		mask(&out, buf_str(&text), 0);
		CHECK(str_find(buf_str(&out), STR("ghp_" DOTS " ")) == before + 1);
		CHECK_INT(out.n, text.n - 40 + 3);
	}
	/* Keys within keys, without end: quadratic time would not come back. */
	buf_clear(&text);
	while (text.n < ((size_t)1 << 20) / test_slower())
		buf_add_str(&text, STR("glpat-"));
	mask(&out, buf_str(&text), 0);
	CHECK(out.n < text.n / 100);
	buf_free(&text);
	buf_free(&out);
}

TEST(names_of_credentials_are_known)
{
	static const struct { const char *name; bool is; } cases[] = {
		{ "key", true },        { "KEY", true },          { "api-key", true },     { "API_KEY", true },
		{ "apikey", true },     { "access_token", true }, { "sig", true },         { "X-Amz-Signature", true },
		{ "password", true },   { "secret", true },       { "client_secret", true }, { "auth", true },
		{ "openai_api_key", true }, { "keyboard", false }, { "monkey", false },    { "max_tokens", false },
		{ "tokens", false },    { "author", false },      { "", false },           { "model", false },
		{ "api-version", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].name);
		CHECK_INT(mask_is_credential(str_from(cases[i].name)), cases[i].is);
	}
}

TEST(a_key_that_is_cut_is_hidden_like_a_whole_one)
{
	static const char key[] = "ghp_" "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5";
	struct buf out;

	buf_init(&out);
	for (size_t most = 0; most < sizeof(key) + 20; most++) {
		struct arena a;

		arena_init(&a);
		buf_clear(&out);
		mask_show(&out, arena_printf(&a, "\"say %s now\"", key), most);
		CHECK(str_find(buf_str(&out), str_of(key + 4, 4)) == (size_t)-1);
		arena_free(&a);
	}
	buf_clear(&out);
	mask_show(&out, STR("plain \xc3\xa9 text"), 7);
	CHECK_STR(buf_str(&out), STR("plain ..."));
	buf_clear(&out);
	mask_show(&out, STR("plain"), 5);
	CHECK_STR(buf_str(&out), STR("plain"));
	buf_free(&out);
}

TEST(what_somebody_said_is_one_line_without_our_secrets)
{
	const struct str secrets[] = { STR("sesame-1"), STR("no"), STR("other-22") };
	static const struct { const char *text, *want; } cases[] = {
		{ "", "" },
		{ " fine\r\n", "fine" },
		{ "a\tb\nc\x1b[31m\x7f", "a b c [31m" },
		{ "sesame-1 and other-22sesame-1", "... and ......" },
		{ "no key was given", "no key was given" }, /* too short to be looked for */
		{ "sesame-1-sesame", "...-sesame" },
		{ "0123456789012345678901234567890123456789", "012345678901234567890123456789..." },
	};
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		buf_clear(&out);
		mask_line(&out, str_from(cases[i].text), secrets, COUNT(secrets), 30);
		CHECK(str_eq(buf_str(&out), str_from(cases[i].want)));
	}
	buf_free(&out);
}
