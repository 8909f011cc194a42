#include "cmd/bench/threshold_args.h"

#include <math.h>
#include <stdlib.h>

#include "harness/test.h"

static double latencies[] = { 1000, 2000, 3000, 4000 };

static struct summary_group group(void)
{
	return (struct summary_group){
		.n_total = 100, .n_ok = 90, .n_success = 88, .n_limited = 4, .n_error = 6,
		.success = { 88, 90, stats_wilson(88, 90, 0.95) },
		.pass = { 70, 88, stats_wilson(70, 88, 0.95) },
		.tools = { 9, 10, stats_wilson(9, 10, 0.95) },
		.tier = 1, .tokens_per_second = 42.5, .usd = 0.25, .usd_rows = 90,
		.latency = { 4, 2500, 3850, 3970, 2500, { 1500, 3500 }, { 3000, NAN }, { NAN, NAN }, latencies },
		.ttft = { 4, 120, 300, 400, 200, { 100, 140 }, { 200, 380 }, { NAN, NAN }, NULL },
	};
}

static bool meets(struct arena *a, const char *text, const struct summary_group *g, bool confident, const char *words)
{
	struct err err = { .kind = ERR_NONE };
	const struct threshold *t = threshold_args_read(a, str_from(text), &err);
	struct buf said;
	bool yes;

	test_case("%s", text);
	if (!t)
		FAIL("%s", err.text);
	buf_init(&said);
	yes = threshold_meets(t, g, confident, &said);
	CHECK_STR(buf_str(&said), str_from(words));
	buf_free(&said);
	return yes;
}

TEST(every_name_is_held_against_its_own_figure)
{
	static const struct {
		const char *text;
		bool meets;
		const char *said;
	} cases[] = {
		{ "p50_latency<=3s", true, "p50_latency 2.5 s <= 3 s" },
		{ "p95_latency<=3850ms", true, "p95_latency 3850 ms <= 3850 ms" },
		{ "p95_latency<3850", false, "p95_latency 3850 ms is not < 3850 ms" },
		{ "p99_latency < 4 s", true, "p99_latency 3.97 s < 4 s" },
		{ "mean_latency>1s", true, "mean_latency 2.5 s > 1 s" },
		{ "p50_ttft<=120", true, "p50_ttft 120 ms <= 120 ms" },
		{ "p95_ttft<=0.1s", false, "p95_ttft 0.3 s is not <= 0.1 s" },
		{ "p99_ttft<=1s", true, "p99_ttft 0.4 s <= 1 s" },
		{ "success_rate>=97%", true, "success_rate 97.78 % >= 97 %" },
		{ "success_rate>=0.98", false, "success_rate 0.9778 is not >= 0.98" },
		{ "objective_pass_rate>=75%", true, "objective_pass_rate 79.55 % >= 75 %" },
		{ "pass_rate>=80 %", false, "pass_rate 79.55 % is not >= 80 %" },
		{ "tool_use_success_rate>0.8", true, "tool_use_success_rate 0.9 > 0.8" },
		{ "error_rate<=6%", true, "error_rate 6 % <= 6 %" },
		{ "rate_limited_rate<4%", false, "rate_limited_rate 4 % is not < 4 %" },
		{ "tokens_per_second>=40tok/s", true, "tokens_per_second 42.5 tok/s >= 40 tok/s" },
		{ "cost<=0.5usd", true, "cost 0.25 usd <= 0.5 usd" },
		{ "cost_usd<0.25", false, "cost_usd 0.25 usd is not < 0.25 usd" },
		{ "tier<=1", true, "tier 1 <= 1" },
		{ "n>=100", true, "n 100 >= 100" },
	};
	struct summary_group g = group();
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK(meets(&a, cases[i].text, &g, false, cases[i].said) == cases[i].meets);
	arena_free(&a);
}

TEST(a_figure_has_the_digits_that_its_verdict_needs)
{
	struct summary_group g = group();
	struct arena a;

	arena_init(&a);
	g.pass = (struct rate){ 89996, 100000, stats_wilson(89996, 100000, 0.95) };
	CHECK(!meets(&a, "pass_rate>=90%", &g, false, "pass_rate 89.996 % is not >= 90 %"));
	g.pass = (struct rate){ 7, 100, stats_wilson(7, 100, 0.95) };
	CHECK(meets(&a, "pass_rate>=7%", &g, false, "pass_rate 7 % >= 7 %"));
	arena_free(&a);
}

