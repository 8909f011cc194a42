#include "capture/shell_find.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"
#include "unit/base/scratch.h"

static void put_file(const char *path, mode_t mode)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fclose(f) == 0 && chmod(path, mode) == 0);
}

TEST(a_path_without_a_directory_keeps_all_others)
{
	static const struct { const char *search, *wants; } cases[] = {
		{ "/x:/bin", "/bin" }, { "/bin:/x", "/bin" }, { "/a:/x:/b", "/a:/b" }, { "/x", "" }, { "/a::/b", "/a::/b" },
		{ "/a:", "/a:" }, { ":/a", ":/a" }, { "/xx:/x/", "/xx:/x/" }, { "", "" }, { "/x:/x:/c", "/c" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].search);
		CHECK_STR(shell_find_without(&a, str_from(cases[i].search), STR("/x")), str_from(cases[i].wants));
	}
	arena_free(&a);
}

TEST(shims_directories_and_what_may_not_run_are_passed_over)
{
	char dir[64];
	struct arena a;
	bool refused;

	arena_init(&a);
	enter_dir(dir);
	CHECK(mkdir("shims", 0700) == 0 && mkdir("dirs", 0700) == 0 && mkdir("dirs/git", 0700) == 0);
	CHECK(mkdir("not", 0700) == 0 && mkdir("bin", 0700) == 0);
	put_file("shims/" SHELL_SHIM, 0700);
	CHECK(symlink(SHELL_SHIM, "shims/git") == 0 && symlink("shims", "again") == 0);
	put_file("not/git", 0600);
	CHECK(!shell_find_program(&a, STR("shims:again:dirs"), STR("git"), &refused).p && !refused);
	CHECK(!shell_find_program(&a, STR("shims:not"), STR("git"), &refused).p && (refused || geteuid() == 0));
	put_file("bin/git", 0700);
	CHECK_STR(shell_find_program(&a, STR("shims:dirs:not:bin"), STR("git"), &refused), STR("bin/git"));
	CHECK(shell_find_is_shim("shims/git") && shell_find_is_shim("again/git") && !shell_find_is_shim("bin/git"));
	CHECK(!shell_find_is_shim("nothing"));
	CHECK(chdir("bin") == 0);
	CHECK_STR(shell_find_program(&a, STR(""), STR("git"), &refused), STR("./git"));
	CHECK(chdir("..") == 0);
	remove("bin/git"), remove("not/git"), remove("shims/git"), remove("shims/" SHELL_SHIM), remove("dirs/git");
	leave_dir(dir);
	arena_free(&a);
}
