/*
 * Envelopes to raw events, and what the fold makes of these. For each span come a carrier and then what it may turn
 * out to be: only the whole trace tells whether a span about a model is the innermost, and its parents may follow it.
 *
 *	NOTE otlp.scope      the resource and scope (or Jaeger process) of the spans that follow; no extras: none
 *	NOTE otlp.span       the carrier: ts is the span's start, extras the span as it stands, the hint all else
 *	MESSAGE, STEP, CALL, RESULT, ERROR, COST   of that span. A CALL with EVENT_HISTORY only names a call that the
 *	                     model asked for.
 *	NOTE otlp.log, otlp.metrics, otlp.envelope   a log record, metrics, what is left
 */
#ifndef DIALECT_OTLP_READ_H
#define DIALECT_OTLP_READ_H

#include "dialect/otlp/span.h"

#define OTLP_KEY "otlp-json/1"

/* The hint of an event. p NULL: none. */
struct otlp_hint {
	uint32_t place;       /* any: of what we wrote, its place in the run, counted from 1; 0 for others */
	uint8_t role;         /* enum otlp_role */
	bool span;            /* it is the carrier of a span, or of what another format has in its place */
	bool failed;          /* its status is error */
	int64_t end;          /* nanoseconds; 0 when not told */
	struct str trace, id; /* of the span; of a log record only the trace */
	struct str parent;    /* the span around it */
	struct str agent, agent_version, tools;
};

/*
 * The hint of an event, to be filled in: a copy of the one it had, in the batch. Another call for the event makes
 * another copy.
 */
struct otlp_hint *otlp_hint_add(struct reading *r, struct event *e);

/* The hint of an event of OTLP; one of zeros when it has none. Never NULL. */
const struct otlp_hint *otlp_hint_of(const struct event *e);

/*
 * How well a value fits, as in struct dialect: 80 to 95 for spans and envelopes, 0 for all else. Of lists only the
 * first element is looked at.
 */
int otlp_read_fits(struct val v);

/*
 * The value of struct read_ops: adds the raw events of an envelope, of a span or of a list of these. What no span
 * took is left in a note otlp.envelope; so nothing is lost and nothing fails.
 */
void otlp_read_value(struct reading *r, struct val v);

/*
 * The raw events of one span (convert.c): its carrier first, with the whole span as an extra. v must be one by
 * otlp_span_is.
 */
void otlp_read_span(struct reading *r, struct val v, enum otlp_shape shape);

#endif
