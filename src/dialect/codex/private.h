/*
 * What one line of Codex says, by kind of file. Lines cannot be understood alone: what an event means for its run
 * is decided in order, by fold.c, which the hints of events tell what it needs to know.
 */
#ifndef DIALECT_CODEX_PRIVATE_H
#define DIALECT_CODEX_PRIVATE_H

#include "dialect/reading/reading.h"

enum codex_what {
	CODEX_OTHER,
	CODEX_SESSION, /* RUN_START: of a rollout */
	CODEX_TOKENS,  /* COST: the usage of the latest call of the model; `text` is the total so far, as JSON */
	CODEX_ITEM,    /* CALL, RESULT: the id is that of an item of the thread */
	CODEX_PIECE,   /* NOTE: `call` has printed `text` since the last one */
	CODEX_WHOLE,   /* NOTE: `call` has printed `text` in all */
};

/* The hint of an event. p NULL: none. */
struct codex_hint {
	enum codex_what what;
	enum run_status status; /* any: how the turn ended */
	uint64_t digest;        /* STEP, MESSAGE, and NOTE that is shown: of its text; 0: none */
	bool shown, waited;     /* NOTE: goes when an item says the same; it has waited (the fold's) */
	struct str forked_from; /* RUN_START: a thread */
	struct str turn, model; /* NOTE: its turn; the model from now on */
	struct str call, text;
	struct str response; /* COST of tokens: the answer they are of */
	/* NOTE that ends a call: for its result, and for the call */
	uint8_t is_error; /* enum truth */
	struct amount duration_ms;
	struct figure exit_code;
	struct str tool, server;
};

/*
 * The hint of an event, to be filled in, with what it says already. It lives in the batch, and is good until the next
 * call for the same event.
 */
struct codex_hint *codex_hint_add(struct reading *r, struct event *e);

/* The hint of an event of Codex; one that says nothing when it has none. */
const struct codex_hint *codex_hint_of(const struct event *e);

/*
 * The tokens of a turn or of a call of the model, as both logs name them; taken. All are absent where v is no object.
 */
void codex_read_usage(struct reading *r, struct val v, struct usage *u);

/* How well a line fits either log: 0 to 100, as in struct dialect. Nothing is marked. */
int codex_rollout_fits(struct val v);
int codex_exec_fits(struct val v);

/* Add the events of a line of either log. A line that nobody knows becomes a NOTE with all of it. */
void codex_rollout_read(struct reading *r, struct val v);
void codex_exec_read(struct reading *r, struct val v);

#endif
