#include "ledger/check/edge.h"

#include "harness/test.h"

static struct digest leaf_of(struct sha256 *s, uint64_t i)
{
	return merkle_leaf(s, str_of(&i, sizeof(i)));
}

TEST(the_root_is_that_of_the_tree_at_every_size)
{
	struct check_edge *e = test_alloc(sizeof(*e));
	struct merkle m;
	struct sha256 s;

	sha256_init(&s);
	check_edge_init(e);
	merkle_init(&m);
	for (uint64_t i = 0; i < 66000; i++) {
		struct digest a, b;

		if (i < 1100 || i > 65500 || i % 1000 == 0) {
			a = check_edge_root(e, &s);
			b = merkle_root(&m, &s);
			test_case("%llu", (unsigned long long)i);
			CHECK(memcmp(a.b, b.b, sizeof(a.b)) == 0);
		}
		CHECK_INT(e->size, i);
		check_edge_add_leaf(e, &s, leaf_of(&s, i));
		merkle_add(&m, &s, leaf_of(&s, i));
	}
	CHECK_INT(e->levels[2].count, 1);
	CHECK_INT(e->levels[1].tile, 1);
	CHECK_INT(e->levels[0].tile, 257);
	sha256_free(&s);
}

TEST(a_level_keeps_the_hashes_of_its_unfinished_tile)
{
	struct check_edge *e = test_alloc(sizeof(*e));
	struct digest first, root;
	struct sha256 s;

	sha256_init(&s);
	check_edge_init(e);
	for (uint64_t i = 0; i < TILE_WIDTH; i++)
		CHECK(check_edge_add(e, &s, 0, leaf_of(&s, i)) == (i == TILE_WIDTH - 1));
	root = check_edge_root(e, &s);
	first = leaf_of(&s, 0);
	CHECK(memcmp(e->levels[0].hashes[0].b, first.b, sizeof(first.b)) == 0);
	CHECK(!check_edge_lift(e, &s, 0));
	CHECK_INT(e->levels[0].count, 0);
	CHECK_INT(e->size, TILE_WIDTH);
	CHECK(memcmp(e->levels[1].hashes[0].b, root.b, sizeof(root.b)) == 0);
	sha256_free(&s);
}
