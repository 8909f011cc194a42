/* A hint is copied when more is added, so that several readers of one event can each add to it. */
#include "dialect/exchange/hint.h"

static const struct exchange_hint nothing = { .index = -1 };

struct exchange_hint *exchange_hint_add(struct reading *r, struct event *e)
{
	struct exchange_hint *h = arena_new(r->arena, struct exchange_hint);

	*h = *exchange_hint_of(e);
	e->hint = h;
	return h;
}

const struct exchange_hint *exchange_hint_of(const struct event *e)
{
	return e->hint ? e->hint : &nothing;
}
