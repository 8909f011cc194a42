/* What the process of a sandbox does: outside, or as the first process inside. */
#include "proc/sandbox/private.h"

int sandbox_main(int argc, char **argv)
{
	struct err err = { .kind = ERR_NONE };
	struct sandbox_options o;
	struct arena a;
	int status = 2;

	if (sandbox_inside_is_asked(argc, argv))
		return sandbox_inside(argv);
	arena_init(&a);
	if (sandbox_read_arguments(&a, (const char *const *)argv, &o, &err))
		status = sandbox_run_command(&a, &o);
	else
		sandbox_complain(&err);
	arena_free(&a);
	return status;
}
