#include "cmd/bench/load_args.h"

#include "harness/test.h"

#define SECOND UINT64_C(1000000000)

TEST(limits_on_a_request_are_read)
{
	static const struct {
		const char *text;
		enum load_metric metric;
		double ms;
		bool below;
	} cases[] = { { "ttft<=500ms", LOAD_TTFT, 500, false }, { "tpot < 50", LOAD_TPOT, 50, true },
		      { " e2e <= 1.5s", LOAD_E2E, 1500, false }, { "itl<=200us", LOAD_ITL, 0.2, false } };
	struct err err = { .kind = ERR_NONE };
	struct load_slo s;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK(load_args_slo(&s, str_from(cases[i].text), &err));
		CHECK_INT(s.metric, cases[i].metric);
		CHECK(s.ms == cases[i].ms && s.below == cases[i].below);
	}
}

TEST(bounds_on_a_stage_are_read)
{
	static const struct {
		const char *text;
		enum load_figure figure;
		enum load_metric metric;
		double p, limit;
		bool least, strict;
	} cases[] = {
		{ "p99_e2e_sent<=1s", LOAD_FIGURE_PERCENTILE, LOAD_E2E_SENT, 0.99, 1000, false, false },
		{ "mean_tpot < 40ms", LOAD_FIGURE_MEAN, LOAD_TPOT, 0, 40, false, true },
		{ "max_late<=5", LOAD_FIGURE_MAX, LOAD_LATE, 0, 5, false, false },
		{ "error_rate<=7%", LOAD_FIGURE_ERROR_RATE, 0, 0, 0.07, false, false },
		{ "goodput>=95%", LOAD_FIGURE_GOODPUT, 0, 0, 0.95, true, false },
		{ "goodput_rate>5", LOAD_FIGURE_GOODPUT_RATE, 0, 0, 5, true, true },
		{ "request_rate>=7.5/s", LOAD_FIGURE_REQUEST_RATE, 0, 0, 7.5, true, false },
		{ "output_tokens_rate>=200tok/s", LOAD_FIGURE_OUTPUT_RATE, 0, 0, 200, true, false },
	};
	struct err err = { .kind = ERR_NONE };
	struct load_bound b;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK(load_args_bound(&b, str_from(cases[i].text), &err));
		CHECK(b.figure == cases[i].figure && b.metric == cases[i].metric && b.p == cases[i].p);
		CHECK(b.limit == cases[i].limit && b.least == cases[i].least && b.strict == cases[i].strict);
	}
	CHECK_STR(b.name, STR("output_tokens_rate"));
	CHECK_STR(b.value, STR("200tok/s"));
}

TEST(what_is_no_limit_is_refused_with_an_example)
{
	static const char *const wrong[] = { "", "ttft", "ttft>=1s", "ttft<=", "ttft<=x", "ttft<=-1s", "ttfb<=1s", "late<=1s", "<=1s",
					     "ttft<=1%", "ttft==1s" };
	static const char *const bad[] = { "", "p99_ttft", "p98_ttft<=1s", "p99_loop<=1s", "p99_<=1s", "ttft<=1s", "goodput>=1s",
					   "error_rate<=1ms", "request_rate>=5%", "p99_ttft<=1%" };
	struct err err = { .kind = ERR_NONE };
	struct load_slo s;
	struct load_bound b;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		test_case("%s", wrong[i]);
		CHECK(!load_args_slo(&s, str_from(wrong[i]), &err) && err.kind == ERR_USAGE);
		CHECK(str_find(str_from(err.text), STR("ttft<=500ms")) != (size_t)-1);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		test_case("%s", bad[i]);
		CHECK(!load_args_bound(&b, str_from(bad[i]), &err) && err.kind == ERR_USAGE);
		CHECK(str_find(str_from(err.text), STR("p99_ttft<=1s")) != (size_t)-1);
	}
}

TEST(rates_are_read_and_what_is_none_is_refused)
{
	static const char *const wrong[] = { "", "x", "0", "-1", "1,,2", "1,", ",1", "1e9", "nan", "0.0001", "1 2" };
	struct err err = { .kind = ERR_NONE };
	double rates[ARRIVALS_STAGES];
	size_t n;
	char many[400];

	CHECK(load_args_rates(STR("1, 2.5,1e3"), rates, &n, &err));
	CHECK_INT(n, 3);
	CHECK(rates[1] == 2.5 && rates[2] == 1000);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		test_case("%s", wrong[i]);
		CHECK(!load_args_rates(str_from(wrong[i]), rates, &n, &err) && err.kind == ERR_USAGE);
	}
	for (size_t i = 0; i < 130; i++)
		many[i] = i % 2 ? ',' : '1';
	CHECK(!load_args_rates(str_of(many, 129), rates, &n, &err));
	CHECK(load_args_rates(str_of(many, 127), rates, &n, &err) && n == ARRIVALS_STAGES);
}

TEST(times_have_units)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = { { "30", 30 * SECOND }, { "500ms", SECOND / 2 }, { "1.5 s", 3 * SECOND / 2 }, { "2m", 120 * SECOND },
		      { "1h", 3600 * SECOND }, { "", 0 }, { "0", 0 }, { "-1s", 0 }, { "s", 0 }, { "1d", 0 }, { "800h", 0 } };
	struct err err = { .kind = ERR_NONE };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns = 0;

		test_case("%s", cases[i].text);
		CHECK_INT(load_args_time(str_from(cases[i].text), "--duration", &ns, &err), cases[i].ns != 0);
		CHECK_INT(ns, cases[i].ns);
	}
	CHECK(str_find(str_from(err.text), STR("--duration: '800h'")) == 0);
}
