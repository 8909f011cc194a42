#include "replay/ties.h"

#include "harness/test.h"

TEST(values_are_tied_one_for_one_all_or_none)
{
	struct arena a;
	struct ties t;
	size_t r[3], l[3];

	arena_init(&a);
	ties_init(&t, &a);
	for (size_t i = 0; i < 3; i++) {
		r[i] = ties_add(&t, TIES_RECORDED, arena_printf(&a, "r%zu", i));
		l[i] = ties_add(&t, TIES_LIVE, arena_printf(&a, "l%zu", i));
	}
	CHECK_INT(ties_add(&t, TIES_LIVE, STR("l1")), l[1]);
	CHECK(ties_join(&t, (size_t[]){ r[0], r[1], r[0] }, (size_t[]){ l[0], l[1], l[0] }, 3, false));
	CHECK_STR(ties_live_of(&t, STR("r0")), STR("l0"));
	CHECK_INT(t.changed, 2);
	/* r2 and l2 are free, but r0 is not */
	CHECK(!ties_join(&t, (size_t[]){ r[2], r[0] }, (size_t[]){ l[2], l[1] }, 2, false));
	CHECK_STR(ties_live_of(&t, STR("r2")), STR("r2"));
	CHECK(!ties_join(&t, (size_t[]){ r[2] }, (size_t[]){ l[1] }, 1, false));
	CHECK(!ties_join(&t, (size_t[]){ r[0] }, (size_t[]){ l[2] }, 1, false));
	CHECK(!ties_join(&t, (size_t[]){ r[2], r[2] }, (size_t[]){ l[2], l[0] }, 2, false));
	CHECK_INT(t.changed, 2);
	CHECK(ties_join(&t, &r[2], &l[2], 1, false));
	CHECK_STR(ties_live_of(&t, STR("r2")), STR("l2"));
	CHECK_STR(ties_live_of(&t, STR("unknown")), STR("unknown"));
	CHECK(!ties_find(&t, TIES_LIVE, STR("unknown")));
	arena_free(&a);
}

TEST(one_time_of_the_recorded_run_may_be_two_of_this_one_where_that_is_allowed)
{
	struct arena a;
	struct ties t;
	size_t then, now, later, id, other, third;

	arena_init(&a);
	ties_init(&t, &a);
	then = ties_add(&t, TIES_RECORDED, STR("2026-07-01T10:00:00Z"));
	now = ties_add(&t, TIES_LIVE, STR("2026-07-02T10:00:00Z"));
	later = ties_add(&t, TIES_LIVE, STR("2026-07-02T10:00:01Z"));
	id = ties_add(&t, TIES_RECORDED, STR("4924b409-9b0e-484a-9762-da8aa6f6254c"));
	other = ties_add(&t, TIES_LIVE, STR("acccd131-5bc6-426a-8938-4389fb6413ea"));
	third = ties_add(&t, TIES_LIVE, STR("80ef738b-0967-483c-a7c2-29c4a03b0d9b"));
	CHECK(ties_join(&t, &then, &now, 1, false) && ties_join(&t, &id, &other, 1, false));
	CHECK(!ties_join(&t, &then, &later, 1, false));
	CHECK(ties_join(&t, &then, &later, 1, true));
	CHECK(!ties_join(&t, &id, &third, 1, true)); /* an id never */
	arena_free(&a);
}
