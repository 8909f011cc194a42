/* Turns of transcripts, their bonds by a small table, and the figures that come of them. */
#include "trial/classify/classify.h"

#include <math.h>
#include <stdio.h>

#include "harness/test.h"

#define HEAD "{\"version\":1,\"format\":\"aec-bench-trajectory\"}\n"
#define SAYS(step, text) "{\"step\":" #step ",\"role\":\"assistant\",\"content\":\"" text "\"}\n"
#define CALL(step, command) "{\"step\":" #step ",\"role\":\"tool_call\",\"tool_name\":\"bash\",\"command\":\"" command "\"}\n"
#define GAVE(step, code) "{\"step\":" #step ",\"role\":\"tool_result\",\"stdout\":\"x\",\"exit_code\":" #code "}\n"

static const char table[] = "execution\t1\talways\t-\t\n"
			    "verification\t4\tsays\tcheck\t\n"
			    "verification\t4\truns\tpytest\t\n"
			    "verification\t2\tafter\terror\t\n"
			    "deliberation\t4\tsays\tplan\t\n"
			    "exploration\t4\tasks\tany\t\n"
			    "exploration\t-9\tsays\trhetorical\t\n";

static struct str write_in(const char *dir, const char *name, const char *text)
{
	char *path = test_alloc(1024);
	FILE *f;

	snprintf(path, 1024, "%s/%s", dir, name);
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
	return str_from(path);
}

static struct str write_file(const char *name, const char *text)
{
	return write_in(test_dir(), name, text);
}

static bool classify(struct classify_trial *t, struct str path, struct err *err)
{
	struct arena *a = test_alloc(sizeof(*a));
	struct rules *rules = test_alloc(sizeof(*rules));
	struct classify_how how = { .rules = rules, .read = { .jobs = 1 } };

	arena_init(a);
	CHECK(rules_parse(a, str_from(table), STR("t"), rules, err));
	return classify_load(t, a, path, &how, err);
}

static struct classify_trial classify_text(const char *text)
{
	struct classify_trial t;
	struct err err;

	if (!classify(&t, write_file("log.jsonl", text), &err))
		FAIL("%s", err.text);
	return t;
}

static void check_number(double got, double want)
{
	if (!(fabs(got - want) < 1e-9))
		FAIL("%.15g, expected %.15g", got, want);
}

TEST(a_trial_has_a_bond_for_each_turn_and_what_follows_from_them)
{
	struct classify_trial t = classify_text(HEAD SAYS(1, "a plan") SAYS(2, "go") CALL(2, "pytest -q") GAVE(2, 1)
						SAYS(3, "hm") SAYS(4, "which?"));
	static const enum bond want[] = { BOND_DELIBERATION, BOND_VERIFICATION, BOND_VERIFICATION, BOND_EXPLORATION };

	CHECK_INT(t.sequence.n, 4);
	for (size_t i = 0; i < 4; i++)
		CHECK_INT(t.sequence.at[i], want[i]);
	CHECK_INT(t.turns[1].score[BOND_VERIFICATION], 4);
	CHECK_INT(t.turns[1].score[BOND_EXECUTION], 1);
	check_number(t.turns[1].confidence, 0.809524); /* (16 + 1) / (16 + 1 + 4) */
	check_number(t.turns[2].confidence, 0.555556); /* (4 + 1) / (4 + 1 + 4) */
	check_number(t.mean_confidence, (3 * 0.809524 + 0.555556) / 4);
	CHECK_INT(t.low_confidence, 1);
	CHECK_INT(t.dominant, BOND_VERIFICATION);
	CHECK_INT(t.bond_counts[BOND_VERIFICATION], 2);
	CHECK_INT(t.transitions.to[BOND_DELIBERATION][BOND_VERIFICATION], 1);
	check_number(t.matrix.to[BOND_VERIFICATION][BOND_EXPLORATION], 0.5);
	CHECK_STR(t.turns[1].strongest[0].pattern->text, STR("pytest"));
	CHECK(t.turns[1].strongest[1].row == NULL);
}

