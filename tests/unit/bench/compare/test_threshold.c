#include "bench/compare/threshold.h"

#include <math.h>

#include "harness/test.h"

/* How each figure is held against its limit, test_threshold_args.c of cmd tells: there they are written as text. */
TEST(a_figure_meets_a_limit_by_its_order)
{
	static const bool met[] = { [THRESHOLD_AT_MOST] = true, [THRESHOLD_AT_LEAST] = true, [THRESHOLD_BELOW] = false, [THRESHOLD_ABOVE] = false };
	static const char *const said[] = { [THRESHOLD_AT_MOST] = "n 7 <= 7", [THRESHOLD_AT_LEAST] = "n 7 >= 7",
					    [THRESHOLD_BELOW] = "n 7 is not < 7", [THRESHOLD_ABOVE] = "n 7 is not > 7" };
	const struct threshold_unit plain = { "", THRESHOLD_COUNT, 1 };
	const struct summary_group g = { .n_total = 7 };
	struct threshold t = { .what = threshold_figures, .unit = &plain, .limit = 7, .number = STR("7") };
	struct buf b;

	while (strcmp(t.what->name, "n") != 0)
		t.what++;
	buf_init(&b);
	for (int i = 0; i < THRESHOLD_ORDERS; i++) {
		test_case("%s", threshold_order_text((enum threshold_order)i));
		t.order = (enum threshold_order)i;
		buf_clear(&b);
		CHECK_INT(threshold_meets(&t, &g, false, &b), met[i]);
		CHECK_STR(buf_str(&b), str_from(said[i]));
	}
	buf_free(&b);
}

TEST(a_percent_is_the_double_that_seven_of_a_hundred_is)
{
	CHECK(threshold_scale(&(struct threshold_unit){ "%", THRESHOLD_RATE, 0.01 }, 7) == 7.0 / 100);
	CHECK(threshold_scale(&(struct threshold_unit){ "s", THRESHOLD_TIME, 1000 }, 1.5) == 1500);
}
