#include "harness/test.h"
#include "ledger/dir/wal.h"
#include "ledger/tile.h"

static struct sha256 sha;
static const struct wal_key key = { { { 1, 2, 3 } } }, other = { { { 1, 2, 4 } } };

static void fill(struct buf *out)
{
	struct buf bundle;

	sha256_init(&sha);
	buf_init(out);
	buf_init(&bundle);
	bundle_add(&bundle, STR("one"));
	bundle_add(&bundle, STR("two"));
	wal_add_frame(out, &sha, &key, 5, 2, buf_str(&bundle));
	buf_clear(&bundle);
	bundle_add(&bundle, STR("three"));
	wal_add_frame(out, &sha, &key, 7, 1, buf_str(&bundle));
	buf_free(&bundle);
}

TEST(frames_come_back_as_they_went_in)
{
	struct wal_frame f;
	struct str rest;
	struct buf out;

	fill(&out);
	rest = buf_str(&out);
	CHECK(wal_next(&rest, &sha, &key, &f));
	CHECK_INT(f.first, 5);
	CHECK_INT(f.count, 2);
	CHECK_STR(f.bundle, STR("\0\3one\0\3two"));
	CHECK_INT(f.size, WAL_OVERHEAD + 10);
	CHECK_INT(f.proof, WAL_PROVEN);
	CHECK_STR(str_of(f.last.b, SHA256_SIZE), str_of(out.p + f.size - SHA256_SIZE, SHA256_SIZE));
	CHECK(wal_next(&rest, &sha, &key, &f));
	CHECK_INT(f.first, 7);
	CHECK(!wal_next(&rest, &sha, &key, &f));
	CHECK_INT(rest.n, 0);
	buf_free(&out);
}

/* The code was worked out with Python's hmac and hashlib, not by this code. */
TEST(a_frame_has_the_bytes_the_format_says)
{
	static const char head[] = "LW2\0\0\0\0\x0f\0\0\0\0\0\0\0\1\0\0\0\1\0\1x";
	struct digest d;
	struct buf out;

	sha256_init(&sha);
	buf_init(&out);
	wal_add_frame(&out, &sha, &key, 1, 1, STR("\0\1x"));
	CHECK_INT(out.n, 23 + 2 * SHA256_SIZE);
	CHECK_STR(str_of(out.p, 23), str_of(head, 23));
	CHECK(digest_parse(STR("fa04f3c923bd216dc68ac8494bfe741f44ad17cfaddbcf2b4594c4909e854c3b"), &d));
	CHECK_STR(str_of(out.p + 23, SHA256_SIZE), str_of(d.b, SHA256_SIZE));
	CHECK(digest_parse(STR("f509dde1fc1a173566c88205e0c86ec4b07a28441453e212a6b08ee939584b7c"), &d));
	CHECK_STR(str_of(out.p + 23 + SHA256_SIZE, SHA256_SIZE), str_of(d.b, SHA256_SIZE));
	buf_free(&out);
}

/* RFC 5869 by hand: the name of the log is the salt, so that no log's frames are another's. */
TEST(the_key_follows_from_the_private_key_and_the_name_of_the_log)
{
	const uint8_t seed[ED25519_SEED] = { 7 };
	struct wal_key a, b;
	struct digest d;

	wal_key_init(&a, seed, STR("ledger.example/test"));
	wal_key_init(&b, seed, STR("ledger.example/test/diagnostic"));
	CHECK(digest_parse(STR("30428f6e5ea937f47cc4f4e2fc570a09f7f735e2367879668afdee9e6e7a178b"), &d));
	CHECK(memcmp(a.secret.b, d.b, SHA256_SIZE) == 0);
	CHECK(memcmp(a.secret.b, b.secret.b, SHA256_SIZE) != 0);
}

