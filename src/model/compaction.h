/*
 * What a model could no longer see. An agent whose context is full replaces its history by a summary, or takes old
 * results out of it. A log says that this happened; which results were in sight until then is found here, once for all
 * formats: from the results that were put out in the same branch before.
 *
 * The note that comes out has the role "compaction" and this content, in which null is "not known":
 * {"derived":["results_hidden"],"from_ts":"...","kept":0,"messages_hidden":null,"post_tokens":null,"pre_tokens":156611,
 *  "results_hidden":41,"trigger":"auto","until_ts":"..."}
 */
#ifndef MODEL_COMPACTION_H
#define MODEL_COMPACTION_H

#include "base/buf.h"
#include "base/map.h"
#include "model/event.h"

#define COMPACTION_ROLE "compaction"
#define COMPACTION_HIDDEN "results_hidden"
#define COMPACTION_FROM "from_ts"
#define COMPACTION_AGAIN "refetched" /* role of the note of how many hidden results were asked for again */
#define COMPACTION_CALLS "calls"     /* in its content: how many */

/* What a log says of one. */
struct compaction {
	struct str trigger;                     /* "auto", "manual"; p NULL when it is not told */
	struct figure before, after, messages;  /* tokens; messages that were replaced */
	struct figure total;                    /* results taken out of the context so far, the oldest first */
	const struct str *calls;                /* of the results taken out; NULL: all that are in sight */
	size_t call_count;
	bool stay;                              /* these stay, and all others are taken out */
};

/* A copy in the arena, with all its texts. */
struct compaction *compaction_copy(struct arena *a, const struct compaction *c);

/* The results of a run that are in sight, by branch. Zeros and compactions_begin make one. */
struct compactions {
	struct arena arena;
	struct map branches, calls; /* struct sight; place in the list + 1 */
	struct map hidden;          /* what hidden results were asked for by: digests */
	struct seen_result *list;
	size_t count, cap;
	uint64_t refetched;         /* hidden results that were asked for again, with the same arguments */
};

/* Empties it for a run. */
void compactions_begin(struct compactions *c);
void compactions_free(struct compactions *c);

/* Sees an event that goes out: calls, results and answers count. */
void compactions_see(struct compactions *c, const struct event *e);

/*
 * The content of the note about the compaction in e->compaction, in `out`, which is emptied first; what it hides is
 * out of sight then. False, and nothing is to be said, when a compaction was told just before and no model has
 * answered since: it is the same one, in other words.
 */
bool compactions_tell(struct compactions *c, const struct event *e, struct buf *out);

/*
 * For people: how many results, from when on. `from` (n 0: not known) is a time. "after this compaction the model could
 * no longer see 41 tool results, the first of 10:02:11"
 */
void compaction_say(struct buf *out, struct figure hidden, struct str from);

#endif
