/* Which trials count, what reviewers agree on, ranks and frontiers: each rule by a small ledger of its own. */
#include <math.h>

#include "../amend_kit.h"
#include "trial/report/board.h"
#include "trial/report/reviews.h"
#include "trial/report/versus.h"
#include "trial/review.h"

/* A record with a reward and what its runner said; partial when `partial`. */
static struct str report_record(struct kit *k, const char *id, const char *reward, const char *ours, bool partial)
{
	struct str r = kit_record(k, arena_printf(&k->arena, "\"%s\"", id).p);

	r = kit_replace(k, r, "\"reward\":0.75", arena_printf(&k->arena, "\"reward\":%s", reward).p);
	r = kit_replace(k, r, "{\"turns\":3}", arena_printf(&k->arena, "{\"trackway\":{%s}}", ours).p);
	return partial ? kit_replace(k, r, "\"completeness\":\"complete\"", "\"completeness\":\"partial\"") : r;
}

static struct amend_target report_seal(struct kit *k, const char *id, const char *reward, const char *ours)
{
	return amend_kit_seal(k, report_record(k, id, reward, ours, false), NULL, 0);
}

static struct tally report_tally(struct kit *k)
{
	const struct tally_how how = { .tick = NULL };
	struct err err = { .kind = ERR_NONE };
	struct tally t;

	kit_must(tally_read(&t, &k->arena, &k->ledger, &how, &err), &err);
	return t;
}

/* "t-1 counted, t-2 partial" */
static void report_check_standings(struct kit *k, const char *want)
{
	struct tally t = report_tally(k);
	struct buf got;

	buf_init(&got);
	for (size_t i = 0; i < t.count; i++)
		buf_printf(&got, "%s%.*s %s", i ? ", " : "", STR_ARG(tally_name(&t, &t.trials[i], NAME_TRIAL)),
			   trial_standing_word((enum trial_standing)t.trials[i].standing));
	CHECK_STR(buf_str(&got), str_from(want));
	buf_free(&got);
}

static void report_review(struct kit *k, struct amend_target t, const char *who, const char *kind,
			  const char *judgment)
{
	struct review r = { .kind = str_from(kind), .reviewer_id = str_from(who), .judgment = str_from(judgment) };
	struct err err = { .kind = ERR_NONE };
	struct amend_result out;

	kit_must(review_seal(&k->ledger, &k->arena, &t, &r, &out, &err) && ledger_publish(&k->ledger, &err), &err);
}

TEST(every_trial_has_one_standing)
{
	struct err err = { .kind = ERR_NONE };
	struct amend_target old, new;
	struct amend_result out;
	struct kit k;

	kit_begin(&k);
	old = report_seal(&k, "t-1", "0.5", "");
	new = report_seal(&k, "t-2", "0.5", "");
	report_seal(&k, "t-3", "0.0", "\"class\":\"infrastructure\"");
	report_seal(&k, "t-4", "0.0", "\"class\":\"verifier_failed\"");
	amend_kit_seal(&k, report_record(&k, "t-5", "0.0", "", true), NULL, 0);
	amend_kit_seal(&k, report_record(&k, "t-2", "0.0", "", true), NULL, 0);
	kit_must(supersede_seal(&k.ledger, &old, &new, STR("why"), &out, &err) && ledger_publish(&k.ledger, &err), &err);
	report_check_standings(&k, "t-1 superseded, t-2 counted, t-3 infrastructure, t-4 counted, t-5 partial, "
				   "t-2 completed later");
	kit_end(&k);
}

TEST(the_last_regrade_of_a_trial_takes_its_place)
{
	struct kit k;

	kit_begin(&k);
	report_seal(&k, "t-1", "0.0", "");
	report_seal(&k, "r-1", "0.5", "\"regrade_of\":\"t-1\"");
	report_seal(&k, "r-2", "1.0", "\"regrade_of\":\"t-1\"");
	report_seal(&k, "r-3", "0.25", "\"regrade_of\":\"r-1\"");
	report_seal(&k, "r-4", "0.25", "\"regrade_of\":\"nobody\"");
	report_check_standings(&k, "t-1 regraded, r-1 regraded, r-2 regraded, r-3 counted, r-4 counted");
	kit_end(&k);
}

TEST(a_regrade_that_was_sealed_before_its_original_replaces_nothing)
{
	struct kit k;

	kit_begin(&k);
	report_seal(&k, "a", "0.0", "\"regrade_of\":\"b\"");
	report_seal(&k, "b", "0.5", "\"regrade_of\":\"a\"");
	report_seal(&k, "c", "0.5", "\"regrade_of\":\"c\"");
	report_check_standings(&k, "a regraded, b counted, c counted");
	kit_end(&k);
}

