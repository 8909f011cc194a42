/*
 * The program that stands in front of others in the directory of shims (shell_dir.h): it finds the program that was
 * meant, runs it so that nobody notices (proc/shim.h), and tells the recorder what it saw: the name, times, sizes, how
 * it ended; with TRACKWAY_CONTENT also arguments and output, for the cassette. Whatever goes wrong on our side, the
 * program runs.
 */
#ifndef CAPTURE_SHELL_SHIM_H
#define CAPTURE_SHELL_SHIM_H

#include <stdbool.h>

#include "base/err.h"

/* Whether this process was started by such a link; asked before anything else is done in it. */
bool shell_shim_is_asked(void);

/*
 * The whole life of the process; returns only when there is no such program, or it cannot be run: the exit status that
 * a shell would give, and what to say.
 */
int shell_shim_run(char **argv, struct err *err);

#endif
