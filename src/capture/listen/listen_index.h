/*
 * Which run something belongs to, by digests: of names, sessions, traces, beginnings of conversations, answers, ids,
 * texts that a model gave to a tool. Digests are of all runs that are open; a run that is closed takes its own away.
 */
#ifndef CAPTURE_LISTEN_LISTEN_INDEX_H
#define CAPTURE_LISTEN_LISTEN_INDEX_H

#include "capture/observe/observation.h"
#include "model/sighting.h"

#define LISTEN_INDEX_MARKS 4096 /* of one run: the oldest are forgotten, so that a run of days stays small */

struct listen_mark;

/* What a run has in the index. All zero at first; part of the run's own struct. */
struct listen_marks {
	struct listen_mark *oldest, **last;
	size_t count;
};

struct listen_index {
	struct listen_mark **buckets;
	size_t mask, count; /* mask: their number, a power of two, less one */
};

void listen_index_init(struct listen_index *x);
void listen_index_free(struct listen_index *x); /* when all runs have left */

/* The digest means this run; of several runs that it means the latest counts. */
void listen_index_add(struct listen_index *x, struct listen_marks *run, uint64_t digest);

/* The run of a digest; NULL: none. *several, which may be NULL: others have it, too. */
struct listen_marks *listen_index_find(const struct listen_index *x, uint64_t digest, bool *several);

/* The run is closed. */
void listen_index_leave(struct listen_index *x, struct listen_marks *run);

/* ---- digests ---- */

enum listen_key {
	LISTEN_NAME = 1, LISTEN_SESSION, LISTEN_TRACE, LISTEN_ANSWER, LISTEN_TEXT, LISTEN_TALK, LISTEN_REPLY, LISTEN_ID
};

/* Never 0. */
uint64_t listen_index_key(enum listen_key kind, uint64_t digest);

/*
 * The run that a request goes on from, by its messages: the longest beginning that was asked before, or the answer that
 * it says it follows. Clients with other keys are kept apart. NULL: none is known.
 */
struct listen_marks *listen_index_goes_on(const struct listen_index *x, const struct observation *s);

/* Notes a request, and when it is over what may follow from it. */
void listen_index_asked(struct listen_index *x, struct listen_marks *run, const struct observation *s);
void listen_index_answered(struct listen_index *x, struct listen_marks *run, const struct observation *s);

/* The one run that has an answer with an id that is told here: its own, or that of a call. NULL: none, or several. */
struct listen_marks *listen_index_seen(const struct listen_index *x, const struct sighting *s);

/* The one run in which a tool was given the text that a conversation begins with. NULL: none, or several. */
struct listen_marks *listen_index_told(const struct listen_index *x, const struct observation *s);

#endif
