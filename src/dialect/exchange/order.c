/* The fold of one API with streams of its own: its order first, then the fold of all exchanges. */
#include "dialect/exchange/order.h"

struct ordered {
	const struct exchange_order *order;
	void *own, *exchange;
};

static bool target_put(void *context, const struct event *e, struct err *err)
{
	struct exchange_target *t = context;

	return exchange_fold(t->fold, e, t->as, err);
}

struct exchange_sink exchange_target_sink(struct exchange_target *t)
{
	return (struct exchange_sink){ target_put, t };
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
	struct exchange_target to = { f->exchange, as };

	return f->order->add(f->own, e, exchange_target_sink(&to), err);
}

bool exchange_order_end(void *fold, struct assemble *as, struct err *err)
{
	struct ordered *f = fold;
	struct exchange_target to = { f->exchange, as };

	return f->order->end(f->own, exchange_target_sink(&to), err) &&
	       exchange_fold_end(f->exchange, as, err);
}
