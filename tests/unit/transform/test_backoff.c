#include "transform/backoff.h"

#include "harness/test.h"

TEST(each_wait_is_at_least_half_of_a_power_of_two_and_at_most_all_of_it)
{
	static const struct {
		unsigned failed;
		int64_t most;
	} cases[] = { { 1, 1000 }, { 2, 2000 }, { 3, 4000 }, { 4, 8000 }, { 5, 16000 }, { 6, 32000 } };
	struct stats_random r;

	stats_random_init(&r, 7);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t low = INT64_MAX, high = 0;

		test_case("after %u", cases[i].failed);
		for (int n = 0; n < 2000; n++) {
			int64_t delay = backoff_delay_ms(&r, cases[i].failed, BACKOFF_BASE_MS, -1);

			CHECK(delay >= cases[i].most / 2 && delay <= cases[i].most);
			low = delay < low ? delay : low;
			high = delay > high ? delay : high;
		}
		/* and it is spread over all of that */
		CHECK(low < cases[i].most * 52 / 100);
		CHECK(high > cases[i].most * 98 / 100);
	}
}

TEST(the_same_seed_gives_the_same_waits)
{
	struct stats_random a, b, c;
	bool differs = false;

	stats_random_init(&a, 1);
	stats_random_init(&b, 1);
	stats_random_init(&c, 2);
	for (unsigned i = 1; i < 20; i++) {
		int64_t delay = backoff_delay_ms(&a, i, 1000, -1);

		CHECK_INT(backoff_delay_ms(&b, i, 1000, -1), delay);
		differs = differs || backoff_delay_ms(&c, i, 1000, -1) != delay;
	}
	CHECK(differs);
}

TEST(a_wait_is_never_shorter_than_what_the_service_asks_for)
{
	struct stats_random r;

	stats_random_init(&r, 3);
	for (int n = 0; n < 1000; n++) {
		int64_t delay = backoff_delay_ms(&r, 1, 1000, 7000);

		CHECK(delay >= 7000 && delay <= 7000 + BACKOFF_SPREAD_MS);
		/* what is asked for is a lower bound, not the wait */
		CHECK(backoff_delay_ms(&r, 5, 1000, 10) >= 8000);
		CHECK(backoff_delay_ms(&r, 1, 1000, 0) >= 500);
	}
}

TEST(nobody_waits_longer_than_two_minutes)
{
	struct stats_random r;

	stats_random_init(&r, 3);
	CHECK(backoff_delay_ms(&r, 1, 1000, BACKOFF_LONGEST_MS) >= BACKOFF_LONGEST_MS);
	CHECK_INT(backoff_delay_ms(&r, 1, 1000, BACKOFF_LONGEST_MS + 1), -1);
	CHECK_INT(backoff_delay_ms(&r, 1, 1000, INT64_MAX), -1);
	for (unsigned failed = 1; failed < 200; failed++)
		CHECK(backoff_delay_ms(&r, failed, 1000, -1) <= BACKOFF_LONGEST_MS);
	CHECK(backoff_delay_ms(&r, 4000000000u, UINT64_MAX / 2, -1) <= BACKOFF_LONGEST_MS);
	CHECK_INT(backoff_delay_ms(&r, 3, 0, -1), 0); /* tests of others want no waits at all */
}
