/*
 * The door to the disk. Everything the ledger writes, syncs, names or locks goes through one table of functions, so
 * that tests can stand in for a disk that loses what was not synced, is full, or fails.
 *
 * Functions give 0 (or a count, or a descriptor) when they did it, and -errno when they did not. None of them retries
 * or loops: io_write_all and its like below do. Paths are terminated; descriptors are the table's own numbers.
 */
#ifndef LEDGER_IO_H
#define LEDGER_IO_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum io_open {
	IO_READ,
	IO_WRITE,  /* must exist */
	IO_CREATE, /* for reading and writing; made when absent */
	IO_NEW,    /* for writing; must not exist */
	IO_DIR,    /* a directory, to sync it */
};

struct io_stat {
	uint64_t inode, size, links;
	uint64_t device; /* that the inode is a number of */
	int64_t mtime_ns; /* by stat only; stat_fd gives 0 */
	unsigned mode;
	bool is_dir;
};

/* `at` is in bytes from the beginning of the file: nothing here has a position of its own. */
struct io_ops {
	int (*open)(void *own, const char *path, enum io_open how, unsigned mode);
	void (*close)(void *own, int fd);
	int64_t (*read)(void *own, int fd, void *p, size_t n, uint64_t at); /* 0 at the end */
	int64_t (*write)(void *own, int fd, const void *p, size_t n, uint64_t at); /* perhaps less than n */
	int (*truncate)(void *own, int fd, uint64_t size);
	int (*sync)(void *own, int fd);      /* a file's bytes and size, or a directory's names; final when it fails */
	int (*sync_all)(void *own, int fd);  /* everything of the file system that fd is on; -ENOTSUP: cannot tell */
	int (*stat_fd)(void *own, int fd, struct io_stat *out);
	int (*stat)(void *own, const char *path, struct io_stat *out);
	int (*lock)(void *own, int fd, bool wait); /* exclusive, of the open file description; -EWOULDBLOCK */
	int (*unlock)(void *own, int fd);
	int (*rename)(void *own, const char *from, const char *to); /* replaces */
	int (*link)(void *own, const char *from, const char *to);   /* -EEXIST */
	int (*symlink)(void *own, const char *to, const char *path); /* -EEXIST */
	bool (*is_link)(void *own, const char *path); /* a symbolic one; NULL: this disk has none */
	int (*unlink)(void *own, const char *path);
	int (*mkdir)(void *own, const char *path, unsigned mode); /* -EEXIST */
	int (*rmdir)(void *own, const char *path);
	/* Names in a directory, "." and ".." left out; stops when `each` gives false. */
	int (*list)(void *own, const char *path, bool (*each)(void *context, const char *name), void *context);
	/* The file system of a path: its name when it is one over a network or FUSE, else NULL. */
	const char *(*network)(void *own, const char *path);
	int64_t (*now_ns)(void *own); /* wall clock: the age of leftovers */
};

struct io {
	const struct io_ops *ops;
	void *own;
};

extern const struct io io_system; /* the real disk */

/* ---- what everybody needs; errors name the path and say what the system said ---- */

/* A descriptor, to be closed with io_close, or -errno. Retries what was interrupted. */
int io_open(const struct io *io, const char *path, enum io_open how, unsigned mode);
void io_close(const struct io *io, int fd);

/* Whether the name is a symbolic link; false when it is not there, or this disk has none. */
bool io_is_link(const struct io *io, const char *path);

/*
 * The whole file, in the arena. *found (may be NULL) false and true returned when it is not there; without `found`
 * that is an error. ERR_LIMIT when it has more than `limit` bytes, ERR_IO when it is a directory or cannot be read,
 * ERR_DATA when it shrinks meanwhile; *out is untouched then.
 */
bool io_read_file(const struct io *io, struct arena *a, const char *path, size_t limit, struct str *out, bool *found,
		  struct err *err);
/* Exactly n bytes from `at`. ERR_DATA when the file ends before, ERR_IO when it cannot be read. */
bool io_read_all(const struct io *io, int fd, void *p, size_t n, uint64_t at, const char *path, struct err *err);
/* All bytes, at `at`, however many writes it takes. After a failure (ERR_IO) some may be written. */
bool io_write_all(const struct io *io, int fd, struct str bytes, uint64_t at, const char *path, struct err *err);
/* The bytes of a file, or the names of a directory, to the disk. A failure (ERR_IO) is final: never try again. */
bool io_sync(const struct io *io, int fd, const char *path, struct err *err);
bool io_sync_dir(const struct io *io, const char *dir, struct err *err);

/*
 * Makes the directory and those above it that are absent, below and not including `base`. The parent of each is
 * synced, of those that were there too: see io.c. ERR_USAGE when `dir` is not below `base`, ERR_IO when one cannot be
 * made or synced; those above it may be there then.
 */
bool io_make_dirs(const struct io *io, const char *base, const char *dir, unsigned mode, struct err *err);

/*
 * Writes a temporary file in the same directory, syncs it, renames it over `path`; the directory is the caller's to
 * sync, since often several names change in it. With keep_if_same, a file that already has these bytes is left alone.
 * False with ERR_IO: the old file stays as it was, and the temporary one is removed.
 */
bool io_put(const struct io *io, const char *path, struct str bytes, unsigned mode, bool keep_if_same, struct err *err);

/* Names of temporary files begin with this; a process id and a counter follow. */
#define IO_TMP ".tmp"
#define IO_TMP_PATH 4096

/*
 * A new, empty temporary file in the directory, open for writing; the caller closes *fd and renames or removes the
 * path in `out`. `from` is the first counter that is tried: whoever makes many gives each its own. ERR_IO when it
 * cannot be made, or 10000 counters in a row are taken.
 */
bool io_new_tmp(const struct io *io, struct str dir, unsigned mode, unsigned from, char out[IO_TMP_PATH], int *fd,
		struct err *err);

#endif
