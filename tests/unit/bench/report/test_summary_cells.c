#include "bench/report/summary_cells.h"

#include <math.h>

#include "harness/test.h"

TEST(times_sizes_and_money_are_written_as_people_read_them)
{
	static const struct {
		double ms;
		const char *text;
	} times[] = { { 0, "0 ms" }, { 999.4, "999 ms" }, { 999.6, "1.00 s" }, { 9994, "9.99 s" }, { 12400, "12.4 s" },
		      { 99960, "1 min 40 s" }, { 200000, "3 min 20 s" }, { 3599600, "1 h 0 min" }, { 7260000, "2 h 1 min" },
		      { -1, "-" }, { NAN, "-" } };
	static const struct {
		int64_t bytes;
		const char *text;
	} sizes[] = { { -1, "-" }, { 0, "0 B" }, { 999, "999 B" }, { 1000, "1.0 kB" }, { 12345678901, "12.3 GB" },
		      { INT64_MAX, "9.2 EB" } };

	for (size_t i = 0; i < COUNT(times); i++)
		CHECK_STR(str_from(cell_ms(times[i].ms).text), str_from(times[i].text));
	for (size_t i = 0; i < COUNT(sizes); i++)
		CHECK_STR(str_from(cell_bytes(sizes[i].bytes).text), str_from(sizes[i].text));
	CHECK_STR(str_from(cell_usd(0.01234).text), STR("$0.0123"));
	CHECK_STR(str_from(cell_usd(12.345).text), STR("$12.35"));
	CHECK_STR(str_from(cell_usd(1e300).text), STR("$1e+300"));
	CHECK_STR(str_from(cell_usd(NAN).text), STR("-"));
}

TEST(rates_are_percents_with_their_interval)
{
	struct rate r = { 9, 10, { .59585, .982124 } }, none = { .n = 0 };

	CHECK_STR(str_from(cell_percent(r).text), STR("90.0"));
	CHECK_STR(str_from(cell_percent(none).text), STR("-"));
	CHECK_STR(str_from(cell_percent_interval(r).text), STR("90.0 (59.6\xe2\x80\x93" "98.2)"));
	CHECK_STR(str_from(cell_percent_interval(none).text), STR("-"));
}

