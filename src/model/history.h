/*
 * Requests tell the whole conversation again and again. This keeps, for each conversation of a run, a digest of
 * every message so far, and says which messages of a request are new: those behind the longest common
 * beginning with a request before. Conversations are told apart by their beginnings, so that a side question (a
 * title, a summary) does not disturb the main one; the latest few are kept.
 *
 * Messages are asked about one by one, in the order of the request, and nothing of them is held but eight bytes:
 * a request may be large, and most of it was told before.
 *
 * The answer to a request is not compared, since a client may tell it again in other words: other ids, other spaces,
 * one message or several. What the model said directly behind a conversation that was answered is that answer.
 */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include "base/arena.h"
#include "base/str.h"

struct history;

/* An empty history, for one run after the other. Never NULL; history_close takes NULL too. */
struct history *history_open(void);
void history_close(struct history *h);

/* A run begins: everything is forgotten. */
void history_reset(struct history *h);

/* A request begins; one that was not ended is ended. */
void history_begin(struct history *h);

enum history_repeated {
	HISTORY_KNOWN,  /* it was there before, in this place */
	HISTORY_ANSWER, /* it is the answer to the request before, told again */
	HISTORY_NEW,
};

/* The next message of the request. `said`: by the model. */
enum history_repeated history_next(struct history *h, uint64_t digest, bool said);

/* Whether what is new in this request stands right behind all that was known: nothing was changed or left out. */
bool history_is_continued(const struct history *h);

/* Whether any conversation is known. */
bool history_is_empty(const struct history *h);

/* The request is over, and remembered. */
void history_end(struct history *h);

/* The latest request was answered; ends it. */
void history_answer(struct history *h);

/* A digest of a message; equal for equal canonical texts. Not for evidence. */
uint64_t history_digest(struct str canonical);

#endif
