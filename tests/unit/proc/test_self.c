/* Where this program is. */
#include "proc/self.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/test.h"

TEST(the_path_is_absolute_and_that_of_this_program)
{
	struct arena a;
	struct str path;
	char real[PATH_MAX];

	arena_init(&a);
	path = self_path(&a);
	CHECK(path.p && path.p[0] == '/');
	CHECK_INT(access(path.p, X_OK), 0);
	CHECK(realpath("/proc/self/exe", real));
	CHECK_STR(path, str_from(real));
	arena_free(&a);
}
