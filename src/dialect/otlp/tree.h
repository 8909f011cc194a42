/* The spans of one trace as a tree: who stands inside whom, and what each of them is in the run. */
#ifndef DIALECT_OTLP_TREE_H
#define DIALECT_OTLP_TREE_H

#include "base/arena.h"
#include "dialect/otlp/span.h"
#include "model/event.h"

#define OTLP_NOBODY UINT32_MAX

struct otlp_node {
	struct event *carrier;
	struct event **payload; /* what the span may turn out to be */
	uint32_t payload_count, payload_cap;
	uint32_t trace, context, order; /* numbers of the fold's; its place in the file */
	uint8_t role;            /* enum otlp_role */

	/* by otlp_tree_build, places in its list, OTLP_NOBODY for none */
	uint32_t parent, depth;
	int64_t at, until;  /* start, not before its parent's; end, not before start */
	uint32_t tool;      /* the nearest tool span around it */
	uint32_t model;     /* the nearest model span around it, with no tool between */
	uint32_t actor;     /* the nearest span around it that has a role */
	uint32_t agent;     /* the nearest agent span, or itself */
	uint32_t branch;    /* the agent span that its branch is named after */
	uint32_t inner;     /* model: steps inside it */
	uint32_t only;      /* model: the latest of these */
	int64_t first;      /* model: when the first call or step inside it starts */
	bool inner_usage;   /* model: a span inside it knows its usage */
	bool usage_inside;  /* a span below it knows its usage */
	bool note;          /* it is no step and no call */
	uint8_t state;      /* of the walk that measures depths; 0 before it */
	struct str step_id, call_id; /* as they are told */
	uint32_t asker, asked;       /* call: the step that asked for it; its place among all that were asked for */
};

/*
 * Fills in the part of each node that is about the tree; carrier, payload and role must be set. All nodes are of one
 * trace; `nodes` keeps its order. A circle of parents is cut, and a parent that is not there is none. Needs time in
 * proportion to the number of nodes.
 */
void otlp_tree_build(struct otlp_node **nodes, uint32_t count);

/* The first payload of this kind that is no history, or NULL. */
struct event *otlp_tree_payload(const struct otlp_node *n, enum event_kind kind);

#endif
