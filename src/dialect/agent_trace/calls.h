/*
 * Which calls a step of a trace asked for. Its nodes say whom they follow and not what follows them, so events wait
 * here, in their order, until some hundreds have come after them: the calls of a step are told soon after it.
 * Of a call that comes later still only the call itself says which step it is of.
 */
#ifndef DIALECT_AGENT_TRACE_CALLS_H
#define DIALECT_AGENT_TRACE_CALLS_H

#include "model/assemble.h"

struct trace_calls;

/* Opens an empty queue; never NULL. It lives until trace_calls_close, which drops what still waits. */
struct trace_calls *trace_calls_open(void);
void trace_calls_close(struct trace_calls *c);

/*
 * Copies the next event and lets the oldest go to the assembler when there are too many. A CALL has the id of its
 * step, where that is known. False, with *err, only when the assembler fails.
 */
bool trace_calls_add(struct trace_calls *c, const struct event *e, struct assemble *as, struct err *err);

/* No more will come: what waits goes to the assembler, and all ids are forgotten. False as above. */
bool trace_calls_end(struct trace_calls *c, struct assemble *as, struct err *err);

#endif
