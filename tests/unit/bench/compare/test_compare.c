#include "bench/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/compare/rows.h"
#include "harness/test.h"

/* ---- runs made for the occasion ---- */

struct recorder {
	struct arena arena;
	struct buf text;
	char dir[64];
	struct compare c;
	struct err err;
};

static void begin(struct recorder *d)
{
	arena_init(&d->arena);
	buf_init(&d->text);
	snprintf(d->dir, sizeof(d->dir), "/tmp/trackway-compare-XXXXXX");
	CHECK(mkdtemp(d->dir));
	d->err.kind = ERR_NONE;
}

static struct str path_of(struct recorder *d, const char *run, const char *name)
{
	return arena_printf(&d->arena, "%s/%s%s%s", d->dir, run, name[0] ? "/" : "", name);
}

static void end(struct recorder *d)
{
	static const char *const runs[] = { "a", "b" }, *const files[] = { "results.jsonl", "config.json" };

	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < 2; j++)
			unlink(path_of(d, runs[i], files[j]).p);
		rmdir(path_of(d, runs[i], "").p);
	}
	CHECK(rmdir(d->dir) == 0);
	buf_free(&d->text);
	arena_free(&d->arena);
}

struct row {
	const char *model;
	int prompt;
	int64_t repetition;
	enum verdict_pass pass; /* null: the call failed */
	int64_t ms;
	double usd;
	int tools; /* -1: none expected */
};

static void add(struct recorder *d, struct row row)
{
	struct result r = {
		.run_id = STR("run"), .provider = STR("mock"), .model = str_from(row.model ? row.model : "m"),
		.prompt_id = arena_printf(&d->arena, "p%03d", row.prompt), .prompt_name = STR("x"),
		.status = row.pass == VERDICT_NULL ? PROVIDER_ERROR : PROVIDER_OK, .success = row.pass != VERDICT_NULL,
		.pass = row.pass, .started_at_ms = 1, .ended_at_ms = 2, .e2e_ms = row.ms, .ttft_ms = -1,
		.input_tokens = -1, .output_tokens = -1, .repetition = row.repetition ? row.repetition : 1,
		.attempts = 1, .cache_read_tokens = -1, .reasoning_tokens = -1, .ttfb_ms = -1, .scheduled_at_ms = -1,
		.expects = row.tools >= 0, .tool_success = row.tools > 0, .usd = row.usd > 0 ? row.usd : -1,
		.output = STR("x"),
	};

	if (row.pass == VERDICT_NULL)
		r.failure = STR("http_500");
	if (row.pass == VERDICT_FALSE)
		r.violation = STR("no");
	result_write(&d->text, &r);
}

static void save(struct recorder *d, const char *run)
{
	mkdir(path_of(d, run, "").p, 0700);
	CHECK(file_replace(path_of(d, run, "results.jsonl"), buf_str(&d->text), 0600, &d->err));
	buf_clear(&d->text);
}

static void save_config(struct recorder *d, const char *run, const char *text)
{
	CHECK(file_replace(path_of(d, run, "config.json"), str_from(text), 0600, &d->err));
}

/* `verdicts` has a letter for each prompt: + passed, - failed, ! the call came to nothing. */
static void add_verdicts(struct recorder *d, const char *model, const char *verdicts)
{
	for (int i = 0; verdicts[i]; i++)
		add(d, (struct row){ .model = model, .prompt = i, .tools = -1, .ms = 100,
				     .pass = verdicts[i] == '+' ? VERDICT_TRUE : verdicts[i] == '-' ? VERDICT_FALSE :
												  VERDICT_NULL });
}

static void compare(struct recorder *d)
{
	struct compare_options o = { .a = path_of(d, "a", ""), .b = path_of(d, "b", "") };

	o.metrics[COMPARE_PASS] = true;
	if (!compare_runs(&d->c, &d->arena, &o, &d->err))
		FAIL("%s", d->err.text);
}

static void compare_texts(struct recorder *d, const char *a, const char *b)
{
	add_verdicts(d, NULL, a);
	save(d, "a");
	add_verdicts(d, NULL, b);
	save(d, "b");
	compare(d);
}

static void check_near(double got, double want, double slack)
{
	if (!(fabs(got - want) <= slack))
		FAIL("%.12g is not %.12g", got, want);
}

