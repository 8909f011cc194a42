/*
 * Traces. What goes out is always a valid OTUTL log, the same however the input was cut. A trace that is written again
 * is as good as it was, no better: it is checked only when it was valid before.
 */
#include <string.h>

#include "dialect/dialect.h"
#include "fuzz.h"
#include "harness/convert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct convert_how how = { .from = "agent-trace", .to = "otutl" };
	struct converted whole, cut, trace;
	struct arena a;
	struct str text;

	if (size < 1 || memchr(data, '\0', size))
		return 0;
	text = str_of(data + 1, size - 1);
	arena_init(&a);
	whole = convert_with(&a, text, how);
	if (whole.done) {
		FUZZ_CHECK(!whole.out.n || convert_errors(&a, "otutl", whole.out, NULL) == 0);
		FUZZ_CHECK(whole.coverage.leaves.left == 0);
		how.chunk = 1 + data[0] / 2;
		cut = convert_with(&a, text, how);
		FUZZ_CHECK(cut.done && str_eq(cut.out, whole.out));
		how.chunk = 0;
		how.to = "agent-trace";
		trace = convert_with(&a, text, how);
		FUZZ_CHECK(trace.done);
		if (trace.out.n && convert_errors(&a, "agent-trace", text, NULL) == 0)
			FUZZ_CHECK(convert_errors(&a, "agent-trace", trace.out, NULL) == 0);
	}
	arena_free(&a);
	return 0;
}