/* A regrade of t-1 with `old` replaced by `new` in its record. */
static void report_seal_regrade(struct kit *k, const char *id, const char *old, const char *new)
{
	amend_kit_seal(k, kit_replace(k, report_record(k, id, "1.0", "\"regrade_of\":\"t-1\"", false), old, new), NULL, 0);
}

TEST(a_regrade_of_another_model_adapter_or_task_replaces_nothing)
{
	struct kit k;

	kit_begin(&k);
	report_seal(&k, "t-1", "0.5", "");
	report_seal_regrade(&k, "r-1", "m-large", "m-small");
	report_seal_regrade(&k, "r-2", "civil/beam", "civil/roof");
	report_seal_regrade(&k, "r-3", "\"adapter\":\"", "\"adapter\":\"x");
	report_check_standings(&k, "t-1 counted, r-1 counted, r-2 counted, r-3 counted");
	kit_end(&k);
}

TEST(a_regrade_in_an_experiment_of_its_own_takes_the_place_where_both_are_looked_at)
{
	struct tally_filter only = { .experiment = STR("e-1") };
	struct kit k;
	struct tally t;

	kit_begin(&k);
	report_seal(&k, "t-1", "0.5", "");
	report_seal_regrade(&k, "r-1", "e-1", "e-1-regraded");
	report_seal_regrade(&k, "r-2", "e-1", "e-1-regraded");
	report_check_standings(&k, "t-1 regraded, r-1 regraded, r-2 counted");
	t = report_tally(&k);
	tally_select(&t, &only);
	CHECK_INT(t.count, 1);
	CHECK_INT(t.trials[0].standing, STANDING_COUNTED);
	CHECK_INT(t.trials[0].replaced_by, 0);
	t = report_tally(&k);
	only.experiment = STR("e-1-regraded");
	tally_select(&t, &only);
	CHECK_INT(t.count, 2);
	CHECK_INT(t.trials[0].standing, STANDING_REGRADED);
	CHECK_INT(t.trials[0].replaced_by, 2);
	kit_end(&k);
}

TEST(a_regrade_elsewhere_of_an_id_that_two_experiments_have_replaces_nothing)
{
	struct kit k;

	kit_begin(&k);
	report_seal(&k, "t-1", "0.5", "");
	amend_kit_seal(&k, kit_replace(&k, report_record(&k, "t-1", "0.5", "", false), "e-1", "e-2"), NULL, 0);
	report_seal_regrade(&k, "r-1", "e-1", "e-3");
	report_seal_regrade(&k, "r-2", "e-1", "e-2");
	report_check_standings(&k, "t-1 counted, t-1 regraded, r-1 counted, r-2 counted");
	kit_end(&k);
}

TEST(a_trial_and_its_regrade_in_another_experiment_can_be_compared)
{
	struct versus v = { .a = { .words = STR("experiment=e-1"), .experiment = STR("e-1") },
			    .b = { .words = STR("experiment=e-2"), .experiment = STR("e-2") } };
	struct err err = { .kind = ERR_NONE };
	struct tally t;
	struct kit k;

	kit_begin(&k);
	report_seal(&k, "t-1", "0.5", "");
	report_seal_regrade(&k, "r-1", "e-1", "e-2");
	t = report_tally(&k);
	kit_must(versus_make(&v, &t, &err), &err);
	CHECK_INT(v.a.trials, 1);
	CHECK_INT(v.b.trials, 1);
	CHECK_INT(v.tasks, 1);
	kit_end(&k);
}

TEST(an_erased_trial_is_known_by_its_name_alone)
{
	struct err err = { .kind = ERR_NONE };
	struct amend_result out;
	struct amend_target t;
	struct tally all;
	struct kit k;

	kit_begin(&k);
	t = report_seal(&k, "t-1", "1.0", "");
	kit_must(erase_seal(&k.ledger, &t, STR("asked"), &out, &err), &err);
	all = report_tally(&k);
	CHECK_INT(all.count, 1);
	CHECK_INT(all.trials[0].standing, STANDING_ERASED);
	CHECK(tally_name(&all, &all.trials[0], NAME_TASK).p == NULL);
	CHECK_STR(tally_name(&all, &all.trials[0], NAME_TRIAL), STR("t-1"));
	kit_end(&k);
}

