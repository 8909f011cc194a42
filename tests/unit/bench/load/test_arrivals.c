#include "bench/load/arrivals.h"

#include <math.h>

#include "harness/test.h"

#define SECOND UINT64_C(1000000000)

static struct arrivals_options by_rate(enum arrivals_kind kind, const double *rates, size_t count)
{
	return (struct arrivals_options){
		.kind = kind, .rates = rates, .rate_count = count, .speed = 1, .duration_ns = ARRIVALS_NO_END,
		.requests = ARRIVALS_NO_END, .seed = 7,
	};
}

TEST(a_constant_rate_is_even_and_does_not_drift)
{
	double rate = 3;
	struct arrivals_options o = by_rate(ARRIVALS_CONSTANT, &rate, 1);
	struct arrivals a;
	struct arrival x;
	uint64_t n = 0;

	o.duration_ns = 1000 * SECOND;
	arrivals_init(&a, &o);
	while (arrivals_next(&a, &x)) {
		CHECK_INT(x.number, n);
		CHECK_INT(x.due_ns, (uint64_t)((double)n / 3 * 1e9));
		n++;
	}
	CHECK_INT(n, 3000);
	CHECK_INT(arrivals_count(&o), 3000);
	CHECK_INT(arrivals_length_ns(&o), 1000 * SECOND);
	CHECK_INT(a.lengths[0], 1000 * SECOND);
	CHECK(!arrivals_next(&a, &x));
}

TEST(by_chance_the_gaps_are_exponential_and_the_seed_decides_them)
{
	double rate = 50, sum = 0, squares = 0;
	struct arrivals_options o = by_rate(ARRIVALS_POISSON, &rate, 1);
	struct arrivals a, b;
	struct arrival x, y;
	uint64_t last = 0;

	o.requests = 20000;
	arrivals_init(&a, &o);
	arrivals_init(&b, &o);
	for (int i = 0; i < 20000; i++) {
		double gap;

		CHECK(arrivals_next(&a, &x) && arrivals_next(&b, &y));
		CHECK_INT(x.due_ns, y.due_ns);
		CHECK(x.due_ns >= last);
		gap = (double)(x.due_ns - last) / 1e9;
		sum += gap;
		squares += gap * gap;
		last = x.due_ns;
	}
	CHECK(!arrivals_next(&a, &x));
	CHECK(fabs(sum / 20000 * 50 - 1) < 0.03);                /* the mean is 1/rate, */
	CHECK(fabs(squares / 20000 / (2 / 2500.0) - 1) < 0.06); /* and the second moment 2/rate^2 */
	CHECK_INT(arrivals_count(&o), 20000);
	o.seed = 8;
	arrivals_init(&b, &o);
	CHECK(arrivals_next(&b, &y));
	arrivals_init(&a, &(struct arrivals_options){ .kind = ARRIVALS_POISSON, .rates = &rate, .rate_count = 1, .speed = 1,
						     .duration_ns = ARRIVALS_NO_END, .requests = 1, .seed = 7 });
	CHECK(arrivals_next(&a, &x) && x.due_ns != y.due_ns);
}

TEST(how_many_come_by_chance_in_a_time_is_not_known_before)
{
	double rate = 5;
	struct arrivals_options o = by_rate(ARRIVALS_POISSON, &rate, 1);

	o.duration_ns = SECOND;
	CHECK(arrivals_count(&o) == ARRIVALS_NO_END);
	CHECK_INT(arrivals_length_ns(&o), SECOND);
}

TEST(stages_follow_each_other)
{
	double rates[] = { 1, 2, 4 };
	struct arrivals_options o = by_rate(ARRIVALS_CONSTANT, rates, 3);
	struct arrivals a;
	struct arrival x;
	uint64_t counts[3] = { 0, 0, 0 };

	o.duration_ns = 10 * SECOND;
	arrivals_init(&a, &o);
	while (arrivals_next(&a, &x)) {
		CHECK(x.due_ns >= x.stage * 10 * SECOND && x.due_ns < (x.stage + 1) * 10 * SECOND);
		counts[x.stage]++;
	}
	CHECK_INT(counts[0], 10);
	CHECK_INT(counts[1], 20);
	CHECK_INT(counts[2], 40);
	CHECK_INT(a.begins[2], 20 * SECOND);
	CHECK_INT(arrivals_count(&o), 70);
	/* ended by their number: the next begins when one more would have been due */
	o.duration_ns = ARRIVALS_NO_END;
	o.requests = 4;
	arrivals_init(&a, &o);
	while (arrivals_next(&a, &x))
		;
	CHECK_INT(a.number, 12);
	CHECK_INT(a.begins[1], 4 * SECOND);
	CHECK_INT(a.begins[2], 6 * SECOND);
	CHECK_INT(a.lengths[2], SECOND);
	CHECK_INT(arrivals_length_ns(&o), 7 * SECOND);
	/* whichever comes first */
	o.duration_ns = 3 * SECOND;
	arrivals_init(&a, &o);
	while (arrivals_next(&a, &x))
		;
	CHECK_INT(a.number, 3 + 4 + 4);
}

TEST(a_recording_is_sent_as_it_was_or_faster)
{
	static const uint64_t blocks[] = { 5, 6, 5 };
	static const struct recorded_item items[] = {
		{ .due_ns = 0, .input_tokens = 10, .block_count = 2 },
		{ .due_ns = 4 * SECOND, .output_tokens = 3, .block_at = 2, .block_count = 1 },
		{ .due_ns = 6 * SECOND },
	};
	struct recorded r = { .items = items, .count = 3, .blocks = blocks };
	struct arrivals_options o = { .kind = ARRIVALS_RECORDED, .recorded = &r, .speed = 2, .duration_ns = ARRIVALS_NO_END,
				      .requests = ARRIVALS_NO_END };
	struct arrivals a;
	struct arrival x;

	arrivals_init(&a, &o);
	CHECK(arrivals_next(&a, &x) && x.due_ns == 0 && x.input_tokens == 10 && x.block_count == 2 && x.blocks[1] == 6);
	CHECK(arrivals_next(&a, &x) && x.due_ns == 2 * SECOND && x.output_tokens == 3 && x.blocks[0] == 5);
	CHECK(arrivals_next(&a, &x) && x.due_ns == 3 * SECOND && !x.blocks);
	CHECK(!arrivals_next(&a, &x) && !arrivals_next(&a, &x));
	CHECK_INT(a.lengths[0], 3 * SECOND);
	CHECK_INT(arrivals_count(&o), 3);
	CHECK_INT(arrivals_length_ns(&o), 3 * SECOND);
	o.duration_ns = 2 * SECOND;
	CHECK_INT(arrivals_count(&o), 1);
	o.duration_ns = ARRIVALS_NO_END;
	o.requests = 2;
	CHECK_INT(arrivals_count(&o), 2);
}

TEST(nothing_is_due_after_a_month)
{
	double rate = 0.001;
	struct arrivals_options o = by_rate(ARRIVALS_CONSTANT, &rate, 1);
	struct arrivals a;
	struct arrival x = { .due_ns = 0 };

	arrivals_init(&a, &o);
	while (arrivals_next(&a, &x))
		CHECK(x.due_ns < ARRIVALS_LONGEST_NS);
	CHECK_INT(a.number, arrivals_count(&o));
}

TEST(kinds_have_names)
{
	CHECK_STR(str_from(arrivals_kind_name(ARRIVALS_POISSON)), STR("poisson"));
	CHECK_STR(str_from(arrivals_kind_name(ARRIVALS_RECORDED)), STR("recorded"));
}
