/*
 * Volatile values of the two runs, and which one of this run stands for which of the recorded one: one for one, for
 * the whole run. A value that a run knew from its inputs, or from an answer before it asked with it, is foreign: it
 * was not made up by this run, and must be the same in both.
 */
#ifndef REPLAY_TIES_H
#define REPLAY_TIES_H

#include "base/map.h"

enum ties_side { TIES_RECORDED, TIES_LIVE, TIES_SIDES };

struct ties_value {
	struct str text;
	size_t other; /* its value on the other side, plus 1; 0: none yet */
	bool is_foreign;
	bool is_asked; /* live: it stood in a question before any answer had it */
	int64_t asked_us, answered_us; /* recorded: the first time; INT64_MAX: never */
	uint64_t asked_x, answered_x;  /* and the entries */
};

struct ties {
	struct arena *arena;
	struct map names[TIES_SIDES];
	struct ties_value *values[TIES_SIDES];
	size_t count[TIES_SIDES], cap[TIES_SIDES];
	size_t changed; /* ties of values that differ */
};

/* An empty one; everything in it is in the arena. */
void ties_init(struct ties *t, struct arena *a);

/* The number of a value, which is new or known. Pointers to values last until the next call. */
size_t ties_add(struct ties *t, enum ties_side side, struct str text);

/* The value of a text; NULL when it is not known. */
struct ties_value *ties_find(const struct ties *t, enum ties_side side, struct str text);

/*
 * Ties values in their order, all or none: false when one of them is tied to another one already. With `loose` that is
 * allowed of times: what happened in one second of the recorded run may take two of this one.
 */
bool ties_join(struct ties *t, const size_t *recorded, const size_t *live, size_t count, bool loose);

/* What stands in this run for a recorded text: itself when nothing does. */
struct str ties_live_of(const struct ties *t, struct str recorded);

#endif
