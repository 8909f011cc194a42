/*
 * Spans that were read, given back as OTLP/JSON: what was OTLP comes back as it was, spelled as the protocol asks
 * (ids in hexadecimal, enums as numbers, 64-bit integers as strings); Jaeger's and the flat dumps are turned into it.
 */
#ifndef DIALECT_OTLP_GIVE_H
#define DIALECT_OTLP_GIVE_H

#include "base/buf.h"
#include "dialect/otlp/span.h"
#include "dialect/writing.h"

/*
 * Adds the object of a span as it was kept, whichever of the three shapes it has. The arena gets ids. What OTLP has
 * no place for is counted in `losses`; nothing fails.
 */
void otlp_give_span(struct buf *out, struct arena *a, struct val span, struct losses *losses);

/*
 * Adds any record of OTLP (a log record, a resource) with its names in camel case and its numbers as the protocol
 * spells them. `v` must come from canonical JSON.
 */
void otlp_give_record(struct buf *out, struct val v);

/* Adds {"attributes":[...]} of a Jaeger process; the list is empty when it says nothing. */
void otlp_give_process(struct buf *out, struct val process);

/* Adds an object {"a":1} as OTLP's list of attributes; [] for what is no object. */
void otlp_give_attributes(struct buf *out, struct val object);

#endif
