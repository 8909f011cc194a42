/*
 * The calls of a run: which ids were used, and which calls still wait for a result. Of a finished call 32 bytes
 * remain, a digest of its id, so that the id is not given twice; of an open one a record.
 */
#ifndef MODEL_CALLS_H
#define MODEL_CALLS_H

#include "base/arena.h"
#include "base/str.h"

struct open_call {
	struct open_call *next, **here;   /* in its bucket; here NULL: in none, being answered or without an id */
	struct open_call *before, *after; /* of all that are open, oldest first */
	struct str vendor_id, branch;     /* own copies, in one piece with this; p NULL as given */
	struct str id;                    /* given to it; p NULL until it is known */
	uint64_t hash;
	bool answered; /* calls_answer: its answer waits to be put out: not to be paired again */
	bool gone;     /* the call itself was given up */
};

/* What is known of an id that was used. */
struct call_trace {
	struct hash id; /* both 0: free */
	uint32_t step;  /* part of a digest of the step that asked */
	uint32_t times; /* it was used; 0: forgotten */
	uint32_t number; /* what was added to it the last time: "#2"; 0: nothing */
	bool answered;
};

struct calls {
	struct open_call **buckets;
	size_t bucket_count, open_count;
	struct open_call *oldest, *newest;
	struct call_trace *traces;
	size_t trace_count, trace_cap;
};

/* No calls. calls_reset forgets those of the run before, open ones too, and calls_free the memory as well. */
void calls_init(struct calls *c);
void calls_free(struct calls *c);
void calls_reset(struct calls *c); /* a run begins */

/*
 * What is known of an id; NULL when nothing. calls_note counts one more use of it and never gives NULL. Both are valid
 * until the next calls_note.
 */
struct call_trace *calls_find_trace(const struct calls *c, struct str id);
struct call_trace *calls_note(struct calls *c, struct str id);

/*
 * A new open call, which lives until calls_close. Its texts are copied. vendor_id.p NULL: it has no id of its own, and
 * is only found by calls_find_first. calls_name sets the id it gets, once or again.
 */
struct open_call *calls_open(struct calls *c, struct str vendor_id, struct str branch);
void calls_name(struct open_call *o, struct str id);

/* The latest open call of this id in the branch, else of any branch; NULL when there is none. */
struct open_call *calls_find(const struct calls *c, struct str vendor_id, struct str branch);

/* The first one of the branch that waits; NULL when there is none. */
struct open_call *calls_find_first(const struct calls *c, struct str branch);

/* Its answer is known: it is not found any more. */
void calls_answer(struct open_call *o);

/* Frees an open call: it was answered and the answer put out, or it was given up. */
void calls_close(struct calls *c, struct open_call *o);

#endif
