#include "bench/load/stats.h"

#include <math.h>
#include <stdio.h>

#include "harness/test.h"

#define MS UINT64_C(1000000)
#define START (UINT64_C(1000) * MS)

/* A request on a simulated clock: times in milliseconds since the start; 0 for first: not streamed. */
static struct load_outcome at(uint64_t due, uint64_t sent, uint64_t first, uint64_t end, uint64_t tokens)
{
	return (struct load_outcome){
		.end = LOAD_OK, .streamed = true, .due_ns = START + due * MS, .sent_ns = START + sent * MS,
		.token_ns = START + first * MS, .ended_ns = START + end * MS, .output_tokens = tokens, .output_known = true,
	};
}

static double get(const struct load_outcome *o, enum load_metric m)
{
	double ms = NAN;

	return load_outcome_get(o, m, &ms) ? ms : NAN;
}

TEST(times_count_from_when_it_was_due)
{
	struct load_outcome o = at(100, 130, 250, 650, 5);
	uint64_t pieces[] = { START + 250 * MS, START + 260 * MS, START + 300 * MS, START + 650 * MS };

	CHECK(get(&o, LOAD_TTFT) == 150);
	CHECK(get(&o, LOAD_TTFT_SENT) == 120);
	CHECK(get(&o, LOAD_TPOT) == 100);
	CHECK(get(&o, LOAD_E2E) == 550);
	CHECK(get(&o, LOAD_E2E_SENT) == 520);
	CHECK(get(&o, LOAD_LATE) == 30);
	CHECK(isnan(get(&o, LOAD_ITL)));
	o.arrivals = pieces;
	o.arrival_count = 4;
	CHECK(get(&o, LOAD_ITL) == 350);
	CHECK(get(&o, LOAD_E2E_LAST) == 550 && get(&o, LOAD_TPOT_LAST) == 100);
	o.late_ns = 3 * MS;
	CHECK(get(&o, LOAD_LOOP) == 3);
}

TEST(what_comes_behind_the_last_token_is_not_the_models_time)
{
	struct load_outcome o = at(100, 130, 250, 650, 5);
	uint64_t pieces[] = { START + 250 * MS, START + 260 * MS, START + 450 * MS };

	CHECK(isnan(get(&o, LOAD_E2E_LAST)) && isnan(get(&o, LOAD_E2E_LAST_SENT)) && isnan(get(&o, LOAD_TPOT_LAST)));
	o.arrivals = pieces;
	o.arrival_count = 3;
	CHECK(get(&o, LOAD_E2E) == 550 && get(&o, LOAD_E2E_LAST) == 350); /* due 100, last token 450, end 650 */
	CHECK(get(&o, LOAD_E2E_SENT) == 520 && get(&o, LOAD_E2E_LAST_SENT) == 320);
	CHECK(get(&o, LOAD_TPOT) == 100 && get(&o, LOAD_TPOT_LAST) == 50);
	o.output_tokens = 1;
	CHECK(isnan(get(&o, LOAD_TPOT_LAST)) && get(&o, LOAD_E2E_LAST) == 350);
	o.streamed = false;
	CHECK(isnan(get(&o, LOAD_E2E_LAST)));
	o.streamed = true;
	o.end = LOAD_TIMEOUT;
	CHECK(isnan(get(&o, LOAD_E2E_LAST)));
}

TEST(what_was_not_measured_has_no_time)
{
	struct load_outcome o = at(100, 130, 250, 650, 1);

	CHECK(isnan(get(&o, LOAD_TPOT))); /* one token: nothing between */
	o.streamed = false;
	CHECK(isnan(get(&o, LOAD_TTFT)) && isnan(get(&o, LOAD_TTFT_SENT)));
	CHECK(get(&o, LOAD_E2E) == 550);
	o.end = LOAD_TIMEOUT;
	CHECK(isnan(get(&o, LOAD_E2E)));
	CHECK(get(&o, LOAD_LATE) == 30);
	o.sent_ns = 0;
	CHECK(isnan(get(&o, LOAD_LATE)));
}

