#include "model/money.h"

struct amount amount_plus(struct amount a, struct amount b)
{
	uint8_t source =
		a.source == FIGURE_ESTIMATED || b.source == FIGURE_ESTIMATED ? FIGURE_ESTIMATED : FIGURE_API;

	if (!amount_is_known(a) || !amount_is_known(b))
		return amount_is_known(a) ? a : b;
	return (struct amount){ FIGURE_KNOWN, source, a.n + b.n };
}

/* Said of a run as a whole by the service that is paid for it. */
static bool money_is_stated(const struct event *cost)
{
	return amount_is_known(cost->usd) && cost->usd.source == FIGURE_API && str_eq(cost->scope, STR("run"));
}

void money_add(struct money *m, const struct event *cost)
{
	if (cost->kind != EVENT_COST)
		return;
	if (money_is_stated(cost)) {
		m->stated += cost->usd.n;
		m->has_stated = true;
	} else if (amount_is_known(cost->usd)) {
		m->sum += cost->usd.n;
		m->has_sum = true;
		m->estimated = m->estimated || cost->usd.source == FIGURE_ESTIMATED;
	} else if (cost->usage.input.n || cost->usage.output.n) {
		m->missing = true;
	}
}

struct amount money_total(const struct money *m)
{
	if (m->has_stated)
		return AMOUNT(m->stated);
	if (m->missing)
		return (struct amount){ .state = FIGURE_NULL, .source = FIGURE_ESTIMATED };
	if (!m->has_sum)
		return (struct amount){ .state = FIGURE_ABSENT };
	return (struct amount){ FIGURE_KNOWN, m->estimated ? FIGURE_ESTIMATED : FIGURE_API, m->sum };
}
