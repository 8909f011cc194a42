/* Programs in PATH, and which of them are our own shims (shell_dir.h). */
#ifndef CAPTURE_SHELL_FIND_H
#define CAPTURE_SHELL_FIND_H

#include "base/arena.h"

#define SHELL_SHIM "trackway-shim" /* what the links of a directory of shims say, and no others do */
#define SHELL_OWN "shell" /* a directory in it: a link with the name of the user's shell, which SHELL names */

/* Whether a file is one of our shims, of this run or of any other. */
bool shell_find_is_shim(const char *path);

/* A PATH without one directory, in the arena. */
struct str shell_find_without(struct arena *a, struct str search, struct str dir);

/*
 * The file that a shell would run for this name, in `search` and without shims; terminated, in the arena. p NULL: there
 * is none, and *refused says whether one was there that may not be run.
 */
struct str shell_find_program(struct arena *a, struct str search, struct str name, bool *refused);

#endif
