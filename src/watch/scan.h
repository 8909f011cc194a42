/*
 * A walk over the files below a directory that goes on where it stopped, so that a server can answer in between. Links
 * to files are followed, links to directories are not: they may lead back up. Nothing is opened but directories.
 */
#ifndef WATCH_SCAN_H
#define WATCH_SCAN_H

#include <dirent.h>

#include "base/buf.h"

#define SCAN_DIRS 65536 /* that wait to be listed at once; more are left out */

struct scan_file {
	struct str path; /* terminated; until the next call */
	uint64_t device, number;
	uint64_t size;
	int64_t changed_ns, status_ns; /* st_mtime and st_ctime, since 1970 */
};

struct scan {
	uint64_t left_out; /* directories, since scan_begin */
	int root_errno;    /* why the directory given could not be listed, else 0 */
	/* scan.c's own */
	const char *root;
	char **todo; /* paths of directories, on the heap */
	size_t count, cap;
	DIR *dir; /* that is being listed; NULL: none */
	char *dir_path;
	struct buf path;
};

enum scan_next {
	SCAN_FILE,
	SCAN_OTHER, /* a step without a file, for those who count steps */
	SCAN_END,
};

/* `root` is terminated and must live as long. */
void scan_init(struct scan *s, const char *root);
void scan_free(struct scan *s);

/* From the root again. */
void scan_begin(struct scan *s);

/* The next step. SCAN_FILE: *out is a regular file whose name scan_wants. */
enum scan_next scan_next(struct scan *s, struct scan_file *out);

/*
 * Names that end in .jsonl, and names under which log rotation keeps such a file: .jsonl.1, .jsonl-20261118. Not the
 * packed ones.
 */
bool scan_wants(struct str name);

#endif
