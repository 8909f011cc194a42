#include "transform/spans.h"

#include <stdio.h>

#include "harness/test.h"

/* "0-5 7-9" */
static struct str text_of(const struct spans *s)
{
	static struct buf b;

	buf_clear(&b);
	for (size_t i = 0; i < spans_count(s); i++)
		buf_printf(&b, "%s%d-%d", i ? " " : "", (int)spans_at(s, i)->from, (int)spans_at(s, i)->to);
	return buf_str(&b);
}

TEST(intervals_that_touch_become_one)
{
	static const struct {
		int64_t pairs[4][2];
		int count;
		const char *want;
		int64_t sum;
	} cases[] = {
		{ { { 0, 0 } }, 0, "", 0 },
		{ { { 0, 5 } }, 1, "0-5", 5 },
		{ { { 3, 3 } }, 1, "3-3", 0 },
		{ { { 5, 3 } }, 1, "", 0 },
		{ { { 0, 5 }, { 7, 9 } }, 2, "0-5 7-9", 7 },
		{ { { 7, 9 }, { 0, 5 } }, 2, "0-5 7-9", 7 },
		{ { { 0, 5 }, { 5, 9 } }, 2, "0-9", 9 },
		{ { { 0, 5 }, { 3, 9 } }, 2, "0-9", 9 },
		{ { { 0, 9 }, { 3, 5 } }, 2, "0-9", 9 },
		{ { { 3, 5 }, { 0, 9 } }, 2, "0-9", 9 },
		{ { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 1, 4 } }, 4, "0-5", 5 },
		{ { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 0, 9 } }, 4, "0-9", 9 },
		{ { { 0, 1 }, { 4, 5 }, { 8, 9 }, { 2, 3 } }, 4, "0-1 2-3 4-5 8-9", 4 },
		{ { { -9, -5 }, { -6, 2 } }, 2, "-9-2", 11 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct spans s;

		test_case("row %zu", i);
		spans_init(&s);
		for (int n = 0; n < cases[i].count; n++)
			spans_add(&s, cases[i].pairs[n][0], cases[i].pairs[n][1]);
		spans_settle(&s);
		CHECK_STR(text_of(&s), str_from(cases[i].want));
		CHECK_INT(spans_sum(&s), cases[i].sum);
		spans_free(&s);
	}
}

/* Against a row of flags, with intervals of every kind in no order. */
TEST(any_order_gives_what_counting_gives)
{
	enum { LENGTH = 40000 };

	for (unsigned seed = 1; seed <= 50; seed++) {
		static bool busy[LENGTH];
		unsigned state = seed * 2654435761u, sum = 0;
		struct spans s;

		test_case("seed %u", seed);
		memset(busy, 0, sizeof(busy));
		spans_init(&s);
		for (int i = 0; i < (seed % 2 ? 60 : 6000); i++) {
			int from, to;

			state = state * 1664525u + 1013904223u;
			from = (int)(state >> 16) % (LENGTH - 20);
			to = from + (int)(state >> 8) % 17;
			spans_add(&s, from, to);
			for (int n = from; n < to; n++)
				busy[n] = true;
		}
		for (int i = 0; i < LENGTH; i++)
			sum += busy[i];
		spans_settle(&s);
		CHECK_INT(spans_sum(&s), sum);
		for (size_t i = 1; i < spans_count(&s); i++)
			CHECK(spans_at(&s, i - 1)->to < spans_at(&s, i)->from);
		spans_free(&s);
	}
}

TEST(memory_does_not_grow_with_the_number_of_intervals_and_the_sum_stays)
{
	enum { MANY = 400000 };
	struct spans s;

	spans_init(&s);
	for (int64_t i = 0; i < MANY; i++) /* gaps of 10, and a large one now and then */
		spans_add(&s, i * 20 + i / 1000 * 5000, i * 20 + i / 1000 * 5000 + 10);
	spans_settle(&s);
	CHECK(s.joined && spans_count(&s) < SPANS_MAX);
	CHECK_INT(spans_sum(&s), MANY * INT64_C(10));
	for (size_t i = 1, large = 0; i < spans_count(&s); i++) { /* the large ones are still known */
		large += spans_at(&s, i)->from - spans_at(&s, i - 1)->to > 5000;
		CHECK(i + 1 < spans_count(&s) || large == MANY / 1000 - 1);
	}
	spans_add(&s, -100, MANY * INT64_C(40) + MANY * INT64_C(5)); /* over all of it */
	spans_settle(&s);
	CHECK_INT(spans_count(&s), 1);
	CHECK_INT(spans_sum(&s), spans_at(&s, 0)->to + 100);
	spans_free(&s);
}

/* A trace written newest first: each lies before all the others, and none is put in front one by one. */
TEST(the_newest_first_is_as_good_an_order_as_any)
{
	enum { MANY = 300000 };
	struct spans s;

	spans_init(&s);
	for (int64_t i = MANY; i > 0; i--)
		spans_add(&s, i * 20, i * 20 + (i % 3 ? 10 : 20));
	spans_settle(&s);
	CHECK_INT(spans_sum(&s), MANY * INT64_C(10) + MANY / 3 * INT64_C(10));
	CHECK(spans_count(&s) < SPANS_MAX);
	spans_free(&s);
}
