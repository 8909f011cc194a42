/*
 * Calls without ids, which some APIs have, for the fold of exchange.h. An answer's call is given an id; when a request
 * tells it again, often under an id that the client made up, it is known by its tool and its arguments, and a result
 * by the call that the same request tells before it. Arguments that come in pieces by path (path_args.h) are put
 * together. Calls that have ids are kept too, for the clients that give them others.
 */
#ifndef DIALECT_EXCHANGE_CALLS_H
#define DIALECT_EXCHANGE_CALLS_H

#include "base/buf.h"
#include "dialect/exchange/path_args.h"
#include "model/event.h"

#define EXCHANGE_CALLS_OPEN 1024 /* waiting for a result; the oldest is forgotten */
#define EXCHANGE_CALLS_OWN 64    /* the latest with ids of their own */

struct exchange_call {
	struct exchange_call *next; /* younger */
	struct str id, tool;
	struct str given; /* the id that the request at hand has for it; p NULL for none */
	uint64_t args;    /* a digest; 0: not known */
	uint64_t told;    /* as the how-manieth by the request at hand, that did not answer it yet; 0: not told */
	uint64_t answer;  /* the number of the answer that has it */
	bool done;
};

struct exchange_calls {
	struct arena run;
	struct exchange_call *first, **last;
	size_t count;
	struct exchange_call *own[EXCHANGE_CALLS_OWN]; /* a ring: those with ids; `given` is the client's name for it */
	size_t own_count; /* that were ever there */
	struct buf step; /* of the latest answer */
	uint64_t answers, places, told; /* answers so far; calls of the latest; calls that the request told */
	struct buf id;
	struct path_args args;
	struct exchange_call *growing; /* its arguments are not complete */
	struct event *piece;           /* what says whose they are */
	struct buf text; /* arguments that are complete, until the next are */
};

/* No calls are known at first. Memory grows with the calls of a run and is given back by exchange_calls_free. */
void exchange_calls_init(struct exchange_calls *c);
void exchange_calls_free(struct exchange_calls *c);
void exchange_calls_reset(struct exchange_calls *c); /* a run begins */

/* A step of an answer; calls after it are its own. */
void exchange_calls_step(struct exchange_calls *c, const struct event *e);

/*
 * A call of an answer, whose step is known. Gets an id, unless it has one or is made of texts that are joined
 * elsewhere. Of arguments by path the last piece has all. A piece of nothing becomes a NOTE. An id that is given lives
 * until the run is reset.
 */
void exchange_calls_name(struct exchange_calls *c, struct event *e);

/*
 * Whether a call waits for more of its arguments, which `next` does not bring: then *e is the piece that has all. It
 * lasts until the next call. `next` NULL: the log is over.
 */
bool exchange_calls_end(struct exchange_calls *c, const struct event *next, struct event *e);

/* A request begins. */
void exchange_calls_begin(struct exchange_calls *c);

/*
 * A call that a request tells. True when it is one of an answer; `answer`: what is told is the answer, so the arguments
 * may be spelled otherwise. A call that nobody knows and that has no id gets one.
 */
bool exchange_calls_tell(struct exchange_calls *c, struct event *e, bool answer);

/*
 * A call under an id that nobody knows, in the place of an answer: true when it is one of that answer's calls, by its
 * tool and as far as they are known its arguments. Calls of two answers that fit are none.
 */
bool exchange_calls_rename(struct exchange_calls *c, const struct event *e);

/*
 * A result that a request brings: gets the id of its call where that had none, or another. A result that fits no call
 * stays as it is.
 */
void exchange_calls_answer(struct exchange_calls *c, struct event *e);

#endif
