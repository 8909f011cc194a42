#include "harness/test.h"
#include "ledger/tile.h"
#include "ledger/wal.h"

static struct sha256 sha;

static void fill(struct buf *out)
{
	struct buf bundle;

	sha256_init(&sha);
	buf_init(out);
	buf_init(&bundle);
	bundle_add(&bundle, STR("one"));
	bundle_add(&bundle, STR("two"));
	wal_add_frame(out, &sha, 5, 2, buf_str(&bundle));
	buf_clear(&bundle);
	bundle_add(&bundle, STR("three"));
	wal_add_frame(out, &sha, 7, 1, buf_str(&bundle));
	buf_free(&bundle);
}

TEST(frames_come_back_as_they_went_in)
{
	struct wal_frame f;
	struct str rest;
	struct buf out;

	fill(&out);
	rest = buf_str(&out);
	CHECK(wal_next(&rest, &sha, &f));
	CHECK_INT(f.first, 5);
	CHECK_INT(f.count, 2);
	CHECK_STR(f.bundle, STR("\0\3one\0\3two"));
	CHECK_INT(f.size, WAL_OVERHEAD + 10);
	CHECK_STR(str_of(f.digest.b, SHA256_SIZE), str_of(out.p + f.size - SHA256_SIZE, SHA256_SIZE));
	CHECK(wal_next(&rest, &sha, &f));
	CHECK_INT(f.first, 7);
	CHECK(!wal_next(&rest, &sha, &f));
	CHECK_INT(rest.n, 0);
	buf_free(&out);
}

/* Worked out with printf and sha256sum, not by this code. */
TEST(a_frame_has_the_bytes_the_format_says)
{
	struct buf out;
	struct digest d;
	char hex[SHA256_HEX];

	sha256_init(&sha);
	buf_init(&out);
	wal_add_frame(&out, &sha, 1, 1, STR("\0\1x"));
	CHECK_STR(str_of(out.p, 23), STR("LW1\0\0\0\0\x0f\0\0\0\0\0\0\0\1\0\0\0\1\0\1x"));
	CHECK_INT(out.n, 23 + SHA256_SIZE);
	d = sha256_of(&sha, STR("LW1\0\0\0\0\0\0\0\0\1\0\0\0\1\0\1x"));
	CHECK_STR(str_of(out.p + 23, SHA256_SIZE), str_of(d.b, SHA256_SIZE));
	digest_hex(hex, d);
	CHECK_STR(str_of(hex, sizeof(hex)), STR("289b8bec3d4191a7d60701ae3d637bee8a7ff0342ef1f63294ce76350c253006"));
	buf_free(&out);
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
		CHECK(wal_next(&rest, &sha, &f) == (n >= whole));
		if (n >= whole)
			CHECK(!wal_next(&rest, &sha, &f));
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
		CHECK(!wal_next(&rest, &sha, &f));
		out.p[bit / 8] = (char)(out.p[bit / 8] ^ 1 << bit % 8);
	}
	buf_free(&out);
}

TEST(lengths_that_lie_are_refused)
{
	const struct str cases[] = {
		STR("LW1\0\xff\xff\xff\xff"), STR("LW1\0\0\0\0\0"), STR("LW1\0\0\0\0\x0b"), STR("LW2\0\0\0\0\x0f"), STR(""),
	};
	struct wal_frame f;

	sha256_init(&sha);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char bytes[100] = { 0 };
		struct str rest = str_of(bytes, sizeof(bytes));

		memcpy(bytes, cases[i].p, cases[i].n);
		test_case("%zu", i);
		CHECK(!wal_next(&rest, &sha, &f));
		CHECK_INT(rest.n, sizeof(bytes));
	}
}
