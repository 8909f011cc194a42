/* A job's trials: each slot is done once, and what was stopped is told apart. */
#include "trial/run/crew.h"

#include "../trial_kit.h"
#include "run_kit.h"

struct crew_seen {
	size_t trials, old, infrastructure;
	uint64_t slots; /* a bit each */
};

static bool see_trial(void *context, const struct crew_trial *t, struct err *err)
{
	struct crew_seen *s = context;

	(void)err;
	s->trials++;
	s->old += t->is_old;
	s->infrastructure += t->facts.class == CLASS_INFRASTRUCTURE;
	s->slots |= UINT64_C(1) << t->slot;
	return t->sealed != NULL;
}

/* The record that the stand-in leaves for each trial. */
static struct str record_for(struct tried *k, enum trial_phase phase)
{
	struct trial_facts f = k->running.facts;

	f.trial_id = STR("TRIAL");
	f.phase = phase;
	f.task_id = f.task_revision = f.instruction = f.adapter = f.adapter_revision = STR("x");
	f.runtime_image = f.compute_backend = STR("x");
	f.configuration = f.tool_versions = STR("{}");
	f.inputs = &(const struct trial_file){ .path = { NULL, 0 } };
	f.verdict.completed = phase == PHASE_ENDED;
	return record_write_trial(&k->arena, &f);
}

static struct crew_tally run_crew(struct tried *k, struct ledger *l, struct crew_seen *seen)
{
	struct crew_options o = { .job = &k->job, .ledger = l, .prices = k->how.prices, .program = k->how.program,
				  .jobs = 2, .each = see_trial, .context = seen };
	struct err err = { .kind = ERR_NONE };
	struct crew_tally t;

	*seen = (struct crew_seen){ .trials = 0 };
	if (!crew_run(&k->arena, &o, &t, &err))
		FAIL("%s", err.text);
	return t;
}

TEST(every_slot_is_done_once_and_a_job_is_gone_on_with)
{
	struct err err = { .kind = ERR_NONE };
	struct crew_seen seen;
	struct crew_tally t;
	struct kit l;
	struct tried k;

	tried_open(&k, "true", "exit 0\n");
	CHECK(job_write(&k.arena, &k.job, &err));
	kit_begin(&l);
	tried_put(&k, "program.record", record_for(&k, PHASE_ENDED).p, 0600);
	t = run_crew(&k, &l.ledger, &seen);
	CHECK(t.done == 2 && t.slots == 2 && t.sealed == 2 && t.by_class[CLASS_COMPLETED] == 2);
	CHECK(seen.trials == 2 && seen.slots == 3 && !seen.old);
	t = run_crew(&k, &l.ledger, &seen);
	CHECK(t.done == 2 && !t.sealed && t.already == 2 && seen.old == 2);
	kit_end(&l);
	arena_free(&k.arena);
}

TEST(a_trial_whose_process_fails_is_infrastructure_and_one_that_was_stopped_is_tried_again)
{
	struct err err = { .kind = ERR_NONE };
	struct crew_seen seen;
	struct crew_tally t;
	struct kit l;
	struct tried k;

	tried_open(&k, "true", "exit 0\n");
	CHECK(job_write(&k.arena, &k.job, &err));
	kit_begin(&l);
	t = run_crew(&k, &l.ledger, &seen); /* there is no record: the stand-in exits with 9 */
	CHECK(t.done == 2 && t.by_class[CLASS_INFRASTRUCTURE] == 2 && t.sealed == 2);
	tree_remove(k.job.dir);
	CHECK(job_write(&k.arena, &k.job, &err));
	tried_put(&k, "program.record", record_for(&k, PHASE_ENDED).p, 0600);
	tried_put(&k, "job/01a1f067-5b8e-7559-8369-bc664538a91a/record.json", record_for(&k, PHASE_AGENT).p, 0600);
	t = run_crew(&k, &l.ledger, &seen);
	CHECK(t.done == 2 && t.by_class[CLASS_COMPLETED] == 2 && t.by_class[CLASS_INFRASTRUCTURE] == 1);
	CHECK(seen.trials == 3 && seen.old == 1);
	t = run_crew(&k, &l.ledger, &seen);
	CHECK(t.done == 2 && !t.sealed && seen.trials == 3 && seen.infrastructure == 1);
	kit_end(&l);
	arena_free(&k.arena);
}
