#include "base/crypto/ed25519.h"

#include <openssl/err.h>

#include "base/crypto/hex.h"
#include "harness/test.h"

static void from_hex(const char *hex, uint8_t *out, size_t n)
{
	CHECK(hex_parse(str_from(hex), out, n));
}

/* RFC 8032, 7.1: tests 1 and 2. */
static const struct {
	const char *seed, *key, *text, *signature;
} published[] = {
	{ "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
	  "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
	  "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
	  "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b" },
	{ "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
	  "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "\x72",
	  "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
	  "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00" },
};

TEST(the_published_seeds_have_the_published_keys_and_signatures)
{
	struct err err = { .kind = ERR_NONE };

	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		uint8_t seed[ED25519_SEED], key[ED25519_PUBLIC], want[ED25519_SIGNATURE], got[ED25519_SIGNATURE], public[ED25519_PUBLIC];
		struct str text = str_from(published[i].text);

		test_case("%zu", i);
		from_hex(published[i].seed, seed, sizeof(seed));
		from_hex(published[i].key, key, sizeof(key));
		from_hex(published[i].signature, want, sizeof(want));
		CHECK(ed25519_public(seed, public, &err));
		CHECK(memcmp(public, key, sizeof(key)) == 0);
		CHECK(ed25519_sign(seed, text, got, &err));
		CHECK(memcmp(got, want, sizeof(want)) == 0);
		CHECK(ed25519_is_signed(key, text, got));
		CHECK_INT(err.kind, ERR_NONE);
	}
}

TEST(a_changed_bit_of_key_text_or_signature_is_seen_and_leaves_no_error_in_the_queue)
{
	uint8_t seed[ED25519_SEED] = { 5 }, key[ED25519_PUBLIC], signature[ED25519_SIGNATURE];
	char text[] = "seven bytes and more";
	struct err err = { .kind = ERR_NONE };

	CHECK(ed25519_public(seed, key, &err));
	CHECK(ed25519_sign(seed, str_from(text), signature, &err));
	for (size_t bit = 0; bit < 8 * sizeof(signature); bit++) {
		signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECK(!ed25519_is_signed(key, str_from(text), signature));
		signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	for (size_t bit = 0; bit < 8 * sizeof(key); bit++) {
		key[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECK(!ed25519_is_signed(key, str_from(text), signature));
		key[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	text[3] ^= 1;
	CHECK(!ed25519_is_signed(key, str_from(text), signature));
	text[3] ^= 1;
	CHECK(!ed25519_is_signed(key, str_of(text, 19), signature));
	CHECK(ed25519_is_signed(key, str_from(text), signature));
	CHECK_INT(ERR_peek_error(), 0);
}

static struct str member(struct str line, const char *name)
{
	size_t at = str_find(line, str_from(name));
	struct str rest;

	CHECK(at != (size_t)-1);
	str_cut(str_of(line.p + at + strlen(name), line.n - at - strlen(name)), '"', &rest);
	return str_cut(rest, '"', &rest);
}

TEST(points_at_the_edges_of_the_curve_are_judged_as_openssl_does)
{
	struct str rest = test_read(test_shared("corpora/06-merkle-notes/dev/ed25519/cctv.jsonl"));
	size_t accepted = 0, refused = 0;

	while (rest.n > 0) {
		struct str line = str_cut(rest, '\n', &rest);
		bool want = str_eq(member(line, "\"openssl\":"), STR("accept"));
		uint8_t key[ED25519_PUBLIC], signature[ED25519_SIGNATURE];

		test_case("%.*s", STR_ARG(line));
		CHECK(hex_parse(member(line, "\"key\":"), key, sizeof(key)));
		CHECK(hex_parse(member(line, "\"sig\":"), signature, sizeof(signature)));
		CHECK_INT(ed25519_is_signed(key, member(line, "\"msg\":"), signature), want);
		accepted += want;
		refused += !want;
	}
	CHECK(accepted > 0 && refused > 0);
}
