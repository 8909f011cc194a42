/*
 * The plain files below a directory that somebody else may have filled: a task, or the workspace that an agent left. No
 * name leads out of it: every file is opened beneath the directory, and no symbolic link is followed on the way
 * (openat2). What is no plain file, or is beyond a limit, is not taken, and named.
 */
#ifndef TRIAL_RUN_TREE_H
#define TRIAL_RUN_TREE_H

#include "base/arena.h"
#include "base/crypto/sha256.h"
#include "base/err.h"

#define TREE_DEPTH 64

struct tree_limits {
	uint64_t file_bytes, bytes; /* of one file, of all that are taken; 0: no limit */
	size_t files;               /* likewise */
};

struct tree_file {
	struct str name; /* relative, parts joined by '/' */
	uint64_t size;
	bool executable;
	struct digest digest;
};

/* What was not taken, and why: "is a symbolic link". */
struct tree_left {
	struct str name;
	const char *why;
	bool is_link;
};

struct tree {
	struct tree_file *files; /* in the order of the bytes of their names */
	size_t count, cap;
	struct tree_left *left;
	size_t left_count, left_cap;
	uint64_t bytes;
};

/*
 * Lists the files below the directory with their digests. Python's caches (__pycache__, *.pyc) are passed over. False
 * and *err (ERR_IO) when the directory itself, or a file in it, cannot be read. Everything lives in the arena.
 */
bool tree_read(struct arena *a, struct str dir, const struct tree_limits *limits, struct tree *out, struct err *err);

/* The file of this name; NULL. */
const struct tree_file *tree_find(const struct tree *t, struct str name);

/* Opens one plain file beneath the directory. -1 and errno when there is none, or a link is on the way. */
int tree_open(struct str dir, struct str name);

/* All of one file, up to `limit` bytes, in the arena; p NULL when there is none that can be read, or it is longer. */
struct str tree_read_file(struct arena *a, struct str dir, struct str name, size_t limit);

/* The same, but of a longer one its first `limit` bytes; *is_longer tells. */
struct str tree_read_first(struct arena *a, struct str dir, struct str name, size_t limit, bool *is_longer);

/* Adds the bytes of a file to the digests. False and *err when it cannot be read. */
bool tree_feed(struct str dir, struct str name, struct sha256 *const *to, size_t count, struct err *err);

/*
 * Copies a file into another directory under a name, whose directories are made; *copied is what was written. The new
 * file must not be there. False and *err (ERR_IO) when it cannot be read or written.
 */
bool tree_copy(struct arena *a, struct str from, const struct tree_file *f, struct str to, struct str name,
	       struct digest *copied, struct err *err);

/* The path from the root, links followed, in the arena; p NULL when there is nothing. */
struct str tree_real_path(struct arena *a, struct str path);

/*
 * Makes a directory and all below it ours, with the owner's rights to read and write, whatever whoever filled it has
 * taken away; no file keeps the right to change the user of who starts it. Nobody else may be at work there. The path
 * ends with a NUL. False when there is no directory of this name, but a link, say.
 */
bool tree_own(struct str dir);

/* Removes a directory with all in it. What cannot be removed stays. The path ends with a NUL. */
void tree_remove(struct str dir);

#endif
