/*
 * Whole files and durable writes. Every failure names the path and says what the system said.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/*
 * The whole file in the arena, up to `limit` bytes (ERR_LIMIT beyond). "-" is not special here. False leaves *out as it
 * was; ERR_IO says what the system refused.
 */
bool file_read(struct arena *a, struct str path, size_t limit, struct str *out, struct err *err);

/*
 * A read-only mapping; file_unmap gives it back. An empty file gives an empty string. False, and *out as it was, for
 * what is not a regular file. The bytes change with the file, and are gone when it is cut short.
 */
bool file_map(struct str path, struct str *out, struct err *err);
/* The same of a file that is open and stays open; the path is for the message. */
bool file_map_fd(int fd, struct str path, struct str *out, struct err *err);
void file_unmap(struct str mapped);

/*
 * All of it, whatever the number of short writes; EINTR is retried, and a non-blocking descriptor
 * waited for. The caller knows what the descriptor is and adds it with err_context.
 */
bool file_write_all(int fd, struct str bytes, struct err *err);

/*
 * Atomic replacement: a temporary file in the same directory, fsync, rename, fsync of the directory.
 * After a failure the old file is untouched and the temporary one is gone; only when the very last
 * step fails, the new file is in place but may not survive a power cut. A symbolic link is followed,
 * and a device or pipe is written to, not replaced. `mode` is for a new file, less the umask; an old
 * one keeps its own. /dev/stdout, /dev/stderr and /dev/fd/N are written to where they stand.
 */
bool file_replace(struct str path, struct str bytes, unsigned mode, struct err *err);

/* The same with the bytes written by `write`, which sets its own error; for more than memory holds. */
bool file_replace_by(struct str path, bool (*write)(void *context, int fd, struct err *err), void *context,
		     unsigned mode, struct err *err);

/*
 * Likewise, but nothing is synced: after a power cut the file may be there without its bytes. For many files that are
 * worth nothing one by one, with file_sync_all once they are all there.
 */
bool file_replace_later_by(struct str path, bool (*write)(void *context, int fd, struct err *err), void *context,
			   unsigned mode, struct err *err);

/* Brings everything that was written to the file system of this directory to the disk. */
bool file_sync_all(struct str path_of_dir, struct err *err);

/*
 * Likewise in a directory that is open, for places where others can plant something: whatever has the name is replaced
 * itself, be it a link, a pipe or a device, and never followed or opened (a directory is an error). The mode is `mode`,
 * less the umask, also when there was a file. The name has no slash.
 */
bool file_place(int dir, struct str name, struct str bytes, unsigned mode, struct err *err);
bool file_place_by(int dir, struct str name, bool (*write)(void *context, int fd, struct err *err), void *context,
		   unsigned mode, struct err *err);
/* The same without a sync: for many files, with file_sync_all once they are there. */
bool file_place_later(int dir, struct str name, struct str bytes, unsigned mode, struct err *err);

/*
 * A file that somebody still writes. Writers share the claim, and it ends with the last of them, however they end.
 * Where the file system knows no locks, a file is never claimed.
 */
void file_claim(int fd);
bool file_is_claimed(struct str path);

/* Whether there is a directory of this name, or a link to one. */
bool file_is_dir(struct str path);

/*
 * Makes every directory of the path that is absent, with `mode` less the umask. *there, unless `there` is NULL, gets
 * how much of the path existed: path.n when nothing was made, 0 when all was. False and *err when one cannot be made;
 * those made stay. What is no directory is an error with ENOTDIR, and then *there ends behind its name.
 */
bool file_make_dirs(struct str path, unsigned mode, size_t *there, struct err *err);

/* Makes the names in a directory durable. A file system that cannot do that is not an error. */
bool file_sync_dir(struct str path_of_dir, struct err *err);

#endif
