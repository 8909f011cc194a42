/* What a file is, by its beginning, before anybody reads it. */
#ifndef FLOW_LOG_LOOK_H
#define FLOW_LOG_LOOK_H

#include "dialect/dialect.h"
#include "source/source.h"

/*
 * The format of the first file at `path` by its first chunk, or NULL when that does not tell. *is_archive: it is a
 * member of an archive, of which another may tell. `io` may be NULL; standard input is read from, so who wants it
 * afterwards gives one that can be read again (source/again.h). False and *err when it cannot be read.
 */
bool log_look(struct str path, const struct source_io *io, const struct dialect **out, bool *is_archive,
	      struct err *err);

#endif
