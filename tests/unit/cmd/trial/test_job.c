/* Options to a job. */
#include "cmd/trial/run.h"

#include "base/file.h"
#include "harness/test.h"

static struct str task_in(struct arena *a, const char *verifier)
{
	struct str dir = str_from(test_dir()), tests = ARENA_JOIN(a, dir, STR("/tests"));
	struct err err = { .kind = ERR_NONE };

	CHECK(file_make_dirs(tests, 0700, NULL, &err));
	CHECK(file_replace(ARENA_JOIN(a, dir, STR("/task.toml")), STR("id = \"t\"\n"), 0600, &err));
	CHECK(file_replace(ARENA_JOIN(a, dir, STR("/instruction.md")), STR("Do it.\n"), 0600, &err));
	CHECK(file_replace(ARENA_JOIN(a, tests, STR("/test.sh")), str_from(verifier), 0700, &err));
	return dir;
}

TEST(options_make_a_job)
{
	struct trial_asked o = { .agent = STR("true"), .repeat = 2, .isolation = 1, .adapter = STR("hand") };
	struct str upstream = STR("openai=http://127.0.0.1:1/v1"), task;
	struct err err = { .kind = ERR_NONE };
	struct args args = { .count = 1 };
	struct arena a;
	struct job j;

	arena_init(&a);
	task = task_in(&a, "exit 0\n");
	args.items = &task;
	o.upstreams = (struct opt_list){ &upstream, 1 };
	CHECK(trial_job_make(&a, &o, args, &j, &err));
	CHECK(j.task_count == 1 && j.repeat == 2 && j.isolation == SANDBOX_NONE && j.upstream_count == 1);
	CHECK_STR(j.experiment, STR("trials"));
	CHECK_STR(j.agent.model, STR(JOB_NO_MODEL));
	CHECK_STR(j.agent.adapter, STR("hand"));
	arena_free(&a);
}

TEST(what_cannot_be_is_refused_before_anything_runs)
{
	static const struct { const char *agent, *upstream, *verifier, *words; unsigned repeat; } cases[] = {
		{ " ", NULL, "exit 0\n", "--agent", 1 },
		{ "true", NULL, "exit 0\n", "--repeat", 0 },
		{ "true", NULL, "exit 0\n", "--repeat", 10001 },
		{ "true", "openai", "exit 0\n", "--upstream", 1 },
		{ "true", "openai=nonsense", "exit 0\n", "--upstream", 1 },
		{ "true", NULL, "cat /tests/x\n", "/logs/verifier or /tests", 1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct trial_asked o = { .agent = str_from(cases[i].agent), .repeat = cases[i].repeat, .isolation = 1 };
		struct str upstream = str_from(cases[i].upstream), task;
		struct err err = { .kind = ERR_NONE };
		struct args args = { .count = 1 };
		struct arena a;
		struct job j;

		arena_init(&a);
		task = task_in(&a, cases[i].verifier);
		args.items = &task;
		o.upstreams = (struct opt_list){ &upstream, upstream.p != NULL };
		test_case("%s", cases[i].words);
		CHECK(!trial_job_make(&a, &o, args, &j, &err));
		CHECK(str_has(str_from(err.text), str_from(cases[i].words)));
		arena_free(&a);
	}
}

TEST(prices_of_the_user_are_laid_over_the_others)
{
	struct err err = { .kind = ERR_NONE };
	struct arena a;

	arena_init(&a);
	CHECK(trial_job_prices(&a, str_of(NULL, 0), &err) != NULL);
	CHECK(!trial_job_prices(&a, STR("/no/such/prices"), &err));
	CHECK_INT(err.kind, ERR_IO);
	arena_free(&a);
}