TEST(a_rate_below_a_border_never_reads_as_the_border)
{
	static const struct {
		uint64_t k, n;
		const char *text;
	} cases[] = {
		{ 4, 5, "80.0" }, { 7999, 10000, "79.99" }, { 79996, 100000, "79.996" }, { 79946, 100000, "79.9" },
		{ 799999, 1000000, "79.9999" }, { 4999, 10000, "49.99" }, { 1, 2, "50.0" }, { 80004, 100000, "80.0" },
		{ 9999, 10000, "99.99" }, { 1, 10000, "0.01" }, { 0, 9, "0.0" }, { 9, 9, "100.0" },
		{ 999999999, 1000000000, "99.9999999" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rate r = { cases[i].k, cases[i].n, { 0, 1 } };

		CHECK_STR(str_from(cell_percent(r).text), str_from(cases[i].text));
	}
}

static struct str notes_of(const struct summary_group *g)
{
	struct buf *out = test_alloc(sizeof(*out));

	buf_init(out);
	cell_add_notes(out, g);
	return buf_str(out);
}

static bool has(struct str text, const char *what)
{
	return str_find(text, str_from(what)) != (size_t)-1;
}

TEST(what_figures_do_not_say_is_said_in_words)
{
	struct summary_group g = { .n_total = 30, .usd = NAN, .pass = { 0, 30, { 0, .11 } }, .pass_of_all = { 0, 30, { 0, .11 } } };
	struct summary s = { .bottleneck = true, .skipped = 2, .method = RATE_EXACT };
	struct buf out;

	CHECK_STR(notes_of(&g), STR("None of 30 answers passed; up to 10.0 % may yet (rule of three).\n"));
	g.pass.k = 30;
	CHECK_STR(notes_of(&g), STR("All of 30 answers passed; up to 10.0 % may yet fail (rule of three).\n"));
	g.pass.k = 29;
	CHECK_STR(notes_of(&g), STR(""));
	g.pass_of_all = (struct rate){ 29, 40, { .5, .8 } };
	g.n_unavailable = 4;
	g.n_auth = 3;
	g.tools = (struct rate){ 8, 10, { .49, .943 } };
	g.tools_of_all = (struct rate){ 8, 20, { .2, .6 } };
	g.tier = 1;
	g.tier_unsure = true;
	g.usd = 0.5;
	g.usd_rows = 3;
	g.latency = (struct spread){ .n = 10, .p95 = 100, .p95_interval = { NAN, NAN }, .p99_interval = { NAN, NAN } };
	g.waited = (struct spread){ .n = 10, .p95 = 5000 };
	CHECK(has(notes_of(&g), "4 of 30 calls were skipped"));
	CHECK(has(notes_of(&g), "3 of 30 calls were refused for want of a valid key"));
	CHECK(has(notes_of(&g), "With failed calls counted as failures, 72.5 % of 40 pass"));
	CHECK(has(notes_of(&g), "80.0 % of 10 answers that should, with a 95 % interval of 49.0 to 94.3 %: tier 1, "
				"but n too small to separate tiers."));
	CHECK(has(notes_of(&g), "it is 40.0 % of 20"));
	CHECK(has(notes_of(&g), "n too small for an interval of p95 and p99: 10 answers, and 72 and 368 are needed"));
	CHECK(has(notes_of(&g), "From the time a call was due, p95 is 5.00 s"));
	CHECK(has(notes_of(&g), "Cost: $0.5000 for 3 of 30 calls"));
	g.tier_unsure = false;
	g.latency.p95_interval = (struct interval){ 1, 2 };
	CHECK(!has(notes_of(&g), "separate tiers"));
	CHECK(has(notes_of(&g), "n too small for an interval of p99: 10"));
	buf_init(&out);
	cell_add_run_notes(&out, &s);
	CHECK(has(buf_str(&out), "The client itself was the bottleneck"));
	CHECK(has(buf_str(&out), "2 lines of results.jsonl could not be read"));
	CHECK(has(buf_str(&out), "Clopper and Pearson's for rates"));
	buf_free(&out);
}

TEST(latencies_far_from_the_others_are_told)
{
	double far[] = { 900, 950, 1000, 1050, 1100, 9000 }, near[] = { 10, 10, 10, 10, 10, 150 };
	struct summary_group g = { .n_total = 6, .usd = NAN };

	g.latency = (struct spread){ .n = 6, .p50 = 1025, .p95_interval = { 1, 2 }, .p99_interval = { 1, 2 }, .sorted = far };
	CHECK_STR(notes_of(&g), STR("1 of 6 latencies lie far from the others (modified z-score above 3.5), from 900 ms to "
				    "9.00 s in all; they count.\n"));
	g.latency.n = 5;
	g.latency.p50 = 1000;
	CHECK_STR(notes_of(&g), STR(""));
	g.latency = (struct spread){ .n = 6, .p50 = 10, .p95_interval = { 1, 2 }, .p99_interval = { 1, 2 }, .sorted = near };
	CHECK_STR(notes_of(&g), STR("")); /* a blink */
}

TEST(repeats_are_told_as_chances)
{
	struct summary_prompt prompts[] = { { .rows = 2, .judged = 2, .passed = 2 }, { .rows = 2, .judged = 2, .passed = 1 } };
	struct summary_group g = { .repeats = 2, .prompts = prompts, .prompt_count = 2, .usd = NAN,
				   .pass_mean = { .mean = .75, .se = .25, .interval = { -1, 2 } } };

	CHECK_STR(notes_of(&g), STR("Of 2 prompts judged 2 times, 100.0 % pass at least once and 50.0 % every time.\n"
				    "Repeats are not independent: clustered by prompt, objective is 75.0 % with a 95 % interval "
				    "of 0.0 to 100.0 %.\n"));
}

TEST(a_target_is_named_as_it_is_given)
{
	struct summary_group g = { .provider = STR("mock"), .model = STR("m\n1") };
	struct arena a;

	arena_init(&a);
	CHECK_STR(str_from(cell_target(&a, &g)), STR("mock:m\\x0a1"));
	g.thinking = STR("high");
	CHECK_STR(str_from(cell_target(&a, &g)), STR("mock:m\\x0a1@high"));
	arena_free(&a);
}

TEST(violations_stand_by_prompt_and_then_by_model)
{
	struct summary_prompt a[] = { { .id = STR("A"), .judged = 1, .passed = 1 }, { .id = STR("B"), .judged = 2, .passed = 1 } };
	struct summary_prompt b[] = { { .id = STR("C"), .judged = 1 }, { .id = STR("B"), .judged = 1 }, { .id = STR("A"), .judged = 1 } };
	struct summary_group groups[] = { { .prompts = a, .prompt_count = 2 }, { .prompts = b, .prompt_count = 3 } };
	struct summary s = { .groups = groups, .count = 2 };
	static const struct {
		const char *id;
		size_t group;
	} want[] = { { "A", 1 }, { "B", 0 }, { "B", 1 }, { "C", 1 } };
	size_t count;
	struct cell_violation *list = cell_violations(&s, &count);

	CHECK_INT(count, COUNT(want));
	for (size_t i = 0; i < count; i++) {
		CHECK_STR(list[i].prompt->id, str_from(want[i].id));
		CHECK_INT(list[i].group, want[i].group);
	}
	mem_free(list);
	s.count = 0;
	list = cell_violations(&s, &count);
	CHECK_INT(count, 0);
	mem_free(list);
}