static void check_line(const struct compare_test *t, const char *want)
{
	struct buf out;

	buf_init(&out);
	compare_add_line(&out, t);
	CHECK_STR(buf_str(&out), str_from(want));
	buf_free(&out);
}

/* ---- one attempt for each prompt ---- */

/* Golden values: 10 against 2 is .03857422, by mid-p .02246094. */
TEST(single_attempts_are_held_against_each_other_by_mcnemar)
{
	struct recorder d;
	struct compare_test *t;

	begin(&d);
	compare_texts(&d, "++++++++++++++++++++++++++++++----------", "++++++++++++++++++++----------++--------");
	CHECK_INT(d.c.count, 1);
	CHECK_STR(d.c.pairs[0].a, STR("mock:m"));
	CHECK_INT(d.c.pairs[0].test_count, 1);
	t = &d.c.pairs[0].tests[0];
	CHECK_INT(t->pairs, 40);
	CHECK_INT(t->prompts, 40);
	CHECK(!t->repeats && !t->errors_fail);
	CHECK_INT(t->both, 20);
	CHECK_INT(t->only_a, 10);
	CHECK_INT(t->only_b, 2);
	CHECK_INT(t->neither, 8);
	check_near(t->a.mean, 0.75, 1e-12);
	check_near(t->b.mean, 0.55, 1e-12);
	check_near(t->difference.mean, 0.2, 1e-12);
	check_near(t->difference.se, sqrt((12 - 40 * 0.04) / 39 / 40), 1e-12);
	check_near(t->mcnemar, 0.03857422, 5e-9);
	check_near(t->mid_p, 0.02246094, 5e-9);
	check_near(t->p, t->mcnemar, 0);
	check_near(t->holm, t->p, 0);
	CHECK(isnan(t->permutation) && isnan(t->bootstrap.low));
	check_near(t->a_interval.low, stats_wilson(30, 40, 0.95).low, 1e-12);
	CHECK_INT(d.c.family, 1);
	CHECK_INT(t->answer, COMPARE_A_BETTER);
	CHECK(compare_is_regression(&d.c));
	check_line(t, "A-B +20.0pp [+3.5, +36.5] paired, Holm p=.039");
	end(&d);
}

/* The example of a paired error: a difference of .3 with .152753. */
TEST(the_error_is_that_of_the_differences)
{
	struct recorder d;

	begin(&d);
	compare_texts(&d, "+++++++---", "++++------");
	check_near(d.c.pairs[0].tests[0].difference.mean, 0.3, 1e-12);
	check_near(d.c.pairs[0].tests[0].difference.se, 0.152753, 5e-7);
	CHECK_INT(d.c.pairs[0].tests[0].answer, COMPARE_NO_DIFFERENCE);
	CHECK(!compare_is_regression(&d.c));
	check_near(d.c.pairs[0].tests[0].detectable, (1.959963984540054 + 0.8416212335729143) * 0.15275252316519466, 1e-9);
	CHECK_INT(d.c.pairs[0].tests[0].needed, 21); /* (2.801585 * .483046 / .3)^2 is 20.3 */
	end(&d);
}

TEST(one_prompt_has_no_interval)
{
	struct recorder d;

	begin(&d);
	compare_texts(&d, "+", "-");
	CHECK(isnan(d.c.pairs[0].tests[0].difference.interval.low) && isnan(d.c.pairs[0].tests[0].difference.interval.high));
	check_line(&d.c.pairs[0].tests[0], "A-B +100.0pp [n too small] paired, Holm p n/a");
	end(&d);
}

TEST(a_better_b_is_no_regression)
{
	struct recorder d;

	begin(&d);
	compare_texts(&d, "--------", "++++++++");
	CHECK_INT(d.c.pairs[0].tests[0].answer, COMPARE_B_BETTER);
	CHECK(!compare_is_regression(&d.c));
	check_line(&d.c.pairs[0].tests[0], "A-B -100.0pp (all prompts alike) paired, Holm p=.008");
	end(&d);
}

