#include "cmd/replay_fork.h"

#include "harness/test.h"

TEST(options_make_a_mode)
{
	static const struct {
		const char *from;
		bool update;
		enum replay_mode given, wanted;
		bool good;
	} cases[] = {
		{ NULL, false, REPLAY_STUBBED, REPLAY_STUBBED, true },
		{ NULL, false, REPLAY_LIVE_MODEL, REPLAY_LIVE_MODEL, true },
		{ "12", false, REPLAY_LIVE_MODEL, REPLAY_FORK, true },
		{ NULL, true, REPLAY_STUBBED, REPLAY_UPDATE, true },
		{ "12", false, REPLAY_STUBBED, REPLAY_STUBBED, false },
		{ "12", false, REPLAY_LIVE_TOOLS, REPLAY_LIVE_TOOLS, false },
		{ "-1", false, REPLAY_LIVE_MODEL, REPLAY_LIVE_MODEL, false },
		{ "", false, REPLAY_LIVE_MODEL, REPLAY_LIVE_MODEL, false },
		{ "12", true, REPLAY_STUBBED, REPLAY_STUBBED, false },
		{ NULL, true, REPLAY_LIVE_TOOLS, REPLAY_LIVE_TOOLS, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct replaying_options o = { .mode = cases[i].given };
		struct str from = cases[i].from ? str_from(cases[i].from) : str_of(NULL, 0);
		struct err err = { .kind = ERR_NONE };

		test_case("%zu", i);
		CHECK(replay_fork_choose(from, cases[i].update, &o, &err) == cases[i].good);
		CHECK_INT(o.mode, cases[i].wanted);
		CHECK_INT(err.kind, cases[i].good ? ERR_NONE : ERR_USAGE);
		CHECK(o.mode != REPLAY_FORK || o.from == 12);
	}
}

TEST(a_fork_that_was_not_reached_does_not_say_that_it_was_live)
{
	struct replaying_outcome out = { .mode = REPLAY_FORK, .verdict = VERDICT_INCOMPLETE, .fork = { .seq = 3 },
					 .forked_run = STR("otutl-v1:sha256:ab"), .made_run = STR("id"),
					 .dir = STR("d"), .exit_live = 2 };
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	replay_fork_say(&b, &a, &out);
	CHECK(str_has(buf_str(&b), STR("NOT reached")) && !str_has(buf_str(&b), STR("is live")));
	CHECK(str_has(buf_str(&b), STR("ended with 2")));
	CHECK_STR(replay_fork_verdict(&a, &out), STR("INCOMPLETE up to seq 3"));
	out.fork.is_parted = true;
	buf_clear(&b);
	replay_fork_say(&b, &a, &out);
	CHECK(str_has(buf_str(&b), STR("what follows is live")));
	out.mode = REPLAY_STUBBED;
	buf_clear(&b);
	replay_fork_say(&b, &a, &out);
	CHECK_INT(b.n, 0);
	CHECK_STR(replay_fork_verdict(&a, &out), STR("INCOMPLETE"));
	buf_free(&b);
	arena_free(&a);
}