TEST(every_request_is_counted_whatever_became_of_it)
{
	struct load_stats s = { .slos = NULL };
	struct load_outcome o = at(0, 1, 50, 100, 10);
	struct load_stage *all;
	struct arena a;

	arena_init(&a);
	load_stats_init(&s, &a, START, 2);
	load_stats_add(&s, &o);
	for (int e = LOAD_LIMITED; e < LOAD_ENDS; e++) {
		o.end = (enum load_end)e;
		o.stage = 1;
		o.failure = e == LOAD_ERROR ? "http_500" : NULL;
		if (e == LOAD_NOT_SENT)
			o.sent_ns = 0;
		load_stats_add(&s, &o);
	}
	all = load_stats_all(&s);
	CHECK_INT(all->due, 6);
	CHECK_INT(all->sent, 4);
	CHECK_INT(load_stage_counted(all), 5);
	CHECK_INT(s.stages[0].due, 1);
	CHECK_INT(s.stages[1].due, 5);
	for (int e = 0; e < LOAD_ENDS; e++)
		CHECK_INT(all->ends[e], 1);
	CHECK_INT(all->output_tokens, 10);
	CHECK_INT(all->spreads[LOAD_E2E].n, 1);
	CHECK_INT(s.failure_count, 3);
	CHECK_STR(str_from(s.failures[0].name), STR("rate_limited"));
	CHECK_STR(str_from(s.failures[1].name), STR("http_500"));
	CHECK_STR(str_from(s.failures[2].name), STR("timeout"));
	load_stats_free(&s);
	arena_free(&a);
}

/* A server that stops for a second: a client that waits would have seen one slow answer, not eleven. */
TEST(a_stall_is_seen_by_every_request_that_was_due_in_it)
{
	struct load_stats s = { .slos = NULL };
	struct load_percentile p;
	struct arena a;

	arena_init(&a);
	load_stats_init(&s, &a, START, 1);
	for (uint64_t i = 0; i < 100; i++) {
		uint64_t due = i * 100;
		uint64_t end = due >= 5000 && due <= 6000 ? 6010 : due + 10; /* all that came in it are answered behind it */
		struct load_outcome o = at(due, due, end - 5, end, 2);

		o.number = i;
		load_stats_add(&s, &o);
	}
	p = load_spread_get(&s.stages[0].spreads[LOAD_E2E], 0.95);
	CHECK(p.value > 500);
	CHECK(load_spread_get(&s.stages[0].spreads[LOAD_E2E], 0.5).value == 10);
	CHECK(s.stages[0].spreads[LOAD_E2E].most == 1010);
	CHECK(isnan(load_spread_get(&s.stages[0].spreads[LOAD_E2E], 0.99).interval.low)); /* 100 are too few */
	CHECK(!isnan(p.interval.low) && p.interval.low <= p.value && p.interval.high >= p.value);
	load_stats_free(&s);
	arena_free(&a);
}

TEST(an_answer_is_good_when_it_meets_every_limit)
{
	static const struct load_slo slos[] = {
		{ .metric = LOAD_TTFT, .ms = 100 }, { .metric = LOAD_TPOT, .ms = 10, .below = true }, { .metric = LOAD_ITL, .ms = 50 },
	};
	static const struct {
		uint64_t first, end, tokens;
		enum load_end how;
		bool empty, good;
	} cases[] = {
		{ 100, 150, 11, LOAD_OK, false, true }, { 101, 150, 11, LOAD_OK, false, false },
		{ 100, 200, 11, LOAD_OK, false, false } /* 10 is not below 10 */, { 50, 60, 1, LOAD_OK, false, true },
		{ 50, 60, 0, LOAD_OK, true, false }, { 50, 60, 11, LOAD_TIMEOUT, false, false },
	};
	struct load_stats s = { .slos = NULL };
	uint64_t good = 0;
	struct arena a;

	arena_init(&a);
	load_stats_init(&s, &a, START, 1);
	s.slos = slos;
	s.slo_count = 3;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct load_outcome o = at(0, 0, cases[i].first, cases[i].end, cases[i].tokens);

		test_case("%zu", i);
		o.end = cases[i].how;
		o.empty = cases[i].empty;
		load_stats_add(&s, &o);
		good += cases[i].good;
		CHECK_INT(s.stages[0].good, good);
	}
	load_stats_free(&s);
	arena_free(&a);
}