/* One test takes from the other: p is doubled, and so must be what a difference is seen by. */
TEST(two_targets_are_two_tests)
{
	struct recorder d;
	struct compare_test *x, *y;

	begin(&d);
	for (int run = 0; run < 2; run++) {
		add_verdicts(&d, "x", run ? "------++" : "++++++++");
		add_verdicts(&d, "y", run ? "++++++-+" : "++++++++");
		save(&d, run ? "b" : "a");
	}
	compare(&d);
	CHECK_INT(d.c.count, 2);
	CHECK_INT(d.c.family, 2);
	x = &d.c.pairs[0].tests[0];
	y = &d.c.pairs[1].tests[0];
	check_near(x->p, 0.03125, 1e-12);
	check_near(x->holm, 0.0625, 1e-12);
	CHECK_INT(x->answer, COMPARE_NO_DIFFERENCE);
	check_near(y->p, 1, 1e-12);
	check_near(y->detectable, (stats_normal_quantile(0.9875) + stats_normal_quantile(0.8)) * y->difference.se, 1e-12);
	end(&d);
}

TEST(five_prompts_are_not_enough_whatever_they_say)
{
	struct recorder d;

	begin(&d);
	compare_texts(&d, "+++++", "-----");
	CHECK_INT(d.c.pairs[0].tests[0].answer, COMPARE_NOT_ENOUGH);
	check_near(d.c.pairs[0].tests[0].p, 0.0625, 1e-12);
	end(&d);
}

TEST(pairs_that_all_agree_show_nothing_below_three_in_n)
{
	struct recorder d;

	begin(&d);
	compare_texts(&d, "++++++++++", "++++++++++");
	CHECK_INT(d.c.pairs[0].tests[0].answer, COMPARE_NO_DIFFERENCE);
	check_near(d.c.pairs[0].tests[0].p, 1, 0);
	check_near(d.c.pairs[0].tests[0].detectable, 0.3, 1e-12);
	CHECK(isnan(d.c.pairs[0].tests[0].needed));
	check_line(&d.c.pairs[0].tests[0], "A-B +0.0pp (all prompts alike) paired, Holm p=1.0");
	end(&d);
}

/* ---- errors ---- */

TEST(errors_are_left_out_and_counted_as_failures_beside)
{
	struct recorder d;
	struct compare_pair *p;

	begin(&d);
	compare_texts(&d, "++++++++--", "++++!!!!-!");
	p = &d.c.pairs[0];
	CHECK_INT(p->pairs, 10);
	CHECK_INT(p->failed_a, 0);
	CHECK_INT(p->failed_b, 5);
	CHECK_INT(p->test_count, 2);
	CHECK(!p->tests[0].errors_fail && p->tests[1].errors_fail);
	CHECK_INT(p->tests[0].pairs, 5);
	CHECK_INT(p->tests[0].only_a, 0);
	CHECK_INT(p->tests[0].answer, COMPARE_NOT_ENOUGH);
	CHECK(isnan(p->tests[0].holm));
	CHECK_INT(p->tests[1].pairs, 10);
	CHECK_INT(p->tests[1].only_a, 4);
	CHECK_INT(p->tests[1].neither, 2);
	CHECK_INT(d.c.family, 1); /* the other one has too few prompts to show anything */
	check_near(p->tests[1].p, 0.125, 1e-12);
	check_near(p->tests[1].holm, 0.125, 1e-12);
	end(&d);
}

/* A prompt that nobody judges has no verdict to miss. */
TEST(a_prompt_without_verdicts_is_no_failure_when_its_call_fails)
{
	struct recorder d;

	begin(&d);
	compare_texts(&d, "++++++!", "++++++!");
	CHECK_INT(d.c.pairs[0].test_count, 1);
	CHECK_INT(d.c.pairs[0].tests[0].pairs, 6);
	end(&d);
}

/* ---- repeats ---- */

