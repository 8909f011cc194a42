#include "unit/ledger/made_check.h"

/* Three trials to refer to. */
static struct made *make(void)
{
	struct made *m = made_new();

	made_trial(m, LEDGER_MAIN, "a");
	made_trial(m, LEDGER_MAIN, "b");
	made_trial(m, LEDGER_DIAGNOSTIC, "p");
	return m;
}

static void run(struct made *m)
{
	made_publish(m);
	made_run(m);
}

TEST(an_entry_that_is_not_canonical_is_a_finding)
{
	struct made *m = make();

	made_add_bytes(m, LEDGER_MAIN, STR("{\"v\": \"ledger-entry/v1\"}"));
	run(m);
	CHECK_ONLY(m, LG_ENTRY, "tile/entries/000.p/3: entry 2: it is not in canonical form");
}

TEST(a_trial_twice_is_a_finding)
{
	struct made *m = make();

	made_add(m, LEDGER_MAIN, made_trial_entry(m, LEDGER_MAIN, "a"), STR("{\"trial_id\":\"a\"}"));
	run(m);
	CHECK_ONLY(m, LG_TWICE, "entry 2 is the trial 'a', and so is entry 0");
}

TEST(the_same_id_in_another_experiment_is_another_trial)
{
	struct made *m = make();
	struct entry e = made_trial_entry(m, LEDGER_MAIN, "a");

	e.experiment = STR("other");
	made_add(m, LEDGER_MAIN, e, STR("{}"));
	run(m);
	CHECK_CLEAN(m);
}

TEST(a_trial_in_the_wrong_log_is_a_finding)
{
	struct made *m = make();
	struct entry e = made_trial_entry(m, LEDGER_MAIN, "x");

	made_add(m, LEDGER_DIAGNOSTIC, e, STR("{}"));
	run(m);
	CHECK_ONLY(m, LG_WRONG_LOG, "diagnostic/tile/entries/000.p/2: trial 'x' in entry 1 is complete");
	m = make();
	e.completeness = STR("partial");
	made_add(m, LEDGER_MAIN, e, STR("{}"));
	run(m);
	CHECK_ONLY(m, LG_WRONG_LOG, "trial 'x' in entry 2 is partial");
}

TEST(references_that_hold_are_no_finding)
{
	struct made *m = make();
	struct entry e = { .kind = ENTRY_SUPERSEDE, .experiment = STR("exp"), .id = STR("s"), .reason = STR("r") };

	made_review(m, LEDGER_MAIN, "r1", made_ref(m, LEDGER_MAIN, 0, "a"));
	made_review(m, LEDGER_MAIN, "r2", made_ref(m, LEDGER_MAIN, 0, "a"));
	e.ref = made_ref(m, LEDGER_MAIN, 0, "a");
	e.by = made_ref(m, LEDGER_MAIN, 1, "b");
	made_add(m, LEDGER_MAIN, e, (struct str){ NULL, 0 });
	made_review(m, LEDGER_DIAGNOSTIC, "r1", made_ref(m, LEDGER_DIAGNOSTIC, 0, "p"));
	run(m);
	CHECK_CLEAN(m);
}

TEST(a_reference_must_be_to_an_earlier_trial_by_index_leaf_and_id)
{
	static const char *const wanted[] = {
		"does not come before it", "does not come before it", "has another hash", "is another trial", "is not a trial",
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct made *m = make();
		struct entry_ref ref = made_ref(m, LEDGER_MAIN, 0, "a");

		test_case("%zu: %s", i, wanted[i]);
		if (i == 0)
			ref.index = 2;
		if (i == 1)
			ref.index = UINT64_C(1) << 50;
		if (i == 2)
			ref.leaf.b[5] ^= 1;
		if (i == 3)
			ref.trial_id = STR("b");
		if (i == 4) {
			made_review(m, LEDGER_MAIN, "first", ref);
			ref = made_ref(m, LEDGER_MAIN, 2, "first");
		}
		made_review(m, LEDGER_MAIN, "r", ref);
		run(m);
		CHECK_ONLY(m, LG_REF, wanted[i]);
	}
}

