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
	CHECK(ties_join(&t, (size_t[]){ r[0], r[1], r[0] }, (size_t[]){ l[0], l[1], l[0] }, 3));
	CHECK_STR(ties_live_of(&t, STR("r0")), STR("l0"));
	CHECK_INT(t.changed, 2);
	/* r2 and l2 are free, but r0 is not */
	CHECK(!ties_join(&t, (size_t[]){ r[2], r[0] }, (size_t[]){ l[2], l[1] }, 2));
	CHECK_STR(ties_live_of(&t, STR("r2")), STR("r2"));
	CHECK(!ties_join(&t, (size_t[]){ r[2] }, (size_t[]){ l[1] }, 1));
	CHECK(!ties_join(&t, (size_t[]){ r[0] }, (size_t[]){ l[2] }, 1));
	CHECK(!ties_join(&t, (size_t[]){ r[2], r[2] }, (size_t[]){ l[2], l[0] }, 2));
	CHECK_INT(t.changed, 2);
	CHECK(ties_join(&t, &r[2], &l[2], 1));
	CHECK_STR(ties_live_of(&t, STR("r2")), STR("l2"));
	CHECK_STR(ties_live_of(&t, STR("unknown")), STR("unknown"));
	CHECK(!ties_find(&t, TIES_LIVE, STR("unknown")));
	arena_free(&a);
}
