#include "watch/table.h"

#include "base/arena.h"
#include "harness/test.h"

struct item {
	struct hash key;
	unsigned n;
};

static struct hash key_of(unsigned n)
{
	return str_hash_wide(str_of(&n, sizeof(n)));
}

static void fill(struct table *t, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		bool added;
		struct item *item = table_add(t, key_of(i), &added);

		CHECK(item && added);
		CHECK_INT(item->n, 0);
		item->n = i;
	}
}

static bool keep_even(void *context, void *item)
{
	(*(unsigned *)context)++;
	return ((struct item *)item)->n % 2 == 0;
}

TEST(what_was_added_is_found_and_added_only_once)
{
	struct table t;
	bool added;

	table_init(&t, sizeof(struct item), 100000);
	CHECK(!table_find(&t, key_of(1)));
	fill(&t, 0, 5000);
	for (unsigned i = 0; i < 5000; i++) {
		struct item *item = table_add(&t, key_of(i), &added);

		CHECK(item && !added && item == table_find(&t, key_of(i)));
		CHECK_INT(item->n, i);
	}
	CHECK(!table_find(&t, key_of(5000)));
	CHECK_INT(t.count, 5000);
	table_free(&t);
}

TEST(a_full_table_takes_nothing_new_and_still_finds_the_old)
{
	struct table t;
	bool added = true;

	table_init(&t, sizeof(struct item), 100);
	fill(&t, 0, 100);
	CHECK(table_is_tight(&t));
	CHECK(!table_add(&t, key_of(100), &added) && !added);
	CHECK(table_add(&t, key_of(7), &added) && !added);
	table_free(&t);
}

TEST(what_is_not_kept_is_gone_and_leaves_room)
{
	struct table t;
	unsigned asked = 0;

	table_init(&t, sizeof(struct item), 1000);
	fill(&t, 0, 1000);
	table_keep(&t, keep_even, &asked);
	CHECK_INT(asked, 1000);
	CHECK_INT(t.count, 500);
	for (unsigned i = 0; i < 1000; i++)
		CHECK((table_find(&t, key_of(i)) != NULL) == (i % 2 == 0));
	for (size_t i = 0; i < t.count; i++)
		CHECK_INT(((struct item *)table_at(&t, i))->n, 2 * i); /* in their order */
	fill(&t, 1000, 1500);
	CHECK_INT(t.count, 1000);
	table_free(&t);
}

TEST(a_table_that_is_freed_can_be_used_again)
{
	struct table t;

	table_init(&t, sizeof(struct item), 10);
	fill(&t, 0, 10);
	table_free(&t);
	CHECK_INT(t.count, 0);
	fill(&t, 0, 10);
	table_free(&t);
}