TEST(a_frame_is_whole_whoever_wrote_it_but_proven_only_by_the_key)
{
	struct wal_frame f;
	struct str rest;
	struct buf out;

	fill(&out);
	rest = buf_str(&out);
	CHECK(wal_next(&rest, &sha, &other, &f));
	CHECK_INT(f.proof, WAL_FALSE);
	rest = buf_str(&out);
	CHECK(wal_next(&rest, &sha, NULL, &f));
	CHECK_INT(f.proof, WAL_UNKNOWN);
	CHECK_INT(f.count, 2);
	buf_free(&out);
}

/* As version 0.1 wrote it; worked out with printf and sha256sum, not by this code. */
TEST(a_frame_of_version_0_1_is_read_and_is_not_proven)
{
	char bytes[23 + SHA256_SIZE] = "";
	struct str rest = str_of(bytes, sizeof(bytes));
	struct wal_frame f;
	struct digest d;

	sha256_init(&sha);
	memcpy(bytes, "LW1\0\0\0\0\x0f\0\0\0\0\0\0\0\1\0\0\0\1\0\1x", 23);
	CHECK(digest_parse(STR("289b8bec3d4191a7d60701ae3d637bee8a7ff0342ef1f63294ce76350c253006"), &d));
	memcpy(bytes + 23, d.b, SHA256_SIZE);
	CHECK(wal_next(&rest, &sha, &key, &f));
	CHECK_INT(f.proof, WAL_OLD);
	CHECK_INT(f.first, 1);
	CHECK_INT(f.count, 1);
	CHECK_STR(f.bundle, STR("\0\1x"));
	CHECK_INT(f.size, sizeof(bytes));
	CHECK_INT(rest.n, 0);
	for (size_t n = 0; n < sizeof(bytes); n++) {
		rest = str_of(bytes, n);
		CHECK(!wal_next(&rest, &sha, &key, &f));
	}
	bytes[22] = 'y';
	rest = str_of(bytes, sizeof(bytes));
	CHECK(!wal_next(&rest, &sha, &key, &f));
}

TEST(a_frame_that_is_cut_anywhere_is_none)
{
	struct wal_frame f;
	struct buf out;

	fill(&out);
	for (size_t n = 0; n < out.n; n++) {
		char *copy = test_alloc(n + 1);
		struct str rest = str_of(copy, n);
		size_t whole = WAL_OVERHEAD + 10;

		memcpy(copy, out.p, n);
		test_case("%zu bytes", n);
		CHECK(wal_next(&rest, &sha, &key, &f) == (n >= whole));
		if (n >= whole)
			CHECK(!wal_next(&rest, &sha, &key, &f));
	}
	buf_free(&out);
}

TEST(a_frame_with_any_bit_changed_is_none)
{
	struct wal_frame f;
	struct buf out;

	fill(&out);
	for (size_t bit = 0; bit < 8 * (WAL_OVERHEAD + 10); bit++) {
		struct str rest = buf_str(&out);

		out.p[bit / 8] = (char)(out.p[bit / 8] ^ 1 << bit % 8);
		test_case("bit %zu", bit);
		CHECK(!wal_next(&rest, &sha, &key, &f));
		out.p[bit / 8] = (char)(out.p[bit / 8] ^ 1 << bit % 8);
	}
	buf_free(&out);
}

TEST(lengths_that_lie_are_refused)
{
	const struct str cases[] = {
		STR("LW1\0\xff\xff\xff\xff"), STR("LW1\0\0\0\0\0"), STR("LW1\0\0\0\0\x0b"), STR("LW2\0\0\0\0\x0f"),
		STR("LW2\0\xff\xff\xff\xff"), STR("LW2\0\0\0\0\x0b"), STR("LW3\0\0\0\0\x0f"), STR(""),
	};
	struct wal_frame f;

	sha256_init(&sha);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char bytes[100] = { 0 };
		struct str rest = str_of(bytes, sizeof(bytes));

		memcpy(bytes, cases[i].p, cases[i].n);
		test_case("%zu", i);
		CHECK(!wal_next(&rest, &sha, &key, &f));
		CHECK_INT(rest.n, sizeof(bytes));
	}
}
