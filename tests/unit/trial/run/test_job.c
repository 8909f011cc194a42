/* Jobs: the agent's command, job.json both ways, slots, and the trials of a directory. */
#include "trial/run/job.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

static struct job job_of(struct arena *a, struct str dir)
{
	struct job j = {
		.dir = dir, .experiment = STR("e"), .ledger = STR("/l"), .repeat = 3, .seed = 7,
		.isolation = SANDBOX_LANDLOCK, .tasks = arena_array(a, struct str, 2), .task_count = 2,
		.agent = { .given = STR("x"), .command = STR("x"), .adapter = STR("x"), .revision = STR("1"),
			   .model = STR("m") },
	};

	j.tasks[0] = STR("/t/a");
	j.tasks[1] = STR("/t/b");
	return j;
}

TEST(words_of_a_plain_command_that_name_files_are_absolute)
{
	struct err err = { .kind = ERR_NONE };
	struct str dir = str_from(test_dir()), path;
	struct job_agent g = { .model = STR("m") }, h = g;
	struct arena a;

	arena_init(&a);
	CHECK(chdir(dir.p) == 0 && file_replace(STR("agent.py"), STR("1"), 0700, &err));
	path = tree_real_path(&a, STR("agent.py"));
	job_agent_read(&a, STR("sh agent.py --x=1 none.txt"), NULL, &g);
	CHECK_STR(g.command, ARENA_JOIN(&a, STR("sh "), path, STR(" --x=1 none.txt")));
	CHECK_STR(g.given, STR("sh agent.py --x=1 none.txt"));
	CHECK_STR(g.adapter, STR("agent.py"));
	CHECK_INT(g.file_count, 1);
	CHECK_STR(g.files[0], path);
	CHECK(str_starts(g.revision, STR("sha256:")) && g.revision.n == 71);
	/* another file is another revision; quotes leave a command as it is */
	CHECK(file_replace(STR("agent.py"), STR("2"), 0700, &err));
	job_agent_read(&a, STR("sh agent.py --x=1 none.txt"), NULL, &h);
	CHECK(!str_eq(h.revision, g.revision));
	h = (struct job_agent){ .model = STR("m") };
	job_agent_read(&a, STR("sh -c 'cat agent.py'"), NULL, &h);
	CHECK_STR(h.command, STR("sh -c 'cat agent.py'"));
	CHECK_STR(h.adapter, STR("sh"));
	arena_free(&a);
}

/* A virtual environment of Python is known by the link's own path. */
TEST(a_link_keeps_its_name_and_what_it_leads_to_is_shown_too)
{
	struct err err = { .kind = ERR_NONE };
	struct job_agent g = { .model = STR("m") }, h = g;
	struct str dir = str_from(test_dir()), place;
	struct arena a;

	arena_init(&a);
	CHECK(chdir(dir.p) == 0 && file_replace(STR("real"), STR("1"), 0700, &err));
	CHECK(mkdir("venv", 0755) == 0 && symlink("../real", "venv/python") == 0);
	place = tree_real_path(&a, STR("."));
	job_agent_read(&a, STR("venv/python"), NULL, &g);
	CHECK_STR(g.command, ARENA_JOIN(&a, place, STR("/venv/python")));
	CHECK_INT(g.file_count, 2);
	CHECK_STR(g.files[0], ARENA_JOIN(&a, place, STR("/real")));
	CHECK_STR(g.files[1], g.command);
	/* a directory that is shown has the link already */
	h.readable = arena_array(&a, struct str, 1);
	h.readable[h.readable_count++] = ARENA_JOIN(&a, place, STR("/venv"));
	job_agent_read(&a, STR("venv/python"), NULL, &h);
	CHECK_INT(h.file_count, 2);
	CHECK_STR(h.files[1], h.readable[0]);
	arena_free(&a);
}

/* The shell must not part it, wherever it lies and whatever it is called. */
TEST(a_path_is_one_word_whatever_is_in_it)
{
	static const struct { const char *command, *file, *end; } cases[] = {
		{ "./my agent.sh", "my agent.sh", "/it'\\''s here/my agent.sh'" },
		{ " ./$(x)\n;.sh", "$(x)\n;.sh", "/it'\\''s here/$(x)\n;.sh'" },
		{ "sh agent.sh -x", "agent.sh", "/it'\\''s here/agent.sh' -x" },
	};
	struct err err = { .kind = ERR_NONE };
	struct str dir = str_from(test_dir());
	struct arena a;

	arena_init(&a);
	CHECK(chdir(dir.p) == 0 && mkdir("it's here", 0755) == 0 && chdir("it's here") == 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct job_agent g = { .model = STR("m") };

		test_case("%s", cases[i].command);
		CHECK(file_replace(str_from(cases[i].file), STR("1"), 0700, &err));
		job_agent_read(&a, str_from(cases[i].command), NULL, &g);
		CHECK(str_ends(g.command, str_from(cases[i].end)));
		CHECK_INT(g.file_count, 1);
		CHECK_STR(g.files[0], tree_real_path(&a, str_from(cases[i].file)));
		CHECK_STR(g.adapter, str_from(cases[i].file));
	}
	arena_free(&a);
}