TEST(confidence_grows_with_evidence_and_falls_with_contradiction)
{
	static const struct {
		int64_t score[BONDS];
		enum bond bond;
		double want;
	} cases[] = {
		{ { 0, 0, 0, 0 }, BOND_VERIFICATION, 0.25 },
		{ { 1, 0, 0, 0 }, BOND_EXECUTION, 0.4 },
		{ { 20, 0, 0, 0 }, BOND_EXECUTION, 0.992574 },
		{ { 4, 4, 0, 0 }, BOND_VERIFICATION, 0.472222 },
		{ { -9, -3, -9, -9 }, BOND_VERIFICATION, 0.25 },
		{ { 4, 0, 0, -9 }, BOND_EXECUTION, 0.85 }, /* what speaks against a bond is no evidence for another */
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		check_number(classify_confidence(cases[i].score, cases[i].bond), cases[i].want);
	}
}

TEST(the_strongest_rules_come_first_and_those_against_never)
{
	struct classify_trial t = classify_text(HEAD SAYS(1, "x") CALL(1, "ls") GAVE(1, 2)
						SAYS(2, "check, rhetorical?") CALL(2, "pytest"));

	CHECK_INT(t.sequence.at[1], BOND_VERIFICATION);
	CHECK_STR(t.turns[1].strongest[0].pattern->text, STR("check"));
	CHECK_STR(t.turns[1].strongest[1].pattern->text, STR("pytest"));
	CHECK_INT(t.turns[1].score[BOND_EXPLORATION], -5);
}

TEST(warm_up_turns_never_count_and_sub_agents_do)
{
	struct classify_trial t = classify_text(
		HEAD "{\"step\":1,\"role\":\"assistant\",\"content\":\"a plan\",\"call_type\":\"warmup\"}\n"
		     "{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"b\",\"command\":\"pytest\",\"call_type\":\"warmup\"}\n"
		SAYS(2, "go")
		"{\"step\":2,\"role\":\"assistant\",\"content\":\"check\",\"call_type\":\"subagent\"}\n"
		CALL(2, "pytest"));

	CHECK_INT(t.sequence.n, 2);
	CHECK_INT(t.sequence.at[0], BOND_VERIFICATION); /* the call is its own, not the sub-agent's */
	CHECK_INT(t.turns[1].score[BOND_VERIFICATION], 4);
}

TEST(conversations_and_other_logs_are_classified_too)
{
	static const char *const logs[] = {
		"{\"role\":\"user\",\"content\":\"x\"}\n"
		"{\"role\":\"assistant\",\"content\":\"I check\",\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\","
		"\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"command\\\":\\\"pytest\\\"}\"}}]}\n"
		"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"Error: no\"}\n"
		"{\"role\":\"assistant\",\"content\":\"so\"}\n",
		"{\"type\":\"assistant\",\"sessionId\":\"s\",\"uuid\":\"1\",\"timestamp\":\"2026-01-01T00:00:00Z\","
		"\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"model\":\"x\",\"content\":[{\"type\":\"text\",\"text\":"
		"\"I check\"},{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"Bash\",\"input\":{\"command\":\"pytest\"}}]}}\n"
		"{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"2\",\"parentUuid\":\"1\",\"timestamp\":\"2026-01-01T00:00:01Z\","
		"\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"is_error\":true,"
		"\"content\":\"no\"}]}}\n"
		"{\"type\":\"assistant\",\"sessionId\":\"s\",\"uuid\":\"3\",\"parentUuid\":\"2\",\"timestamp\":\"2026-01-01T00:00:02Z\","
		"\"message\":{\"id\":\"n\",\"role\":\"assistant\",\"model\":\"x\",\"content\":[{\"type\":\"text\",\"text\":\"so\"}]}}\n",
	};

	for (size_t i = 0; i < COUNT(logs); i++) {
		struct classify_trial t = classify_text(logs[i]);

		test_case("%s", t.from.from->name);
		CHECK_INT(t.sequence.n, 2);
		CHECK_INT(t.turns[0].score[BOND_VERIFICATION], 8);
		CHECK_INT(t.turns[1].score[BOND_VERIFICATION], 2); /* after an error */
	}
}

