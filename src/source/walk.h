/*
 * From the paths a user gave to the list of inputs to read. Directories are entered here and now, so
 * the list is complete before the first byte is read.
 */
#ifndef SOURCE_WALK_H
#define SOURCE_WALK_H

#include "source/io.h"
#include "source/source.h"

struct zip_entry;

struct walk_item {
	struct walk_item *next;
	struct input input;        /* its name is a terminated path or "-" */
	struct source_look look; /* as it was when the list was made */
	int refused;             /* errno of a directory that could not be listed, else 0 */
	bool outside;            /* a link that leads out of the directory, which the options forbid */
	const struct zip_entry *entry; /* of the archive that is open; NULL for a file */
};

/*
 * Files below a directory come in the byte order of their paths. Links to files are followed (with
 * `inside` only where they stay in the directory), links to directories are not (they may lead back up), pipes
 * and sockets are left out. A directory that cannot be listed becomes an item with `refused` set. False when a
 * given path does not exist. Of `how` the shape, `file_groups` (names ending in .eval, .sse, .traj and .log are taken
 * too), `except`, `inside` and `enter` matter. When `enter` passed over a directory, there may be no item at all.
 */
bool walk_paths(struct arena *a, const struct source_io *io, const struct str *paths, size_t count,
		const struct source_options *how, struct walk_item **out, struct err *err);

/* An item for a file that was not walked to; its index and file group are the caller's to set. */
struct walk_item *walk_item_new(struct arena *a, enum source_shape shape, struct str path);

/*
 * A name that a directory walk takes, and one that SOURCE_AUTO reads by lines. By its end alone, with or without .gz or
 * .zst behind it.
 */
bool walk_is_wanted(struct str name);
bool walk_is_lines(struct str name);

#endif
