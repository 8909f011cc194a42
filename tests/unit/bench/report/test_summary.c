#include "bench/report/summary.h"

#include <math.h>

#include "harness/convert.h"
#include "unit/bench/bench_run.h"

#define NEAR(got, want) \
	do { \
		double got_ = (got), want_ = (want); \
		if (!(fabs(got_ - want_) <= 1e-6 * fmax(1, fabs(want_)))) \
			FAIL("%s is %.9g, not %.9g", #got, got_, want_); \
	} while (0)

static void make_by(struct bench_run *b, struct summary *s, enum rate_method m)
{
	struct err err;

	bench_run_save(b);
	if (!summary_make(s, &b->arena, b->dir, m, &err))
		FAIL("%s", err.text);
}

static void make(struct bench_run *b, struct summary *s)
{
	make_by(b, s, RATE_WILSON);
}

/* So many answers, of which the first `passed` pass, each to a prompt of its own. */
static void add_judged(struct bench_run *b, const char *model, int n, int passed)
{
	for (int i = 0; i < n; i++) {
		struct result r = bench_row(model, arena_printf(&b->arena, "P%d", i).p, 1);

		r.pass = i < passed ? VERDICT_TRUE : VERDICT_FALSE;
		bench_run_add(b, &r);
	}
}

TEST(calls_are_counted_by_what_became_of_them)
{
	static const enum provider_status of[] = { PROVIDER_UNAVAILABLE, PROVIDER_AUTH, PROVIDER_LIMITED, PROVIDER_ERROR,
						   PROVIDER_ERROR };
	struct bench_run *b = bench_run_new();
	struct result r;
	struct summary s;
	const struct summary_group *g;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		r = bench_row("m1", "P1", (int64_t)i + 1);
		bench_run_fail(&r, of[i], "why");
		bench_run_add(b, &r);
	}
	for (int i = 0; i < 3; i++) {
		r = bench_row("m1", "P2", i + 1);
		if (i == 0)
			bench_run_fail(&r, PROVIDER_OK, "empty_response");
		bench_run_add(b, &r);
	}
	make(b, &s);
	CHECK_INT(s.count, 1);
	CHECK_INT(s.rows, 8);
	g = s.groups;
	CHECK_STR(g->tag, STR("mock__m1__none"));
	CHECK_INT(g->n_total, 8);
	CHECK_INT(g->n_ok, 3);
	CHECK_INT(g->n_success, 2);
	CHECK_INT(g->n_unavailable, 1);
	CHECK_INT(g->n_limited, 1);
	CHECK_INT(g->n_error, 3);
	CHECK_INT(g->n_auth, 1);
	CHECK_INT(g->success.k, 2);
	CHECK_INT(g->success.n, 3);
	CHECK_INT(g->latency.n, 2);
	CHECK_INT(g->prompts[0].failed_calls, 5);
	CHECK_INT(g->prompts[0].unavailable, 1);
	bench_run_free(b);
}

TEST(rates_have_the_interval_that_was_asked_for)
{
	static const struct {
		enum rate_method m;
		const char *name;
		double low, high;
	} cases[] = {
		{ RATE_WILSON, "wilson", .595850, .982124 },
		{ RATE_EXACT, "clopper-pearson", .554984, .997471 },
		{ RATE_JEFFREYS, "jeffreys", .618685, .988988 },
	};

	for (size_t i = 0; i < 3; i++) {
		struct bench_run *b = bench_run_new();
		struct summary s;

		test_case("%s", cases[i].name);
		add_judged(b, "m1", 10, 9);
		make_by(b, &s, cases[i].m);
		NEAR(s.groups[0].pass.interval.low, cases[i].low);
		NEAR(s.groups[0].pass.interval.high, cases[i].high);
		CHECK_STR(str_from(rate_method_name(s.method)), str_from(cases[i].name));
		bench_run_free(b);
	}
}

