/*
 * Calls that a model asked for, in the logs of frameworks that tell the running of a tool apart from the answer that
 * asked for it, and without its id. Such a log has every answer of the model as a record of its own, so what a request
 * tells again is no step: asked_retell makes messages of it before the fold of exchange.h sees it.
 */
#ifndef DIALECT_EXCHANGE_ASKED_H
#define DIALECT_EXCHANGE_ASKED_H

#include "dialect/reading/reading.h"

#define ASKED_MOST 4096 /* of a run; the oldest are forgotten */

struct asked_call {
	struct asked_call *next; /* younger */
	struct str id, tool;
	struct str args; /* canonical; p NULL when they are not known */
	bool ran, answered;
};

struct asked {
	struct arena arena;
	struct asked_call *first, **last;
	size_t count;
};

/* No calls are known at first. asked_reset forgets them all: a run begins. */
void asked_init(struct asked *a);
void asked_free(struct asked *a);
void asked_reset(struct asked *a);

/* A call that an answer has; copied. One without an id is passed over: nothing could be said of it later. */
void asked_add(struct asked *a, const struct event *call);

/* The latest call of this id, or NULL. It lives until the reset. */
struct asked_call *asked_find(const struct asked *a, struct str id);

/*
 * The call that runs when a tool runs with these arguments: the first that did not run yet and has both, else the only
 * one of the tool that did not. Marks it. NULL when there is none. An empty name is that of any tool. Names are equal
 * when their letters and digits are: frameworks show a model "delegate_work" for "Delegate work".
 */
struct asked_call *asked_run(struct asked *a, struct str tool, struct str args);

/*
 * A result that a request tells (EVENT_HISTORY): it answers a call that has no answer yet, or becomes a MESSAGE of the
 * role "tool", at the same place in the request.
 */
void asked_settle_result(struct asked *a, struct event *e);

/* ---- for the scan ---- */

/* Events from `from` on that are told again: steps become MESSAGEs of the model, their calls NOTEs. */
void asked_retell(struct reading *r, size_t from);

/* Arguments as canonical JSON in place of a text of JSON; a text that is none stays. */
void asked_settle_args(struct reading *r, struct event *call);

#endif
