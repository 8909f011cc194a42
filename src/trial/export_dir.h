/*
 * A directory that appears whole or not at all: files go to one beside it, which takes its name when everything is on
 * the disk. Into a directory that is there and not empty (by force) each file goes by itself, whole or not at all.
 */
#ifndef TRIAL_EXPORT_DIR_H
#define TRIAL_EXPORT_DIR_H

#include "ledger/io.h"

struct export_dir;

/* ERR_DATA when it is not empty and not forced. */
struct export_dir *export_dir_open(const struct io *io, struct str dir, bool force, struct err *err);

/* A file, whole. The path is relative and safe; directories in it are made. */
bool export_dir_put(struct export_dir *d, struct str path, struct str bytes, struct err *err);

/* A symbolic link, whose target is relative to where it stands. */
bool export_dir_link(struct export_dir *d, struct str path, struct str target, struct err *err);

/* A file in pieces: one at a time. */
bool export_dir_begin(struct export_dir *d, struct str path, struct err *err);
bool export_dir_add(struct export_dir *d, struct str bytes, struct err *err);
bool export_dir_end(struct export_dir *d, struct err *err);

/* Everything is there. Durable when it returns. Frees it in any case. */
bool export_dir_commit(struct export_dir *d, struct err *err);
/* Nothing was: what was made is removed, except for files that were put into a directory that was there. */
void export_dir_abort(struct export_dir *d);

#endif
