/* Sums of dollars: the whole or nothing, and what the service states before what anybody worked out. */
#include "model/money.h"

#include "harness/test.h"

struct cost {
	struct amount usd;
	uint64_t tokens;
	const char *scope;
};

#define KNOWN(n_, source_) { FIGURE_KNOWN, FIGURE_##source_, n_ }

TEST(a_total_is_the_whole_or_null)
{
	static const struct { struct cost costs[3]; struct amount total; } cases[] = {
		{ { { { 0 }, 0, "step" } }, { 0 } },
		{ { { KNOWN(1, API), 5, "step" }, { KNOWN(2, API), 5, "step" } }, KNOWN(3, API) },
		{ { { KNOWN(1, API), 5, "step" }, { KNOWN(2, ESTIMATED), 5, "step" } }, KNOWN(3, ESTIMATED) },
		{ { { KNOWN(1, API), 5, "step" }, { { FIGURE_NULL, 0, 0 }, 5, "step" } }, { FIGURE_NULL, FIGURE_ESTIMATED, 0 } },
		{ { { KNOWN(1, API), 5, "step" }, { { FIGURE_NULL, 0, 0 }, 0, "step" } }, KNOWN(1, API) },
		/* stated of the run: its steps are parts of it */
		{ { { KNOWN(1, ESTIMATED), 5, "step" }, { KNOWN(2, API), 0, "run" } }, KNOWN(2, API) },
		{ { { { FIGURE_NULL, 0, 0 }, 5, "step" }, { KNOWN(2, API), 0, "run" } }, KNOWN(2, API) },
		{ { { KNOWN(1, API), 5, "run" }, { KNOWN(2, API), 5, "run" } }, KNOWN(3, API) },
		/* worked out for the run is no statement */
		{ { { KNOWN(1, ESTIMATED), 5, "run" }, { KNOWN(2, API), 5, "step" } }, KNOWN(3, ESTIMATED) },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct money m = { .sum = 0 };
		struct amount total;

		test_case("%zu", i);
		for (size_t k = 0; k < 3 && cases[i].costs[k].scope; k++) {
			struct event e = { .kind = EVENT_COST, .usd = cases[i].costs[k].usd,
					   .scope = str_from(cases[i].costs[k].scope) };

			e.usage.input = FIGURE(cases[i].costs[k].tokens);
			money_add(&m, &e);
		}
		total = money_total(&m);
		CHECK_INT(total.state, cases[i].total.state);
		CHECK(total.n == cases[i].total.n);
		if (amount_is_known(total))
			CHECK_INT(total.source, cases[i].total.source);
	}
}

TEST(only_costs_count)
{
	struct event e = { .kind = EVENT_STEP, .usd = AMOUNT(1) };
	struct money m = { .sum = 0 };

	money_add(&m, &e);
	CHECK_INT(money_total(&m).state, FIGURE_ABSENT);
}
