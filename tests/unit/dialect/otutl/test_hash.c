#include "dialect/otutl/hash.h"

#include "harness/test.h"

static const struct str text = { "{}{\"a\":1}[]0", 12 };
static const size_t ends[] = { 2, 9, 11, 12 };

static bool same(struct digest a, struct digest b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

TEST(the_run_hash_is_over_the_bytes_the_file_hash_over_the_lines_the_root_over_the_leaves)
{
	struct otutl_hash h;
	struct sha256 s;
	struct merkle m;

	otutl_hash_init(&h);
	sha256_init(&s);
	otutl_hash_add(&h, text, ends, NULL, 4);
	CHECK(same(otutl_hash_get(&h).run, sha256_of(&s, text)));
	CHECK(same(otutl_hash_get(&h).file, sha256_of(&s, STR("{}\n{\"a\":1}\n[]\n0\n"))));
	merkle_init(&m);
	merkle_add(&m, &s, merkle_leaf(&s, STR("{}")));
	merkle_add(&m, &s, merkle_leaf(&s, STR("{\"a\":1}")));
	merkle_add(&m, &s, merkle_leaf(&s, STR("[]")));
	merkle_add(&m, &s, merkle_leaf(&s, STR("0")));
	CHECK(same(otutl_hash_get(&h).root, merkle_root(&m, &s)));
	sha256_free(&s);
	otutl_hash_free(&h);
}

TEST(it_does_not_matter_in_how_many_pieces_records_come_or_who_makes_the_leaves)
{
	struct otutl_hash whole, pieces;
	struct sha256 s;

	otutl_hash_init(&whole);
	otutl_hash_init(&pieces);
	sha256_init(&s);
	otutl_hash_add(&whole, text, ends, NULL, 4);
	otutl_hash_add(&pieces, STR("not this log"), &(size_t){ 12 }, NULL, 1);
	otutl_hash_restart(&pieces);
	for (size_t i = 0, from = 0; i < 4; from = ends[i++]) {
		struct str one = str_of(text.p + from, ends[i] - from);
		struct digest leaf = merkle_leaf(&s, one);

		otutl_hash_add(&pieces, one, &one.n, &leaf, 1);
	}
	CHECK(same(otutl_hash_get(&whole).run, otutl_hash_get(&pieces).run));
	CHECK(same(otutl_hash_get(&whole).file, otutl_hash_get(&pieces).file));
	CHECK(same(otutl_hash_get(&whole).root, otutl_hash_get(&pieces).root));
	sha256_free(&s);
	otutl_hash_free(&pieces);
	otutl_hash_free(&whole);
}

TEST(asking_for_a_hash_does_not_end_it)
{
	struct otutl_hash h;
	struct digest before;

	otutl_hash_init(&h);
	otutl_hash_add(&h, STR("{}"), ends, NULL, 1);
	before = otutl_hash_get(&h).run;
	otutl_hash_get(&h);
	CHECK(same(before, otutl_hash_get(&h).run));
	otutl_hash_add(&h, str_of(text.p + 2, 10), (size_t[]){ 7, 9, 10 }, NULL, 3);
	CHECK(!same(before, otutl_hash_get(&h).run));
	otutl_hash_free(&h);
}
