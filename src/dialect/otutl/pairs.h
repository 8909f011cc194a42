/*
 * The calls of a run that is being written: which ids there were, and which still wait for a result. An id costs 24
 * bytes in a table; only open calls keep their text.
 */
#ifndef DIALECT_OTUTL_PAIRS_H
#define DIALECT_OTUTL_PAIRS_H

#include "dialect/otutl/calls.h"

struct otutl_waiting {
	struct otutl_key key;
	size_t at, n; /* its id, in text */
};

struct otutl_pairs {
	struct otutl_calls ids; /* only its table is used */
	struct otutl_waiting *open;
	size_t count, cap, live; /* live: bytes of text that are of open calls */
	struct buf text;
};

/* Sets up an empty table, to be freed with otutl_pairs_free. */
void otutl_pairs_init(struct otutl_pairs *p);
void otutl_pairs_free(struct otutl_pairs *p);

/* Forgets all calls, for the next run. */
void otutl_pairs_clear(struct otutl_pairs *p);

/* Opens the call of this id, whose text is copied. False, and nothing done, when there was such a call already. */
bool otutl_pairs_open(struct otutl_pairs *p, struct str id);

enum otutl_pair { OTUTL_PAIR_NONE, OTUTL_PAIR_OPEN, OTUTL_PAIR_CLOSED };

/* Whether there is such a call, and whether it still waits for its result. */
enum otutl_pair otutl_pairs_find(const struct otutl_pairs *p, struct str id);

/* The call has its result. It must be open; its id stays known, and numbers of others may change. */
void otutl_pairs_close(struct otutl_pairs *p, struct str id);

/* The id of an open call, by number from 0 to p->count - 1, in no order; lasts until the next change. */
struct str otutl_pairs_get(const struct otutl_pairs *p, size_t i);

#endif
