/*
 * Spans that were read, given back as OTLP/JSON: what was OTLP comes back as it was, spelled as the protocol asks
 * (ids in hexadecimal, enums as numbers, 64-bit integers as strings); Jaeger's and the flat dumps are turned into it.
 */
#ifndef DIALECT_OTLP_GIVE_H
#define DIALECT_OTLP_GIVE_H

#include "base/buf.h"
#include "dialect/otlp/span.h"
#include "dialect/writing.h"

/* Adds the span's object. `span` is the record that was kept. */
void otlp_give_span(struct buf *out, struct arena *a, struct val span, struct losses *losses);

/* Adds any record of OTLP with its names and numbers in order: a log record, a resource. */
void otlp_give_record(struct buf *out, struct val v);

/* Adds {"attributes":[...]} of a Jaeger process. */
void otlp_give_process(struct buf *out, struct val process);

/* Adds an object {"a":1} as OTLP's list of attributes. */
void otlp_give_attributes(struct buf *out, struct val object);

#endif
