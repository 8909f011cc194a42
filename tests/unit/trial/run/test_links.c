/* Links that an agent left: which lead out, and that only those go. */
#include "trial/run/links.h"

#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

static const struct { const char *name, *target; bool out; } links[] = {
	{ "up", "../tests/expected.txt", true },
	{ "tests", "/tests/expected.txt", true },
	{ "d/up", "../x", false },
	{ "d/up2", "../../tests", true },
	{ "root", "/", true },
	{ "by_root", "root/tests/expected.txt", true },
	{ "own", "/workspace/x", false },
	{ "beside", "/workspace2/x", true },
	{ "own_up", "/workspace/../tests", true },
	{ "d/own", "//tests", true },
	{ "program", "/usr/bin/python3", false },
	{ "by_usr", "/usr/../tests", true },
	{ "usr", "/usr", false },
	{ "usr_up", "usr/../tests", true },
	{ "process", "/proc/self/cwd/../tests", true },
	{ "null", "/dev/null", false },
	{ "input", "/dev/stdin", true },
	{ "gone", "not/there", false },
	{ "gone_up", "not/../../tests", true },
	{ "slashes", "d//etc", false },
	{ "circle", "circle", true },
	{ "empty_part", "./d/./../x", false },
};

TEST(a_link_leads_out_unless_it_ends_inside_or_at_the_systems_files)
{
	struct err err = { .kind = ERR_NONE };
	struct str dir = str_from(test_dir());
	struct arena a;

	arena_init(&a);
	CHECK(file_make_dirs(ARENA_JOIN(&a, dir, STR("/d")), 0700, NULL, &err));
	for (size_t i = 0; i < COUNT(links); i++)
		CHECK(symlink(links[i].target, ARENA_JOIN(&a, dir, STR("/"), str_from(links[i].name)).p) == 0);
	for (size_t i = 0; i < COUNT(links); i++) {
		test_case("%s", links[i].name);
		CHECK_INT(links_lead_out(&a, dir, str_from(links[i].name), STR("/workspace")), links[i].out);
	}
	arena_free(&a);
}

TEST(those_that_lead_out_are_removed_and_no_others)
{
	struct err err = { .kind = ERR_NONE };
	struct str dir = str_from(test_dir()), first;
	size_t count, out = 0;
	struct arena a;
	struct tree t;

	arena_init(&a);
	CHECK(file_make_dirs(ARENA_JOIN(&a, dir, STR("/d")), 0700, NULL, &err));
	for (size_t i = 0; i < COUNT(links); i++) {
		CHECK(symlink(links[i].target, ARENA_JOIN(&a, dir, STR("/"), str_from(links[i].name)).p) == 0);
		out += links[i].out;
	}
	CHECK(tree_read(&a, dir, NULL, &t, &err));
	CHECK(links_cut(&a, dir, &t, STR("/workspace"), &count, &first, &err));
	CHECK_INT(count, out);
	CHECK_STR(first, STR("beside -> /workspace2/x"));
	for (size_t i = 0; i < COUNT(links); i++) {
		char text[64];

		test_case("%s", links[i].name);
		CHECK_INT(readlink(ARENA_JOIN(&a, dir, STR("/"), str_from(links[i].name)).p, text, sizeof(text)) < 0,
			  links[i].out);
	}
	CHECK(tree_read(&a, dir, NULL, &t, &err));
	CHECK(links_cut(&a, dir, &t, STR("/workspace"), &count, &first, &err) && count == 0);
	arena_free(&a);
}
