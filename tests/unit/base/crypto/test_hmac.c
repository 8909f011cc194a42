#include "base/crypto/hmac.h"

#include "base/crypto/hex.h"
#include "harness/test.h"

static struct str from_hex(const char *hex)
{
	size_t n = strlen(hex) / 2;
	uint8_t *out = test_alloc(n + 1);

	CHECK(hex_parse(str_from(hex), out, n));
	return str_of(out, n);
}

static void check_hex(struct digest d, const char *want)
{
	char hex[SHA256_HEX];

	digest_hex(hex, d);
	CHECK_STR(str_of(hex, sizeof(hex)), str_from(want));
}

/* RFC 4231, cases 1, 2 and 6: a short key, a shorter one, and one that is longer than a block. */
TEST(the_published_texts_have_the_published_codes)
{
	char longest[131];

	memset(longest, 0xaa, sizeof(longest));
	check_hex(hmac_of(from_hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"), STR("Hi There")),
		  "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	check_hex(hmac_of(STR("Jefe"), STR("what do ya want for nothing?")),
		  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	check_hex(hmac_of(str_of(longest, sizeof(longest)), STR("Test Using Larger Than Block-Size Key - Hash Key First")),
		  "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

/* RFC 5869, A.1 and A.3: the first 32 bytes of what is derived there. */
TEST(the_published_secrets_have_the_published_keys)
{
	struct str secret = from_hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b");

	check_hex(hmac_derive(secret, from_hex("000102030405060708090a0b0c"), from_hex("f0f1f2f3f4f5f6f7f8f9")),
		  "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
	check_hex(hmac_derive(secret, STR(""), STR("")),
		  "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d");
}

TEST(one_bit_makes_another_code)
{
	struct digest a = hmac_of(STR("key"), STR("text")), b = a;

	CHECK(hmac_is_same(a, b));
	for (size_t bit = 0; bit < 8 * sizeof(b.b); bit++) {
		b.b[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECK(!hmac_is_same(a, b));
		b.b[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}
