/*
 * What led to what, for the parents of a trace's nodes. A run has lines of work: the main one and one for each
 * branch (a sub-agent, a side chain). In each, a model call follows from the calls whose results it carries and from
 * what the user said since the last one, else from the model call before, else from whatever started the line. Calls
 * are known by their ids until the run is over, so that a sub-agent that is told of later still finds the call that
 * started it.
 *
 * Memory: a line for each branch, 48 bytes for each call of the run, and what is open.
 */
#ifndef DIALECT_AGENT_TRACE_DAG_H
#define DIALECT_AGENT_TRACE_DAG_H

#include "base/arena.h"
#include "base/id.h"
#include "base/map.h"

struct dag_ids {
	struct id *ids;
	size_t count, cap;
};

/* One line of work. */
struct dag_line {
	bool has_step, has_input, has_origin, has_failed, has_retry, has_heard;
	struct id step, input; /* the latest of each */
	struct id origin;      /* the call, or the node of the run, that the line began with */
	struct id failed;      /* a model call that failed, with nothing new said since */
	struct id retry;       /* said by the log, for the model call that comes next */
	struct hash step_name; /* the id of the latest step */
	struct dag_ids carried; /* calls with results that no model call has seen yet */
	struct dag_ids inputs;  /* and what the user said since the last one */
	int64_t heard_us;       /* when the line last got something, by a clock of the log */
};

/* A call that waits for its result. The texts are in the same piece of memory. */
struct dag_call {
	struct dag_call *next; /* of the group at hand */
	struct dag_call *before, *after; /* of those that are open, in order */
	struct dag_line *line;
	struct id node, parent;
	bool has_parent, external, mcp, inferred, timed;
	int64_t start_us;
	struct str name, call, agent;
};

struct dag_slot {
	struct hash key;
	struct id node;
	struct dag_call *open; /* NULL when it is over */
	bool used;
};

struct dag {
	struct arena arena; /* of the run */
	struct map lines;
	struct dag_line *main;
	struct dag_slot *slots; /* calls; a power of two */
	size_t count, cap;
	struct dag_call *first, *last; /* that are open */
	bool has_root;
	struct id root; /* the node that stands for the run */
};

/* Sets up an empty graph, as after dag_reset. Its memory lasts until dag_free. */
void dag_init(struct dag *d);
void dag_free(struct dag *d);

/* A run begins: all lines and calls of the one before are forgotten, and so is its root. */
void dag_reset(struct dag *d);

/*
 * The line of a branch, made when there is none; p NULL is the main one. `parent` is the call it began in: it counts
 * only as long as the line has no step and no input. It lasts until the next dag_reset.
 */
struct dag_line *dag_find_line(struct dag *d, struct str branch, struct str parent);

/* The call with this id, or NULL. Lasts until the next dag_add_call. */
struct dag_slot *dag_find_call(struct dag *d, struct str id);

/*
 * Adds a call that is open, with its id and node set; takes the memory over. A later call with the same id takes its
 * place, and the earlier one is freed if it is still open.
 */
void dag_add_call(struct dag *d, struct dag_call *call);

/* A call of zeros with copies of its texts, for dag_add_call, which takes the memory over. */
struct dag_call *dag_new_call(struct str name, struct str call, struct str agent);

/* The call, which must be open, is over: slot->open is freed and NULL. Its node can still be found by its id. */
void dag_close_call(struct dag *d, struct dag_slot *slot);

/* The parents of what comes next in a line: one or none. `out` must have room for one. */
void dag_follow(const struct dag_line *l, struct dag_ids *out);

/* What the user said, for the model call that comes next. */
void dag_hear(struct dag *d, struct dag_line *l, struct id input);

/*
 * The parents of a model call: calls whose results it carries and what the user said, else as dag_follow. They last
 * until the line changes or the next dag_reset; `out` must have room for one.
 */
void dag_join(struct dag *d, const struct dag_line *l, struct dag_ids *out);

/* Adds an id to a list whose memory is in the arena. Pointers into the list do not outlast the call. */
void dag_ids_add(struct arena *a, struct dag_ids *list, struct id id);

#endif
