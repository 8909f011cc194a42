#include "base/crypto/merkle.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/crypto/hex.h"
#include "harness/test.h"

#define LEAVES 70

static bool same(struct digest a, struct digest b)
{
	return memcmp(a.b, b.b, SHA256_SIZE) == 0;
}

/* MTH as the RFC writes it down. */
static struct digest naive_root(struct sha256 *s, const struct digest *leaves, size_t n)
{
	uint8_t both[65] = { 1 };
	struct digest left, right;
	size_t k = 1;

	if (n == 0)
		return sha256_of(s, STR(""));
	if (n == 1)
		return leaves[0];
	while (2 * k < n)
		k *= 2;
	left = naive_root(s, leaves, k);
	right = naive_root(s, leaves + k, n - k);
	memcpy(both + 1, left.b, 32);
	memcpy(both + 33, right.b, 32);
	return sha256_of(s, str_of(both, 65));
}

TEST(the_root_of_every_small_tree_is_as_the_recursion_gives_it)
{
	struct digest leaves[LEAVES];
	struct sha256 s;
	struct merkle m;

	sha256_init(&s);
	merkle_init(&m);
	for (size_t n = 0; n <= LEAVES; n++) {
		test_case("%zu leaves", n);
		CHECK_INT(m.count, n);
		CHECK_INT(m.depth, __builtin_popcountll(n));
		CHECK(same(merkle_root(&m, &s), naive_root(&s, leaves, n)));
		CHECK(same(merkle_root(&m, &s), naive_root(&s, leaves, n)));
		if (n == LEAVES)
			break;
		leaves[n] = merkle_leaf(&s, str_of(&n, sizeof(n)));
		merkle_add(&m, &s, leaves[n]);
	}
	merkle_init(&m);
	CHECK(same(merkle_root(&m, &s), sha256_of(&s, STR(""))));
	sha256_free(&s);
}

TEST(a_node_is_the_hash_of_a_one_and_both_sides_in_their_order)
{
	struct digest a = { { 1 } }, b = { { 2 } };
	uint8_t both[65] = { 1, 1 };
	struct sha256 s;

	both[33] = 2;
	sha256_init(&s);
	CHECK(same(merkle_node(&s, a, b), sha256_of(&s, str_of(both, 65))));
	CHECK(!same(merkle_node(&s, a, b), merkle_node(&s, b, a)));
	sha256_free(&s);
}

/* The next quoted text, between the quotes. */
static struct str next_quoted(struct str *rest)
{
	str_cut(*rest, '"', rest);
	return str_cut(*rest, '"', rest);
}

static struct str after(struct str text, const char *name)
{
	size_t at = str_find(text, str_from(name));

	CHECK(at != (size_t)-1);
	return str_of(text.p + at + strlen(name) + 1, text.n - at - strlen(name) - 1);
}

TEST(the_reference_leaves_have_the_reference_roots)
{
	struct str file = test_read(test_shared("corpora/06-merkle-notes/dev/roots/rfc6962_reference.json"));
	struct str inputs = after(file, "leaf_inputs_hex"), hashes = after(file, "leaf_hashes_hex");
	struct str roots = after(file, "root_by_size_hex");
	struct digest want;
	struct sha256 s;
	struct merkle m;

	sha256_init(&s);
	merkle_init(&m);
	for (size_t n = 0;; n++) {
		struct str hex;
		struct digest leaf;
		char bytes[64];

		test_case("%zu leaves", n);
		CHECK(digest_parse(next_quoted(&roots), &want));
		CHECK(same(merkle_root(&m, &s), want));
		if (n == 8)
			break;
		hex = next_quoted(&inputs);
		CHECK(hex_parse(hex, bytes, hex.n / 2));
		leaf = merkle_leaf(&s, str_of(bytes, hex.n / 2));
		CHECK(digest_parse(next_quoted(&hashes), &want));
		CHECK(same(leaf, want));
		merkle_add(&m, &s, leaf);
	}
	sha256_free(&s);
}

static struct digest from_base64(struct str text)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct digest d;
	uint32_t bits = 0;
	size_t n = 0;
	int have = 0;

	CHECK_INT(text.n, 44);
	for (size_t i = 0; i < 43; i++) {
		bits = bits << 6 | (uint32_t)(strchr(alphabet, text.p[i]) - alphabet);
		have += 6;
		if (have >= 8) {
			have -= 8;
			d.b[n++] = (uint8_t)(bits >> have);
		}
	}
	return d;
}

/* A checkpoint is three lines, a blank one and signatures: origin, size, root. */
static void check_checkpoint(const char *path, const struct digest *leaves, size_t most, struct sha256 *s)
{
	struct str rest = test_read(path), size;
	struct digest want;
	struct merkle m;
	size_t n;

	str_cut(rest, '\n', &rest);
	size = str_cut(rest, '\n', &rest);
	n = (size_t)strtoul(size.p, NULL, 10);
	want = from_base64(str_cut(rest, '\n', &rest));
	test_case("%s, %zu leaves", path, n);
	CHECK(n <= most);
	merkle_init(&m);
	for (size_t i = 0; i < n; i++)
		merkle_add(&m, s, leaves[i]);
	CHECK(same(merkle_root(&m, s), want));
}

/* Tiles of level 0 are leaf hashes, 32 bytes each; appends them. */
static size_t add_tile(struct digest *leaves, size_t n, const char *path)
{
	struct str tile = test_read(test_shared(path));

	CHECK_INT(tile.n % SHA256_SIZE, 0);
	memcpy(leaves + n, tile.p, tile.n);
	return n + tile.n / SHA256_SIZE;
}

TEST(a_signed_log_of_300_entries_has_the_root_in_its_checkpoint)
{
	static struct digest leaves[512];
	struct sha256 s;
	size_t n;

	sha256_init(&s);
	n = add_tile(leaves, 0, "ledger/ledger/static/tile/0/000");
	n = add_tile(leaves, n, "ledger/ledger/static/tile/0/001.p/44");
	CHECK_INT(n, 300);
	check_checkpoint(test_shared("ledger/ledger/static/checkpoint"), leaves, n, &s);
	sha256_free(&s);
}

TEST(every_checkpoint_of_a_growing_log_has_the_root_of_its_size)
{
	static const int sizes[] = { 0, 1, 3, 5, 7, 8, 9, 10, 11, 12, 13 };
	static struct digest leaves[256];
	struct sha256 s;
	size_t n;

	sha256_init(&s);
	n = add_tile(leaves, 0, "corpora/06-merkle-notes/dev/tlog_tessera/tile/0/000.p/13");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char path[100];

		snprintf(path, sizeof(path), "corpora/06-merkle-notes/dev/tlog_tessera/checkpoint.%d", sizes[i]);
		check_checkpoint(test_shared(path), leaves, n, &s);
	}
	sha256_free(&s);
}

TEST(a_quarter_of_a_million_leaves_fit_in_one_place_of_the_stack)
{
	struct digest d = { { 7 } };
	struct sha256 s;
	struct merkle m;

	sha256_init(&s);
	merkle_init(&m);
	for (size_t i = 0; i < 1 << 18; i++)
		merkle_add(&m, &s, d);
	CHECK_INT(m.depth, 1);
	/* equal leaves make equal subtrees: each level hashes the one below with itself */
	for (int level = 0; level < 18; level++) {
		uint8_t both[65] = { 1 };

		memcpy(both + 1, d.b, 32);
		memcpy(both + 33, d.b, 32);
		d = sha256_of(&s, str_of(both, 65));
	}
	CHECK(same(merkle_root(&m, &s), d));
	sha256_free(&s);
}
