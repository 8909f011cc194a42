#include "harness/test.h"

#include <stdio.h>

#include "json/shape.h"

static uint16_t walk(struct json_shapes *s, const char *const *names)
{
	uint16_t shape = SHAPE_EMPTY;
	bool duplicate;

	for (; *names; names++)
		shape = shapes_step(s, shape, shapes_key(s, str_from(*names)), &duplicate);
	return shape;
}

TEST(equal_names_have_one_number_and_others_another)
{
	struct json_shapes s;
	uint32_t a;

	shapes_init(&s);
	a = shapes_key(&s, STR("a"));
	CHECK_INT(shapes_key(&s, STR("a")), a);
	CHECK(shapes_key(&s, STR("b")) != a);
	CHECK(shapes_key(&s, STR("a\0")) != a);
	shapes_free(&s);
}

TEST(the_same_names_in_the_same_order_have_one_shape)
{
	static const char *const ab[] = { "a", "b", NULL }, *const ba[] = { "b", "a", NULL };
	struct json_shapes s;

	shapes_init(&s);
	CHECK_INT(walk(&s, ab), walk(&s, ab));
	CHECK(walk(&s, ab) != walk(&s, ba));
	shapes_free(&s);
}

TEST(a_step_by_a_name_the_shape_has_is_a_duplicate)
{
	static const char *const ab[] = { "a", "b", NULL };
	struct json_shapes s;
	bool duplicate;

	shapes_init(&s);
	CHECK_INT(shapes_step(&s, walk(&s, ab), shapes_key(&s, STR("a")), &duplicate), SHAPE_NONE);
	CHECK(duplicate);
	CHECK(shapes_step(&s, walk(&s, ab), shapes_key(&s, STR("c")), &duplicate) != SHAPE_NONE);
	CHECK(!duplicate);
	shapes_free(&s);
}

TEST(long_objects_have_no_shape)
{
	struct json_shapes s;
	uint16_t shape = SHAPE_EMPTY;
	bool duplicate;
	char name[16];

	shapes_init(&s);
	for (int i = 0; i <= SHAPE_MEMBERS_MAX; i++) {
		CHECK(shape != SHAPE_NONE);
		snprintf(name, sizeof(name), "k%d", i);
		shape = shapes_step(&s, shape, shapes_key(&s, str_from(name)), &duplicate);
	}
	CHECK_INT(shape, SHAPE_NONE);
	CHECK_INT(shapes_step(&s, SHAPE_NONE, shapes_key(&s, STR("more")), &duplicate), SHAPE_NONE);
	CHECK(!duplicate);
	shapes_free(&s);
}

TEST(tables_that_are_full_are_emptied_when_asked_and_not_before)
{
	struct json_shapes s;
	char name[16];

	shapes_init(&s);
	for (int i = 0; i < SHAPE_KEYS_MAX; i++) {
		snprintf(name, sizeof(name), "k%d", i);
		CHECK_INT(shapes_key(&s, str_from(name)), i);
	}
	CHECK(s.full);
	CHECK_INT(shapes_key(&s, STR("k17")), 17);
	shapes_empty_if_full(&s);
	CHECK_INT(s.key_count, 0);
	CHECK_INT(s.epoch, 1);
	shapes_empty_if_full(&s);
	CHECK_INT(s.epoch, 1);
	shapes_free(&s);
}

TEST(shapes_without_end_stop_at_the_bound)
{
	struct json_shapes s;
	bool duplicate;
	char name[16];
	int made = 0;

	shapes_init(&s);
	for (int i = 0; i < SHAPE_MAX + 100; i++) {
		snprintf(name, sizeof(name), "k%d", i);
		made += shapes_step(&s, SHAPE_EMPTY, shapes_key(&s, str_from(name)), &duplicate) != SHAPE_NONE;
	}
	CHECK_INT(made, SHAPE_MAX - SHAPE_EMPTY - 1);
	CHECK(s.full);
	shapes_free(&s);
}

TEST(a_guess_is_the_latest_step_and_the_one_before_it)
{
	static const char *const a[] = { "a", NULL }, *const b[] = { "b", NULL };
	struct json_shapes s;
	uint16_t to_a, to_b;

	shapes_init(&s);
	to_a = walk(&s, a);
	to_b = walk(&s, b);
	shapes_guess(&s, SHAPE_EMPTY, to_a, 0, STR("\"a\":"), 1);
	shapes_guess(&s, SHAPE_EMPTY, to_b, 1, STR("\"b\": "), 1);
	CHECK_INT(s.shapes[SHAPE_EMPTY].guess[0].to, to_b);
	CHECK_INT(s.shapes[SHAPE_EMPTY].guess[0].bytes_len, 5);
	CHECK_INT(s.shapes[SHAPE_EMPTY].guess[0].mask, 31);
	CHECK_INT(s.shapes[SHAPE_EMPTY].guess[1].to, to_a);
	shapes_guess(&s, SHAPE_EMPTY, to_a, 0, STR("\"a\":                              "), 1);
	CHECK_INT(s.shapes[SHAPE_EMPTY].guess[0].to, to_b);
	shapes_free(&s);
}

TEST(the_canonical_order_is_that_of_UTF_16_units)
{
	static const char *const names[] = { "b", "\xef\xac\xb3", "a", "\xf0\x9f\x98\x80", "", NULL };
	static const uint8_t order[] = { 4, 2, 0, 3, 1 };
	static const char *const sorted[] = { "a", "b", NULL };
	struct json_shapes s;
	const struct shape *sh;

	shapes_init(&s);
	sh = shapes_order(&s, walk(&s, names));
	CHECK(!sh->sorted);
	for (size_t i = 0; i < sizeof(order); i++)
		CHECK_INT(sh->order[i], order[i]);
	CHECK(shapes_order(&s, walk(&s, sorted))->sorted);
	CHECK(shapes_order(&s, SHAPE_EMPTY)->sorted);
	shapes_free(&s);
}

TEST(a_name_has_its_canonical_text_with_comma_and_colon)
{
	struct json_shapes s;

	shapes_init(&s);
	CHECK_STR(shapes_key_canon(&s, shapes_key(&s, STR("a\"\n"))), STR(",\"a\\\"\\n\":"));
	CHECK_STR(shapes_key_canon(&s, shapes_key(&s, STR(""))), STR(",\"\":"));
	shapes_free(&s);
}
