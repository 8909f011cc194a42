/*
 * Streams whose events need something done between them before the fold of exchange.h sees them. An API that has such
 * streams has an exchange_order in its row. Here is the fold of a log of that API alone; cassette.c, whose lines are of
 * any API, asks the rows itself.
 */
#ifndef DIALECT_EXCHANGE_ORDER_H
#define DIALECT_EXCHANGE_ORDER_H

#include "dialect/exchange/exchange.h"

/* What an order puts events to: the fold of all exchanges, and the assembler that this gives them to. */
struct exchange_target {
	void *fold;
	struct assemble *as;
};

/* The sink of a target, which must live as long as it. */
struct exchange_sink exchange_target_sink(struct exchange_target *t);

/*
 * Opens the fold of a dialect, until exchange_order_close, which takes NULL too; the others are as struct read_ops has
 * them. False only when the assembler refused an event, and then *err is its word.
 */
void *exchange_order_open(const struct exchange_order *order);
void exchange_order_close(void *fold);
bool exchange_order_fold(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool exchange_order_end(void *fold, struct assemble *as, struct err *err);

/* The same for a dialect of one API that has an order; `open_` opens it by exchange_order_open. */
#define EXCHANGE_ORDERED(open_) \
	.assemble = ASSEMBLE_STEP_COSTS, .elements = true, .fold_open = (open_), .fold_close = exchange_order_close, \
	.fold = exchange_order_fold, .fold_end = exchange_order_end

#endif
