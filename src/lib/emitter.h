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
	const char *tool_choice;
	bool stream, external;
	const char *branch;
};

struct tw_trace {
	struct outlet outlet;
	struct clock_line clock;
	char id[ID_UUID_TEXT + 1];
	bool joins, closed, plain;
	struct str framework; /* a constant */
	int64_t from_us;
	uint64_t made;        /* ids, for a system without random bytes */
	struct emitter_call *calls[EMITTER_BUCKETS];
	/* of one line, used with the lock held */
	struct arena scratch;
	struct buf line;
};

/* The lock; what a fork left behind is put in order. False for NULL: then there is nothing to leave either. */
bool emitter_enter(struct tw_trace *t);
void emitter_leave(struct tw_trace *t);

/* Microseconds since 1970 by a clock that never goes back. */
int64_t emitter_now_us(const struct tw_trace *t);
/* A UUID of version 7, also where the system has no random bytes. */
struct id emitter_new_id(struct tw_trace *t);

/*
 * Whether there is memory for a line; otherwise the line counts as lost. To be asked before anything of it is made:
 * what is used for that would end the program without memory. The lock is held.
 */
bool emitter_is_ready(struct tw_trace *t);

/* Writes a node, after emitter_is_ready. The lock is held. */
bool emitter_write(struct tw_trace *t, const struct trace_node *n);

/*
 * A struct of the caller's, which may be shorter or longer than ours: as much of it as we know, the rest zero.
 * False when its size makes no sense, and then all of it is zero.
 */
bool emitter_take(struct tw_trace *t, void *ours, size_t size, const void *theirs);

/* At most `most` bytes of it, cut between characters; p NULL for NULL. */
struct str emitter_text(const char *text, size_t most);

/* Those that are ids; too many are cut. The lock is held. */
size_t emitter_ids(struct tw_trace *t, struct id *out, const struct tw_node *nodes, size_t count);

/* Calls that are open at the end are written as partial ones. The lock is held. */
void emitter_end_calls(struct tw_trace *t);

/* They are those of the parent process: forgotten, and freed if they are whole. */
void emitter_drop_calls(struct tw_trace *t, bool whole);

#endif
