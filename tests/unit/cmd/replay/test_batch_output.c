#include "cmd/replay/batch_output.h"

#include "harness/test.h"
#include "unit/cmd/said.h"

TEST(the_two_denominators_are_told_apart)
{
	struct batch_row rows[] = {
		{ .dir = STR("a"), .name = STR("a"), .end = BATCH_JUDGED, .served = 1, .coverage = 0.5, .isolated = true },
		{ .dir = STR("b\x1b"), .name = STR("b"), .end = BATCH_UNABLE, .why = STR("no \x1b[1m") },
	};
	struct batch_told t = { .rows = rows, .count = 2, .found = 3, .seconds = 1 };
	struct frame f = { .out = { .width = 80 } };
	struct arena a;
	struct said s;

	arena_init(&a);
	batch_tally_rows(&a, &(struct batch_tally_options){ .by = BATCH_BY_VENDOR }, rows, 2, &t.tally);
	catch(&s);
	batch_output(&a, &f, REPLAY_TEXT, &t);
	caught(&s);
	CHECK(str_has(s.out, STR("replayed 2 of 3 runs in 1.00 s (--limit 2)\n")));
	CHECK(str_has(s.out, STR("not in the share: 0 NOT_REPLAYABLE, 1 could not be run, 0 not finished\n")));
	CHECK(str_has(s.out, STR("of all runs:      1 of 2, 50.0 %\n")));
	CHECK(str_has(s.out, STR("could not run   b\\x1b: no \\x1b[1m\n")));
	CHECK(str_has(s.out, STR("\n1 of 1 runs did the same again: 100.0 % (95 % interval 20.7 to 100.0)\n")));
	arena_free(&a);
}

TEST(progress_counts_what_has_an_end)
{
	const struct batch_row rows[] = { { .end = BATCH_JUDGED }, { .end = BATCH_JUDGED, .verdict = VERDICT_DIVERGED },
					  { .end = BATCH_UNABLE }, { .end = BATCH_NOT_BEGUN } };
	struct buf b;

	buf_init(&b);
	batch_output_progress(&b, rows, 4, (uint64_t)90 * 1000000000);
	CHECK_STR(buf_str(&b), STR("replay 3/4  same 1  not 1  could not run 1  ETA 00:30"));
	buf_free(&b);
}
