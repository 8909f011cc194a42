#include "capture/shell_dir.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"
#include "unit/base/scratch.h"

static void put_file(const char *path, mode_t mode)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fputs("#!/bin/sh\n", f) >= 0 && fclose(f) == 0 && chmod(path, mode) == 0);
}

static struct str link_of(const char *path)
{
	static char text[64];
	ssize_t n = readlink(path, text, sizeof(text));

	return str_of(text, n > 0 ? (size_t)n : 0);
}

TEST(it_has_what_path_has_and_goes_without_a_trace)
{
	static const char *const env[] = { "PATH=bin", "SHELL=/bin/sh", NULL };
	struct shell_dir d;
	struct arena a;
	struct stat st;
	struct err err;
	char dir[64];

	arena_init(&a);
	enter_dir(dir);
	CHECK(mkdir("bin", 0700) == 0);
	put_file("bin/git", 0755);
	put_file("bin/make", 04755);
	put_file("bin/unknown", 0755);
	CHECK(shell_dir_make(&a, STR("shims"), env, STR("/bin/true"), &d, &err));
	CHECK(stat("shims", &st) == 0 && (st.st_mode & 0777) == 0700);
	CHECK_STR(link_of("shims/git"), STR(SHELL_SHIM));
	CHECK(access("shims/make", F_OK) != 0); /* it makes its user somebody else */
	CHECK(access("shims/unknown", F_OK) != 0 && access("shims/npm", F_OK) != 0);
	CHECK(access("shims/" SHELL_SHIM, X_OK) == 0);
	CHECK_STR(d.shell, STR("shims/shell/sh"));
	CHECK_STR(link_of("shims/shell/sh"), STR("../" SHELL_SHIM));
	CHECK(!shell_dir_make(&a, STR("shims"), env, STR("/bin/true"), &(struct shell_dir){ .path.p = NULL }, &err));
	shell_dir_remove(&d);
	CHECK(access("shims", F_OK) != 0);
	shell_dir_remove(&d);
	remove("bin/git"), remove("bin/make"), remove("bin/unknown");
	leave_dir(dir);
	arena_free(&a);
}

TEST(a_link_may_be_added_for_a_program_that_is_not_here)
{
	static const char *const env[] = { "PATH=bin", NULL };
	struct shell_dir d;
	struct arena a;
	struct err err;
	char dir[64];

	arena_init(&a);
	enter_dir(dir);
	CHECK(shell_dir_make(&a, STR("shims"), env, STR("/bin/true"), &d, &err));
	CHECK(shell_dir_add(&d, STR("git")) && shell_dir_add(&d, STR("git")));
	CHECK_STR(link_of("shims/git"), STR(SHELL_SHIM));
	CHECK(!shell_dir_add(&d, STR("unknown")) && !shell_dir_add(&d, STR("../git")));
	shell_dir_remove(&d);
	CHECK(!shell_dir_add(&d, STR("git")));
	leave_dir(dir);
	arena_free(&a);
}

TEST(a_shell_that_is_not_known_is_left_alone)
{
	static const char *const shells[] = { "SHELL=/opt/secret-shell", "SHELL=", "SHELL=sh", "OTHER=/bin/sh",
					      "SHELL=/no/such/bash" };
	struct arena a;
	char dir[64];

	arena_init(&a);
	enter_dir(dir);
	for (size_t i = 0; i < COUNT(shells); i++) {
		const char *const env[] = { "PATH=", shells[i], NULL };
		struct shell_dir d;
		struct err err;

		test_case("%s", shells[i]);
		CHECK(shell_dir_make(&a, STR("shims"), env, STR("/bin/true"), &d, &err));
		CHECK(!d.shell.p && access("shims/shell", F_OK) != 0);
		shell_dir_remove(&d);
	}
	leave_dir(dir);
	arena_free(&a);
}

TEST(a_run_inside_another_has_the_users_own_shell)
{
	static const char *const env[] = { "PATH=", "SHELL=/run/shims/shell/sh", "TRACKWAY_SHELL_DIR=/run/shims",
					   "TRACKWAY_SHELL_PATH=/bin/sh", NULL };
	struct shell_dir d;
	struct arena a;
	struct err err;
	char dir[64];

	arena_init(&a);
	enter_dir(dir);
	CHECK(shell_dir_make(&a, STR("shims"), env, STR("/bin/true"), &d, &err));
	CHECK_STR(d.shell, STR("shims/shell/sh"));
	shell_dir_remove(&d);
	leave_dir(dir);
	arena_free(&a);
}

TEST(the_recorded_command_passes_the_shims)
{
	static const char *const env[] = { "PATH=shims:bin", NULL };
	const char *const git[] = { "git", "-v", NULL }, *const python[] = { "python3", "x.py", NULL };
	const char *const other[] = { "agent", NULL }, *const given[] = { "./git", NULL };
	const char *const *argv = git;
	struct arena a;
	char dir[64];

	arena_init(&a);
	enter_dir(dir);
	CHECK(mkdir("shims", 0700) == 0 && mkdir("bin", 0700) == 0 && symlink(SHELL_SHIM, "shims/git") == 0);
	put_file("shims/" SHELL_SHIM, 0755);
	put_file("bin/git", 0755);
	put_file("bin/python3", 0755);
	CHECK_STR(str_from(shell_dir_pass(&a, &argv, env)), STR("bin/git"));
	CHECK(argv == git);
	argv = python;
	CHECK_STR(str_from(shell_dir_pass(&a, &argv, env)), STR("bin/python3"));
	CHECK(argv != python && !argv[2]);
	CHECK_STR(str_from(argv[0]), STR("bin/python3"));
	CHECK_STR(str_from(argv[1]), STR("x.py"));
	argv = other;
	CHECK(!shell_dir_pass(&a, &argv, env));
	argv = given;
	CHECK(!shell_dir_pass(&a, &argv, env));
	remove("bin/git"), remove("bin/python3"), remove("shims/git"), remove("shims/" SHELL_SHIM);
	leave_dir(dir);
	arena_free(&a);
}
