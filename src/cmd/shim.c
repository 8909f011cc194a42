/*
 * The small program: it stands in front of others in a recording with --shell (capture/shell_shim.h), and is the first
 * process inside a sandbox, started as an open file, which no command is.
 */
#include <stdio.h>
#include <string.h>

#include "capture/shell_shim.h"
#include "proc/sandbox/sandbox.h"

#define SHIM_OPEN_FILE "/proc/self/fd/"

int main(int argc, char **argv)
{
	struct err err;
	int status;

	if (argc == 3 && strncmp(argv[0], SHIM_OPEN_FILE, sizeof(SHIM_OPEN_FILE) - 1) == 0 &&
	    strcmp(argv[1], "__sandbox") == 0 && sandbox_inside_is_asked(1, argv + 2))
		return sandbox_inside(argv + 2);
	status = shell_shim_run(argv, &err);
	fprintf(stderr, "%s\n", err.text);
	return status;
}
