#include "dialect/exchange/order.h"
#include "harness/test.h"

/* A made-up order: each message is held until the next one, or the end, and comes out as the model's. */
struct held {
	struct event e;
	bool is_full;
};

static size_t open_count;

static void *held_open(void)
{
	struct held *h = mem_alloc(sizeof(*h));

	h->is_full = false;
	open_count++;
	return h;
}

static void held_close(void *own)
{
	open_count--;
	mem_free(own);
}

static bool held_end(void *own, struct exchange_sink to, struct err *err)
{
	struct held *h = own;
	bool is_full = h->is_full;

	h->is_full = false;
	return !is_full || to.put(to.context, &h->e, err);
}

static bool held_add(void *own, const struct event *e, struct exchange_sink to, struct err *err)
{
	struct held *h = own;

	if (!held_end(own, to, err))
		return false;
	h->e = *e;
	h->e.role = STR("held");
	h->is_full = true;
	return true;
}

static const struct exchange_order held_order = { .open = held_open, .close = held_close, .add = held_add, .end = held_end };

static bool count_message(void *context, const struct event *e, struct err *err)
{
	size_t *count = context;

	(void)err;
	*count += e->kind == EVENT_MESSAGE && str_eq(e->role, STR("held"));
	return true;
}

TEST(what_an_order_holds_back_comes_in_the_end)
{
	struct event message = { .kind = EVENT_MESSAGE, .index = -1, .role = STR("user"), .content = STR("\"hi\"") };
	struct err err = { .kind = ERR_NONE };
	struct assemble *as;
	size_t count = 0;
	void *fold;

	as = assemble_open(count_message, &count);
	fold = exchange_order_open(&held_order);
	CHECK_INT(open_count, 1);
	for (size_t i = 0; i < 3; i++) {
		message.line = i + 1;
		CHECK(exchange_order_fold(fold, &message, as, &err));
	}
	CHECK(exchange_order_end(fold, as, &err));
	CHECK(assemble_end(as, false, &err));
	CHECK_INT(count, 3);
	exchange_order_close(fold);
	exchange_order_close(NULL);
	CHECK_INT(open_count, 0);
	assemble_close(as);
}