TEST(percentiles_are_linear_and_their_intervals_order_statistics)
{
	struct bench_run *b = bench_run_new();
	struct summary s;
	const struct summary_group *g;

	/* 1 to 9 and 100: the example that tells the methods apart */
	for (int i = 10; i > 0; i--) {
		struct result r = bench_row("m1", "P1", i);

		r.e2e_ms = i == 10 ? 100 : i;
		r.ttft_ms = i % 2 ? i : -1;
		r.scheduled_at_ms = i == 1 ? r.ended_at_ms + 7 : r.ended_at_ms - 10 * i;
		bench_run_add(b, &r);
	}
	/* 1000 values: ranks 983 and 997 for p99; 100: 40 and 61 for p50, none for p99 */
	for (int i = 1; i <= 1000; i++) {
		struct result r = bench_row("m2", "P1", i);

		r.e2e_ms = i;
		r.ttft_ms = i <= 100 ? i : -1;
		bench_run_add(b, &r);
	}
	make(b, &s);
	g = &s.groups[0];
	NEAR(g->latency.p50, 5.5);
	NEAR(g->latency.p95, 59.05);
	NEAR(g->latency.p99, 91.81);
	NEAR(g->latency.mean, 14.5);
	CHECK(g->latency.sorted[0] == 1 && g->latency.sorted[9] == 100);
	CHECK(isnan(g->latency.p95_interval.low) && isnan(g->latency.p99_interval.high));
	CHECK_INT(g->ttft.n, 5);
	NEAR(g->ttft.p50, 5);
	CHECK_INT(g->waited.n, 10);
	NEAR(g->waited.sorted[0], 0); /* a clock that was set back */
	NEAR(g->waited.sorted[9], 100);
	g = &s.groups[1];
	NEAR(g->latency.p99_interval.low, 983);
	NEAR(g->latency.p99_interval.high, 997);
	NEAR(g->ttft.p50_interval.low, 40);
	NEAR(g->ttft.p50_interval.high, 61);
	NEAR(g->ttft.p95_interval.low, 90);
	NEAR(g->ttft.p95_interval.high, 100);
	CHECK(isnan(g->ttft.p99_interval.low));
	bench_run_free(b);
}

TEST(failed_calls_count_as_failures_unless_nobody_judges_the_prompt)
{
	struct bench_run *b = bench_run_new();
	struct summary s;
	struct result r;

	add_judged(b, "m1", 4, 3);
	r = bench_row("m1", "noop", 1); /* answered, not judged */
	bench_run_add(b, &r);
	r = bench_row("m2", "noop", 1);
	bench_run_fail(&r, PROVIDER_ERROR, "timeout");
	bench_run_add(b, &r); /* known from the other model */
	r.prompt_id = STR("P0");
	bench_run_add(b, &r); /* known to be judged */
	r.prompt_id = STR("never");
	bench_run_add(b, &r); /* nobody answered */
	r = bench_row("m1", "P9", 1);
	bench_run_fail(&r, PROVIDER_LIMITED, "http_429");
	bench_run_add(b, &r);
	make(b, &s);
	CHECK_INT(s.groups[0].pass.n, 4);
	CHECK_INT(s.groups[0].pass_of_all.n, 5);
	CHECK_INT(s.groups[0].pass_of_all.k, 3);
	CHECK_INT(s.groups[1].pass.n, 0);
	CHECK(isnan(s.groups[1].pass.interval.low));
	CHECK_INT(s.groups[1].pass_of_all.n, 2);
	CHECK_INT(s.groups[1].pass_of_all.k, 0);
	bench_run_free(b);
}

TEST(a_failed_call_of_a_noop_prompt_is_no_objective_failure)
{
	struct bench_run *b = bench_run_new();
	struct err err = { .kind = ERR_NONE };
	struct summary s;
	struct result r;

	add_judged(b, "m1", 4, 3);
	r = bench_row("m1", "idle", 1);
	bench_run_fail(&r, PROVIDER_ERROR, "timeout");
	bench_run_add(b, &r);
	r.prompt_id = STR("busy");
	bench_run_add(b, &r);
	bench_run_save(b);
	bench_run_file(b, "config.json", STR("{\"prompts\":[{\"id\":\"idle\",\"validator\":{\"type\":\"noop\"}},"
					     "{\"id\":\"busy\",\"validator\":{\"type\":\"exact\"}}]}"));
	if (!summary_make(&s, &b->arena, b->dir, RATE_WILSON, &err))
		FAIL("%s", err.text);
	CHECK_INT(s.groups[0].pass.n, 4);
	CHECK_INT(s.groups[0].pass_of_all.n, 5);
	bench_run_free(b);
}

static struct rate rate_of(uint64_t k, uint64_t n)
{
	return (struct rate){ k, n, stats_wilson(k, n, 0.95) };
}

TEST(a_tier_is_of_the_rate_and_unsure_when_the_interval_reaches_another)
{
	static const struct {
		uint64_t k, n;
		int tier;
		bool unsure;
	} cases[] = {
		{ 0, 0, 0, false },  { 4, 5, 1, true },     { 79, 100, 2, true },  { 80, 100, 1, true }, { 95, 100, 1, false },
		{ 1, 2, 2, true },   { 49, 100, 3, true },  { 65, 100, 2, false }, { 10, 100, 3, false }, { 0, 3, 3, true },
		{ 3, 3, 1, true },   { 800, 1000, 1, true }, { 900, 1000, 1, false },
	};
	bool unsure;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%llu of %llu", (unsigned long long)cases[i].k, (unsigned long long)cases[i].n);
		CHECK_INT(summary_tier(rate_of(cases[i].k, cases[i].n), &unsure), cases[i].tier);
		CHECK_INT(unsure, cases[i].unsure);
	}
}

