/*
 * What a stream of Claude Code cost. Its last line says so, twice: `usage` for the main line, `modelUsage` for each
 * model, sub-agents and side calls included. Where both are missing the steps are added up, each once, with the largest
 * of the figures its lines have.
 */
#ifndef DIALECT_CLAUDE_CODE_COST_H
#define DIALECT_CLAUDE_CODE_COST_H

#include "base/buf.h"
#include "base/map.h"
#include "model/assemble.h"

struct claude_code_model {
	struct claude_code_model *next;
	struct str name;
	struct usage usage;
	struct amount usd;
};

struct claude_code_cost {
	struct arena *arena;
	bool nested;        /* a sub-agent has worked */
	struct usage usage; /* of the main line */
	struct claude_code_model *models, **last_model;
	size_t model_count;
	struct amount usd, api_ms; /* of the run, as its last lines say; milliseconds that the service took */
	struct moment ts;
	struct map steps;   /* usage of each */
	struct usage loose; /* of steps without an id */
	struct buf key;     /* of the step at hand, in `steps` */
};

/*
 * Nothing is known at first. What is kept lives in the arena, which must outlive the struct; claude_code_cost_free
 * gives back the rest.
 */
void claude_code_cost_init(struct claude_code_cost *c, struct arena *arena);
void claude_code_cost_free(struct claude_code_cost *c);

/*
 * A step, or a piece of one; other events and those without figures are passed over. Of pieces of one step the larger
 * figures count.
 */
void claude_code_cost_add_step(struct claude_code_cost *c, const struct event *step);

/*
 * Totals that a line says: of one model, or of the main line. Where they grow they replace those before, else they are
 * added. Of more than 64 models the last takes what is beyond.
 */
void claude_code_cost_add_total(struct claude_code_cost *c, const struct event *cost, bool by_model);

/*
 * The COSTs of the run: one for each model where these tell more than the main line and add up to its price, else one.
 * Where no line told a total, the steps are added up and the event is flagged EVENT_INFERRED. Nothing when nothing is
 * known. False when the assembler refused one.
 */
bool claude_code_cost_put(const struct claude_code_cost *c, struct assemble *as, struct err *err);

#endif