/* Six prompts, three repeats each: prompts are the clusters, and all 64 flips are tried. */
TEST(repeats_are_clustered_by_prompt)
{
	static const int a[6] = { 3, 3, 3, 2, 3, 3 }, b[6] = { 1, 0, 2, 1, 1, 0 };
	struct recorder d;
	struct compare_test *t;

	begin(&d);
	for (int run = 0; run < 2; run++) {
		for (int i = 0; i < 6; i++)
			for (int k = 0; k < 3; k++)
				add(&d, (struct row){ .prompt = i, .repetition = k + 1, .tools = -1,
						      .pass = k < (run ? b : a)[i] ? VERDICT_TRUE : VERDICT_FALSE });
		save(&d, run ? "b" : "a");
	}
	compare(&d);
	t = &d.c.pairs[0].tests[0];
	CHECK(t->repeats);
	CHECK_INT(t->pairs, 18);
	CHECK_INT(t->prompts, 6);
	check_near(t->difference.mean, 12 / 18.0, 1e-12);
	/* sums less their mean of 2: 0 1 -1 -1 0 1, squares 4; sqrt(4 * 6 / 5) / 18 */
	check_near(t->difference.se, sqrt(4 * 6 / 5.0) / 18, 1e-12);
	check_near(t->permutation, 2 / 64.0, 1e-12);
	check_near(t->p, t->permutation, 0);
	CHECK(isnan(t->mcnemar));
	CHECK(t->bootstrap.low > 0.4 && t->bootstrap.low < 0.55 && t->bootstrap.high > 0.8 && t->bootstrap.high < 0.95);
	CHECK(t->a_interval.high <= 1 && t->b_interval.low >= 0);
	check_line(t, "A-B +66.7pp [+35.4, +98.0] paired, cluster=task, Holm p=.031");
	CHECK_INT(t->answer, COMPARE_A_BETTER);
	end(&d);
}

TEST(only_the_same_repetition_is_a_pair_and_the_first_row_of_a_key_counts)
{
	struct recorder d;

	begin(&d);
	for (int k = 1; k <= 3; k++)
		add(&d, (struct row){ .prompt = 1, .repetition = k, .pass = VERDICT_TRUE, .tools = -1 });
	add(&d, (struct row){ .prompt = 1, .repetition = 2, .pass = VERDICT_FALSE, .tools = -1 });
	save(&d, "a");
	add(&d, (struct row){ .prompt = 1, .repetition = 2, .pass = VERDICT_TRUE, .tools = -1 });
	add(&d, (struct row){ .prompt = 1, .repetition = 9, .pass = VERDICT_TRUE, .tools = -1 });
	save(&d, "b");
	compare(&d);
	CHECK_INT(d.c.a.rows, 3);
	CHECK_INT(d.c.a.repeated, 1);
	CHECK_INT(d.c.pairs[0].pairs, 1);
	CHECK_INT(d.c.pairs[0].rows_a, 3);
	CHECK_INT(d.c.pairs[0].rows_b, 2);
	CHECK_INT(d.c.pairs[0].tests[0].both, 1);
	CHECK_INT(d.c.pairs[0].only_a_count, 0);
	end(&d);
}

TEST(no_difference_beside_a_small_p_has_its_reason)
{
	struct compare_options o;
	struct recorder d;

	begin(&d);
	for (int side = 0; side < 2; side++) {
		/* nine prompts are a second slower in A, eleven a millisecond faster */
		for (int i = 0; i < 20; i++)
			add(&d, (struct row){ .prompt = i, .pass = VERDICT_TRUE, .tools = -1,
					      .ms = side ? 2000 : i < 9 ? 3000 : 1999 });
		save(&d, side ? "b" : "a");
	}
	o = (struct compare_options){ .a = path_of(&d, "a", ""), .b = path_of(&d, "b", "") };
	o.metrics[COMPARE_LATENCY] = true;
	CHECK(compare_runs(&d.c, &d.arena, &o, &d.err));
	CHECK(d.c.pairs[0].tests[0].holm < 0.05);
	CHECK_INT(d.c.pairs[0].tests[0].answer, COMPARE_NO_DIFFERENCE);
	CHECK_INT(d.c.pairs[0].tests[0].reason, COMPARE_DIRECTIONS);
	end(&d);
}

static bool warns(const struct compare *c, const char *words)
{
	for (size_t i = 0; i < c->warning_count; i++)
		if (str_find(c->warnings[i], str_from(words)) != (size_t)-1)
			return true;
	return false;
}