TEST(tools_count_only_where_they_are_expected)
{
	struct bench_run *b = bench_run_new();
	struct summary s;

	for (int i = 1; i <= 8; i++) {
		struct result r = bench_row("m1", "P1", i);

		r.expects = i <= 6;
		r.tool_success = i != 1;
		if (i == 6)
			bench_run_fail(&r, PROVIDER_LIMITED, "http_429");
		if (i == 6)
			r.tool_success = false;
		bench_run_add(b, &r);
	}
	make(b, &s);
	CHECK_INT(s.groups[0].tools.k, 4);
	CHECK_INT(s.groups[0].tools.n, 5);
	CHECK_INT(s.groups[0].tools_of_all.k, 4);
	CHECK_INT(s.groups[0].tools_of_all.n, 6);
	CHECK_INT(s.groups[0].tier, 1);
	CHECK(s.groups[0].tier_unsure);
	CHECK_INT(s.groups[0].prompts[0].tools_rows, 5);
	CHECK_INT(s.groups[0].prompts[0].tools_hit, 4);
	bench_run_free(b);
}

/* The example of the page on statistics: four prompts, four times each. */
TEST(repeats_of_a_prompt_are_one_cluster)
{
	static const char answers[4][5] = { "1110", "0000", "1101", "1111" };
	struct bench_run *b = bench_run_new();
	const struct summary_group *g;
	struct summary s;
	double one, all;

	for (int p = 0; p < 4; p++) {
		for (int i = 0; i < 4; i++) {
			struct result r = bench_row("m1", (const char *[]){ "A", "B", "C", "D" }[p], i + 1);

			r.pass = answers[p][i] == '1' ? VERDICT_TRUE : VERDICT_FALSE;
			bench_run_add(b, &r);
		}
	}
	make(b, &s);
	g = s.groups;
	CHECK_INT(g->repeats, 4);
	NEAR(g->pass_mean.mean, 0.625);
	NEAR(g->pass_mean.se, 0.216506351);
	CHECK_INT(g->pass_mean.clusters, 4);
	CHECK_INT(summary_pass_at(g, 1, &one, &all), 4);
	NEAR(one, 0.625);
	NEAR(all, 0.625);
	/* of 3 of 4: 1 - 0 and 3/6; of 4 of 4: 1 and 1; of 0 of 4: 0 and 0 */
	CHECK_INT(summary_pass_at(g, 2, &one, &all), 4);
	NEAR(one, 0.75);
	NEAR(all, 0.5);
	CHECK_INT(summary_pass_at(g, 5, &one, &all), 0);
	CHECK(isnan(one) && isnan(all));
	bench_run_free(b);
}

TEST(without_repeats_the_error_is_that_of_single_answers)
{
	struct bench_run *b = bench_run_new();
	struct summary s;

	add_judged(b, "m1", 16, 10);
	make(b, &s);
	CHECK_INT(s.groups[0].repeats, 1);
	NEAR(s.groups[0].pass_mean.se, 0.125);
	bench_run_free(b);
}

TEST(times_tokens_and_money_are_added_up)
{
	struct bench_run *b = bench_run_new();
	struct summary s;
	struct result r;

	r = bench_row("m1", "P1", 1);
	r.usd = 0.25;
	bench_run_add(b, &r);
	r = bench_row("m1", "P1", 5);
	r.output_tokens = -1;
	bench_run_add(b, &r);
	r = bench_row("m1", "P1", 3);
	bench_run_fail(&r, PROVIDER_ERROR, "cut_stream");
	r.usd = 0.5;
	r.usd_estimated = true;
	bench_run_add(b, &r);
	r = bench_row("m2", "P1", 9);
	r.started_at_ms = r.ended_at_ms = 0;
	bench_run_add(b, &r);
	make(b, &s);
	NEAR(s.groups[0].usd, 0.75);
	CHECK_INT(s.groups[0].usd_rows, 2);
	CHECK(s.groups[0].usd_estimated);
	CHECK(isnan(s.groups[1].usd));
	CHECK_INT(s.groups[0].input_tokens, 30);
	CHECK_INT(s.groups[0].output_tokens, 40);
	NEAR(s.groups[0].tokens_per_second, 40);
	CHECK(s.groups[0].has_wall);
	CHECK_INT(s.groups[0].wall_ms, 4500);
	CHECK(!s.groups[1].has_wall);
	CHECK_INT(s.wall_ms, 4500);
	bench_run_free(b);
}

