#include "sink/axis.h"

#include <math.h>

#include "harness/test.h"

TEST(an_axis_has_round_ends_around_all_values)
{
	static const struct {
		double low, high, from, to;
		bool log;
	} cases[] = {
		{ 100, 184, 0, 200, false },
		{ 500, 500, 0, 500, false },
		{ 0, 0, 0, 1, false },
		{ 90, 18000, 50, 20000, true },
		{ 1, 1e6, 1, 1e6, true },
		{ 0.00008, 0.0092, 0.00005, 0.01, true },
		{ 0, 1000, 0, 1000, false },
		{ NAN, NAN, 0, 1, false },
		{ INFINITY, 0, 0, 1, false },
		{ 1, INFINITY, 1, 1e18, true },
		{ -5, -3, 0, 1, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct axis x = axis_values(cases[i].low, cases[i].high);

		test_case("%g to %g", cases[i].low, cases[i].high);
		CHECK_INT(x.log, cases[i].log);
		CHECK(fabs(x.low - cases[i].from) <= 1e-9 * x.high);
		CHECK(fabs(x.high - cases[i].to) <= 1e-9 * x.high);
		CHECK(x.count >= 2 && x.count <= 8);
		for (size_t k = 1; k < x.count; k++)
			CHECK(x.ticks[k] > x.ticks[k - 1]);
	}
}

TEST(ticks_have_as_few_digits_as_they_can)
{
	static const struct {
		double high, third;
	} cases[] = { { 0.5, 0.3 }, { 0.05, 0.03 }, { 0.35, 0.3 }, { 1, 0.6 }, { 0.9, 0.6 }, { 0.0007, 0.0006 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct axis x = axis_values(0, cases[i].high);

		test_case("0 to %g", cases[i].high);
		CHECK(x.ticks[3] == cases[i].third);
	}
}

TEST(every_value_has_a_place_on_an_axis)
{
	static const double ticks[] = { 0, 0.5, 1 };
	struct axis share = axis_share(ticks, 3), log = axis_values(1, 10000);

	CHECK_INT(share.count, 3);
	CHECK(axis_at(&share, 0.5) == 50);
	CHECK(axis_at(&share, -1) == 0);
	CHECK(axis_at(&share, 2) == 100);
	CHECK(axis_at(&share, NAN) == 0);
	CHECK(axis_at(&share, INFINITY) == 100);
	CHECK(log.log);
	CHECK(fabs(axis_at(&log, 100) - 50) < 1e-9);
	CHECK(axis_at(&log, 0) == 0);
	CHECK(axis_at(&log, -INFINITY) == 0);
}