TEST(rows_without_a_partner_are_a_warning)
{
	struct recorder d;

	begin(&d);
	compare_texts(&d, "11", "11");
	CHECK(!warns(&d.c, "partner"));
	compare_texts(&d, "1111", "11");
	CHECK(warns(&d.c, "mock:m: 2 rows of A and 0 of B have no partner"));
	add(&d, (struct row){ .prompt = 0, .pass = VERDICT_TRUE, .tools = -1 });
	add(&d, (struct row){ .model = "other", .prompt = 0, .pass = VERDICT_TRUE, .tools = -1 });
	save(&d, "a");
	compare(&d);
	CHECK(warns(&d.c, "1 target of A is not in B: its rows are not compared"));
	end(&d);
}

TEST(prompts_and_targets_of_one_run_only_are_listed)
{
	struct recorder d;

	begin(&d);
	add_verdicts(&d, NULL, "+++");
	add_verdicts(&d, "other", "+");
	save(&d, "a");
	add_verdicts(&d, NULL, "++");
	add(&d, (struct row){ .prompt = 77, .pass = VERDICT_TRUE, .tools = -1 });
	save(&d, "b");
	compare(&d);
	CHECK_INT(d.c.count, 1);
	CHECK_INT(d.c.pairs[0].only_a_count, 1);
	CHECK_STR(d.c.pairs[0].only_a[0], STR("p002"));
	CHECK_INT(d.c.pairs[0].only_b_count, 1);
	CHECK_STR(d.c.pairs[0].only_b[0], STR("p077"));
	CHECK_INT(d.c.a.alone_count, 1);
	CHECK_STR(d.c.a.alone[0], STR("mock:other"));
	CHECK_INT(d.c.b.alone_count, 0);
	end(&d);
}

/* ---- latency, cost, tools ---- */

TEST(latency_is_the_median_of_differences_on_prompts_that_both_answered)
{
	static const int64_t more[10] = { 10, 20, 30, 40, 50, 60, 70, 80, 90, 500 };
	struct compare_options o = { .metrics = { [COMPARE_LATENCY] = true } };
	struct compare_test *t;
	struct recorder d;

	begin(&d);
	for (int run = 0; run < 2; run++) {
		for (int i = 0; i < 10; i++)
			add(&d, (struct row){ .prompt = i, .pass = VERDICT_TRUE, .tools = -1,
					      .ms = 1000 * (i + 1) + (run ? more[i] : 0) });
		add(&d, (struct row){ .prompt = 10, .pass = run ? VERDICT_NULL : VERDICT_TRUE, .tools = -1, .ms = 5 });
		save(&d, run ? "b" : "a");
	}
	o.a = path_of(&d, "a", "");
	o.b = path_of(&d, "b", "results.jsonl");
	CHECK(compare_runs(&d.c, &d.arena, &o, &d.err));
	CHECK_INT(d.c.pairs[0].test_count, 1);
	t = &d.c.pairs[0].tests[0];
	CHECK_INT(t->pairs, 10);
	check_near(t->median, -55, 1e-9);
	check_near(t->median_interval.low, -90, 1e-9); /* ranks 2 and 9 of 10 */
	check_near(t->median_interval.high, -20, 1e-9);
	check_near(t->sum, -950, 1e-9);
	check_near(t->permutation, 2 / 1024.0, 1e-12);
	CHECK_INT(t->answer, COMPARE_A_BETTER); /* less is better */
	check_line(t, "A-B -55 ms [-90, -20] median paired, Holm p=.002");
	end(&d);
}

TEST(cost_and_tools_are_compared_where_they_are_known)
{
	struct compare_options o = { .metrics = { [COMPARE_TOOLS] = true, [COMPARE_COST] = true } };
	struct compare_test *t;
	struct recorder d;

	begin(&d);
	for (int run = 0; run < 2; run++) {
		for (int i = 0; i < 8; i++)
			add(&d, (struct row){ .prompt = i, .pass = VERDICT_TRUE, .tools = i < 7 ? !run : -1,
					      .usd = run ? i < 7 ? 0.002 : 0 : 0.003 });
		save(&d, run ? "b" : "a");
	}
	o.a = path_of(&d, "a", "");
	o.b = path_of(&d, "b", "");
	CHECK(compare_runs(&d.c, &d.arena, &o, &d.err));
	CHECK_INT(d.c.pairs[0].test_count, 2);
	t = d.c.pairs[0].tests;
	CHECK_INT(t[0].metric, COMPARE_TOOLS);
	CHECK_INT(t[0].pairs, 7);
	CHECK_INT(t[0].only_a, 7);
	CHECK_INT(t[1].metric, COMPARE_COST);
	CHECK_INT(t[1].pairs, 7);
	check_near(t[1].sum, 0.007, 1e-12);
	CHECK_INT(t[1].answer, COMPARE_B_BETTER);
	CHECK_INT(d.c.family, 2);
	check_near(t[0].holm, 4 / 128.0, 1e-12);
	end(&d);
}

