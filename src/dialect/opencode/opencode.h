/* What one line of an opencode event log says to its fold, and the parts of messages, which both forms share. */
#ifndef DIALECT_OPENCODE_OPENCODE_H
#define DIALECT_OPENCODE_OPENCODE_H

#include "dialect/reading/reading.h"
#include "model/assemble.h"

/* Of an event of a log; an export, which is one session, has none. Texts live in the batch. */
struct opencode_hint {
	struct str session; /* whose event */
	struct str message; /* MESSAGE: its id; p NULL otherwise */
	struct str child;   /* CALL: the session that it started; p NULL when it is not known */
	bool whole;         /* MESSAGE: with all its parts */
};

/* Where a message stands while its parts are read. */
struct opencode_place {
	struct reading *r;
	struct str message; /* its id */
	struct str step;    /* of the answer that is being told */
	struct str model, provider; /* of the message; p NULL while its info was not read */
	struct moment ts;   /* when the message was begun */
	unsigned steps;     /* answers so far: older versions put several into one message */
	bool finished;      /* the last of them is over */
	bool told;          /* tokens were told by the parts */
	struct opencode_hint *hint; /* for all events; NULL for none */
};

/* An event at the place. It is good until the next one is added. */
struct event *opencode_add(const struct opencode_place *x, enum event_kind kind);

/* The STEP of the message, from its info: model, tokens, dollars, times, and an ERROR where it failed. */
void opencode_read_info(struct opencode_place *x, struct val info);

/* One part of an answer. A call that is not made yet (pending) is left out. */
void opencode_read_part(struct opencode_place *x, struct val part);

/* What the user said: all parts of the message. */
void opencode_read_given(struct opencode_place *x, struct val info, struct val parts);

/* A line of an event log. */
void opencode_read_event(struct reading *r, struct val v);

/* Whether it is one, as a dialect's fits. */
int opencode_event_fits(struct val v);

/* The fold: whose session an event is of, and which call started it. */
void *opencode_fold_open(void);
void opencode_fold_close(void *fold);
bool opencode_fold(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool opencode_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
