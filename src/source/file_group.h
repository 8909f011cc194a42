/*
 * Which files belong together, and in which order they are to be read.
 *
 * A Claude Code session S.jsonl has its sub-agents in files of their own: S/subagents/agent-*.jsonl, in older
 * versions agent-*.jsonl beside it whose lines name the session. They follow the session, in byte order.
 *
 * An OpenHands conversation is a directory: base_state.json, then events/event-<number>-<id>.json by their numbers.
 * Whoever gives the state or the first event gives all of it.
 *
 * An evaluation of verifiers is metadata.json, the settings, and results.jsonl beside it; or both behind the same stem,
 * "math.metadata.json" and "math.results.jsonl".
 *
 * Each of these is a row of a table in file_group.c: which file leads, which may follow, and all of them in order.
 *
 * Of a zip archive that is an Inspect log the header comes first (the journal's start when the log broke off
 * before there was one), then the samples in byte order; what only sums these up is left out. Any other archive
 * gives what a directory walk would take from it, each member by itself.
 */
#ifndef SOURCE_FILE_GROUP_H
#define SOURCE_FILE_GROUP_H

#include "source/walk.h"
#include "source/zip.h"

/* Puts files that belong together one behind the other and numbers all anew. */
struct walk_item *file_group_join(struct arena *a, const struct source_io *io, enum source_shape shape,
				  struct walk_item *list);

/*
 * The members of an archive to read, as items in place of `archive`, ending where that ended; NULL when there are
 * none. *file_group is the next free number. Entries are borrowed from the zip.
 */
struct walk_item *file_group_members(struct arena *a, const struct zip *z, enum source_shape shape,
				     const struct walk_item *archive, uint64_t *file_group);

#endif
