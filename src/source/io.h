/*
 * The system calls a source makes to read, as a table, so that a test can stand in for the disk and
 * fail any one of them, and bytes in memory can stand in for a file. Nothing else in this room opens
 * or reads a file (directories are listed in walk.c).
 *
 * Every function gets `context` first and gives a negative errno value when it fails.
 */
#ifndef SOURCE_IO_H
#define SOURCE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct source_look {
	bool dir;
	bool regular;  /* a file with a size, which never keeps a reader waiting */
	uint64_t size; /* of a regular file */
	int64_t mtime_ns; /* when it was last written to; 0 when that is not known */
	uint64_t device, number; /* which it is, whatever its name; 0 and 0 when that is not known */
};

struct source_io {
	void *context;
	/* What is at `path`, links followed. 0 or negative. */
	int (*look)(void *context, const char *path, struct source_look *out);
	/* A handle for the next calls, or negative. "-" is standard input. *out is what was opened. */
	int (*open)(void *context, const char *path, struct source_look *out);
	/* At most n bytes; 0 at the end. May give -EINTR: the caller tries again. */
	ssize_t (*read)(void *context, int handle, void *into, size_t n);
	/* True when read would not wait for a writer. Only asked when the handle is not a regular file. */
	bool (*ready)(void *context, int handle);
	void (*close)(void *context, int handle);
	/* As read, at `offset`, which moves nothing. Only asked of regular files; NULL where that cannot be done. */
	ssize_t (*read_at)(void *context, int handle, void *into, size_t n, uint64_t offset);
};

/* The real one. Lives for ever. */
const struct source_io *source_io_system(void);

#endif