/* ---- which targets ---- */

static bool compare_named(struct recorder *d, const char *b, const char *x, const char *y)
{
	struct compare_options o = { .a = path_of(d, "a", ""), .a_target = str_from(x), .b_target = str_from(y) };

	if (b)
		o.b = path_of(d, b, "");
	d->err.kind = ERR_NONE;
	if (!x)
		o.a_target.p = NULL;
	if (!y)
		o.b_target.p = NULL;
	return compare_runs(&d->c, &d->arena, &o, &d->err);
}

TEST(targets_are_named_in_full_by_tag_or_by_model)
{
	struct recorder d;

	begin(&d);
	add_verdicts(&d, "x", "++++++");
	add_verdicts(&d, "y", "------");
	save(&d, "a");
	CHECK(compare_named(&d, NULL, "mock:x", "mock__y__none"));
	CHECK_INT(d.c.pairs[0].tests[0].only_a, 6);
	CHECK(compare_named(&d, NULL, "y", "x"));
	CHECK_INT(d.c.pairs[0].tests[0].only_b, 6);
	CHECK_STR(d.c.pairs[0].a, STR("mock:y"));
	CHECK(!compare_named(&d, NULL, "z", "x"));
	CHECK_INT(d.err.kind, ERR_USAGE);
	CHECK_STR(str_from(d.err.text), STR("there is no target 'z' in run\n= help: it has mock:x, mock:y"));
	CHECK(!compare_named(&d, NULL, "x", "x"));
	CHECK_STR(str_from(d.err.text), STR("both are the same target of the same run\n= help: name another target, "
					    "or another run"));
	CHECK(!compare_named(&d, NULL, "x", NULL));
	CHECK_STR(str_from(d.err.text), STR("only one of two targets is given\n= help: name both"));
	end(&d);
}

TEST(one_run_of_two_targets_needs_no_names)
{
	struct recorder d;

	begin(&d);
	add_verdicts(&d, "x", "++++++");
	save(&d, "a");
	CHECK(!compare_named(&d, NULL, NULL, NULL));
	CHECK_INT(d.err.kind, ERR_USAGE);
	CHECK_STR(str_from(d.err.text), STR("run has 1 target, and it takes two to compare\n= help: it has mock:x; give another run, "
					    "or name two targets"));
	CHECK_INT(d.err.advice, ADVICE_COMPARE_TARGETS);
	add_verdicts(&d, "x", "++++++");
	add_verdicts(&d, "y", "------");
	save(&d, "a");
	CHECK(compare_named(&d, NULL, NULL, NULL));
	CHECK_STR(d.c.pairs[0].a, STR("mock:x"));
	CHECK_STR(d.c.pairs[0].b, STR("mock:y"));
	add_verdicts(&d, "x", "+");
	add_verdicts(&d, "y", "+");
	add_verdicts(&d, "z", "+");
	save(&d, "a");
	CHECK(!compare_named(&d, NULL, NULL, NULL));
	CHECK(strstr(d.err.text, "run has 3 targets, and it takes two to compare\n= help: it has mock:x, mock:y, mock:z; ") != NULL);
	end(&d);
}

TEST(runs_of_one_target_each_are_compared_even_when_these_differ)
{
	struct recorder d;

	begin(&d);
	add_verdicts(&d, "x", "++++++");
	save(&d, "a");
	add_verdicts(&d, "y", "++++++");
	save(&d, "b");
	CHECK(compare_named(&d, "b", NULL, NULL));
	CHECK_STR(d.c.pairs[0].a, STR("mock:x"));
	CHECK_STR(d.c.pairs[0].b, STR("mock:y"));
	add_verdicts(&d, "y", "+");
	add_verdicts(&d, "z", "+");
	save(&d, "b");
	CHECK(!compare_named(&d, "b", NULL, NULL));
	CHECK_STR(str_from(d.err.text), STR("the two runs have no target in common\n= help: name the targets to compare"));
	CHECK_INT(d.err.advice, ADVICE_COMPARE_TARGETS);
	end(&d);
}

