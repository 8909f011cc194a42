/* Records that ended, and those that are concluded by others. */
#include "trial/run/finish.h"

#include <math.h>

#include "base/file.h"
#include "harness/test.h"
#include "trial/run/private.h"

static struct str record_in(struct arena *a, enum trial_phase phase)
{
	const struct trial_facts f = {
		.trial_id = STR("t-1"), .experiment = STR("e"), .task_id = STR("task"), .task_revision = STR("r"),
		.instruction = STR("do"), .adapter = STR("a"), .adapter_revision = STR("1"), .model = STR("m"),
		.configuration = STR("{}"), .runtime_image = STR("linux"), .compute_backend = STR("local"),
		.tool_versions = STR("{}"), .inputs = &(const struct trial_file){ .path = { NULL, 0 } }, .phase = phase,
		.verdict = { .completed = phase == PHASE_ENDED, .reward = phase == PHASE_ENDED ? 0.5 : 0 },
	};

	return record_write_trial(a, &f);
}

TEST(only_a_trial_that_ended_has_facts)
{
	struct finish_facts f;
	struct arena a;

	arena_init(&a);
	CHECK(!finish_read(&a, record_in(&a, PHASE_AGENT), &f));
	CHECK(!finish_read(&a, STR("{}"), &f) && !finish_read(&a, STR(""), &f));
	CHECK(finish_read(&a, record_in(&a, PHASE_ENDED), &f));
	CHECK(f.class == CLASS_COMPLETED && f.is_complete && f.verifier_completed && isnan(f.cost_usd) && !f.error.p);
	CHECK(f.reward > 0.4 && f.reward < 0.6);
	CHECK_STR(f.task_id, STR("task"));
	arena_free(&a);
}

TEST(a_stopped_trial_becomes_an_infrastructure_failure_with_the_reason)
{
	struct err err = { .kind = ERR_NONE };
	struct finish_facts f;
	struct str record;
	struct arena a;

	arena_init(&a);
	CHECK(finish_stopped(&a, record_in(&a, PHASE_VERIFIER), STR("it \"was\" killed"), &record, &err));
	CHECK(finish_read(&a, record, &f));
	CHECK(f.class == CLASS_INFRASTRUCTURE && !f.is_complete && !f.verifier_completed && f.reward <= 0);
	CHECK_STR(f.error, STR("it \"was\" killed"));
	CHECK(!finish_stopped(&a, STR("{"), STR("x"), &record, &err));
	arena_free(&a);
}

TEST(names_that_a_ledger_cannot_have_are_not_taken)
{
	CHECK(finish_takes_name(STR("workspace/a b.txt")));
	CHECK(!finish_takes_name(STR("../a")) && !finish_takes_name(STR("a\nb")) && !finish_takes_name(STR("a\xff")));
}
