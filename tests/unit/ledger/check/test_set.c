#include "ledger/check/set.h"

#include "harness/test.h"

TEST(a_name_is_new_once_and_keeps_its_number)
{
	struct check_set s = { .slots = NULL };
	bool added;

	CHECK(check_set_find(&s, str_hash_wide(STR("a"))) == NULL);
	CHECK(*check_set_add(&s, str_hash_wide(STR("a")), 7, &added) == 7 && added);
	CHECK(*check_set_add(&s, str_hash_wide(STR("a")), 8, &added) == 7 && !added);
	CHECK(*check_set_find(&s, str_hash_wide(STR("a"))) == 7);
	*check_set_find(&s, str_hash_wide(STR("a"))) = 9;
	CHECK(*check_set_find(&s, str_hash_wide(STR("a"))) == 9);
	CHECK(check_set_find(&s, str_hash_wide(STR("b"))) == NULL);
	check_set_free(&s);
	CHECK(s.slots == NULL && s.cap == 0);
}

TEST(many_names_are_all_found_again)
{
	struct check_set s = { .slots = NULL };
	bool added;

	for (uint64_t i = 0; i < 100000; i++) {
		check_set_add(&s, str_hash_wide(str_of(&i, sizeof(i))), i, &added);
		CHECK(added);
	}
	CHECK_INT(s.count, 100000);
	for (uint64_t i = 0; i < 100000; i++)
		CHECK_INT(*check_set_find(&s, str_hash_wide(str_of(&i, sizeof(i)))), i);
	check_set_free(&s);
}

TEST(the_hash_that_marks_free_places_is_a_hash_like_any_other)
{
	struct check_set s = { .slots = NULL };
	bool added;

	check_set_add(&s, (struct hash){ 0, 0 }, 3, &added);
	CHECK(added);
	CHECK_INT(*check_set_find(&s, (struct hash){ 0, 0 }), 3);
	check_set_free(&s);
}
