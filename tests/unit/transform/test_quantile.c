#include "transform/quantile.h"

#include <math.h>

#include "harness/test.h"

TEST(quantiles_are_interpolated_between_neighbours)
{
	static const double values[] = { 4, 1, 3, 2 };
	static const struct {
		size_t count;
		double p, want;
	} cases[] = {
		{ 0, 0.5, 0 }, { 1, 0, 4 },      { 1, 0.5, 4 },     { 1, 1, 4 },   { 2, 0.5, 2.5 }, { 3, 0.5, 3 },
		{ 4, 0.5, 2.5 }, { 4, 0.95, 3.85 }, { 4, 0.25, 1.75 }, { 4, 0, 1 }, { 4, 1, 4 }, { 4, -1, 1 }, { 4, 7, 4 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct quantile q;

		test_case("row %zu", i);
		quantile_init(&q, 100);
		for (size_t n = 0; n < cases[i].count; n++)
			quantile_add(&q, values[n]);
		CHECK(fabs(quantile_get(&q, cases[i].p) - cases[i].want) < 1e-12);
		CHECK(!quantile_is_estimated(&q));
		quantile_free(&q);
	}
}

TEST(values_may_be_added_after_a_question)
{
	struct quantile q;

	quantile_init(&q, 10);
	quantile_add(&q, 5);
	quantile_add(&q, NAN);
	quantile_add(&q, INFINITY);
	CHECK(quantile_get(&q, 0.5) == 5);
	quantile_add(&q, 1);
	CHECK(quantile_get(&q, 0) == 1 && quantile_get(&q, 1) == 5);
	CHECK_INT(q.seen, 2);
	quantile_free(&q);
}

TEST(beyond_the_limit_a_sample_is_near_and_says_so)
{
	enum { MANY = 200000, LIMIT = 5000 };
	struct quantile q;

	quantile_init(&q, LIMIT);
	for (int i = 0; i < MANY; i++)
		quantile_add(&q, (double)(i * 7919 % MANY)); /* each value once */
	CHECK(quantile_is_estimated(&q));
	CHECK_INT(q.values.n, LIMIT * sizeof(double));
	for (int p = 1; p < 20; p++) /* 5 standard errors of a share in a sample of this size are under 4 % */
		CHECK(fabs(quantile_get(&q, p / 20.0) / MANY - p / 20.0) < 0.04);
	quantile_free(&q);
}
