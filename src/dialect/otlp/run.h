/* The run of one trace: its spans, put in order and given to the assembler as what they are. */
#ifndef DIALECT_OTLP_RUN_H
#define DIALECT_OTLP_RUN_H

#include "base/err.h"
#include "dialect/otlp/tree.h"
#include "model/assemble.h"

struct otlp_trace {
	struct str name; /* its id, p NULL when there is none */
	struct otlp_node **nodes; /* in the order of the file */
	uint32_t count;
	struct event **contexts; /* what otlp_node.context counts */
	uint32_t context_count;
	/*
	 * Of a format that is no OTLP but has spans too (langsmith): what makes its tool URIs, and its framework. p
	 * NULL for OTLP.
	 */
	struct str vendor, framework;
	bool part;           /* more of it may have been told before, or follow */
	struct arena *arena; /* for what is made here */
};

struct otlp_run; /* working memory */

/* Opens working memory for any number of runs, one after the other; it lives until otlp_run_close. */
struct otlp_run *otlp_run_open(void);
void otlp_run_close(struct otlp_run *r);

/*
 * Gives the run of one trace to the assembler, start and end included. Changes the nodes, and what it makes
 * is in t->arena. False, with *err, when the assembler fails; what was given before stays given.
 */
bool otlp_run_put(struct otlp_run *r, const struct otlp_trace *t, struct assemble *as, struct err *err);

#endif
