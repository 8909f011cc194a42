/* The verifier: where it runs, what it finds, and from where it is believed. */
#include "trial/run/trial.h"

#include "run_kit.h"

static void verify(struct tried *k, const char *before, const char *verifier)
{
	struct verifier_ask ask = { .level = SANDBOX_NONE };
	struct err err = { .kind = ERR_NONE };

	tried_open(k, "true", verifier);
	ask.task = &k->running.task;
	ask.dirs = k->running.dirs;
	ask.program = k->how.program;
	CHECK(workspace_fill(&k->running, &err));
	if (before) {
		struct str line = ARENA_JOIN(&k->arena, STR("cd '"), ask.dirs.workspace, STR("' && "), str_from(before));

		CHECK(system(line.p) == 0);
	}
	if (!verifier_run(&k->arena, &ask, &k->running.facts, &err))
		FAIL("%s", err.text);
}

TEST(each_way_of_saying_a_reward_is_heard)
{
	static const struct { const char *before, *verifier; double reward; const char *finding; } cases[] = {
		{ NULL, "#!/bin/sh\necho '{\"reward\": 0.5}' >&3\n", 0.5, NULL },
		{ NULL, "echo '{\"reward\": 0.5}' >logs/verifier/reward.json\n", 0.5, NULL },
		{ NULL, "#!/bin/bash\n[[ $PWD = $WORKSPACE ]] && echo 0.5 >logs/verifier/reward.txt\nexit 4\n", 0.5, NULL },
		{ NULL, "exit 0\n", -1, NULL },
		{ NULL, "echo '{\"reward\": 1}' >&3; kill -9 $$\n", -1, NULL },
		{ "mkdir -p logs/verifier && echo 1 >logs/verifier/reward.txt", "exit 0\n", -1, "reward_place_taken" },
		{ "mkdir x && echo 1 >x/reward.txt && mkdir logs && ln -s ../x logs/verifier", "exit 0\n", -1,
		  "reward_place_taken" },
		{ NULL, "yes | head -c 1200000; echo 0.5 >logs/verifier/reward.txt\n", 0.5, "verifier_log_cut" },
		{ "ln -s /tmp logs", "echo 0.5 >logs/verifier/reward.txt\n", 0.5, "reward_place_taken" },
		{ "mkdir logs && echo keep >logs/own && chmod 0 logs", "[ -f logs/own ] && echo 0.5 >logs/verifier/reward.txt\n",
		  0.5, NULL },
		{ NULL, "i=0; while [ $i -lt 3000 ]; do echo '                                        '; i=$((i+1)); done >&3; "
		  "echo '{\"reward\": 0.5}' >&3\n", 0.5, NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct trial_facts *f;
		struct tried k;

		test_case("%zu", i);
		verify(&k, cases[i].before, cases[i].verifier);
		f = &k.running.facts;
		CHECK_INT(f->verdict.completed, cases[i].reward >= 0);
		CHECK(!f->verdict.completed || (f->verdict.reward > 0.4 && f->verdict.reward < 0.6));
		CHECK_INT(f->class, f->verdict.completed ? CLASS_COMPLETED : CLASS_VERIFIER_FAILED);
		CHECK_INT(f->finding_count, cases[i].finding != NULL);
		if (cases[i].finding)
			CHECK_STR(f->findings[0].code, str_from(cases[i].finding));
		arena_free(&k.arena);
	}
}

/* What stands in the first place decides, whatever it is; a verifier that did not end by itself says nothing. */
TEST(why_there_is_no_reward_is_said_first)
{
	static const struct { const char *verifier, *first, *second; } cases[] = {
		{ "exit 0\n", VERDICT_MISSING, NULL },
		{ "kill -9 $$\n", "the verifier was ended by signal 9", VERDICT_MISSING },
		{ "echo '{\"reward\": 1}' >&3; kill -9 $$\n", "the verifier was ended by signal 9", NULL },
		{ "yes | head -c 1200000 >&3\n", "the verifier wrote more than 1 MiB to descriptor 3", NULL },
		{ "mkfifo logs/verifier/reward.json; echo 1 >logs/verifier/reward.txt\n", "reward.json holds no JSON object",
		  NULL },
		{ "ln -s /etc/hostname logs/verifier/reward.json; echo 1 >logs/verifier/reward.txt\n",
		  "reward.json holds no JSON object", NULL },
		{ "yes | head -c 1200000 >logs/verifier/reward.json; echo 1 >logs/verifier/reward.txt\n",
		  "reward.json holds no JSON object", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct trial_facts *f;
		struct tried k;

		test_case("%zu", i);
		verify(&k, NULL, cases[i].verifier);
		f = &k.running.facts;
		CHECK(!f->verdict.completed && f->class == CLASS_VERIFIER_FAILED);
		CHECK_STR(f->verdict.error, str_from(cases[i].first));
		CHECK_INT(f->error_count, cases[i].second != NULL);
		if (cases[i].second)
			CHECK_STR(f->errors[0], str_from(cases[i].second));
		tree_remove(k.running.dirs.trial);
		arena_free(&k.arena);
	}
}

TEST(tests_that_changed_are_not_run)
{
	struct verifier_ask ask = { .level = SANDBOX_NONE };
	struct err err = { .kind = ERR_NONE };
	struct tried k;

	tried_open(&k, "true", "exit 0\n");
	ask.task = &k.running.task;
	ask.dirs = k.running.dirs;
	ask.program = k.how.program;
	CHECK(workspace_fill(&k.running, &err));
	tried_put(&k, "task/tests/test.sh", "echo 1 >logs/verifier/reward.txt\n", 0700);
	CHECK(verifier_run(&k.arena, &ask, &k.running.facts, &err));
	CHECK(k.running.facts.class == CLASS_VERIFIER_FAILED && !k.running.facts.verifier.ran);
	CHECK_STR(k.running.facts.findings[0].code, STR("tests_changed"));
	arena_free(&k.arena);
}

TEST(a_sandbox_without_a_report_is_a_failure_of_ours)
{
	struct verifier_ask ask = { .level = SANDBOX_NONE };
	struct err err = { .kind = ERR_NONE };
	struct tried k;

	tried_open(&k, "true", "exit 0\n");
	setenv("KIT_NO_REPORT", "1", 1);
	tried_put(&k, "program", "#!/bin/sh\nexit 0\n", 0700);
	ask.task = &k.running.task;
	ask.dirs = k.running.dirs;
	ask.program = k.how.program;
	CHECK(workspace_fill(&k.running, &err));
	CHECK(!verifier_run(&k.arena, &ask, &k.running.facts, &err));
	CHECK(str_starts(str_from(err.text), STR("the verifier's sandbox")));
	arena_free(&k.arena);
}
