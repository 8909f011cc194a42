/*
 * Events as OTLP/JSON: one envelope on one line for each run, {"resourceSpans":[...]}, written span by span. Spans
 * that were read from traces are given back as they were (otlp/give.h); for every other source the run becomes a
 * trace: a root span invoke_agent, a span chat for each step, a span execute_tool for each call, named by the
 * semantic conventions 1.41. A span is written when it is complete, so parents come after what is inside them.
 * Log records go to an envelope of their own, on the next line.
 */
#ifndef DIALECT_OTLP_WRITE_H
#define DIALECT_OTLP_WRITE_H

#include "base/err.h"
#include "dialect/writing.h"

#define OTLP_WRITE_CANNOT                                                                                     \
	"notes, pieces of results, and what other formats keep in extensions; Jaeger traces come back as OTLP, " \
	"without warnings and flags"

/* The functions of struct write_ops: opens a writer that adds to w->out. It lives until otlp_write_close. */
void *otlp_write_open(struct writing *w);
void otlp_write_close(void *writer);

/*
 * The next event; nothing of it is kept by reference. Always true: what has no place in OTLP is counted in
 * w->losses.
 */
bool otlp_write_event(void *writer, const struct event *e, struct err *err);

/* No more events come: ends the run that is open, and the document. Always true. */
bool otlp_write_end(void *writer, struct err *err);

#endif
