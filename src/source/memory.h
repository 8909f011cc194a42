/*
 * Files that are only bytes in memory, behind the same table as those of the system: for programs
 * that already hold what they want to read, and for tests. One is open at a time.
 */
#ifndef SOURCE_MEMORY_H
#define SOURCE_MEMORY_H

#include <stddef.h>

#include "base/str.h"
#include "source/io.h"

struct memory_file {
	struct str path, bytes;
};

struct memory {
	const struct memory_file *files; /* the caller's, like the bytes they point to */
	size_t count;
	size_t at; /* in the file that is open */
};

/* A table that serves m->files; *m must stay where it is as long as the table is in use. */
struct source_io memory_io(struct memory *m);

#endif