TEST(equal_means_share_a_rank_and_two_trials_have_no_interval)
{
	const struct board_how how = { .bootstrap = false };
	struct judging g;
	struct board b;
	struct tally t;
	struct kit k;

	kit_begin(&k);
	report_seal(&k, "t-1", "0.5", "");
	amend_kit_seal(&k, kit_replace(&k, report_record(&k, "t-2", "0.5", "", false), "m-large", "m-other"), NULL, 0);
	amend_kit_seal(&k, kit_replace(&k, report_record(&k, "t-3", "0.25", "", false), "m-large", "m-small"), NULL, 0);
	t = report_tally(&k);
	g = judging_make(&t);
	b = board_make(&t, &g, BOARD_BY_MODEL, &how);
	CHECK_INT(b.count, 3);
	CHECK_INT(b.groups[0].rank, 1);
	CHECK_INT(b.groups[1].rank, 1);
	CHECK_INT(b.groups[0].tied, 1);
	CHECK_INT(b.groups[2].rank, 3);
	CHECK_INT(b.groups[2].tied, 0);
	CHECK(isnan(b.groups[0].interval.low));
	CHECK_STR(str_from(b.groups[0].no_interval), STR("n too small"));
	kit_end(&k);
}

TEST(tasks_whose_means_differ_by_rounding_alone_have_no_interval)
{
	static const char *const rewards[] = { "0.0", "1.0", "1.0" };
	const struct board_how how = { .bootstrap = false };
	struct judging g;
	struct board b;
	struct tally t;
	struct kit k;

	kit_begin(&k);
	for (int i = 0; i < 6; i++) {
		struct str r = report_record(&k, arena_printf(&k.arena, "t-%d", i).p, rewards[i % 3], "", false);

		amend_kit_seal(&k, i < 3 ? r : kit_replace(&k, r, "civil/beam", "civil/roof"), NULL, 0);
	}
	t = report_tally(&k);
	g = judging_make(&t);
	b = board_make(&t, &g, BOARD_BY_MODEL, &how);
	CHECK_INT(b.groups[0].tasks, 2);
	CHECK(isnan(b.groups[0].interval.low));
	CHECK_STR(str_from(b.groups[0].no_interval), STR("no variation"));
	kit_end(&k);
}

TEST(the_frontier_leaves_out_what_is_beaten_and_what_is_not_known)
{
	struct board_group groups[] = {
		{ .trials = 1, .mean = { .mean = 0.9 } }, { .trials = 1, .mean = { .mean = 0.9 } },
		{ .trials = 1, .mean = { .mean = 0.5 } }, { .trials = 1, .mean = { .mean = 0.4 } },
		{ .trials = 1, .mean = { .mean = 0.3 } },
	};
	const struct board b = { .groups = groups, .count = 5 };
	static const double x[] = { 10, 10, 20, 5, NAN };
	int on[5];

	board_frontier(&b, x, on);
	CHECK_INT(on[0], 1);
	CHECK_INT(on[1], 1);
	CHECK_INT(on[2], 0);
	CHECK_INT(on[3], 1);
	CHECK_INT(on[4], -1);
}

TEST(last_digits_make_no_rank_and_leave_the_frontier_as_it_is)
{
	struct board_group groups[] = {
		{ .trials = 1, .mean = { .mean = (0.1 + 0.2 + 0.3) / 3 } },
		{ .trials = 1, .mean = { .mean = (0.3 + 0.2 + 0.1) / 3 } },
	};
	const double x[] = { 0.3 + 0.2 + 0.1, 0.1 + 0.2 + 0.3 };
	const struct board_how how = { .bootstrap = false };
	struct board b = { .groups = groups, .count = 2 };
	struct judging g;
	struct tally t;
	struct kit k;
	int on[2];

	board_frontier(&b, x, on);
	CHECK(on[0] == 1 && on[1] == 1);
	kit_begin(&k);
	for (int i = 0; i < 6; i++) {
		const char *id = arena_printf(&k.arena, "t-%d", i).p, *rewards[] = { "0.1", "0.2", "0.3" };
		struct str r = report_record(&k, id, rewards[i < 3 ? i : 5 - i], "", false);

		amend_kit_seal(&k, i < 3 ? r : kit_replace(&k, r, "m-large", "m-other"), NULL, 0);
	}
	t = report_tally(&k);
	g = judging_make(&t);
	b = board_make(&t, &g, BOARD_BY_MODEL, &how);
	CHECK(b.groups[0].mean.mean != b.groups[1].mean.mean);
	CHECK_INT(b.groups[0].tied, 1);
	CHECK_INT(b.groups[1].rank, 1);
	kit_end(&k);
}

