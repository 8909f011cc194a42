#include "base/fatal.h"

#include <stdio.h>
#include <unistd.h>

_Noreturn void fatal_exit(const char *reason)
{
	dprintf(STDERR_FILENO, "trackway: %s\n", reason);
	_exit(3);
}
