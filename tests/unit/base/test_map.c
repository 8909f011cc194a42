#include "base/map.h"

#include <stdio.h>

#include "harness/test.h"

TEST(an_empty_map_has_nothing)
{
	struct arena a;
	struct map m;

	arena_init(&a);
	map_init(&m, &a);
	CHECK(!map_find(&m, STR("")));
	CHECK(!map_find(&m, STR("x")));
	CHECK_INT(a.used, 0);
}

TEST(a_key_is_added_once_with_value_0_and_found_again)
{
	struct arena a;
	struct map m;
	bool added;

	arena_init(&a);
	map_init(&m, &a);
	CHECK_INT(*map_add(&m, STR("k"), &added), 0);
	CHECK(added);
	*map_find(&m, STR("k")) = 5;
	CHECK_INT(*map_add(&m, STR("k"), &added), 5);
	CHECK(!added);
	CHECK_INT(m.count, 1);
	CHECK(!map_find(&m, STR("")));
	arena_free(&a);
}

TEST(keys_are_any_bytes_and_are_copied)
{
	static const struct str keys[] = {
		{ "", 0 }, { "\0", 1 }, { "\0\0", 2 }, { "a", 1 }, { "a\0", 2 }, { "\xff", 1 },
	};
	struct arena a;
	struct map m;
	char scratch[4];
	bool added;

	arena_init(&a);
	map_init(&m, &a);
	for (size_t i = 0; i < 6; i++) {
		memcpy(scratch, keys[i].p, keys[i].n);
		*map_add(&m, str_of(scratch, keys[i].n), &added) = i;
		CHECK(added);
		memset(scratch, 'x', sizeof(scratch));
	}
	for (size_t i = 0; i < 6; i++)
		CHECK_INT(*map_find(&m, keys[i]), i);
	CHECK_INT(*map_add(&m, str_of(NULL, 0), &added), 0);
	CHECK(!added);
	arena_free(&a);
}

TEST(a_hundred_thousand_keys_are_all_found_and_no_others)
{
	struct arena a;
	struct map m;
	char text[32];
	bool added;

	arena_init(&a);
	map_init(&m, &a);
	for (unsigned i = 0; i < 100000; i++) {
		*map_add(&m, str_of(text, (size_t)snprintf(text, sizeof(text), "key %u", i * 7)), &added) = i;
		CHECK(added);
	}
	CHECK_INT(m.count, 100000);
	CHECK((m.cap & (m.cap - 1)) == 0 && m.cap > m.count);
	for (unsigned i = 0; i < 700000; i++) {
		uint64_t *v = map_find(&m, str_of(text, (size_t)snprintf(text, sizeof(text), "key %u", i)));

		CHECK((v != NULL) == (i % 7 == 0));
		CHECK(!v || *v == i / 7);
	}
	arena_free(&a);
}