TEST(a_first_word_is_a_program_of_path_else_a_file_from_here)
{
	struct err err = { .kind = ERR_NONE };
	struct job_agent g = { .model = STR("m") }, h = g;
	struct str dir = str_from(test_dir());
	struct arena a;

	arena_init(&a);
	CHECK(chdir(dir.p) == 0 && file_replace(STR("own_agent"), STR("1"), 0700, &err));
	CHECK(file_replace(STR("sh"), STR("1"), 0700, &err));
	job_agent_read(&a, STR("own_agent --x"), NULL, &g);
	CHECK_STR(g.command, ARENA_JOIN(&a, tree_real_path(&a, STR("own_agent")), STR(" --x")));
	CHECK_STR(g.adapter, STR("own_agent"));
	job_agent_read(&a, STR("sh --x"), NULL, &h);
	CHECK_STR(h.command, STR("sh --x"));
	CHECK_INT(h.file_count, 0);
	arena_free(&a);
}

/* As npm and pipx install them: the name is a link to what they unpacked. */
TEST(a_job_knows_whether_its_agent_is_still_the_one_it_began_with)
{
	struct err err = { .kind = ERR_NONE };
	struct str dir = str_from(test_dir());
	struct job j = { .agent = { .model = STR("m"), .revision = STR("7") } }, k = { .agent = { .model = STR("m") } };
	struct arena a;

	arena_init(&a);
	CHECK(chdir(dir.p) == 0 && file_replace(STR("real"), STR("#!/bin/sh\n"), 0700, &err));
	CHECK(mkdir("bin", 0755) == 0 && symlink("../real", "bin/linked") == 0);
	setenv("PATH", ARENA_JOIN(&a, tree_real_path(&a, STR("bin")), STR(":/bin")).p, 1);
	job_agent_read(&a, STR("linked --x"), NULL, &j.agent);
	CHECK_STR(j.agent.revision, STR("7"));
	CHECK(job_check_agent(&a, &j, &err));
	CHECK(file_replace(STR("real"), STR("#!/bin/dash\n"), 0700, &err));
	CHECK(!job_check_agent(&a, &j, &err));
	CHECK_INT(err.kind, ERR_DATA);
	job_agent_read(&a, STR("linked --x"), NULL, &k.agent);
	CHECK_STR(k.agent.revision, ARENA_JOIN(&a, STR("sha256:"), k.agent.digest));
	CHECK(job_check_agent(&a, &k, &err) && !str_eq(k.agent.digest, j.agent.digest));
	j.agent.digest = str_of(NULL, 0); /* as an earlier version wrote it */
	CHECK(job_check_agent(&a, &j, &err));
	arena_free(&a);
}

TEST(a_task_whose_tests_a_sandbox_shows_to_all_is_refused)
{
	struct err err = { .kind = ERR_NONE };
	struct arena a;
	struct job j;

	arena_init(&a);
	j = job_of(&a, STR("/j"));
	CHECK(job_check_shown(&a, &j, &err));
	j.tasks[1] = STR("/usr/share/task");
	CHECK(!job_check_shown(&a, &j, &err));
	CHECK(str_has(str_from(err.text), STR("/usr/share/task: the agent would see the tests")));
	j.isolation = SANDBOX_NONE;
	CHECK(job_check_shown(&a, &j, &err));
	arena_free(&a);
}

TEST(files_of_the_kernel_are_no_files_of_the_agent)
{
	struct job_agent g = { .model = STR("m") };
	struct arena a;

	arena_init(&a);
	job_agent_read(&a, STR("cat /proc/self/status"), NULL, &g);
	CHECK_STR(g.command, STR("cat /proc/self/status"));
	CHECK_INT(g.file_count, 0);
	arena_free(&a);
}

TEST(a_name_that_the_workspace_has_is_left_to_it)
{
	struct tree_file file = { .name = STR("agent.py") };
	const struct tree environment = { .files = &file, .count = 1 };
	struct err err = { .kind = ERR_NONE };
	struct job_agent g = { .model = STR("m") };
	struct arena a;

	arena_init(&a);
	CHECK(chdir(test_dir()) == 0 && file_replace(STR("agent.py"), STR("1"), 0700, &err));
	job_agent_read(&a, STR("sh agent.py"), &environment, &g);
	CHECK_STR(g.command, STR("sh agent.py"));
	CHECK_INT(g.file_count, 0);
	arena_free(&a);
}

