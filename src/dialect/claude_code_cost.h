/*
 * What a stream of Claude Code cost. Its last line says so, twice: `usage` for the main line, `modelUsage` with the
 * sub-agents. Where both are missing the steps are added up, each once, with the largest of the figures its lines have.
 */
#ifndef DIALECT_CLAUDE_CODE_COST_H
#define DIALECT_CLAUDE_CODE_COST_H

#include "base/buf.h"
#include "base/map.h"
#include "model/event.h"

struct claude_code_cost {
	struct arena *arena;
	bool nested;        /* a sub-agent has worked */
	struct usage usage; /* of the main line */
	struct usage models;
	struct amount usd;
	struct str model;   /* when there was only one */
	struct moment ts;
	struct map steps;   /* usage of each */
	struct usage loose; /* of steps without an id */
	struct buf key;
};

/* Nothing is known; the arena must outlive what is kept. */
void claude_code_cost_init(struct claude_code_cost *c, struct arena *arena);
void claude_code_cost_free(struct claude_code_cost *c);

/* A step, or a piece of one. */
void claude_code_cost_add_step(struct claude_code_cost *c, const struct event *step);

/* Totals that a line says: of scope "run" or "models". */
void claude_code_cost_add_total(struct claude_code_cost *c, const struct event *cost);

/* One COST for the run; false when there is nothing to say. */
bool claude_code_cost_get(const struct claude_code_cost *c, struct event *cost);

#endif
