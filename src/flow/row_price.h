/* The price of a model call whose trace states none: not every producer of traces knows prices. */
#ifndef FLOW_ROW_PRICE_H
#define FLOW_ROW_PRICE_H

#include "dialect/agent_trace/trace_row.h"
#include "transform/price.h"

/* Whether it used a token: a call that used none has no price and needs none. */
bool row_has_tokens(const struct trace_row *r);

/*
 * What the call cost by the table, estimated: by its model and its day, as `convert` prices the same trace. Absent when
 * the table has no price, when `p` is NULL, and for a node that is no call but states totals.
 */
struct amount row_price(const struct prices *p, const struct trace_row *r);

#endif
