/*
 * Streamed answers, for the fold of exchange.h: which pieces belong together when ids do not say so, and which
 * streams were cut. Pieces without an id (step is an empty text) are given a name; with `watch`, pieces that each
 * have an id of their own are joined, and a step that never says why it stopped is flagged EVENT_PARTIAL.
 * What pieces have that is not the same in all of them is gathered, and given when the stream is over.
 */
#ifndef DIALECT_EXCHANGE_STREAM_H
#define DIALECT_EXCHANGE_STREAM_H

#include "base/buf.h"
#include "dialect/exchange/gather.h"
#include "model/assemble.h"

#define EXCHANGE_STREAMS 16 /* followed at once: the choices of one answer */

/* A streamed answer, or one of its choices, that may go on. */
struct exchange_stream {
	struct buf step, branch;
	struct buf said, model; /* the extras of its pieces so far, merged; the latest model */
	bool has_branch, used, ended; /* ended: it has said why it stopped */
};

struct exchange_streams {
	bool watch;
	struct exchange_stream all[EXCHANGE_STREAMS];
	struct buf current; /* the step of the latest stream */
	bool current_ended;
	struct buf alias;   /* the id of a piece that was found to belong to it */
	struct buf name;    /* of a stream without an id */
	uint64_t nameless;  /* streams without an id so far */
	bool nameless_open, nameless_ended;
	struct arena arena;
	struct exchange_gather gather;
	struct buf gathered; /* the step it is for */
	struct arena scratch;
	struct merge *merge;
	struct event *stray; /* a piece that came before the first one that has an id */
};

/* Begins with no stream. Buffers grow with the streams followed at once and live until exchange_streams_free. */
void exchange_streams_init(struct exchange_streams *s, bool watch);
void exchange_streams_free(struct exchange_streams *s);

/*
 * Gives an event of an answer its place: e->step is set where it had none or the id of another piece, good until the
 * next call. *held when it is kept back, and then the caller drops it. False when the assembler refused what had to go
 * before it.
 */
bool exchange_streams_place(struct exchange_streams *s, struct event *e, bool *held, struct assemble *as,
			    struct err *err);

/*
 * All streams are over: those that did not say why they stopped are flagged EVENT_PARTIAL, and what was gathered is
 * given. False when the assembler refused it.
 */
bool exchange_streams_end(struct exchange_streams *s, struct assemble *as, struct err *err);

/* A part begins: nothing is followed any more. Memory is kept. */
void exchange_streams_reset(struct exchange_streams *s);

#endif
