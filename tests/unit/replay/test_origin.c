#include "replay/origin.h"

#include <fcntl.h>

#include "harness/test.h"
#include "unit/replay/replay_kit.h"

static bool make(struct arena *a, struct str dir, const struct origin_swap *swaps, size_t count, struct origin *out)
{
	int fd = open(dir.p, O_RDONLY | O_DIRECTORY);
	struct err err = { .kind = ERR_NONE };
	bool made = origin_make(a, ARENA_JOIN(a, dir, STR("/cassette.jsonl")), fd, ARENA_JOIN(a, dir, STR("/o.jsonl")),
				STR("o.jsonl"), swaps, count, out, &err);

	close(fd);
	return made;
}

TEST(lines_of_a_cassette_have_their_places_in_its_log)
{
	struct arena a;
	struct origin o;
	struct str dir;

	arena_init(&a);
	dir = kit_run(&a);
	CHECK(make(&a, dir, NULL, 0, &o));
	CHECK(origin_seq(&o, 0) > 0 && origin_seq(&o, 1) > origin_seq(&o, 0));
	CHECK_INT(origin_seq(&o, 7), -1);
	CHECK(str_starts(o.behavior_hash, STR("bh-v1:sha256:")) && str_starts(o.run_hash, STR("otutl-v1:sha256:")));
	kit_remove(dir);
	arena_free(&a);
}

TEST(values_of_this_run_can_be_swapped_before_the_hash)
{
	const struct origin_swap there[] = { { STR("more"), STR("less") } };
	const struct origin_swap back[] = { { STR("more"), STR("less") }, { STR("less"), STR("more") } };
	struct origin plain, other, same;
	struct arena a;
	struct str dir;

	arena_init(&a);
	dir = kit_run(&a);
	CHECK(make(&a, dir, NULL, 0, &plain) && make(&a, dir, there, 1, &other) && make(&a, dir, back, 2, &same));
	CHECK(!str_eq(plain.behavior_hash, other.behavior_hash));
	CHECK_STR(same.behavior_hash, plain.behavior_hash);
	kit_remove(dir);
	arena_free(&a);
}

TEST(what_is_no_cassette_is_an_error)
{
	struct arena a;
	struct origin o;

	arena_init(&a);
	CHECK(!make(&a, STR("/nonexistent"), NULL, 0, &o));
	arena_free(&a);
}
