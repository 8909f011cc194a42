/*
 * Compactions in the logs of agents: how a dialect says that here is one, and how a check counts what it hides. What
 * it means for a run is found by the assembler (model/compaction.h).
 */
#ifndef DIALECT_SESSION_COMPACTION_H
#define DIALECT_SESSION_COMPACTION_H

#include "dialect/reading/reading.h"
#include "dialect/session/marks.h"
#include "model/compaction.h"

/*
 * A NOTE behind the events so far that says: a compaction, of the same time, branch and parent as `at`, which may be
 * one of the reading's events.
 */
void compaction_add(struct reading *r, const struct event *at, struct compaction c);

/* The ids in a list of strings, for struct compaction, in the batch; never NULL. They are looked at only. */
const struct str *compaction_calls(struct reading *r, struct val list, size_t *count);

/* ---- for checks ---- */

/* What is in sight in the main line of a log. Zeros are a beginning. */
struct mark_sight {
	uint64_t results;
	int64_t first_ms; /* of the first result in sight; has_first: it is known */
	bool has_first;
	bool begun;       /* a model answered, or a tool did */
	bool settled;     /* nothing came since the last compaction */
};

/* A result, of this time when there is one; and an answer of the model. */
void mark_sight_result(struct mark_sight *s, bool has_time, int64_t ms);
void mark_sight_answer(struct mark_sight *s);

/*
 * The mark at hand is a compaction: a finding of the rule. Its n is how many results it takes out of sight, -1 for all.
 * One that is told twice is one.
 */
void mark_sight_compact(struct mark_sight *s, struct record_fold *f, const struct marks_walk *w, unsigned rule);

#endif
