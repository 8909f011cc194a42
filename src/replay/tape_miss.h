/*
 * What a client is told when its question is not on the tape: the error that the API it asks has, so that its library
 * shows the sentence. 400 and "x-should-retry: false", since asking again would not help.
 */
#ifndef REPLAY_TAPE_MISS_H
#define REPLAY_TAPE_MISS_H

#include "base/buf.h"
#include "replay/match.h"

/* Adds the body, JSON, by the lane and the target; `why` is a sentence. Gives the status. */
int tape_miss_add(struct buf *out, const struct match_question *q, struct str why);

/* The same as an event of a WebSocket. */
void tape_miss_add_event(struct buf *out, struct str why);

#endif
