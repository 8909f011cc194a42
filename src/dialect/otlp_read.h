/*
 * Envelopes to raw events, and what the fold makes of these. For each span come a carrier and then what it may turn
 * out to be: only the whole trace tells whether a span about a model is the innermost, and its parents may follow it.
 *
 *	NOTE otlp.scope      the resource and scope (or Jaeger process) of the spans that follow; no extras: none
 *	NOTE otlp.span       the carrier: run is the trace, step the span's id, parent its parent's, index its enum
 *	                     otlp_role, ts its start, mark its end in nanoseconds, extras the span as it stands
 *	MESSAGE, STEP, CALL, RESULT, ERROR, COST   of that span. A CALL with EVENT_HISTORY only names a call that the
 *	                     model asked for.
 *	NOTE otlp.log, otlp.metrics, otlp.envelope   a log record (parent is its span), metrics, what is left
 */
#ifndef DIALECT_OTLP_READ_H
#define DIALECT_OTLP_READ_H

#include "dialect/otlp_span.h"

#define OTLP_KEY "otlp-json/1"

/* How well a value fits, as in struct dialect. */
int otlp_read_fits(struct val v);

/* The value of struct read_ops. */
void otlp_read_value(struct reading *r, struct val v);

/* The raw events of one span (otlp_convert.c). */
void otlp_read_span(struct reading *r, struct val v, enum otlp_shape shape);

#endif
