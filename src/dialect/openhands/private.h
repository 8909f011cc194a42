/* The two generations of OpenHands' events, and what value() tells the fold. */
#ifndef DIALECT_OPENHANDS_PRIVATE_H
#define DIALECT_OPENHANDS_PRIVATE_H

#include "dialect/reading/reading.h"

/* The hint of events. */
struct openhands_hint {
	bool begins;       /* RUN_START: a run of its own, whatever came before it in the file */
	bool v1;           /* of a conversation, whose end is where its files end */
	struct str metric; /* COST: a sum so far, under this name; the latest counts */
	struct str status; /* the state that the conversation was in from here on; p NULL: it says nothing of it */
};

/* A hint for the event, all zero; in the batch. */
struct openhands_hint *openhands_hint_add(struct reading *r, struct event *e);

/* A NOTE with all of a value, under this name. */
struct event *openhands_add_note(struct reading *r, struct val v, struct str role);

/* Tokens as OpenHands counts them, taken: what was cached is part of the prompt. */
struct usage openhands_read_tokens(struct reading *r, struct val usage);

/* The text of a member that is a text, or an object or a list of parts with texts; taken. p NULL when there is none. */
struct str openhands_read_words(struct reading *r, struct val object, struct str name);

/* ---- V0 ---- */

/* Whether it is an event of V0, whole or (of the resolver's logs) flat: with a word for what was done or seen. */
bool openhands_is_v0(struct val event);

/*
 * A run: a list of events or of [action, observation] pairs. `root` is what holds the list, or the list itself.
 * RUN_START to RUN_END; what no event holds stays with RUN_START.
 */
void openhands_read_v0(struct reading *r, struct val root, struct val list);

/* ---- V1 ---- */

/* How well it fits an event of V1, or the state of a conversation: 0 to 100. */
int openhands_fits_v1(struct val v);

/* One event, or the state. */
void openhands_read_v1(struct reading *r, struct val v);

#endif