TEST(with_confidence_the_pessimistic_end_decides)
{
	struct summary_group g = group();
	struct arena a;

	arena_init(&a);
	CHECK(!meets(&a, "p50_latency<=3s", &g, true, "p50_latency 2.5 s [1.5, 3.5] is not <= 3 s"));
	CHECK(meets(&a, "p50_latency<=3500", &g, true, "p50_latency 2500 ms [1500, 3500] <= 3500 ms"));
	CHECK(meets(&a, "p50_latency>=1500", &g, true, "p50_latency 2500 ms [1500, 3500] >= 1500 ms"));
	CHECK(!meets(&a, "pass_rate>=75%", &g, true, "pass_rate 79.55 % [69.97, 86.65] is not >= 75 %"));
	CHECK(meets(&a, "pass_rate>=69%", &g, true, "pass_rate 79.55 % [69.97, 86.65] >= 69 %"));
	CHECK(!meets(&a, "error_rate<=10%", &g, true, "error_rate 6 % [2.779, 12.48] is not <= 10 %"));
	CHECK(meets(&a, "error_rate<=13%", &g, true, "error_rate 6 % [2.779, 12.48] <= 13 %"));
	CHECK(!meets(&a, "tier<=1", &g, true, "tier 1 [1, 2] is not <= 1")); /* 9 of 10 reaches down to 60 % */
	CHECK(meets(&a, "tier<=2", &g, true, "tier 1 [1, 2] <= 2"));
	CHECK(!meets(&a, "mean_latency<=4s", &g, true, "mean_latency 2.5 s [0.4457, 4.554] is not <= 4 s"));
	CHECK(meets(&a, "n>=100", &g, true, "n 100 [100, 100] >= 100"));
	arena_free(&a);
}

TEST(a_figure_without_an_interval_does_not_pass_with_confidence)
{
	struct summary_group g = group();
	struct arena a;

	arena_init(&a);
	CHECK(!meets(&a, "p95_latency<=30s", &g, true, "p95_latency 3.85 s (no interval) is not <= 30 s"));
	CHECK(!meets(&a, "p99_latency<=30s", &g, true, "p99_latency 3.97 s (no interval) is not <= 30 s"));
	CHECK(!meets(&a, "tokens_per_second>1", &g, true, "tokens_per_second 42.5 tok/s (no interval) is not > 1 tok/s"));
	CHECK(meets(&a, "cost<=1", &g, true, "cost 0.25 usd [0.25, 0.25] <= 1 usd"));
	g.usd_rows = 89; /* one row has no price: the sum is a lower bound */
	CHECK(!meets(&a, "cost<=1", &g, true, "cost 0.25 usd (no interval) is not <= 1 usd"));
	CHECK(meets(&a, "cost<=1", &g, false, "cost 0.25 usd <= 1 usd"));
	arena_free(&a);
}

TEST(a_threshold_without_data_is_not_met)
{
	struct summary_group g = { .n_total = 0, .tokens_per_second = NAN, .usd = NAN };
	static const char *const texts[] = {
		"p50_latency>=0", "mean_latency>=0", "p99_ttft>=0", "success_rate>=0", "pass_rate>=0", "error_rate>=0",
		"rate_limited_rate<=1", "tool_use_success_rate>=0", "tokens_per_second>=0", "cost>=0", "tier>=0",
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		const struct threshold *t = threshold_args_read(&a, str_from(texts[i]), &err);
		struct buf said;

		test_case("%s", texts[i]);
		CHECK(t != NULL);
		buf_init(&said);
		CHECK(!threshold_meets(t, &g, false, &said));
		CHECK(str_find(buf_str(&said), STR(": no data, not ")) != (size_t)-1);
		buf_free(&said);
	}
	arena_free(&a);
}

