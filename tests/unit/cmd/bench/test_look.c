#include "cmd/bench/look.h"

#include <math.h>

#include "harness/test.h"

static const struct term plain = { .width = 80, .height = 24 };

static bool has(const struct buf *b, const char *text)
{
	return str_find(buf_str(b), str_from(text)) != (size_t)-1;
}

TEST(only_one_form_may_be_asked_for)
{
	static const char *const names[] = { "--x", "--y", "--z", NULL };
	struct err err = { .kind = ERR_NONE };

	CHECK(bench_look_one_form((const bool[]){ false, false, false }, names, &err));
	CHECK(bench_look_one_form((const bool[]){ false, true, false }, names, &err));
	CHECK(!bench_look_one_form((const bool[]){ true, false, true }, names, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(str_starts(str_from(err.text), STR("--x and --z exclude each other")));
}

TEST(a_file_of_results_stands_for_itself_and_a_directory_too)
{
	struct str names[] = { STR("tests/data/bench/looking/monday/results.jsonl"), STR("tests/data/bench/looking/monday") };
	struct str paths[2], none = STR("tests/data/bench/looking/sunday");
	struct err err = { .kind = ERR_NONE };
	struct arena a;

	arena_init(&a);
	CHECK(bench_look_find(&a, names, 2, paths, &err));
	CHECK_STR(paths[0], names[0]);
	CHECK_STR(paths[1], names[1]);
	CHECK(!bench_look_find(&a, &none, 1, paths, &err));
	CHECK_INT(err.kind, ERR_IO);
	arena_free(&a);
}

TEST(what_is_not_known_is_a_dash_between_tabs)
{
	struct summary_group g = { .provider = STR("p"), .model = STR("m\tx"), .n_total = 2, .usd = NAN,
				   .tokens_per_second = NAN,
				   .success = { .interval = { NAN, NAN } }, .pass = { .interval = { NAN, NAN } },
				   .tools = { .interval = { NAN, NAN } } };
	struct summary s = { .groups = &g, .count = 1 };
	struct str head, line, rest;
	size_t tabs[2] = { 0, 0 };
	struct buf out;

	buf_init(&out);
	bench_look_plain(&out, &s);
	head = str_cut(buf_str(&out), '\n', &rest);
	line = str_cut(rest, '\n', &rest);
	for (size_t i = 0; i < head.n; i++)
		tabs[0] += head.p[i] == '\t';
	for (size_t i = 0; i < line.n; i++)
		tabs[1] += line.p[i] == '\t';
	CHECK_INT(tabs[0], tabs[1]); /* a tab in a name is none here */
	CHECK(str_starts(line, STR("p\tm\\x09x\t-\t2\t0\t0\t0\t0\t0\t-\t-\t-\t")));
	CHECK_INT(rest.n, 0);
	buf_free(&out);
}

/* ---- comparisons ---- */

static struct compare_test test_of(enum compare_metric m, double difference, double se)
{
	return (struct compare_test){
		.metric = m, .pairs = 20, .prompts = 20, .both = 10, .only_a = 6, .only_b = 2, .neither = 2,
		.a = { .n = 20, .clusters = 20, .mean = 0.8 }, .b = { .n = 20, .clusters = 20, .mean = 0.6 },
		.a_interval = { 0.58, 0.92 }, .b_interval = { 0.39, 0.78 },
		.difference = { .n = 20, .mean = difference, .se = se, .interval = { -0.1, 0.5 } },
		.bootstrap = { NAN, NAN }, .median = difference, .median_interval = { NAN, NAN }, .mcnemar = 0.289, .mid_p = 0.18,
		.permutation = NAN, .p = 0.289, .holm = 0.289, .detectable = 0.3, .needed = 44,
		.answer = COMPARE_NO_DIFFERENCE,
	};
}

static void show(struct buf *out, struct compare_test t)
{
	struct compare_pair pair = { .a = STR("mock:x"), .b = STR("mock:y"), .pairs = 20, .rows_a = 21, .rows_b = 20,
				     .tests = &t, .test_count = 1 };
	struct compare c = { .a = { .path = STR("one") }, .b = { .path = STR("two") }, .pairs = &pair, .count = 1,
			     .family = 1, .seed = 0xabc };

	buf_clear(out);
	bench_compare_show(out, &c, &plain);
}

TEST(an_answer_is_given_in_words)
{
	struct compare_test t = test_of(COMPARE_PASS, 0.2, 0.1);
	struct buf out;

	buf_init(&out);
	show(&out, t);
	CHECK(has(&out, "mock:x (A) against mock:y (B): 20 pairs of 21 rows of A and 20 of B\n"));
	CHECK(has(&out, "A 80.0% [58.0, 92.0]  B 60.0% [39.0, 78.0]  n=20\n"));
	CHECK(has(&out, "both 10, only A 6, only B 2, neither 2\n"));
	CHECK(has(&out, "no difference shown; 20 prompts show one of 30.0pp or more with 80 % power,"));
	CHECK(has(&out, "showing the observed one takes about 44\n"));
	CHECK(has(&out, "Holm-corrected over 1 test."));
	CHECK(!has(&out, "seed")); /* nothing was left to chance */
	t.detectable = 1.2;
	show(&out, t);
	CHECK(has(&out, "20 prompts cannot show any with 80 % power"));
	t.answer = COMPARE_B_BETTER;
	show(&out, t);
	CHECK(has(&out, "    B is better\n"));
	t.answer = COMPARE_NOT_ENOUGH;
	t.prompts = 1;
	show(&out, t);
	CHECK(has(&out, "not enough data: 1 prompt cannot show a difference"));
	t = test_of(COMPARE_LATENCY, -20, 5);
	t.mcnemar = NAN;
	t.permutation = 0.01;
	t.answer = COMPARE_A_BETTER;
	show(&out, t);
	CHECK(has(&out, "    A is faster\n"));
	CHECK(has(&out, "seed 0000000000000abc"));
	t.metric = COMPARE_COST;
	show(&out, t);
	CHECK(has(&out, "    A is cheaper\n"));
	buf_free(&out);
}

TEST(a_comparison_as_json_has_null_for_what_is_not_known)
{
	struct compare_test t = test_of(COMPARE_PASS, 0.2, 0.1);
	struct compare_pair pair = { .a = STR("x"), .b = STR("y"), .tests = &t, .test_count = 1 };
	struct compare c = { .pairs = &pair, .count = 1, .a = { .run_id = STR("r") } };
	struct buf out;

	buf_init(&out);
	bench_compare_write_json(&out, &c, (struct opt_maybe){ .given = true });
	CHECK(str_starts(buf_str(&out), STR("{\n  \"schema\": \"trackway.bench-compare/1\",\n")));
	CHECK(has(&out, "\"permutation_p\": null"));
	CHECK(has(&out, "\"bootstrap_interval\": null"));
	CHECK(has(&out, "\"answer\": \"no_difference_shown\""));
	CHECK(has(&out, "\"suite_digest\": null"));
	buf_clear(&out);
	bench_compare_write_json(&out, &c, (struct opt_maybe){ .given = true, .value = STR("tests") });
	CHECK_STR(buf_str(&out), STR("{\n  \"schema\": \"trackway.bench-compare/1\",\n  \"tests\": 0\n}\n"));
	buf_free(&out);
}

/* ---- tiers ---- */

TEST(prompts_at_which_tools_were_missed_are_counted_over_all_runs)
{
	struct str paths[] = { STR("tests/data/bench/looking/monday"), STR("tests/data/bench/looking/tuesday") };
	struct err err = { .kind = ERR_NONE };
	struct bench_tiers t;
	struct summary s;
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	CHECK(summary_make_many(&s, &a, paths, 2, RATE_WILSON, &err));
	CHECK(bench_tiers_make(&t, &a, &s, paths, 2, &err));
	CHECK_INT(t.rows[0].missed_count, 2);
	CHECK_STR(t.rows[0].missed[0].prompt_id, STR("read"));
	CHECK_INT(t.rows[0].missed[0].missed, 2);
	CHECK_INT(t.rows[1].missed[0].missed, 1);
	CHECK_INT(t.rows[1].missed[0].rows, 2);
	bench_tiers_show(&out, &a, &t, &plain);
	CHECK(has(&out, "n too small to separate tiers"));
	buf_clear(&out);
	bench_tiers_write_json(&out, &t, (struct opt_maybe){ .given = true });
	CHECK(has(&out, "\"tool_tier\": 2"));
	buf_free(&out);
	arena_free(&a);
}

/* ---- rescoring ---- */

TEST(what_cannot_be_known_again_is_said)
{
	struct str kept[] = { STR("k") }, reworded[] = { STR("w") };
	struct rescore_change changes[] = {
		{ .target = STR("mock:m"), .prompt_id = STR("p"), .repetition = 2, .before = VERDICT_TRUE,
		  .after = VERDICT_NULL, .unknown = true },
		{ .target = STR("mock:m"), .prompt_id = STR("q"), .repetition = 1, .before = VERDICT_TRUE,
		  .after = VERDICT_FALSE, .violation = STR("too long"), .got = STR("got=\"a b\""), .cut = true },
	};
	struct rescore r = { .rows = 9, .judged = 8, .kept = 1, .kept_prompts = kept, .kept_count = 1, .reworded = reworded,
			     .reworded_count = 1, .cut = 1, .unknown = 1, .lost = { .skipped = 3 }, .changes = changes,
			     .change_count = 2 };
	struct buf out;

	buf_init(&out);
	bench_rescore_show(&out, &r, true, 40);
	CHECK_STR(buf_str(&out),
		  STR("2 verdicts changed; 8 of 9 rows were judged again:\n"
		      "  p (2)  mock:m  pass -> null  (arguments were not stored)\n"
		      "  q  mock:m  pass -> fail  (judged by a text that was cut)  too long got=\"a b\"\n"
		      "The old run has no config.json, so it is not known whether the prompts are the same.\n"
		      "Verdict kept, the prompt is not in the suite: 1 row (k)\n"
		      "Asked differently now, the answers are to the old question: w\n"
		      "Judged by a stored answer that was cut: 1 row\n"
		      "No verdict, because arguments of calls were not stored: 1 row\n"
		      "Ignored, not results: 3 lines\n"
		      "Nothing was written (--dry-run).\n"));
	buf_clear(&out);
	bench_rescore_show(&out, &r, false, 1);
	CHECK(has(&out, "  and 1 more (--limit 0 lists all)\n"));
	buf_clear(&out);
	bench_rescore_write_json(&out, &r, false, (struct opt_maybe){ .given = true });
	CHECK(has(&out, "\"after\": null"));
	CHECK(has(&out, "\"written\": true"));
	buf_free(&out);
}
