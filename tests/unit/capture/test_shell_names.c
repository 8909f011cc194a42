#include "capture/shell_names.h"

#include <string.h>

#include "base/arena.h"
#include "harness/test.h"

TEST(every_name_is_there_once_and_none_has_a_slash)
{
	for (const struct shell_name *n = shell_names; n->name; n++) {
		test_case("%s", n->name);
		CHECK(shell_name_find(n->name) == n && !strchr(n->name, '/') && n->name[0] != '.');
	}
}

TEST(nothing_that_makes_its_user_somebody_else_is_there)
{
	static const char *const others[] = { "sudo", "su", "doas", "passwd", "mount", "newgrp", "pkexec", "trackway",
					      "env", "" };

	for (size_t i = 0; i < COUNT(others); i++)
		CHECK(!shell_name_find(others[i]));
}

TEST(pythons_are_given_their_whole_path)
{
	CHECK(shell_name_find("python3")->seeks_itself && !shell_name_find("ls")->seeks_itself);
	CHECK(shell_name_find("bash")->is_shell && !shell_name_find("git")->is_shell);
}
