/* Any text as a schedule: what is taken is in order and within limits, and what is refused says why, with the file's name. */
#include "fuzz/fuzz.h"

#include "bench/load/arrivals.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { .kind = ERR_NONE };
	struct recorded r;
	struct arena a;

	arena_init(&a);
	if (recorded_parse(&r, &a, STR("s.jsonl"), str_of(data, size), &err)) {
		struct arrivals_options o = { .kind = ARRIVALS_RECORDED, .recorded = &r, .speed = 3, .duration_ns = ARRIVALS_NO_END,
					      .requests = ARRIVALS_NO_END };
		struct arrivals due;
		struct arrival x;
		uint64_t last = 0, blocks = 0;

		FUZZ_CHECK(r.count > 0 && r.items[0].due_ns == 0);
		arrivals_init(&due, &o);
		while (arrivals_next(&due, &x)) {
			FUZZ_CHECK(x.due_ns >= last);
			FUZZ_CHECK(x.input_tokens <= RECORDED_TOKENS_MOST && x.output_tokens <= RECORDED_TOKENS_MOST);
			for (size_t i = 0; i < x.block_count; i++)
				blocks += x.blocks[i];
			last = x.due_ns;
		}
		FUZZ_CHECK(due.number <= r.count && blocks <= UINT64_MAX);
	} else {
		FUZZ_CHECK(err.kind != ERR_NONE && str_find(str_from(err.text), STR("s.jsonl")) != (size_t)-1);
	}
	recorded_free(&r);
	arena_free(&a);
	return 0;
}
