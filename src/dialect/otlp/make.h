/* Spans made of events: the trace of a run that was no trace. */
#ifndef DIALECT_OTLP_MAKE_H
#define DIALECT_OTLP_MAKE_H

#include "base/buf.h"
#include "dialect/writing.h"

struct otlp_make;

/*
 * Opens a maker that hands each span to `span` when it is complete: one object, whose text lasts for the call. It lives
 * until otlp_make_close, which drops spans that are not complete.
 */
struct otlp_make *otlp_make_open(struct losses *losses, void (*span)(void *context, struct str json), void *context);
void otlp_make_close(struct otlp_make *m);

/*
 * The next event, of one run after the other, in order; it is copied where it must wait. The root span comes last,
 * with RUN_END. What a trace has no place for is counted in the losses.
 */
void otlp_make_event(struct otlp_make *m, const struct event *e);

/*
 * Adds what a resource and scope of ours say: members of a resourceSpans element, up to the list of spans. Of the
 * run at hand; "unknown" before the first.
 */
void otlp_make_context(const struct otlp_make *m, struct buf *out);

#endif
