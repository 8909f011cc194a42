/* Thresholds: whatever the text is, it is refused with a sentence, or holds against an empty group without data. */
#include "fuzz/fuzz.h"

#include "cmd/bench/threshold_args.h"

static bool try(const struct threshold *t, const struct summary_group *g, bool confident)
{
	struct buf said;
	bool meets;

	buf_init(&said);
	meets = threshold_meets(t, g, confident, &said);
	FUZZ_CHECK(said.n > 0 && !memchr(said.p, '\n', said.n));
	buf_free(&said);
	return meets;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	double values[] = { 1, 2, 3 };
	const struct interval one = { 0.5, 2 };
	const struct summary_group some = {
		.n_total = 3, .n_ok = 3, .n_error = 1, .tier = 2, .usd = 1, .usd_rows = 3, .tokens_per_second = 1,
		.success = { 1, 2, one }, .pass = { 1, 2, one }, .tools = { 1, 2, one },
		.latency = { 3, 2, 3, 3, 2, one, one, one, values }, .ttft = { 3, 2, 3, 3, 2, one, one, one, values },
	};
	struct err err = { .kind = ERR_NONE };
	const struct threshold *t;
	struct arena a;

	arena_init(&a);
	t = threshold_args_read(&a, str_of(data, size), &err);
	if (t) {
		FUZZ_CHECK(err.kind == ERR_NONE);
		if (try(t, &some, true)) /* the cautious reading is never the more generous one */
			FUZZ_CHECK(try(t, &some, false));
	} else {
		FUZZ_CHECK(err.kind == ERR_USAGE && err.text[0]);
	}
	arena_free(&a);
	return 0;
}
