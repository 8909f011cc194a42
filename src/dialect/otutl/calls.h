/*
 * The call ids of one log: whether each is a call, whether it is still open, and its name in the
 * behaviour hash. An id costs 24 bytes in a table at most three quarters full; only open calls keep
 * more (a place and some text), because only they may still be complained about.
 */
#ifndef DIALECT_OTUTL_CALLS_H
#define DIALECT_OTUTL_CALLS_H

#include "dialect/otutl/record.h"
#include "dialect/otutl/spot.h"

enum otutl_call_state {
	OTUTL_ID_ONLY, /* somebody spoke of it, nobody called */
	OTUTL_CLOSED,
	OTUTL_OPEN, /* this and above: 2 + the number of the open call */
};

struct otutl_id {
	struct otutl_key key;
	uint32_t name;  /* its number in the behaviour hash + 1; 0 when it has none yet */
	uint32_t state; /* enum otutl_call_state */
};

#define OTUTL_OPEN_SHOWN 64 /* bytes of an open call's id that are kept for messages */

struct otutl_open {
	struct otutl_key key;
	struct otutl_spot spot; /* of its call_id */
	char id[OTUTL_OPEN_SHOWN];
	size_t id_n;
};

struct otutl_calls {
	struct buf slots; /* struct otutl_id; all zero is free */
	size_t count, cap;
	struct buf open; /* struct otutl_open */
};

/* Sets up an empty table, to be freed with otutl_calls_free. */
void otutl_calls_init(struct otutl_calls *c);
void otutl_calls_free(struct otutl_calls *c);

/* Forgets all ids, for the next log. A table that grew large is given back. */
void otutl_calls_clear(struct otutl_calls *c);

/* The entry of an id, or NULL. It lasts until the next otutl_calls_add. */
struct otutl_id *otutl_calls_find(const struct otutl_calls *c, struct otutl_key key);

/* The entry of an id, made when there is none: OTUTL_ID_ONLY and without a name. It lasts as above. */
struct otutl_id *otutl_calls_add(struct otutl_calls *c, struct otutl_key key);

/*
 * Makes an id that is not open an open call, that of the record, and copies where it stands and up to
 * OTUTL_OPEN_SHOWN bytes of its id. The record need not last.
 */
void otutl_calls_open(struct otutl_calls *c, struct otutl_id *id, const struct otutl_record *call);

/* The call, which must be open, has its answer. Numbers of other open calls may change. */
void otutl_calls_close(struct otutl_calls *c, struct otutl_id *id);

/* Sorts the open calls by their lines and gives them, *count in all; the list lasts until the next open or close. */
const struct otutl_open *otutl_calls_sort_open(struct otutl_calls *c, size_t *count);

#endif
