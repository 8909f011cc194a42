#include "cmd/report/validate_wholes.h"

#include "harness/test.h"

#define RUN "tests/data/bench/run"

TEST(what_is_a_whole_is_remembered_once_and_checked_in_the_order_of_paths)
{
	static struct frame frame = { .quiet = true };
	struct err err = { .kind = ERR_NONE };
	struct validate_wholes w;
	struct validate_output o;
	struct arena a;

	arena_init(&a);
	o = (struct validate_output){ .arena = &a, .frame = &frame, .form = VALIDATE_TEXT };
	validate_output_init(&o);
	validate_wholes_init(&w, &a);
	CHECK(validate_wholes_enter(&w, STR("tests/data/bench")));
	CHECK_INT(w.count, 0);
	CHECK(validate_wholes_enter(&w, STR(RUN))); /* a run: its files are checked, too */
	CHECK(validate_wholes_enter(&w, STR(RUN)));
	CHECK_INT(w.count, 1);
	CHECK(validate_wholes_check(&w, &o, 10, &err));
	CHECK_INT(o.counts.files, 1);
	CHECK_INT(o.counts.valid, 1);
	CHECK_INT(w.count, 0);
	CHECK(validate_wholes_check(&w, &o, 10, &err));
	CHECK_INT(o.counts.files, 1);
	CHECK_INT(validate_output_end(&o, true, &err), 0);
	arena_free(&a);
}
