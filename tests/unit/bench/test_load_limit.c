#include "bench/load_limit.h"

#include <math.h>

#include "harness/test.h"

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
		CHECK(load_slo_parse(&s, str_from(cases[i].text), &err));
		CHECK_INT(s.metric, cases[i].metric);
		CHECK(s.ms == cases[i].ms && s.below == cases[i].below);
	}
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
		CHECK(!load_slo_parse(&s, str_from(wrong[i]), &err) && err.kind == ERR_USAGE);
		CHECK(str_find(str_from(err.text), STR("ttft<=500ms")) != (size_t)-1);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		test_case("%s", bad[i]);
		CHECK(!load_bound_parse(&b, str_from(bad[i]), &err) && err.kind == ERR_USAGE);
		CHECK(str_find(str_from(err.text), STR("p99_ttft<=1s")) != (size_t)-1);
	}
}

static void fill(struct load_stage *g)
{
	*g = (struct load_stage){ .due = 10, .good = 6, .length_ns = 2000000000, .output_tokens = 400 };
	g->ends[LOAD_OK] = 8;
	g->ends[LOAD_ERROR] = 1;
	g->ends[LOAD_GIVEN_UP] = 1;
	quantile_init(&g->spreads[LOAD_TTFT].values, 100);
	for (int i = 1; i <= 100; i++)
		quantile_add(&g->spreads[LOAD_TTFT].values, i);
	g->spreads[LOAD_TTFT].n = 100;
	g->spreads[LOAD_TTFT].sum = 5050;
	g->spreads[LOAD_TTFT].most = 100;
}

TEST(a_stage_meets_a_bound_or_does_not)
{
	static const struct {
		const char *text;
		bool met, surely;
		const char *said;
	} cases[] = {
		{ "p50_ttft<=50.5ms", true, false, "p50_ttft 50 ms, wanted <=50.5ms" },
		{ "p50_ttft<50.5ms", false, false, "p50_ttft 50 ms, wanted <50.5ms" },
		{ "p50_ttft<=1s", true, true, "p50_ttft 50 ms, wanted <=1s" },
		{ "p99_ttft<=1s", true, false /* 100 are too few */, "p99_ttft 99 ms, wanted <=1s" },
		{ "mean_ttft<=51ms", true, false, "mean_ttft 50 ms, wanted <=51ms" },
		{ "max_ttft<100", false, false, "max_ttft 100 ms, wanted <100" },
		{ "p50_tpot<=1s", false, false, "p50_tpot no data, wanted <=1s" },
		{ "error_rate<=12%", true, false, "error_rate 11.1%, wanted <=12%" },
		{ "goodput>=66%", true, false, "goodput 66.7%, wanted >=66%" },
		{ "goodput_rate>=3", true, true, "goodput_rate 3.00/s, wanted >=3" },
		{ "request_rate>4/s", false, false, "request_rate 4.00/s, wanted >4/s" },
		{ "output_tokens_rate>=200tok/s", true, true, "output_tokens_rate 200.00/s, wanted >=200tok/s" },
	};
	struct err err = { .kind = ERR_NONE };
	struct load_stage g;
	struct buf said;

	fill(&g);
	buf_init(&said);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct load_bound b;

		test_case("%s", cases[i].text);
		CHECK(load_bound_parse(&b, str_from(cases[i].text), &err));
		buf_clear(&said);
		CHECK_INT(load_bound_meets(&b, &g, false, &said), cases[i].met);
		CHECK_STR(buf_str(&said), str_from(cases[i].said));
		buf_clear(&said);
		CHECK_INT(load_bound_meets(&b, &g, true, &said), cases[i].surely);
	}
	CHECK(load_bound_parse(&(struct load_bound){ .p = 0 }, STR("p99_e2e_sent<=1s"), &err));
	buf_free(&said);
	quantile_free(&g.spreads[LOAD_TTFT].values);
}

TEST(times_are_shown_with_their_unit)
{
	static const struct {
		double ms;
		const char *text;
	} cases[] = { { 0.414, "0.41 ms" }, { 83.4, "83 ms" }, { 1234, "1.23 s" }, { 45678, "45.7 s" }, { NAN, "-" } };
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&b);
		load_add_ms(&b, cases[i].ms);
		CHECK_STR(buf_str(&b), str_from(cases[i].text));
	}
	buf_free(&b);
}
