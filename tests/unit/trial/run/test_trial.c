/* A whole trial: phases in order, and a record that is right after each. */
#include "trial/run/trial.h"

#include "run_kit.h"
#include "trial/run/finish.h"

TEST(a_trial_leaves_a_complete_record)
{
	struct err err = { .kind = ERR_NONE };
	struct finish_facts f;
	struct tried k;

	tried_open(&k, "cp $TRACKWAY_RUN_DIR/../record.json seen.json; echo 4 >output.txt",
		 "[ -f output.txt ] && echo '{\"reward\": 1.0}' >&3\n");
	if (!trial_run(&k.arena, &k.how, &err))
		FAIL("%s", err.text);
	CHECK(finish_read(&k.arena, tried_read(&k, "job/t-1/record.json"), &f));
	CHECK(f.class == CLASS_COMPLETED && f.is_complete && f.reward > 0.9);
	CHECK(!finish_read(&k.arena, tried_read(&k, "job/t-1/workspace/seen.json"), &f));
	CHECK(str_has(tried_read(&k, "job/t-1/workspace/seen.json"), STR("\"phase\": \"agent\"")));
	CHECK(str_has(tried_read(&k, "job/t-1/record.json"), STR("artifacts/e/t-1/workspace/output.txt")));
	arena_free(&k.arena);
}

TEST(of_a_long_log_the_beginning_is_kept_and_told)
{
	struct err err = { .kind = ERR_NONE };
	struct stat st;
	struct tried k;

	tried_open(&k, "echo first; yes | head -c 12000000", "exit 0\n");
	CHECK(trial_run(&k.arena, &k.how, &err));
	CHECK(str_has(tried_read(&k, "job/t-1/record.json"), STR("\"agent_log_cut\"")));
	CHECK(str_starts(tried_read(&k, "job/t-1/artifacts/agent.log"), STR("first\ny\n")));
	CHECK(stat(tried_path(&k, "job/t-1/agent.log").p, &st) == 0 && st.st_size == ((off_t)1 << 20) + 1);
	arena_free(&k.arena);
}

TEST(a_sandbox_that_fails_is_infrastructure)
{
	struct err err = { .kind = ERR_NONE };
	struct finish_facts f;
	struct tried k;

	tried_open(&k, "true", "echo 1 >logs/verifier/reward.txt\n");
	tried_put(&k, "program", "#!/bin/sh\nexit 125\n", 0700);
	CHECK(trial_run(&k.arena, &k.how, &err));
	CHECK(finish_read(&k.arena, tried_read(&k, "job/t-1/record.json"), &f));
	CHECK(f.class == CLASS_INFRASTRUCTURE && !f.is_complete && f.reward <= 0);
	CHECK(str_has(f.error, STR("the agent's sandbox")));
	arena_free(&k.arena);
}

TEST(a_trial_whose_job_is_gone_stops_with_its_record)
{
	struct err err = { .kind = ERR_NONE };
	struct finish_facts f;
	struct tried k;

	tried_open(&k, "true", "exit 0\n");
	k.how.parent = getpid(); /* which is not our parent */
	CHECK(!trial_run(&k.arena, &k.how, &err));
	CHECK(tried_read(&k, "job/t-1/record.json").n > 0);
	CHECK(!finish_read(&k.arena, tried_read(&k, "job/t-1/record.json"), &f));
	CHECK(trial_is_orphan(getpid()) && !trial_is_orphan(0) && !trial_is_orphan(getppid()));
	arena_free(&k.arena);
}

TEST(a_trial_that_could_not_write_is_told_from_what_was_asked)
{
	struct err err = { .kind = ERR_NONE };
	struct finish_facts f;
	struct str record;
	struct tried k;

	tried_open(&k, "true", "exit 0\n");
	CHECK(finish_lost(&k.arena, &k.how, STR("no space"), &record, &err));
	CHECK(finish_read(&k.arena, record, &f));
	CHECK(f.class == CLASS_INFRASTRUCTURE);
	CHECK_STR(f.error, STR("no space"));
	arena_free(&k.arena);
}
