/* The fold of one API with streams of its own: its order first, then the fold of all exchanges. */
#include "dialect/exchange/order.h"

struct ordered {
	const struct exchange_order *order;
	void *own, *exchange;
};

struct ordered_target {
	void *exchange;
	struct assemble *as;
};

static bool ordered_put(void *context, const struct event *e, struct err *err)
{
	struct ordered_target *t = context;

	return exchange_fold(t->exchange, e, t->as, err);
}

void *exchange_order_open(const struct exchange_order *order)
{
	struct ordered *f = mem_alloc(sizeof(*f));

	*f = (struct ordered){ order, order->open(), exchange_fold_open() };
	return f;
}

void exchange_order_close(void *fold)
{
	struct ordered *f = fold;

	if (!f)
		return;
	f->order->close(f->own);
	exchange_fold_close(f->exchange);
	mem_free(f);
}

bool exchange_order_fold(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct ordered *f = fold;
	struct ordered_target to = { f->exchange, as };

	return f->order->add(f->own, e, (struct exchange_sink){ ordered_put, &to }, err);
}

bool exchange_order_end(void *fold, struct assemble *as, struct err *err)
{
	struct ordered *f = fold;
	struct ordered_target to = { f->exchange, as };

	return f->order->end(f->own, (struct exchange_sink){ ordered_put, &to }, err) &&
	       exchange_fold_end(f->exchange, as, err);
}
