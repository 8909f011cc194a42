#include "base/fatal.h"

#include <stdlib.h>

#include "harness/test.h"
#include "unit/base/child.h"

static void print_more(void)
{
	_exit(99);
}

static void run(void)
{
	atexit(print_more);
	fatal_exit("the sky has fallen");
}

TEST(a_fatal_failure_is_one_line_and_exit_status_3_without_exit_handlers)
{
	struct child_result r = child_run(run);

	CHECK_INT(r.status, 3);
	CHECK_STR(str_of(r.err, r.n), STR("trackway: the sky has fallen\n"));
}
