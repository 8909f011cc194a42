/* A trace has neither provider nor tier, so the table is asked for the model alone. */
#include "flow/row_price.h"

bool row_has_tokens(const struct trace_row *r)
{
	return (figure_is_known(r->usage.input) && r->usage.input.n) ||
	       (figure_is_known(r->usage.output) && r->usage.output.n);
}

struct amount row_price(const struct prices *p, const struct trace_row *r)
{
	struct price_ask ask = { .model = r->model, .at_ns = r->to_us * 1000, .has_time = r->to_us > 0, .usage = &r->usage };
	double usd;

	if (!p || r->total_only || r->to_us > INT64_MAX / 1000 || price_usage(p, &ask, &usd) != PRICE_FOUND)
		return (struct amount){ .state = FIGURE_ABSENT };
	return (struct amount){ FIGURE_KNOWN, FIGURE_ESTIMATED, usd };
}
