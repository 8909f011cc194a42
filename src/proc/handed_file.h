/*
 * A text that a child reads as a file: it has a path, but no name in any directory, and is gone with us, however we
 * end. Only processes of the same user can open it.
 */
#ifndef PROC_HANDED_FILE_H
#define PROC_HANDED_FILE_H

#include "base/arena.h"
#include "base/err.h"

/*
 * The descriptor, which the caller closes when nobody needs the file any more; *path gets its path, in the arena. -1
 * and *err (ERR_IO) when the system refuses.
 */
int handed_file_open(struct arena *a, struct str text, struct str *path, struct err *err);

#endif