TEST(rates_are_over_the_time_until_the_last_answer)
{
	struct load_stats s = { .slos = NULL };
	struct arena a;

	arena_init(&a);
	load_stats_init(&s, &a, START, 2);
	for (uint64_t i = 0; i < 10; i++) {
		struct load_outcome o = at(i * 100, i * 100, i * 100 + 5, i * 100 + 1100, 20);

		load_stats_add(&s, &o);
	}
	load_stats_span(&s, 0, 10, 0, 1000 * MS);
	load_stats_span(&s, 1, 20, 1000 * MS, 500 * MS);
	CHECK(load_stage_seconds(&s.stages[0]) == 2);
	CHECK(load_stage_rate(&s.stages[0], s.stages[0].ends[LOAD_OK]) == 5);
	CHECK(load_stage_rate(&s.stages[0], s.stages[0].output_tokens) == 100);
	CHECK(load_stage_seconds(&s.stages[1]) == 0.5);
	CHECK(load_stage_sent_rate(&s.stages[0]) == 10);
	CHECK(load_stage_seconds(load_stats_all(&s)) == 2);
	CHECK(isnan(load_stage_seconds(&(struct load_stage){ .due = 0 })));
	load_stats_free(&s);
	arena_free(&a);
}

TEST(a_client_that_was_the_bottleneck_is_told)
{
	struct load_stats s = { .slos = NULL };
	struct load_outcome o = at(0, 1, 50, 100, 10);
	struct arena a;

	arena_init(&a);
	load_stats_init(&s, &a, START, 1);
	load_stats_add(&s, &o);
	CHECK(load_stats_bottleneck(&s, 0.1) == NULL);
	CHECK(load_stats_bottleneck(&s, 0.95) != NULL);
	o.late_ns = 30 * MS;
	load_stats_add(&s, &o);
	CHECK_STR(str_from(load_stats_bottleneck(&s, 0.1)), STR("answers waited for the client"));
	o = at(0, 40, 50, 100, 10);
	load_stats_add(&s, &o);
	CHECK_STR(str_from(load_stats_bottleneck(&s, 0.1)), STR("requests were sent late"));
	o.end = LOAD_NOT_SENT;
	load_stats_add(&s, &o);
	CHECK(str_starts(str_from(load_stats_bottleneck(&s, 0.1)), STR("requests were not sent")));
	load_stats_free(&s);
	arena_free(&a);
}

TEST(failures_beyond_what_is_told_apart_are_other)
{
	struct load_stats s = { .slos = NULL };
	struct load_outcome o = at(0, 1, 50, 100, 10);
	char name[32];
	struct arena a;

	arena_init(&a);
	load_stats_init(&s, &a, START, 1);
	o.end = LOAD_ERROR;
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "http_%d", 500 + i);
		o.failure = name;
		load_stats_add(&s, &o);
	}
	CHECK_INT(s.failure_count, LOAD_FAILURES);
	CHECK_STR(str_from(s.failures[LOAD_FAILURES - 1].name), STR("other"));
	CHECK_INT(s.failures[LOAD_FAILURES - 1].count, 40 - (LOAD_FAILURES - 1));
	load_stats_free(&s);
	arena_free(&a);
}

TEST(more_than_are_kept_are_a_sample_and_say_so)
{
	struct load_stats s = { .slos = NULL };
	struct arena a;

	arena_init(&a);
	load_stats_init(&s, &a, START, 1);
	for (uint64_t i = 0; i < LOAD_KEPT + 1000; i++) {
		struct load_outcome o = at(0, 0, 50, 100 + i % 100, 10);

		load_stats_add(&s, &o);
	}
	CHECK(load_spread_get(&s.stages[0].spreads[LOAD_E2E], 0.5).estimated);
	CHECK(fabs(load_spread_get(&s.stages[0].spreads[LOAD_E2E], 0.5).value - 149.5) < 1.5);
	CHECK_INT(s.stages[0].spreads[LOAD_E2E].n, LOAD_KEPT + 1000);
	load_stats_free(&s);
	arena_free(&a);
}

TEST(names_are_those_of_the_files)
{
	CHECK_STR(str_from(load_metric_name(LOAD_TTFT_SENT)), STR("ttft_sent"));
	CHECK_STR(str_from(load_end_name(LOAD_NOT_SENT)), STR("not_sent"));
}
