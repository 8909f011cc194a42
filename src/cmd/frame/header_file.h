/* Headers of a request that a user keeps in a file, because secrets do not belong on a command line. */
#ifndef CMD_FRAME_HEADER_FILE_H
#define CMD_FRAME_HEADER_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "net/http/http.h"

/*
 * The file of --header-file: lines 'Name: value'; blank lines and those that begin with '#' are passed over. The list
 * lives in the arena. No path (p NULL) leaves both as they are. False and *err, which shows no value, otherwise.
 */
bool header_file_read(struct arena *a, struct str path, const struct http_header **headers, size_t *count,
		      struct err *err);

#endif
