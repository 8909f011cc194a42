/* What the parts of the ATIF reader share: a trajectory while it is read. */
#ifndef DIALECT_ATIF_READ_PRIVATE_H
#define DIALECT_ATIF_READ_PRIVATE_H

#include "base/map.h"
#include "dialect/atif/atif.h"
#include "dialect/reading/reading.h"

struct atif_call {
	struct str id;   /* unique in its trajectory */
	struct str tool; /* name and arguments as they stand, to know it when it is told again */
	struct str args;
	bool done;
};

struct atif_trajectory {
	struct reading *r;
	struct val root;
	struct str branch, parent; /* of a sub-agent */
	struct map *refs;          /* ids of sub-agents to their calls, for all trajectories of the document */
	struct map calls;          /* ids in the document to places in `list`, plus one */
	struct map steps;          /* ids given */
	struct atif_call *list;
	size_t count;
	size_t number; /* of the step being read */
	struct str model, provider;
	bool has_usage;
	bool is_stated; /* the totals say what it cost, and no step does: then nothing is worked out for the steps */
	bool is_whole; /* the totals are the figures of the run, and the steps' are parts of them */
};

/* One answer of the model, told in one step or several, or a step of anybody else. */
struct atif_group {
	struct val *steps;
	size_t count;
	size_t event;  /* its own */
	size_t number; /* of its first step, from 1 */
	bool answer;   /* of the model */
	struct str id;
};

/* A string, unescaped; absent when it is none. Nothing is marked. It lives in the batch. */
struct str atif_look(struct atif_trajectory *t, struct val v);

/* A number, null, or absent; nothing is marked. Numbers beyond 1e300 are absent too. */
struct amount atif_amount(struct val object, struct str name);

/*
 * The content of a message or result. What our own writer put there as a text of JSON, or for want of anything, is
 * what it was; the text itself is left then. p NULL when it was absent. Nothing is lost when the text is no JSON: it
 * is the content then.
 */
struct str atif_read_content(struct atif_trajectory *t, struct event *e, const char *member, struct val object,
			     struct str name);

/* A new event of the trajectory's branch, good until the next one is added. */
struct event *atif_add(struct atif_trajectory *t, enum event_kind kind);

/*
 * The calls of all steps of the group; first[i] gets the place of the first of step i, and one more the end. A call
 * that was told before adds no event.
 */
void atif_read_calls(struct atif_trajectory *t, const struct atif_group *g, size_t *first);

/*
 * The results of a step of the group, whose calls begin at `first` and end with the list. One without an id is that of
 * the call at its place, or of the only call; one for a call that has a result is a NOTE.
 */
void atif_read_results(struct atif_trajectory *t, const struct atif_group *g, size_t piece, size_t first);

/* A list that was cut is an object in its place: it stays in ext, and is flagged there. */
void atif_flag_cut(struct atif_trajectory *t, struct event *e, struct val step);

#endif