TEST(what_is_no_threshold_is_told_with_what_is_right)
{
	static const struct {
		const char *text, *told;
	} cases[] = {
		{ "", "'' is not a threshold\n= help: write one as in 'p95_latency<=30s'" },
		{ "<=3", "'<=3' is not a threshold\n= help: write one as in 'p95_latency<=30s'" },
		{ "p95_latancy<=3s", "unknown figure 'p95_latancy' in a threshold\n= help: did you mean 'p95_latency'?" },
		{ "speed>3", "unknown figure 'speed' in a threshold\n= help: there are p50_latency, p95_latency, p99_latency, "
			     "mean_latency, p50_ttft, p95_ttft, p99_ttft, success_rate, objective_pass_rate, pass_rate, "
			     "tool_use_success_rate, error_rate, rate_limited_rate, tokens_per_second, cost, cost_usd, tier, n" },
		{ "p95_latency", "after p95_latency write <=, <, >= or >, not ''\n= help: write a threshold as in "
				 "'p95_latency<=30s', in quotes" },
		{ "p95_latency=3s", "after p95_latency write <=, <, >= or >, not '=3s'\n= help: write a threshold as in "
				    "'p95_latency<=30s', in quotes" },
		{ "p95_latency<=", "'' is not a limit\n= help: write a number and its unit, as in "
				   "'p95_latency<=30s'" },
		{ "p95_latency<=x", "'x' is not a limit\n= help: write a number and its unit, as in "
				    "'p95_latency<=30s'" },
		{ "p95_latency<=1.2.3s", "'1.2.3s' is not a limit\n= help: write a number and its unit, as in "
					 "'p95_latency<=30s'" },
		{ "p95_latency<=3%", "p95_latency is not measured in '%'\n= help: its unit is ms or s" },
		{ "pass_rate>=80", "pass_rate is a share of 1, 80 is more\n= help: with a unit: '80%'" },
		{ "pass_rate>=80s", "pass_rate is not measured in 's'\n= help: its unit is %, or none for a share of 1" },
		{ "cost<=3eur", "cost is not measured in 'eur'\n= help: its unit is usd" },
		{ "tokens_per_second>3s", "tokens_per_second is not measured in 's'\n= help: its unit is tok/s" },
		{ "tier<=2 x", "tier is not measured in 'x'\n= help: it is a plain number" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };

		test_case("%s", cases[i].text);
		CHECK(!threshold_args_read(&a, str_from(cases[i].text), &err));
		CHECK_INT(err.kind, ERR_USAGE);
		CHECK_STR(str_from(err.text), str_from(cases[i].told));
	}
	arena_free(&a);
}

TEST(a_threshold_that_goes_on_for_ever_is_refused)
{
	char text[4000];
	struct err err = { .kind = ERR_NONE };
	struct arena a;

	memset(text, '9', sizeof(text));
	memcpy(text, "n>=", 3);
	arena_init(&a);
	CHECK(!threshold_args_read(&a, str_of(text, sizeof(text)), &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK_STR(str_from(err.text), STR("a threshold has at most 200 characters, this one has 4000"));
	arena_free(&a);
}

TEST(with_repetitions_the_interval_by_prompt_counts_too)
{
	struct summary_group g = { .repeats = 5, .pass = { .k = 45, .n = 50, .interval = { 0.79, 0.96 } },
				   .pass_mean = { .n = 50, .clusters = 10, .mean = 0.9, .interval = { 0.6, 1.2 } } };
	struct err err = { .kind = ERR_NONE };
	const struct threshold *t;
	struct arena a;
	struct buf said;

	arena_init(&a);
	buf_init(&said);
	t = threshold_args_read(&a, STR("pass_rate>=70%"), &err);
	CHECK(t && !threshold_meets(t, &g, true, &said));
	g.repeats = 1;
	CHECK(threshold_meets(t, &g, true, &said));
	g.repeats = 5;
	g.pass_mean.interval = (struct interval){ 0.9, 0.9 };
	CHECK(threshold_meets(t, &g, true, &said));
	t = threshold_args_read(&a, STR("pass_rate>=85%"), &err);
	CHECK(!threshold_meets(t, &g, true, &said));
	buf_free(&said);
	arena_free(&a);
}
