/*
 * What every piece of a stream says for itself and no field has (padding, odd numbers), gathered to lists in the
 * order of the pieces for the step they make: {"obfuscation":["x","yz"]}. Merging it piece by piece would take time
 * that grows with the square of the stream. A reader puts elements on its events; a fold takes them off again.
 */
#ifndef DIALECT_EXCHANGE_GATHER_H
#define DIALECT_EXCHANGE_GATHER_H

#include "dialect/reading/reading.h"

#define EXCHANGE_GATHER_LISTS 8
#define EXCHANGE_GATHER_BYTES ((size_t)1 << 20) /* of one stream; what is more is only counted: "left_out" */

struct exchange_gather {
	struct buf key; /* of the extras */
	struct exchange_gather_list {
		struct buf name, items;
	} lists[EXCHANGE_GATHER_LISTS];
	size_t count, bytes;
	uint64_t left_out;
};

/* ---- for readers ---- */

/*
 * An element of a list, canonical JSON, put on the event before what it has already. `json` must live as long as the
 * batch.
 */
void exchange_gather_put(struct reading *r, struct event *e, struct str name, struct str json);

/* The members of a piece that are padding against those who watch the sizes of packets; then put by _put_padding. */
struct exchange_padding {
	struct str texts[2];
};
/* Marks them as kept. p NULL where the piece has none. */
struct exchange_padding exchange_gather_padding(struct reading *r, struct val piece);
/* Puts them on the event, as elements of the lists of their names; nothing for those that are not there. */
void exchange_gather_put_padding(struct reading *r, struct event *e, const struct exchange_padding *p);

/* ---- for folds: a zeroed struct exchange_gather is empty, exchange_gather_free releases it ---- */

/* Gives back the memory of the lists; the struct is empty then, and may be used again. */
void exchange_gather_free(struct exchange_gather *g);

/* Whether the event carries elements. */
bool exchange_gather_has(const struct event *e);

/* Takes them off the event and adds them to the lists. The event's own extras stay. */
void exchange_gather_take(struct exchange_gather *g, struct event *e);

/*
 * One more, not from an event. `key` is that of the extras. All is copied. With EXCHANGE_GATHER_LISTS lists, or
 * EXCHANGE_GATHER_BYTES, it is only counted. The first key counts for all.
 */
void exchange_gather_add(struct exchange_gather *g, struct str key, struct str name, struct str json);

/* The lists as one canonical object, p NULL when there are none; they are empty then. *key is in the arena too. */
struct str exchange_gather_end(struct exchange_gather *g, struct arena *a, struct str *key);

#endif