TEST(a_job_is_read_as_it_was_written)
{
	struct err err = { .kind = ERR_NONE };
	struct job j, k;
	struct arena a;

	arena_init(&a);
	j = job_of(&a, ARENA_JOIN(&a, str_from(test_dir()), STR("/job")));
	CHECK(job_write(&a, &j, &err));
	CHECK(job_read(&a, j.dir, &k, &err));
	CHECK_STR(k.experiment, STR("e"));
	CHECK(!k.dataset.p && k.repeat == 3 && k.seed == 7 && k.isolation == SANDBOX_LANDLOCK && k.task_count == 2);
	CHECK_STR(k.tasks[1], STR("/t/b"));
	CHECK_STR(job_configuration(&a, &k), job_configuration(&a, &j));
	CHECK_STR(k.agent.digest, j.agent.digest);
	CHECK(!job_write(&a, &j, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(!job_read(&a, STR("/no/such/job"), &k, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(file_replace(ARENA_JOIN(&a, j.dir, STR("/" JOB_FILE)), STR("{\"schema\":\"" JOB_SCHEMA "\"}"), 0600, &err));
	CHECK(!job_read(&a, j.dir, &k, &err));
	CHECK_INT(err.kind, ERR_DATA);
	arena_free(&a);
}

TEST(only_one_runs_a_job)
{
	struct err err = { .kind = ERR_NONE };
	struct job j = { .dir = str_from(test_dir()) };
	struct arena a;
	int held, again;

	arena_init(&a);
	CHECK(job_hold(&a, &j, &err) < 0 && err.kind == ERR_IO);
	CHECK(file_replace(ARENA_JOIN(&a, j.dir, STR("/" JOB_FILE)), STR("{}"), 0600, &err));
	held = job_hold(&a, &j, &err);
	CHECK(held >= 0 && job_hold(&a, &j, &err) < 0);
	CHECK(str_has(str_from(err.text), STR("another trackway runs this job")));
	close(held);
	again = job_hold(&a, &j, &err);
	CHECK(again >= 0);
	close(again);
	arena_free(&a);
}

TEST(slots_go_through_all_tasks_before_the_next_attempt)
{
	struct arena a;
	struct job j;
	uint64_t attempt;

	arena_init(&a);
	j = job_of(&a, STR("/d"));
	CHECK_INT(job_slots(&j), 6);
	CHECK_STR(job_task_of(&j, 1, &attempt), STR("/t/b"));
	CHECK_INT(attempt, 1);
	CHECK_STR(job_task_of(&j, 4, &attempt), STR("/t/a"));
	CHECK_INT(attempt, 3);
	arena_free(&a);
}

TEST(records_say_which_trials_ended)
{
#define ID(n) "01a1f067-5b8e-7559-8369-bc664538a91" n
#define RECORD(phase) "{\"outputs\":{\"agent_result\":{\"trackway\":{\"phase\":\"" phase "\",\"slot\":4}}}}"
	struct err err = { .kind = ERR_NONE };
	struct job_trial *list;
	struct arena a;
	size_t count;
	struct job j;

	arena_init(&a);
	j = job_of(&a, str_from(test_dir()));
	CHECK(mkdir(ARENA_JOIN(&a, j.dir, STR("/other")).p, 0700) == 0);
	for (int i = 0; i < 3; i++) {
		struct str dir = arena_printf(&a, "%.*s/" ID("%d"), STR_ARG(j.dir), i);

		CHECK(mkdir(dir.p, 0700) == 0);
		if (i)
			CHECK(file_replace(ARENA_JOIN(&a, dir, STR("/" JOB_RECORD)),
					   i == 1 ? STR(RECORD("agent")) : STR(RECORD("ended")), 0600, &err));
	}
	CHECK(job_list(&a, &j, &list, &count, &err));
	CHECK_INT(count, 3);
	CHECK(list[0].state == JOB_ABSENT && list[1].state == JOB_STOPPED && list[2].state == JOB_ENDED);
	CHECK_INT(list[2].slot, 4);
	arena_free(&a);
}

TEST(a_lock_has_every_member)
{
	struct trial_task t = { .id = STR("x") };
	struct arena a;
	struct lock l;
	struct job j;

	arena_init(&a);
	j = job_of(&a, STR("/d"));
	l = job_lock(&a, &j, &t);
	for (size_t i = 0; i < LOCK_MEMBERS; i++)
		CHECK(l.members[i].n > 0);
	CHECK_STR(l.members[LOCK_ISOLATION], STR("landlock"));
	CHECK_STR(l.members[LOCK_K], STR("3"));
	arena_free(&a);
}
