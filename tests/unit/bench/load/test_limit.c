#include "bench/load/limit.h"

#include <math.h>

#include "harness/test.h"

#define NAMES(figure, limit) .name = { figure, sizeof(figure) - 1 }, .value = { limit, sizeof(limit) - 1 }

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
		struct load_bound b;
		bool met, surely;
		const char *said;
	} cases[] = {
		{ { NAMES("p50_ttft", "50.5ms"), LOAD_FIGURE_PERCENTILE, LOAD_TTFT, 0.5, .limit = 50.5 }, true, false,
		  "p50_ttft 50 ms, wanted <=50.5ms" },
		{ { NAMES("p50_ttft", "50.5ms"), LOAD_FIGURE_PERCENTILE, LOAD_TTFT, 0.5, .strict = true, .limit = 50.5 }, false, false,
		  "p50_ttft 50 ms, wanted <50.5ms" },
		{ { NAMES("p50_ttft", "1s"), LOAD_FIGURE_PERCENTILE, LOAD_TTFT, 0.5, .limit = 1000 }, true, true, "p50_ttft 50 ms, wanted <=1s" },
		{ { NAMES("p99_ttft", "1s"), LOAD_FIGURE_PERCENTILE, LOAD_TTFT, 0.99, .limit = 1000 }, true, false /* 100 are too few */,
		  "p99_ttft 99 ms, wanted <=1s" },
		{ { NAMES("mean_ttft", "51ms"), LOAD_FIGURE_MEAN, LOAD_TTFT, .limit = 51 }, true, false, "mean_ttft 50 ms, wanted <=51ms" },
		{ { NAMES("max_ttft", "100"), LOAD_FIGURE_MAX, LOAD_TTFT, .strict = true, .limit = 100 }, false, false,
		  "max_ttft 100 ms, wanted <100" },
		{ { NAMES("p50_tpot", "1s"), LOAD_FIGURE_PERCENTILE, LOAD_TPOT, 0.5, .limit = 1000 }, false, false, "p50_tpot no data, wanted <=1s" },
		{ { NAMES("error_rate", "12%"), LOAD_FIGURE_ERROR_RATE, .limit = 0.12 }, true, false, "error_rate 11.1%, wanted <=12%" },
		{ { NAMES("goodput", "66%"), LOAD_FIGURE_GOODPUT, .least = true, .limit = 0.66 }, true, false, "goodput 66.7%, wanted >=66%" },
		{ { NAMES("goodput_rate", "3"), LOAD_FIGURE_GOODPUT_RATE, .least = true, .limit = 3 }, true, true,
		  "goodput_rate 3.00/s, wanted >=3" },
		{ { NAMES("request_rate", "4/s"), LOAD_FIGURE_REQUEST_RATE, .least = true, .strict = true, .limit = 4 }, false, false,
		  "request_rate 4.00/s, wanted >4/s" },
		{ { NAMES("output_tokens_rate", "200tok/s"), LOAD_FIGURE_OUTPUT_RATE, .least = true, .limit = 200 }, true, true,
		  "output_tokens_rate 200.00/s, wanted >=200tok/s" },
	};
	struct load_stage g;
	struct buf said;

	fill(&g);
	buf_init(&said);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].said);
		buf_clear(&said);
		CHECK_INT(load_bound_meets(&cases[i].b, &g, false, &said), cases[i].met);
		CHECK_STR(buf_str(&said), str_from(cases[i].said));
		buf_clear(&said);
		CHECK_INT(load_bound_meets(&cases[i].b, &g, true, &said), cases[i].surely);
	}
	buf_free(&said);
	quantile_free(&g.spreads[LOAD_TTFT].values);
}

TEST(times_are_shown_with_their_unit)
{
	static const struct {
		double ms;
		const char *text;
	} cases[] = { { 0.414, "0.41 ms" }, { 83.4, "83 ms" }, { 1234, "1.23 s" }, { 45678, "45.7 s" }, { NAN, "-" } };

	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_STR(str_from(load_ms(cases[i].ms).text), str_from(cases[i].text));
}
