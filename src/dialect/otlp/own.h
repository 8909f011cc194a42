/*
 * What a run says and the conventions have no attribute for, under names that begin with "trackway.": one table, by
 * which it is written and read. So a trace that we made gives back the run it was made of: what was absent is absent,
 * what was null is null, and a figure that was estimated is still said to be.
 *
 * A span with trackway.seq is one of ours: the number is the place of its step or call in the run (of the result:
 * trackway.result.seq). Errors and costs, which are no spans, are events of the root and have theirs too.
 */
#ifndef DIALECT_OTLP_OWN_H
#define DIALECT_OTLP_OWN_H

#include "base/buf.h"
#include "dialect/otlp/attr.h"

/* Adds the attributes of an event to a list of attributes (otlp/put.h), by its kind. Nothing for what is absent. */
void otlp_own_put(struct buf *out, const struct event *e);

/*
 * Fills in what the attributes say of an event, by its kind; texts live in the batch. What they do not say stays. A
 * text of the wrong type changes nothing; a number, truth or payload that cannot be read becomes absent.
 */
void otlp_own_read(struct reading *r, struct event *e, struct val attributes, enum otlp_shape shape);

/* A place in the run, counted from 1: the number in the slot and 1. 0 when the slot holds none. */
uint32_t otlp_own_place(const struct otlp_attrs *a, enum otlp_slot slot);

/* "derived", "inherited" to enum moment_source; MOMENT_VENDOR for all else. */
uint8_t otlp_own_moment(struct str word);

#endif
