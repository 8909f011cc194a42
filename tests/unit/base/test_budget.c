/* What is held in sum never exceeds the limit, and all of it comes back. */
#include "base/budget.h"

#include "harness/test.h"

TEST(no_more_is_taken_than_there_is)
{
	struct budget b = { .limit = 100 };

	CHECK(budget_take(&b, 60) && budget_take(&b, 40) && budget_take(&b, 0));
	CHECK(!budget_take(&b, 1));
	budget_force(&b, 10); /* in any case */
	CHECK_INT(b.used, 110);
	CHECK(!budget_take(&b, 0));
	budget_give(&b, 110);
	CHECK(!budget_take(&b, 101) && !budget_take(&b, SIZE_MAX) && budget_take(&b, 100));
}

TEST(a_buffer_counts_by_its_capacity_and_stays_as_it_is_when_there_is_no_room)
{
	struct budget b = { .limit = 100000 };
	size_t counted = 0, other = 0;
	static char bytes[1000];
	struct buf one, two;

	buf_init(&one);
	buf_init(&two);
	for (int i = 0; i < 60; i++)
		CHECK(budget_add(&b, &counted, &one, str_of(bytes, sizeof(bytes))));
	CHECK_INT(counted, one.cap);
	CHECK_INT(b.used, counted);
	CHECK(budget_add(&b, &other, &two, str_of(bytes, sizeof(bytes))));
	for (int i = 0; i < 60; i++)
		if (!budget_add(&b, &other, &two, str_of(bytes, sizeof(bytes))))
			break;
	CHECK(two.n < 60000 && two.n % sizeof(bytes) == 0 && other == two.cap);
	CHECK_INT(b.used, counted + other);
	budget_free(&b, &counted, &one);
	CHECK(one.cap == 0 && counted == 0 && b.used == other);
	budget_free(&b, &other, &two);
	CHECK_INT(b.used, 0);
}
