/*
 * Which files belong together, and in which order they are to be read.
 *
 * A Claude Code session S.jsonl has its sub-agents in files of their own: S/subagents/agent-*.jsonl, in older
 * versions agent-*.jsonl beside it whose lines name the session. They follow the session, in byte order.
 *
 * Of a zip archive that is an Inspect log the header comes first (the journal's start when the log broke off
 * before there was one), then the samples in byte order; what only sums these up is left out. Any other archive
 * gives what a directory walk would take from it, each member by itself.
 */
#ifndef SOURCE_FILE_GROUP_H
#define SOURCE_FILE_GROUP_H

#include "source/walk.h"
#include "source/zip.h"

/* Puts the files of sub-agents behind their sessions and numbers all anew. */
struct walk_item *file_group_sessions(struct arena *a, const struct source_io *io, enum source_shape shape,
				      struct walk_item *list);

/*
 * The members of an archive to read, as items in place of `archive`, ending where that ended; NULL when there are
 * none. *file_group is the next free number. Entries are borrowed from the zip.
 */
struct walk_item *file_group_members(struct arena *a, const struct zip *z, enum source_shape shape,
				     const struct walk_item *archive, uint64_t *file_group);

#endif
