/*
 * How a thread of Codex ended. A log says it of each turn, where it says it at all: one that broke off in the middle of
 * a turn, or before anything was answered, was interrupted, whatever the turns before it came to.
 */
#ifndef DIALECT_CODEX_TURN_H
#define DIALECT_CODEX_TURN_H

#include "model/event.h"

struct codex_turn {
	enum run_status status; /* what the log says of the latest turn; STATUS_UNKNOWN when it says nothing */
	bool open;     /* a turn was begun, and did not end */
	bool answered; /* the model said something, and nothing was asked or done since */
};

/*
 * The next event of the thread's own, in order. `ended` is how the turn ended, if the event says so, else
 * STATUS_UNKNOWN.
 */
void codex_turn_follow(struct codex_turn *t, const struct event *e, enum run_status ended);

/*
 * The end of the run: its status is unknown when nothing speaks against a success. STATUS_INTERRUPTED, flagged
 * EVENT_INFERRED, when a turn is open or nothing was answered. The event has no text, and so nothing to free.
 */
struct event codex_turn_end(const struct codex_turn *t);

#endif
