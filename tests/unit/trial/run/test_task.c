/* Task directories: what they say, what pins them, and what is refused. */
#include "trial/run/task.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

static struct str dir;

static void put(struct arena *a, const char *name, const char *text)
{
	struct str path = ARENA_JOIN(a, dir, STR("/"), str_from(name));
	struct err err = { .kind = ERR_NONE };

	CHECK(file_make_dirs(str_dirname(path), 0700, NULL, &err) && file_replace(path, str_from(text), 0600, &err));
}

static void make_task(struct arena *a)
{
	dir = str_from(test_dir());
	put(a, "task.toml", "id = \"x/y\"\nversion = \"3\"\n[agent]\ntimeout_sec = 12.5\n[environment]\nmemory_mb = 64\n");
	put(a, "instruction.md", "Do it.\n");
	put(a, "tests/test.sh", "#!/bin/sh\n");
	put(a, "environment/b/c.txt", "c");
	put(a, "environment/a.txt", "a");
	put(a, "solution/solve.sh", "true\n");
}

TEST(a_task_says_what_is_to_be_done)
{
	struct err err = { .kind = ERR_NONE };
	struct trial_task t;
	struct arena a;

	arena_init(&a);
	make_task(&a);
	CHECK(task_read(&a, dir, &t, &err));
	CHECK_STR(t.id, STR("x/y"));
	CHECK_STR(t.version, STR("3"));
	CHECK_STR(t.instruction, STR("Do it.\n"));
	CHECK(!t.system_prompt.p);
	CHECK(t.agent_timeout_s > 12.4 && t.agent_timeout_s < 12.6);
	CHECK_INT(t.verifier_timeout_s, TASK_TIMEOUT_S);
	CHECK_INT(t.memory_bytes, 64 << 20);
	CHECK_INT(t.environment.count, 2);
	CHECK_STR(t.environment.files[0].name, STR("a.txt"));
	CHECK_STR(t.environment.files[1].name, STR("b/c.txt"));
	put(&a, "task.toml", "version = \"1.0\"\n[environment]\nmemory = \"2G\"\n");
	put(&a, "environment/system_prompt.md", "Be kind.");
	CHECK(task_read(&a, dir, &t, &err));
	CHECK_STR(t.id, str_basename(dir));
	CHECK_STR(t.system_prompt, STR("Be kind."));
	CHECK_INT(t.memory_bytes, INT64_C(2) << 30);
	arena_free(&a);
}

/* Which of revision, verifier, rest and prompts another file changes, a bit each. */
static unsigned changed(struct arena *a, const struct trial_task *was)
{
	struct err err = { .kind = ERR_NONE };
	struct trial_task t;

	CHECK(task_read(a, dir, &t, &err));
	return (unsigned)!digest_eq(t.revision, was->revision) | (unsigned)!digest_eq(t.verifier, was->verifier) << 1 |
	       (unsigned)!digest_eq(t.rest, was->rest) << 2 | (unsigned)!digest_eq(t.prompts, was->prompts) << 3;
}

TEST(each_digest_pins_its_own_part_of_a_task)
{
	static const struct { const char *name; unsigned bits; } cases[] = {
		{ "tests/test.sh", 3 }, { "tests/more/x", 3 }, { "solution/solve.sh", 1 }, { "environment/a.txt", 5 },
		{ "README.md", 5 }, { "instruction.md", 13 }, { "environment/system_prompt.md", 13 },
		{ "tests/__pycache__/x.pyc", 0 }, { "x.pyc", 0 },
	};
	struct err err = { .kind = ERR_NONE };
	struct trial_task was;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		make_task(&a);
		CHECK(task_read(&a, dir, &was, &err));
		put(&a, cases[i].name, "other");
		test_case("%s", cases[i].name);
		CHECK_INT(changed(&a, &was), cases[i].bits);
	}
	arena_free(&a);
}

TEST(the_revision_is_that_of_sorted_names_and_bytes)
{
	struct err err = { .kind = ERR_NONE };
	struct trial_task t;
	struct sha256 sha;
	struct arena a;

	arena_init(&a);
	dir = str_from(test_dir());
	put(&a, "task.toml", "id = \"z\"\n");
	put(&a, "tests/test.sh", "T");
	put(&a, "instruction.md", "I");
	CHECK(task_read(&a, dir, &t, &err));
	sha256_init(&sha);
	CHECK(digest_eq(t.revision, sha256_of(&sha, STR("instruction.mdItask.tomlid = \"z\"\ntests/test.shT"))));
	sha256_free(&sha);
	arena_free(&a);
}

