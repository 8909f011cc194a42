/*
 * What the readers of several APIs do alike: the head of an answer and its choices, tools and messages of a request,
 * errors, and lists of what a line may hold. Each adds its events to the reading, and marks what it takes.
 */
#ifndef DIALECT_EXCHANGE_COMMON_H
#define DIALECT_EXCHANGE_COMMON_H

#include "dialect/reading/reading.h"

/* The head of an answer, or of a piece of one. */
struct exchange_answer {
	struct str id, model;
	struct moment ts;
	unsigned flags; /* of each step */
	bool piece;
};

/* The head's texts where they say nothing: no model is none, no id is none or, of a piece, "": the fold finds one. */
void exchange_answer_settle(struct exchange_answer *a);

/* A STEP of the answer, under this name. It is good until the next event is added; its texts are the answer's. */
struct event *exchange_add_step(struct reading *r, const struct exchange_answer *a, struct str step);

/*
 * The STEP of a choice and why it stopped. The first choice has the id of the answer; another one has a name made from
 * it, and is a branch of its own, "word-N". `place` counts where the choice has no index.
 */
struct event *exchange_add_choice(struct reading *r, const struct exchange_answer *a, struct val choice, size_t place,
				  struct str word, struct val finish);

/* The events from `at` on, of which the first is a choice's step, are all of it: its branch, and what is left. */
void exchange_end_choice(struct reading *r, size_t at, struct val choice, struct str word);

/*
 * {"error":"..."} or {"error":{...}}, as an ERROR of the class "model": its message, and the first of two members that
 * says which it is. `error` may also be none, and then there is nothing but the event. The rest is the caller's. It is
 * good until the next event is added.
 */
struct event *exchange_add_error(struct reading *r, struct val error, struct str code, struct str otherwise);

/* A RUN_START with the tools of a request; nothing when they are no list. */
void exchange_read_tools(struct reading *r, struct val tools);

/* The events from `from` on are one message of a request. */
void exchange_mark_message(struct reading *r, size_t from, uint32_t position, uint64_t digest);

/* Adds a text to the digest of a message; the order counts. */
void exchange_digest_add(uint64_t *digest, struct str text);

/*
 * A line that may hold a list of what other lines hold: each by itself. An empty list, or what is no list, is a value
 * like any other.
 */
void exchange_read_each(struct reading *r, struct val v, void (*read_one)(struct reading *r, struct val one));

#endif
