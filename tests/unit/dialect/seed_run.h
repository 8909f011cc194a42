/* Logs of a fuzz target's corpus as test cases: small, whole, and one for each variant of a format. */
#ifndef UNIT_DIALECT_SEED_RUN_H
#define UNIT_DIALECT_SEED_RUN_H

#include "harness/convert.h"
#include "harness/test.h"

/* The text of a seed, without the byte that is the fuzz target's. */
static inline struct str seed_text(struct arena *a, const char *dialect, const char *name)
{
	struct str text = test_read(arena_printf(a, "tests/fuzz/corpus/read_%s/%s", dialect, name).p);

	CHECK(text.n > 1);
	return str_of(text.p + 1, text.n - 1);
}

/* Converted to a valid OTUTL log; its content says what it is, and a trace of it is valid too. Nothing is lost. */
static inline struct str seed_convert(struct arena *a, const char *dialect, const char *name)
{
	struct str text = seed_text(a, dialect, name), first;
	struct converted log = convert_with(a, text, (struct convert_how){ .to = "otutl" });
	struct converted cut = convert_with(a, text, (struct convert_how){ .to = "otutl", .chunk = 64 });

	CHECK(log.done && log.from);
	CHECK_STR(str_from(log.from->name), str_from(dialect));
	CHECK_INT(log.coverage.leaves.left, 0);
	CHECK_STR(cut.out, log.out);
	if (convert_errors(a, "otutl", log.out, &first))
		FAIL("%.*s", STR_ARG(first));
	convert_valid(a, dialect, text, "agent-trace");
	return log.out;
}

static inline void seed_check(struct str otutl, int64_t steps, int64_t calls, int64_t results, int64_t in, int64_t out,
			      int64_t cache_read, int64_t cache_write)
{
	struct convert_figures f = convert_count(otutl);

	CHECK_INT(f.model_steps, steps);
	CHECK_INT(f.tool_calls, calls);
	CHECK_INT(f.tool_results, results);
	CHECK_INT(f.input_total, in);
	CHECK_INT(f.output_total, out);
	CHECK_INT(f.cache_read, cache_read);
	CHECK_INT(f.cache_write, cache_write);
}

/* A log that an agent left, below data/agents; the test is skipped where that is absent. */
static inline struct str seed_agent(struct arena *a, const char *dialect, const char *path)
{
	struct converted c = convert_file(a, test_shared(path), (struct convert_how){ .to = "otutl" });

	CHECK(c.done && c.from);
	CHECK_STR(str_from(c.from->name), str_from(dialect));
	CHECK_INT(c.coverage.leaves.left, 0);
	return c.out;
}

#endif
