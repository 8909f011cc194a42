/* Any text as --slo, --fail-under, --rate and --duration: what is taken is a number that can be held against figures. */
#include "fuzz/fuzz.h"

#include <math.h>

#include "cmd/bench/load_args.h"

static void check_bound(struct str text)
{
	struct err err = { .kind = ERR_NONE };
	struct load_stage g = { .due = 3, .length_ns = 1000 };
	struct load_bound b;
	struct buf said;

	if (!load_args_bound(&b, text, &err)) {
		FUZZ_CHECK(err.kind == ERR_USAGE);
		return;
	}
	FUZZ_CHECK(b.limit >= 0 && !isnan(b.limit));
	buf_init(&said);
	load_bound_meets(&b, &g, false, &said);
	load_bound_meets(&b, &g, true, &said);
	FUZZ_CHECK(said.n > 0);
	buf_free(&said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { .kind = ERR_NONE };
	struct str text = str_of(data, size);
	double rates[ARRIVALS_STAGES];
	struct load_slo slo;
	uint64_t ns;
	size_t n;

	if (load_args_slo(&slo, text, &err))
		FUZZ_CHECK(slo.ms >= 0);
	check_bound(text);
	if (load_args_rates(text, rates, &n, &err))
		for (size_t i = 0; i < n; i++)
			FUZZ_CHECK(rates[i] >= ARRIVALS_RATE_LEAST && rates[i] <= ARRIVALS_RATE_MOST);
	if (load_args_time(text, "--duration", &ns, &err))
		FUZZ_CHECK(ns > 0 && ns <= ARRIVALS_LONGEST_NS);
	return 0;
}
