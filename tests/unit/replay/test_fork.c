#include "replay/fork.h"

#include <fcntl.h>

#include "harness/test.h"
#include "unit/replay/replay_kit.h"

/* The kit's run: two requests, and what the log has of them. */
static void load(struct arena *a, struct str dir, struct origin *o, struct tape *t)
{
	struct err err = { .kind = ERR_NONE };
	int fd = open(dir.p, O_RDONLY | O_DIRECTORY);

	CHECK(origin_make(a, ARENA_JOIN(a, dir, STR("/cassette.jsonl")), fd, ARENA_JOIN(a, dir, STR("/o.jsonl")),
			  STR("o.jsonl"), NULL, 0, o, &err));
	CHECK(tape_load(a, ARENA_JOIN(a, dir, STR("/cassette.jsonl")), t, &err));
	close(fd);
}

TEST(requests_before_the_fork_are_waited_for)
{
	struct arena a;
	struct origin o;
	struct tape t;
	struct fork f;
	struct err err;
	struct str dir;
	uint64_t second;

	arena_init(&a);
	dir = kit_run(&a);
	load(&a, dir, &o, &t);
	second = (uint64_t)origin_seq(&o, 1);
	CHECK(fork_init(&f, &o, &t, second, &err));
	CHECK_INT(f.waiting, 1);
	CHECK(fork_is_before(&f, 0) && !fork_is_before(&f, 1));
	CHECK(!fork_is_before(&f, 7)); /* the tape has no such line */
	fork_take(&f, 1);
	CHECK(!fork_is_reached(&f)); /* only what is before counts */
	fork_take(&f, 0);
	CHECK(fork_is_reached(&f));
	CHECK(fork_init(&f, &o, &t, 0, &err) && fork_is_reached(&f));
	CHECK(fork_init(&f, &o, &t, second + 1, &err));
	CHECK_INT(f.waiting, 2);
	kit_remove(dir);
	arena_free(&a);
}

TEST(a_log_has_no_place_behind_its_end)
{
	struct arena a;
	struct origin o;
	struct tape t;
	struct fork f;
	struct err err;
	struct str dir;

	arena_init(&a);
	dir = kit_run(&a);
	load(&a, dir, &o, &t);
	CHECK(o.records > 2);
	CHECK(fork_init(&f, &o, &t, o.records - 1, &err));
	CHECK(!fork_init(&f, &o, &t, o.records, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(str_has(str_from(err.text), STR("has no seq")));
	kit_remove(dir);
	arena_free(&a);
}