TEST(a_run_without_results_cannot_be_compared)
{
	struct recorder d;

	begin(&d);
	save(&d, "a");
	CHECK(!compare_named(&d, NULL, "x", "y"));
	CHECK_INT(d.err.kind, ERR_DATA);
	CHECK(!compare_named(&d, "b", "x", "y"));
	end(&d);
}

/* ---- chance and warnings ---- */

TEST(the_seed_comes_from_the_rows)
{
	struct recorder d;
	uint64_t first;

	begin(&d);
	compare_texts(&d, "++++++", "+++++-");
	first = d.c.seed;
	compare(&d);
	CHECK(d.c.seed == first);
	compare_texts(&d, "++++++", "++++--");
	CHECK(d.c.seed != first);
	end(&d);
}

#define CONFIG(digest, validator, prompt, detector) \
	"{\"suite_digest\":\"" digest "\",\"detector\":\"" detector "\",\"prompts\":[{\"id\":\"p000\",\"prompt\":\"" prompt \
	"\",\"validator\":" validator "}],\"temperature\":0}"

TEST(runs_that_were_not_asked_or_judged_alike_are_warned_about)
{
	struct recorder d;

	begin(&d);
	compare_texts(&d, "++++++", "++++++");
	CHECK_INT(d.c.warning_count, 2); /* no configuration */
	save_config(&d, "a", CONFIG("1", "{\"type\":\"noop\"}", "q", "default"));
	save_config(&d, "b", CONFIG("1", "{\"type\":\"noop\"}", "q", "default"));
	compare(&d);
	CHECK_INT(d.c.warning_count, 0);
	save_config(&d, "b", CONFIG("2", "{\"type\":\"max_words\",\"value\":3}", "r", "reference"));
	compare(&d);
	CHECK_INT(d.c.warning_count, 4);
	CHECK_STR(d.c.warnings[0], STR("the suites differ: only prompts that both were asked are compared"));
	CHECK_STR(d.c.warnings[1], STR("prompts of the same id ask different questions: p000"));
	CHECK_STR(d.c.warnings[2],
		  STR("answers are judged by different validators ('trackway bench rescore' makes them the same): p000"));
	CHECK_STR(d.c.warnings[3],
		  STR("tools were found by different detectors ('trackway bench rescore' makes them the same)"));
	end(&d);
}

TEST(metrics_have_names)
{
	enum compare_metric m;

	for (int i = 0; i < COMPARE_METRICS; i++)
		CHECK(compare_metric_parse(str_from(compare_metric_name((enum compare_metric)i)), &m) && (int)m == i);
	CHECK(!compare_metric_parse(STR("beauty"), &m));
}

TEST(a_p_is_written_without_its_zero)
{
	static const struct {
		double p;
		const char *text;
	} cases[] = { { 0.041, "=.041" }, { 0.0004, "<.001" }, { 0.001, "=.001" }, { 1, "=1.0" }, { 0.9996, "=1.0" },
		      { 0.9994, "=.999" }, { 0.5, "=.500" }, { NAN, " n/a" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out;

		buf_init(&out);
		compare_add_p(&out, cases[i].p);
		CHECK_STR(buf_str(&out), str_from(cases[i].text));
		buf_free(&out);
	}
}

TEST(more_than_a_hundred_targets_in_common_are_refused)
{
	struct recorder d;
	char name[16];

	begin(&d);
	for (int run = 0; run < 2; run++) {
		for (int i = 0; i < 101; i++) {
			snprintf(name, sizeof(name), "m%d", i);
			add_verdicts(&d, name, "+");
		}
		save(&d, run ? "b" : "a");
	}
	CHECK(!compare_named(&d, "b", NULL, NULL));
	CHECK_INT(d.err.kind, ERR_LIMIT);
	CHECK(compare_named(&d, "b", "m3", "m100"));
	end(&d);
}
