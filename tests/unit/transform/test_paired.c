#include "transform/paired.h"

#include <math.h>

#include "harness/test.h"

static void paired_check(double got, double want, double slack)
{
	if (!(fabs(got - want) <= slack))
		FAIL("%.12g is not %.12g", got, want);
}

/* Three of ten differ, all for A: 2 of the 8 ways to sign them are as far. */
TEST(a_pair_of_lists_is_worked_by_hand)
{
	static const double a[] = { 1, 1, 0, 1, 1, 0, 1, 0, 0, 1 }, b[] = { 1, 0, 0, 1, 0, 0, 1, 0, 0, 0 };
	struct stats_random r;
	struct paired t;

	stats_random_init(&r, 1);
	t = paired_test(a, b, 10, &r);
	paired_check(t.difference.mean, 0.3, 1e-12);
	paired_check(t.difference.se, 0.152753, 5e-7);
	paired_check(t.effect, 0.3 / 0.4830458915, 1e-9);
	paired_check(t.permutation, 0.25, 1e-12);
	paired_check(t.mean_a, 0.6, 1e-12);
	paired_check(t.mean_b, 0.3, 1e-12);
}

/* As of eight tasks whose trials had the same rewards in another order: nothing differs, and nobody is better. */
TEST(pairs_that_differ_in_their_last_digits_are_equal)
{
	static const bool yes = true;
	double a[8], b[8];
	struct stats_random r;
	struct paired t;

	for (int i = 0; i < 8; i++) {
		a[i] = (0.1 + 0.2 + 0.3) / 3;
		b[i] = (0.3 + 0.2 + 0.1) / 3;
	}
	CHECK(a[0] != b[0]);
	stats_random_init(&r, 1);
	t = paired_test(a, b, 8, &r);
	CHECK(t.difference.mean == 0 && t.permutation == 1);
	paired_answer_all(&t, &yes, &yes, 1);
	CHECK_INT(t.answer, PAIRED_NO_DIFFERENCE);
	for (int i = 0; i < 8; i++) {
		a[i] = i / 10.0 + 0.1;
		b[i] = i / 10.0;
	}
	t = paired_test(a, b, 8, &r);
	CHECK(t.difference.se == 0 && isnan(t.effect)); /* all the same: no spread to measure it by */
}

TEST(few_pairs_are_not_enough_and_take_nothing_from_the_others)
{
	struct paired tests[] = {
		{ .n = 5, .p = 0.001, .holm = NAN, .difference = { .mean = 1, .se = 0.1 } },
		{ .n = 6, .p = 0.03, .holm = NAN, .difference = { .mean = 1, .se = 0.1 } },
		{ .n = 9, .p = 0.04, .holm = NAN, .difference = { .mean = 2, .se = 0.1 } },
	};
	static const bool more[] = { true, true, false }, share[] = { true, true, false };

	CHECK_INT(paired_answer_all(tests, more, share, 3), 2);
	CHECK_INT(tests[0].answer, PAIRED_NOT_ENOUGH);
	CHECK(isnan(tests[0].holm));
	paired_check(tests[1].holm, 0.06, 1e-12);
	CHECK_INT(tests[1].answer, PAIRED_NO_DIFFERENCE);
	tests[1].p = 0.001;
	CHECK_INT(paired_answer_all(tests, more, share, 3), 2);
	CHECK_INT(tests[1].answer, PAIRED_A_BETTER);
	paired_check(tests[2].holm, 0.04, 1e-12);
	CHECK_INT(tests[2].answer, PAIRED_B_BETTER);
}

TEST(shares_that_never_differ_may_still_differ_by_the_rule_of_three)
{
	double detectable, needed;

	paired_plan(30, 0, 0, true, 1, &detectable, &needed);
	paired_check(detectable, 0.1, 1e-12);
	CHECK(isnan(needed));
	paired_plan(30, 0, 0, false, 1, &detectable, &needed);
	CHECK(isnan(detectable));
	paired_plan(100, 0.05, 0.1, true, 1, &detectable, &needed);
	paired_check(detectable, (1.959963984540054 + 0.8416212335729143) * 0.05, 1e-9);
	CHECK(needed == ceil(pow((1.959963984540054 + 0.8416212335729143) * 0.5 / 0.1, 2)));
}
