/*
 * The directory of shims of one run: a link for every program of shell_names.h that PATH has, each to one small program
 * (shell_shim.h), which is put there, too. First in the PATH of the recorded command it is found before the programs
 * themselves. Only the user can enter it, and it is gone when the run is over.
 */
#ifndef CAPTURE_SHELL_DIR_H
#define CAPTURE_SHELL_DIR_H

#include "base/arena.h"
#include "base/err.h"
#include "capture/shell_find.h"

struct shell_dir {
	struct str path;  /* p NULL: there is none */
	struct str root;  /* the directory in which the recording began */
	struct str shell; /* the link in the place of the user's shell; p NULL: SHELL is not set, or not known */
};

/*
 * Makes it at `path`, for the programs of PATH and the shell of SHELL in `env`. `program` is ourselves: what is linked
 * to where programs cannot be run from that directory. False and *err when it cannot be made: nothing is left.
 */
bool shell_dir_make(struct arena *a, struct str path, const char *const *env, struct str program, struct shell_dir *d,
		    struct err *err);

/*
 * One more link, for a program of shell_names.h that this machine need not have: in a replay nothing is run. False: the
 * name is not in the table, or the link cannot be made. A link that is there is left.
 */
bool shell_dir_add(const struct shell_dir *d, struct str name);

/*
 * The recorded command itself is no command of a tool: the path of its program, past the shims, in the arena; NULL when
 * it has a path already, or there is none. *argv may be replaced by a list in the arena.
 */
const char *shell_dir_pass(struct arena *a, const char *const **argv, const char *const *env);

/* Removes it. */
void shell_dir_remove(const struct shell_dir *d);

#endif
