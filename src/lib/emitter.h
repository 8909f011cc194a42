/*
 * What the writer of a trace keeps: the inside of a struct tw_trace. emitter.c opens and closes it and writes lines,
 * emitter_calls.c has the calls that are under way.
 */
#ifndef LIB_EMITTER_H
#define LIB_EMITTER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/id.h"
#include "dialect/agent_trace/trace_line.h"
#include "lib/outlet.h"
#include "trackway.h"

#define EMITTER_BUCKETS 64
#define EMITTER_IDS_MAX 512 /* parents or siblings of a node */

/* A node that has begun. The texts and parents are in the same piece of memory. */
struct emitter_call {
	struct emitter_call *next; /* in its bucket */
	enum at_kind kind;
	struct id id;
	int64_t from_us, token_us; /* token_us: of the first token, 0 before it */
	struct id *parents;
	size_t parent_count;
	struct str endpoint, provider, model, agent, name, call; /* p NULL when not given */
	const char *tool_choice; /* agent-trace's word, a constant; NULL when not given */
	bool stream, external;
	const char *branch; /* of AT_BRANCH: agent-trace's word, a constant */
};

struct tw_trace {
	struct outlet outlet;
	struct clock_line clock;
	char id[ID_UUID_TEXT + 1];
	bool joins, closed, plain; /* joins: the summary is another process's to write */
	struct str framework; /* a constant */
	int64_t from_us; /* when it was opened */
	uint64_t made;        /* ids, for a system without random bytes */
	struct emitter_call *calls[EMITTER_BUCKETS];
	/* of one line, used with the lock held */
	struct arena scratch;
	struct buf line; /* the text, with an LF before it for the outlet */
};

/*
 * Takes the lock, waiting for other threads. In a forked process it first forgets the parent's calls and, if a thread
 * of the parent was at work, its memory. False for NULL: then there is nothing to leave either.
 */
bool emitter_enter(struct tw_trace *t);
/* Gives the lock back. Only after an emitter_enter that gave true. */
void emitter_leave(struct tw_trace *t);

/* Microseconds since 1970 by a clock that never goes back. */
int64_t emitter_now_us(const struct tw_trace *t);
/*
 * A UUID of version 7. Where the system has no random bytes yet it mixes the clock, the process id and a counter, and
 * never waits for them. The lock is held.
 */
struct id emitter_new_id(struct tw_trace *t);

/*
 * Whether there is memory for a line; otherwise the line counts as lost. To be asked before anything of it is made:
 * what is used for that would end the program without memory. The lock is held.
 */
bool emitter_is_ready(struct tw_trace *t);

/*
 * Writes a node, after emitter_is_ready. False when the line is lost; it is counted, and the first reason is kept. The
 * lock is held.
 */
bool emitter_write(struct tw_trace *t, const struct trace_node *n);

/*
 * Copies a struct of the caller's, which may be shorter or longer than ours: as much of it as we know, the rest zero.
 * NULL gives all zero, and true. False when its size makes no sense (below 8 bytes or above 64 KiB); then all of it is
 * zero, and the trace notes it, unless `t` is NULL.
 */
bool emitter_take(struct tw_trace *t, void *ours, size_t size, const void *theirs);

/*
 * At most `most` bytes of it, cut between characters; p NULL for NULL. Points into `text`, of which no more than `most`
 * + 4 bytes are read.
 */
struct str emitter_text(const char *text, size_t most);

/*
 * Copies the nodes that are ids (not all zero) to `out`, which has room for EMITTER_IDS_MAX, and gives how many. What
 * is beyond that is left out and noted. `nodes` may be NULL. The lock is held.
 */
size_t emitter_ids(struct tw_trace *t, struct id *out, const struct tw_node *nodes, size_t count);

/* Calls that are open at the end are written as partial ones. The lock is held. */
void emitter_end_calls(struct tw_trace *t);

/*
 * Forgets all calls under way without writing them. They are freed if they are `whole`; else a thread of the parent
 * process may have been changing them at the fork, and their memory is lost on purpose.
 */
void emitter_drop_calls(struct tw_trace *t, bool whole);

#endif