static void check_refused(const char *name, const char *text, const char *want)
{
	struct classify_trial t;
	struct err err = { .kind = ERR_NONE };

	test_case("%s", want);
	CHECK(!classify(&t, write_file(name, text), &err));
	CHECK_INT(err.kind, ERR_DATA);
	if (!str_has(str_from(err.text), str_from(want)))
		FAIL("%s", err.text);
}

TEST(what_has_no_content_cannot_be_classified)
{
	check_refused("agent-trace.jsonl", "{}\n", "a trace without content cannot be classified");
	check_refused("a.jsonl", HEAD "{\"step\":0,\"role\":\"user\",\"content\":\"x\"}\n", "no turn of a model");
	check_refused("b.jsonl", HEAD "{\"step\":1,\"role\":\"assistant\"}\n"
		      "{\"step\":1,\"role\":\"tool_call\",\"tool_name\":\"bash\"}\n", "the content of this log was left out");
}

TEST(a_record_gives_its_reward_and_its_transcript)
{
	struct classify_trial t;
	struct err err;
	const char *dir = test_dir();
	struct str record = write_in(dir, "t.json",
		"{\"trial_id\":\"t1\",\"experiment_id\":\"e1\",\"dataset_id\":null,"
		"\"timestamp\":\"2026-01-01T00:00:00Z\",\"task\":{\"task_id\":\"a\","
		"\"task_revision\":\"1\"},\"agent\":{\"adapter\":\"x\",\"adapter_revision\":null,\"model\":\"m\",\"configuration\":{}},"
		"\"environment\":{\"runtime_image\":\"i\",\"compute_backend\":\"b\",\"tool_versions\":null},\"inputs\":{\"instruction\":\"x\"},"
		"\"outputs\":{\"trajectory_path\":\"trajectory.jsonl\"},\"evaluation\":{\"reward\":0.5,\"validity\":{\"output_parseable\":true,"
		"\"schema_valid\":true,\"verifier_completed\":true}},\"timing\":{\"total_seconds\":1},\"completeness\":\"partial\"}");

	write_in(dir, "trajectory.jsonl", HEAD SAYS(1, "a plan"));
	if (!classify(&t, record, &err))
		FAIL("%s", err.text);
	CHECK(t.from.by_record);
	CHECK_STR(t.from.record.trial_id, STR("t1"));
	check_number(t.from.record.reward, 0.5);
	CHECK_INT(t.sequence.at[0], BOND_DELIBERATION);
}

TEST(a_sum_of_trials_weighs_turns_and_keeps_figures_of_trials)
{
	struct classify_trial one = classify_text(HEAD SAYS(1, "a plan")), two;
	struct bond_reference r = { .ideal = one.sequence };
	struct classify_sum s;

	two = classify_text(HEAD SAYS(1, "go") SAYS(2, "x?") SAYS(3, "x"));
	classify_compare(&one, &r);
	classify_sum_init(&s);
	classify_sum_add(&s, &one);
	classify_sum_add(&s, &two);
	CHECK_INT(s.trials, 2);
	CHECK_INT(s.turns, 4);
	CHECK_INT(s.bond_counts[BOND_EXECUTION], 2);
	CHECK_INT(s.dominant[BOND_EXECUTION], 1);
	CHECK_INT(s.dominant[BOND_DELIBERATION], 1);
	CHECK_INT(s.low_confidence, 2);
	check_number(s.confidence, 0.809524 + 0.4 + 0.809524 + 0.4);
	CHECK_INT(s.confidences.seen, 2);
	CHECK_INT(s.distances.seen, 1);
	check_number(quantile_get(&s.distances, 0.5), 0);
	classify_sum_free(&s);
}
