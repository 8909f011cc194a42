/*
 * A number of bytes that several owners share, on any threads: each takes from it what it holds and gives it back. What
 * is held in sum is then bounded, however many there are and whatever each of them may hold.
 */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/buf.h"

struct budget {
	_Atomic size_t used;
	size_t limit;
};

/* False, and nothing is taken, when it would be too much. */
bool budget_take(struct budget *b, size_t bytes);

/* Taken in any case, for small things that matter. */
void budget_force(struct budget *b, size_t bytes);

/* Gives back what was taken or forced; more than that is a mistake of ours, and asserted. */
void budget_give(struct budget *b, size_t bytes);

/*
 * Adds to a buffer that holds *counted bytes of the budget, its capacity. False, with nothing added, when there is not
 * enough left for it to grow.
 */
bool budget_add(struct budget *b, size_t *counted, struct buf *to, struct str bytes);

/* Frees such a buffer and gives its bytes back; *counted is 0 then, and the buffer empty and ready. */
void budget_free(struct budget *b, size_t *counted, struct buf *held);

#endif
