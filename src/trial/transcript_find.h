/* Which transcript belongs to a directory or to a trial record. */
#ifndef TRIAL_TRANSCRIPT_FIND_H
#define TRIAL_TRANSCRIPT_FIND_H

#include "base/arena.h"
#include "base/err.h"
#include "dialect/dialect.h"
#include "trial/transcript.h"

/* A file that is there, in the arena, and what it must be; `as` NULL: there is none. */
struct transcript_found {
	struct str path;
	const struct dialect *as;
};

/*
 * False when `path` is neither a directory nor the agent-trace.jsonl of one: it must be looked into then. *out is the
 * directory's trajectory.jsonl, else its conversation.jsonl.
 */
bool transcript_find_in_directory(struct arena *a, struct str path, struct transcript_found *out);

/*
 * What the record at `path` names: its trajectory, else its conversation; and what it says of the trial. False and *err
 * when the record cannot be read; "-" cannot be read a second time.
 */
bool transcript_find_by_record(struct arena *a, struct str path, struct transcript_found *out,
			       struct transcript_record *record, struct err *err);

#endif
