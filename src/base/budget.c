/* Counts the bytes that are held in sum. */
#include "base/budget.h"

#include <assert.h>

bool budget_take(struct budget *b, size_t bytes)
{
	size_t used = atomic_load_explicit(&b->used, memory_order_relaxed);

	do {
		if (bytes > b->limit || used > b->limit - bytes)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&b->used, &used, used + bytes, memory_order_relaxed,
							memory_order_relaxed));
	return true;
}

void budget_force(struct budget *b, size_t bytes)
{
	atomic_fetch_add_explicit(&b->used, bytes, memory_order_relaxed);
}

void budget_give(struct budget *b, size_t bytes)
{
	size_t before = atomic_fetch_sub_explicit(&b->used, bytes, memory_order_relaxed);

	assert(before >= bytes);
	(void)before;
}

bool budget_add(struct budget *b, size_t *counted, struct buf *to, struct str bytes)
{
	if (bytes.n > to->cap - to->n) {
		/* what a buffer grows to: twice its size, or as much as it needs */
		size_t wants = to->n + bytes.n > 2 * to->cap ? to->n + bytes.n : 2 * to->cap;

		if (wants > *counted && !budget_take(b, wants - *counted))
			return false;
		*counted = wants > *counted ? wants : *counted;
	}
	buf_add_str(to, bytes);
	if (to->cap > *counted) { /* rounded up */
		budget_force(b, to->cap - *counted);
		*counted = to->cap;
	}
	assert(*counted >= to->cap); /* what the buffer holds is paid for */
	return true;
}

void budget_free(struct budget *b, size_t *counted, struct buf *held)
{
	buf_free(held);
	buf_init(held);
	budget_give(b, *counted);
	*counted = 0;
}
