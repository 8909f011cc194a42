/*
 * What the readers of exchanges (exchange.h) tell the folds: the hint of their events. It lives in the batch; a fold
 * that keeps an event takes what it needs of the hint.
 */
#ifndef DIALECT_EXCHANGE_HINT_H
#define DIALECT_EXCHANGE_HINT_H

#include "dialect/reading/reading.h"

/* What an event of a Responses stream is (responses_stream.h). */
enum stream_part {
	STREAM_NONE,   /* it is of no such stream */
	STREAM_OPENED, /* STEP: the response began */
	STREAM_GOING,  /* STEP: it goes on, or waits */
	STREAM_DELTA,  /* STEP, CALL: a part of the item at `index` */
	STREAM_TOLD,   /* STEP: what the item at `index` says too */
	STREAM_DONE,   /* any: the item at `index`, whole */
	STREAM_CLOSED, /* STEP: it is complete, or has failed */
	STREAM_FINAL,  /* any: the item at `index` in the complete response */
};

struct exchange_hint {
	enum stream_part part;
	int index;         /* the item's place in the output of the response, -1 when unknown */
	struct str item;   /* its id; p NULL: none */
	uint64_t digest;   /* of a whole item; of Codex's items: of their text */
	uint32_t number;   /* of the event in its stream, and one more; 0: it has none */
	bool begins;       /* STEP piece: an answer begins with it */
	struct str pieces; /* CALL: instead of arguments, JSON for path_args.h; p NULL: none */
	bool completes;    /* CALL: these pieces are the last */
};

/*
 * The hint of an event, to be filled in, with what it says already. It lives in the batch, and is good until the next
 * call for the same event.
 */
struct exchange_hint *exchange_hint_add(struct reading *r, struct event *e);

/* The hint of an event that a reader of exchanges made; one that says nothing when it has none. */
const struct exchange_hint *exchange_hint_of(const struct event *e);

#endif
