#include "harness/test.h"
#include "model/assemble.h"

TEST(of_two_lines_about_one_answer_the_larger_output_wins)
{
	struct usage small = { .input = FIGURE(6), .output = FIGURE(2), .reasoning = FIGURE(1) };
	struct usage large = { .input = FIGURE(5), .output = FIGURE(9), .cache_read = { .state = FIGURE_NULL } };
	struct usage a = small, b = large;

	usage_merge(&a, &large);
	usage_merge(&b, &small);
	CHECK_INT(a.input.n, 5);
	CHECK_INT(a.output.n, 9);
	CHECK_INT(a.reasoning.n, 1);
	CHECK_INT(a.cache_read.state, FIGURE_NULL);
	CHECK(memcmp(&a, &b, sizeof(a)) == 0);
}

TEST(sums_know_what_any_part_knows_and_are_estimated_when_any_part_is)
{
	struct usage sum = { 0 };
	struct usage one = { .input = FIGURE(1), .output = { FIGURE_KNOWN, FIGURE_ESTIMATED, 2 } };
	struct usage two = { .input = FIGURE(3), .cache_read = { .state = FIGURE_NULL }, .reasoning = FIGURE(0) };

	CHECK(!usage_is_known(&sum));
	usage_add(&sum, &one);
	usage_add(&sum, &two);
	CHECK(usage_is_known(&sum));
	CHECK_INT(sum.input.n, 4);
	CHECK_INT(sum.input.source, FIGURE_API);
	CHECK_INT(sum.output.n, 2);
	CHECK_INT(sum.output.source, FIGURE_ESTIMATED);
	CHECK_INT(sum.cache_read.state, FIGURE_ABSENT);
	CHECK_INT(sum.reasoning.state, FIGURE_KNOWN);
}

TEST(a_sum_beyond_what_can_be_counted_stays_at_the_end)
{
	struct usage sum = { .input = FIGURE(UINT64_MAX - 1) }, more = { .input = FIGURE(5) };

	usage_add(&sum, &more);
	CHECK(sum.input.n == UINT64_MAX);
}