TEST(what_cannot_be_run_here_is_refused_by_name)
{
	static const struct { const char *name, *text, *words; } cases[] = {
		{ "environment/Dockerfile", "FROM x\n", "needs a container: there is a Dockerfile" },
		{ "environment/docker-compose.yaml", "", "there is a docker-compose.yaml" },
		{ "compose.yml", "", "there is a compose.yml" },
		{ "task.toml", "[environment]\ndocker_image = \"x\"\n", "docker_image" },
		{ "task.toml", "[verifier]\nneeds_services = true\n", "leaves running" },
		{ "task.toml", "[verifier.env]\nKEY = \"v\"\n", "[verifier.env]" },
		{ "task.toml", "[environment]\nenv = { KEY = \"v\" }\n", "[environment.env]" },
		{ "task.toml", "[agent]\ntimeout_sec = 0\n", "agent.timeout_sec" },
		{ "task.toml", "[agent]\ntimeout_sec = \"10\"\n", "agent.timeout_sec" },
		{ "task.toml", "[verifier]\ntimeout_sec = 1e9\n", "verifier.timeout_sec" },
		{ "task.toml", "[agent]\ntimeout_sec = \"10\"\n", "is the text 10, expected a number" },
		{ "task.toml", "id = \"x\"\n[agent\ntimeout_sec = 10\n", "task.toml: line 2 is no TOML" },
		{ "task.toml", "id = 5\n", "id is no plain text in quotes" },
		{ "task.toml", "[environment]\nmemory = \"lots\"\n", "environment.memory is \"lots\"" },
		{ "task.toml", "[environment]\nstorage = \"-1G\"\n", "environment.storage is \"-1G\"" },
		{ "instruction.md", " \n", "instruction.md is empty" },
		{ "instruction.md", "do\xff it\n", "instruction.md is no text" },
		{ "environment/system_prompt.md", "\xff", "system_prompt.md is no text" },
	};
	struct trial_task t;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { .kind = ERR_NONE };

		make_task(&a);
		put(&a, cases[i].name, cases[i].text);
		test_case("%s", cases[i].words);
		CHECK(!task_read(&a, dir, &t, &err));
		CHECK_INT(err.kind, ERR_DATA);
		CHECK(str_starts(str_from(err.text), dir) && str_has(str_from(err.text), str_from(cases[i].words)));
	}
	arena_free(&a);
}

/* The agent is told by a variable of its environment. */
TEST(a_text_that_could_not_be_told_whole_is_refused)
{
	static const char *const names[] = { "instruction.md", "environment/system_prompt.md" };
	struct trial_task t;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(names); i++) {
		struct str path, text = str_of(arena_array(&a, char, 120001), 120001); /* zeros */
		struct err err = { .kind = ERR_NONE };

		make_task(&a);
		path = ARENA_JOIN(&a, dir, STR("/"), str_from(names[i]));
		CHECK(file_replace(path, str_of("do\0it", 5), 0600, &err));
		CHECK(!task_read(&a, dir, &t, &err) && str_has(str_from(err.text), STR("without NUL")));
		CHECK(file_replace(path, text, 0600, &err));
		CHECK(!task_read(&a, dir, &t, &err) && str_has(str_from(err.text), STR("is longer than 120000 bytes")));
	}
	arena_free(&a);
}

TEST(what_is_missing_or_no_plain_file_is_refused)
{
	static const char *const needed[] = { "task.toml", "instruction.md", "tests/test.sh" };
	struct trial_task t;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i <= COUNT(needed); i++) {
		struct err err = { .kind = ERR_NONE };

		make_task(&a);
		if (i < COUNT(needed))
			CHECK(unlink(ARENA_JOIN(&a, dir, STR("/"), str_from(needed[i])).p) == 0);
		else
			CHECK(symlink("/etc/passwd", ARENA_JOIN(&a, dir, STR("/environment/link")).p) == 0);
		CHECK(!task_read(&a, dir, &t, &err));
		CHECK_INT(err.kind, ERR_DATA);
		CHECK(str_has(str_from(err.text), i < COUNT(needed) ? str_from(needed[i]) : STR("environment/link")));
	}
	CHECK(!task_read(&a, STR("/no/such/task"), &t, &(struct err){ .kind = ERR_NONE }));
	arena_free(&a);
}

TEST(tests_that_name_absolute_places_are_known)
{
	static const struct { const char *text; bool wants; } cases[] = {
		{ "echo 1 >/logs/verifier/reward.txt", true },
		{ "echo 1 > \"/logs/verifier/reward.txt\"", true },
		{ "pytest /tests/test_it.py", true },
		{ "echo 1 >\"$WORKSPACE/logs/verifier/reward.txt\"", false },
		{ "echo 1 >${WORKSPACE}/logs/verifier/reward.txt", false },
		{ "echo 1 >\"$WORKSPACE\"/logs/verifier/reward.txt", false },
		{ "echo 1 >logs/verifier/reward.txt", false },
		{ "echo 1 >./logs/verifier/reward.txt; cat my/tests/x", false },
	};
	struct err err = { .kind = ERR_NONE };
	struct trial_task t;
	struct arena a;

	arena_init(&a);
	make_task(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		put(&a, "tests/test.sh", cases[i].text);
		CHECK(task_read(&a, dir, &t, &err));
		test_case("%s", cases[i].text);
		CHECK_INT(t.wants_absolute_logs, cases[i].wants);
	}
	arena_free(&a);
}
