/*
 * Records that came before their turn, waiting for those with a lower seq. Each is copied with its
 * bytes, because its chunk does not wait. Taken out lowest seq first, equal ones as they came.
 */
#ifndef DIALECT_OTUTL_HOLD_H
#define DIALECT_OTUTL_HOLD_H

#include "dialect/otutl/record.h"

struct otutl_held {
	struct otutl_record record;
	uint64_t order;  /* of arrival */
	struct buf bytes; /* holes, canonical form, projection, call id, and the line if it is short */
};

struct otutl_hold {
	struct buf heap; /* struct otutl_held, the smallest first */
	uint64_t arrivals;
	size_t bytes; /* taken by all of them */
};

/* Sets up an empty heap, to be freed with otutl_hold_free, which also frees the records in it. */
void otutl_hold_init(struct otutl_hold *h);
void otutl_hold_free(struct otutl_hold *h);

/* How many records wait. */
size_t otutl_hold_count(const struct otutl_hold *h);

/*
 * Copies a record with its bytes; its line too, if that has at most 1024 bytes, for findings that are still to come.
 * There is no limit here: the caller looks at h->bytes.
 */
void otutl_hold_add(struct otutl_hold *h, struct otutl_view v);

/* The lowest, or NULL. Valid until the next call. */
const struct otutl_record *otutl_hold_first(const struct otutl_hold *h);

/* Takes the lowest out; there must be one. The caller frees it with otutl_held_free. */
struct otutl_held otutl_hold_take(struct otutl_hold *h);

/* The record and its bytes, which are in `held` and last as long as it. */
struct otutl_view otutl_held_view(const struct otutl_held *held);
void otutl_held_free(struct otutl_held *held);

#endif