TEST(the_last_annotation_of_a_reviewer_counts_and_a_dispute_is_open_until_it_is_adjudicated)
{
	struct amend_target one, two;
	struct judging g;
	struct tally t;
	struct kit k;

	kit_begin(&k);
	one = report_seal(&k, "t-1", "0.5", "");
	two = report_seal(&k, "t-2", "0.5", "");
	report_review(&k, one, "ana", "annotation", "pass");
	report_review(&k, one, "ben", "annotation", "defer");
	report_review(&k, two, "ana", "annotation", "pass");
	report_review(&k, two, "ben", "annotation", "fail");
	t = report_tally(&k);
	g = judging_make(&t);
	CHECK_INT(g.trials[0].judging, 1);
	CHECK_INT(g.trials[0].verdict, JUDGMENT_PASS);
	CHECK(!judged_is_open(&g.trials[0]) && judged_is_open(&g.trials[1]));
	report_review(&k, two, "cem", "adjudication", "fail");
	report_review(&k, one, "ana", "annotation", "fail");
	t = report_tally(&k);
	g = judging_make(&t);
	CHECK(!judged_is_open(&g.trials[1]));
	CHECK_INT(g.trials[1].verdict, JUDGMENT_FAIL);
	CHECK_INT(g.trials[0].verdict, JUDGMENT_FAIL);
	CHECK_INT(g.trials[0].replaced, 1);
	kit_end(&k);
}

TEST(a_judgment_that_was_taken_back_is_not_what_an_adjudication_decided_about)
{
	struct amend_target one;
	struct judging g;
	struct tally t;
	struct kit k;

	kit_begin(&k);
	one = report_seal(&k, "t-1", "0.5", "");
	report_review(&k, one, "ana", "annotation", "pass");
	report_review(&k, one, "ana", "annotation", "fail");
	report_review(&k, one, "ben", "annotation", "fail");
	report_review(&k, one, "cem", "adjudication", "fail");
	report_review(&k, one, "ben", "annotation", "pass"); /* the first to disagree */
	t = report_tally(&k);
	g = judging_make(&t);
	CHECK(judged_is_open(&g.trials[0]));
	report_review(&k, one, "cem", "adjudication", "pass");
	report_review(&k, one, "ana", "annotation", "fail"); /* what she has said all the time */
	t = report_tally(&k);
	g = judging_make(&t);
	CHECK(!judged_is_open(&g.trials[0]));
	CHECK_INT(g.trials[0].verdict, JUDGMENT_PASS);
	kit_end(&k);
}

TEST(an_adjudication_decides_about_what_was_sealed_before_it)
{
	struct amend_target one;
	struct judging g;
	struct tally t;
	struct kit k;

	kit_begin(&k);
	one = report_seal(&k, "t-1", "0.5", "");
	report_review(&k, one, "cem", "adjudication", "pass");
	report_review(&k, one, "ana", "annotation", "pass");
	t = report_tally(&k);
	g = judging_make(&t);
	CHECK(g.trials[0].is_adjudicated && !judged_is_open(&g.trials[0]));
	report_review(&k, one, "ben", "annotation", "fail"); /* cem did not know of it */
	t = report_tally(&k);
	g = judging_make(&t);
	CHECK(judged_is_open(&g.trials[0]));
	CHECK_INT(g.trials[0].verdict, JUDGMENT_NONE);
	report_review(&k, one, "cem", "adjudication", "fail");
	report_review(&k, one, "dan", "annotation", "pass"); /* one more of an opinion that cem has heard */
	t = report_tally(&k);
	g = judging_make(&t);
	CHECK(!judged_is_open(&g.trials[0]));
	CHECK_INT(g.trials[0].verdict, JUDGMENT_FAIL);
	kit_end(&k);
}

TEST(a_gate_is_a_figure_a_bound_and_a_number)
{
	struct err err = { .kind = ERR_NONE };
	struct reviews_gate g;

	CHECK(reviews_parse_gate(&g, STR("complete>=95%"), &err));
	CHECK(g.figure == REVIEWS_COMPLETE && g.at_least && g.limit == 0.95);
	CHECK(reviews_parse_gate(&g, STR("open<=0"), &err));
	CHECK(g.figure == REVIEWS_OPEN && !g.at_least && g.limit == 0);
	CHECK(!reviews_parse_gate(&g, STR("alpha>0.8"), &err));
	CHECK(!reviews_parse_gate(&g, STR("beta>=1"), &err));
	CHECK(!reviews_parse_gate(&g, STR("alpha>="), &err));
	CHECK(!reviews_parse_gate(&g, STR(">="), &err));
}

TEST(a_side_of_a_comparison_is_a_model_or_members_with_values)
{
	struct err err = { .kind = ERR_NONE };
	struct versus_side s;

	CHECK(versus_parse_side(&s, STR("a/b"), &err));
	CHECK_STR(s.model, STR("a/b"));
	CHECK(versus_parse_side(&s, STR("adapter=x,experiment=y"), &err));
	CHECK(!s.model.p);
	CHECK_STR(s.adapter, STR("x"));
	CHECK_STR(s.experiment, STR("y"));
	CHECK(!versus_parse_side(&s, STR("model="), &err));
	CHECK(!versus_parse_side(&s, STR("colour=red"), &err));
	CHECK(!versus_parse_side(&s, STR(""), &err));
}
