/* Sealing is tested in tests/cli/replay, with a run that was recorded. */
#include "cmd/replay_pin.h"

#include "ledger/key.h"
#include "unit/cmd/said.h"

TEST(a_ledger_that_does_not_know_the_run_has_nothing_against_it)
{
	struct frame frame = { .quiet = true };
	struct ledger_choice choice = { .where = STR("made") };
	struct ledger_options o = { .where = STR("made") };
	struct err err = { .kind = ERR_NONE };
	char root[] = "/tmp/trackway-pin-XXXXXX";
	struct replay_pin pin;
	struct signer s;
	struct arena a;
	struct said said;

	arena_init(&a);
	CHECK(mkdtemp(root) && chdir(root) == 0);
	setenv("TRACKWAY_KEYS", "keys", 1);
	CHECK(!replay_pin_find(&a, &frame, &choice, STR("run"), STR("00"), &pin, &err));
	CHECK_INT(err.kind, ERR_DATA);
	CHECK(keys_home(&a, &o.keys, &err) && keys_make(&a, o.keys, STR("log.example/pin"), KEY_LOG, &s, &err) &&
	      ledger_make(&a, &o, &s, &err));
	CHECK(replay_pin_find(&a, &frame, &choice, STR("run"), STR("00"), &pin, &err));
	CHECK(!pin.is_pinned);
	catch(&said);
	replay_pin_say(&pin, STR("00"));
	caught(&said);
	CHECK_STR(said.out, STR("cassette:         sha256 00, not pinned in made\n"));
	CHECK(chdir("/") == 0 && system(arena_printf(&a, "rm -rf %s", root).p) == 0);
	arena_free(&a);
}
