/*
 * The text of a price table: read or refused with a place; what was read can be looked up under every name in it;
 * the digest does not depend on the order of the lines.
 */
#include "fuzz/fuzz.h"

#include <math.h>

#include "transform/price.h"
#include "transform/price_table.h"

static void check_lookups(const struct prices *p, const struct price_rows *rows)
{
	const struct usage u = { .input = FIGURE(1000), .output = FIGURE(10), .cache_read = FIGURE(1),
				 .cache_write = FIGURE(3), .cache_write_1h = FIGURE(1) };

	for (size_t i = 0; i < rows->count && i < 64; i++) {
		const struct price_row *r = &rows->row[i];
		struct price_ask ask = { .provider = r->provider, .model = r->model, .tier = r->tier, .usage = &u };
		double usd = -1;

		FUZZ_CHECK(i == 0 || price_table_compare(r - 1, r) < 0);
		FUZZ_CHECK((price_usage(p, &ask, &usd) == PRICE_FOUND) == (usd >= 0));
		FUZZ_CHECK(isfinite(usd));
	}
}

static void check_order(struct arena *a, struct str text, const struct price_rows *rows)
{
	struct price_rows again;
	struct err err;
	struct str rest, first = str_cut(text, '\n', &rest);
	struct str turned = arena_printf(a, "%.*s\n%.*s", STR_ARG(rest), STR_ARG(first));

	if (text.n > 4000 || memchr(text.p, 0, text.n) || str_starts(text, STR("\xef\xbb\xbf")))
		return;
	if (price_table_parse(a, turned, STR("turned"), &again, &err))
		FUZZ_CHECK(str_eq(price_table_digest(a, &again), price_table_digest(a, rows)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of(data, size);
	struct price_rows rows;
	struct prices *p;
	struct arena a;
	struct err err;

	arena_init(&a);
	if (price_table_parse(&a, text, STR("own.tsv"), &rows, &err)) {
		p = prices_new(&a);
		FUZZ_CHECK(prices_override(p, text, STR("own.tsv"), &err));
		check_lookups(p, &rows);
		if (size)
			check_order(&a, text, &rows);
	} else {
		FUZZ_CHECK(str_starts(str_from(err.text), STR("own.tsv:")));
	}
	arena_free(&a);
	return 0;
}
