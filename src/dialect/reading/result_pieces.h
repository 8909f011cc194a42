/*
 * Results that came in pieces. Some logs tell what a command printed while it still ran, each time what is new or each
 * time all of it, and the result at the end. Here the pieces wait for their result and become its chunks:
 * [{"data":...,"t_ms":...}], where t_ms counts from the call. The data adds up to a result that is a text: lines that
 * the program put above them are a piece without a time, and what nobody saw coming is the last one. Where it cannot
 * add up, there are no chunks.
 *
 * Memory: at most RESULT_PIECES_CALLS calls and RESULT_PIECES_BYTES of text wait. Of what is beyond, no chunks are
 * made.
 */
#ifndef DIALECT_READING_RESULT_PIECES_H
#define DIALECT_READING_RESULT_PIECES_H

#include "base/buf.h"
#include "model/event.h"

#define RESULT_PIECES_CALLS 256
#define RESULT_PIECES_BYTES ((size_t)16 << 20)

struct result_pieces_call;

/* All zero at first. */
struct result_pieces {
	struct result_pieces_call *open; /* the latest first */
	size_t count, bytes;
	struct {
		struct hash call;
		int64_t ns;
	} begun[RESULT_PIECES_CALLS]; /* when the latest calls were made */
	size_t next;
};

/* Nothing waits any more; gives back all memory, so it is also the end of a struct. */
void result_pieces_reset(struct result_pieces *p);

/*
 * A call is made. Without an id or a time nothing is noted, and its chunks have no t_ms; of more than
 * RESULT_PIECES_CALLS the latest are remembered.
 */
void result_pieces_begin(struct result_pieces *p, struct str call, struct moment ts);

/*
 * Something that it printed, in bytes: a character may be cut in two. Copied. Nothing when the id or the data is
 * empty.
 */
void result_pieces_add(struct result_pieces *p, struct str call, struct str data, struct moment ts);

/* All that it has printed so far. When that does not go on from what came before, no chunks are made of the call. */
void result_pieces_add_whole(struct result_pieces *p, struct str call, struct str whole, struct moment ts);

/*
 * Its result has come: the chunks as canonical JSON, in `a`; p NULL when there are none. The call's pieces are
 * forgotten in any case.
 */
struct str result_pieces_take(struct result_pieces *p, struct arena *a, const struct event *result);

#endif
