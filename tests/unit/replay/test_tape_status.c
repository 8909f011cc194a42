#include "replay/tape_status.h"

#include "harness/test.h"
#include "unit/replay/replay_kit.h"

TEST(requests_that_were_recorded_twice_are_named)
{
	struct tape_status s;
	struct arena a;
	struct tape t;
	struct err err;
	struct buf b;

	arena_init(&a);
	kit_cassette(&b);
	kit_add(&b, 2, STR(KIT_FIRST), STR(KIT_ANSWER("again")));
	CHECK(tape_load_memory(&a, STR("c"), buf_str(&b), &t, &err));
	tape_status_read(&a, &t, &s);
	CHECK_INT(s.lanes[TAPE_MODEL], 3);
	CHECK_INT(s.lanes[TAPE_SHELL], 0);
	CHECK_INT(s.repeat_count, 1);
	CHECK_INT(s.repeats[0].x, 0);
	CHECK_INT(s.repeats[0].count, 2);
	CHECK_INT(s.lost, 0);
	CHECK(s.bytes > 2 * sizeof(KIT_FIRST));
	buf_free(&b);
	arena_free(&a);
}

TEST(bytes_that_were_not_kept_are_counted)
{
	struct tape_line line = { .lane = TAPE_MODEL };
	struct tape t = { .lines = &line, .count = 1 };
	struct tape_status s;
	struct arena a;

	arena_init(&a);
	line.http.method = line.http.target = line.http.request.bytes = STR("");
	tape_status_read(&a, &t, &s);
	CHECK_INT(s.lost, 0);
	line.http.answer.lost = true;
	tape_status_read(&a, &t, &s);
	CHECK_INT(s.lost, 1);
	arena_free(&a);
}
