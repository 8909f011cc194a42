#include "base/crypto/sha256.h"

#include <dlfcn.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/test.h"
#include "unit/base/child.h"

static void check_hex(struct digest d, const char *want)
{
	char hex[SHA256_HEX];

	digest_hex(hex, d);
	CHECK_STR(str_of(hex, SHA256_HEX), str_from(want));
}

/* FIPS 180-2, appendix B, and the empty message. */
static const struct {
	const char *text, *hash;
} known[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
	  "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
};

/* Stands in for OpenSSL's function, to fail on demand. */
static bool no_provider;

EVP_MD *EVP_MD_fetch(OSSL_LIB_CTX *ctx, const char *name, const char *properties)
{
	EVP_MD *(*real)(OSSL_LIB_CTX *, const char *, const char *);
	void *symbol = dlsym(RTLD_NEXT, "EVP_MD_fetch");

	memcpy(&real, &symbol, sizeof(real));
	return no_provider ? NULL : real(ctx, name, properties);
}

static void init(void)
{
	struct sha256 s;

	sha256_init(&s);
}

TEST(without_a_provider_the_process_ends)
{
	struct child_result r;

	no_provider = true;
	r = child_run(init);
	CHECK_INT(r.status, 3);
	CHECK_STR(str_of(r.err, r.n), STR("trackway: OpenSSL gives no SHA-256\n"));
}

TEST(known_messages_have_their_known_hashes)
{
	struct sha256 s;

	sha256_init(&s);
	for (size_t i = 0; i < COUNT(known); i++) {
		test_case("%zu", i);
		check_hex(sha256_of(&s, str_from(known[i].text)), known[i].hash);
	}
	sha256_free(&s);
	CHECK(!s.md && !s.ctx && !s.peek_ctx);
}

TEST(a_million_letters_hash_the_same_in_pieces_of_any_size)
{
	static const size_t pieces[] = { 1, 7, 63, 64, 65, 1000, 4096, 1000000 };
	char *text = malloc(1000000);
	struct sha256 s;

	memset(text, 'a', 1000000);
	sha256_init(&s);
	for (size_t i = 0; i < COUNT(pieces); i++) {
		sha256_restart(&s);
		for (size_t at = 0; at < 1000000; at += pieces[i])
			sha256_add(&s, str_of(text + at, at + pieces[i] < 1000000 ? pieces[i] : 1000000 - at));
		test_case("%zu", pieces[i]);
		check_hex(sha256_end(&s), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	}
	sha256_free(&s);
	free(text);
}

TEST(a_fresh_context_is_ready_and_a_cut_anywhere_changes_nothing)
{
	struct str text = str_from(known[3].text);

	for (size_t cut = 0; cut <= text.n; cut++) {
		struct sha256 s;

		sha256_init(&s);
		sha256_add(&s, str_of(text.p, cut));
		sha256_add(&s, str_of(NULL, 0));
		sha256_add(&s, str_of(text.p + cut, text.n - cut));
		test_case("%zu", cut);
		check_hex(sha256_end(&s), known[3].hash);
		sha256_free(&s);
	}
}

TEST(a_peek_gives_the_digest_so_far_and_disturbs_nothing)
{
	struct str text = str_from(known[3].text);
	struct sha256 s, other;

	sha256_init(&s);
	sha256_init(&other);
	for (size_t n = 0; n <= text.n; n++) {
		struct digest so_far = sha256_peek(&s), again = sha256_peek(&s);
		struct digest want = sha256_of(&other, str_of(text.p, n));

		test_case("%zu", n);
		CHECK(memcmp(so_far.b, want.b, SHA256_SIZE) == 0);
		CHECK(memcmp(again.b, want.b, SHA256_SIZE) == 0);
		if (n < text.n)
			sha256_add(&s, str_of(text.p + n, 1));
	}
	check_hex(sha256_end(&s), known[3].hash);
	sha256_free(&s);
	sha256_free(&other);
}

TEST(what_was_added_before_a_restart_is_forgotten)
{
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, STR("something else"));
	sha256_restart(&s);
	sha256_add(&s, STR("abc"));
	check_hex(sha256_end(&s), known[1].hash);
	sha256_restart(&s);
	check_hex(sha256_end(&s), known[0].hash);
	sha256_restart(&s);
	sha256_add(&s, STR("something else"));
	check_hex(sha256_of(&s, STR("abc")), known[1].hash);
	sha256_free(&s);
}

TEST(a_digest_is_read_from_64_digits_of_either_case)
{
	static const char upper[] = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD";
	struct digest d = { { 1 } };

	CHECK(!digest_parse(str_of(upper, 63), &d));
	CHECK(!digest_parse(str_of(upper, 62), &d));
	CHECK(!digest_parse(STR(""), &d));
	CHECK(!digest_parse(STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ag"), &d));
	CHECK(!digest_parse(STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad0"), &d));
	CHECK_INT(d.b[0], 1);
	CHECK(digest_parse(str_of(upper, 64), &d));
	check_hex(d, known[1].hash);
}

TEST(digests_are_equal_when_all_their_bytes_are)
{
	struct digest a = { { 1 } }, b = a;

	CHECK(digest_eq(a, b));
	b.b[SHA256_SIZE - 1] = 1;
	CHECK(!digest_eq(a, b));
}