TEST(several_runs_are_one_summary)
{
	struct bench_run *b = bench_run_new(), *c = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);
	struct str paths[2] = { b->dir, c->dir };
	struct summary s;
	struct err err;

	bench_run_add(b, &r);
	r.run_id = STR("r2");
	r.started_at_ms += 1000000;
	r.ended_at_ms += 1000000;
	bench_run_add(c, &r);
	r.model = STR("m2");
	bench_run_add(c, &r);
	bench_run_save(b);
	bench_run_save(c);
	CHECK(summary_make_many(&s, &b->arena, paths, 2, RATE_WILSON, &err));
	CHECK_STR(s.run_id, STR("r1+r2"));
	CHECK_INT(s.count, 2);
	CHECK_INT(s.groups[0].n_total, 2);
	CHECK_INT(s.groups[0].wall_ms, 1000); /* 500 each: not the time between the runs */
	CHECK_INT(s.wall_ms, 1000);
	bench_run_free(c);
	bench_run_free(b);
}

TEST(what_is_no_row_is_left_out_and_counted)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);
	struct summary s;
	struct err err;

	CHECK(!summary_make(&s, &b->arena, b->dir, RATE_WILSON, &err));
	CHECK_INT(err.kind, ERR_IO);
	buf_add_str(&b->rows, STR("{\"record_type\":\"event\"}\nnonsense\n"));
	bench_run_add(b, &r);
	b->rows.n -= 20;
	bench_run_add(b, &r);
	make(b, &s);
	CHECK_INT(s.skipped, 3);
	CHECK_INT(s.rows, 0);
	b->rows.n = 0;
	make(b, &s);
	CHECK_INT(s.count, 0);
	CHECK_STR(s.run_id, str_basename(b->dir));
	bench_run_free(b);
}

TEST(the_first_violation_of_a_prompt_is_kept_and_a_long_one_cut)
{
	struct bench_run *b = bench_run_new();
	struct result r = bench_row("m1", "P1", 1);
	char *text = test_alloc(1001);
	struct summary s;

	memset(text, 'v', 1000);
	memcpy(text + SUMMARY_VIOLATION_MAX - 1, "\xc3\xbc", 2);
	r.pass = VERDICT_FALSE;
	r.violation = str_of(text, 1000);
	bench_run_add(b, &r);
	r.violation = STR("second");
	r.repetition = 2;
	bench_run_add(b, &r);
	make(b, &s);
	CHECK_INT(s.groups[0].prompts[0].violation.n, SUMMARY_VIOLATION_MAX - 1);
	CHECK_INT(s.groups[0].prompts[0].violations, 2);
	bench_run_free(b);
}

TEST(a_run_with_more_models_than_can_be_summed_up_is_an_error_and_no_crash)
{
	struct bench_run *b = bench_run_new();
	struct summary s;
	struct err err;

	for (int i = 0; i <= SUMMARY_GROUPS_MAX; i++)
		buf_printf(&b->rows, "{\"model\":\"m%d\",\"prompt_id\":\"P\",\"success\":true}\n", i);
	bench_run_save(b);
	CHECK(!summary_make(&s, &b->arena, b->dir, RATE_WILSON, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	bench_run_free(b);
}

TEST(prompts_stand_in_the_order_of_the_suite)
{
	struct bench_run *b = bench_run_new();
	static const char *const came[] = { "P9", "P2", "P1", "P5" };
	static const char *const shown[] = { "P1", "P2", "P9", "P5" };
	struct err err = { .kind = ERR_NONE };
	struct summary s;

	for (size_t i = 0; i < 4; i++) {
		struct result r = bench_row("m1", came[i], 1);

		bench_run_add(b, &r);
	}
	bench_run_save(b);
	bench_run_file(b, "config.json", STR("{\"prompts\":[{\"id\":\"P1\"},{\"id\":7},{\"id\":\"P2\"},{\"id\":\"P1\"},{\"id\":\"P9\"}]}"));
	if (!summary_make(&s, &b->arena, b->dir, RATE_WILSON, &err))
		FAIL("%s", err.text);
	CHECK_INT(s.groups[0].prompt_count, 4);
	for (size_t i = 0; i < 4; i++)
		CHECK_STR(s.groups[0].prompts[i].id, str_from(shown[i]));
	bench_run_free(b);
}
