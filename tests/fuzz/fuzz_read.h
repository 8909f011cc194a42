/*
 * Reading a format: whatever comes in, what goes out is a valid OTUTL log, the same however the input was cut, with
 * no field lost; and a valid trace without content; and a valid session of Claude Code. The first byte says how small the pieces are and whether the
 * content decides the format.
 *
 * A target includes this and names its dialect: FUZZ_READ("anthropic").
 */
#ifndef FUZZ_FUZZ_READ_H
#define FUZZ_FUZZ_READ_H

#include <string.h>

#include "dialect/dialect.h"
#include "fuzz.h"
#include "harness/convert.h"

#define FUZZ_WHOLE 16384

static inline bool fuzz_is_packed(struct str text)
{
	return str_starts(text, STR("\x1f\x8b")) || str_starts(text, STR("\x28\xb5\x2f\xfd")) ||
	       str_starts(text, STR("PK\x03\x04")) ||
	       (text.n >= 4 && (text.p[0] & 0xf0) == 0x50 && memcmp(text.p + 1, "\x2a\x4d\x18", 3) == 0);
}

static inline void fuzz_check_valid(struct arena *a, const char *format, struct str text)
{
	struct str report;
	uint64_t errors = text.n ? convert_errors(a, format, text, &report) : 0;

	if (errors)
		fprintf(stderr, "%s is not valid:\n%.*s\n%.*s\n", format, STR_ARG(report), STR_ARG(text));
	FUZZ_CHECK(errors == 0);
}

static inline int fuzz_read(const char *dialect, const uint8_t *data, size_t size)
{
	struct convert_how how = { .from = dialect, .to = "otutl", .no_prices = true, .chunks = true };
	struct converted whole, cut, trace;
	struct arena a;
	struct str text;

	if (size < 1)
		return 0;
	text = str_of(data + 1, size - 1);
	if (fuzz_is_packed(text))
		return 0;
	if (data[0] & 1)
		how.from = NULL;
	arena_init(&a);
	how.chunk = FUZZ_WHOLE; /* more than any input has: small buffers are quickly made */
	whole = convert_with(&a, text, how);
	if (whole.done) {
		fuzz_check_valid(&a, "otutl", whole.out);
		FUZZ_CHECK(whole.coverage.leaves.left == 0);
		how.chunk = 1 + data[0] / 2;
		cut = convert_with(&a, text, how);
		FUZZ_CHECK(cut.done && str_eq(cut.out, whole.out));
		how.chunk = FUZZ_WHOLE;
		how.to = "agent-trace";
		trace = convert_with(&a, text, how);
		FUZZ_CHECK(trace.done);
		fuzz_check_valid(&a, "agent-trace", trace.out);
		how.to = "claude-code";
		trace = convert_with(&a, text, how);
		FUZZ_CHECK(trace.done);
		fuzz_check_valid(&a, "claude-code", trace.out);
	}
	arena_free(&a);
	return 0;
}

#define FUZZ_READ(dialect_)                                        \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) \
	{                                                            \
		return fuzz_read(dialect_, data, size);              \
	}

#endif