TEST(what_takes_a_trials_place_must_be_a_trial_too)
{
	struct made *m = make();
	struct entry e = { .kind = ENTRY_SUPERSEDE, .experiment = STR("exp"), .id = STR("s"), .reason = STR("r") };

	e.ref = made_ref(m, LEDGER_MAIN, 0, "a");
	e.by = made_ref(m, LEDGER_MAIN, 1, "a");
	made_add(m, LEDGER_MAIN, e, (struct str){ NULL, 0 });
	run(m);
	CHECK_ONLY(m, LG_REF, "the supersede in entry 2 refers to trial 'a' as entry 1, which is another trial");
}

TEST(an_artifact_is_named_after_its_trial)
{
	struct made *m = make();

	made_artifact(m, LEDGER_MAIN, "else/x", made_ref(m, LEDGER_MAIN, 0, "a"), STR("x"));
	run(m);
	CHECK_ONLY(m, LG_REF, "the artifact 'else/x' in entry 2 is not named after its trial 'a'");
}

/* Leaves of earlier bundles come out of tiles again, and entries out of bundles. */
TEST(references_may_lead_far_back)
{
	struct made *m = make();

	for (int i = 0; i < 700; i++) {
		char id[16];

		snprintf(id, sizeof(id), "t%d", i);
		made_add(m, LEDGER_MAIN, made_trial_entry(m, LEDGER_MAIN, id), STR("{}"));
	}
	made_review(m, LEDGER_MAIN, "good", made_ref(m, LEDGER_MAIN, 300, "t298"));
	made_review(m, LEDGER_MAIN, "bad", made_ref(m, LEDGER_MAIN, 300, "t299"));
	run(m);
	CHECK_ONLY(m, LG_REF, "refers to trial 't299' as entry 300, which is another trial");
}

TEST(a_damaged_tile_does_not_make_references_wrong)
{
	struct made *m = make();

	for (int i = 0; i < 300; i++)
		made_review(m, LEDGER_MAIN, arena_printf(&m->arena, "r%d", i).p, made_ref(m, LEDGER_MAIN, 0, "a"));
	made_publish(m);
	made_file(m, "l/tile/0/000")->bytes.p[0] ^= 1;
	made_run(m);
	CHECK_ONLY(m, LG_TILE, "tile/0/000: hash 0 ");
}

/* ---- times ---- */

static void add_at(struct made *m, const char *id, struct str sealed_at)
{
	struct entry e = made_trial_entry(m, LEDGER_MAIN, id);

	e.sealed_at = sealed_at;
	made_add(m, LEDGER_MAIN, e, arena_printf(&m->arena, "{\"trial_id\":\"%s\"}", id));
}

TEST(an_entry_sealed_long_before_the_one_in_front_of_it_is_a_warning)
{
	struct made *m = made_new();

	made_trial(m, LEDGER_MAIN, "a");
	add_at(m, "b", STR("2020-01-01T00:00:00.000Z"));
	add_at(m, "c", STR("2020-01-01T00:00:01.000Z")); /* told once, not of all that follow */
	add_at(m, "d", STR("2026-07-01T10:00:00.000Z"));
	made_publish(m);
	made_run(m);
	CHECK_ONLY(m, LG_BACKDATED, "tile/entries/000.p/4: the trial 'b' in entry 1 says that it was sealed at 2020-01-01");
	CHECK_INT(m->findings.errors, 0);
}

/* Two writers at once take the time first and their turn second. */
TEST(writers_that_waited_for_their_turn_are_no_warning)
{
	struct made *m = made_new();

	made_trial(m, LEDGER_MAIN, "a");
	add_at(m, "b", STR("2026-07-01T09:59:00.000Z"));
	add_at(m, "c", STR("2026-07-01T11:59:00.000+02:00"));
	add_at(m, "d", STR("some day"));
	add_at(m, "e", STR("2020-01-01T00:00:00.000Z")); /* what is in front of it has no time to be before */
	made_publish(m);
	made_run(m);
	CHECK_CLEAN(m);
	m = made_new();
	made_trial(m, LEDGER_MAIN, "a");
	add_at(m, "b", STR("2026-07-01T09:58:59.999Z"));
	made_publish(m);
	made_run(m);
	CHECK_INT(made_count(m, LG_BACKDATED, "entry 1"), 1);
}
