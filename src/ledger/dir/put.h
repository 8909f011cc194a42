/*
 * Files of a log, several at once: everything is written and synced before the first gets its name, and their
 * directories are synced once, after the last. For a few files that is a sync for each; for many, one of the file
 * system does it.
 */
#ifndef LEDGER_DIR_PUT_H
#define LEDGER_DIR_PUT_H

#include "ledger/dir/private.h"

struct dir_put {
	struct str tmp, path;
};

struct dir_puts {
	struct log_dir *log;
	struct arena arena;
	const char *tmp_dir; /* below the log's directory, of the same file system as the files */
	int dir_fd;          /* of tmp_dir, held open until all is done */
	bool together;       /* one sync for all */
	struct dir_put *list;
	size_t count, cap, named;
	struct map dirs; /* touched */
};

/* Directories that hold something published, or were made with the log, are known to be on the disk. */
void dir_know_durable(struct log_dir *d, struct str path);
void dir_know_tile(struct log_dir *d, const struct tile *t); /* that of a tile, unless the file has gone */

/*
 * Opens tmp_dir and decides, by the number of files expected, how they are synced. False with *err, and nothing to
 * free, when it cannot be opened. Afterwards one of dir_puts_end and dir_puts_abort must be called.
 */
bool dir_puts_begin(struct dir_puts *p, struct log_dir *d, const char *tmp_dir, size_t expected, struct err *err);
/*
 * Writes a temporary file that gets its name in dir_puts_end. `name` is below the log's directory; directories on the
 * way are made. What is there already is replaced. False with ERR_IO: abort then.
 */
bool dir_puts_add(struct dir_puts *p, struct str name, struct str bytes, unsigned mode, struct err *err);
/*
 * The directory of a name is to be synced, although the file is there already. It is made when absent. ERR_IO: abort.
 */
bool dir_puts_touch(struct dir_puts *p, struct str name, struct err *err);
/* Everything is durable, or (false) perhaps only in part; frees in either case. */
bool dir_puts_end(struct dir_puts *p, struct err *err);
/* Removes the files that have no name yet, and frees. Those that have theirs stay: they are right. */
void dir_puts_abort(struct dir_puts *p);

#endif
