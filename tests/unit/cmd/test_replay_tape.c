#include "cmd/replay_tape.h"

#include "unit/cmd/said.h"
#include "unit/replay/replay_kit.h"

TEST(a_status_says_whether_the_cassette_can_be_replayed)
{
	struct err err = { .kind = ERR_NONE };
	struct said s;
	struct arena a;
	struct str dir;
	int status;

	arena_init(&a);
	dir = kit_run(&a);
	catch(&s);
	status = replay_tape_status(&a, dir, false, &err);
	caught(&s);
	CHECK_INT(status, EXIT_YES);
	CHECK(str_starts(s.out, STR("replayable:  yes\n")) && str_has(s.out, STR("entries:     2: model 2,")));
	CHECK(file_replace(ARENA_JOIN(&a, dir, STR("/cassette.jsonl")),
			   STR("{\"v\":\"cassette/v1\",\"run_id\":\"r\",\"clock0_us\":1,\"redacted\":true}\n"), 0600, &err));
	catch(&s);
	status = replay_tape_status(&a, dir, true, &err);
	caught(&s);
	CHECK_INT(status, EXIT_CANNOT);
	CHECK(str_has(s.out, STR("\"replayable\":false,\"why\":\"the cassette is ")));
	kit_remove(dir);
	CHECK_INT(replay_tape_status(&a, dir, false, &err), EXIT_FAIL);
	CHECK_INT(err.kind, ERR_IO);
	arena_free(&a);
}
