/*
 * A directory that appears whole or not at all: files go to one beside it, which takes its name when everything is on
 * the disk. Into a directory that is there and not empty (by force) each file goes by itself, whole or not at all.
 */
#ifndef SINK_EXPORT_DIR_H
#define SINK_EXPORT_DIR_H

#include "ledger/io.h"

struct export_dir;

/*
 * Begins the directory `dir`; those above it must be there. `io` NULL: io_system. NULL with ERR_DATA when it is not
 * empty and not forced, or is a file; with ERR_IO when it cannot be made. To be ended by export_dir_commit or
 * export_dir_abort.
 */
struct export_dir *export_dir_open(const struct io *io, struct str dir, bool force, struct err *err);

/*
 * A file, whole. The path is relative and safe; directories in it are made. What has the name in a directory that was
 * there is replaced. ERR_LIMIT when the path is too long, ERR_DATA when a directory in it is a link; abort then.
 */
bool export_dir_put(struct export_dir *d, struct str path, struct str bytes, struct err *err);

/*
 * A symbolic link, whose target is relative to where it stands and need not exist. ERR_IO when it cannot be made,
 * ERR_DATA when a directory in its path is a link; abort then.
 */
bool export_dir_link(struct export_dir *d, struct str path, struct str target, struct err *err);

/* A file in pieces: one at a time, begun, added to, ended. After a failure of any of them (ERR_IO) abort. */
bool export_dir_begin(struct export_dir *d, struct str path, struct err *err);
bool export_dir_add(struct export_dir *d, struct str bytes, struct err *err);
bool export_dir_end(struct export_dir *d, struct err *err);

/* Everything is there. Durable when it returns. Frees it in any case. */
bool export_dir_commit(struct export_dir *d, struct err *err);
/* Nothing was: what was made is removed, except for files that were put into a directory that was there. */
void export_dir_abort(struct export_dir *d);

#endif
