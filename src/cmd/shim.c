/* The small program that stands in front of others in a recording with --shell: capture/shell_shim.h alone. */
#include <stdio.h>

#include "capture/shell_shim.h"

int main(int argc, char **argv)
{
	struct err err;
	int status = shell_shim_run(argv, &err);

	(void)argc;
	fprintf(stderr, "%s\n", err.text);
	return status;
}
