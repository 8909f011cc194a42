#include "replay/stage.h"

#include "harness/test.h"
#include "unit/replay/replay_kit.h"

TEST(every_request_of_the_tape_is_an_entry_unless_the_model_is_live)
{
	static const char *const argv[] = { "true", NULL };
	static const enum replay_mode modes[] = { REPLAY_STUBBED, REPLAY_LIVE_TOOLS, REPLAY_LIVE_MODEL };
	static const uint64_t wanted[] = { 2, 2, 0 };

	for (size_t i = 0; i < COUNT(modes); i++) {
		struct replaying_options o = { .argv = argv, .mode = modes[i] };
		struct stage *s;
		struct arena a;
		struct tape t;
		struct err err;
		struct buf b;

		arena_init(&a);
		kit_cassette(&b);
		CHECK(tape_load_memory(&a, STR("c"), buf_str(&b), &t, &err));
		s = stage_new(&a, &o, &t);
		CHECK_INT(match_tally(player_match(stage_player(s))).entries, wanted[i]);
		CHECK_INT(stage_unverified(s), 0);
		CHECK(stage_recording(s)->open && stage_recording(s)->stop);
		stage_close(s);
		buf_free(&b);
		arena_free(&a);
	}
}
